// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The per-item result code: LAPACK's `info` together with an enumerated reason.
#ifndef BATCHWORK_STATUS_HPP
#define BATCHWORK_STATUS_HPP

#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"

namespace Batchwork {

/// Why an item failed.
enum class Reason : std::int32_t {
  success = 0,                ///< nothing failed
  not_positive_definite = 1,  ///< a Cholesky pivot, or an eigenvalue, was not positive; info is its
                              ///< 1-based index, as in LAPACK's potrf
  not_finite = 2,  ///< a NaN or infinite pivot (info is its 1-based index), or result (info is 0)
  incomplete_data = 3,  ///< a missing observation under the promise of complete data; info is 0
  stagnated = 4,  ///< the residual of the recurrence met the tolerance, the true one did not, and
                  ///< restarts did not help
  iteration_limit = 5,  ///< as many iterations as allowed
  breakdown = 6,   ///< a pivot is zero where nothing is exchanged, info is its 1-based row; or a
                   ///< scalar of an iteration, see Breakdown
  indefinite = 7,  ///< a direction p with p' A p <= 0: the matrix is not positive definite
  invalid_pattern =
      8,         ///< columns that do not rise, or are out of range, or such row offsets; info is 0
  diverged = 9,  ///< the residual of an iteration grew beyond the limit of its StoppingCriteria
  inaccurate = 10,  ///< numbers grew in an elimination, or cancelled in a Kalman filter: the result
                    ///< is stored, and may be less
  ///< accurate than it is said to be; info is the 1-based row, or the entry of the observation
  singular = 11,  ///< a pivot of an elimination is exactly zero; info is its 1-based index, as in
                  ///< LAPACK's getrf and sytrf
  small_pivot = 12,   ///< a pivot is too small for an elimination that exchanges no rows; info is
                      ///< its 1-based row
  out_of_range = 13,  ///< an index of a table that it does not have, or a number that an integer
                      ///< cannot hold; info is 0
  division_by_zero = 14,  ///< an integer divided by zero; info is 0
};

/// A status as it stands in the user's integer View: 0 is success; otherwise the reason and
/// LAPACK's info.
struct Status {
  static constexpr std::int32_t shift = 16;

  static constexpr KOKKOS_FUNCTION std::int32_t code(Reason reason, int info) {
    return (static_cast<std::int32_t>(reason) << shift) + info;
  }
  static constexpr KOKKOS_FUNCTION Reason reason(std::int64_t code) {
    return static_cast<Reason>(static_cast<std::int32_t>(code) >> shift);
  }
  /// The 1-based index of the pivot that failed, as in LAPACK, or 0 where there is none.
  static constexpr KOKKOS_FUNCTION int info(std::int64_t code) {
    return static_cast<int>(code & ((std::int64_t(1) << shift) - 1));
  }
};

/// The reason in words, for messages on the host.
inline char const* to_string(Reason reason) {
  switch (reason) {
    case Reason::success: return "success";
    case Reason::not_positive_definite: return "not positive definite";
    case Reason::not_finite: return "not finite";
    case Reason::incomplete_data: return "incomplete data";
    case Reason::stagnated: return "stagnated";
    case Reason::iteration_limit: return "iteration limit";
    case Reason::breakdown: return "breakdown";
    case Reason::indefinite: return "indefinite";
    case Reason::invalid_pattern: return "invalid pattern";
    case Reason::diverged: return "diverged";
    case Reason::inaccurate: return "inaccurate";
    case Reason::singular: return "singular";
    case Reason::small_pivot: return "small pivot";
    case Reason::out_of_range: return "out of range";
    case Reason::division_by_zero: return "division by zero";
  }
  return "unknown";
}

}  // namespace Batchwork

#endif
