// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Derivatives through tiles: products, solves, factorisations, and what becomes of items that fail.
#include "tile/DualCase.hpp"

namespace Batchwork::Test {
namespace {

auto const dual_by_map = [](auto const&... arguments) { map(arguments...); };

TEST(DualTiles, Products) {
  expect_derivatives<ProductOf, double, Left, 4, 4>(13, dual_by_map);
  expect_derivatives<ProductOf, float, Right, 3, 3>(9, dual_by_map);
  expect_derivatives<CongruenceOf, double, Right, 3, 3>(6, dual_by_map);
  expect_derivatives<CongruenceOf, float, CompactBy<8>, 5, 5>(11, dual_by_map);
}
TEST(DualTiles, Solutions) {
  expect_derivatives<LuSolutionOf, double, Left, 4, 2>(13, dual_by_map);
  // Rows of a pack are exchanged in memory from 9 on.
  expect_derivatives<LuSolutionOf, double, Right, 9, 1>(6, dual_by_map);
  expect_derivatives<LuSolutionOf, float, Strided, 3, 1>(11, dual_by_map);
  expect_derivatives<CholeskySolutionOf, double, Right, 3, 2>(6, dual_by_map);
  expect_derivatives<CholeskySolutionOf, float, Left, 9, 1>(9, dual_by_map);
  expect_derivatives<QrSolutionOf, double, Left, 3, 1>(5, dual_by_map);
  expect_derivatives<TriangularSolutionOf, double, CompactBy<4>, 4, 3>(7, dual_by_map);
}
TEST(DualTiles, InversesAndFactors) {
  expect_derivatives<InverseOf, double, Left, 2, 2>(7, dual_by_map);
  expect_derivatives<InverseOf, float, Right, 4, 4>(9, dual_by_map);
  expect_derivatives<CholeskyOf, double, Right, 4, 4>(7, dual_by_map);
  expect_derivatives<CholeskyOf, float, Left, 2, 2>(7, dual_by_map);
}
TEST(DualTiles, Scalars) {
  expect_derivatives<ScalarsOf, double, Left, 4, 4>(7, dual_by_map);
  expect_derivatives<ScalarsOf, float, Right, 3, 3>(11, dual_by_map);
}

}  // namespace
}  // namespace Batchwork::Test
