// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// InverseTeams and InverseTeamsInWorkspace: the kernels of inverse on devices for matrices that
/// registers cannot hold. A team has an item in its scratch, or in a slot of a workspace.
#ifndef BATCHWORK_INVERSETEAMS_HPP
#define BATCHWORK_INVERSETEAMS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/Batchwork_Value.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "dense/lu/detail/Batchwork_InversionPanels.hpp"
#include "dense/lu/detail/Batchwork_LuProblem.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"
#include "view/detail/layout/Batchwork_MatrixTravel.hpp"

namespace Batchwork::Impl {

/// What a team keeps in scratch beside the numbers of an item of n rows.
template <class T, int RowsOfLane>
struct InversionScratch {
  using Panels = InversionPanels<T, RowsOfLane>;

  T* inverses;
  std::int32_t *keys, *code, *fails;
  std::int16_t *place, *order;
  char* shown;

  static constexpr BATCHWORK_INLINE std::size_t whole(std::size_t bytes) {
    return (bytes + 15) / 16 * 16;
  }
  static constexpr BATCHWORK_INLINE std::size_t bytes(int n) {
    return whole(std::size_t(n) * (sizeof(T) + 8) + 8) + Panels::bytes_to_show(n);
  }
  BATCHWORK_INLINE InversionScratch(char* memory, int n)
      : inverses(reinterpret_cast<T*>(memory + Panels::bytes_to_show(n))),
        keys(reinterpret_cast<std::int32_t*>(inverses + n)),
        code(keys + n),
        fails(code + 1),
        place(reinterpret_cast<std::int16_t*>(fails + 1)),
        order(place + n),
        shown(memory) {}
  BATCHWORK_INLINE Panels panels(int n) const {
    return {n, place, order, inverses, keys, code, shown};
  }
  /// Before the lanes wait.
  BATCHWORK_INLINE void begin(int n, int lane, int lanes) const {
    for (int i = lane; i < n; i += lanes) place[i] = -1;
    if (lane == 0) *code = *fails = 0;
  }
};

/// line(q) for rows of an item, or columns, a warp each; \returns what their lanes do with it:
/// body(fast), for what they move at once.
template <class Line>
BATCHWORK_INLINE void for_lines(MatrixTravel const& t, int n, int lane, int lanes,
                                Line const& line) {
  for (int q = lane / lanes_of_warp; q < n; q += lanes / lanes_of_warp) {
    auto const body = line(q);
    for (int k = lane % lanes_of_warp; k < t.fasts; k += lanes_of_warp) body(k);
  }
}
/// body(i, j) for what the lanes move at once of the numbers of an item.
template <class Body>
BATCHWORK_INLINE void for_moves(MatrixTravel const& t, int n, int lane, int lanes,
                                Body const& body) {
  for_lines(t, n, lane, lanes, [&](int q) {
    return [&, q](int k) {
      if (t.turned) body(k, q);
      else body(q, k << t.shift);
    };
  });
}
/// Stores the inverse of an item, and its status, from what InversionPanels has made of it.
template <class T, class Scratch, class Member>
BATCHWORK_INLINE void put_inverse(Member const& member, LuProblem<T> const& p,
                                  MatrixTravel const& of_x, Scratch const& beside,
                                  NumbersInPanels<T> const& a, std::int64_t item, int lane,
                                  int lanes) {
  std::int32_t const code = *beside.code;
  T* const to = item_of(p.x, item);
  bool finite = true;
  auto const divisor_of = [&](int row) {
    PivotReciprocal<T> divisor;
    divisor.scale = scale_of_pivot<T>(beside.keys[row]), divisor.inverse = beside.inverses[row];
    return divisor;
  };
  auto const put = [&]<int Numbers>(int i, int j, int row, PivotReciprocal<T> const& divisor) {
    T x[Numbers];
    BATCHWORK_UNROLL
    for (int e = 0; e < Numbers; ++e) {
      x[e] = divisor * *a.number(row, beside.place[j + e]);
      if (code != 0) x[e] = std::numeric_limits<T>::quiet_NaN();
      finite = finite && is_finite(x[e]);
    }
    Vendor::store_vector(to + std::int64_t(i) * p.x.row + std::int64_t(j) * p.x.col, x);
  };
  if (of_x.turned) {
    for_moves(of_x, p.n, lane, lanes, [&](int i, int j) {
      int const row = beside.order[i];
      put.template operator()<1>(i, j, row, divisor_of(row));
    });
  } else {
    for_lines(of_x, p.n, lane, lanes, [&](int i) {
      int const row = beside.order[i];
      auto const divisor = divisor_of(row);
      return [&, i, row, divisor](int k) {
        int const j = k << of_x.shift;
        if (of_x.shift == 2) put.template operator()<16 / int(sizeof(T))>(i, j, row, divisor);
        else if (of_x.shift == 1) put.template operator()<2>(i, j, row, divisor);
        else put.template operator()<1>(i, j, row, divisor);
      };
    });
  }
  if (!p.status.wanted()) return;
  // Where only a result is not finite.
  if (Vendor::any_of_warp(!finite) && lane % lanes_of_warp == 0) *beside.fails = 1;
  member.team_barrier();
  if (lane == 0) p.status.put(item, status_with_result(code, *beside.fails != 0));
}

/// In scratch. RowsOfLane is 3 where a multiprocessor holds several teams, and 2, with more warps,
/// where it holds one: in double 68 rows take 0.6 times as long with 3 as with 2, and 120 rows 0.9
/// times as long with 2 as with 3 (H200, CUDA 13). Where has_shuffles.
template <class T, int RowsOfLane>
struct InverseTeams {
  using Scratch = InversionScratch<T, RowsOfLane>;
  static constexpr int most_rows = RowsOfLane == 2 ? 256 : 192;
  static constexpr BATCHWORK_INLINE int lanes_for(int n) {
    return (RowsOfLane == 2 ? 4 : 3) * lanes_of_warp * Scratch::Panels::warps_of_panel(n);
  }
  static constexpr int largest_team = lanes_for(most_rows), wanted_teams = RowsOfLane == 2 ? 1 : 2;
  /// A multiprocessor holds more teams of items whose panels are of one warp, and in float also of
  /// others, where it has the scratch: with fewer registers. 0 where there is no such kernel.
  static constexpr int small_team = RowsOfLane == 2 ? 0 : lanes_for(lanes_of_warp),
                       wanted_small_teams = sizeof(T) == 4 ? 8 : 5,
                       middle_team = RowsOfLane == 2 || sizeof(T) == 8 ? 0 : largest_team,
                       wanted_middle_teams = 4;

  LuProblem<T> p;
  int leading;
  MatrixTravel of_a, of_x;

  explicit InverseTeams(LuProblem<T> const& problem)
      : p(problem),
        leading((p.n + 7) / 8 * 8),
        of_a(MatrixTravel::of(p.a, p.n, p.n, false, true)),
        of_x(MatrixTravel::of(p.x, p.n, p.n, false, true)) {}
  BATCHWORK_INLINE std::size_t bytes_of_numbers() const {
    return std::size_t(p.n) * std::size_t(leading) * sizeof(T);
  }
  std::size_t bytes() const { return bytes_of_numbers() + Scratch::bytes(p.n) + 16; }
  int team() const { return lanes_for(p.n); }
  std::int64_t teams() const { return p.items; }
  bool fits(DeviceLimits const& limits) const {
    return p.n <= most_rows && limits.holds(wanted_teams, team(), bytes());
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const lane = Vendor::lane_rank(member), lanes = lanes_for(p.n);
    char* const scratch = static_cast<char*>(
        member.team_scratch(0).get_shmem_aligned(bytes_of_numbers() + Scratch::bytes(p.n), 16));
    auto const a = NumbersInPanels<T>::in_scratch(reinterpret_cast<T*>(scratch), leading);
    Scratch const beside(scratch + bytes_of_numbers(), p.n);
    std::int64_t const item = member.league_rank();
    T const* const from = item_of(p.a, item);
    for_moves(of_a, p.n, lane, lanes, [&](int i, int j) {
      fetch_numbers(of_a, a.number(i, j),
                    from + std::int64_t(i) * p.a.row + std::int64_t(j) * p.a.col);
    });
    int const beyond = leading - p.n;
    for (int k = lane; k < beyond * p.n; k += lanes) *a.number(k / beyond, p.n + k % beyond) = T(0);
    beside.begin(p.n, lane, lanes);
    Vendor::copy_async_wait();
    member.team_barrier();
    beside.panels(p.n).eliminate(member, a, lane, lanes);
    put_inverse(member, p, of_x, beside, a, item, lane, lanes);
  }
};

/// In a slot of a workspace. Panels are eliminated in scratch. A multiprocessor holds one team, so
/// that the slots of all are in the second-level cache as long as possible. Where has_shuffles.
template <class T>
struct InverseTeamsInWorkspace {
  using Scratch = InversionScratch<T, 2>;
  using Panels = typename Scratch::Panels;
  static constexpr int largest_team = 512, wanted_teams = 1;
  static constexpr int most_rows = largest_team * Panels::of_lane;

  LuProblem<T> p;
  WorkspaceSlots<T> slots;
  int leading;  ///< of a slot, a multiple of eight
  MatrixTravel of_a, of_x;

  InverseTeamsInWorkspace(LuProblem<T> const& problem, WorkspaceSlots<T> const& memory,
                          int leading_of_slot)
      : p(problem),
        slots(memory),
        leading(leading_of_slot),
        of_a(MatrixTravel::of(p.a, p.n, p.n, false, true)),
        of_x(MatrixTravel::of(p.x, p.n, p.n, false, true)) {}
  static constexpr BATCHWORK_INLINE std::size_t bytes_of_panel(int n) {
    return std::size_t(n) * Panels::width * sizeof(T);
  }
  static constexpr std::size_t bytes(int n) { return bytes_of_panel(n) + Scratch::bytes(n) + 16; }
  static bool fits(int n, DeviceLimits const& limits) {
    return n <= most_rows && limits.holds(wanted_teams, largest_team, bytes(n));
  }
  std::size_t bytes() const { return bytes(p.n); }
  static constexpr int team() { return largest_team; }
  std::int64_t teams() const { return std::min(slots.count, p.items); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    constexpr int lanes = largest_team, warps = lanes / lanes_of_warp;
    int const lane = Vendor::lane_rank(member), warp = lane / lanes_of_warp,
              in_warp = lane % lanes_of_warp;
    char* const scratch = static_cast<char*>(
        member.team_scratch(0).get_shmem_aligned(bytes_of_panel(p.n) + Scratch::bytes(p.n), 16));
    NumbersInPanels<T> const left{reinterpret_cast<T*>(scratch), Panels::width, 0},
        a{reinterpret_cast<T*>(slots.slot(member.league_rank())), leading, 0};
    Scratch const beside(scratch + bytes_of_panel(p.n), p.n);
    auto const panels = beside.panels(p.n);
    int const count = (p.n + Panels::width - 1) / Panels::width;
    std::int64_t const step = member.league_size();
    for (std::int64_t item = member.league_rank(); item < p.items; item += step) {
      T const* const from = item_of(p.a, item);
      for_moves(of_a, p.n, lane, lanes, [&](int i, int j) {
        for (int e = 0; e < 1 << of_a.shift; ++e)
          *a.number(i, j + e) = from[std::int64_t(i) * p.a.row + std::int64_t(j + e) * p.a.col];
      });
      beside.begin(p.n, lane, lanes);
      member.team_barrier();
      BATCHWORK_KEEP_LOOP
      for (int q = 0; q < count; ++q) {
        for (int k = lane; k < p.n * Panels::width; k += lanes) {
          int const i = k / Panels::width, j = k % Panels::width;
          // Zeros behind the last column.
          left.at(i, 0)[j] = q * Panels::width + j < p.n ? a.at(i, q)[j] : T(0);
        }
        member.team_barrier();
        panels.factor(member, left, 0, q, warp, in_warp, false);
        member.team_barrier();
        auto const strip = [&](int u) { return u < q ? u : u + 1; };
        int u = warp;
        BATCHWORK_KEEP_LOOP
        for (; u + warps < count - 1; u += 2 * warps)
          panels.template change_strips<2>(a, {strip(u), strip(u + warps)}, left, 0, q, in_warp);
        if (u < count - 1) panels.template change_strips<1>(a, {strip(u)}, left, 0, q, in_warp);
        panels.put_columns(a, left, q, 0, q, lane, lanes);
        member.team_barrier();
      }
      put_inverse(member, p, of_x, beside, a, item, lane, lanes);
      // The next item takes the place of this one.
      member.team_barrier();
    }
  }
};

}  // namespace Batchwork::Impl

#endif
