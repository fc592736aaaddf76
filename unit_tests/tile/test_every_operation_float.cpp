// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every documented operation on tiles of float.
#include "EveryOperationCase.hpp"

namespace Batchwork::Test {
namespace {

TEST(EveryOperationOfFloat, Parts) { expect_operations<float, PartsOfTiles>(); }
TEST(EveryOperationOfFloat, Entries) { expect_operations<float, EntriesOfTiles>(); }
TEST(EveryOperationOfFloat, Solves) { expect_operations<float, SolvesOfTiles>(); }
TEST(EveryOperationOfFloat, Symmetric) { expect_operations<float, SymmetricTiles>(); }
TEST(EveryOperationOfFloat, Decompositions) { expect_operations<float, DecompositionsOfTiles>(); }
TEST(EveryOperationOfFloat, Functions) {
  expect_identities<float, 1, FunctionsOfTiles>();
  expect_identities<float, 3, FunctionsOfTiles>();
}
TEST(EveryOperationOfFloat, RoundsAndDerivatives) {
  expect_operations<float, RoundsAndDerivatives>();
}

}  // namespace
}  // namespace Batchwork::Test
