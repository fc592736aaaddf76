// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every documented operation on tiles of double.
#include "EveryOperationCase.hpp"

namespace Batchwork::Test {
namespace {

TEST(EveryOperationOfDouble, Parts) { expect_operations<double, PartsOfTiles>(); }
TEST(EveryOperationOfDouble, Entries) { expect_operations<double, EntriesOfTiles>(); }
TEST(EveryOperationOfDouble, Solves) { expect_operations<double, SolvesOfTiles>(); }
TEST(EveryOperationOfDouble, Symmetric) { expect_operations<double, SymmetricTiles>(); }
TEST(EveryOperationOfDouble, Decompositions) { expect_operations<double, DecompositionsOfTiles>(); }
TEST(EveryOperationOfDouble, Functions) {
  expect_identities<double, 1, FunctionsOfTiles>();
  expect_identities<double, 3, FunctionsOfTiles>();
}
TEST(EveryOperationOfDouble, RoundsAndDerivatives) {
  expect_operations<double, RoundsAndDerivatives>();
}

}  // namespace
}  // namespace Batchwork::Test
