// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// GemmSectors where a warp has a tile of 32 x 32 of an item, which it multiplies by matrix instructions. C goes through scratch, some
/// rows at once, so that it is stored by whole sectors too. Where chains_matrices.
#ifndef BATCHWORK_GEMMSECTORSBYMATRICES_HPP
#define BATCHWORK_GEMMSECTORSBYMATRICES_HPP

#include <cstdint>

#include "dense/gemm/detail/Batchwork_GemmFragments.hpp"
#include "dense/gemm/detail/Batchwork_GemmSectorBlocks.hpp"

namespace Batchwork::Impl {

template <class T>
struct GemmSectorsByMatrices : GemmSectorBlocks<T, 32 / int(sizeof(T)), 32, lanes_of_warp, 0, 1> {
  using Base = GemmSectorBlocks<T, 32 / int(sizeof(T)), 32, lanes_of_warp, 0, 1>;
  using Base::items, Base::size, Base::slab, Base::tile_pitch, Base::p, Base::across, Base::down,
      Base::by_across;
  using typename Base::BlockPosition;
  static constexpr int largest_team = 512, wanted_teams = 1;
  static constexpr double speed = 1.6;  ///< of GemmSectors
  static constexpr int lane_rows = 4, lane_cols = 8;
  /// Of 8 rows of a tile, in scratch: from a row to the next one.
  static constexpr int row_pitch = size * items + 1;

  GemmSectorsByMatrices(GemmProblem<T> const& problem, std::int64_t concurrency,
                        DeviceLimits const& limits)
      : Base(problem, largest_team, concurrency, limits) {}

  using Sums = T[lane_rows][lane_cols];
  static BATCHWORK_INLINE void clear(Sums& sums) {
    BATCHWORK_UNROLL
    for (int r = 0; r < lane_rows; ++r) {
      BATCHWORK_UNROLL
      for (int c = 0; c < lane_cols; ++c) sums[r][c] = 0;
    }
  }
  BATCHWORK_INLINE void multiply(Sums& sums, T const* a, T const* b) const {
    int const pitch_a = this->pitch_a(), pitch_b = this->pitch_b();
    BATCHWORK_UNROLL
    for (int k = 0; k < slab; k += terms_of_fragments)
      multiply_fragments(
          sums, [&](int r, int f) { return a[(k + 4 * f) * pitch_a + r * 8 * items]; },
          [&](int c, int f) { return b[(k + 4 * f) * pitch_b + c * 8 * items]; });
  }
  /// 8 rows of every tile at once.
  template <class Member>
  BATCHWORK_INLINE void store(Member const& member, Sums const& sums, BlockPosition const& at,
                              T* scratch) const {
    int const rank = Vendor::lane_rank(member), lane = rank % lanes_of_warp,
              warp = rank / lanes_of_warp;
    // Of the columns of 8 the even ones stand first: lanes then write to different banks.
    T* const to =
        scratch + (warp / items * 8 + lane / 4) * row_pitch + lane % 4 * items + warp % items;
    int const count = down * across * 8 * size * items;
    BATCHWORK_UNROLL
    for (int r = 0; r < lane_rows; ++r) {
      member.team_barrier();
      BATCHWORK_UNROLL
      for (int c = 0; c < lane_cols; ++c)
        to[(c / 2 * 8 + c % 2 * 4) * items] = p.alpha * sums[r][c];
      member.team_barrier();
      BATCHWORK_KEEP_LOOP
      for (int u = rank; u < count; u += this->team()) {
        int const item = u % items, place = u / items % size, row = u / (items * size);
        int const tile = row / 8, down_of = by_across.quotient(tile),
                  col = place / 8 * 8 + place % 4 * 2 + place / 4 % 2;
        std::int64_t const n = at.item + item, i = at.row + down_of * size + r * 8 + row % 8,
                           j = at.col + (tile - down_of * across) * size + col;
        if (n >= p.items || i >= p.m || j >= p.n) continue;
        T* const c = p.c.data + n + i * p.c.row + j * p.c.col;
        T const x = scratch[row * row_pitch + place * items + item];
        *c = p.beta == T(0) ? x : x + p.beta * *c;
      }
    }
  }

  template <class Member>
  BATCHWORK_INLINE void operator()(Member const& member) const {
    int const rank = Vendor::lane_rank(member), lane = rank % lanes_of_warp,
              warp = rank / lanes_of_warp;
    int const item = warp % items, tile = warp / items;
    int const tile_row = by_across.quotient(tile), tile_col = tile - tile_row * across;
    int const from_a = tile_row * tile_pitch + item + lane % 4 * this->pitch_a() + lane / 4 * items;
    int const from_b = slab * this->pitch_a() + tile_col * tile_pitch + item +
                       lane % 4 * this->pitch_b() + lane / 4 * items;
    Sums sums;
    clear(sums);
    this->run(
        member, [&](T const* staged) { multiply(sums, staged + from_a, staged + from_b); },
        [&](BlockPosition const& at, T* scratch) {
          store(member, sums, at, scratch);
          clear(sums);
        });
  }
};

}  // namespace Batchwork::Impl

#endif
