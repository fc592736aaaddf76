// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// LuTeams: the kernel of lu, solve_lu, inverse and determinant on a device. Items are in team
/// scratch.
#ifndef BATCHWORK_LUTEAMS_HPP
#define BATCHWORK_LUTEAMS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "dense/lu/detail/Batchwork_LuProblem.hpp"
#include "dense/lu/detail/Batchwork_LuSolutions.hpp"
#include "dense/lu/detail/Batchwork_RowsInMemory.hpp"
#include "dense/lu/detail/Batchwork_RowsOfPanels.hpp"
#include "team/detail/Batchwork_TeamKernel.hpp"
#include "view/detail/layout/Batchwork_MatrixTravel.hpp"

namespace Batchwork::Impl {

/// Rows to which a warp has an item, and a team some of them; a larger one has a team. All items of
/// a call have as many rows, so that the lanes of a team wait together.
inline constexpr int lu_rows_of_warp = 64;

template <class T, bool Large>
struct LuTeams : TeamKernel<LuTeams<T, Large>> {
  using Shell = TeamKernel<LuTeams>;
  using Shell::items_per_team, Shell::bytes;
  /// EliminationPanels; else row after row.
  static constexpr bool by_panels = Large && Vendor::has_shuffles;
  static constexpr std::size_t bytes_to_show =
      by_panels ? EliminationPanels<T, false>::bytes_to_show : 0;
  static constexpr int most_items = Large ? 1 : 8;
  static constexpr int largest_team = by_panels ? lanes_with_panels(most_rows_of_panels)
                                      : Large   ? 256
                                                : lanes_of_warp * most_items,
                       wanted_teams = by_panels ? 1 : 2;
  /// Of items of up to 128 rows in float a multiprocessor is to hold more teams, of fewer
  /// registers, where it has the scratch; in double these would spill (80 rows 240 instead of 199
  /// ns, H100). 0 where there is no such kernel.
  static constexpr int small_team = by_panels && sizeof(T) == 4 ? lanes_with_panels(128) : 0,
                       wanted_small_teams = 3;

  LuProblem<T> p;
  int count = largest_team / most_items;  ///< lanes of an item
  int leading = 0, chunk = 0;
  bool by_items = false, turned = false;

  LuTeams(LuProblem<T> const& problem, DeviceLimits const& limits) : p(problem) {
    set_rows(p.n);
    chunk = std::min(p.columns, most_lu_columns);
    while (chunk > 1 && bytes() > limits.scratch_of_team) chunk /= 2;
    // Where there is room, so that a column is in several banks.
    if (by_panels && leading % 16 == 0) {
      leading += 4;
      if (bytes() > limits.scratch_of_team) leading -= 4;
    }
    by_items = !Large && items_are_near(p.a, p.n, p.n);
    turned = rows_are_near(p.a, p.n, p.n);
    int const most = by_items ? std::min(most_items, 32 / int(sizeof(T))) : most_items / 2;
    double_items(items_per_team, most, p.items,
                 [&] { return bytes() <= std::min(scratch_of_a_team, limits.scratch_of_team); });
  }
  /// For teams of up to so many lanes that share one item at a time, with at most so many bytes of
  /// scratch.
  static LuTeams of_one_item(LuProblem<T> const& problem, int lanes, std::size_t scratch) {
    LuTeams k;
    k.p = problem;
    k.set_rows(problem.n);
    k.chunk = std::min(problem.columns, most_lu_columns);
    while (k.chunk > 1 && k.bytes_of_item(lanes) + 16 > scratch) k.chunk /= 2;
    k.turned = rows_are_near(k.p.a, k.p.n, k.p.n);
    return k;
  }
  static constexpr BATCHWORK_INLINE std::size_t whole(std::size_t bytes) {
    return (bytes + 15) / 16 * 16;
  }
  static BATCHWORK_INLINE std::size_t found_bytes(int lanes) {
    return whole(std::size_t(RowsInMemory<T, LoneLane>::found_numbers(lanes)) * 8);
  }
  BATCHWORK_INLINE std::size_t of_numbers() const {
    return whole(std::size_t(p.n) * std::size_t(leading + chunk) * sizeof(T));
  }
  BATCHWORK_INLINE std::size_t bytes_of_item() const { return bytes_of_item(count); }
  BATCHWORK_INLINE std::size_t bytes_of_item(int lanes) const {
    return of_numbers() + whole(std::size_t(p.n) * 4) + found_bytes(lanes) + bytes_to_show;
  }

  /// The most rows of an item that fits into so many bytes of scratch.
  static int most_rows(std::size_t scratch, bool solves) {
    LuTeams k;
    k.chunk = solves ? 1 : 0;
    for (k.set_rows(1); k.bytes() <= scratch && k.p.n < 32767;) k.set_rows(k.p.n + 1);
    return by_panels ? std::min(k.p.n - 1, most_rows_of_panels) : k.p.n - 1;
  }

  /// Runs body(slot, i, j) for the entries of a rows x cols matrix of the team's items, in the
  /// order in which they are near in memory.
  template <class Member, class Body>
  BATCHWORK_INLINE void for_entries(Member const& member, int lanes, int rows, int cols,
                                    bool items_near, bool rows_near, Body const& body) const {
    int const lane = Vendor::lane_rank(member);
    int const together = items_near ? items_per_team : 1;
    int const slot = items_near ? lane % together : lane / lanes;
    int const first = items_near ? lane / together : lane % lanes;
    int const outer = rows_near ? cols : rows, inner = rows_near ? rows : cols;
    int const side_by_side = inner < lanes ? inner : lanes, at_once = lanes / side_by_side;
    if (first >= at_once * side_by_side) return;
    for (int r = first / side_by_side; r < outer; r += at_once)
      for (int q = first % side_by_side; q < inner; q += lanes)
        body(slot, rows_near ? q : r, rows_near ? r : q);
  }

  template <class Member>
  BATCHWORK_INLINE void operator()(Member const& member) const {
    run(member, count, std::int64_t(member.league_rank()) * items_per_team,
        this->template scratch_in<char>(member));
  }
  /// For the items from `begin` on, as many as a team has. An item has `count` lanes, or of one
  /// item any number.
  template <class Member>
  BATCHWORK_INLINE void run(Member const& member, int of_item, std::int64_t begin,
                            char* scratch) const {
    int const lane = Vendor::lane_rank(member), own = lane / of_item;
    auto const memory = [&](int slot) { return scratch + std::size_t(slot) * bytes_of_item(); };
    auto const numbers = [&](int slot) { return reinterpret_cast<T*>(memory(slot)); };
    auto const item = [&](int slot) {
      std::int64_t const k = begin + slot;
      return k < p.items ? k : p.items - 1;
    };
    auto const is_there = [&](int slot) { return begin + slot < p.items; };

    for_entries(member, of_item, p.n, p.n, by_items, turned, [&](int slot, int i, int j) {
      fetch_together<1>(
          numbers(slot) + i * leading + j,
          item_of(p.a, item(slot)) + std::int64_t(i) * p.a.row + std::int64_t(j) * p.a.col);
    });
    Vendor::copy_async_wait();
    SystemLanes<Member> const lanes{member, lane % of_item, of_item};
    auto const place_of = [&](int slot) {
      return reinterpret_cast<std::int16_t*>(memory(slot) + of_numbers());
    };
    using Lanes = SystemLanes<Member>;
    std::conditional_t<by_panels, RowsOfPanels<T, Lanes>, RowsInMemory<T, Lanes>> rows{
        lanes,
        p.n,
        leading,
        numbers(own),
        place_of(own),
        place_of(own) + p.n,
        reinterpret_cast<std::int64_t*>(memory(own) + of_numbers() + whole(std::size_t(p.n) * 4))};
    rows.begin();
    member.team_barrier();
    std::int32_t code;
    if constexpr (by_panels) code = rows.eliminate(memory(own) + bytes_of_item() - bytes_to_show);
    else code = eliminate(rows);

    if (p.result == LuResult::factors) {
      member.team_barrier();
      for_entries(member, of_item, p.n, p.n, by_items, turned, [&](int slot, int i, int j) {
        if (is_there(slot))
          item_of(
              p.lu,
              item(slot))[std::int64_t(place_of(slot)[i]) * p.lu.row + std::int64_t(j) * p.lu.col] =
              numbers(slot)[i * leading + j];
      });
      if (is_there(own))
        lanes.for_each(p.n, [&](int k) {
          item_of(p.order, item(own))[std::int64_t(k) * p.order.row] = rows.order[k];
        });
    } else if (p.result == LuResult::determinant) {
      auto const found = rows.determinant();
      if (lanes.rank == 0 && is_there(own)) code = p.put_determinant(item(own), found, code);
    } else {
      code = put_solutions(p, rows, numbers(own) + p.n * leading, chunk, item(own), is_there(own),
                           code);
    }
    if (p.status.wanted() && lanes.rank == 0 && is_there(own)) p.status.put(item(own), code);
  }

 private:
  LuTeams() = default;
  void set_rows(int n) {
    p.n = n;
    if constexpr (by_panels) {
      count = lanes_with_panels(n);
      leading = (n + 3) / 4 * 4;
    } else {
      // Odd: lanes that read the same column of their rows find different banks.
      leading = n | 1;
    }
  }
};

}  // namespace Batchwork::Impl

#endif
