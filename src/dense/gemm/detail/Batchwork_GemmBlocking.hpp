// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// How a gemm of small matrices is cut into tiles on a device: a pure function of the sizes.
#ifndef BATCHWORK_GEMMBLOCKING_HPP
#define BATCHWORK_GEMMBLOCKING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "dense/gemm/detail/Batchwork_GemmProblem.hpp"

namespace Batchwork::Impl {

/// What a thread computes: Rows x Cols numbers, apart from each other, so that any alignment suits.
template <int Rows, int Cols>
struct GemmTile {
  static constexpr int rows = Rows, cols = Cols;
  static constexpr int threads = 128;  ///< the largest team
  static constexpr int teams = 4;      ///< teams that a multiprocessor is to hold at once
};

enum class GemmTileKind { tiny, small };

template <GemmTileKind Kind>
using GemmTileOf = GemmTile<Kind == GemmTileKind::tiny ? 4 : 8, 4>;

constexpr std::int64_t gemm_round_up(std::int64_t x, std::int64_t to) {
  return (x + to - 1) / to * to;
}

/// A team's tile is `slots` items by rows x cols; its sums run over slabs of `slab` terms.
struct GemmBlocking {
  GemmTileKind kind = GemmTileKind::tiny;
  int rows = 0, cols = 0;
  int slots = 1;
  int slab = 1;
  int threads = 0;       ///< that compute
  int team = 0;          ///< that there are: whole warps
  bool keeps_a = false;  ///< A is staged once by a team, whatever the number of its tiles

  /// In scratch, a term's numbers of A (or B) are contiguous; the next term begins `pitch` numbers
  /// later. Where copies run along the terms, the pitch keeps them in different banks; where
  /// several items do, `between_slots` does.
  int pitch_a = 0, pitch_b = 0;
  int slot_a = 0, slot_b = 0;  ///< from one slot to the next one

  /// Numbers of a slab, in whole units of 16 bytes.
  BATCHWORK_INLINE int slab_a() const { return (slab * pitch_a + 3) / 4 * 4; }
  BATCHWORK_INLINE int slab_b() const { return (slab * pitch_b + 3) / 4 * 4; }
  /// One slab is multiplied while the other is copied.
  BATCHWORK_INLINE int numbers() const { return (keeps_a ? 1 : 2) * slab_a() + 2 * slab_b(); }
};

/// The smallest block, a multiple of `to`, that covers x in as many blocks as blocks of `most` do.
constexpr int gemm_balanced(std::int64_t x, std::int64_t most, int to) {
  std::int64_t const blocks = (x + most - 1) / most;
  return int(gemm_round_up((x + blocks - 1) / blocks, to));
}

/// Bytes of scratch for teams of small items, at most: several of them are to read, compute and
/// write at once.
inline constexpr std::size_t gemm_small_scratch_bytes = 34000;

/// The same where a multiprocessor may have less for the teams that are wanted. What aligning it
/// may take comes on top.
inline std::size_t gemm_small_scratch(DeviceLimits const& limits) {
  using Tile = GemmTileOf<GemmTileKind::small>;
  std::size_t const share = limits.scratch(Tile::teams, Tile::threads);
  return std::min(gemm_small_scratch_bytes, share > 16 ? share - 16 : 0);
}

/// \param a_along_k, b_along_k  the terms of a row of A, of a column of B, are side by side in
/// memory
/// \param bytes                 of scratch, at most
template <class T>
GemmBlocking choose_gemm_blocking(GemmProblem<T> const& p, bool a_along_k, bool b_along_k,
                                  std::size_t bytes) {
  GemmBlocking b;
  std::int64_t const largest = p.shared_a ? p.m : std::max(p.m, p.n);
  b.kind = largest <= 4 ? GemmTileKind::tiny : GemmTileKind::small;
  std::int64_t const k = std::max<std::int64_t>(p.k, 1);
  std::int64_t const columns = p.shared_a ? p.n * p.items : p.n;

  int const tile_rows = b.kind == GemmTileKind::tiny ? 4 : 8, tile_cols = 4;
  b.rows = gemm_balanced(p.m, 32, tile_rows);
  int const tiles_down = b.rows / tile_rows;
  int const most = p.shared_a && sizeof(T) == 4 ? 128 : 64;
  if (p.shared_a) {
    b.cols = int(
        std::min<std::int64_t>(most / tiles_down * tile_cols, gemm_round_up(columns, tile_cols)));
    b.threads = tiles_down * (b.cols / tile_cols);
  } else {
    b.cols = gemm_balanced(p.n, 32, tile_cols);
    int const tiles = tiles_down * (b.cols / tile_cols);
    b.slots = int(std::min<std::int64_t>(std::max(1, most / tiles), p.items));
    b.threads = tiles * b.slots;
  }
  // Four more keep the slots of small items in different banks, and copies of 16 bytes aligned.
  int const apart = b.slots > 1 ? 4 : 0;
  b.slot_a = b.rows + apart;
  b.slot_b = b.cols + apart;
  b.pitch_a = b.slots * b.slot_a + (a_along_k ? 1 : 0);
  b.pitch_b = b.slots * b.slot_b + (b_along_k ? 1 : 0);
  auto const fits = [&](std::int64_t slab) {
    b.slab = int(slab);
    b.keeps_a = p.shared_a && slab >= k && p.m <= b.rows;
    return std::size_t(b.numbers()) * sizeof(T) <= bytes || slab == 1;
  };
  // As few slabs as fit, equally long.
  for (std::int64_t slabs = (k + 31) / 32; !fits((k + slabs - 1) / slabs); ++slabs) {}
  b.team = int(gemm_round_up(b.threads, lanes_of_warp));
  return b;
}

}  // namespace Batchwork::Impl

#endif
