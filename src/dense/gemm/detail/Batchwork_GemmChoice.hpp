// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Which kernel runs gemm on a device. Their own headers choose the blocks of GemmBlocks
/// (choose_gemm_block), of GemmTiles (choose_gemm_blocking) and of GemmSectors.
#ifndef BATCHWORK_GEMMCHOICE_HPP
#define BATCHWORK_GEMMCHOICE_HPP

#include <algorithm>
#include <cstdint>

#include "dense/gemm/detail/Batchwork_GemmProblem.hpp"

namespace Batchwork::Impl {

enum class GemmKernel { by_sectors, by_large_lanes, by_lanes, by_warps, by_blocks, by_tiles };

/// GemmSectors: whether an item is large enough to be shared by lanes, and has terms enough to be
/// worth staging.
template <class T>
bool gemm_suits_sectors(GemmProblem<T> const& p) {
  return p.items >= 32 / int(sizeof(T)) && std::max(p.m, p.n) > 16 && std::min(p.m, p.n) >= 8 &&
         p.k >= 16;
}
/// GemmLanes: whether lanes have the registers for tiles of 8 x 8, and matrices the numbers: half
/// the reads of tiles of 4 x 4.
template <class T>
bool gemm_suits_large_lanes(GemmProblem<T> const& p) {
  return sizeof(T) == 4 && std::min(p.m, p.n) >= 8 && std::max(p.m, p.n) > 16;
}
/// Rows, columns and terms of an item of a warp at most.
inline constexpr int gemm_rows_of_warp = 32;
/// GemmWarps: whether items are contiguous runs, and not of whole units of 16 bytes, which are
/// copied as well to where they are better read.
template <class T>
bool gemm_suits_warps(GemmProblem<T> const& p) {
  constexpr int size = gemm_rows_of_warp, wide = 16 / int(sizeof(T));
  bool const one = p.shared_a && p.items == 1 && p.b.begins == nullptr;
  if (p.m > size || p.k > size || (p.n > size && !one) || std::max(p.m, p.n) <= 16) return false;
  if (p.m % wide == 0 && p.k % wide == 0 && (one || p.n % wide == 0)) return false;
  auto const is_run = [](std::int64_t row, std::int64_t col, std::int64_t rows, std::int64_t cols) {
    return (col == 1 && row == cols) || (row == 1 && col == rows);
  };
  // The columns of an item are a run if they are contiguous.
  if (p.n > size && (p.b.row != 1 || p.c.row != 1)) return false;
  return is_run(p.a.row, p.a.col, p.m, p.k) && is_run(p.b.row, p.b.col, p.k, p.n) &&
         is_run(p.c.row, p.c.col, p.m, p.n);
}
/// GemmBlocks: whether products are large enough. Smaller ones are, if many terms of a column are
/// to be transposed on the way.
template <class T>
bool gemm_suits_blocks(GemmProblem<T> const& p) {
  if (p.shared_a) return p.m > 16 || (p.k > 16 && p.b.row < p.b.col);
  return std::max(p.m, p.n) > 16;
}

/// The kernel for a product that is arranged_for_device.
/// \param fixed  A comes with the launch
template <class T>
GemmKernel choose_gemm(GemmProblem<T> const& p, bool fixed) {
  if (fixed) return GemmKernel::by_tiles;
  bool const interleaved = !p.shared_a && p.items > 1 && p.c.begins == nullptr && p.c.item == 1 &&
                           p.a.item == 1 && p.b.item == 1;
  if (interleaved)
    return gemm_suits_sectors(p)       ? GemmKernel::by_sectors
           : gemm_suits_large_lanes(p) ? GemmKernel::by_large_lanes
                                       : GemmKernel::by_lanes;
  return gemm_suits_warps(p)    ? GemmKernel::by_warps
         : gemm_suits_blocks(p) ? GemmKernel::by_blocks
                                : GemmKernel::by_tiles;
}

}  // namespace Batchwork::Impl

#endif
