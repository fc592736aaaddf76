// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Derivatives, and loops whose number of rounds differs between items, in device kernels: with one
// item for each lane, and with lanes that share an item. With derivatives, each of these lanes has
// all entries.
#include "fused/MapByLanes.hpp"
#include "tile/ControlCase.hpp"
#include "tile/DualCase.hpp"

namespace Batchwork::Test {
namespace {

/// Runs map with teams of 32 lanes. L lanes share an item.
template <int L>
auto const by_lanes = [](auto const& sequence, auto const&... operands) {
  std::int64_t const items = Impl::check("map", 0, Impl::resolve(operands)...);
  map_by_lanes<L>(32, items, sequence, Impl::resolve(operands)...);
};

TEST(DualLanes, AnItemALane) {
  expect_derivatives<ProductOf, double, Left, 2, 2>(37, by_lanes<1>);
  expect_derivatives<LuSolutionOf, double, Right, 3, 1>(37, by_lanes<1>);
  expect_derivatives<CholeskySolutionOf, float, Left, 3, 1>(37, by_lanes<1>);
}
TEST(DualLanes, SharedItems) {
  expect_derivatives<ProductOf, double, Left, 3, 3>(13, by_lanes<4>);
  expect_derivatives<CongruenceOf, double, Right, 3, 3>(11, by_lanes<2>);
  expect_derivatives<LuSolutionOf, double, Left, 3, 1>(13, by_lanes<4>);
  expect_derivatives<CholeskySolutionOf, float, Right, 3, 2>(5, by_lanes<8>);
  expect_derivatives<ScalarsOf, double, Left, 3, 3>(11, by_lanes<2>);
}

TEST(DualLanes, ItemsKeepWhatTheyHave) {
  expect_halves<double, Left, 3>(67, 50, by_lanes<1>);
  for (int most : {50, 5, 0}) expect_halves<double, Left, 3>(23, most, by_lanes<4>);
  expect_halves<float, Right, 5>(11, 9, by_lanes<8>);
}
TEST(DualLanes, EachItemAsIfAlone) {
  expect_intersections<double, Left>(13, by_lanes<1>);
  expect_intersections<double, Right>(21, by_lanes<2>);
}
TEST(DualLanes, OnlyWhereAsked) {
  expect_where<double, Left>(61, by_lanes<1>);
  expect_where<double, Left>(61, by_lanes<2>);
}

}  // namespace
}  // namespace Batchwork::Test
