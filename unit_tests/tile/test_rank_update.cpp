// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// rank_update and rank_downdate of Cholesky factors.
#include "RankUpdateCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T_, int N_, int C_, class Layout_ = Left>
struct CaseOfRankUpdate {
  using T = T_;
  using Layout = Layout_;
  static constexpr int N = N_, C = C_;
};
auto const rank_update_by_map = [](auto const&... arguments) { map(arguments...); };

template <class C>
class RankUpdateOf : public ::testing::Test {};
using CasesOfRankUpdate =
    ::testing::Types<CaseOfRankUpdate<double, 1, 1>, CaseOfRankUpdate<double, 2, 1, Right>,
                     CaseOfRankUpdate<double, 5, 3>, CaseOfRankUpdate<double, 3, 5, Right>,
                     CaseOfRankUpdate<float, 4, 1>, CaseOfRankUpdate<float, 7, 2, Right>>;
TYPED_TEST_SUITE(RankUpdateOf, CasesOfRankUpdate);
TYPED_TEST(RankUpdateOf, AddsAndTakesOff) {
  using P = TypeParam;
  expect_rank_update<typename P::T, typename P::Layout, P::N, P::C>(83, rank_update_by_map);
}
TYPED_TEST(RankUpdateOf, TakesOff) {
  using P = TypeParam;
  expect_rank_downdate<typename P::T, typename P::Layout, P::N, P::C>(83, rank_update_by_map);
}
TYPED_TEST(RankUpdateOf, WhatCholeskyReturns) {
  using P = TypeParam;
  expect_updates_of_cholesky<typename P::T, typename P::Layout, P::N, P::C>(37, rank_update_by_map);
}

}  // namespace
}  // namespace Batchwork::Test
