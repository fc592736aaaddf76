// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// qr, eigh and svd of tiles to 32 x 32: lanes of a device share an item.
#include "EighCase.hpp"
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

}  // namespace
}  // namespace Batchwork::Test
