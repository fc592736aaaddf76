// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// lu with so many rows that packs exchange rows of one item after the other, and lanes of a device
// share an item.
#include "LuCase.hpp"

namespace Batchwork::Test {
namespace {

TEST(LargeLu, RowsInPlace) {
  auto const run = [](auto const&... arguments) { map(arguments...); };
  expect_lu<double, Right, 17, 3>(37, run);
  expect_lu<float, Left, 32, 32>(37, run);
}

}  // namespace
}  // namespace Batchwork::Test
