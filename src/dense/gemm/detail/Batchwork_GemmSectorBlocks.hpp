// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What the kernels of a gemm share on devices where items are side by side in memory and none is
/// shared. A team computes blocks of C of some neighbouring items, as many as a sector of memory
/// has at least. Slabs of A and B are staged in scratch, whole sectors, the next one while this one
/// is multiplied.
#ifndef BATCHWORK_GEMMSECTORBLOCKS_HPP
#define BATCHWORK_GEMMSECTORBLOCKS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_QuickDivisor.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "dense/gemm/detail/Batchwork_GemmProblem.hpp"

namespace Batchwork::Impl {

/// \tparam Items   of a team
/// \tparam Rows    of a tile
/// \tparam Cols    of a tile
/// \tparam Lanes   for each item of a tile
/// \tparam Pad     lines that are left free behind a tile, so that lanes with different tiles read
/// different banks
/// \tparam Stages  slabs in scratch: one is multiplied while the others are copied
template <class T, int Items, int Rows, int Cols, int Lanes, int Pad, int Stages>
struct GemmSectorBlocks {
  static constexpr int items = Items, tile_rows = Rows, tile_cols = Cols, stages = Stages;
  static constexpr int wide = 16 / int(sizeof(T));  ///< numbers copied at once
  static constexpr int slab = 8;                    ///< terms staged at once
  static constexpr int pitch_of_tile_a = (Rows + Pad) * Items,
                       pitch_of_tile_b = (Cols + Pad) * Items;
  /// Numbers of a tile that are in scratch at once on the way to C, where lanes give them to each
  /// other.
  static constexpr int to_store = Lanes > 1 ? 8 * Cols* Items : 0;

  GemmProblem<T> p;
  int down = 1, across = 1;  ///< tiles of a block
  int stage = 0;             ///< numbers of a slab in scratch
  bool copies_wide = false, stores_wide = false;
  QuickDivisor by_across;
  std::int64_t row_blocks = 1, col_blocks = 1, blocks = 0;
  int rounds = 1;  ///< blocks of a team
  double cost =
      0;  ///< of an item, in numbers of C that are computed; 0 where no block fits the device

  /// A block of the tiles with the least to compute and to copy that keep lanes and multiprocessors
  /// busy.
  GemmSectorBlocks(GemmProblem<T> const& problem, int largest_team, std::int64_t concurrency,
                   DeviceLimits const& limits)
      : p(problem) {
    auto const whole = [this](auto const& s) {
      return p.items % wide == 0 && s.row % wide == 0 && s.col % wide == 0 &&
             reinterpret_cast<std::uintptr_t>(s.data) % (wide * sizeof(T)) == 0;
    };
    copies_wide = whole(p.a) && whole(p.b);
    stores_wide = whole(p.c);
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
    // As many teams as the device holds at once. Their copies then never pause.
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
    stage = std::max(slab * (pitch_a() + pitch_b()), d * a * to_store);
    row_blocks = (p.m + rows() - 1) / rows();
    col_blocks = (p.n + cols() - 1) / cols();
    blocks = row_blocks * col_blocks * ((p.items + items - 1) / items);
  }
  BATCHWORK_INLINE int team() const { return items * down * across * Lanes; }
  BATCHWORK_INLINE int rows() const { return down * Rows; }
  BATCHWORK_INLINE int cols() const { return across * Cols; }
  std::int64_t teams() const { return (blocks + rounds - 1) / rounds; }
  BATCHWORK_INLINE int pitch_a() const { return down * pitch_of_tile_a; }
  BATCHWORK_INLINE int pitch_b() const { return across * pitch_of_tile_b; }
  std::size_t bytes() const { return std::size_t(stages * stage) * sizeof(T) + 16; }

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
    double const filled = std::min(1.0, double(blocks) * team() * limits.lanes_of_multiprocessor /
                                            (double(concurrency) * largest_team));
    return double(row_blocks * rows()) * double(col_blocks * cols()) *
           (1 + 4.0 / rows() + 4.0 / cols()) / (std::min(1.0, 0.3 + busy) * filled);
  }

  struct BlockPosition {
    std::int64_t item;
    int row, col;
  };
  BATCHWORK_INLINE BlockPosition position_of(unsigned first) const {
    // Blocks of thousands of bytes: 32 bits count all that a memory has.
    unsigned const down_all = unsigned(row_blocks), across_all = unsigned(col_blocks),
                   rest = first / down_all, group = rest / across_all;
    return {std::int64_t(group) * items, int(first - rest * down_all) * rows(),
            int(rest - group * across_all) * cols()};
  }
  static BATCHWORK_INLINE int at_most(std::int64_t there, int most) {
    return there < most ? int(there) : most;
  }

  /// Copies a slab: a lane has a line of A or B, of some of the items, or several, all terms of it.
  /// What is not there is zero.
  template <int Numbers>
  BATCHWORK_INLINE void copy_slab(T* to, BlockPosition const& at, int k0, int thread) const {
    constexpr int parts = items / Numbers;
    int const of_a = rows() * parts, count = of_a + cols() * parts, step = team();
    int const terms = at_most(p.k - k0, slab), items_there = at_most(p.items - at.item, items);
    BATCHWORK_KEEP_LOOP
    for (int u = thread; u < count; u += step) {
      bool const is_a = u < of_a;
      int const part = u % parts * Numbers, line = (is_a ? u : u - of_a) / parts;
      auto const& side = is_a ? p.a : p.b;
      std::int64_t const line_stride = is_a ? p.a.row : p.b.col,
                         term_stride = is_a ? p.a.col : p.b.row;
      std::int64_t const first = is_a ? at.row : at.col;
      T const* from = side.data + at.item + part + (first + line) * line_stride + k0 * term_stride;
      T* const target = to + (is_a ? 0 : slab * pitch_a()) +
                        (line + line / (is_a ? Rows : Cols) * Pad) * items + part;
      int const pitch = is_a ? pitch_a() : pitch_b();
      int const there = first + line < (is_a ? p.m : p.n) && part < items_there ? terms : 0;
      BATCHWORK_UNROLL
      for (int term = 0; term < slab; ++term) {
        Vendor::copy_async<Numbers* int(sizeof(T)), true>(target + term * pitch, from,
                                                          term < there);
        from += term_stride;
      }
    }
  }
  BATCHWORK_INLINE void copy_slab(T* to, BlockPosition const& at, int k0, int thread) const {
    if (copies_wide) copy_slab<wide>(to, at, k0, thread);
    else copy_slab<1>(to, at, k0, thread);
  }

  /// Runs copies.begin(position) for one block of the team after the other and copies.slab(slab,
  /// term) for their slabs, some slabs ahead; multiply(slab); and store(position, slab) after the
  /// last one of a block, when the scratch of that slab is free once all have met.
  template <class Member, class Copies, class Multiply, class Store>
  BATCHWORK_INLINE void run(Member const& member, Copies copies, Multiply const& multiply,
                            Store const& store) const {
    T* const scratch = static_cast<T*>(
        member.team_scratch(0).get_shmem_aligned(std::size_t(stages * stage) * sizeof(T), 16));
    // Neighbouring teams are at neighbouring blocks all the time: their sectors are neighbours.
    int const all = int(blocks), terms = int(p.k);
    int ahead = member.league_rank(), k = 0;
    copies.begin(position_of(unsigned(ahead)));
    auto const fetch = [&](T* to) {
      if (ahead < all) {
        copies.slab(to, k);
        k += slab;
        if (k >= terms) {
          k = 0;
          ahead += member.league_size();
          if (ahead < all) copies.begin(position_of(unsigned(ahead)));
        }
      }
      Vendor::copy_async_commit();
    };
    BATCHWORK_KEEP_LOOP
    for (int s = 0; s < stages - 1; ++s) fetch(scratch + s * stage);
    int const last = (stages - 1) * stage;
    int buffer = 0, free = last;
    BATCHWORK_KEEP_LOOP
    for (int block = member.league_rank(); block < all; block += member.league_size()) {
      int left = terms;
      BATCHWORK_KEEP_LOOP
      do {
        Vendor::copy_async_wait_prior<stages - 2>();
        // What was copied is there for all, and all are done with the buffer that is filled next.
        member.team_barrier();
        fetch(scratch + free);
        multiply(scratch + buffer);
        free = buffer;
        buffer = buffer == last ? 0 : buffer + stage;
        left -= slab;
      } while (left > 0);
      store(position_of(unsigned(block)), scratch + free);
    }
  }
};

}  // namespace Batchwork::Impl

#endif
