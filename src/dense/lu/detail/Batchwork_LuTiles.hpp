// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// LuTiles: the kernel of lu, solve_lu and determinant on devices for matrices of up to 64 rows,
/// which the lanes of a warp or two hold in registers, by rows or in tiles.
#ifndef BATCHWORK_LUTILES_HPP
#define BATCHWORK_LUTILES_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "dense/lu/detail/Batchwork_FactoredMatrix.hpp"
#include "dense/lu/detail/Batchwork_LuChoice.hpp"
#include "dense/lu/detail/Batchwork_LuProblem.hpp"
#include "team/detail/Batchwork_ItemTravel.hpp"
#include "team/detail/Batchwork_TeamKernel.hpp"
#include "view/detail/layout/Batchwork_MatrixTravel.hpp"

namespace Batchwork::Impl {

/// Several vectors are substituted in tiles.
template <class T, int Tiles, LuTask Task>
using LuCoreOf =
    std::conditional_t<Task == LuTask::solution || Task == LuTask::factors,
                       LuCore<T, Tiles, Task == LuTask::solution, Task == LuTask::factors>,
                       EliminationTiles<T, Tiles, false>>;

/// What a task makes of the factors. Where has_shuffles.
template <class T, int Tiles, LuTask Task>
struct LuTiles : TeamKernel<LuTiles<T, Tiles, Task>> {
  using Shell = TeamKernel<LuTiles>;
  using Shell::items_per_team;
  using Core = LuCoreOf<T, Tiles, Task>;
  using Here = typename Core::Here;
  static_assert(FactoredMatrix<Core, T> && Task != LuTask::inverses);
  static constexpr int to_before = Core::to_before, to_after = Core::to_after, warps = Core::warps,
                       count = Core::count, rows = Core::rows, largest_team = Core::largest_team,
                       wanted_teams = Core::wanted_teams;

  Core core;

  LuProblem<T> p;
  MatrixTravel of_a, of_b, of_result;

  LuTiles(LuProblem<T> const& problem, DeviceLimits const& limits) : p(problem) {
    core.n = p.n;
    of_a = MatrixTravel::of(p.a, p.n, p.n, true, true);
    bool near = of_a.by_items;
    if (p.result == LuResult::factors) {
      of_result = MatrixTravel::of(p.lu, p.n, p.n, true, true);
      near = near || of_result.by_items;
    } else if constexpr (one_side) {
      of_b = MatrixTravel::of(p.b, p.n, 1, true, false);
      of_result = MatrixTravel::of(p.x, p.n, 1, true, false);
    }
    int const most = near ? Core::most_items : Core::usual_items;
    this->add_items(most, std::max(2, wanted_teams), limits);
  }
  static constexpr BATCHWORK_INLINE std::size_t bytes_of_item() { return Core::item_bytes; }

  /// One vector, whose forward substitution goes along with the elimination.
  static constexpr bool one_side = Task == LuTask::solution;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    char* const scratch = this->template scratch_in<char>(member);
    auto const numbers_of = [&](int item) {
      return reinterpret_cast<T*>(scratch + std::size_t(item) * Core::item_bytes);
    };
    auto const indices_of = [&](int item) {
      return reinterpret_cast<std::int16_t*>(numbers_of(item) + Core::item_numbers);
    };
    Here here = core.lane_of(member, items_per_team, p.items, numbers_of, indices_of);
    bool const together = of_a.by_items || of_b.by_items || of_result.by_items;
    auto const meet = [&] {
      if (together || warps > 1) member.team_barrier();
      else Vendor::warp_sync(member);
    };

    auto const place = [](int i, int j) { return Core::place_of(i, j); };
    int const own_a = here.item_of_share(of_a);
    fetch_matrix(here, of_a, p.a, here.first + own_a, numbers_of(own_a), place);
    if constexpr (one_side) {
      int const own_b = here.item_of_share(of_b);
      fetch_vector(here, of_b, p.b, here.first + own_b, numbers_of(own_b) + to_before);
    }
    core.begin(here);
    Vendor::copy_async_wait();
    meet();
    core.factorise(member, here);
    std::int32_t code = core.status(here);
    auto const is_there = [&] { return here.item < here.there; };
    auto const item = [&] { return is_there() ? here.first + here.item : p.items - 1; };
    if constexpr (Task == LuTask::factors) {
      if (p.result == LuResult::determinant) {
        auto const found = determinant(here);
        if (here.lane == 0 && is_there()) code = p.put_determinant(item(), found, code);
      } else {
        if constexpr (Core::by_rows) core.move_back(here);
        meet();
        // Found anew, rather than kept while registers are scarce.
        here = core.lane_of(member, items_per_team, p.items, numbers_of, indices_of);
        int const which = here.item_of_share(of_result);
        std::int16_t const* const places = indices_of(which);
        store_matrix(here, of_result, p.lu, here.first + which, numbers_of(which), place,
                     [&](int i) { return int(places[i]); });
        if (is_there())
          for (int k = here.lane; k < p.n; k += count)
            item_of(p.order, item())[std::int64_t(k) * p.order.row] = here.order[k];
      }
    } else {
      bool finite = true;
      if constexpr (one_side) {
        if (here.warp == 0) {
          core.backward(here);
          T* const x = here.numbers + to_after;
          for (int k = here.in_warp; k < p.n; k += lanes_of_warp) {
            finite = finite && is_finite(x[k]);
            if (code != 0) x[k] = std::numeric_limits<T>::quiet_NaN();
          }
        }
        meet();
        int const which = here.item_of_share(of_result);
        store_vector(here, of_result, p.x, here.first + which, numbers_of(which) + to_after);
      } else {
        for (int c0 = 0; c0 < p.columns; c0 += rows)
          finite = solve_columns(member, here, item(), is_there(), c0, code != 0) && finite;
      }
      finite = !Vendor::any_of_warp(!finite);
      if constexpr (warps > 1) {
        if (here.in_warp == 0) here.numbers[to_before + here.warp] = finite ? T(0) : T(1);
        member.team_barrier();
        for (int w = 0; w < warps; ++w) finite = finite && here.numbers[to_before + w] == T(0);
      }
      code = status_with_result(code, !finite);
    }
    if (p.status.wanted() && here.lane == 0 && is_there()) p.status.put(item(), code);
  }

 private:
  // ---- what comes of the factors ----

  BATCHWORK_INLINE ScaledProduct<T> determinant(Here const& here) const {
    ScaledProduct<T> found(T(1));
    // The order is odd if the number of pairs in another order than their rows is odd.
    bool odd = false;
    for (int k = here.in_warp; k < p.n; k += lanes_of_warp) {
      for (int j = 0; j < k; ++j) odd = odd != (here.order[j] > here.order[k]);
      found.multiply(core.pivot(here, k));
    }
    if (odd) found.factor = -found.factor;
    // Of up to 64 pivots the factors are below 2^64 together.
    BATCHWORK_UNROLL_ON_DEVICE
    for (int step = 1; step < lanes_of_warp; step *= 2) {
      found.factor *= Vendor::shuffle_xor(found.factor, step);
      found.exponent += Vendor::shuffle_xor(found.exponent, step);
    }
    return found;
  }

  /// Solutions for up to `rows` right-hand sides from c0 on, which are stored.
  /// \returns whether the numbers of the lane are finite
  template <class Member>
  BATCHWORK_INLINE bool solve_columns(Member const& member, Here const& here, std::int64_t item,
                                      bool is_there, int c0, bool failed) const {
    int const some = p.columns - c0 < rows ? p.columns - c0 : rows, tiles = (some + 7) / 8;
    T x[Tiles][Core::across][2];
    T const* const b = item_of(p.b, item);
    BATCHWORK_UNROLL
    for (int i = 0; i < Tiles; ++i) {
      int const row = 8 * i + here.r;
      int const from = here.order[row];
      BATCHWORK_UNROLL
      for (int k = 0; k < Core::across; ++k) {
        BATCHWORK_UNROLL
        for (int e = 0; e < 2; ++e) {
          int const column = 8 * Core::tile(here, k) + 2 * here.c + e;
          x[i][k][e] = row < p.n && column < some
                           ? b[from * p.b.row + std::int64_t(c0 + column) * p.b.col]
                           : T(0);
        }
      }
    }
    BATCHWORK_KEEP_LOOP
    for (int g = 0; 4 * g < p.n; ++g) substitute<true>(member, here, x, g, tiles);
    BATCHWORK_KEEP_LOOP
    for (int g = (p.n + 3) / 4 - 1; g >= 0; --g) substitute<false>(member, here, x, g, tiles);
    bool finite = true;
    T* const to = item_of(p.x, item);
    BATCHWORK_UNROLL
    for (int k = 0; k < Core::across; ++k) {
      BATCHWORK_UNROLL
      for (int e = 0; e < 2; ++e) {
        int const column = 8 * Core::tile(here, k) + 2 * here.c + e;
        if (column >= some) continue;
        BATCHWORK_UNROLL
        for (int i = 0; i < Tiles; ++i) {
          int const row = 8 * i + here.r;
          if (row >= p.n) continue;
          T const number = failed ? std::numeric_limits<T>::quiet_NaN() : x[i][k][e];
          finite = finite && is_finite(number);
          if (is_there) to[row * p.x.row + std::int64_t(c0 + column) * p.x.col] = number;
        }
      }
    }
    return finite;
  }

  /// Rows of x in the places of group g, solved with L or U, and what other rows take of them. Rows
  /// are in the order of places.
  template <bool Lower, class Member, class Rest>
  BATCHWORK_INLINE void substitute(Member const& member, Here const& here, Rest& x, int g,
                                   int tiles) const {
    T* const pivots = here.numbers + Core::to_pivots;
    T const* const group = core.group(here, g);
    bool const mine = here.r / 4 == g % 2;
    auto const for_own = [&](auto const& body) {
      if (!mine) return;
      Vendor::with_constant<Tiles>(g / 2, [&](auto i) {
        BATCHWORK_UNROLL
        for (int k = 0; k < Core::across; ++k)
          if (Core::tile(here, k) < tiles)
            body(x[i][k],
                 pivots + here.r % 4 * Core::pivots_leading + 8 * Core::tile(here, k) + 2 * here.c);
      });
    };
    for_own([](T const(&own)[2], T* shared) { write_together(shared, own); });
    Vendor::warp_sync(member);
    T corner[4][4];
    BATCHWORK_UNROLL
    for (int q = 0; q < 4; ++q) read_together(corner[q], group + 4 * here.order[4 * g + q]);
    BATCHWORK_KEEP_LOOP
    for (int t = here.in_warp; t < 8 * Core::across; t += lanes_of_warp) {
      if (Core::tile(here, t / 8) >= tiles) break;
      T* const column = pivots + 8 * Core::tile(here, t / 8) + t % 8;
      T y[4];
      BATCHWORK_UNROLL
      for (int q = 0; q < 4; ++q) y[q] = column[q * Core::pivots_leading];
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
          y[q] = core.reciprocal(here.numbers + Core::to_reciprocals, 4 * g + q) * y[q];
        }
      }
      BATCHWORK_UNROLL
      for (int q = 0; q < 4; ++q) column[q * Core::pivots_leading] = y[q];
    }
    Vendor::warp_sync(member);
    for_own([](T(&own)[2], T const* shared) { read_together(own, shared); });
    core.subtract_product(
        here, x, Lower ? g / 2 : 0, Lower ? Tiles : g / 2 + 1, 0, tiles,
        [&](int i) { return group + 4 * here.order[8 * i + here.r]; },
        [&](int i) {
          int const row = 8 * i + here.r;
          return Lower ? row > 4 * g + 3 && row < p.n : row < 4 * g;
        });
    Vendor::warp_sync(member);
  }
};

}  // namespace Batchwork::Impl

#endif
