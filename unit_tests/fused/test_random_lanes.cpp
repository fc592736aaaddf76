// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random numbers in the kernels of a device, run on the host by teams of light threads: with one
// item for each lane, and with lanes that share an item.
#include "fused/MapByLanes.hpp"
#include "fused/RandomCase.hpp"
#include "fused/ScanByLanes.hpp"

namespace Batchwork::Test {
namespace {

template <int L, int Team>
auto const random_by_lanes = [](std::int64_t n, auto const& sequence, auto const&... operands) {
  map_by_lanes<L>(Team, n, sequence, Impl::resolve(operands)...);
};
template <int L, int Team>
auto const walk_by_lanes =
    [](std::int64_t n, auto const& steps, auto const& sequence, auto const&... operands) {
      scan_by_lanes<L>(Team, n, steps, sequence, Impl::resolve(operands)...);
    };

TEST(RandomNumbersOfLanes, OfMap) {
  expect_drawn<float, std::int32_t, Left>(39, random_by_lanes<1, 32>);
  expect_drawn<double, std::int64_t, Right>(13, random_by_lanes<4, 32>);
  expect_drawn<float, std::int64_t, Left>(9, random_by_lanes<32, 64>);
}
TEST(RandomNumbersOfLanes, OfScan) {
  expect_walk<float, Left>(19, 5, walk_by_lanes<1, 32>);
  expect_walk<double, Right>(9, {1, 4, true}, walk_by_lanes<8, 32>);
}
TEST(RandomNumbersOfLanes, AfterRoundsOfSomeItems) {
  expect_until_small<float>(43, random_by_lanes<1, 32>);
  expect_until_small<double>(11, random_by_lanes<4, 32>);
}

}  // namespace
}  // namespace Batchwork::Test
