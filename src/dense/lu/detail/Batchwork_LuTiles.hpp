// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// LuTiles: the kernel of lu, solve_lu, inverse and determinant on devices for matrices of up to 64 rows, which the lanes of a warp or
/// two hold in registers.
#ifndef BATCHWORK_LUTILES_HPP
#define BATCHWORK_LUTILES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_Vendor.hpp"
#include "dense/lu/detail/Batchwork_LuProblem.hpp"
#include "view/detail/layout/Batchwork_MatrixTravel.hpp"

namespace Batchwork::Impl {

/// The rows that the largest of these kernels takes, and the tiles down of the kernel for n rows: few cases, so that there are few.
inline constexpr int lu_rows_in_tiles = 64;
constexpr int lu_tiles(int n) { return n <= 16 ? 2 : (n + 7) / 8; }

/// A matrix of up to 8 Tiles rows, the identity beyond its own, in tiles of 8 x 8: lane 4 r + c of a warp holds numbers (r, 2 c) and
/// (r, 2 c + 1) of each, as matrix instructions want them. Elimination by groups of four columns (Golub and Van Loan, Matrix
/// Computations, 4th edition, section 3.4.7; LAPACK's getrf): a group passes through scratch to lanes that have whole rows of it,
/// which find its pivots as `eliminate` does, and comes back as L and U. With W for the group's rows of the unit triangle L11, and
/// L21 for those below,
///
///     [U12]   [A12]   [I - W^-1 ]
///     [A22] = [A22] - [L21 W^-1 ] A12,
///
/// one product for all rows, of which those that were pivots before have zeros. Rows stay where they are. That is three waits for four
/// columns. W is of order four, its entries are at most one in size: errors are those of substitution with W, within a factor of 8.
///
/// The whole of L and U stays in scratch, where solutions are substituted: one vector by lanes that have rows, the forward one during
/// the elimination; several, or the inverse, in tiles. Where has_shuffles.
template <class T, int Tiles, LuTask Task>
struct LuTiles {
  /// Double matrices of more than 48 rows outgrow the registers of a warp: two have every other column of tiles. More lanes would leave
  /// fewer items on a multiprocessor, and most of the time goes by in steps that a warp does alone.
  static constexpr int warps = Tiles * Tiles * int(sizeof(T)) > 288 ? 2 : 1;
  static constexpr int count = warps * lanes_of_warp;         ///< lanes of an item
  static constexpr int across = (Tiles + warps - 1) / warps;  ///< columns of tiles that a warp has
  static constexpr int rows = 8 * Tiles, groups = 2 * Tiles;
  /// Rows of a group that a lane has.
  static constexpr int of_lane = (rows + lanes_of_warp - 1) / lanes_of_warp;
  /// Items of a team: a sector of 32 bytes of neighbouring ones, or a part of it.
  static constexpr int most_items = std::min(32 / int(sizeof(T)), 8 / warps);
  static constexpr int largest_team = count * most_items;
  /// Teams for which the registers of a multiprocessor suffice: what the tiles need, and as much as was seen beside them.
  static constexpr int wanted_teams =
      std::max(1, registers_of_multiprocessor / largest_team /
                      (Tiles * across * 2 * int(sizeof(T)) / 4 + 96));

  // Where the numbers of an item stand in its scratch: L and U by groups, in which row i has its four numbers at 4 i; the multipliers
  // of a group, twice where warps do not wait for each other; rows of pivots, as far apart as lanes that read one column of them want;
  // a right-hand side and the solution; and the reciprocals of the pivots.
  static constexpr int turns = warps > 1 ? 2 : 1;
  static constexpr int group_numbers = 4 * rows + 4, pivots_leading = rows + 4;
  static constexpr int to_multipliers = groups * group_numbers,
                       to_pivots = to_multipliers + turns * 4 * rows,
                       to_before = to_pivots + 4 * pivots_leading, to_after = to_before + rows,
                       to_reciprocals = to_after + rows, item_numbers = to_reciprocals + 2 * rows;
  /// Behind them for each row its place, and for each place its row.
  static constexpr std::size_t item_bytes = item_numbers * sizeof(T) + 2 * rows * 2;
  static_assert(item_bytes % 16 == 0);

  LuProblem<T> p;
  int items_per_team = 1;
  MatrixTravel of_a, of_b, of_result;

  LuTiles(LuProblem<T> const& problem, DeviceLimits const& limits) : p(problem) {
    of_a = MatrixTravel::of(p.a, p.n, p.n, true, true);
    bool near = of_a.by_items;
    if (p.result == LuResult::factors || Task == LuTask::inverses) {
      of_result = MatrixTravel::of(result(), p.n, p.n, true, true);
      near = near || of_result.by_items;
    } else if constexpr (one_side) {
      of_b = MatrixTravel::of(p.b, p.n, 1, true, false);
      of_result = MatrixTravel::of(p.x, p.n, 1, true, false);
    }
    int const most = near ? most_items : std::max(1, (Tiles > 4 ? 2 : 4) / warps);
    while (2 * items_per_team <= most && 2 * items_per_team <= p.items) {
      items_per_team *= 2;
      if (bytes() <= limits.scratch(std::max(2, wanted_teams), team())) continue;
      items_per_team /= 2;
      break;
    }
  }
  std::size_t bytes() const { return std::size_t(items_per_team) * item_bytes + 16; }
  int team() const { return count * items_per_team; }
  std::int64_t teams() const { return (p.items + items_per_team - 1) / items_per_team; }
  bool fits(DeviceLimits const& limits) const {
    return limits.holds(wanted_teams, team(), bytes());
  }

  /// One vector, whose forward substitution goes along with the elimination.
  static constexpr bool one_side = Task == LuTask::solution;
  /// The matrices that are stored.
  BATCHWORK_INLINE Storage<T> const& result() const { return Task == LuTask::factors ? p.lu : p.x; }

  /// The calling lane and its item.
  struct Here : LaneOfItems {
    int warp, in_warp;   ///< of the item's; rank in it
    int r, c;            ///< see above
    std::int64_t first;  ///< item of the team
    T* numbers;
    std::int16_t *place, *order;

    BATCHWORK_INLINE T* group(int g) const { return numbers + g * group_numbers; }
    /// The column of tiles that is number k of the warp.
    BATCHWORK_INLINE int tile(int k) const { return warps * k + warp; }
  };

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::size_t const bytes_of_team = std::size_t(items_per_team) * item_bytes;
    char* const scratch =
        static_cast<char*>(member.team_scratch(0).get_shmem_aligned(int(bytes_of_team), 16));
    auto const numbers_of = [&](int item) {
      return reinterpret_cast<T*>(scratch + std::size_t(item) * item_bytes);
    };
    auto const indices_of = [&](int item) {
      return reinterpret_cast<std::int16_t*>(numbers_of(item) + item_numbers);
    };
    Here here = lane_of(member, numbers_of, indices_of);
    bool const together = of_a.by_items || of_b.by_items || of_result.by_items;
    auto const meet = [&] {
      if (together || warps > 1) member.team_barrier();
      else Vendor::wait_for_warp(member);
    };

    auto const place = [&](int i, int j) { return j / 4 * group_numbers + 4 * i + j % 4; };
    {
      int const which = here.item_of_share(of_a);
      T* const to = numbers_of(which);
      T const* const from = item_of(p.a, here.first + which);
      here.walk(of_a, [&](int, int i, int j) {
        fetch_numbers(of_a, to + place(i, j), from + (i * p.a.row + j * p.a.col));
      });
    }
    if constexpr (one_side) {
      int const which = here.item_of_share(of_b);
      T* const to = numbers_of(which) + to_before;
      T const* const from = item_of(p.b, here.first + which);
      here.walk(of_b, [&](int, int i, int) { fetch_together<1>(to + i, from + i * p.b.row); });
    }
    begin(here);
    Vendor::wait_for_copies();
    meet();
    factorise(member, here);
    std::int32_t code = status(here);
    auto const is_there = [&] { return here.item < here.there; };
    auto const item = [&] { return is_there() ? here.first + here.item : p.items - 1; };
    // Numbers of the team's items, of which row i goes to row_of(indices)[i].
    auto const store = [&](auto const& row_of) {
      meet();
      // Found anew, rather than kept while registers are scarce.
      here = lane_of(member, numbers_of, indices_of);
      int const which = here.item_of_share(of_result);
      T* const to = item_of(result(), here.first + which);
      here.walk(of_result, [&](int, int i, int j) {
        store_numbers(of_result,
                      to + (row_of(indices_of(which), i) * result().row + j * result().col),
                      numbers_of(which) + place(i, j));
      });
    };

    if constexpr (Task == LuTask::factors) {
      if (p.result == LuResult::determinant) {
        auto const found = determinant(here);
        if (here.lane == 0 && is_there()) code = p.put_determinant(item(), found, code);
      } else {
        store([](std::int16_t const* places, int i) { return int(places[i]); });
        if (is_there())
          for (int k = here.lane; k < p.n; k += count)
            item_of(p.order, item())[std::int64_t(k) * p.order.row] = here.order[k];
      }
    } else {
      bool finite = true;
      if constexpr (one_side) {
        if (here.warp == 0) {
          backward(here);
          T* const x = here.numbers + to_after;
          for (int k = here.in_warp; k < p.n; k += lanes_of_warp) {
            finite = finite && is_finite(x[k]);
            if (code != 0) x[k] = std::numeric_limits<T>::quiet_NaN();
          }
        }
        meet();
        int const which = here.item_of_share(of_result);
        T const* const from = numbers_of(which) + to_after;
        T* const to = item_of(p.x, here.first + which);
        here.walk(of_result, [&](int, int i, int) { to[i * p.x.row] = from[i]; });
      } else {
        for (int c0 = 0; c0 < p.columns; c0 += rows)
          finite = solve_columns(member, here, item(), is_there(), c0, code != 0) && finite;
      }
      finite = !Vendor::any_in_warp(!finite);
      if constexpr (warps > 1) {
        if (here.in_warp == 0) here.numbers[to_before + here.warp] = finite ? T(0) : T(1);
        member.team_barrier();
        for (int w = 0; w < warps; ++w) finite = finite && here.numbers[to_before + w] == T(0);
      }
      // Where only a result is not finite. A number of b may be what is not.
      if (code == 0 && !finite) code = Status::code(Reason::not_finite, 0);
      if constexpr (Task == LuTask::inverses) store([](std::int16_t const*, int i) { return i; });
    }
    if (p.status.wanted() && here.lane == 0 && is_there()) p.status.put(item(), code);
  }

 private:
  template <class Member, class Numbers, class Indices>
  BATCHWORK_INLINE Here lane_of(Member const& member, Numbers const& numbers_of,
                                Indices const& indices_of) const {
    Here here;
    here.first = std::int64_t(member.league_rank()) * items_per_team;
    here.rank = Vendor::renewed(Vendor::lane_rank(member));
    here.team = count * items_per_team;
    here.lanes = count;
    here.item = here.rank / count;
    here.lane = here.rank % count;
    here.items = items_per_team;
    here.there = p.items - here.first < items_per_team ? int(p.items - here.first) : items_per_team;
    here.warp = here.lane / lanes_of_warp;
    here.in_warp = here.lane % lanes_of_warp;
    here.r = here.in_warp / 4, here.c = here.in_warp % 4;
    here.numbers = numbers_of(here.item);
    here.place = indices_of(here.item);
    here.order = here.place + rows;
    return here;
  }

  /// What `t` moves at once.
  static BATCHWORK_INLINE void store_numbers(MatrixTravel const& t, T* to, T const* from) {
    if (t.shift == 2) store_together<16 / int(sizeof(T))>(to, from);
    else if (t.shift == 1) store_together<2>(to, from);
    else *to = *from;
  }
  template <int Numbers>
  static BATCHWORK_INLINE void store_together(T* to, T const* from) {
    T x[Numbers];
    read_together(x, from);
    Vendor::store_together(to, x);
  }

  /// The identity beyond the rows of an item, and no row in a place.
  BATCHWORK_INLINE void begin(Here const& here) const {
    int const beyond = rows - p.n;
    for (int k = here.lane; k < rows * beyond; k += count) {
      int const i = k / beyond, j = p.n + k % beyond;
      here.group(j / 4)[4 * i + j % 4] = i == j ? T(1) : T(0);
      if (i < p.n) here.group(i / 4)[4 * j + i % 4] = T(0);
    }
    for (int i = here.lane; i < rows; i += count) {
      here.place[i] = -1;
      here.order[i] = std::int16_t(i);
      if (i >= p.n) here.numbers[to_before + i] = T(0);
    }
  }

  // ---- elimination ----

  template <class Member>
  BATCHWORK_INLINE void factorise(Member const& member, Here const& here) const {
    T rest[Tiles][across][2];
    BATCHWORK_UNROLL
    for (int k = 0; k < across; ++k) {
      if (here.tile(k) >= Tiles) continue;
      int const column = 8 * here.tile(k) + 2 * here.c;
      BATCHWORK_UNROLL
      for (int i = 0; i < Tiles; ++i)
        read_together(rest[i][k], here.group(column / 4) + 4 * (8 * i + here.r) + 2 * (here.c % 2));
    }
    Vendor::wait_for_warp(member);
    BATCHWORK_KEEP_LOOP
    for (int g = 0; 4 * g < p.n; ++g) {
      if (g / 2 % warps == here.warp) {
        if (g > 0) write_group(here, rest, g);
        Vendor::wait_for_warp(member);
        factor_group(here, g);
      }
      if constexpr (warps > 1) member.team_barrier();
      else Vendor::wait_for_warp(member);
      if (4 * g + 4 >= p.n) break;
      write_pivots(here, rest, g);
      Vendor::wait_for_warp(member);
      // An odd group has nothing left in its tiles.
      T const* const multipliers = here.numbers + to_multipliers + g % turns * 4 * rows;
      subtract_product(
          here, rest, 0, Tiles, (g + 1) / 2, Tiles,
          [&](int i) { return multipliers + 4 * (8 * i + here.r); }, [](int) { return true; });
    }
  }

  /// Group g, as the groups before it have left it, to scratch.
  BATCHWORK_INLINE void write_group(Here const& here, T const (&rest)[Tiles][across][2],
                                    int g) const {
    if (here.c / 2 != g % 2) return;
    Vendor::with_constant<across>(g / 2 / warps, [&](auto k) {
      BATCHWORK_UNROLL
      for (int i = 0; i < Tiles; ++i)
        write_together(here.group(g) + 4 * (8 * i + here.r) + 2 * (here.c % 2), rest[i][k]);
    });
  }

  /// Four steps of `eliminate` on the group, by a warp, and the multipliers of all rows.
  BATCHWORK_INLINE void factor_group(Here const& here, int g) const {
    T* const group = here.group(g);
    T x[of_lane][4], y[of_lane], l[of_lane][4], unit[4][4];
    bool open[of_lane] = {};  // not yet in a place
    auto const is_candidate = [&](int s, int m) {
      // Rows beyond the item's are for columns beyond them, whatever NaN they may hold.
      return open[s] && (of_lane * here.in_warp + s < p.n) == (4 * g + m < p.n);
    };
    BATCHWORK_UNROLL
    for (int s = 0; s < of_lane; ++s) {
      int const row = of_lane * here.in_warp + s;
      bool const is_row = row < rows;
      BATCHWORK_UNROLL
      for (int q = 0; q < 4; ++q) x[s][q] = T(0);
      y[s] = T(0);
      if (!is_row) continue;
      open[s] = here.place[row] < 0;
      read_together(x[s], group + 4 * row);
      if constexpr (one_side) y[s] = here.numbers[to_before + row];
    }
    BATCHWORK_UNROLL
    for (int m = 0; m < 4; ++m) {
      // Of equal ones the first row.
      std::int32_t best = -1;
      int slot = 0;
      BATCHWORK_UNROLL
      for (int s = 0; s < of_lane; ++s) {
        std::int32_t const key = is_candidate(s, m) ? pivot_key(x[s][m]) : -1;
        slot = key > best ? s : slot;
        best = key > best ? key : best;
      }
      auto const own = [&](T const& first, T const& last) {
        return of_lane == 1 || slot == 0 ? first : last;
      };
      // Of the own candidate: found while the search goes on.
      PivotReciprocal<T> divisor = pivot_divisor(own(x[0][m], x[of_lane - 1][m]));
      std::int32_t const largest = Vendor::largest_of<lanes_of_warp>(best);
      int const from = Vendor::lowest_bit(Vendor::votes_in_warp(best == largest));
      auto const of_pivot = [&](T const& number) {
        return Vendor::from_lane<lanes_of_warp>(number, from);
      };
      divisor.scale = of_pivot(divisor.scale);
      divisor.inverse = of_pivot(divisor.inverse);
      T pivot[4];
      BATCHWORK_UNROLL
      for (int q = 0; q < 4; ++q)
        if (q != m) pivot[q] = of_pivot(own(x[0][q], x[of_lane - 1][q]));
      BATCHWORK_UNROLL
      for (int q = 0; q < m; ++q) unit[m][q] = pivot[q];
      T const known = one_side ? of_pivot(own(y[0], y[of_lane - 1])) : T(0);
      BATCHWORK_UNROLL
      for (int s = 0; s < of_lane; ++s) {
        bool const chosen = here.in_warp == from && slot == s;
        if (chosen) {
          int const row = of_lane * here.in_warp + s, k = 4 * g + m;
          here.place[row] = std::int16_t(k);
          here.order[k] = std::int16_t(row);
          here.numbers[to_reciprocals + 2 * k] = divisor.scale;
          here.numbers[to_reciprocals + 2 * k + 1] = divisor.inverse;
        }
        open[s] = open[s] && !chosen;
        T const quotient = divisor * x[s][m];
        l[s][m] = open[s] ? quotient : T(0);
        x[s][m] = open[s] ? quotient : x[s][m];
        BATCHWORK_UNROLL
        for (int q = m + 1; q < 4; ++q) x[s][q] = open[s] ? x[s][q] - quotient * pivot[q] : x[s][q];
        y[s] = open[s] ? y[s] - quotient * known : y[s];
      }
    }
    T* const multipliers = here.numbers + to_multipliers + g % turns * 4 * rows;
    BATCHWORK_UNROLL
    for (int s = 0; s < of_lane; ++s) {
      int const row = of_lane * here.in_warp + s;
      if (row >= rows) continue;
      write_together(group + 4 * row, x[s]);
      if constexpr (one_side) here.numbers[to_before + row] = y[s];
      // l W^-1
      BATCHWORK_UNROLL
      for (int q = 2; q >= 0; --q) {
        BATCHWORK_UNROLL
        for (int m = q + 1; m < 4; ++m) l[s][q] -= l[s][m] * unit[m][q];
      }
      write_together(multipliers + 4 * row, l[s]);
    }
  }

  /// The rows of the pivots of group g, as they are right of it.
  BATCHWORK_INLINE void write_pivots(Here const& here, T const (&rest)[Tiles][across][2],
                                     int g) const {
    T* const to = here.numbers + to_pivots + 2 * here.c;
    int const first = (g + 1) / 2;
    BATCHWORK_UNROLL
    for (int i = 0; i < Tiles; ++i) {
      int const m = step_of(here, 8 * i + here.r, g);
      if (m < 0) continue;
      BATCHWORK_UNROLL
      for (int k = 0; k < across; ++k)
        if (here.tile(k) >= first && here.tile(k) < Tiles)
          write_together(to + m * pivots_leading + 8 * here.tile(k), rest[i][k]);
    }
  }

  /// Which of the four pivots of group g a row is, or a negative number. Where there are two warps the other one may be writing
  /// the places of the next group.
  static BATCHWORK_INLINE int step_of(Here const& here, int row, int g) {
    if constexpr (warps == 1) return here.place[row] - 4 * g;
    int step = -1;
    BATCHWORK_UNROLL
    for (int m = 0; m < 4; ++m) step = here.order[4 * g + m] == row ? m : step;
    return step;
  }

  /// x -= the four multipliers of a row times the four rows in to_pivots, for rows of tiles [i0, i1) and columns of tiles [j0, j1).
  /// four_of(i) points to the multipliers of the lane's row of tile i, which are zero unless there(i).
  template <class FourOf, class There>
  static BATCHWORK_INLINE void subtract_product(Here const& here, T (&x)[Tiles][across][2], int i0,
                                                int i1, int j0, int j1, FourOf const& four_of,
                                                There const& there) {
    T const* const pivots = here.numbers + to_pivots;
    auto const wanted = [&](int k) {
      return here.tile(k) >= j0 && here.tile(k) < j1 && here.tile(k) < Tiles;
    };
    if constexpr (Vendor::chains_matrices<T>) {
      constexpr int blocks = Vendor::blocks_at_once;
      T a[Tiles];
      BATCHWORK_UNROLL
      for (int i = 0; i < Tiles; ++i)
        a[i] = i >= i0 && i < i1 && there(i) ? -four_of(i)[here.c] : T(0);
      BATCHWORK_UNROLL
      for (int k = 0; k < across; ++k) {
        if (!wanted(k)) continue;
        T const b = pivots[here.c * pivots_leading + 8 * here.tile(k) + here.r];
        BATCHWORK_UNROLL
        for (int i = 0; i < Tiles; i += blocks) {
          if (i + blocks <= i0 || i >= i1) continue;
          if (i + blocks <= Tiles) {
            T some[blocks][2], left[blocks];
            BATCHWORK_UNROLL
            for (int s = 0; s < blocks; ++s) {
              int const t = i + s < Tiles ? i + s : Tiles - 1;
              left[s] = a[t], some[s][0] = x[t][k][0], some[s][1] = x[t][k][1];
            }
            Vendor::multiply_matrices(some, left, b);
            BATCHWORK_UNROLL
            for (int s = 0; s < blocks; ++s) {
              int const t = i + s < Tiles ? i + s : Tiles - 1;
              x[t][k][0] = some[s][0], x[t][k][1] = some[s][1];
            }
          } else {
            Vendor::multiply_matrices(x[i][k], a[i], b);
          }
        }
      }
    } else {
      // Two terms at a time where four would leave too few registers for the tiles.
      constexpr int terms = Tiles > 6 ? 2 : 4;
      BATCHWORK_UNROLL
      for (int q0 = 0; q0 < 4; q0 += terms) {
        T a[Tiles][terms];
        BATCHWORK_UNROLL
        for (int i = 0; i < Tiles; ++i) {
          if (i < i0 || i >= i1) continue;
          read_together(a[i], four_of(i) + q0);
          BATCHWORK_UNROLL
          for (int q = 0; q < terms; ++q) a[i][q] = there(i) ? a[i][q] : T(0);
        }
        BATCHWORK_UNROLL
        for (int k = 0; k < across; ++k) {
          if (!wanted(k)) continue;
          T b[terms][2];
          BATCHWORK_UNROLL
          for (int q = 0; q < terms; ++q)
            read_together(b[q], pivots + (q0 + q) * pivots_leading + 8 * here.tile(k) + 2 * here.c);
          BATCHWORK_UNROLL
          for (int i = 0; i < Tiles; ++i) {
            if (i < i0 || i >= i1) continue;
            BATCHWORK_UNROLL
            for (int q = 0; q < terms; ++q) {
              x[i][k][0] -= a[i][q] * b[q][0];
              x[i][k][1] -= a[i][q] * b[q][1];
            }
          }
        }
      }
    }
  }

  // ---- what comes of the factors ----

  BATCHWORK_INLINE T pivot(Here const& here, int k) const {
    return here.group(k / 4)[4 * here.order[k] + k % 4];
  }
  /// That of the first pivot that is zero or not finite.
  BATCHWORK_INLINE std::int32_t status(Here const& here) const {
    std::int32_t code = 0;
    for (int k0 = 0; k0 < p.n; k0 += lanes_of_warp) {
      int const k = k0 + here.in_warp;
      std::int32_t const mine = k < p.n ? pivot_status(pivot(here, k), k) : 0;
      unsigned const votes = Vendor::votes_in_warp(mine != 0);
      if (votes != 0 && code == 0)
        code = Vendor::from_lane<lanes_of_warp>(mine, Vendor::lowest_bit(votes));
    }
    return code;
  }
  BATCHWORK_INLINE LuDeterminant<T> determinant(Here const& here) const {
    LuDeterminant<T> found{T(1), T(0), T(1)};
    // The order is odd where the number of pairs that stand in another order than their rows is.
    bool odd = false;
    for (int k = here.in_warp; k < p.n; k += lanes_of_warp) {
      for (int j = 0; j < k; ++j) odd = odd != (here.order[j] > here.order[k]);
      T const size = pivot(here, k);
      found.log_size += log(abs(size));
      found.sign *= size > T(0) ? T(1) : size < T(0) ? T(-1) : size;
    }
    BATCHWORK_UNROLL_ON_DEVICE
    for (int step = 1; step < lanes_of_warp; step *= 2) {
      found.log_size += Vendor::swapped(found.log_size, step);
      found.sign *= Vendor::swapped(found.sign, step);
    }
    if (Vendor::count_bits(Vendor::votes_in_warp(odd)) % 2 != 0)
      found.product = T(-1), found.sign = -found.sign;
    for (int k = 0; k < p.n; ++k) found.product *= pivot(here, k);
    return found;
  }

  /// U x = y for the one vector, by a warp whose lanes have rows: x_k goes from the lane that has it to all above it.
  BATCHWORK_INLINE void backward(Here const& here) const {
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
      divisor[s] = reciprocal(here, place[s] >= 0 && place[s] < rows ? place[s] : 0);
    }
    BATCHWORK_KEEP_LOOP
    for (int g = (p.n + 3) / 4 - 1; g >= 0; --g) {
      T u[of_lane][4];
      BATCHWORK_UNROLL
      for (int s = 0; s < of_lane; ++s) {
        int const row = of_lane * here.in_warp + s;
        read_together(u[s], here.group(g) + 4 * (row < rows ? row : 0));
      }
      BATCHWORK_UNROLL
      for (int q = 3; q >= 0; --q) {
        int const k = 4 * g + q, row = here.order[k];
        T x[of_lane];
        BATCHWORK_UNROLL
        for (int s = 0; s < of_lane; ++s) x[s] = divisor[s] * y[s];
        T const known = Vendor::from_lane<lanes_of_warp>(
            of_lane == 1 || row % of_lane == 0 ? x[0] : x[of_lane - 1], row / of_lane);
        BATCHWORK_UNROLL
        for (int s = 0; s < of_lane; ++s) y[s] = place[s] < k ? y[s] - u[s][q] * known : y[s];
        if (here.in_warp == 0) after[k] = known;
      }
    }
    Vendor::meet_in_warp();
  }
  BATCHWORK_INLINE PivotReciprocal<T> reciprocal(Here const& here, int k) const {
    PivotReciprocal<T> r;
    r.scale = here.numbers[to_reciprocals + 2 * k];
    r.inverse = here.numbers[to_reciprocals + 2 * k + 1];
    return r;
  }

  /// Solutions for up to `rows` right-hand sides from c0 on, which are stored. Of an inverse, U^-1 L^-1 P, where L^-1 is lower and P
  /// sends columns to other places, they take the place of the factors. \returns whether those of the lane are finite
  template <class Member>
  BATCHWORK_INLINE bool solve_columns(Member const& member, Here const& here, std::int64_t item,
                                      bool is_there, int c0, bool failed) const {
    constexpr bool inverts = Task == LuTask::inverses;
    int const some = p.columns - c0 < rows ? p.columns - c0 : rows, tiles = (some + 7) / 8;
    T x[Tiles][across][2];
    T const* const b = inverts ? nullptr : item_of(p.b, item);
    BATCHWORK_UNROLL
    for (int i = 0; i < Tiles; ++i) {
      int const row = 8 * i + here.r;
      int const from = inverts ? 0 : here.order[row];
      BATCHWORK_UNROLL
      for (int k = 0; k < across; ++k) {
        BATCHWORK_UNROLL
        for (int e = 0; e < 2; ++e) {
          int const column = 8 * here.tile(k) + 2 * here.c + e;
          if constexpr (inverts) x[i][k][e] = T(row == column ? 1 : 0);
          else
            x[i][k][e] = row < p.n && column < some
                             ? b[from * p.b.row + std::int64_t(c0 + column) * p.b.col]
                             : T(0);
        }
      }
    }
    BATCHWORK_KEEP_LOOP
    for (int g = 0; 4 * g < p.n; ++g)
      substitute<true>(member, here, x, g, inverts ? g / 2 + 1 : tiles);
    BATCHWORK_KEEP_LOOP
    for (int g = (p.n + 3) / 4 - 1; g >= 0; --g) substitute<false>(member, here, x, g, tiles);
    // Factors are not needed any more.
    if constexpr (inverts && warps > 1) member.team_barrier();
    bool finite = true;
    T* const to = inverts ? nullptr : item_of(p.x, item);
    BATCHWORK_UNROLL
    for (int k = 0; k < across; ++k) {
      BATCHWORK_UNROLL
      for (int e = 0; e < 2; ++e) {
        int const column = 8 * here.tile(k) + 2 * here.c + e;
        if (column >= some) continue;
        // One place at a time.
        if constexpr (inverts) Vendor::forget_loads();
        int const place = inverts ? here.order[column] : 0;
        BATCHWORK_UNROLL
        for (int i = 0; i < Tiles; ++i) {
          int const row = 8 * i + here.r;
          if (row >= p.n) continue;
          T const number = failed ? std::numeric_limits<T>::quiet_NaN() : x[i][k][e];
          finite = finite && is_finite(number);
          if constexpr (inverts) here.group(place / 4)[4 * row + place % 4] = number;
          else if (is_there) to[row * p.x.row + std::int64_t(c0 + column) * p.x.col] = number;
        }
      }
    }
    return finite;
  }

  /// Rows of x in the places of group g, solved with L or U, and what other rows take of them. Rows are in the order of places.
  template <bool Lower, class Member>
  BATCHWORK_INLINE void substitute(Member const& member, Here const& here, T (&x)[Tiles][across][2],
                                   int g, int tiles) const {
    T* const pivots = here.numbers + to_pivots;
    T const* const group = here.group(g);
    bool const mine = here.r / 4 == g % 2;
    auto const for_own = [&](auto const& body) {
      if (!mine) return;
      Vendor::with_constant<Tiles>(g / 2, [&](auto i) {
        BATCHWORK_UNROLL
        for (int k = 0; k < across; ++k)
          if (here.tile(k) < tiles)
            body(x[i][k], pivots + here.r % 4 * pivots_leading + 8 * here.tile(k) + 2 * here.c);
      });
    };
    for_own([](T const(&own)[2], T* shared) { write_together(shared, own); });
    Vendor::wait_for_warp(member);
    T corner[4][4];
    BATCHWORK_UNROLL
    for (int q = 0; q < 4; ++q) read_together(corner[q], group + 4 * here.order[4 * g + q]);
    BATCHWORK_KEEP_LOOP
    for (int t = here.in_warp; t < 8 * across; t += lanes_of_warp) {
      if (here.tile(t / 8) >= tiles) break;
      T* const column = pivots + 8 * here.tile(t / 8) + t % 8;
      T y[4];
      BATCHWORK_UNROLL
      for (int q = 0; q < 4; ++q) y[q] = column[q * pivots_leading];
      if constexpr (Lower) {
        BATCHWORK_UNROLL
        for (int q = 1; q < 4; ++q) {
          BATCHWORK_UNROLL
          for (int m = 0; m < q; ++m) y[q] -= corner[q][m] * y[m];
        }
      } else {
        BATCHWORK_UNROLL
        for (int q = 3; q >= 0; --q) {
          BATCHWORK_UNROLL
          for (int m = q + 1; m < 4; ++m) y[q] -= corner[q][m] * y[m];
          y[q] = reciprocal(here, 4 * g + q) * y[q];
        }
      }
      BATCHWORK_UNROLL
      for (int q = 0; q < 4; ++q) column[q * pivots_leading] = y[q];
    }
    Vendor::wait_for_warp(member);
    for_own([](T(&own)[2], T const* shared) { read_together(own, shared); });
    subtract_product(
        here, x, Lower ? g / 2 : 0, Lower ? Tiles : g / 2 + 1, 0, tiles,
        [&](int i) { return group + 4 * here.order[8 * i + here.r]; },
        [&](int i) {
          int const row = 8 * i + here.r;
          return Lower ? row > 4 * g + 3 && row < p.n : row < 4 * g;
        });
    Vendor::wait_for_warp(member);
  }
};

}  // namespace Batchwork::Impl

#endif
