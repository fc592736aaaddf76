// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// svd, singular_values, pinv, rank, condition, and least squares by them.
#include "SvdCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T_, int M_, int N_, class Layout_ = Left>
struct Case {
  using T = T_;
  using Layout = Layout_;
  static constexpr int M = M_, N = N_;
};
auto const by_map = [](auto const&... arguments) { map(arguments...); };

template <class C>
class SvdOf : public ::testing::Test {};
using Cases = ::testing::Types<Case<double, 1, 1>, Case<double, 3, 3>, Case<double, 5, 2, Right>,
                               Case<double, 2, 5>, Case<double, 6, 6, Right>,
                               Case<float, 3, 3, Right>, Case<float, 4, 7>, Case<float, 8, 5>>;
TYPED_TEST_SUITE(SvdOf, Cases);
TYPED_TEST(SvdOf, ResidualAndOrthogonality) {
  using P = TypeParam;
  expect_svd<typename P::T, typename P::Layout, P::M, P::N>(83, by_map);
}
TEST(Svd, WhatFollows) {
  expect_use_of_svd<double, Left, 3, 3>(61, by_map);
  expect_use_of_svd<double, Right, 5, 3>(61, by_map);
  expect_use_of_svd<float, Left, 2, 4>(61, by_map);
}

}  // namespace
}  // namespace Batchwork::Test
