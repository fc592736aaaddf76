// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// qr, eigh, svd, ldlt and functions of matrices, of tiles to 32 x 32: lanes of a device share an item.
#include "EighCase.hpp"
#include "LdltCase.hpp"
#include "SpdFunctionsCase.hpp"
#include "SvdCase.hpp"

namespace Batchwork::Test {
namespace {

auto const by_map = [](auto const&... arguments) { map(arguments...); };

TEST(LargeDecompositions, Reflections) {
  expect_qr<double, Left, 20, 17, 3>(31, by_map);
  expect_qr<float, Right, 32, 32, 2>(31, by_map);
  expect_qr<float, Left, 12, 24, 1>(31, by_map);
}
TEST(LargeDecompositions, Eigenvalues) {
  expect_eigh<double, Right, 17>(40, by_map);
  expect_eigh<float, Left, 32>(40, by_map);
}
TEST(LargeDecompositions, SingularValues) {
  expect_svd<double, Left, 18, 13>(31, by_map);
  expect_svd<float, Right, 15, 32>(31, by_map);
}
TEST(LargeDecompositions, SymmetricElimination) {
  expect_ldlt<double, Left, 17, 3>(43, by_map);
  expect_ldlt<float, Right, 32, 32>(43, by_map);
}
TEST(LargeDecompositions, Exponentials) {
  expect_expm<double, Right, 17>(40, by_map);
  expect_expm<float, Left, 32>(40, by_map);
}
TEST(LargeDecompositions, FunctionsOfEigenvalues) {
  expect_spd_functions<double, Left, 18>(35, by_map);
  expect_spd_functions<float, Right, 32>(35, by_map);
}

}  // namespace
}  // namespace Batchwork::Test
