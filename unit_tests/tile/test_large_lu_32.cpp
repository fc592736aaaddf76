// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// lu on devices, for every number of lanes that share an item by default.
#include "LuCase.hpp"

namespace Batchwork::Test {
namespace {

TEST(LargeLu, ByLanes) {
  auto const run = [](auto const&... arguments) { map(arguments...); };
  expect_lu<double, Left, 8, 8>(67, run);
  expect_lu<double, Left, 11, 4>(67, run);
  expect_lu<double, Right, 16, 16>(67, run);
  expect_lu<double, Left, 24, 7>(67, run);
  expect_lu<double, Left, 32, 32>(67, run);
  expect_lu<double, Right, 31, 1>(67, run);
  expect_lu<float, Left, 12, 12>(67, run);
  expect_lu<float, Right, 18, 5>(67, run);
  expect_lu<float, Left, 23, 23>(67, run);
}

}  // namespace
}  // namespace Batchwork::Test
