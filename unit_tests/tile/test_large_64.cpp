// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles with extents from 33 to 64.
#include "tile/Large.hpp"
#include "tile/LuCase.hpp"

namespace Batchwork::Test {
namespace {

using CasesBeyond32 = std::conditional_t<
    Impl::runs_on_device<Space>,
    ::testing::Types<LargeCase<double, 33, 7, Left>, LargeCase<float, 64, 5, Right>,
                     LargeCase<double, 40, 40, CompactBy<8>>, LargeCase<float, 54, 2, Strided>,
                     LargeCase<double, 48, 33, Right>>,
    ::testing::Types<LargeCase<double, 40, 40, CompactBy<8>>, LargeCase<float, 64, 33, Right>>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Beyond32, LargeTile, CasesBeyond32);

TEST(LargeLu, Beyond32) {
  auto const run = [](auto const&... arguments) { map(arguments...); };
  expect_lu<double, Left, 40, 5>(19, run);
  expect_lu<float, Right, 64, 33>(19, run);
  if constexpr (Impl::runs_on_device<Space>) {
    expect_lu<double, Right, 33, 1>(19, run);
    expect_lu<float, Left, 54, 54>(19, run);
  }
}

}  // namespace
}  // namespace Batchwork::Test
