// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decompositions, functions and factors of tiles up to 32 x 32. On devices, lanes share an item.
#include "EighCase.hpp"
#include "LdltCase.hpp"
#include "PivotedQrCase.hpp"
#include "RankUpdateCase.hpp"
#include "SpdFunctionsCase.hpp"
#include "StackedQrCase.hpp"
#include "SvdCase.hpp"

namespace Batchwork::Test {
namespace {

auto const decompositions_by_map = [](auto const&... arguments) { map(arguments...); };

TEST(LargeDecompositions, Reflections) {
  expect_qr<double, Left, 20, 17, 3>(31, decompositions_by_map);
  expect_qr<float, Right, 32, 32, 2>(31, decompositions_by_map);
  expect_qr<float, Left, 12, 24, 1>(31, decompositions_by_map);
}
TEST(LargeDecompositions, ExchangedColumns) {
  expect_pivoted_qr<double, Left, 20, 17>(31, decompositions_by_map);
  expect_pivoted_qr<float, Right, 32, 32>(31, decompositions_by_map);
  expect_pivoted_qr<float, Left, 12, 24>(31, decompositions_by_map);
  expect_shortest_solutions<double, Left, 18, 25, 3>(40, decompositions_by_map);
  expect_shortest_solutions<double, Right, 32, 20, 2>(40, decompositions_by_map);
}
TEST(LargeDecompositions, StackedColumns) {
  expect_stacked_r<double, Left, 20, 17, 9>(31, decompositions_by_map);
  expect_stacked_r<float, Right, 12, 32, 32>(31, decompositions_by_map);
  expect_stacked_array<double, Right, 20, 12, 20, 32>(21, decompositions_by_map);
}
TEST(LargeDecompositions, RanksAddedAndTakenOff) {
  expect_rank_update<double, Left, 17, 3>(31, decompositions_by_map);
  expect_rank_update<float, Right, 32, 1>(31, decompositions_by_map);
  expect_rank_downdate<double, Right, 32, 2>(97, decompositions_by_map);
}
TEST(LargeDecompositions, Eigenvalues) {
  expect_eigh<double, Right, 17>(40, decompositions_by_map);
  expect_eigh<float, Left, 32>(40, decompositions_by_map);
}
TEST(LargeDecompositions, SingularValues) {
  expect_svd<double, Left, 18, 13>(31, decompositions_by_map);
  expect_svd<float, Right, 15, 32>(31, decompositions_by_map);
}
TEST(LargeDecompositions, SymmetricElimination) {
  expect_ldlt<double, Left, 17, 3>(43, decompositions_by_map);
  expect_ldlt<float, Right, 32, 32>(43, decompositions_by_map);
}
TEST(LargeDecompositions, Exponentials) {
  expect_expm<double, Right, 17>(40, decompositions_by_map);
  expect_expm<float, Left, 32>(40, decompositions_by_map);
}
TEST(LargeDecompositions, FunctionsOfEigenvalues) {
  expect_spd_functions<double, Left, 18>(35, decompositions_by_map);
  expect_spd_functions<float, Right, 32>(35, decompositions_by_map);
}

}  // namespace
}  // namespace Batchwork::Test
