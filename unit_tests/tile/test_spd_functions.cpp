// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sqrt_spd and log_spd: functions of the eigenvalues of symmetric tiles.
#include "SpdFunctionsCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T_, int N_, class Layout_ = Left>
struct CaseOfSpdFunctions {
  using T = T_;
  using Layout = Layout_;
  static constexpr int N = N_;
};
template <class C>
class SpdFunctionsOf : public ::testing::Test {};
using CasesOfSpdFunctions =
    ::testing::Types<CaseOfSpdFunctions<double, 1>, CaseOfSpdFunctions<double, 2>,
                     CaseOfSpdFunctions<double, 3, Right>, CaseOfSpdFunctions<double, 6>,
                     CaseOfSpdFunctions<double, 9, Right>, CaseOfSpdFunctions<float, 3>,
                     CaseOfSpdFunctions<float, 4, Right>, CaseOfSpdFunctions<float, 7>>;
TYPED_TEST_SUITE(SpdFunctionsOf, CasesOfSpdFunctions);
TYPED_TEST(SpdFunctionsOf, SquareAndExponential) {
  expect_spd_functions<typename TypeParam::T, typename TypeParam::Layout, TypeParam::N>(
      91, [](auto const&... arguments) { map(arguments...); });
}

/// The lower triangle of a general tile, and a matrix common to all items.
struct OfOthers {
  template <class X, class Y, class A, class C>
  KOKKOS_FUNCTION void operator()(X& of_general, Y& of_common, A const& a, C const& c) const {
    of_general = sqrt_spd(a + 6.0 * identity<5>(a));
    of_common = log_spd(c) + log_spd(inverse(c));
  }
};
TEST(SpdFunctions, GeneralAndCommonTiles) {
  constexpr std::int64_t n = 19;
  Random random(149);
  BatchIn<double, Left, 5, 5> a(n), x(n), y(n);
  a.randomise(random);
  Common<double, 5, 5> const common_c(random_spd<double>(random, 5));
  map(OfOthers{}, out(x.view()), out(y.view()), in(a.view()), common(common_c.view));
  x.download(), y.download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const ak = mirrored(a.dense(k)) + 6.0L * eye(5);
    EXPECT_TRUE(near(x.dense(k) * x.dense(k), ak, 50 * epsilon<double> * norm1(ak)));
    EXPECT_TRUE(
        near(y.dense(k), Dense(5, 5, 0), tolerance<double>(50, condition_spd(common_c.dense()))));
  }
}

}  // namespace
}  // namespace Batchwork::Test
