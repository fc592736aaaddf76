// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Filters with 40 variables by map and scan, in every arrangement.
#include "fused/LargeFilterCase.hpp"

namespace Batchwork::Test {
namespace {

TEST(LargeFilter, Analysis) {
  auto const run = [](auto const&... arguments) { map(arguments...); };
  expect_analysis<double, Left>(13, run);
  expect_analysis<double, CompactBy<8>>(13, run);
  expect_analysis<float, Right>(21, run);
}
TEST(LargeFilter, Cycles) {
  auto const run = [](auto const&... arguments) { scan(arguments...); };
  expect_cycles<double, Right>(11, run);
  expect_cycles<float, Left>(17, run);
}

}  // namespace
}  // namespace Batchwork::Test
