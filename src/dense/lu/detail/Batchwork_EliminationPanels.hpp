// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// EliminationPanels: elimination of a matrix in scratch, of an extent known at run time, by the
/// warps of a team.
#ifndef BATCHWORK_ELIMINATIONPANELS_HPP
#define BATCHWORK_ELIMINATIONPANELS_HPP

#include <cstddef>
#include <cstdint>

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

/// The rows that it takes at most, and the warps that then have one each for a lane.
inline constexpr int most_rows_of_panels = 256, most_warps_of_panels = 8;
constexpr BATCHWORK_INLINE int warps_of_panels(int n) {
  return (n + lanes_of_warp - 1) / lanes_of_warp;
}
/// Lanes of a team: the warps of the panel, and one to seven warps that work on the columns right
/// of it meanwhile. To 96 rows and from 129 to 160 each of a multiprocessor's four schedulers gets
/// as many warps, so that it holds more teams (measured on an H100).
constexpr BATCHWORK_INLINE int lanes_with_panels(int n) {
  int const warps = warps_of_panels(n);
  return (warps < 4 ? 4 : warps == 5 ? 8 : 2 * warps - 1) * lanes_of_warp;
}

/// By panels of eight columns (Golub and Van Loan, Matrix Computations, 4th edition, section 3.4.7;
/// LAPACK's getrf). Rows stay where they are. The lanes of the first warps have a row of the panel
/// each, in registers. In a step each of these warps shows its best row, all wait once, and each
/// takes its multiple of the best of these. Then lanes have columns of the eight rows of the
/// panel's pivots, which they solve with its L; and warps have tiles of 8 x 8 of what is left, from
/// which they take products. Ahead: the first warps do so for the next panel, which they then
/// eliminate while the others go on. Where has_shuffles.
///
/// OneSide: there is a vector, whose forward substitution goes along.
/// Cost: a wait of some warps a column, and two of all for eight columns; n^3 / 2 multiply-adds, by
/// matrix instructions where there are.
template <class T, bool OneSide, bool Ahead = Vendor::items_wait_alone>
struct EliminationPanels {
  static constexpr int width = 8;

  T* numbers;
  /// Number (i, j) is at i * row + j / 4 * four + j % 4; both are multiples of four numbers, and so
  /// is the length of a row. What is beyond the matrix may be anything; some numbers behind it may
  /// be read.
  int row, four;
  int n;
  T* before;       ///< the vector, where OneSide
  T* reciprocals;  ///< scale and inverse of each pivot, see PivotReciprocal, or nullptr
  std::int16_t *place, *order;  ///< for each row its place, and for each place its row
  char* shown;                  ///< bytes_to_show, by multiples of 16

  /// The best row of each warp, what is left of it, twice.
  struct alignas(16) Shown {
    T number[width];
    T others[4];  ///< inverse and scale of the first one; what stands in the vector
  };
  struct alignas(16) Turn {
    std::int32_t key[most_warps_of_panels];  ///< of the first number, -1 where no row is left
    std::int32_t row[most_warps_of_panels];
    Shown best[most_warps_of_panels];
  };
  static constexpr std::size_t bytes_to_show = 2 * sizeof(Turn);

  /// By all lanes of a team, lanes_with_panels or more, who have waited since the matrix was there;
  /// they have to wait again. Rows that come to no place, beyond the matrix, keep what is in
  /// `place` and `order`.
  template <class Member>
  BATCHWORK_INLINE void eliminate(Member const& member, int lane, int lanes) const {
    int const panel = warps_of_panels(n) * lanes_of_warp, tiles = (n + 7) / 8;
    int const in_warp = lane % lanes_of_warp, warp = lane / lanes_of_warp;
    bool const has_row = lane < panel;
    auto const wait = [&] {
      if constexpr (Ahead) Vendor::first_lanes_barrier(member, panel);
      else member.team_barrier();
    };
    Turn* const turns = reinterpret_cast<Turn*>(shown);
    if (lane < 2 * most_warps_of_panels)
      turns[lane / most_warps_of_panels].key[lane % most_warps_of_panels] = -1;
    member.team_barrier();
    bool is_left = lane < n;
    // The lane's rows of tiles that are in their places, or beyond the matrix.
    int const there = (n - in_warp / 4 + 7) / 8;
    unsigned done = there < 32 ? ~0u << there : 0u;
    // The first panel has nothing to take off.
    BATCHWORK_KEEP_LOOP
    for (int k0 = -width;; k0 += width) {
      int const next = k0 + width, t = next / width;
      if (k0 >= 0) {
        BATCHWORK_UNROLL
        for (int m = 0; m < width; ++m) {
          unsigned const i = unsigned(order[k0 + m]);
          done |= unsigned(int(i % 8) == in_warp / 4) << i / 8;
        }
        solve_pivots(k0, lane, lanes);
        member.team_barrier();
      }
      if constexpr (Ahead) {
        int const ahead = panel / lanes_of_warp, others = lanes / lanes_of_warp - ahead;
        if (!has_row && k0 >= 0)
          subtract_columns(k0, t + 1 + (warp - ahead), others, tiles, done, in_warp);
        if (has_row && k0 >= 0) {
          subtract<1>(k0, t, 0, warp, ahead, tiles, done, in_warp);
          wait();
        }
        if (has_row) factor(wait, lane, is_left, next);
      } else {
        if (k0 >= 0) {
          subtract_columns(k0, t + warp, lanes / lanes_of_warp, tiles, done, in_warp);
          wait();
        }
        factor(wait, lane, is_left, next);
      }
      member.team_barrier();
      if (next + width >= n) break;
    }
  }

 private:
  /// Columns k0 to k0 + 7, by lanes that have a row each, or none. What is left of a row moves to
  /// its first registers in each step, so that the steps are one loop: the caches of instructions
  /// hold little.
  template <class Wait>
  BATCHWORK_INLINE void factor(Wait const& wait, int lane, bool& is_left, int k0) const {
    int const warp = lane / lanes_of_warp, in_warp = lane % lanes_of_warp;
    T* const own = numbers + lane * row + k0 / 4 * four;
    T x[width], y = T(0);
    BATCHWORK_UNROLL
    for (int h = 0; h < 2; ++h) {
      T some[4] = {};
      if (is_left && k0 + 4 * h < n) read_together(some, own + h * four);
      BATCHWORK_UNROLL
      for (int q = 0; q < 4; ++q) x[4 * h + q] = some[q];
    }
    if (OneSide && is_left) y = before[lane];
    bool const was_left = is_left;
    int const columns = n - k0 < width ? n - k0 : width;
    // Of a row that comes to a place: its column of the panel, and the reciprocal of its pivot.
    int found = 0;
    PivotReciprocal<T> own_divisor{};
    BATCHWORK_KEEP_LOOP
    for (int m = 0; m < columns; ++m) {
      Turn& turn = reinterpret_cast<Turn*>(shown)[m % 2];
      std::int32_t const size = pivot_key(x[0]), key = is_left ? size : -1;
      // Found while the search goes on.
      PivotReciprocal<T> const mine = pivot_divisor(x[0], size);
      std::int32_t const largest = Vendor::reduce_max<lanes_of_warp>(key);
      // Of equal ones the first row.
      int const from = Vendor::countr_zero(Vendor::ballot(key == largest));
      if (in_warp == from && warp < most_warps_of_panels) {
        Shown& best = turn.best[warp];
        turn.key[warp] = largest;
        turn.row[warp] = lane;
        T const others[4] = {mine.inverse, mine.scale, y, T(0)};
        write_together(best.others, others);
        write_together(best.number, x);
      }
      wait();
      std::int32_t most[most_warps_of_panels];
      int which[most_warps_of_panels];
      read_together(most, turn.key);
      BATCHWORK_UNROLL
      for (int w = 0; w < most_warps_of_panels; ++w) which[w] = w;
      BATCHWORK_UNROLL
      for (int step = 1; step < most_warps_of_panels; step *= 2) {
        BATCHWORK_UNROLL
        for (int w = 0; w < most_warps_of_panels; ++w) {
          if (w % (2 * step) != 0) continue;
          bool const later = most[(w + step) % most_warps_of_panels] > most[w];
          most[w] = later ? most[(w + step) % most_warps_of_panels] : most[w];
          which[w] = later ? which[(w + step) % most_warps_of_panels] : which[w];
        }
      }
      int const chosen = turn.row[which[0]];
      Shown const& best = turn.best[which[0]];
      T pivot[width], others[4];
      read_together(others, best.others);
      read_together(pivot, best.number);
      PivotReciprocal<T> divisor;
      divisor.inverse = others[0], divisor.scale = others[1];
      bool const is_chosen = lane == chosen;
      found = is_chosen ? m : found;
      own_divisor.inverse = is_chosen ? divisor.inverse : own_divisor.inverse;
      own_divisor.scale = is_chosen ? divisor.scale : own_divisor.scale;
      is_left = is_left && !is_chosen;
      // A row that has a place is not changed.
      if (is_left) {
        T const l = divisor * x[0];
        own[m < 4 ? m : four + m - 4] = l;
        BATCHWORK_UNROLL
        for (int q = 0; q + 1 < width; ++q) x[q] = x[q + 1] - l * pivot[q + 1];
        x[width - 1] = T(0);
        if constexpr (OneSide) y -= l * others[2];
      }
    }
    if (!was_left) return;
    if constexpr (OneSide) before[lane] = y;
    if (is_left) return;
    int const k = k0 + found;
    place[lane] = std::int16_t(k);
    order[k] = std::int16_t(lane);
    if (reciprocals != nullptr) {
      reciprocals[2 * k] = own_divisor.scale;
      reciprocals[2 * k + 1] = own_divisor.inverse;
    }
    BATCHWORK_UNROLL
    for (int q = 0; q < width; ++q) {
      int const j = found + q;
      if (j < columns) own[j < 4 ? j : four + j - 4] = x[q];
    }
  }

  /// The rows of the pivots of a panel, right of it: L^-1 times them, by lanes that have a column
  /// each.
  BATCHWORK_INLINE void solve_pivots(int k0, int lane, int lanes) const {
    int rows[width];
    BATCHWORK_UNROLL
    for (int m = 0; m < width; ++m) rows[m] = order[k0 + m] * row;
    T const* const lower = numbers + k0 / 4 * four;
    BATCHWORK_KEEP_LOOP
    for (int j = k0 + width + lane; j < n; j += lanes) {
      T* const column = numbers + j / 4 * four + j % 4;
      T x[width];
      BATCHWORK_UNROLL
      for (int m = 0; m < width; ++m) x[m] = column[rows[m]];
      BATCHWORK_UNROLL
      for (int m = 0; m < width; ++m) {
        BATCHWORK_UNROLL
        for (int h = 0; h < 2; ++h) {
          if (4 * h >= m) continue;
          T l[4];
          read_together(l, lower + rows[m] + h * four);
          BATCHWORK_UNROLL
          for (int q = 0; q < 4; ++q)
            if (4 * h + q < m) x[m] -= l[q] * x[4 * h + q];
        }
        if (m > 0) column[rows[m]] = x[m];
      }
    }
  }

  /// Takes what the pivots of a panel are responsible for off every `step`th column of tiles from t
  /// on.
  BATCHWORK_INLINE void subtract_columns(int k0, int t, int step, int tiles, unsigned done,
                                         int in_warp) const {
    BATCHWORK_KEEP_LOOP
    for (; t + step < tiles; t += 2 * step) subtract<2>(k0, t, step, 0, 1, tiles, done, in_warp);
    if (t < tiles) subtract<1>(k0, t, 0, 0, 1, tiles, done, in_warp);
  }
  /// Off some columns of tiles, `step` apart, by a warp that is number `part` of `parts` that share
  /// their rows.
  template <int Across>
  BATCHWORK_INLINE void subtract(int k0, int t, int step, int part, int parts, int tiles,
                                 unsigned done, int in_warp) const {
    int const r = in_warp / 4, c = in_warp % 4;
    T* const lines = numbers + r * row;
    T* own[Across];
    bool is_there[Across];
    BATCHWORK_UNROLL
    for (int s = 0; s < Across; ++s) {
      own[s] = lines + (2 * (t + s * step) + c / 2) * four + 2 * (c % 2);
      is_there[s] = 8 * (t + s * step) + 4 * (c / 2) < n;
    }
    T const* const left = lines + k0 / 4 * four;
    if constexpr (Vendor::chains_matrices<T>) {
      constexpr int blocks = Vendor::blocks_at_once, at_once = 2 * blocks;
      T b[2][Across][1];
      BATCHWORK_UNROLL
      for (int f = 0; f < 2; ++f) {
        T const* const pivot = numbers + order[k0 + 4 * f + c] * row + r % 4;
        BATCHWORK_UNROLL
        for (int s = 0; s < Across; ++s) b[f][s][0] = pivot[(2 * (t + s * step) + r / 4) * four];
      }
      BATCHWORK_KEEP_LOOP
      for (int i0 = part * at_once; i0 < tiles; i0 += parts * at_once) {
        T a[2][1][at_once], x[Across][at_once][2];
        bool is_left[at_once];
        BATCHWORK_UNROLL
        for (int i = 0; i < at_once; ++i) {
          // Rows that are done are anything.
          is_left[i] = (done >> (i0 + i) & 1u) == 0;
          int const at = is_left[i] ? (i0 + i) * 8 * row : 0;
          BATCHWORK_UNROLL
          for (int f = 0; f < 2; ++f) a[f][0][i] = -left[at + f * four + c];
          BATCHWORK_UNROLL
          for (int s = 0; s < Across; ++s) read_together(x[s][i], own[s] + at);
        }
        // In this order: all tiles, eight terms at once, took 1 to 2 % longer (H200).
        BATCHWORK_UNROLL
        for (int i = 0; i < at_once; i += blocks) {
          BATCHWORK_UNROLL
          for (int s = 0; s < Across; ++s) {
            BATCHWORK_UNROLL
            for (int f = 0; f < 2; ++f)
              add_products([&](int k) { return x[s][k]; }, a[f], b[f][s], i, i, i + blocks);
            BATCHWORK_UNROLL
            for (int k = i; k < i + blocks; ++k)
              if (is_left[k] && is_there[s]) write_together(own[s] + (i0 + k) * 8 * row, x[s][k]);
          }
        }
      }
    } else {
      T b[Across][width][2];
      BATCHWORK_UNROLL
      for (int m = 0; m < width; ++m) {
        int const pivot = order[k0 + m] * row - r * row;
        BATCHWORK_UNROLL
        for (int s = 0; s < Across; ++s) read_together(b[s][m], own[s] + pivot);
      }
      BATCHWORK_KEEP_LOOP
      for (int i = part; i < tiles; i += parts) {
        if ((done >> i & 1u) != 0) continue;
        T a[2][4];
        BATCHWORK_UNROLL
        for (int f = 0; f < 2; ++f) read_together(a[f], left + i * 8 * row + f * four);
        BATCHWORK_UNROLL
        for (int s = 0; s < Across; ++s) {
          T x[2];
          read_together(x, own[s] + i * 8 * row);
          BATCHWORK_UNROLL
          for (int m = 0; m < width; ++m) {
            x[0] -= a[m / 4][m % 4] * b[s][m][0];
            x[1] -= a[m / 4][m % 4] * b[s][m][1];
          }
          if (is_there[s]) write_together(own[s] + i * 8 * row, x);
        }
      }
    }
  }
};

}  // namespace Batchwork::Impl

#endif
