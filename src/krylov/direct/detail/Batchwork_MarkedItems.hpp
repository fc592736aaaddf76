// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// MarkedItems: the kernel on devices for the items of a direct solve that an elimination by
/// pattern has left, mostly none or a few.
#ifndef BATCHWORK_MARKEDITEMS_HPP
#define BATCHWORK_MARKEDITEMS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "krylov/direct/detail/Batchwork_DirectRows.hpp"

namespace Batchwork::Impl {

/// A team looks at as many items at once as it has lanes, and solves the marked ones, one after the
/// other, in its scratch.
template <class T>
struct MarkedItems {
  using Kernel = DirectTeams<T, T>;
  static constexpr int largest_team = Kernel::largest_team, wanted_teams = 1;

  Kernel of;
  std::int64_t count;  ///< of teams

  MarkedItems(DirectProblem<T> const& problem, std::int64_t most_teams)
      : of(problem),
        count(std::min(most_teams, (problem.items + largest_team - 1) / largest_team)) {}
  static constexpr int team() { return largest_team; }
  std::size_t bytes() const { return of.bytes(); }
  std::int64_t teams() const { return count; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    char* const scratch = static_cast<char*>(
        member.team_scratch(0).get_shmem_aligned(Kernel::to_room() + of.room.kept_bytes(), 16));
    auto* const found = reinterpret_cast<std::int64_t*>(scratch);
    auto lanes = SummingLanes<T, Member>::of(
        SystemLanes<Member>{member, Vendor::lane_rank(member), largest_team},
        reinterpret_cast<T*>(found + Kernel::found_numbers()), 2);
    char* const memory = scratch + Kernel::to_room();
    DirectProblem<T> const& p = of.p;
    std::int64_t const step = std::int64_t(member.league_size()) * largest_team;
    for (std::int64_t first = std::int64_t(member.league_rank()) * largest_team; first < p.items;
         first += step) {
      std::int64_t const own = first + lanes.rank;
      if (!lanes.any(own < p.items && p.takes(own))) continue;
      std::int64_t const end = first + largest_team < p.items ? first + largest_team : p.items;
      for (std::int64_t item = first; item < end; ++item) {
        // All lanes have looked before the first of them stores.
        bool const takes = p.takes(item);
        lanes.sync();
        if (!takes) continue;
        run_direct_of_item<false, DirectTask::whole>(p, lanes, of.room, memory, found, item);
        lanes.sync();
      }
    }
  }
};

}  // namespace Batchwork::Impl

#endif
