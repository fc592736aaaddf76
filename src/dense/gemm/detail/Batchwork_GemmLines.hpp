// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What lines a tile of a gemm is made of: a matter of arithmetic.
#ifndef BATCHWORK_GEMMLINES_HPP
#define BATCHWORK_GEMMLINES_HPP

#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_QuickDivisor.hpp"
#include "dense/gemm/detail/Batchwork_GemmProblem.hpp"

namespace Batchwork::Impl {

/// Line number x of a tile: a row of A, or a column of B and C.
struct GemmLine {
  std::int64_t item, index;
  int slot;
  bool valid;
};

/// The lines of a tile: from `start` on in item `item`; after `period` lines the next item begins.
struct GemmLines {
  std::int64_t item, start, period, extent, items;
  QuickDivisor by_period;
  bool wraps;  ///< `period` is small enough for the divisor; else a tile has lines of two items at
               ///< most

  BATCHWORK_INLINE GemmLine at(int x) const {
    std::int64_t const y = start + x;
    int const past = wraps ? by_period.quotient(int(y)) : y >= period ? 1 : 0;
    std::int64_t const index = y - past * period;
    return {item + past, index, past, index < extent && item + past < items};
  }
};
/// The largest period for which the divisor is exact, with room for the lines of a tile.
inline constexpr std::int64_t gemm_largest_period = 32768;

/// Whether runs of 16 bytes along an index of stride `along` are aligned and never straddle items.
template <class T>
bool gemm_aligned(GemmSide<T> const& side, std::int64_t along, std::int64_t other,
                  std::int64_t extent) {
  constexpr std::int64_t wide = 16 / sizeof(T);
  return side.begins == nullptr && along == 1 && extent % wide == 0 && other % wide == 0 && side.item % wide == 0 &&
         reinterpret_cast<std::uintptr_t>(side.data) % 16 == 0;
}

}  // namespace Batchwork::Impl

#endif
