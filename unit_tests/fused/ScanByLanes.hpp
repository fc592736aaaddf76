// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// scan_by_lanes: the device kernel of scan, run on the host by teams of threads.
#ifndef BATCHWORK_TEST_SCANBYLANES_HPP
#define BATCHWORK_TEST_SCANBYLANES_HPP

#include "support/Batchwork_TestSupport.hpp"
#include "support/HostTeams.hpp"

namespace Batchwork::Test {

/// Runs scan as on a device, with teams of this many lanes. L lanes share an item. Returns the
/// bytes of the kernel's arguments.
template <int L, class Sequence, class... O>
std::size_t scan_by_lanes(int team, std::int64_t items, Impl::Steps const& steps,
                          Sequence const& sequence, O const&... operands) {
  EXPECT_EQ(Impl::check("scan", steps, operands...), items);
  using Lanes =
      typename Impl::DividedLanes<L, Division<>, OneLaneStaging, Impl::bound_t<O>...>::type;
  using Group = Impl::ScanGroup<Sequence, Lanes, Impl::bound_t<O>...>;
  static_assert(Group::lanes_per_item == L && Group::on_device);
  static_assert(Group::template fits<Sequence>());
  Group const group{{typename Group::Ops{{{Impl::bind(Impl::placed(operands, steps))}...}}},
                    sequence,
                    steps.count()};
  // Two rounds of each team.
  int const at_once = L > 1 ? Group::grids_in(team) : team, per_team = L > 1 ? at_once : 2 * team;
  std::int64_t const teams = (items + 2 * at_once - 1) / (2 * at_once);
  std::size_t const scratch = Group::scratch_size(team) + 64;
  run_teams(Impl::DeviceKernel<Group>{group, items, per_team}, int(teams), team, scratch);
  return sizeof(Impl::DeviceKernel<Group>);
}

}  // namespace Batchwork::Test

#endif
