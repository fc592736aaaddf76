// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Determinants of lu, ldlt, diagonals and triangles, in closed form, with partial products beyond
// the range of numbers.
#include "DeterminantCase.hpp"

namespace Batchwork::Test {
namespace {

auto const by_map = [](auto const&... arguments) { map(arguments...); };

TEST(Determinant, PartsBeyondTheRange) {
  expect_known_determinants<double, Left, 1>(61, by_map);
  expect_known_determinants<double, Left, 2>(61, by_map);
  expect_known_determinants<float, Right, 3>(61, by_map);
  expect_known_determinants<double, Right, 4>(61, by_map);
  expect_known_determinants<float, Left, 9>(61, by_map);
  expect_known_determinants<double, Left, 13>(61, by_map);
}
TEST(Determinant, PartsBeyondTheRangeOfComplexNumbers) {
  expect_known_complex_determinants<double, Left, 2>(61, by_map);
  expect_known_complex_determinants<float, Right, 3>(61, by_map);
  expect_known_complex_determinants<double, Right, 6>(61, by_map);
}

TEST(Determinant, OneThatIsNotFiniteSaysSo) {
  BatchIn<double, Left, 2, 2> a(3);
  BatchIn<double, Left> d(3);
  BatchIn<int, Left> codes(3);
  a.fill([](std::int64_t k) {
    return std::pow(10.0L, static_cast<long double>(k == 0 ? 200 : k == 1 ? -200 : 1)) * eye(2);
  });
  map(SizeOfDeterminant{}, out(d.view()), in(a.view()), status(codes.view()));
  d.download(), codes.download();
  EXPECT_EQ(d.at(0), 0);
  EXPECT_EQ(codes.at(0), Status::code(Reason::not_finite, 0));
  // 1 / 0 is stored.
  EXPECT_EQ(codes.at(1), Status::code(Reason::not_finite, 0));
  EXPECT_NEAR(d.at(2), 0.01, 1e-17);
  EXPECT_EQ(codes.at(2), 0);
}

}  // namespace
}  // namespace Batchwork::Test
