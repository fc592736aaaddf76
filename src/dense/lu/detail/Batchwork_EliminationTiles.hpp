// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// EliminationTiles: elimination of matrices by a warp or two each, of more than 64 rows by some
/// more, which hold them in registers, or in double, beyond 64 rows, in scratch. Kernels of lu,
/// solve_lu, inverse and determinant, and of direct solves, are made of it.
#ifndef BATCHWORK_ELIMINATIONTILES_HPP
#define BATCHWORK_ELIMINATIONTILES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Barriers.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "dense/lu/detail/Batchwork_EliminationPanels.hpp"
#include "dense/lu/detail/Batchwork_LuChoice.hpp"
#include "dense/lu/detail/Batchwork_WarpsOfItem.hpp"
#include "team/detail/Batchwork_PivotSearch.hpp"
#include "team/detail/Batchwork_Substitution.hpp"
#include "team/detail/Batchwork_WarpTiles.hpp"

namespace Batchwork::Impl {

/// A matrix of up to 8 Tiles rows, filled up with the identity, in tiles of 8 x 8. Lane 4 r + c of
/// a warp holds numbers (r, 2 c) and (r, 2 c + 1) of each tile, as matrix instructions need them.
/// Elimination is by groups of four columns (Golub and Van Loan, Matrix Computations, 4th edition,
/// section 3.4.7; LAPACK's getrf). A group passes through scratch to lanes that have whole rows of
/// it. They find its pivots as `eliminate` does, and the group comes back as L and U. With W for
/// the group's rows of the unit triangle L11, and L21 for the rows below,
///
///     [U12]   [A12]   [I - W^-1 ]
///     [A22] = [A22] - [L21 W^-1 ] A12,
///
/// one product for all rows; rows that were pivots before have zeros. Rows are not moved. That
/// takes three waits for four columns. W is 4 x 4 and its entries are at most one in size, so
/// errors are at most 8 times the errors of a substitution with W.
///
/// The whole of L and U stays in scratch, where solutions are substituted: one vector by lanes that
/// have rows, the forward one during the elimination; several, or the inverse, in tiles. A matrix
/// in_scratch is eliminated by EliminationPanels; rows beyond its own then come to no place. Where
/// has_shuffles.
///
/// OneSide: there is one vector, whose forward substitution goes along with the elimination.
template <class T, int Tiles, bool OneSide>
struct EliminationTiles : WarpsOfItem<T, 8 * Tiles, warps_of_tiles<T>(Tiles)> {
  using Base = WarpsOfItem<T, 8 * Tiles, warps_of_tiles<T>(Tiles)>;
  using Base::warps, Base::count, Base::n;
  using typename Base::Here;
  static constexpr bool by_rows = false;
  static constexpr int across = (Tiles + warps - 1) / warps;  ///< columns of tiles that a warp has
  static constexpr int rows = 8 * Tiles, groups = 2 * Tiles;
  /// Double matrices of more than 64 rows outgrow the registers of a multiprocessor: their tiles
  /// stay in scratch.
  static constexpr bool in_scratch = Tiles > 8 && sizeof(T) == 8;
  /// Rows of a group that a lane has.
  static constexpr int of_lane = (rows + lanes_of_warp - 1) / lanes_of_warp;
  using Dealt = RowsOfWarp<of_lane, true>;
  /// Items of a team: a sector of 32 bytes of neighbouring ones, or a part of it.
  static constexpr int most_items = std::max(1, std::min(32 / int(sizeof(T)), 8 / warps));
  /// Where items are not near each other.
  static constexpr int usual_items = std::max(1, (Tiles > 4 ? 2 : 4) / warps);
  static constexpr int largest_team = count * most_items;
  /// Registers of a lane for its tiles, and for a panel of a matrix in scratch.
  static constexpr int registers_held = in_scratch ? 36 : Tiles * across * 2 * int(sizeof(T)) / 4;
  /// Teams for which the registers of a multiprocessor suffice, counting the tiles and the other
  /// registers that were measured.
  static constexpr int wanted_teams =
      std::max(1, registers_of_multiprocessor / largest_team / (registers_held + 96));

  // The layout of an item's scratch: L and U by groups, in which row i has its four numbers at 4 i;
  // the multipliers of a group, twice where warps do not wait for each other; rows of pivots, at a
  // distance that suits lanes that read one column of them; a right-hand side and the solution; and
  // the reciprocals of the pivots.
  static constexpr int turns = warps > 1 ? 2 : 1;
  static constexpr int group_numbers = 4 * rows + 4, pivots_leading = rows + 4;
  static constexpr int matrix_numbers = groups * group_numbers, to_multipliers = matrix_numbers,
                       to_pivots = to_multipliers + turns * 4 * rows,
                       to_before = to_pivots + 4 * pivots_leading, to_after = to_before + rows,
                       to_reciprocals = to_after + rows, item_numbers = to_reciprocals + 2 * rows;
  /// Behind them for each row its place, and for each place its row.
  static constexpr std::size_t item_bytes = item_numbers * sizeof(T) + 2 * rows * 2;
  static_assert(item_bytes % 16 == 0);

  static BATCHWORK_INLINE T* group(Here const& here, int g) {
    return here.numbers + g * group_numbers;
  }
  /// The column of tiles that is number k of the lane's warp.
  static BATCHWORK_INLINE int tile(Here const& here, int k) { return warps * k + here.warp; }
  /// A number of the matrix, and of its factors.
  static constexpr BATCHWORK_INLINE int place_of(int i, int j) {
    return j / 4 * group_numbers + 4 * i + j % 4;
  }
  static BATCHWORK_INLINE T factor(Here const& here, int i, int j) {
    return here.numbers[place_of(i, j)];
  }

  /// The identity beyond the rows of an item, and no row in a place.
  BATCHWORK_INLINE void begin(Here const& here) const {
    int const beyond = rows - n;
    for (int k = here.lane; k < rows * beyond; k += count) {
      int const i = k / beyond, j = n + k % beyond;
      group(here, j / 4)[4 * i + j % 4] = i == j ? T(1) : T(0);
      if (i < n) group(here, i / 4)[4 * j + i % 4] = T(0);
    }
    for (int i = here.lane; i < rows; i += count) {
      here.place[i] = -1;
      here.order[i] = std::int16_t(i);
      if (i >= n) here.numbers[to_before + i] = T(0);
    }
  }

  // ---- elimination ----

  /// \param prepare  changes the tiles of the lane, prepare(rest), before the elimination
  template <class Member, class Prepare = MatrixAsItIs>
  BATCHWORK_INLINE void factorise(Member const& member, Here const& here,
                                  [[maybe_unused]] Prepare const& prepare = {}) const {
    constexpr bool is_prepared = !std::is_same_v<Prepare, MatrixAsItIs>;
    T rest[Tiles][across][2];
    BATCHWORK_UNROLL
    for (int k = 0; k < across; ++k) {
      if (tile(here, k) >= Tiles) continue;
      int const column = 8 * tile(here, k) + 2 * here.c;
      BATCHWORK_UNROLL
      for (int i = 0; i < Tiles; ++i)
        read_together(rest[i][k],
                      group(here, column / 4) + 4 * (8 * i + here.r) + 2 * (here.c % 2));
    }
    Vendor::warp_sync(member);
    if constexpr (is_prepared) prepare(rest);
    BATCHWORK_KEEP_LOOP
    for (int g = 0; 4 * g < n; ++g) {
      if (g / 2 % warps == here.warp) {
        if (is_prepared || g > 0) write_group(here, rest, g);
        Vendor::warp_sync(member);
        factor_group(here, g);
      }
      Vendor::item_barrier<count>(member, here.item, here.items);
      if (4 * g + 4 >= n) break;
      write_pivots(here, rest, g);
      Vendor::warp_sync(member);
      // An odd group has nothing left in its tiles.
      T const* const multipliers = here.numbers + to_multipliers + g % turns * 4 * rows;
      subtract_product(
          here, rest, 0, Tiles, (g + 1) / 2, Tiles,
          [&](int i) { return multipliers + 4 * (8 * i + here.r); }, [](int) { return true; });
    }
  }

  /// The same where the matrix stays in scratch.
  template <class Member>
  BATCHWORK_INLINE void factorise_in_scratch(Member const& member, Here const& here) const {
    using Panels = EliminationPanels<T, OneSide>;
    static_assert(rows <= most_rows_of_panels && count > warps_of_panels(rows) * lanes_of_warp &&
                  Panels::bytes_to_show <= (to_before - to_multipliers) * sizeof(T));
    Panels{here.numbers,
           4,
           group_numbers,
           n,
           here.numbers + to_before,
           here.numbers + to_reciprocals,
           here.place,
           here.order,
           reinterpret_cast<char*>(here.numbers + to_multipliers)}
        .eliminate(member, here.lane, count);
    member.team_barrier();
  }

  /// Group g, as the groups before it have left it, to scratch.
  BATCHWORK_INLINE void write_group(Here const& here, T const (&rest)[Tiles][across][2],
                                    int g) const {
    if (here.c / 2 != g % 2) return;
    Vendor::with_constant<across>(g / 2 / warps, [&](auto k) {
      BATCHWORK_UNROLL
      for (int i = 0; i < Tiles; ++i)
        write_together(group(here, g) + 4 * (8 * i + here.r) + 2 * (here.c % 2), rest[i][k]);
    });
  }

  /// Four steps of `eliminate` on the group, by a warp, and the multipliers of all rows.
  BATCHWORK_INLINE void factor_group(Here const& here, int g) const {
    T* const group = this->group(here, g);
    T x[of_lane][4], y[of_lane], unit[4][4];
    int steps[of_lane] =
        {};  // of the four, before the row comes to a place: four while it has none
    auto const is_candidate = [&](int s, int m) {
      // Rows beyond the item's are for columns beyond them, whatever NaN they may hold.
      return steps[s] == 4 && (of_lane * here.in_warp + s < n) == (4 * g + m < n);
    };
    BATCHWORK_UNROLL
    for (int s = 0; s < of_lane; ++s) {
      int const row = of_lane * here.in_warp + s;
      bool const is_row = row < rows;
      BATCHWORK_UNROLL
      for (int q = 0; q < 4; ++q) x[s][q] = T(0);
      y[s] = T(0);
      if (!is_row) continue;
      steps[s] = here.place[row] < 0 ? 4 : 0;
      read_together(x[s], group + 4 * row);
      if constexpr (OneSide) y[s] = here.numbers[to_before + row];
    }
    BATCHWORK_UNROLL
    for (int m = 0; m < 4; ++m) {
      PivotSearch<of_lane, true> search;
      search.find_own([&](int s) { return is_candidate(s, m) ? pivot_key(x[s][m]) : -1; });
      auto const own = [&](auto const& of) { return Dealt::of_slot(search.slot, of); };
      // Of the own candidate: found while the search goes on.
      PivotReciprocal<T> divisor = pivot_divisor(own([&](int s) { return x[s][m]; }), search.own);
      search.find();
      auto const of_pivot = [&](T const& number) {
        return Vendor::shuffle<lanes_of_warp>(number, search.lane);
      };
      divisor.scale = scale_of_pivot<T>(search.key);
      divisor.inverse = of_pivot(divisor.inverse);
      T pivot[4];
      BATCHWORK_UNROLL
      for (int q = 0; q < 4; ++q)
        if (q != m) pivot[q] = of_pivot(own([&](int s) { return x[s][q]; }));
      BATCHWORK_UNROLL
      for (int q = 0; q < m; ++q) unit[m][q] = pivot[q];
      T const known = OneSide ? of_pivot(own([&](int s) { return y[s]; })) : T(0);
      BATCHWORK_UNROLL
      for (int s = 0; s < of_lane; ++s) {
        bool const chosen = here.in_warp == search.lane && search.slot == s;
        if (chosen) {
          int const row = of_lane * here.in_warp + s, k = 4 * g + m;
          here.place[row] = std::int16_t(k);
          here.order[k] = std::int16_t(row);
          here.numbers[to_reciprocals + 2 * k] = divisor.scale;
          here.numbers[to_reciprocals + 2 * k + 1] = divisor.inverse;
        }
        steps[s] = chosen ? m : steps[s];
        // Of a row that has a place nothing is taken: zero times what then is not finite harms an
        // item that has failed.
        T const quotient = steps[s] == 4 ? divisor * x[s][m] : T(0);
        x[s][m] = steps[s] == 4 ? quotient : x[s][m];
        BATCHWORK_UNROLL
        for (int q = m + 1; q < 4; ++q) x[s][q] -= quotient * pivot[q];
        if constexpr (OneSide) y[s] -= quotient * known;
      }
    }
    T* const multipliers = here.numbers + to_multipliers + g % turns * 4 * rows;
    BATCHWORK_UNROLL
    for (int s = 0; s < of_lane; ++s) {
      int const row = of_lane * here.in_warp + s;
      if (row >= rows) continue;
      write_together(group + 4 * row, x[s]);
      if constexpr (OneSide) here.numbers[to_before + row] = y[s];
      // l W^-1
      T l[4];
      BATCHWORK_UNROLL
      for (int q = 0; q < 4; ++q) l[q] = q < steps[s] ? x[s][q] : T(0);
      BATCHWORK_UNROLL
      for (int q = 2; q >= 0; --q) {
        BATCHWORK_UNROLL
        for (int m = q + 1; m < 4; ++m) l[q] -= l[m] * unit[m][q];
      }
      write_together(multipliers + 4 * row, l);
    }
  }

  /// The rows of the pivots of group g, right of the group.
  BATCHWORK_INLINE void write_pivots(Here const& here, T const (&rest)[Tiles][across][2],
                                     int g) const {
    T* const to = here.numbers + to_pivots + 2 * here.c;
    // Not by the places of rows: a second warp may be writing the places of the next group.
    std::int16_t row[4];
    read_together(row, here.order + 4 * g);
    // The tiles in which the lane has such a row, and its number for each, which two bits hold.
    using Numbers = std::conditional_t<(Tiles > 16), std::uint64_t, std::uint32_t>;
    unsigned has = 0;
    Numbers which = 0;
    BATCHWORK_UNROLL
    for (int m = 0; m < 4; ++m) {
      unsigned const tile = unsigned(row[m]) / 8, mine = int(unsigned(row[m]) % 8) == here.r;
      has |= mine << tile;
      which |= Numbers(mine * m) << (2 * tile);
    }
    BATCHWORK_UNROLL
    for (int i = 0; i < Tiles; ++i) {
      if ((has >> i & 1u) == 0) continue;
      T* const line = to + int(which >> (2 * i) & 3) * pivots_leading;
      BATCHWORK_UNROLL
      for (int k = 0; k < across; ++k)
        if (tile(here, k) < Tiles) write_together(line + 8 * tile(here, k), rest[i][k]);
    }
  }

  /// x -= the four multipliers of a row times the four rows in to_pivots, for rows of tiles [i0,
  /// i1) and columns of tiles [j0, j1). four_of(i) points to the multipliers of the lane's row of
  /// tile i, which are zero unless there(i).
  template <class FourOf, class There>
  static BATCHWORK_INLINE void subtract_product(Here const& here, T (&x)[Tiles][across][2], int i0,
                                                int i1, int j0, int j1, FourOf const& four_of,
                                                There const& there) {
    T const* const pivots = here.numbers + to_pivots;
    subtract_products<Tiles, across, false, T>(
        here, [&](int i, int k) { return x[i][k]; }, i0, i1, four_of, there,
        [&](int k, int q, int j) { return pivots + q * pivots_leading + 8 * tile(here, k) + j; },
        [&](int k) { return tile(here, k) >= j0 && tile(here, k) < j1 && tile(here, k) < Tiles; });
  }

  // ---- what comes of the factors ----

  BATCHWORK_INLINE T pivot(Here const& here, int k) const {
    return group(here, k / 4)[4 * here.order[k] + k % 4];
  }
  BATCHWORK_INLINE std::int32_t status(Here const& here) const {
    return Base::status_of(here, [&](int k) { return pivot(here, k); });
  }
  /// L y = P b for one vector more, in to_before, as the elimination does it along with the first;
  /// then `backward`.
  BATCHWORK_INLINE void forward(Here const& here) const {
    T* const before = here.numbers + to_before;
    T y[of_lane];
    int place[of_lane];
    BATCHWORK_UNROLL
    for (int s = 0; s < of_lane; ++s) {
      int const row = of_lane * here.in_warp + s;
      // Rows beyond the last group have no place, and nothing to take off. No lane reads what
      // another one changes.
      place[s] = row < rows ? here.place[row] : -1;
      y[s] = row < rows ? before[row] : T(0);
    }
    Dealt::forward(n, here.order, y, place,
                   [&](int s, int k0, T(&l)[4]) { read_of_row(here, s, k0, l); });
    BATCHWORK_UNROLL
    for (int s = 0; s < of_lane; ++s) {
      int const row = of_lane * here.in_warp + s;
      if (row < rows) before[row] = y[s];
    }
    Vendor::warp_sync();
  }
  /// U x = y for the one vector, by a warp whose lanes have rows: x_k goes from the lane that has
  /// it to all above it.
  BATCHWORK_INLINE void backward(Here const& here) const {
    if constexpr (in_scratch) {
      backward_by_panels(here);
      return;
    }
    T *const before = here.numbers + to_before, *const after = here.numbers + to_after;
    T y[of_lane];
    int place[of_lane];
    PivotReciprocal<T> divisor[of_lane];
    BATCHWORK_UNROLL
    for (int s = 0; s < of_lane; ++s) {
      int const row = of_lane * here.in_warp + s, some = row < rows ? row : 0;
      place[s] = row < rows ? here.place[some] : rows;
      y[s] = before[some];
      // Rows beyond the last group have no place.
      divisor[s] = this->reciprocal(here.numbers + to_reciprocals,
                                    place[s] >= 0 && place[s] < rows ? place[s] : 0);
    }
    Dealt::template backward<true>(
        n, here.order, y, place, divisor,
        [&](int s, int k0, T(&u)[4]) { read_of_row(here, s, k0, u); },
        [&](int k, T known) {
          if (here.in_warp == 0) after[k] = known;
        });
    Vendor::warp_sync();
  }

 private:
  static BATCHWORK_INLINE void read_of_row(Here const& here, int s, int k0, T (&x)[4]) {
    int const row = of_lane * here.in_warp + s;
    read_together(x, group(here, k0 / 4) + 4 * (row < rows ? row : 0));
  }
  /// The same for many rows: all lanes solve for the same eight numbers, then each takes them off
  /// its rows.
  BATCHWORK_INLINE void backward_by_panels(Here const& here) const {
    constexpr int width = 8;
    T *const before = here.numbers + to_before, *const after = here.numbers + to_after;
    T const* const reciprocals = here.numbers + to_reciprocals;
    BATCHWORK_KEEP_LOOP
    for (int k0 = (n - 1) / width * width; k0 >= 0; k0 -= width) {
      T const* const of_columns = group(here, k0 / 4);
      auto const row_of_four = [&](int row, int h, T(&u)[4]) {
        read_together(u, of_columns + h * group_numbers + 4 * row);
      };
      T x[width];
      int rows_of[width];
      BATCHWORK_UNROLL
      for (int m = 0; m < width; ++m) {
        rows_of[m] = here.order[k0 + m];
        x[m] = k0 + m < n ? before[rows_of[m]] : T(0);
      }
      BATCHWORK_UNROLL
      for (int m = width - 1; m >= 0; --m) {
        BATCHWORK_UNROLL
        for (int h = 0; h < 2; ++h) {
          if (h < m / 4 || k0 + 4 * h >= n) continue;
          T u[4];
          row_of_four(rows_of[m], h, u);
          BATCHWORK_UNROLL
          for (int q = 0; q < 4; ++q)
            if (4 * h + q > m) x[m] -= u[q] * x[4 * h + q];
        }
        if (k0 + m < n) x[m] = this->reciprocal(reciprocals, k0 + m) * x[m];
      }
      if (here.in_warp == 0) write_together(after + k0, x);
      // All together, so that their loads are in flight at once.
      BATCHWORK_UNROLL
      for (int s = 0; s < of_lane; ++s) {
        int const row = lanes_of_warp * s + here.in_warp;
        if (row >= n || here.place[row] >= k0) continue;
        T y = before[row];
        BATCHWORK_UNROLL
        for (int h = 0; h < 2; ++h) {
          if (k0 + 4 * h >= n) continue;
          T u[4];
          row_of_four(row, h, u);
          BATCHWORK_UNROLL
          for (int q = 0; q < 4; ++q) y -= u[q] * x[4 * h + q];
        }
        before[row] = y;
      }
      Vendor::warp_sync();
    }
  }
};

}  // namespace Batchwork::Impl

#endif
