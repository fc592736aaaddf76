// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Indexed operands in the kernels of a device, run on the host by teams of light threads: with one
// item for each lane, and with lanes that share an item.
#include "fused/IndexedCase.hpp"
#include "fused/ItemMaskCase.hpp"
#include "fused/MapByLanes.hpp"

namespace Batchwork::Test {
namespace {

template <int L, int Team>
auto const by_lanes = [](std::int64_t n, auto const& sequence, auto const&... operands) {
  map_by_lanes<L>(Team, n, sequence, Impl::resolve(operands)...);
};

TEST(IndexedOfLanes, Gathered) {
  expect_picks<double, std::int32_t, Right, Right>(37, 11, true, by_lanes<1, 32>);
  expect_picks<double, std::int32_t, Right, Right>(37, 11, true, by_lanes<8, 64>);
  expect_picks<float, std::int64_t, Left, Left>(5, 3, true, by_lanes<32, 64>);
}
TEST(IndexedOfLanes, Scattered) {
  expect_places<double, std::int32_t, Right, Right>(37, true, by_lanes<1, 32>);
  expect_places<double, std::int32_t, Right, Right>(21, true, by_lanes<8, 64>);
}
TEST(IndexedOfLanes, Added) {
  expect_sums<double, std::int32_t, Right, Right>(37, true, by_lanes<1, 32>);
  expect_sums<double, std::int32_t, Right, Right>(21, true, by_lanes<8, 64>);
  expect_sums<float, std::int32_t, Left, Left>(5, true, by_lanes<32, 64>);
}
TEST(IndexedOfLanes, Masks) {
  expect_mask<double, Right>(37, by_lanes<1, 32>);
  expect_mask<double, Right>(37, by_lanes<8, 64>);
  expect_mask<float, Left>(5, by_lanes<32, 64>);
}

}  // namespace
}  // namespace Batchwork::Test
