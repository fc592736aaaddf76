// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles with extents from 33 to 64, of which each of 32 lanes of a device has two lines: the kernels of map on light threads of a host.
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

using CasesOfTwoLines = ::testing::Types<LargeCase<double, 40, 33, Left>, LargeCase<float, 64, 5, Right>>;
INSTANTIATE_TYPED_TEST_SUITE_P(TwoLines, LargeTile, CasesOfTwoLines);

TEST(LaneGrids, LuOfTwoRowsALane) {
  auto const run = [](auto const&... arguments) { map(arguments...); };
  expect_lu<double, Left, 40, 5>(7, run);
  expect_lu<float, Right, 64, 2>(7, run);
}

}  // namespace
}  // namespace Batchwork::Test
