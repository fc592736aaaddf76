// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What solve_tridiagonal has to compute, as pointers and strides; and what is recorded of an item that fails.
#ifndef BATCHWORK_TRIDIAGONALPROBLEM_HPP
#define BATCHWORK_TRIDIAGONALPROBLEM_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>

#include "machine/Batchwork_Held.hpp"
#include "machine/Batchwork_Status.hpp"
#include "machine/Batchwork_Vendor.hpp"
#include "operand/Batchwork_Storage.hpp"
#include "verbs/Batchwork_TriangleProblem.hpp"

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

/// What is known of an item's failure: the smallest is the one that counts. Pivots are met in stages, those of a stage by
/// several lanes at once; what fails in a stage makes pivots of later ones fail, but none of the same or an earlier one.
struct TridiagonalFailure {
  static constexpr std::uint32_t none = ~std::uint32_t(0);
  static constexpr std::uint32_t of_result = none - 1;

  std::uint32_t first = none;

  BATCHWORK_INLINE void add(std::uint32_t other) {
    if (other < first) first = other;
  }
  /// Pivot number `row`, counted from 0, is bad.
  BATCHWORK_INLINE void add(int stage, int row, Reason reason) {
    add((std::uint32_t(stage) * most_tridiagonal_rows + std::uint32_t(row)) * 8 +
        std::uint32_t(reason));
  }
  BATCHWORK_INLINE std::int32_t code() const {
    if (first == none) return 0;
    if (first == of_result) return Status::code(Reason::not_finite, 0);
    return Status::code(Reason(first % 8), int(first / 8 % most_tridiagonal_rows) + 1);
  }
};

/// 1 / pivot. Where there is no such number it is NaN, which spreads to all of the item's results, and the failure is
/// recorded.
template <class T>
BATCHWORK_INLINE T pivot_reciprocal(T pivot, int stage, int row, TridiagonalFailure& failure) {
  T const size = Kokkos::abs(pivot);
  // Not so for NaN. The reciprocal of a smaller number may overflow.
  if (size >= std::numeric_limits<T>::min() && size <= std::numeric_limits<T>::max())
    return Vendor::reciprocal(pivot);
  failure.add(stage, row, is_finite(pivot) ? Reason::breakdown : Reason::not_finite);
  return std::numeric_limits<T>::quiet_NaN();
}

}  // namespace Batchwork::Impl

#endif
