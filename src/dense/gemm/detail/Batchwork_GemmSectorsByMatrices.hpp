// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// GemmSectors where a warp has a tile of 32 x 16 of two neighbouring items, which it multiplies by
/// matrix instructions. Two numbers are read from scratch at once, one of each item. For every line
/// and term, the numbers of all items of the team are contiguous there, in units of 16 bytes. The
/// order of the units avoids bank conflicts of reads and of copies. C goes through scratch as well,
/// some rows at a time, so that it is stored by whole sectors. Where chains_matrices.
#ifndef BATCHWORK_GEMMSECTORSBYMATRICES_HPP
#define BATCHWORK_GEMMSECTORSBYMATRICES_HPP

#include <cstdint>

#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "dense/gemm/detail/Batchwork_GemmSectorBlocks.hpp"
#include "team/detail/Batchwork_WarpTiles.hpp"

namespace Batchwork::Impl {

/// \tparam Items   of a team: 8 or 16
/// \tparam Stages  slabs in scratch
template <class T, int Items, int Stages>
struct GemmSectorsByMatrices
    : GemmSectorBlocks<T, Items, 32, 16, lanes_of_warp* int(sizeof(T)) / 16, 0, Stages> {
  using Base = GemmSectorBlocks<T, Items, 32, 16, lanes_of_warp* int(sizeof(T)) / 16, 0, Stages>;
  using Base::items, Base::slab, Base::wide, Base::p, Base::across, Base::down, Base::by_across,
      Base::tile_rows, Base::tile_cols, Base::rows, Base::cols;
  using typename Base::BlockPosition;
  static constexpr int largest_team = 512, wanted_teams = 1;
  static constexpr double speed = 2;          ///< of GemmSectors
  static constexpr int parts = Items / wide;  ///< units of a line and term
  static constexpr int lane_rows = 4, lane_cols = 4;
  static_assert(sizeof(T) == 8 && (parts == 4 || parts == 8));

  GemmSectorsByMatrices(GemmProblem<T> const& problem, std::int64_t concurrency,
                        DeviceLimits const& limits)
      : Base(problem, largest_team, concurrency, limits) {}

  /// Where a unit stands among eight. Eight lanes that read at once have one part of four terms of
  /// two lines. Eight lanes that copy at once have the parts of one line, for as many terms as
  /// eight units hold.
  static BATCHWORK_INLINE int unit_of(int unit, int term, int line) {
    if constexpr (parts == 8) return unit ^ (term % 4 + line % 2 * 4);
    else return unit ^ (term % 4 + term % 2 * 4);
  }
  /// The same on the way to C. The lanes that write at once have every second one of eight columns
  /// of two rows.
  static BATCHWORK_INLINE int unit_of_c(int unit, int row, int col) {
    return unit ^ (col / 2 % 4 + row % 2 * 4);
  }

  /// A lane's numbers, of each of its items and both halves of its rows.
  struct Sums {
    T of[wide][2][lane_rows / 2][lane_cols];
  };
  static BATCHWORK_INLINE void clear(Sums& sums) {
    BATCHWORK_UNROLL
    for (int v = 0; v < wide; ++v) {
      BATCHWORK_UNROLL
      for (int r = 0; r < lane_rows; ++r) {
        BATCHWORK_UNROLL
        for (int c = 0; c < lane_cols; ++c) sums.of[v][r / 2][r % 2][c] = 0;
      }
    }
  }

  /// What a lane copies of an operand: units of one term of every slab, `step` lines apart.
  struct Copied {
    T const* from;  ///< of the next slab
    int lines;      ///< there are, from the lane's own first one on
  };
  struct Copies {
    static constexpr int terms = Base::slab;
    GemmSectorsByMatrices const& kernel;
    int rank, own_items = 0;
    Copied a{}, b{};

    BATCHWORK_INLINE int part() const { return rank % parts; }
    BATCHWORK_INLINE int term() const { return rank / parts % terms; }
    BATCHWORK_INLINE int line() const { return rank / (parts * terms); }
    BATCHWORK_INLINE void begin(BlockPosition const& at) {
      auto const& p = kernel.p;
      own_items = Base::at_most(p.items - at.item, items) - part() * wide;
      std::int64_t const item = at.item + part() * wide;
      int const row = at.row + line(), col = at.col + line();
      a = {p.a.data + item + row * p.a.row + term() * p.a.col,
           own_items > 0 ? Base::at_most(p.m - at.row, kernel.rows()) - line() : 0};
      b = {p.b.data + item + col * p.b.col + term() * p.b.row,
           own_items > 0 ? Base::at_most(p.n - at.col, kernel.cols()) - line() : 0};
    }
    /// What is not there is zero.
    BATCHWORK_INLINE void copy(T* to, Copied& x, int lines, std::int64_t line_stride,
                               std::int64_t term_stride, bool there) const {
      // Even, so that units have the same order in all lines of a lane.
      int const step = 4 * kernel.down * kernel.across;
      to += unit_of((term() * lines + line()) * parts + part(), term(), line()) * wide;
      T const* from = x.from;
      std::int64_t const advance = step * line_stride;
      int const left = there ? x.lines : 0;
      if (kernel.copies_wide) {
        BATCHWORK_KEEP_LOOP
        for (int n = 0; n < lines - line(); n += step) {
          Vendor::copy_async<16, true>(to + n * items, from, n < left);
          from += advance;
        }
      } else {
        BATCHWORK_KEEP_LOOP
        for (int n = 0; n < lines - line(); n += step) {
          BATCHWORK_UNROLL
          for (int v = 0; v < wide; ++v)
            Vendor::copy_async<int(sizeof(T)), true>(to + n * items + v, from + v,
                                                     n < left && v < own_items);
          from += advance;
        }
      }
      x.from += terms * term_stride;
    }
    BATCHWORK_INLINE void slab(T* to, int k) {
      auto const& p = kernel.p;
      bool const there = k + term() < int(p.k);
      copy(to, a, kernel.rows(), p.a.row, p.a.col, there);
      copy(to + terms * kernel.pitch_a(), b, kernel.cols(), p.b.col, p.b.row, there);
    }
  };

  BATCHWORK_INLINE void multiply(Sums& sums, T const* a, T const* b) const {
    int const four_of_a = 4 * this->pitch_a(), four_of_b = 4 * this->pitch_b();
    BATCHWORK_UNROLL
    for (int f = 0; f < slab / 4; ++f) {
      Unit<T> x[lane_rows / 2], y[lane_cols / 2];
      BATCHWORK_UNROLL
      for (int c = 0; c < lane_cols / 2; ++c)
        y[c] = *reinterpret_cast<Unit<T> const*>(b + f * four_of_b + c * 8 * items);
      BATCHWORK_UNROLL
      for (int half = 0; half < 2; ++half) {
        BATCHWORK_UNROLL
        for (int r = 0; r < lane_rows / 2; ++r)
          x[r] = *reinterpret_cast<Unit<T> const*>(a + f * four_of_a + (half * 2 + r) * 8 * items);
        BATCHWORK_UNROLL
        for (int v = 0; v < wide; ++v)
          multiply_fragments<1>(
              sums.of[v][half], [&](int r, int) { return x[r].v[v]; },
              [&](int c, int) { return y[c].v[v]; });
      }
    }
  }

  /// 8 rows of every tile at once: first the lanes of a tile write their numbers to scratch, then
  /// each takes the units of one column and of every second row from there.
  template <class Member>
  BATCHWORK_INLINE void store(Member const& member, Sums const& sums, BlockPosition const& at,
                              T* scratch) const {
    constexpr int numbers = 8 * tile_cols * items, lanes = lanes_of_warp * parts;
    int const rank = Vendor::renewed(Vendor::lane_rank(member)), lane = rank % lanes_of_warp,
              warp = rank / lanes_of_warp;
    int const tile = warp / parts, tile_row = by_across.quotient(tile);
    scratch += tile * numbers;
    int const row = lane / 4, col = lane % 4 * 2;
    int const place = (row * tile_cols + col) * parts + warp % parts;
    T* const put[2] = {scratch + unit_of_c(place, row, col) * wide,
                       scratch + unit_of_c(place + parts, row, col + 1) * wide};
    int const own = rank % lanes, own_part = own % parts, own_col = own / parts % tile_cols,
              own_row = own / parts / tile_cols;
    T const* const get = scratch + unit_of_c(own, own_row, own_col) * wide;
    std::int64_t const n = at.item + own_part * wide, i = at.row + tile_row * tile_rows + own_row,
                       j = at.col + (tile - tile_row * across) * tile_cols + own_col;
    T* c = p.c.data + n + i * p.c.row + j * p.c.col;
    int left = n < p.items && j < p.n ? Base::at_most(p.m - i, tile_rows) : 0;
    bool const both = n + 1 < p.items, fast = this->stores_wide && p.beta == T(0);
    BATCHWORK_UNROLL
    for (int r = 0; r < lane_rows; ++r) {
      member.team_barrier();
      BATCHWORK_UNROLL
      for (int k = 0; k < lane_cols; ++k) {
        Unit<T> u;
        BATCHWORK_UNROLL
        for (int v = 0; v < wide; ++v) u.v[v] = p.alpha * sums.of[v][r / 2][r % 2][k];
        *reinterpret_cast<Unit<T>*>(put[k % 2] + k / 2 * 8 * items) = u;
      }
      member.team_barrier();
      BATCHWORK_UNROLL
      for (int q = 0; q < 4; ++q) {
        Unit<T> const u = *reinterpret_cast<Unit<T> const*>(get + q * 2 * tile_cols * items);
        if (q * 2 < left) {
          if (fast) {
            T x[wide];
            BATCHWORK_UNROLL
            for (int v = 0; v < wide; ++v) x[v] = u.v[v];
            Vendor::store_vector(c, x);
          } else {
            BATCHWORK_UNROLL
            for (int v = 0; v < wide; ++v)
              if (v == 0 || both) c[v] = p.beta == T(0) ? u.v[v] : u.v[v] + p.beta * c[v];
          }
        }
        c += 2 * p.c.row;
      }
      left -= 8;
    }
  }

  template <class Member>
  BATCHWORK_INLINE void operator()(Member const& member) const {
    int const rank = Vendor::lane_rank(member), lane = rank % lanes_of_warp,
              warp = rank / lanes_of_warp;
    int const part = warp % parts, tile = warp / parts;
    int const tile_row = by_across.quotient(tile), tile_col = tile - tile_row * across;
    int const term = lane % 4, line = lane / 4;
    int const from_a =
        unit_of((term * rows() + tile_row * tile_rows + line) * parts + part, term, line) * wide;
    int const from_b =
        slab * this->pitch_a() +
        unit_of((term * cols() + tile_col * tile_cols + line) * parts + part, term, line) * wide;
    Sums sums;
    clear(sums);
    this->run(
        member, Copies{*this, rank},
        [&](T const* staged) { multiply(sums, staged + from_a, staged + from_b); },
        [&](BlockPosition const& at, T* scratch) {
          store(member, sums, at, scratch);
          clear(sums);
        });
  }
};

}  // namespace Batchwork::Impl

#endif
