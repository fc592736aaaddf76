// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// lu: the factors, their solves, determinant and inverse, and info as LAPACK's getrf has it.
#include "LuCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T_, int N_, int C_, class Layout_ = Left>
struct Case {
  using T = T_;
  using Layout = Layout_;
  static constexpr int N = N_, C = C_;
};
template <class C>
class LuOf : public ::testing::Test {};
using Cases = ::testing::Types<Case<double, 1, 1>, Case<double, 2, 3>, Case<double, 3, 2, Right>,
                               Case<double, 6, 3>, Case<double, 9, 4>, Case<double, 12, 2, Right>,
                               Case<float, 3, 1>, Case<float, 5, 5, Right>, Case<float, 8, 4>,
                               Case<float, 11, 9>>;
TYPED_TEST_SUITE(LuOf, Cases);

TYPED_TEST(LuOf, FactorsSolveAsTheirResidualsSay) {
  expect_lu<typename TypeParam::T, typename TypeParam::Layout, TypeParam::N, TypeParam::C>(
      79, [](auto const&... arguments) { map(arguments...); });
}

/// A matrix that all items have in common, factored in each, with right-hand sides of their own.
struct SolveCommon {
  template <class X, class Y, class D, class A, class B, class V>
  KOKKOS_FUNCTION void operator()(X& x, Y& y, D& det, A const& a, B const& b, V const& v) const {
    auto const f = lu(a);
    x = solve(f, b);
    y = solve(f, v);
    det = determinant(f);
  }
};
template <class T, int N, int C>
void solve_common() {
  constexpr std::int64_t n = 37;
  Random random(93);
  BatchIn<T, Left, N, C> b(n), x(n);
  BatchIn<T, Left, N> v(n), y(n);
  BatchIn<T, Left> det(n);
  b.randomise(random), v.randomise(random);
  Dense const a = random_dense<T>(random, N, N);
  Common<T, N, N> const ca(a);
  map(SolveCommon{}, out(x.view()), out(y.view()), out(det.view()), common(ca.view), in(b.view()),
      in(v.view()));
  x.download(), y.download(), det.download();
  // |L| |U| is at most n 2^(n-1) max |a|; that of a random matrix is below 8 n.
  Dense const size = 8 * N * Dense(N, N, 1);
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_TRUE(
        near(a * x.dense(k), b.dense(k), tolerance<T>(3 * N, 1) * (size * abs(x.dense(k)))));
    EXPECT_TRUE(
        near(a * y.dense(k), v.dense(k), tolerance<T>(3 * N, 1) * (size * abs(y.dense(k)))));
    EXPECT_EQ(det.at(k), det.at(0));
  }
}
TEST(LuOf, MatrixCommonToAllItems) {
  solve_common<double, 5, 3>();
  solve_common<float, 12, 5>();
}

}  // namespace
}  // namespace Batchwork::Test
