// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The limits of a device that the library uses, and the share of each of several teams.
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"

#include <gtest/gtest.h>
#include <cstddef>
#include <cstdint>

#include <algorithm>

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

/// The sizes of kernels that are chosen at compile time, before the device is known.
TEST(DeviceLimits, EveryDeviceHasTheScratchOfATeam) {
  for (auto const& device : devices()) {
    if (std::string(device.name) == "a host") continue;
    EXPECT_GE(device.limits.scratch_of_team, Impl::scratch_of_a_team) << device.name;
    EXPECT_GE(device.limits.scratch_of_team, Impl::scratch_with_kokkos_4) << device.name;
  }
}

/// As many operands as fit: first the operands that must be staged, then the others from the
/// smallest on, and equal ones in their order.
TEST(DeviceLimits, OperandsAreStagedOneByOne) {
  std::size_t const bytes[] = {800, 0, 400, 400, 1600};
  bool const none[] = {false, false, false, false, false},
             last[] = {false, false, false, false, true};
  EXPECT_EQ(Impl::staged_operands(bytes, none, 399), 0u);
  EXPECT_EQ(Impl::staged_operands(bytes, none, 400), 0b00100u);
  EXPECT_EQ(Impl::staged_operands(bytes, none, 1599), 0b01100u);
  EXPECT_EQ(Impl::staged_operands(bytes, none, 1600), 0b01101u);
  EXPECT_EQ(Impl::staged_operands(bytes, none, 3200), 0b11101u);
  EXPECT_EQ(Impl::staged_operands(bytes, last, 1600), 0b10000u);
  EXPECT_EQ(Impl::staged_operands(bytes, last, 2000), 0b10100u);
  EXPECT_EQ(Impl::staged_operands(bytes, last, 1000), 0b01100u);
  // On every device, the staged operands fit, and no other one would fit beside them.
  for (auto const& device : devices()) {
    SCOPED_TRACE(device.name);
    std::size_t const many[] = {52000, 3000, 41000, 18000, 9000};
    std::size_t const room = device.limits.scratch_of_team;
    std::uint64_t const staged = Impl::staged_operands(many, none, room);
    std::size_t sum = 0, least = 1000000;
    for (int k = 0; k < 5; ++k)
      if (staged >> k & 1) sum += many[k];
      else least = std::min(least, many[k]);
    EXPECT_LE(sum, room);
    EXPECT_GT(sum + least, room);
  }
}

/// Computed as in Kokkos (Kokkos_Cuda_BlockSize_Deduction.hpp): the shared memory of a
/// multiprocessor, divided by the memory of a team, including the memory that Kokkos adds and the 1
/// KB that the driver reserves.
TEST(DeviceLimits, H200) {
  auto const d = h200_with_kokkos_4();
  EXPECT_EQ(d.scratch_of_team, 40936u);
  EXPECT_EQ(d.scratch(6, 128), 233472u / 6 - 16 - 16 - 1024 - 8 * 128);
  EXPECT_TRUE(d.holds(6, 128, 36832));
  EXPECT_FALSE(d.holds(6, 128, 36833));
  EXPECT_TRUE(d.holds(5, 128, 38928));
}

}  // namespace
}  // namespace Batchwork::Test
