// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// svd, singular_values, pinv, rank, condition, and least squares with them.
#include "SvdCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T_, int M_, int N_, class Layout_ = Left>
struct CaseOfSvd {
  using T = T_;
  using Layout = Layout_;
  static constexpr int M = M_, N = N_;
};
auto const svd_by_map = [](auto const&... arguments) { map(arguments...); };

template <class C>
class SvdOf : public ::testing::Test {};
using CasesOfSvd = ::testing::Types<CaseOfSvd<double, 1, 1>, CaseOfSvd<double, 3, 3>,
                                    CaseOfSvd<double, 5, 2, Right>, CaseOfSvd<double, 2, 5>,
                                    CaseOfSvd<double, 6, 6, Right>, CaseOfSvd<float, 3, 3, Right>,
                                    CaseOfSvd<float, 4, 7>, CaseOfSvd<float, 8, 5>>;
TYPED_TEST_SUITE(SvdOf, CasesOfSvd);
TYPED_TEST(SvdOf, ResidualAndOrthogonality) {
  using P = TypeParam;
  expect_svd<typename P::T, typename P::Layout, P::M, P::N>(83, svd_by_map);
}
TEST(Svd, WhatFollows) {
  expect_use_of_svd<double, Left, 3, 3>(61, svd_by_map);
  expect_use_of_svd<double, Right, 5, 3>(61, svd_by_map);
  expect_use_of_svd<float, Left, 2, 4>(61, svd_by_map);
}

}  // namespace
}  // namespace Batchwork::Test
