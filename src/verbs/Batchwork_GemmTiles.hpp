// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of a gemm on devices, tiled through scratch (Volkov and Demmel 2008; the blocks and slabs are those of Goto
/// and van de Geijn 2008). A team computes one tile of C after the other. Slabs of A and B are staged term by term,
/// those of the next slab or tile while this one is multiplied; a thread multiplies a tile of its own in registers.
///
/// What lines a team's tile is made of is a matter of arithmetic: with a shared A its columns are those of the wide matrix
/// (B_0 B_1 ...), whatever items they belong to; else a large item has many tiles, and a tile has many small items.
#ifndef BATCHWORK_GEMMTILES_HPP
#define BATCHWORK_GEMMTILES_HPP

#include <cstdint>
#include <type_traits>

#include "machine/Batchwork_Exchange.hpp"
#include "machine/Batchwork_QuickDivisor.hpp"
#include "machine/Batchwork_Vendor.hpp"
#include "verbs/Batchwork_GemmBlocking.hpp"

namespace Batchwork::Impl {

/// Line number x of a tile: a row of A, or a column of B and C.
struct GemmLine {
  std::int64_t item, index;
  int slot;
  bool valid;
};

/// The lines of a tile: from `start` on in item `item`; after `period` lines the next item begins.
struct GemmLines {
  std::int64_t item, start, period, extent, items;
  QuickDivisor by_period;
  bool
      wraps;  ///< `period` is small enough for the divisor; else a tile has lines of two items at most

  BATCHWORK_INLINE GemmLine at(int x) const {
    std::int64_t const y = start + x;
    int const past = wraps ? by_period.quotient(int(y)) : y >= period ? 1 : 0;
    std::int64_t const index = y - past * period;
    return {item + past, index, past, index < extent && item + past < items};
  }
};
/// The largest period for which the divisor is exact, with room for the lines of a tile.
inline constexpr std::int64_t gemm_largest_period = 32768;

/// How the threads of a team copy an operand: `across` of them side by side, along the terms or along the lines, and
/// `down` such rows of threads; the others have nothing to do.
struct GemmAccess {
  bool along_terms = false;
  bool wide = false;  ///< 16 bytes at once
  int across = 1, down = 1;
  QuickDivisor by_across;
};

/// Whether runs of 16 bytes along an index of stride `along` are aligned and never straddle items.
template <class T>
bool gemm_aligned(GemmSide<T> const& side, std::int64_t along, std::int64_t other,
                  std::int64_t extent) {
  constexpr std::int64_t wide = 16 / sizeof(T);
  return along == 1 && extent % wide == 0 && other % wide == 0 && side.item % wide == 0 &&
         reinterpret_cast<std::uintptr_t>(side.data) % 16 == 0;
}

template <class T, class Tile, class Left>
struct GemmTiles {
  static constexpr int V = Tile::run;
  static constexpr int wide = 16 / int(sizeof(T));
  using Wide = Unit<T>;

  GemmProblem<T> p;
  GemmBlocking how;
  GemmAccess a, b;
  bool rows_adjacent = false;  ///< of C; else columns are
  bool stores_wide = false;    ///< runs of a thread are stored at once
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
    std::int64_t const line = rows_adjacent ? p.m : p.n;
    stores_wide = V > 1 && gemm_aligned(p.c, rows_adjacent ? p.c.row : p.c.col,
                                        rows_adjacent ? p.c.col : p.c.row, line);
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

  // ---- where a tile is ----------------------------------------------------------------------------------------------

  struct Place {
    std::int64_t item, col;
    int row;
  };
  BATCHWORK_INLINE Place place(std::int64_t tile) const {
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
  BATCHWORK_INLINE void advance(Place& at) const {
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
  BATCHWORK_INLINE GemmLines rows(Place const& at) const {
    bool const slots = how.slots > 1;
    return {at.item,  at.row, slots ? how.rows : std::int64_t(1) << 60, p.m, p.items,
            period_a, slots};
  }
  BATCHWORK_INLINE GemmLines columns(Place const& at) const {
    if (merges) return {at.item, at.col, p.n, p.n, p.items, period_b, p.n <= gemm_largest_period};
    bool const slots = how.slots > 1;
    return {at.item,  at.col, slots ? how.cols : std::int64_t(1) << 60, p.n, p.items,
            period_b, slots};
  }

  // ---- copies to scratch ----------------------------------------------------------------------------------------------

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
      T const* source = from.data + line.item * from.item + line.index * line_stride +
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
  BATCHWORK_INLINE void copy_a(T* to, Place const& at, int thread, std::int64_t k0,
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
  BATCHWORK_INLINE void copy_b(T* to, Place const& at, int thread, std::int64_t k0,
                               int terms) const {
    int const apart = merges ? 0 : how.slot_b - how.cols;
    copy(to, p.b, p.b.col, p.b.row, columns(at), how.slots * how.cols, apart, how.pitch_b, b,
         thread, k0, terms);
  }

  // ---- a thread's own tile --------------------------------------------------------------------------------------------

  using Sums = T[Tile::rows][Tile::cols];

  /// N numbers in runs of V, `step` apart.
  template <int N>
  static BATCHWORK_INLINE void read(T (&x)[N], T const* from, int step) {
    BATCHWORK_UNROLL
    for (int h = 0; h < N / V; ++h) {
      if constexpr (V == wide) {
        Wide const u = *reinterpret_cast<Wide const*>(from + h * step);
        BATCHWORK_UNROLL
        for (int v = 0; v < V; ++v) x[h * V + v] = u.v[v];
      } else {
        static_assert(V == 1);
        x[h] = from[h * step];
      }
    }
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
    if constexpr (Tile::slab > 0) {
      if (terms == Tile::slab) {
        BATCHWORK_UNROLL
        for (int k = 0; k < Tile::slab; ++k)
          add_term(sums, from_a + k * how.pitch_a, from_b + k * how.pitch_b, step_a, step_b);
        return;
      }
    }
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
  /// Number r of a thread's rows, or columns, in its slot: the runs of all threads stand side by side.
  static BATCHWORK_INLINE int spread(int r, int mine, int threads) {
    return r / V * threads * V + mine * V + r % V;
  }
  BATCHWORK_INLINE int row_of(Mine const& me, int r) const {
    return spread(r, me.row, rows_of_threads);
  }

  BATCHWORK_INLINE void store(Sums const& sums, Place const& at, Mine const& me) const {
    if constexpr (V > 1) {
      if (stores_wide) {
        if (rows_adjacent) store_runs_of_rows(sums, at, me);
        else store_runs_of_columns(sums, at, me);
        return;
      }
    }
    for_each_column<1>(at, me, [&](T* to, int c) {
      BATCHWORK_UNROLL
      for (int r = 0; r < Tile::rows; ++r) {
        int const i = at.row + row_of(me, r);
        if (i < p.m) store_number(to + i * p.c.row, sums[r][c]);
      }
    });
  }
  /// Every Step-th column of a thread that there is: where it begins in C, and its number.
  template <int Step, class F>
  BATCHWORK_INLINE void for_each_column(Place const& at, Mine const& me, F const& f) const {
    GemmLines const lines = columns(at);
    BATCHWORK_UNROLL
    for (int c = 0; c < Tile::cols; c += Step) {
      // The columns of a slot follow those of the slots before it.
      GemmLine const line = lines.at(me.slot * how.cols + spread(c, me.col, cols_of_threads));
      if (line.valid) f(p.c.data + line.item * p.c.item + line.index * p.c.col, c);
    }
  }
  BATCHWORK_INLINE void store_number(T* to, T sum) const {
    if (p.beta == T(0)) *to = p.alpha * sum;
    else *to = p.alpha * sum + p.beta * *to;
  }
  BATCHWORK_INLINE void store_runs_of_columns(Sums const& sums, Place const& at,
                                              Mine const& me) const {
    for_each_column<V>(at, me, [&](T* to, int c) {
      BATCHWORK_UNROLL
      for (int r = 0; r < Tile::rows; ++r) {
        int const i = at.row + row_of(me, r);
        if (i >= p.m) continue;
        Wide u;
        BATCHWORK_UNROLL
        for (int v = 0; v < V; ++v) u.v[v] = sums[r][c + v];
        store_run(to + i * p.c.row, u);
      }
    });
  }
  BATCHWORK_INLINE void store_runs_of_rows(Sums const& sums, Place const& at,
                                           Mine const& me) const {
    for_each_column<1>(at, me, [&](T* to, int c) {
      BATCHWORK_UNROLL
      for (int r = 0; r < Tile::rows; r += V) {
        int const i = at.row + row_of(me, r);
        if (i >= p.m) continue;
        Wide u;
        BATCHWORK_UNROLL
        for (int v = 0; v < V; ++v) u.v[v] = sums[r + v][c];
        store_run(to + i, u);
      }
    });
  }
  BATCHWORK_INLINE void store_run(T* to, Wide u) const {
    BATCHWORK_UNROLL
    for (int v = 0; v < wide; ++v) u.v[v] *= p.alpha;
    if (p.beta != T(0)) {
      Wide const before = *reinterpret_cast<Wide const*>(to);
      BATCHWORK_UNROLL
      for (int v = 0; v < wide; ++v) u.v[v] += p.beta * before.v[v];
    }
    *reinterpret_cast<Wide*>(to) = u;
  }

  // ---- the kernel -------------------------------------------------------------------------------------------------------

  BATCHWORK_INLINE int terms_from(std::int64_t k0) const {
    return int(p.k - k0 < how.slab ? p.k - k0 : how.slab);
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    T* const scratch = static_cast<T*>(
        member.team_scratch(0).get_shmem_aligned(std::size_t(how.numbers()) * sizeof(T), 16));
    int const size_a = how.slab_a(), size_b = how.slab_b();
    T* const scratch_b = scratch + (how.keeps_a ? 1 : 2) * size_a;

    int const rank = Vendor::lane_rank(member);
    Mine const me = mine_of(rank);
    bool const computes = me.slot < how.slots;
    int const from_a = me.slot * how.slot_a + me.row * V;
    int const from_b = me.slot * how.slot_b + me.col * V;

    // Tiles and terms that are still to be copied.
    std::int64_t const begin = std::int64_t(member.league_rank()) * rounds;
    int const count = int(begin + rounds < tiles ? rounds : tiles - begin);
    int ahead = count;
    Place next = place(begin);
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
      Place const here = next;
      int const terms = terms_from(next_k);
      next_k += how.slab;
      bool const last = next_k >= p.k;
      if (last) {
        next_k = 0;
        --ahead;
        advance(next);
      }
      Vendor::wait_for_copies();
      // What was copied is there for all, and all are done with the buffer that is filled next.
      member.team_barrier();
      if (ahead > 0) {
        int const more = terms_from(next_k);
        if (!how.keeps_a) copy_a(scratch + (1 - buffer) * size_a, next, thread, next_k, more);
        copy_b(scratch_b + (1 - buffer) * size_b, next, thread, next_k, more);
      }
      if (computes) {
        multiply(sums, scratch + (how.keeps_a ? 0 : buffer * size_a) + from_a,
                 scratch_b + buffer * size_b + from_b, rows_of_threads * V, cols_of_threads * V,
                 terms);
        if (last) {
          // Of a large tile the place is computed twice, and takes no registers between.
          if constexpr (Tile::slab > 0)
            store(sums, place(begin + (count - ahead - 1)), mine_of(thread));
          else store(sums, here, mine_of(thread));
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

  GemmTilesPlan(GemmProblem<T> const& p, bool is_fixed) {
    a.along_terms = p.a.col < p.a.row;
    // Lines of B are columns, or items where those are the closer neighbours.
    b.along_terms = p.b.row < p.b.col;
    how = choose_gemm_blocking(p, a.along_terms, b.along_terms, is_fixed);
    finish(a, p.a, p.a.row, p.a.col, p.m, how.slots * how.rows);
    finish(b, p.b, p.b.col, p.b.row, p.n, how.slots * how.cols);
  }

 private:
  void finish(GemmAccess& access, GemmSide<T const> const& side, std::int64_t line,
              std::int64_t term, std::int64_t extent, int lines) const {
    constexpr int wide = 16 / int(sizeof(T));
    access.wide = !access.along_terms && gemm_aligned(side, line, term, extent);
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
