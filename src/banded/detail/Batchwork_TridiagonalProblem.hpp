// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What solve_tridiagonal has to compute, as pointers and strides; and what is recorded of an item
/// that fails.
#ifndef BATCHWORK_TRIDIAGONALPROBLEM_HPP
#define BATCHWORK_TRIDIAGONALPROBLEM_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>

#include "core/Batchwork_Status.hpp"
#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Quotients.hpp"
#include "launch/detail/Batchwork_StatusTarget.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// Rows of the largest system: as many as the registers of one team hold.
inline constexpr int most_tridiagonal_rows = 4096;

/// lower(i) x(i - 1) + diagonal(i) x(i) + upper(i) x(i + 1) = b(i) for the n rows of every item.
template <class T>
struct TridiagonalProblem {
  Storage<T const> lower{}, diagonal{}, upper{}, b{};
  Storage<T> x{};
  StatusTarget status{};
  std::int64_t items = 0;
  int n = 0;
};

/// Largest number of an elimination, over the largest of the matrix, with which x is still called
/// accurate. 2 is what diagonally dominant and symmetric positive definite matrices stay below.
template <class T>
inline constexpr T growth_limit = T(8);

/// What is known of an item's failure: the smallest is the one that counts. Pivots are computed in
/// stages, in each stage by several lanes at once. A failure in a stage makes pivots of later
/// stages fail, but none of the same or an earlier stage. That x is not accurate counts where
/// nothing else failed.
struct TridiagonalFailure {
  static constexpr std::uint32_t none = ~std::uint32_t(0);
  static constexpr std::uint32_t of_result = std::uint32_t(1) << 30;

  std::uint32_t first = none;

  BATCHWORK_INLINE void add(std::uint32_t other) {
    if (other < first) first = other;
  }
  /// Pivot number `row`, counted from 0, is bad.
  BATCHWORK_INLINE void add(int stage, int row, Reason reason) {
    add((std::uint32_t(stage) * most_tridiagonal_rows + std::uint32_t(row)) * 64 +
        std::uint32_t(reason));
  }
  BATCHWORK_INLINE void add_inaccurate(int row) { add(of_result + 1 + std::uint32_t(row)); }
  BATCHWORK_INLINE std::int32_t code() const {
    if (first == none) return 0;
    if (first == of_result) return Status::code(Reason::not_finite, 0);
    if (first > of_result) return Status::code(Reason::inaccurate, int(first - of_result));
    return Status::code(Reason(first % 64), int(first / 64 % most_tridiagonal_rows) + 1);
  }
};

/// 1 / pivot. Where there is no such number it is NaN, which spreads to all of the item's results,
/// and the failure is recorded.
template <class T>
BATCHWORK_INLINE T pivot_reciprocal(T pivot, int stage, int row, TridiagonalFailure& failure) {
  T const size = Kokkos::abs(pivot);
  // Not so for NaN. The reciprocal of a smaller number may overflow.
  if (size >= std::numeric_limits<T>::min() && size <= std::numeric_limits<T>::max())
    return Vendor::reciprocal(pivot);
  failure.add(stage, row, is_finite(pivot) ? Reason::breakdown : Reason::not_finite);
  return std::numeric_limits<T>::quiet_NaN();
}

/// The largest pivot that a row of the matrix may leave: with it the row's own backward error is
/// bounded.
template <class S>
BATCHWORK_INLINE S largest_pivot(S const& lower, S const& diagonal, S const& upper) {
  return S(growth_limit<scalar_t<S>>) * (Impl::abs(lower) + Impl::abs(diagonal) + Impl::abs(upper));
}
/// As pivot_reciprocal above; a pivot larger than `largest` is recorded as inaccurate.
template <class T>
BATCHWORK_INLINE T pivot_reciprocal(T pivot, T largest, int row, TridiagonalFailure& failure) {
  if (Kokkos::abs(pivot) > largest) failure.add_inaccurate(row);
  return pivot_reciprocal(pivot, 0, row, failure);
}

}  // namespace Batchwork::Impl

#endif
