// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// lu, solve_lu, inverse and determinant of items in a workspace. A team of a device, or a thread
/// of a host, owns a slot and takes one item after the other.
#ifndef BATCHWORK_LUINWORKSPACE_HPP
#define BATCHWORK_LUINWORKSPACE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "dense/lu/detail/Batchwork_LuHost.hpp"
#include "dense/lu/detail/Batchwork_LuSolutions.hpp"
#include "dense/lu/detail/Batchwork_LuTeams.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

/// Places of rows are kept in 16 bits.
inline constexpr int lu_rows_in_workspace = 32767;

/// The layout of an item in its slot: the matrix, right-hand sides, and the places and order of the
/// rows.
struct LuSlot {
  int n = 0, leading = 0, chunk = 0;

  template <class T>
  static LuSlot of(LuProblem<T> const& p) {
    int const unit = 64 / int(sizeof(T));
    int leading = (p.n + unit - 1) / unit * unit;
    // Numbers of neighbouring lines find different sets of a cache.
    if (leading * int(sizeof(T)) % 1024 == 0) leading += unit;
    return {p.n, leading,
            p.result == LuResult::solutions ? std::min(p.columns, most_lu_columns) : 0};
  }
  BATCHWORK_INLINE std::int64_t numbers() const { return std::int64_t(n) * (leading + chunk); }
  BATCHWORK_INLINE std::size_t bytes(std::size_t of_number) const {
    return std::size_t(numbers()) * of_number + std::size_t(n) * 4;
  }
};

/// One item, by a team or a thread. By columns where lanes share it.
template <class T, class Lanes>
BATCHWORK_INLINE void run_lu_of_item(LuProblem<T> const& p, LuSlot const& slot, Lanes const& lanes,
                                     char* memory, std::int64_t* found, bool turned,
                                     std::int64_t item) {
  using Rows = RowsInMemory<T, Lanes, !std::is_same_v<Lanes, LoneLane>>;
  T* const numbers = reinterpret_cast<T*>(memory);
  std::int16_t* const place = reinterpret_cast<std::int16_t*>(numbers + slot.numbers());
  Rows rows{lanes, p.n, slot.leading, numbers, place, place + p.n, found};
  /// body(i, j) for the entries, in the order in which an operand's entries are near in memory.
  auto const for_entries = [&](bool rows_near, auto const& body) {
    for (int r = 0; r < p.n; ++r)
      lanes.for_each(p.n, [&](int q) { body(rows_near ? q : r, rows_near ? r : q); });
  };
  T const* const a = item_of(p.a, item);
  for_entries(turned, [&](int i, int j) {
    rows.entry(i, j) = a[std::int64_t(i) * p.a.row + std::int64_t(j) * p.a.col];
  });
  rows.begin();
  lanes.sync();
  std::int32_t code = eliminate(rows);
  if (p.result == LuResult::factors) {
    T* const lu = item_of(p.lu, item);
    for_entries(turned, [&](int i, int j) {
      lu[std::int64_t(rows.place[i]) * p.lu.row + std::int64_t(j) * p.lu.col] = rows.entry(i, j);
    });
    std::int32_t* const order = item_of(p.order, item);
    lanes.for_each(p.n, [&](int k) { order[std::int64_t(k) * p.order.row] = rows.order[k]; });
  } else if (p.result == LuResult::determinant) {
    auto const d = rows.determinant();
    if (lanes.rank == 0) code = p.put_determinant(item, d, code);
  } else {
    code = put_solutions(p, rows, numbers + std::int64_t(p.n) * slot.leading, slot.chunk, item,
                         true, code);
  }
  if (p.status.wanted() && lanes.rank == 0) p.status.put(item, code);
}

/// On a device.
template <class T>
struct LuTeamsInWorkspace {
  static constexpr int largest_team = 256, wanted_teams = 2;

  LuProblem<T> p;
  WorkspaceSlots<T> slots;
  LuSlot slot;
  bool turned;

  LuTeamsInWorkspace(LuProblem<T> const& problem, WorkspaceSlots<T> const& memory)
      : p(problem), slots(memory), slot(LuSlot::of(p)), turned(rows_are_near(p.a, p.n, p.n)) {}
  static constexpr int found_numbers() {
    return RowsInMemory<T, LoneLane>::found_numbers(largest_team);
  }
  static constexpr int team() { return largest_team; }
  static constexpr std::size_t bytes() { return std::size_t(found_numbers()) * 8 + 16; }
  std::int64_t teams() const { return std::min(slots.count, p.items); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto* const found = static_cast<std::int64_t*>(
        member.team_scratch(0).get_shmem_aligned(std::size_t(found_numbers()) * 8, 16));
    SystemLanes<Member> const lanes{member, Vendor::lane_rank(member), largest_team};
    std::int64_t const own = member.league_rank(), step = member.league_size();
    for (std::int64_t item = own; item < p.items; item += step) {
      run_lu_of_item(p, slot, lanes, slots.slot(own), found, turned, item);
      // The next item takes the place of this one.
      lanes.sync();
    }
  }
};

/// On a host.
template <class T>
struct LuHostInWorkspace {
  LuProblem<T> p;
  WorkspaceSlots<T> slots;
  LuSlot slot;
  bool turned;

  LuHostInWorkspace(LuProblem<T> const& problem, WorkspaceSlots<T> const& memory)
      : p(problem), slots(memory), slot(LuSlot::of(p)), turned(rows_are_near(p.a, p.n, p.n)) {}

  void operator()(std::int64_t own) const {
    for (std::int64_t item = own; item < p.items; item += slots.count)
      run_lu_of_item(p, slot, LoneLane(), slots.slot(own), nullptr, turned, item);
  }
};

}  // namespace Batchwork::Impl

#endif
