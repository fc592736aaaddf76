// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of a gemm of small matrices on devices, tiled through scratch (Volkov and Demmel
/// 2008). A team computes one tile of C after the other. Slabs of A and B are staged term by term,
/// the next slab or tile while this one is multiplied. A thread multiplies a tile of its own in
/// registers.
///
/// With a shared A, a tile has columns of the wide matrix (B_0 B_1 ...), whatever items they belong
/// to. Otherwise a tile has many items.
#ifndef BATCHWORK_GEMMTILES_HPP
#define BATCHWORK_GEMMTILES_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_QuickDivisor.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "dense/gemm/detail/Batchwork_GemmBlocking.hpp"
#include "dense/gemm/detail/Batchwork_GemmLines.hpp"

namespace Batchwork::Impl {

/// How the threads of a team copy an operand: `across` of them side by side, along the terms or
/// along the lines, and `down` such rows of threads; the others have nothing to do.
struct GemmAccess {
  bool along_terms = false;
  bool wide = false;  ///< 16 bytes at once
  int across = 1, down = 1;
  QuickDivisor by_across;
};

template <class T, class Tile, class Left>
struct GemmTiles {
  static constexpr int wide = 16 / int(sizeof(T));

  GemmProblem<T> p;
  GemmBlocking how;
  GemmAccess a, b;
  bool rows_adjacent = false;  ///< of C; else columns are
  bool merges = false;         ///< the columns of all items follow each other
  QuickDivisor period_a, period_b;
  std::int64_t row_blocks = 1, col_blocks = 1, tiles = 0;
  int rounds = 1;                                ///< tiles that a team computes
  int rows_of_threads = 1, cols_of_threads = 1;  ///< in a slot
  QuickDivisor by_slot, by_adjacent;
  Left left;

  GemmTiles(GemmProblem<T> const& problem, Left const& left_, GemmBlocking const& blocking,
            GemmAccess const& access_a, GemmAccess const& access_b)
      : p(problem), how(blocking), a(access_a), b(access_b), left(left_) {
    rows_adjacent = p.c.row < p.c.col;
    merges = p.shared_a;
    rows_of_threads = how.rows / Tile::rows;
    cols_of_threads = how.cols / Tile::cols;
    by_slot = QuickDivisor(rows_of_threads * cols_of_threads);
    by_adjacent = QuickDivisor(rows_adjacent ? rows_of_threads : cols_of_threads);
    period_a = QuickDivisor(how.rows);
    period_b = QuickDivisor(merges ? p.n : how.cols);
    row_blocks = (p.m + how.rows - 1) / how.rows;
    std::int64_t const columns = merges ? p.n * p.items : p.n;
    col_blocks = (columns + how.cols - 1) / how.cols;
    tiles = row_blocks * col_blocks;
    if (!merges) tiles *= (p.items + how.slots - 1) / how.slots;
  }

  std::size_t scratch_bytes() const { return std::size_t(how.numbers()) * sizeof(T) + 16; }

  // ---- where a tile is
  // ---------------------------------------------------------------------------------------------

  struct TilePosition {
    std::int64_t item, col;
    int row;
  };
  BATCHWORK_INLINE TilePosition position_of(std::int64_t tile) const {
    std::int64_t const rest = row_blocks == 1 ? tile : tile / row_blocks;
    int const row = int(tile - rest * row_blocks) * how.rows;
    if (merges) {
      std::int64_t const col = rest * how.cols;
      std::int64_t const item = p.items == 1 ? 0 : col / p.n;
      return {item, col - item * p.n, row};
    }
    std::int64_t const item = col_blocks == 1 ? rest : rest / col_blocks;
    return {item * how.slots, (rest - item * col_blocks) * how.cols, row};
  }
  /// From a tile to the next one.
  BATCHWORK_INLINE void advance(TilePosition& at) const {
    at.row += how.rows;
    if (at.row < p.m) return;
    at.row = 0;
    if (merges) {
      GemmLine const next = columns(at).at(how.cols);
      at.item = next.item;
      at.col = next.index;
    } else {
      at.col += how.cols;
      if (at.col < p.n) return;
      at.col = 0;
      at.item += how.slots;
    }
  }
  BATCHWORK_INLINE GemmLines rows(TilePosition const& at) const {
    bool const slots = how.slots > 1;
    return {at.item,  at.row, slots ? how.rows : std::int64_t(1) << 60, p.m, p.items,
            period_a, slots};
  }
  BATCHWORK_INLINE GemmLines columns(TilePosition const& at) const {
    if (merges) return {at.item, at.col, p.n, p.n, p.items, period_b, p.n <= gemm_largest_period};
    bool const slots = how.slots > 1;
    return {at.item,  at.col, slots ? how.cols : std::int64_t(1) << 60, p.n, p.items,
            period_b, slots};
  }

  // ---- copies to scratch
  // ---------------------------------------------------------------------------------------------

  /// Which lines and terms a thread copies. Cheap, so that it need not be kept from slab to slab.
  struct Walk {
    int line, line_step, term, term_step;
    bool idle;
  };
  static BATCHWORK_INLINE Walk walk_of(GemmAccess const& access, int thread) {
    int const width = access.wide ? wide : 1;
    int const y = access.by_across.quotient(thread), x = thread - y * access.across;
    bool const idle = y >= access.down;
    if (access.along_terms) return {y, access.down, x, access.across, idle};
    return {x * width, access.across * width, y, access.down, idle};
  }

  /// Terms k0 .. k0 + terms - 1 of the lines of an operand.
  BATCHWORK_INLINE void copy(T* to, GemmSide<T const> const& from, std::int64_t line_stride,
                             std::int64_t term_stride, GemmLines const& lines, int count, int apart,
                             int pitch, GemmAccess const& access, int thread, std::int64_t k0,
                             int terms) const {
    Walk const walk = walk_of(access, thread);
    if (walk.idle) return;
    BATCHWORK_KEEP_LOOP
    for (int x = walk.line; x < count; x += walk.line_step) {
      GemmLine const line = lines.at(x);
      if (!line.valid) continue;
      T const* source = from.of_item(line.item) + line.index * line_stride +
                        (k0 + walk.term) * term_stride;
      T* target = to + walk.term * pitch + x + line.slot * apart;
      for (int k = walk.term; k < terms; k += walk.term_step) {
        if (access.wide) Vendor::copy_async<16>(target, source);
        else Vendor::copy_async<int(sizeof(T))>(target, source);
        source += walk.term_step * term_stride;
        target += walk.term_step * pitch;
      }
    }
  }
  BATCHWORK_INLINE void copy_a(T* to, TilePosition const& at, int thread, std::int64_t k0,
                               int terms) const {
    int const count = how.slots * how.rows;
    if constexpr (is_gemm_fixed<Left>) {
      Walk const walk = walk_of(a, thread);
      if (walk.idle) return;
      for (int x = walk.line; x < count; x += walk.line_step) {
        if (at.row + x >= p.m) continue;
        for (int k = walk.term; k < terms; k += walk.term_step)
          to[k * how.pitch_a + x] =
              left.values[(at.row + x) * int(p.a.row) + int(k0 + k) * int(p.a.col)];
      }
    } else {
      copy(to, p.a, p.a.row, p.a.col, rows(at), count, how.slot_a - how.rows, how.pitch_a, a,
           thread, k0, terms);
    }
  }
  BATCHWORK_INLINE void copy_b(T* to, TilePosition const& at, int thread, std::int64_t k0,
                               int terms) const {
    int const apart = merges ? 0 : how.slot_b - how.cols;
    copy(to, p.b, p.b.col, p.b.row, columns(at), how.slots * how.cols, apart, how.pitch_b, b,
         thread, k0, terms);
  }

  // ---- a thread's own tile
  // ---------------------------------------------------------------------------------------------

  using Sums = T[Tile::rows][Tile::cols];

  /// N numbers, `step` apart.
  template <int N>
  static BATCHWORK_INLINE void read(T (&x)[N], T const* from, int step) {
    BATCHWORK_UNROLL
    for (int h = 0; h < N; ++h) x[h] = from[h * step];
  }
  BATCHWORK_INLINE void add_term(Sums& sums, T const* from_a, T const* from_b, int step_a,
                                 int step_b) const {
    T x[Tile::rows], y[Tile::cols];
    read(x, from_a, step_a);
    read(y, from_b, step_b);
    BATCHWORK_UNROLL
    for (int r = 0; r < Tile::rows; ++r) {
      BATCHWORK_UNROLL
      for (int c = 0; c < Tile::cols; ++c) sums[r][c] += x[r] * y[c];
    }
  }
  BATCHWORK_INLINE void multiply(Sums& sums, T const* from_a, T const* from_b, int step_a,
                                 int step_b, int terms) const {
    BATCHWORK_KEEP_LOOP
    for (int k = 0; k < terms; ++k) {
      add_term(sums, from_a, from_b, step_a, step_b);
      from_a += how.pitch_a;
      from_b += how.pitch_b;
    }
  }

  /// A thread's place in its slot; neighbouring threads store neighbouring numbers.
  struct Mine {
    int slot, row, col;
  };
  BATCHWORK_INLINE Mine mine_of(int thread) const {
    int const slot = by_slot.quotient(thread),
              rank = thread - slot * rows_of_threads * cols_of_threads;
    int const adjacent = rows_adjacent ? rows_of_threads : cols_of_threads;
    int const major = by_adjacent.quotient(rank), minor = rank - major * adjacent;
    return rows_adjacent ? Mine{slot, minor, major} : Mine{slot, major, minor};
  }
  BATCHWORK_INLINE void store(Sums const& sums, TilePosition const& at, Mine const& me) const {
    GemmLines const lines = columns(at);
    BATCHWORK_UNROLL
    for (int c = 0; c < Tile::cols; ++c) {
      // The columns of a slot follow the columns of the slots before it.
      GemmLine const line = lines.at(me.slot * how.cols + c * cols_of_threads + me.col);
      if (!line.valid) continue;
      T* const to = p.c.of_item(line.item) + line.index * p.c.col;
      BATCHWORK_UNROLL
      for (int r = 0; r < Tile::rows; ++r) {
        int const i = at.row + r * rows_of_threads + me.row;
        if (i < p.m) store_number(to + i * p.c.row, sums[r][c]);
      }
    }
  }
  BATCHWORK_INLINE void store_number(T* to, T sum) const {
    if (p.beta == T(0)) *to = p.alpha * sum;
    else *to = p.alpha * sum + p.beta * *to;
  }

  // ---- the kernel
  // ---------------------------------------------------------------------------------------------

  BATCHWORK_INLINE int terms_from(std::int64_t k0) const {
    return int(p.k - k0 < how.slab ? p.k - k0 : how.slab);
  }

  template <class Member>
  BATCHWORK_INLINE void operator()(Member const& member) const {
    T* const scratch = static_cast<T*>(
        member.team_scratch(0).get_shmem_aligned(std::size_t(how.numbers()) * sizeof(T), 16));
    int const size_a = how.slab_a(), size_b = how.slab_b();
    T* const scratch_b = scratch + (how.keeps_a ? 1 : 2) * size_a;

    int const rank = Vendor::lane_rank(member);
    Mine const me = mine_of(rank);
    bool const computes = me.slot < how.slots;
    int const from_a = me.slot * how.slot_a + me.row;
    int const from_b = me.slot * how.slot_b + me.col;

    // Tiles and terms that are still to be copied.
    std::int64_t const begin = std::int64_t(member.league_rank()) * rounds;
    int const count = int(begin + rounds < tiles ? rounds : tiles - begin);
    int ahead = count;
    TilePosition next = position_of(begin);
    std::int64_t next_k = 0;
    copy_a(scratch, next, rank, 0, terms_from(0));
    copy_b(scratch_b, next, rank, 0, terms_from(0));

    Sums sums;
    BATCHWORK_UNROLL
    for (int r = 0; r < Tile::rows; ++r) {
      BATCHWORK_UNROLL
      for (int c = 0; c < Tile::cols; ++c) sums[r][c] = 0;
    }
    int buffer = 0;
    while (true) {
      // Computed anew for every slab rather than kept in registers.
      int const thread = Vendor::renewed(rank);
      TilePosition const here = next;
      int const terms = terms_from(next_k);
      next_k += how.slab;
      bool const last = next_k >= p.k;
      if (last) {
        next_k = 0;
        --ahead;
        advance(next);
      }
      Vendor::copy_async_wait();
      // What was copied is there for all, and all are done with the buffer that is filled next.
      member.team_barrier();
      if (ahead > 0) {
        int const more = terms_from(next_k);
        if (!how.keeps_a) copy_a(scratch + (1 - buffer) * size_a, next, thread, next_k, more);
        copy_b(scratch_b + (1 - buffer) * size_b, next, thread, next_k, more);
      }
      if (computes) {
        multiply(sums, scratch + (how.keeps_a ? 0 : buffer * size_a) + from_a,
                 scratch_b + buffer * size_b + from_b, rows_of_threads, cols_of_threads, terms);
        if (last) {
          store(sums, here, mine_of(thread));
          BATCHWORK_UNROLL
          for (int r = 0; r < Tile::rows; ++r) {
            BATCHWORK_UNROLL
            for (int c = 0; c < Tile::cols; ++c) sums[r][c] = 0;
          }
        }
      }
      if (ahead == 0) return;
      buffer = 1 - buffer;
    }
  }
};

/// What the host decides before a launch.
template <class T>
struct GemmTilesPlan {
  GemmAccess a, b;
  GemmBlocking how;

  GemmTilesPlan(GemmProblem<T> const& p, DeviceLimits const& limits) {
    a.along_terms = p.a.col < p.a.row;
    // Lines of B are columns, or items where those are the closer neighbours.
    b.along_terms = p.b.row < p.b.col;
    how = choose_gemm_blocking(p, a.along_terms, b.along_terms, gemm_small_scratch(limits));
    finish(a, p.a, p.a.row, p.a.col, p.m, how.slots * how.rows);
    finish(b, p.b, p.b.col, p.b.row, p.n, how.slots * how.cols);
  }

 private:
  void finish(GemmAccess& access, GemmSide<T const> const& side, std::int64_t line,
              std::int64_t term, std::int64_t extent, int lines) const {
    constexpr int wide = 16 / int(sizeof(T));
    // A fixed operand, which is in no memory, is copied number by number.
    access.wide =
        !access.along_terms && side.data != nullptr && gemm_aligned(side, line, term, extent);
    int const along = access.along_terms ? how.slab
                      : access.wide      ? (lines + wide - 1) / wide
                                         : lines;
    access.across = std::min(along, how.team);
    access.down = how.team / access.across;
    access.by_across = QuickDivisor(access.across);
  }
};

}  // namespace Batchwork::Impl

#endif
