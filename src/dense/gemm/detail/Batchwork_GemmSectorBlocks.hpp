// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What the kernels of a gemm share on devices where items are side by side in memory and none is shared. A team computes blocks of
/// C of some neighbouring items, as many as a sector of memory has at least. Slabs of A and B are staged in scratch, whole sectors,
/// the next one while this one is multiplied.
#ifndef BATCHWORK_GEMMSECTORBLOCKS_HPP
#define BATCHWORK_GEMMSECTORBLOCKS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/detail/Batchwork_QuickDivisor.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_Vendor.hpp"
#include "dense/gemm/detail/Batchwork_GemmProblem.hpp"

namespace Batchwork::Impl {

/// \tparam Items   of a team
/// \tparam Size    rows and columns of a tile
/// \tparam Lanes   that compute a tile of an item
/// \tparam PadTile  lines that are left free behind a tile, so that lanes with different tiles read different banks
/// \tparam PadTerm  numbers that are left free behind a term, so that lanes with different terms do
template <class T, int Items, int Size, int Lanes, int PadTile, int PadTerm>
struct GemmSectorBlocks {
  static constexpr int items = Items, size = Size;
  static constexpr int wide = PadTerm == 0 ? 16 / int(sizeof(T)) : 1;  ///< numbers copied at once
  static constexpr int slab = 8;                                       ///< terms staged at once
  static constexpr int tile_pitch = (Size + PadTile) * Items;
  /// Numbers of a tile that are in scratch at once on the way to C, where lanes give them to each other.
  static constexpr int to_store = Lanes > 1 ? 8 * (Size * Items + 1) : 0;

  GemmProblem<T> p;
  int down = 1, across = 1;  ///< tiles of a block
  bool copies_wide = false;
  QuickDivisor by_across, by_rows, by_cols;
  std::int64_t row_blocks = 1, col_blocks = 1, blocks = 0;
  int rounds = 1;  ///< blocks of a team
  double cost =
      0;  ///< of an item, in numbers of C that are computed; 0 where no block fits the device

  /// A block of the tiles with the least to compute and to copy that keep lanes and multiprocessors busy.
  GemmSectorBlocks(GemmProblem<T> const& problem, int largest_team, std::int64_t concurrency,
                   DeviceLimits const& limits)
      : p(problem) {
    auto const whole = [](GemmSide<T const> const& s) {
      return s.row % wide == 0 && s.col % wide == 0 &&
             reinterpret_cast<std::uintptr_t>(s.data) % (wide * sizeof(T)) == 0;
    };
    copies_wide = p.items % wide == 0 && whole(p.a) && whole(p.b);
    int best_down = 1, best_across = 1;
    for (int d = 1; d <= 8; ++d) {
      for (int a = 1; a <= 8; ++a) {
        set_block(d, a);
        if (team() > largest_team || !limits.holds(1, team(), bytes())) continue;
        double const next = cost_of_block(largest_team, concurrency, limits);
        if (cost != 0 && next >= cost) continue;
        cost = next;
        best_down = d;
        best_across = a;
      }
    }
    set_block(best_down, best_across);
    // As many teams as the device holds at once, whose copies then never pause.
    if (limits.lanes_of_multiprocessor > 1 << 20) return;
    std::int64_t const all =
        std::max<std::int64_t>(1, concurrency / limits.lanes_of_multiprocessor) *
        teams_at_once(largest_team, limits);
    rounds = int(std::min<std::int64_t>((blocks + all - 1) / all, 1 << 20));
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
  BATCHWORK_INLINE int team() const { return items * down * across * Lanes; }
  std::int64_t teams() const { return (blocks + rounds - 1) / rounds; }
  BATCHWORK_INLINE int pitch_a() const { return down * tile_pitch + PadTerm; }
  BATCHWORK_INLINE int pitch_b() const { return across * tile_pitch + PadTerm; }
  /// One slab is multiplied while the other is copied.
  BATCHWORK_INLINE int stage() const {
    int const slabs = slab * (pitch_a() + pitch_b()), stored = down * across * to_store;
    return slabs > stored ? slabs : stored;
  }
  std::size_t bytes() const { return std::size_t(2 * stage()) * sizeof(T) + 16; }

  /// On a multiprocessor that has the registers for a largest team.
  int teams_at_once(int largest_team, DeviceLimits const& limits) const {
    int const lanes = (team() + lanes_of_warp - 1) / lanes_of_warp * lanes_of_warp;
    int there = std::max(1, largest_team / lanes);
    while (there > 1 && !limits.holds(there, lanes, bytes())) --there;
    return there;
  }
  double cost_of_block(int largest_team, std::int64_t concurrency,
                       DeviceLimits const& limits) const {
    int const there = teams_at_once(largest_team, limits);
    double const busy = double(there * team()) / largest_team;
    double const filled =
        std::min(1.0, double(blocks) * team() * 2048 / (double(concurrency) * largest_team));
    return double(row_blocks * down * size) * double(col_blocks * across * size) *
           (1 + 4.0 / (down * size) + 4.0 / (across * size)) / (std::min(1.0, 0.3 + busy) * filled);
  }

  struct BlockPosition {
    std::int64_t item, row, col;
  };
  BATCHWORK_INLINE BlockPosition position_of(std::int64_t block) const {
    std::int64_t const rest = block / row_blocks, group = rest / col_blocks;
    return {group * items, (block - rest * row_blocks) * down * size,
            (rest - group * col_blocks) * across * size};
  }
  static BATCHWORK_INLINE int at_most(std::int64_t there, int most) {
    return there < most ? int(there) : most;
  }

  /// Copies some terms of the lines of a block; what is not there is zero.
  template <int Numbers>
  BATCHWORK_INLINE void copy(T* to, T const* from, std::int64_t line_stride,
                             std::int64_t term_stride, int lines, QuickDivisor const& by_lines,
                             int lines_there, int terms_there, int items_there, int pitch,
                             int thread) const {
    constexpr int parts = items / Numbers;
    int const count = slab * lines * parts, step = team();
    BATCHWORK_KEEP_LOOP
    for (int u = thread; u < count; u += step) {
      int const part = u % parts * Numbers, q = u / parts;
      int const term = by_lines.quotient(q), line = q - term * lines;
      Vendor::copy_async<Numbers* int(sizeof(T))>(
          to + term * pitch + (line + line / size * PadTile) * items + part,
          from + part + line * line_stride + term * term_stride,
          line < lines_there && term < terms_there && part < items_there);
    }
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
    if (wide > 1 && copies_wide) copy_slab<wide>(to, at, k0, thread);
    else copy_slab<1>(to, at, k0, thread);
  }

  /// Runs multiply(slab) for the slabs of the team's blocks in turn and store(position, slab) after the last one of a block, when the
  /// scratch of that slab is free once all have met.
  template <class Member, class Multiply, class Store>
  BATCHWORK_INLINE void run(Member const& member, Multiply const& multiply,
                            Store const& store) const {
    T* const scratch = static_cast<T*>(
        member.team_scratch(0).get_shmem_aligned(std::size_t(2 * stage()) * sizeof(T), 16));
    int const rank = Vendor::lane_rank(member);
    // Neighbouring teams are at neighbouring blocks all the time: their sectors are neighbours.
    std::int64_t block = member.league_rank(), k = 0;
    BlockPosition next = position_of(block);
    copy_slab(scratch, next, 0, rank);
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
      multiply(scratch + buffer);
      if (last) {
        store(here, scratch + buffer);
        if (block >= blocks) return;
      }
      buffer = stage() - buffer;
    }
  }
};

/// Whether an item is large enough to be shared by lanes, and has terms enough to be worth staging.
template <class T>
bool gemm_suits_sectors(GemmProblem<T> const& p) {
  return p.items >= 32 / int(sizeof(T)) && std::max(p.m, p.n) > 16 && std::min(p.m, p.n) >= 8 &&
         p.k >= 16;
}

}  // namespace Batchwork::Impl

#endif
