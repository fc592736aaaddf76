// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Device kernels with one item for each lane, run by threads of a host.
#ifndef BATCHWORK_TEST_LANE_TEAMS_HPP
#define BATCHWORK_TEST_LANE_TEAMS_HPP

#include "launch/detail/Batchwork_LaneLaunch.hpp"
#include "support/Batchwork_Devices.hpp"
#include "support/HostTeams.hpp"

namespace Batchwork::Test {

template <class F>
void run_lanes(F const& f) {
  auto const limits = h200_with_kokkos_4();
  Impl::LaneTeams<F> const kernel(f, limits);
  ASSERT_LE(kernel.bytes(), limits.scratch_of_team);
  ASSERT_LE(kernel.team(), kernel.largest_team);
  run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
}

}  // namespace Batchwork::Test

#endif
