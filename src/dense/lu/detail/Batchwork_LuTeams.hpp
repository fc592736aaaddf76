// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// LuTeams: the kernel of lu, solve_lu, inverse and determinant on a device. Items stand in team scratch.
#ifndef BATCHWORK_LUTEAMS_HPP
#define BATCHWORK_LUTEAMS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "dense/lu/detail/Batchwork_LuProblem.hpp"
#include "dense/lu/detail/Batchwork_LuSolutions.hpp"
#include "dense/lu/detail/Batchwork_RowsInMemory.hpp"

namespace Batchwork::Impl {

/// Rows to which a warp has an item, and a team some of them; a larger one has a team. All items of a call have as many rows, so
/// that the lanes of a team wait together.
inline constexpr int lu_rows_of_warp = 64;

template <class T, bool Large>
struct LuTeams {
  static constexpr int count = Large ? 256 : lanes_of_warp, most_items = Large ? 1 : 8;
  static constexpr int largest_team = count * most_items, wanted_teams = 2;

  LuProblem<T> p;
  int items_per_team = 1, leading = 0, chunk = 0;
  bool by_items = false, turned = false;

  LuTeams(LuProblem<T> const& problem, DeviceLimits const& limits) : p(problem) {
    // Odd: lanes that read the same column of their rows find different banks.
    leading = p.n | 1;
    chunk = std::min(p.columns, most_lu_columns);
    while (chunk > 1 && bytes() > limits.scratch_of_team) chunk /= 2;
    by_items = !Large && items_are_near(p.a, p.n, p.n);
    turned = rows_are_near(p.a, p.n, p.n);
    int const most = by_items ? std::min(most_items, 32 / int(sizeof(T))) : most_items / 2;
    double_items(items_per_team, most, p.items,
                 [&] { return bytes() <= std::min(scratch_of_a_team, limits.scratch_of_team); });
  }
  static constexpr std::size_t whole(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
  BATCHWORK_INLINE std::size_t of_numbers() const {
    return (std::size_t(p.n) * std::size_t(leading + chunk) * sizeof(T) + 15) / 16 * 16;
  }
  BATCHWORK_INLINE std::size_t of_item() const {
    return of_numbers() + (std::size_t(p.n) * 4 + 15) / 16 * 16 +
           std::size_t(RowsInMemory<T, LoneLane>::found_numbers(count)) * 8;
  }
  std::size_t bytes() const { return std::size_t(items_per_team) * of_item() + 16; }
  int team() const { return count * items_per_team; }
  std::int64_t teams() const { return (p.items + items_per_team - 1) / items_per_team; }

  /// The most rows of an item that fits into so many bytes of scratch.
  static int most_rows(std::size_t scratch, bool solves) {
    LuTeams k;
    k.chunk = solves ? 1 : 0;
    for (k.p.n = 1; k.bytes() <= scratch && k.p.n < 32767;) k.leading = ++k.p.n | 1;
    return k.p.n - 1;
  }

  /// Runs body(slot, i, j) for the entries of a rows x cols matrix of the team's items, as they are near in memory.
  template <class Member, class Body>
  BATCHWORK_INLINE void for_entries(Member const& member, int rows, int cols, bool items_near,
                                    bool rows_near, Body const& body) const {
    int const lane = Vendor::lane_rank(member);
    int const together = items_near ? items_per_team : 1;
    int const slot = items_near ? lane % together : lane / count;
    int const first = items_near ? lane / together : lane % count;
    int const outer = rows_near ? cols : rows, inner = rows_near ? rows : cols;
    for (int r = 0; r < outer; ++r)
      for (int q = first; q < inner; q += count) body(slot, rows_near ? q : r, rows_near ? r : q);
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const lane = Vendor::lane_rank(member), own = lane / count;
    std::int64_t const begin = std::int64_t(member.league_rank()) * items_per_team;
    char* const scratch =
        static_cast<char*>(member.team_scratch(0).get_shmem_aligned(bytes_in_kernel(), 16));
    auto const memory = [&](int slot) { return scratch + std::size_t(slot) * of_item(); };
    auto const numbers = [&](int slot) { return reinterpret_cast<T*>(memory(slot)); };
    auto const item = [&](int slot) {
      std::int64_t const k = begin + slot;
      return k < p.items ? k : p.items - 1;
    };
    auto const is_there = [&](int slot) { return begin + slot < p.items; };

    for_entries(member, p.n, p.n, by_items, turned, [&](int slot, int i, int j) {
      numbers(slot)[i * leading + j] =
          item_of(p.a, item(slot))[std::int64_t(i) * p.a.row + std::int64_t(j) * p.a.col];
    });
    SystemLanes<Member> const lanes{member, lane % count, count};
    auto const place_of = [&](int slot) {
      return reinterpret_cast<std::int16_t*>(memory(slot) + of_numbers());
    };
    RowsInMemory<T, SystemLanes<Member>> rows{
        lanes,
        p.n,
        leading,
        numbers(own),
        place_of(own),
        place_of(own) + p.n,
        reinterpret_cast<std::int64_t*>(memory(own) + of_numbers() +
                                        (std::size_t(p.n) * 4 + 15) / 16 * 16)};
    rows.begin();
    member.team_barrier();
    std::int32_t code = eliminate(rows);

    if (p.result == LuResult::factors) {
      member.team_barrier();
      for_entries(member, p.n, p.n, by_items, turned, [&](int slot, int i, int j) {
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
  BATCHWORK_INLINE std::size_t bytes_in_kernel() const {
    return std::size_t(items_per_team) * of_item();
  }
};

}  // namespace Batchwork::Impl

#endif
