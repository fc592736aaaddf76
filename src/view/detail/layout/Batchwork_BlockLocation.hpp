// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// BlockLocation: the memory of an operand whose items are blocks of time of longer series.
#ifndef BATCHWORK_BLOCK_LOCATION_HPP
#define BATCHWORK_BLOCK_LOCATION_HPP

#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"

namespace Batchwork::Impl {

/// Item s * blocks + b is block b of series s. All strides count numbers. T may be const.
template <class T, class Sh>
struct BlockLocation {
  using value_type = T;
  using shape = Sh;
  static constexpr bool lanes_are_neighbours = false;
  T* data;
  std::uint32_t blocks;
  std::int64_t series, block, time, row, col;

  BATCHWORK_INLINE T* at(std::int64_t item, std::int64_t t) const {
    // 32 bits: a quotient of 64 bits takes a device five times as long.
    std::uint32_t const i = std::uint32_t(item), s = i / blocks;
    return data + s * series + (i - s * blocks) * block + t * time;
  }
  BATCHWORK_INLINE std::int64_t offset(int i, int j) const {
    return Sh::rank == 2 ? i * row + j * col : i * row;
  }
  BATCHWORK_INLINE bool adjacent(std::int64_t, int) const { return false; }
};

}  // namespace Batchwork::Impl

#endif
