// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// TriangleColumns: the kernel of solve_lower and solve_upper on devices for several right-hand
/// sides of up to 64 rows.
#ifndef BATCHWORK_TRIANGLECOLUMNS_HPP
#define BATCHWORK_TRIANGLECOLUMNS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_QuickDivisor.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "dense/cholesky/detail/Batchwork_PanelScratch.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleProblem.hpp"
#include "team/detail/Batchwork_TeamKernel.hpp"
#include "view/detail/layout/Batchwork_MatrixTravel.hpp"

namespace Batchwork::Impl {

/// A lane has a right-hand side in registers and eliminates the solved numbers from it by panels of
/// eight columns of the triangle (Golub and Van Loan, Matrix Computations, 4th edition, section
/// 3.1.3). The triangle is in scratch, where all lanes of an item read the same numbers. Right-hand
/// sides are read and written by whole sectors: neighbouring lanes have columns of one item, or, if
/// items are contiguous, some columns each of as many items as fill a sector. A backward
/// substitution is a forward one with rows and columns in the other order. Tiles: eights of rows at
/// most.
template <class T, int Tiles>
struct TriangleColumns : TeamKernel<TriangleColumns<T, Tiles>> {
  using Shell = TeamKernel<TriangleColumns>;
  using Shell::items_per_team, Shell::bytes;
  static constexpr bool always_fits = false;
  static constexpr int most_rows = 8 * Tiles;
  static constexpr int largest_team = 128;
  /// Of a team at least, where there are enough right-hand sides.
  static constexpr int wanted_team = 128;
  /// Registers of 32 bits, as were seen to suffice: tiles of float count once, of double twice.
  static constexpr int words = Tiles * int(sizeof(T)) / 4;
  static constexpr int registers = words <= 1 ? 64 : words <= 2 ? 96 : words <= 4 ? 128 : 168;
  static constexpr int wanted_teams =
      std::max(1, registers_of_multiprocessor / (largest_team * registers));

  TriangleProblem<T> p;
  PanelScratch<T> at;
  int lanes = 8;   ///< of an item, where they copy its triangle
  int beside = 1;  ///< columns of an item that lanes side by side have, where items are near
  bool near = false;
  QuickDivisor by_beside;
  PanelTravel of_a;

  TriangleColumns(TriangleProblem<T> const& problem, DeviceLimits const& limits)
      : p(problem), at{(p.n + 7) / 8} {
    if (p.backward) {
      auto const reverse = [&](auto& s, bool matrix) {
        s.data += (p.n - 1) * s.row;
        s.row = -s.row;
        if (matrix) s.data += (p.n - 1) * s.col, s.col = -s.col;
      };
      // Column k of the transposed triangle is row k.
      std::swap(p.a.row, p.a.col);
      near = items_are_near(p.x, p.n, p.columns) || items_are_near(p.b, p.n, p.columns);
      reverse(p.a, true), reverse(p.b, false), reverse(p.x, false);
    } else {
      near = items_are_near(p.x, p.n, p.columns) || items_are_near(p.b, p.n, p.columns);
    }
    of_a = PanelTravel::of(p.a, p.n, false);
    bool const sectors = near || of_a.by.by_items;
    // Of items that are near few lanes each, and more items; of the largest ones few as well, since
    // little scratch is left.
    lanes = words > 8 ? 16 : near ? 8 : std::min((p.columns + 7) / 8 * 8, largest_team);
    int const least = near || words > 8 ? wanted_team / lanes : sectors ? 32 / int(sizeof(T)) : 1;
    while (2 * items_per_team <= lanes_of_warp && items_per_team < p.items &&
           (items_per_team < least || items_per_team * lanes < wanted_team)) {
      items_per_team *= 2;
      if (bytes() <= limits.scratch(items_per_team <= least ? 1 : wanted_teams, largest_team))
        continue;
      items_per_team /= 2;
      break;
    }
    while (items_per_team * lanes > largest_team) lanes = (lanes / 2 + 7) / 8 * 8;
    beside = near ? std::max(1, lanes_of_warp / items_per_team) : p.columns;
    by_beside = QuickDivisor(beside);
  }
  BATCHWORK_INLINE std::size_t bytes_of_item() const {
    return std::size_t(at.item_numbers()) * sizeof(T) + 2 * sizeof(std::int32_t);
  }
  int team() const {
    return (items_per_team * lanes + lanes_of_warp - 1) / lanes_of_warp * lanes_of_warp;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
    std::int64_t const first = std::int64_t(member.league_rank()) * items_per_team;
    LaneOfItems here;
    here.rank = Vendor::lane_rank(member);
    here.team = member.team_size();
    here.lanes = lanes;
    here.item = here.rank / lanes;
    here.lane = here.rank - here.item * lanes;
    here.items = items_per_team;
    here.there = p.items - first < items_per_team ? int(p.items - first) : items_per_team;
    int const item_numbers = at.numbers() + PanelScratch<T>::wide;
    T* const scratch = this->template scratch_in<T>(member);
    // The first number of the diagonal that is not good, and whether a number of the solution is
    // not finite.
    std::int32_t* const found =
        reinterpret_cast<std::int32_t*>(scratch + items_per_team * item_numbers);
    auto const numbers_of = [&](int item) { return scratch + item * item_numbers; };

    fetch_panels(of_a, here, p.a, p.n, at, numbers_of,
                 [&](int item) { return item_of(p.a, first + item); });
    if (here.rank < items_per_team) {
      found[2 * here.rank] = none;
      found[2 * here.rank + 1] = 0;
    }
    int const groups = near ? int(by_beside.quotient(p.columns + beside - 1)) : 1;
    int const all = items_per_team * beside * groups;
    BATCHWORK_KEEP_LOOP
    for (int q0 = 0; q0 < all; q0 += here.team) {
      Side const side = side_of(q0 + here.rank, here.there);
      T x[8 * Tiles];
      if (side.there) {
        T const* from = item_of(p.b, first + side.item) + side.column * p.b.col;
        BATCHWORK_UNROLL
        for (int i = 0; i < 8 * Tiles; ++i) {
          x[i] = T(0);
          if (i < p.n) x[i] = *from;
          from += p.b.row;
        }
      }
      if (q0 == 0) {
        Vendor::copy_async_wait();
        member.team_barrier();
        invert_diagonals(here, numbers_of, found);
        member.team_barrier();
      }
      if (!side.there) continue;
      T const sum = substitute(x, numbers_of(side.item),
                               item_of(p.x, first + side.item) + side.column * p.x.col);
      if (!is_finite(sum)) Kokkos::atomic_store(found + 2 * side.item + 1, 1);
    }
    if (!p.status.wanted()) return;
    member.team_barrier();
    if (here.rank < here.there) {
      std::int32_t const worst = found[2 * here.rank], place = worst >> 1;
      std::int32_t code = 0;
      if (worst != none)
        code = Status::code((worst & 1) == 0 ? Reason::breakdown : Reason::not_finite, place + 1);
      else if (found[2 * here.rank + 1] != 0) code = Status::code(Reason::not_finite, 0);
      p.status.put(first + here.rank, code);
    }
  }

 private:
  /// A right-hand side, if it is there.
  struct Side {
    int item, column;
    bool there;
  };
  BATCHWORK_INLINE Side side_of(int q, int items) const {
    Side s;
    int const some = near ? q % lanes_of_warp : q;
    s.item = by_beside.quotient(some);
    s.column = some - s.item * beside;
    if (near) s.column += q / lanes_of_warp * beside;
    s.there = s.item < items && s.column < p.columns;
    return s;
  }
  /// Puts reciprocals in the places of the diagonals.
  template <class NumbersOf>
  BATCHWORK_INLINE void invert_diagonals(LaneOfItems const& here, NumbersOf const& numbers_of,
                                         std::int32_t* found) const {
    int const item = here.rank & (items_per_team - 1);
    if (item >= here.there) return;
    T* const numbers = numbers_of(item);
    BATCHWORK_KEEP_LOOP
    for (int k = here.rank / items_per_team; k < p.n; k += here.team / items_per_team) {
      T& number = numbers[at.place(k, k)];
      std::int32_t code = 0;
      bool const finite = is_finite(number);
      number = diagonal_reciprocal(number, k, code);
      if (code != 0)
        Kokkos::atomic_min(found + 2 * item,
                           std::int32_t(2 * (p.backward ? p.n - 1 - k : k) + (finite ? 0 : 1)));
    }
  }

  /// Solves for the right-hand side x, and stores the solution in `to`. \returns a number that is
  /// finite if all of it is
  BATCHWORK_INLINE T substitute(T (&x)[8 * Tiles], T const* numbers, T* to) const {
    constexpr int wide = PanelScratch<T>::wide;
    T sum = T(0);
    BATCHWORK_KEEP_LOOP
    for (int j = 0; 8 * j < p.n; ++j) {
      T y[8];
      BATCHWORK_UNROLL
      for (int m = 0; m < 8; ++m) {
        y[m] = x[m];
        T d = T(0);
        BATCHWORK_UNROLL
        for (int v = 0; v <= m / wide; ++v) {
          T u[wide];
          read_together(u, numbers + 8 * m + PanelScratch<T>::unit(m, v));
          BATCHWORK_UNROLL
          for (int e = 0; e < wide; ++e) {
            if (v * wide + e < m) y[m] -= u[e] * y[v * wide + e];
            if (v * wide + e == m) d = u[e];
          }
        }
        y[m] *= d;
      }
      BATCHWORK_UNROLL
      for (int m = 0; m < 8; ++m) {
        if (8 * j + m >= p.n) continue;
        *to = y[m];
        to += p.x.row;
        sum += T(0) * y[m];
      }
      BATCHWORK_UNROLL
      for (int b = 1; b < Tiles; ++b) {
        if (8 * (j + b) >= p.n) break;
        BATCHWORK_UNROLL
        for (int m = 0; m < 8; ++m) {
          T left = x[8 * b + m];
          BATCHWORK_UNROLL
          for (int v = 0; v < PanelScratch<T>::units; ++v) {
            T u[wide];
            read_together(u, numbers + 8 * (8 * b + m) + PanelScratch<T>::unit(m, v));
            BATCHWORK_UNROLL
            for (int e = 0; e < wide; ++e) left -= u[e] * y[v * wide + e];
          }
          // One tile up: what is left of x begins with the rows of the next panel.
          x[8 * (b - 1) + m] = left;
        }
      }
      // To the next panel and the tile on its diagonal.
      numbers += at.step(j) + 64;
    }
    return sum;
  }
};

}  // namespace Batchwork::Impl

#endif
