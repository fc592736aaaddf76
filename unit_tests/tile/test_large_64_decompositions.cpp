// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decompositions of tiles with extents from 33 to 64, on hosts only.
#include "EighCase.hpp"
#include "LdltCase.hpp"
#include "PivotedQrCase.hpp"
#include "SpdFunctionsCase.hpp"
#include "SvdCase.hpp"

namespace Batchwork::Test {
namespace {

auto const large_decompositions_by_map = [](auto const&... arguments) { map(arguments...); };

TEST(Decompositions64, Reflections) {
  expect_qr<double, Left, 40, 33, 3>(13, large_decompositions_by_map);
  expect_pivoted_qr<float, Right, 40, 54>(13, large_decompositions_by_map);
}
TEST(Decompositions64, Eigenvalues) {
  expect_eigh<double, Right, 40>(21, large_decompositions_by_map);
  expect_spd_functions<double, Left, 33>(17, large_decompositions_by_map);
}
TEST(Decompositions64, SingularValues) {
  expect_svd<double, Left, 40, 33>(13, large_decompositions_by_map);
}
TEST(Decompositions64, SymmetricElimination) {
  expect_ldlt<double, Left, 64, 3>(43, large_decompositions_by_map);
}

}  // namespace
}  // namespace Batchwork::Test
