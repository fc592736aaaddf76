// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// expm: the exponential of square tiles.
#include "ExpmCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T_, int N_, class Layout_ = Left>
struct CaseOfExpm {
  using T = T_;
  using Layout = Layout_;
  static constexpr int N = N_;
};
template <class C>
class ExpmOf : public ::testing::Test {};
using CasesOfExpm =
    ::testing::Types<CaseOfExpm<double, 1>, CaseOfExpm<double, 2>, CaseOfExpm<double, 3, Right>,
                     CaseOfExpm<double, 6>, CaseOfExpm<double, 9, Right>, CaseOfExpm<float, 3>,
                     CaseOfExpm<float, 4, Right>, CaseOfExpm<float, 7>>;
TYPED_TEST_SUITE(ExpmOf, CasesOfExpm);
TYPED_TEST(ExpmOf, AsItsSeries) {
  expect_expm<typename TypeParam::T, typename TypeParam::Layout, TypeParam::N>(
      105, [](auto const&... arguments) { map(arguments...); });
}

/// A triangle, and a matrix common to all items beside their own.
struct ExpmOfOthers {
  template <class X, class Y, class L, class C>
  KOKKOS_FUNCTION void operator()(X& of_lower, Y& of_common, L const& l, C const& c) const {
    of_lower = expm(l);
    of_common = expm(c) * expm(-c);
  }
};
TEST(Expm, LowerAndCommonTiles) {
  constexpr std::int64_t n = 19;
  Random random(137);
  BatchIn<double, Left, 5, 5> l(n), x(n), y(n);
  l.randomise(random);
  Common<double, 5, 5> const common_c(random_dense<double>(random, 5, 5));
  map(ExpmOfOthers{}, out(x.view()), out(y.view()), in(lower(l.view())), common(common_c.view));
  x.download(), y.download();
  long double const condition =
      norm1(exponential(common_c.dense())) * norm1(exponential(-1.0L * common_c.dense()));
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const lk = lower_triangle(l.dense(k)), truth = exponential(lk);
    EXPECT_TRUE(near(x.dense(k), truth, 50 * epsilon<double> * (1 + norm1(lk)) * norm1(truth)));
    EXPECT_TRUE(near(y.dense(k), eye(5), tolerance<double>(50, condition)));
  }
}

}  // namespace
}  // namespace Batchwork::Test
