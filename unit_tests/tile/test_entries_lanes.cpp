// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Entries of tiles in device kernels, run on threads of the host: with one item for each lane, and
// with lanes that share an item.
#include "fused/MapByLanes.hpp"
#include "tile/EntriesCase.hpp"

namespace Batchwork::Test {
namespace {

template <int L, int Team, class How = Division<>>
auto const by_lanes = [](std::int64_t n, auto const& sequence, auto const&... operands) {
  map_by_lanes<L, How>(Team, n, sequence, Impl::resolve(operands)...);
};

TEST(EntriesOfLanes, AreReadAndAssigned) {
  expect_entries<double, Left, 3>(37, by_lanes<1, 32>);
  expect_entries<double, Right, 5>(19, by_lanes<2, 32>);
  expect_entries<float, Left, 9>(9, by_lanes<8, 64>);
  expect_entries<float, Right, 3>(5, by_lanes<32, 32>);
}
/// Symmetric tiles of double in blocks of 8 x 8, for lanes with such blocks.
TEST(EntriesOfLanes, AreThoseOfBlocks) {
  expect_entries<double, Left, 17>(3, by_lanes<32, 64, Division<true>>);
}
TEST(EntriesOfLanes, BringTheirStatus) {
  expect_failures_of_entries<double, Left, 2>(37, by_lanes<1, 32>);
  expect_failures_of_entries<float, Right, 6>(21, by_lanes<4, 32>);
}
TEST(EntriesOfLanes, AreTakenTogether) {
  expect_taken_together<double, Right, 3>(37, by_lanes<1, 32>);
  expect_taken_together<float, Left, 5>(19, by_lanes<2, 32>);
  expect_taken_together<double, Left, 4>(9, by_lanes<8, 32>);
  expect_taken_together<float, Right, 3>(5, by_lanes<32, 32>);
}
TEST(EntriesOfLanes, AreComplex) { expect_complex_entries<double, Left, 3>(35, by_lanes<1, 32>); }

}  // namespace
}  // namespace Batchwork::Test
