// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// How a gemm is cut into tiles on a device: a pure function of the sizes.
#ifndef BATCHWORK_GEMMBLOCKING_HPP
#define BATCHWORK_GEMMBLOCKING_HPP

#include <algorithm>
#include <cstdint>

#include "verbs/Batchwork_GemmProblem.hpp"

namespace Batchwork::Impl {

/// What a thread computes: Rows x Cols numbers, in runs of Run neighbours that it reads at once from scratch. Large
/// tiles feed more multiply-adds with a number read (Volkov and Demmel 2008); runs of one suit any alignment.
/// Slab > 0: that many terms of the sums are staged at once, and their loop is unrolled.
template <int Rows, int Cols, int Run, int Slab, int Threads, int Teams>
struct GemmTile {
  static constexpr int rows = Rows, cols = Cols, run = Run, slab = Slab;
  static constexpr int threads = Threads;  ///< the largest team
  static constexpr int teams = Teams;      ///< teams that a multiprocessor is to hold at once
};

enum class GemmTileKind { tiny, small, large };

template <class T, GemmTileKind Kind>
struct GemmTileOf;
template <class T>
struct GemmTileOf<T, GemmTileKind::tiny> {
  using type = GemmTile<4, 4, 1, 0, 128, 4>;
};
template <class T>
struct GemmTileOf<T, GemmTileKind::small> {
  using type = GemmTile<8, 4, 1, 0, 128, 4>;
};
template <>
struct GemmTileOf<float, GemmTileKind::large> {
  using type = GemmTile<8, 8, 4, 8, 192, 2>;
};
template <>
struct GemmTileOf<double, GemmTileKind::large> {
  using type = GemmTile<8, 4, 2, 8, 192, 2>;
};

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
  int team = 0;          ///< that there are: a multiple of 32
  bool keeps_a = false;  ///< A is staged once by a team, whatever the number of its tiles

  /// In scratch, a term's numbers of A (or B) are side by side, those of the next term `pitch` further on. Where copies
  /// run along the terms, the pitch keeps them in different banks; where several items do, `between_slots` does.
  int pitch_a = 0, pitch_b = 0;
  int slot_a = 0, slot_b = 0;  ///< from one slot to the next one

  /// Numbers of a slab, in whole units of 16 bytes.
  BATCHWORK_INLINE int slab_a() const { return (slab * pitch_a + 3) / 4 * 4; }
  BATCHWORK_INLINE int slab_b() const { return (slab * pitch_b + 3) / 4 * 4; }
  /// One slab is multiplied while the other is copied.
  BATCHWORK_INLINE int numbers() const { return (keeps_a ? 1 : 2) * slab_a() + 2 * slab_b(); }
};

/// The smallest block, a multiple of `to`, of which as many cover x as do of blocks of `most`.
constexpr int gemm_balanced(std::int64_t x, std::int64_t most, int to) {
  std::int64_t const blocks = (x + most - 1) / most;
  return int(gemm_round_up((x + blocks - 1) / blocks, to));
}

/// Bytes of scratch for teams of small items: several of them are to read, compute and write at once.
inline constexpr int gemm_small_scratch_bytes = 34000;

/// Blocks of a large product: little padding beyond the edges, few idle threads, and large enough that what is staged is
/// used often.
template <class Tile>
void choose_large_blocks(GemmBlocking& b, std::int64_t m, std::int64_t columns) {
  double best = 1e30;
  for (std::int64_t rows_at_most = 32; rows_at_most <= 128; rows_at_most += 16) {
    for (std::int64_t cols_at_most = 32; cols_at_most <= 256; cols_at_most += 32) {
      int const rows = gemm_balanced(m, rows_at_most, Tile::rows);
      int const cols = gemm_balanced(columns, cols_at_most, std::max(Tile::cols, 8));
      int const threads = rows / Tile::rows * (cols / Tile::cols);
      if (threads > Tile::threads) continue;
      double const team = double(gemm_round_up(threads, 32));
      double const padding = double(gemm_round_up(m, rows)) / double(m) *
                             double(gemm_round_up(columns, cols)) / double(columns);
      double const small_team = team < 64 ? 1.3 : 1;
      double const cost = padding * team / threads * small_team * (1 + 12.0 / rows + 12.0 / cols);
      if (cost < best) {
        best = cost;
        b.rows = rows;
        b.cols = cols;
        b.threads = threads;
      }
    }
  }
}

/// \param a_along_k, b_along_k  the terms of a row of A, of a column of B, are side by side in memory
template <class T>
GemmBlocking choose_gemm_blocking(GemmProblem<T> const& p, bool a_along_k, bool b_along_k,
                                  bool never_large = false) {
  GemmBlocking b;
  std::int64_t const largest = p.shared_a ? p.m : std::max(p.m, p.n);
  b.kind = largest <= 4                   ? GemmTileKind::tiny
           : largest <= 32 || never_large ? GemmTileKind::small
                                          : GemmTileKind::large;
  std::int64_t const k = std::max<std::int64_t>(p.k, 1);
  std::int64_t const columns = p.shared_a ? p.n * p.items : p.n;

  if (b.kind == GemmTileKind::large) {
    using Tile = typename GemmTileOf<T, GemmTileKind::large>::type;
    choose_large_blocks<Tile>(b, p.m, columns);
    b.slab = Tile::slab;
    // Runs of four must stay aligned; copies along the terms then meet in no bank.
    b.slot_a = b.rows;
    b.slot_b = b.cols;
    b.pitch_a = a_along_k ? int(gemm_round_up(b.rows, 32)) + 4 : b.rows;
    b.pitch_b = b_along_k ? int(gemm_round_up(b.cols, 32)) + 4 : b.cols;
  } else {
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
      return b.numbers() * int(sizeof(T)) <= gemm_small_scratch_bytes;
    };
    // As few slabs as fit, equally long.
    for (std::int64_t slabs = (k + 31) / 32; !fits((k + slabs - 1) / slabs); ++slabs) {}
  }
  b.team = int(gemm_round_up(b.threads, 32));
  return b;
}

}  // namespace Batchwork::Impl

#endif
