// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Integers, bools and tables in the kernels of a device, run on the host by teams of light threads:
// with one item for each lane, and with lanes that share an item.
#include "fused/IntegersCase.hpp"
#include "fused/MapByLanes.hpp"

namespace Batchwork::Test {
namespace {

template <int L, int Team>
auto const integers_by_lanes = [](std::int64_t n, auto const& sequence, auto const&... operands) {
  map_by_lanes<L>(Team, n, sequence, Impl::resolve(operands)...);
};
/// As scan on a device.
template <int L, int Team>
auto const scan_by_lanes = [](std::int64_t steps, auto const& sequence, auto const&... operands) {
  [&]<class Sequence, class... O>(Sequence const& s, O const&... o) {
    using Lanes =
        typename Impl::DividedLanes<L, Division<>, OneLaneStaging, Impl::bound_t<O>...>::type;
    using Group = Impl::ScanGroup<Sequence, Lanes, Impl::bound_t<O>...>;
    static_assert(Group::lanes_per_item == L && Group::on_device);
    Group const group{{typename Group::Ops{{{Impl::bind(o)}...}}}, s, steps};
    std::int64_t const items = Impl::check("scan", steps, o...);
    int const per_team = L > 1 ? Group::grids_in(Team) : Team;
    run_teams(Impl::DeviceKernel<Group>{group, items, per_team},
              int((items + per_team - 1) / per_team), Team, Group::scratch_size(Team) + 64);
  }(sequence, Impl::resolve(operands)...);
};

TEST(IntegersOfLanes, Arithmetic) {
  expect_arithmetic<std::int32_t, Left>(103, integers_by_lanes<1, 32>);
  expect_arithmetic<std::int64_t, Right>(37, integers_by_lanes<8, 64>);
}
TEST(IntegersOfLanes, BesideRealNumbers) {
  expect_mixed<double, Left>(39, integers_by_lanes<1, 32>);
  expect_mixed<float, Right>(19, integers_by_lanes<8, 32>);
  expect_conversions<double, Left>(integers_by_lanes<1, 32>);
  expect_conversions<float, Left>(integers_by_lanes<32, 32>);
}
TEST(IntegersOfLanes, Tiles) {
  expect_corners<std::int32_t, Left>(21, integers_by_lanes<1, 32>);
  expect_corners<std::int64_t, Right>(37, integers_by_lanes<1, 32>);
  expect_corners<std::int64_t, Right>(21, integers_by_lanes<8, 64>);
  expect_corners<std::int32_t, Right>(5, integers_by_lanes<32, 64>);
}
TEST(IntegersOfLanes, Tables) {
  expect_look_ups<double, std::int32_t, Left>(39, integers_by_lanes<1, 32>);
  expect_look_ups<float, std::int64_t, Right>(27, integers_by_lanes<8, 32>);
  expect_look_ups<double, std::int32_t, Strided>(5, integers_by_lanes<32, 64>);
  expect_whole_look_ups<std::int32_t>(14, integers_by_lanes<1, 32>);
  expect_whole_look_ups<std::int64_t>(14, integers_by_lanes<8, 32>);
}
TEST(IntegersOfLanes, Scans) {
  expect_count<double, Left>(21, 6, scan_by_lanes<1, 32>);
  expect_count<float, Right>(11, 4, scan_by_lanes<8, 32>);
}

}  // namespace
}  // namespace Batchwork::Test
