// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of a gemm on devices where items are side by side in memory and none is shared, for matrices beyond 16 rows or
/// columns. A team computes blocks of C of as many neighbouring items as a sector of memory has, a lane a tile of 8 x 8 of one of
/// them. Slabs of A and B are staged in scratch as they are in memory, whole sectors, the next one while this one is multiplied;
/// neighbouring lanes have neighbouring items, so that C is stored by whole sectors too.
#ifndef BATCHWORK_GEMMSECTORS_HPP
#define BATCHWORK_GEMMSECTORS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/detail/Batchwork_QuickDivisor.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_Vendor.hpp"
#include "dense/gemm/detail/Batchwork_GemmProblem.hpp"

namespace Batchwork::Impl {

template <class T>
struct GemmSectors {
  static constexpr int items = 32 / int(sizeof(T));  ///< of a team
  static constexpr int wide = 16 / int(sizeof(T));   ///< numbers that are copied at once
  static constexpr int size = 8;                     ///< rows and columns of a lane's tile
  static constexpr int slab = 8;                     ///< terms that are staged at once
  /// Of the lanes that registers allow, 128 each in float and 255 in double.
  static constexpr int largest_team = sizeof(T) == 4 ? 512 : 256, wanted_teams = 1;
  /// From a tile's lines to those of the next tile; one line more, so that lanes with different tiles read different banks.
  static constexpr int tile_pitch = (size + 1) * items;

  GemmProblem<T> p;
  int down = 1, across = 1;  ///< tiles of a block
  bool copies_wide = false;
  QuickDivisor by_across, by_rows, by_cols;
  std::int64_t row_blocks = 1, col_blocks = 1, blocks = 0;
  int rounds = 1;  ///< blocks of a team

  /// A block of the tiles with the least to compute and to copy that keep lanes and multiprocessors busy.
  GemmSectors(GemmProblem<T> const& problem, std::int64_t concurrency, DeviceLimits const& limits)
      : p(problem) {
    auto const whole = [](GemmSide<T const> const& s) {
      return s.row % wide == 0 && s.col % wide == 0 &&
             reinterpret_cast<std::uintptr_t>(s.data) % 16 == 0;
    };
    copies_wide = p.items % wide == 0 && whole(p.a) && whole(p.b);
    double least = 0;
    int best_down = 1, best_across = 1;
    for (int d = 1; d <= 8; ++d) {
      for (int a = 1; a <= 8; ++a) {
        set_block(d, a);
        if (team() > largest_team || bytes() > limits.scratch_of_team) continue;
        double const cost = cost_of_block(concurrency, limits);
        if (least != 0 && cost >= least) continue;
        least = cost;
        best_down = d;
        best_across = a;
      }
    }
    set_block(best_down, best_across);
    std::int64_t const full = std::max<std::int64_t>(1, concurrency * items / (16 * team()));
    rounds = int(std::clamp<std::int64_t>(blocks / full, 1, 8));
  }
  void set_block(int d, int a) {
    down = d;
    across = a;
    by_across = QuickDivisor(a);
    by_rows = QuickDivisor(d * size);
    by_cols = QuickDivisor(a * size);
    row_blocks = (p.m + d * size - 1) / (d * size);
    col_blocks = (p.n + a * size - 1) / (a * size);
    blocks = row_blocks * col_blocks * ((p.items + items - 1) / items);
  }
  int team() const { return items * down * across; }
  std::int64_t teams() const { return (blocks + rounds - 1) / rounds; }
  BATCHWORK_INLINE int pitch_a() const { return down * tile_pitch; }
  BATCHWORK_INLINE int pitch_b() const { return across * tile_pitch; }
  BATCHWORK_INLINE int stage() const { return slab * (pitch_a() + pitch_b()); }
  /// One slab is multiplied while the other is copied.
  std::size_t bytes() const { return std::size_t(2 * stage()) * sizeof(T) + 16; }

  /// Tiles that are computed, more where there is much to copy for each or lanes are left idle.
  double cost_of_block(std::int64_t concurrency, DeviceLimits const& limits) const {
    int const lanes = (team() + lanes_of_warp - 1) / lanes_of_warp * lanes_of_warp;
    int there = std::max(1, largest_team / lanes);
    while (there > 1 && !limits.holds(there, lanes, bytes())) --there;
    double const busy = double(there * team()) / largest_team;
    double const filled =
        std::min(1.0, double(blocks) * team() * 2048 / (double(concurrency) * largest_team));
    return double(row_blocks * down) * double(col_blocks * across) *
           (1 + 0.5 / down + 0.5 / across) / (std::min(1.0, 0.3 + busy) * filled);
  }

  struct BlockPosition {
    std::int64_t item, row, col;
  };
  BATCHWORK_INLINE BlockPosition position_of(std::int64_t block) const {
    std::int64_t const rest = block / row_blocks, group = rest / col_blocks;
    return {group * items, (block - rest * row_blocks) * down * size,
            (rest - group * col_blocks) * across * size};
  }

  /// Copies some terms of the lines of a block; what is not there is zero.
  template <int Numbers>
  BATCHWORK_INLINE void copy(T* to, T const* from, std::int64_t line_stride,
                             std::int64_t term_stride, int lines, QuickDivisor const& by_lines,
                             int lines_there, int terms_there, int items_there, int pitch,
                             int thread) const {
    constexpr int parts = items / Numbers;
    int const count = slab * lines * parts, step = team_lanes();
    BATCHWORK_KEEP_LOOP
    for (int u = thread; u < count; u += step) {
      int const part = u % parts * Numbers, q = u / parts;
      int const term = by_lines.quotient(q), line = q - term * lines;
      Vendor::copy_async<Numbers* int(sizeof(T))>(
          to + term * pitch + (line + line / size) * items + part,
          from + part + line * line_stride + term * term_stride,
          line < lines_there && term < terms_there && part < items_there);
    }
  }
  BATCHWORK_INLINE int team_lanes() const { return items * down * across; }
  BATCHWORK_INLINE static int at_most(std::int64_t there, int most) {
    return there < most ? int(there) : most;
  }
  template <int Numbers>
  BATCHWORK_INLINE void copy_slab(T* to, BlockPosition const& at, std::int64_t k0,
                                  int thread) const {
    int const terms = at_most(p.k - k0, slab), there = at_most(p.items - at.item, items);
    int const rows = down * size, cols = across * size;
    copy<Numbers>(to, p.a.data + at.item + at.row * p.a.row + k0 * p.a.col, p.a.row, p.a.col, rows,
                  by_rows, at_most(p.m - at.row, rows), terms, there, pitch_a(), thread);
    copy<Numbers>(to + slab * pitch_a(), p.b.data + at.item + at.col * p.b.col + k0 * p.b.row,
                  p.b.col, p.b.row, cols, by_cols, at_most(p.n - at.col, cols), terms, there,
                  pitch_b(), thread);
  }
  BATCHWORK_INLINE void copy_slab(T* to, BlockPosition const& at, std::int64_t k0,
                                  int thread) const {
    if (copies_wide) copy_slab<wide>(to, at, k0, thread);
    else copy_slab<1>(to, at, k0, thread);
  }

  using Sums = T[size][size];
  /// A slab; the numbers of a term are read while those of the one before are multiplied.
  BATCHWORK_INLINE void multiply(Sums& sums, T const* a, T const* b) const {
    T x[2][size], y[2][size];
    auto const fetch = [&](int k) {
      BATCHWORK_UNROLL
      for (int r = 0; r < size; ++r) {
        x[k % 2][r] = a[r * items];
        y[k % 2][r] = b[r * items];
      }
      a += pitch_a();
      b += pitch_b();
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
    int const rows = at_most(p.m - i0, size), cols = at_most(p.n - j0, size);
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
  static BATCHWORK_INLINE void clear(Sums& sums) {
    BATCHWORK_UNROLL
    for (int r = 0; r < size; ++r) {
      BATCHWORK_UNROLL
      for (int c = 0; c < size; ++c) sums[r][c] = 0;
    }
  }

  template <class Member>
  BATCHWORK_INLINE void operator()(Member const& member) const {
    T* const scratch = static_cast<T*>(
        member.team_scratch(0).get_shmem_aligned(std::size_t(2 * stage()) * sizeof(T), 16));
    int const rank = Vendor::lane_rank(member);
    int const item = rank % items, tile = rank / items;
    int const tile_row = by_across.quotient(tile), tile_col = tile - tile_row * across;
    int const from_a = tile_row * tile_pitch + item,
              from_b = slab * pitch_a() + tile_col * tile_pitch + item;

    // Neighbouring teams are at neighbouring blocks all the time: their sectors are neighbours.
    std::int64_t block = member.league_rank(), k = 0;
    BlockPosition next = position_of(block);
    copy_slab(scratch, next, 0, rank);
    Sums sums;
    clear(sums);
    int buffer = 0;
    BATCHWORK_KEEP_LOOP
    while (true) {
      BlockPosition const here = next;
      k += slab;
      bool const last = k >= p.k;
      if (last) {
        k = 0;
        block += member.league_size();
        next = position_of(block);
      }
      Vendor::wait_for_copies();
      // What was copied is there for all, and all are done with the buffer that is filled next.
      member.team_barrier();
      if (block < blocks) copy_slab(scratch + (stage() - buffer), next, k, Vendor::renewed(rank));
      multiply(sums, scratch + buffer + from_a, scratch + buffer + from_b);
      if (last) {
        store(sums, here.item + item, here.row + tile_row * size, here.col + tile_col * size);
        if (block >= blocks) return;
        clear(sums);
      }
      buffer = stage() - buffer;
    }
  }
};

/// Whether an item is large enough to be shared by lanes, and has terms enough to be worth staging.
template <class T>
bool gemm_suits_sectors(GemmProblem<T> const& p) {
  return p.items >= GemmSectors<T>::items && std::max(p.m, p.n) > 16 && std::min(p.m, p.n) >= 8 &&
         p.k >= 16;
}

}  // namespace Batchwork::Impl

#endif
