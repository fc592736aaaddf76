// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The result code of an item: LAPACK's `info`, and the reason of the failure.
#ifndef BATCHWORK_STATUS_HPP
#define BATCHWORK_STATUS_HPP

#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"

namespace Batchwork {

/// Why an item failed. See docs/reference/status.md.
enum class Reason : std::int32_t {
  success = 0,                ///< nothing failed
  not_positive_definite = 1,  ///< a Cholesky pivot or an eigenvalue is not positive; info is its
                              ///< 1-based index, as in LAPACK's potrf
  not_finite = 2,       ///< a pivot is NaN or infinite (info is its 1-based index), or a result is
                        ///< (info is 0)
  incomplete_data = 3,  ///< an observation is missing although the data were declared complete;
                        ///< info is 0
  stagnated = 4,        ///< the residual of the recurrence met the tolerance, the true residual did
                        ///< not, and restarts did not help
  iteration_limit = 5,  ///< the iteration limit was reached
  breakdown = 6,        ///< a pivot is zero in an elimination without row exchanges (info is its
                        ///< 1-based row), or a scalar of an iteration broke down, see Breakdown
  indefinite = 7,       ///< a direction p has p' A p <= 0: the matrix is not positive definite
  invalid_pattern = 8,  ///< column indices or row offsets are not ascending, or out of range; info
                        ///< is 0
  diverged = 9,     ///< the residual of an iteration grew beyond the limit of its StoppingCriteria
  inaccurate = 10,  ///< entries grew in an elimination, or cancelled in a Kalman filter: the result
                    ///< is stored, but may be less accurate than documented; info is the 1-based
                    ///< row, or the entry of the observation
  singular = 11,    ///< a pivot of an elimination is exactly zero; info is its 1-based index, as in
                    ///< LAPACK's getrf and sytrf
  small_pivot = 12,   ///< a pivot is too small in an elimination without row exchanges; info is its
                      ///< 1-based row
  out_of_range = 13,  ///< an index is outside its table or View, or a number does not fit into an
                      ///< integer; info is 0
  division_by_zero = 14,  ///< an integer was divided by zero; info is 0
};

/// A status code, as stored in the user's integer View: 0 for success, else the reason and LAPACK's
/// info.
/// ```cpp
/// Reason const why = Status::reason(codes(item));
/// if (why != Reason::success)
///   std::printf("%s, info %d\n", to_string(why), Status::info(codes(item)));
/// ```
struct Status {
  /// The position of the reason in a code: code = reason * 2^shift + info.
  static constexpr std::int32_t shift = 16;

  /// The code of a reason and an info.
  static constexpr KOKKOS_FUNCTION std::int32_t code(Reason reason, int info) {
    return (static_cast<std::int32_t>(reason) << shift) + info;
  }
  /// The reason of a code.
  static constexpr KOKKOS_FUNCTION Reason reason(std::int64_t code) {
    return static_cast<Reason>(static_cast<std::int32_t>(code) >> shift);
  }
  /// The info of a code: the 1-based index of the pivot that failed, as in LAPACK, or 0 if there is
  /// none.
  static constexpr KOKKOS_FUNCTION int info(std::int64_t code) {
    return static_cast<int>(code & ((std::int64_t(1) << shift) - 1));
  }
};

/// The reason in words, for messages on the host.
/// \param reason  the reason of a code, Status::reason(code)
/// \returns a string such as "not positive definite"
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
