// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a device is said to have, and what of it each of several teams has.
#include "machine/Batchwork_Vendor.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

#include "support/Batchwork_Devices.hpp"

namespace Batchwork::Test {
namespace {

TEST(DeviceLimits, OfThisDevice) {
  using Exec = Kokkos::DefaultExecutionSpace;
  auto const limits = Impl::Vendor::device_limits(Exec());
  EXPECT_EQ(limits.scratch_of_team, std::size_t(Kokkos::TeamPolicy<Exec>::scratch_size_max(0)));
  EXPECT_GE(limits.scratch_of_multiprocessor, limits.scratch_of_team);
  EXPECT_EQ(limits.scratch(1, 32), limits.scratch_of_team);
  EXPECT_GE(limits.lanes_of_multiprocessor, limits.lanes_of_team);
  EXPECT_GT(limits.teams_of_launch, 2147000000);
}

TEST(DeviceLimits, TeamsShareAMultiprocessor) {
  for (auto const& device : devices()) {
    SCOPED_TRACE(device.name);
    auto const& d = device.limits;
    for (int lanes : {32, 128, 256}) {
      EXPECT_EQ(d.scratch(1, lanes), d.scratch_of_team);
      for (int teams = 1; teams <= 8; ++teams) {
        std::size_t const each = d.scratch(teams, lanes);
        EXPECT_LE(each, d.scratch(1, lanes));
        EXPECT_GE(each, d.scratch(teams + 1, lanes));
        EXPECT_GE(each, d.scratch(teams, lanes + 32));
        if (teams * lanes <= d.lanes_of_multiprocessor) {
          EXPECT_TRUE(d.holds(teams, lanes, each));
        }
        EXPECT_FALSE(d.holds(teams, lanes, each + 1));
      }
    }
    EXPECT_FALSE(d.holds(1, d.lanes_of_team, d.scratch_of_team + 1));
  }
}

/// Kernels are laid out for so much before the device is known.
TEST(DeviceLimits, EveryDeviceHasTheScratchOfATeam) {
  for (auto const& device : devices()) {
    if (std::string(device.name) == "a host") continue;
    EXPECT_GE(device.limits.scratch_of_team, Impl::scratch_of_a_team) << device.name;
    EXPECT_GE(device.limits.scratch_of_team, Impl::scratch_with_kokkos_4) << device.name;
  }
}

/// By the numbers of Kokkos' own sources (Kokkos_Cuda_BlockSize_Deduction.hpp): shared memory of a multiprocessor over what a
/// team takes with what Kokkos adds to it.
TEST(DeviceLimits, H200) {
  auto const d = h200_with_kokkos_4();
  EXPECT_EQ(d.scratch_of_team, 40936u);
  EXPECT_EQ(d.scratch(6, 128), 233472u / 6 - 16 - 16 - 8 * 128);
  EXPECT_TRUE(d.holds(6, 128, 36880));
  EXPECT_FALSE(d.holds(6, 128, 38928));
  EXPECT_TRUE(d.holds(5, 128, 38928));
}

}  // namespace
}  // namespace Batchwork::Test
