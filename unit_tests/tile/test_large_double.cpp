// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles up to 16 x 16 in double.
#include "tile/Large.hpp"

namespace Batchwork::Test {
namespace {

using CasesOfLargeDouble = std::conditional_t<
    Impl::runs_on_device<Space>,
    ::testing::Types<LargeCase<double, 7, 3, Left>, LargeCase<double, 8, 8, Right>,
                     LargeCase<double, 13, 11, CompactBy<32>>, LargeCase<double, 16, 16, Left>>,
    ::testing::Types<LargeCase<double, 13, 13, Right>, LargeCase<double, 16, 16, Left>,
                     LargeCase<double, 31, 2, Right>>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Double, LargeTile, CasesOfLargeDouble);

struct TwiceAndProduct {
  template <class A, class Y, class Z, class X, class C>
  KOKKOS_FUNCTION void operator()(A& a, Y& y, Z const& z, X const& x, C const& c) const {
    a = 2.0f * z;
    y = c * x;
  }
};

/// The float operand is first, but the exchange must have space for doubles.
template <int N>
void float_beside_double() {
  constexpr std::int64_t n = 21;
  Random random(75);
  BatchIn<float, Left, N, N> z(n), a(n);
  BatchIn<double, Right, N, N> x(n), y(n);
  z.randomise(random), x.randomise(random);
  Common<double, N, N> const c(random_dense<double>(random, N, N));
  map(TwiceAndProduct{}, out(a.view()), out(y.view()), in(z.view()), in(x.view()), common(c.view));
  a.download(), y.download();
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_TRUE(near(a.dense(k), 2 * z.dense(k), 0 * abs(z.dense(k)))) << k;
    EXPECT_TRUE(near(y.dense(k), c.dense() * x.dense(k),
                     tolerance<double>(N, 1) * (abs(c.dense()) * abs(x.dense(k)))))
        << k;
  }
}
TEST(LargeTileOfTwoTypes, FloatBesideDouble) {
  float_beside_double<24>();
  float_beside_double<32>();
}

}  // namespace
}  // namespace Batchwork::Test
