// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// InversionPanels: Gauss-Jordan elimination of a matrix in scratch, of an extent known at run
/// time, by the warps of a team.
#ifndef BATCHWORK_INVERSIONPANELS_HPP
#define BATCHWORK_INVERSIONPANELS_HPP

#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/Batchwork_Status.hpp"
#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Barriers.hpp"
#include "core/detail/backend/Batchwork_BitCounts.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_MatrixInstructions.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "core/detail/backend/Batchwork_WarpReductions.hpp"
#include "team/detail/Batchwork_WarpTiles.hpp"

namespace Batchwork::Impl {

/// Numbers of a matrix by rows, in panels of eight columns. `leading` is a multiple of eight. In
/// scratch neighbouring rows, which are read together, are to be in different banks: panel j of row
/// i is in place j ^ (i & turn).
template <class T>
struct NumbersInPanels {
  static constexpr int width = 8;

  T* numbers;
  int leading, turn;

  static BATCHWORK_INLINE NumbersInPanels in_scratch(T* numbers, int leading) {
    constexpr int of_banks = 128 / int(sizeof(T));
    return {numbers, leading,
            leading % of_banks == 0 ? of_banks / width - 1
            : leading % 16 == 0     ? 1
                                    : 0};
  }
  BATCHWORK_INLINE T* at(int i, int panel) const {
    return numbers + std::int64_t(i) * leading + (panel ^ (i & turn)) * width;
  }
  BATCHWORK_INLINE T* number(int i, int j) const { return at(i, j / width) + j % width; }
};

/// By panels of eight columns, in place (Quintana-Orti, Quintana-Orti, Sun and van de Geijn, A note
/// on parallel matrix inversion, SIAM J. Sci. Comput. 22, 2001). It takes the same pivots as LU.
/// Rows stay where they are, and are divided by their pivots at the end only: as in InverseRows,
/// the row of pivot k then has row k of the inverse, times the pivot, and its columns are in the
/// order of the pivots.
///
/// A panel is eliminated first: each row keeps its multipliers l, those of the rows below and
/// above, in the place of its columns. With W for the inverse of the unit triangle of the pivots'
/// rows P,
///
///     A(P, J) <- W A(P, J), and then A(:, J) <- A(:, J) + l A(P, J)
///
/// for the other columns J, left and right of the panel. Then l W, with a one in l for a pivot,
/// takes the place of l. (With A(P, K)^-1 A(P, J) at once, of large numbers in both, the residual
/// would be up to 100 times as large for badly conditioned matrices.)
///
/// The lanes of some warps have RowsOfLane rows of a panel each, in registers. In a step each of
/// these warps shows its best row, they wait once, and all rows take their multiple of the best of
/// these. The other warps have strips of eight columns each, whose tiles of 8 x 8 they change by
/// matrix instructions where there are. Ahead: the first warps bring the columns of the next panel
/// up to date and eliminate it while the others change their strips. Where has_shuffles.
///
/// Cost: a wait of some warps a column, and one of all for eight columns; n^3 multiply-adds.
template <class T, int RowsOfLane, bool Ahead = Vendor::items_wait_alone>
struct InversionPanels {
  using Numbers = NumbersInPanels<T>;
  static constexpr int width = Numbers::width, of_lane = RowsOfLane;
  static constexpr int turns = 3, numbers_of_w = width * (width - 1) / 2;

  int n;                        ///< rows, eight at least
  std::int16_t *place, *order;  ///< for each row its place, -1 before it has one, and the reverse
  T* inverses;                  ///< for each row that of its pivot, and its pivot_key
  std::int32_t* keys;
  std::int32_t* code;  ///< a status: stays what it is where it is not 0
  char* shown;         ///< bytes_to_show(n), aligned to 16

  /// Of the best row of a warp in a step.
  struct alignas(16) Pivot {
    T inverse;
    std::int32_t key, row;
  };
  static constexpr BATCHWORK_INLINE int warps_of_panel(int n) {
    return (n + of_lane * lanes_of_warp - 1) / (of_lane * lanes_of_warp);
  }
  /// What is left of the best row of each warp, in two turns; the pivots of a panel; and the W of
  /// three panels.
  static constexpr BATCHWORK_INLINE std::size_t bytes_to_show(int n) {
    return std::size_t(warps_of_panel(n)) * (2 * width * sizeof(T) + width * sizeof(Pivot)) +
           turns * numbers_of_w * sizeof(T);
  }

  /// A matrix in scratch, with zeros behind its last column up to a whole panel. By all lanes of a
  /// team, who have waited since the numbers were there, and wait at the end. Warps take turns:
  /// those that eliminate a panel have most to do, and are to be on different schedulers of a
  /// multiprocessor.
  template <class Member>
  BATCHWORK_INLINE void eliminate(Member const& member, Numbers const& a, int lane,
                                  int lanes) const {
    int const some = warps_of_panel(n), all = lanes / lanes_of_warp, in_warp = lane % lanes_of_warp;
    int const panels = (n + width - 1) / width;
    int warp = lane / lanes_of_warp;
    BATCHWORK_KEEP_LOOP
    for (int p = -1; p < panels; ++p) {
      bool const is_last = p + 1 == panels;
      if (!is_last) factor(member, a, p + 1, p + 1, warp, in_warp, p >= 0);
      if (p >= 0 && (is_last || warp >= some)) {
        // Without the panel, and the next one.
        int const without = is_last ? 1 : 2, strips = panels - without,
                  step = is_last ? all : all - some, begin = is_last ? warp : warp - some;
        if (p > 0 && (p - 1) % step == begin) {
          put_columns(a, a, p - 1, p - 1, p - 1, in_warp, lanes_of_warp);
          Vendor::warp_sync();
        }
        auto const strip = [&](int u) { return u < p ? u : u + without; };
        int u = begin;
        BATCHWORK_KEEP_LOOP
        for (; u + step < strips; u += 2 * step)
          change_strips<2>(a, {strip(u), strip(u + step)}, a, p, p, in_warp);
        if (u < strips) change_strips<1>(a, {strip(u)}, a, p, p, in_warp);
      }
      member.team_barrier();
      warp = warp < some ? warp + all - some : warp - some;
    }
    put_columns(a, a, panels - 1, panels - 1, panels - 1, lane, lanes);
    member.team_barrier();
  }

  /// Panel p, which is panel `at` of `a`, by warps_of_panel(n) warps. The others wait with them
  /// where they have to. `catches_up`: the panel before it, panel `at` - 1 of `a`, is still to be
  /// applied to it. What is left of a row moves to its first registers in each step, and a column
  /// of W, or of the inverse, enters the last one, so that the steps are one loop.
  template <class Member>
  BATCHWORK_INLINE void factor(Member const& member, Numbers const& a, int at, int p, int warp,
                               int in_warp, bool catches_up) const {
    int const some = warps_of_panel(n), panel = some * lanes_of_warp, pivots = pivots_of(p);
    auto const wait = [&] {
      if (some == 1) Vendor::warp_sync();
      else if constexpr (Ahead) Vendor::first_lanes_barrier(member, panel);
      else member.team_barrier();
    };
    if (warp >= some) {
      if (!Ahead && some > 1)
        for (int m = catches_up ? -1 : 0; m < pivots; ++m) wait();
      return;
    }
    int const lane = warp * lanes_of_warp + in_warp;
    auto const row_of = [&](int s) { return lane + s * panel; };
    // Of rows beyond the matrix anything.
    auto const own = [&](int s, int q) { return a.at(row_of(s) < n ? row_of(s) : lane % 2, q); };
    if (catches_up) {
      if (lane < width) solve_pivots(a, at, p - 1, lane);
      wait();
    }
    T x[of_lane][width];
    bool is_left[of_lane];
    BATCHWORK_UNROLL
    for (int s = 0; s < of_lane; ++s) {
      is_left[s] = row_of(s) < n && place[row_of(s)] < 0;
      read_together(x[s], own(s, at));
    }
    if (catches_up) {
      BATCHWORK_KEEP_LOOP
      for (int m = 0; m < width; m += 2) {
        T l[of_lane][2];
        BATCHWORK_UNROLL
        for (int s = 0; s < of_lane; ++s) read_together(l[s], own(s, at - 1) + m);
        BATCHWORK_UNROLL
        for (int e = 0; e < 2; ++e) {
          T number[width];
          read_together(number, a.at(order[(p - 1) * width + m + e], at));
          BATCHWORK_UNROLL
          for (int s = 0; s < of_lane; ++s) {
            BATCHWORK_UNROLL
            for (int q = 0; q < width; ++q) x[s][q] += l[s][e] * number[q];
          }
        }
      }
    }
    T* const w = w_of(p);
    BATCHWORK_KEEP_LOOP
    for (int m = 0; m < pivots; ++m) {
      std::int32_t best = -1;
      int slot = 0;
      T mine = x[0][0];
      BATCHWORK_UNROLL
      for (int s = 0; s < of_lane; ++s) {
        std::int32_t const key = is_left[s] ? pivot_key(x[s][0]) : -1;
        slot = key > best ? s : slot;
        mine = key > best ? x[s][0] : mine;
        best = key > best ? key : best;
      }
      std::int32_t const largest = Vendor::reduce_max<lanes_of_warp>(best);
      // Found while the search goes on.
      PivotReciprocal<T> const of_mine = pivot_divisor(mine, best);
      int const from = Vendor::countr_zero(Vendor::ballot(best == largest));
      if (in_warp == from) {
        T* const row = best_row(m, warp, some);
        BATCHWORK_UNROLL
        for (int s = 0; s < of_lane; ++s)
          if (slot == s) write_together(row, x[s]);
        Pivot& pivot = pivots_shown(some)[m * some + warp];
        pivot.inverse = of_mine.inverse;
        pivot.key = largest;
        pivot.row = row_of(slot);
      }
      wait();
      int const which = best_warp(m, some);
      Pivot const& pivot = pivots_shown(some)[m * some + which];
      T const* const line = best_row(m, which, some);
      T number[width];
      read_together(number, line);
      PivotReciprocal<T> divisor;
      divisor.scale = scale_of_pivot<T>(pivot.key), divisor.inverse = pivot.inverse;
      int const row = pivot.row;
      BATCHWORK_UNROLL
      for (int s = 0; s < of_lane; ++s) {
        bool const is_pivot = row_of(s) == row;
        T const l = is_pivot ? T(0) : divisor * T(-x[s][0]);
        BATCHWORK_UNROLL
        for (int q = 0; q + 1 < width; ++q) x[s][q] = x[s][q + 1] + l * number[q + 1];
        x[s][width - 1] = is_pivot ? T(1) : l;
        is_left[s] = is_left[s] && !is_pivot;
        if (row_of(s) < n) own(s, at)[m] = l;
      }
      // A row of W is in the last registers of the row of the pivot.
      if (lane < m) w[m * (m - 1) / 2 + lane] = line[width - m + lane];
    }
    if (warp == 0) note_pivots(a, at, p, pivots, some, in_warp);
  }

  /// The panels of some columns, in which a warp has strips of eight columns of tiles.
  template <int Strips>
  struct Which {
    int panel[Strips];
  };
  /// Applies panel p, whose multipliers are panel `at` of `left`, to strips of `a`.
  template <int Strips>
  BATCHWORK_INLINE void change_strips(Numbers const& a, Which<Strips> const& strips,
                                      Numbers const& left, int at, int p, int in_warp) const {
    int const r = in_warp / 4, c = in_warp % 4, pivots = pivots_of(p);
    std::int16_t const* const rows = order + p * width;
    BATCHWORK_UNROLL
    for (int s = 0; s < Strips; ++s)
      if (in_warp / width == s) solve_pivots(a, strips.panel[s], p, in_warp % width);
    Vendor::warp_sync();
    constexpr bool by_matrices = Vendor::chains_matrices<T>;
    T b[Strips][by_matrices ? 2 : 2 * width];
    BATCHWORK_UNROLL
    for (int f = 0; f < (by_matrices ? 2 : width); ++f) {
      // Beyond the pivots of a last panel any row: the multipliers are zeros there.
      int const m = by_matrices ? 4 * f + c : f, row = rows[m < pivots ? m : 0];
      BATCHWORK_UNROLL
      for (int s = 0; s < Strips; ++s) {
        T const* const from = a.at(row, strips.panel[s]);
        if constexpr (by_matrices) {
          b[s][f] = from[r];
        } else {
          T two[2];
          read_together(two, from + 2 * c);
          b[s][2 * f] = two[0], b[s][2 * f + 1] = two[1];
        }
      }
    }
    Vendor::warp_sync();
    // Rows 8 i + r of the lane.
    T* own[Strips];
    BATCHWORK_UNROLL
    for (int s = 0; s < Strips; ++s) own[s] = a.at(r, strips.panel[s]) + 2 * c;
    T const* const of_left = left.at(r, at);
    int const down = (n - r + width - 1) / width;
    if constexpr (by_matrices) {
      constexpr int blocks = Vendor::blocks_at_once, at_once = 2 * blocks;
      BATCHWORK_KEEP_LOOP
      for (int i0 = 0; width * i0 < n; i0 += at_once) {
        T x[Strips][at_once][2];
        int from[at_once];
        BATCHWORK_UNROLL
        for (int i = 0; i < at_once; ++i) {
          // Beyond the matrix anything.
          from[i] = i0 + i < down ? (i0 + i) * width : 0;
          BATCHWORK_UNROLL
          for (int s = 0; s < Strips; ++s)
            read_together(x[s][i], own[s] + std::int64_t(from[i]) * a.leading);
        }
        BATCHWORK_UNROLL
        for (int i = 0; i < at_once; i += blocks) {
          T l[2][blocks];
          BATCHWORK_UNROLL
          for (int k = 0; k < blocks; ++k) {
            T const* const of_row = of_left + from[i + k] * left.leading + c;
            l[0][k] = of_row[0], l[1][k] = of_row[4];
          }
          BATCHWORK_UNROLL
          for (int s = 0; s < Strips; ++s)
            add_products([&](int k) { return x[s][i + k]; }, l, b[s]);
          BATCHWORK_UNROLL
          for (int k = 0; k < blocks; ++k) {
            if (i0 + i + k >= down) continue;
            BATCHWORK_UNROLL
            for (int s = 0; s < Strips; ++s)
              write_together(own[s] + std::int64_t(from[i + k]) * a.leading, x[s][i + k]);
          }
        }
      }
    } else {
      BATCHWORK_KEEP_LOOP
      for (int i = 0; i < down; ++i) {
        T x[Strips][2];
        BATCHWORK_UNROLL
        for (int s = 0; s < Strips; ++s)
          read_together(x[s], own[s] + std::int64_t(i) * width * a.leading);
        BATCHWORK_UNROLL
        for (int h = 0; h < 2; ++h) {
          T l[4];
          read_together(l, of_left + i * width * left.leading + 4 * h);
          BATCHWORK_UNROLL
          for (int q = 0; q < 4; ++q) {
            BATCHWORK_UNROLL
            for (int s = 0; s < Strips; ++s) {
              x[s][0] += l[q] * b[s][8 * h + 2 * q];
              x[s][1] += l[q] * b[s][8 * h + 2 * q + 1];
            }
          }
        }
        BATCHWORK_UNROLL
        for (int s = 0; s < Strips; ++s)
          write_together(own[s] + std::int64_t(i) * width * a.leading, x[s]);
      }
    }
  }

  /// The columns of the inverse for panel p, from its multipliers in panel `from` of `left` to
  /// panel `to` of `a`, by some lanes.
  BATCHWORK_INLINE void put_columns(Numbers const& a, Numbers const& left, int to, int from, int p,
                                    int lane, int lanes) const {
    T const* const w = w_of(p);
    int const pivots = pivots_of(p);
    BATCHWORK_KEEP_LOOP
    for (int i = lane; i < n; i += lanes) {
      T l[width];
      read_together(l, left.at(i, from));
      int const own = place[i] - p * width;
      BATCHWORK_UNROLL
      for (int m = 0; m < width; ++m) {
        l[m] = own == m ? T(1) : l[m];
        if (m >= pivots) continue;
        BATCHWORK_UNROLL
        for (int q = 0; q < m; ++q) l[q] += l[m] * w[m * (m - 1) / 2 + q];
      }
      write_together(a.at(i, to), l);
    }
  }

 private:
  BATCHWORK_INLINE int pivots_of(int p) const {
    return n - p * width < width ? n - p * width : width;
  }
  BATCHWORK_INLINE T* best_row(int m, int warp, int some) const {
    return reinterpret_cast<T*>(shown) + (m % 2 * some + warp) * width;
  }
  BATCHWORK_INLINE Pivot* pivots_shown(int some) const {
    return reinterpret_cast<Pivot*>(reinterpret_cast<T*>(shown) + 2 * some * width);
  }
  /// Row m of W, without its one, from w_of(p) + m (m - 1) / 2 on.
  BATCHWORK_INLINE T* w_of(int p) const {
    int const some = warps_of_panel(n);
    return reinterpret_cast<T*>(pivots_shown(some) + width * some) + p % turns * numbers_of_w;
  }
  /// The warp with the pivot of step m.
  BATCHWORK_INLINE int best_warp(int m, int some) const {
    Pivot const* const all = pivots_shown(some) + m * some;
    int which = 0;
    BATCHWORK_KEEP_LOOP
    for (int w = 1; w < some; ++w) which = all[w].key > all[which].key ? w : which;
    return which;
  }
  /// What is known of the pivots of a panel, by the lanes of a warp; their rows have no multiples
  /// of pivots before them, which they have taken.
  BATCHWORK_INLINE void note_pivots(Numbers const& a, int at, int p, int pivots, int some,
                                    int in_warp) const {
    int const k = p * width + in_warp;
    std::int32_t key = 1;
    if (in_warp < pivots) {
      Pivot const& pivot = pivots_shown(some)[in_warp * some + best_warp(in_warp, some)];
      key = pivot.key;
      place[pivot.row] = std::int16_t(k);
      order[k] = std::int16_t(pivot.row);
      inverses[pivot.row] = pivot.inverse;
      keys[pivot.row] = key;
      for (int q = 0; q < in_warp; ++q) a.at(pivot.row, at)[q] = T(0);
    }
    unsigned const bad =
        Vendor::ballot(key == 0 || key >= pivot_key(std::numeric_limits<T>::infinity()));
    if (bad != 0 && *code == 0 && in_warp == Vendor::countr_zero(bad))
      *code = Status::code(key == 0 ? Reason::singular : Reason::not_finite, k + 1);
  }
  /// W times the rows of the pivots of panel p, of column `column` of panel q of `a`.
  BATCHWORK_INLINE void solve_pivots(Numbers const& a, int q, int p, int column) const {
    T const* const w = w_of(p);
    int const pivots = pivots_of(p);
    std::int16_t const* const rows = order + p * width;
    T* from[width];
    T x[width];
    BATCHWORK_UNROLL
    for (int m = 0; m < width; ++m) {
      from[m] = a.at(rows[m < pivots ? m : 0], q) + column;
      x[m] = *from[m];
    }
    BATCHWORK_UNROLL
    for (int m = width - 1; m > 0; --m) {
      if (m >= pivots) continue;
      BATCHWORK_UNROLL
      for (int k = 0; k < m; ++k) x[m] += w[m * (m - 1) / 2 + k] * x[k];
      *from[m] = x[m];
    }
  }
};

}  // namespace Batchwork::Impl

#endif
