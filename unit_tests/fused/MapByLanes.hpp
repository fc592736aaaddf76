// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// map_by_lanes: the device kernel of map, run on the host by teams of threads.
#ifndef BATCHWORK_TEST_MAPBYLANES_HPP
#define BATCHWORK_TEST_MAPBYLANES_HPP

#include "support/Batchwork_TestSupport.hpp"
#include "support/HostTeams.hpp"

namespace Batchwork::Test {

/// Runs map as on a device, with teams of this many lanes. L lanes share an item.
template <int L, class How = Division<>, class Sequence, class... O>
void map_by_lanes(int team, std::int64_t items, Sequence const& sequence, O const&... operands) {
  using Lanes = typename Impl::DividedLanes<L, How, OneLane, Impl::bound_t<O>...>::type;
  using Group = Impl::MapGroup<Sequence, Lanes, Impl::bound_t<O>...>;
  static_assert(Group::lanes_per_item == L && Group::on_device);
  Group const group{{typename Group::Ops{{{Impl::bind(operands)}...}}}, sequence};
  // Two rounds of each team, so that prefetched items are used.
  int const at_once = L > 1 ? Group::grids_in(team) : team, per_team = L > 1 ? at_once : 2 * team;
  std::int64_t const teams = (items + 2 * at_once - 1) / (2 * at_once);
  std::size_t const scratch =
      Group::scratch_size(team) + Group::fetch_bytes * std::size_t(team) + 64;
  run_teams(Impl::DeviceKernel<Group>{group, items, per_team}, int(teams), team, scratch);
}

}  // namespace Batchwork::Test

#endif
