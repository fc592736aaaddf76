// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles with extents from 33 to 64. Each of 32 lanes of a device has two lines of them. The kernels
// of map and scan, run on light threads of a host.
#include "fused/LargeFilterCase.hpp"
#include "fused/MapByLanes.hpp"

namespace Batchwork::Test {
namespace {

/// map as the cases call it, by 32 lanes an item.
template <class Sequence, class... O>
  requires(!Kokkos::is_execution_space_v<Sequence>)
void map(Sequence const& sequence, O const&... operands) {
  std::int64_t const items = Impl::check("map", 0, Impl::resolve(operands)...);
  map_by_lanes<32>(32, items, sequence, Impl::resolve(operands)...);
}

}  // namespace
}  // namespace Batchwork::Test

#include "tile/Large.hpp"
#include "tile/LuCase.hpp"

namespace Batchwork::Test {
namespace {

using CasesOfTwoLines =
    ::testing::Types<LargeCase<double, 40, 33, Left>, LargeCase<float, 64, 5, Right>>;
INSTANTIATE_TYPED_TEST_SUITE_P(TwoLines, LargeTile, CasesOfTwoLines);

TEST(LaneGrids, LuOfTwoRowsALane) {
  auto const run = [](auto const&... arguments) { map(arguments...); };
  expect_lu<double, Left, 40, 5>(7, run);
  expect_lu<float, Right, 64, 2>(7, run);
}

TEST(LaneGrids, FilterOf40Variables) {
  expect_analysis<double, Left>(5, [](auto const&... arguments) { map(arguments...); });
  expect_analysis<float, CompactBy<4>>(5, [](auto const&... arguments) { map(arguments...); });
}
// In blocks of 8 x 8, as matrix instructions have them.
TEST(LaneGrids, FilterOf40VariablesInBlocks) {
  expect_analysis<double, Right>(5, [](auto const& sequence, auto const&... operands) {
    map_by_lanes<32, Division<true>>(64, 5, sequence, Impl::resolve(operands)...);
  });
}

/// As scan on a device, 32 lanes an item.
struct ScanByLanes {
  template <class Sequence, class... O>
  void operator()(std::int64_t steps, Sequence const& sequence, O const&... operands) const {
    std::int64_t const items = Impl::check("scan", steps, Impl::resolve(operands)...);
    run(steps, items, sequence, Impl::resolve(operands)...);
  }
  template <class Sequence, class... O>
  static void run(std::int64_t steps, std::int64_t items, Sequence const& sequence,
                  O const&... operands) {
    using Lanes =
        typename Impl::DividedLanes<32, Division<>, OneLaneStaging, Impl::bound_t<O>...>::type;
    using Group = Impl::ScanGroup<Sequence, Lanes, Impl::bound_t<O>...>;
    Group const group{{typename Group::Ops{{{Impl::bind(operands)}...}}}, sequence, steps};
    int const team = 64, at_once = Group::grids_in(team);
    run_teams(Impl::DeviceKernel<Group>{group, items, at_once}, int((items + 1) / 2), team,
              Group::scratch_size(team) + 64);
  }
};
TEST(LaneGrids, CyclesOf40Variables) {
  expect_cycles<double, Left>(3, ScanByLanes{});
  expect_cycles<float, Right>(3, ScanByLanes{});
}

}  // namespace
}  // namespace Batchwork::Test
