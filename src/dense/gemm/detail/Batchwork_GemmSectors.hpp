// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of a gemm on devices where items are side by side in memory and none is shared, for
/// matrices beyond 16 rows or columns: see GemmSectorBlocks. A lane has a tile of 8 x 8 of an item.
/// Scratch is as the memory is, and neighbouring lanes have neighbouring items, so that C is stored
/// by whole sectors too.
#ifndef BATCHWORK_GEMMSECTORS_HPP
#define BATCHWORK_GEMMSECTORS_HPP

#include <cstdint>

#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "dense/gemm/detail/Batchwork_GemmSectorBlocks.hpp"

namespace Batchwork::Impl {

template <class T, int Items = 32 / int(sizeof(T)), int Stages = 2>
struct GemmSectors : GemmSectorBlocks<T, Items, 8, 8, 1, 1, Stages> {
  using Base = GemmSectorBlocks<T, Items, 8, 8, 1, 1, Stages>;
  using Base::items, Base::slab, Base::p, Base::across, Base::by_across;
  static constexpr int size = 8;
  using typename Base::BlockPosition;
  /// Of the lanes that registers allow, 128 each in float and 255 in double.
  static constexpr int largest_team = sizeof(T) == 4 ? 512 : 256, wanted_teams = 1;

  GemmSectors(GemmProblem<T> const& problem, std::int64_t concurrency, DeviceLimits const& limits)
      : Base(problem, largest_team, concurrency, limits) {}

  using Sums = T[size][size];
  static BATCHWORK_INLINE void clear(Sums& sums) {
    BATCHWORK_UNROLL
    for (int r = 0; r < size; ++r) {
      BATCHWORK_UNROLL
      for (int c = 0; c < size; ++c) sums[r][c] = 0;
    }
  }
  /// Multiplies a slab; the numbers of a term are read while the term before is multiplied.
  BATCHWORK_INLINE void multiply(Sums& sums, T const* a, T const* b) const {
    T x[2][size], y[2][size];
    auto const fetch = [&](int k) {
      BATCHWORK_UNROLL
      for (int r = 0; r < size; ++r) {
        x[k % 2][r] = a[r * items];
        y[k % 2][r] = b[r * items];
      }
      a += this->pitch_a();
      b += this->pitch_b();
    };
    fetch(0);
    BATCHWORK_UNROLL
    for (int k = 0; k < slab; ++k) {
      if (k + 1 < slab) fetch(k + 1);
      BATCHWORK_UNROLL
      for (int r = 0; r < size; ++r) {
        BATCHWORK_UNROLL
        for (int c = 0; c < size; ++c) sums[r][c] += x[k % 2][r] * y[k % 2][c];
      }
    }
  }
  BATCHWORK_INLINE void store(Sums const& sums, std::int64_t item, std::int64_t i0,
                              std::int64_t j0) const {
    if (item >= p.items) return;
    int const rows = Base::at_most(p.m - i0, size), cols = Base::at_most(p.n - j0, size);
    T* const first = p.c.data + item + i0 * p.c.row + j0 * p.c.col;
    auto const put = [&](auto const& number) {
      T* line = first;
      BATCHWORK_UNROLL
      for (int r = 0; r < size; ++r) {
        T* to = line;
        BATCHWORK_UNROLL
        for (int c = 0; c < size; ++c) {
          number(to, r, c);
          to += p.c.col;
        }
        line += p.c.row;
      }
    };
    if (rows == size && cols == size && p.beta == T(0)) {
      put([&](T* to, int r, int c) { *to = p.alpha * sums[r][c]; });
    } else {
      put([&](T* to, int r, int c) {
        if (r < rows && c < cols)
          *to = p.beta == T(0) ? p.alpha * sums[r][c] : p.alpha * sums[r][c] + p.beta * *to;
      });
    }
  }

  struct Copies {
    GemmSectors const& kernel;
    int rank;
    BlockPosition at;
    BATCHWORK_INLINE void begin(BlockPosition const& block) { at = block; }
    BATCHWORK_INLINE void slab(T* to, int k) const {
      kernel.copy_slab(to, at, k, Vendor::renewed(rank));
    }
  };

  template <class Member>
  BATCHWORK_INLINE void operator()(Member const& member) const {
    int const rank = Vendor::lane_rank(member), item = rank % items, tile = rank / items;
    int const tile_row = by_across.quotient(tile), tile_col = tile - tile_row * across;
    int const from_a = tile_row * Base::pitch_of_tile_a + item,
              from_b = slab * this->pitch_a() + tile_col * Base::pitch_of_tile_b + item;
    Sums sums;
    clear(sums);
    this->run(
        member, Copies{*this, rank, {}},
        [&](T const* staged) { multiply(sums, staged + from_a, staged + from_b); },
        [&](BlockPosition const& at, T*) {
          store(sums, at.item + item, at.row + tile_row * size, at.col + tile_col * size);
          clear(sums);
        });
  }
};

}  // namespace Batchwork::Impl

#endif
