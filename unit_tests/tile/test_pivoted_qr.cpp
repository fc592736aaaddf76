// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// pivoted_qr: the factors, their rank, and least squares of any rank.
#include "PivotedQrCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T_, int M_, int N_, int C_, class Layout_ = Left>
struct CaseOfPivotedQr {
  using T = T_;
  using Layout = Layout_;
  static constexpr int M = M_, N = N_, C = C_;
};
auto const pivoted_qr_by_map = [](auto const&... arguments) { map(arguments...); };

template <class C>
class PivotedQrOf : public ::testing::Test {};
using CasesOfPivotedQr =
    ::testing::Types<CaseOfPivotedQr<double, 1, 1, 1>, CaseOfPivotedQr<double, 1, 3, 2>,
                     CaseOfPivotedQr<double, 3, 1, 1>, CaseOfPivotedQr<double, 2, 2, 2, Right>,
                     CaseOfPivotedQr<double, 5, 3, 2>, CaseOfPivotedQr<double, 3, 5, 4, Right>,
                     CaseOfPivotedQr<float, 4, 4, 3>, CaseOfPivotedQr<float, 7, 6, 1, Right>,
                     CaseOfPivotedQr<float, 6, 9, 6>>;
TYPED_TEST_SUITE(PivotedQrOf, CasesOfPivotedQr);
TYPED_TEST(PivotedQrOf, FactorsDescend) {
  using P = TypeParam;
  expect_pivoted_qr<typename P::T, typename P::Layout, P::M, P::N>(83, pivoted_qr_by_map);
}
TYPED_TEST(PivotedQrOf, ShortestSolutions) {
  using P = TypeParam;
  expect_shortest_solutions<typename P::T, typename P::Layout, P::M, P::N, P::C>(83,
                                                                                 pivoted_qr_by_map);
}

/// A common matrix with per-item right-hand sides, and per-item matrices with a common right-hand
/// side.
struct SolveCommonByPivotedQr {
  template <class X, class Y, class A, class B, class CA, class CB>
  KOKKOS_FUNCTION void operator()(X& x, Y& y, A const& a, B const& b, CA const& ca,
                                  CB const& cb) const {
    x = pivoted_qr(ca).solve(b);
    y = pivoted_qr(a).solve(cb);
  }
};
TEST(PivotedQr, CommonOperands) {
  using T = double;
  constexpr std::int64_t n = 37;
  constexpr int M = 6, N = 4;
  Random random(103);
  BatchIn<T, Left, M, N> a(n);
  BatchIn<T, Left, M> b(n);
  BatchIn<T, Left, N> x(n), y(n);
  a.randomise(random), b.randomise(random);
  Common<T, M, N> const ca(random_dense<T>(random, M, N));
  Common<T, M> const cb(random_dense<T>(random, M, 1));
  map(SolveCommonByPivotedQr{}, out(x.view()), out(y.view()), in(a.view()), in(b.view()),
      common(ca.view), common(cb.view));
  x.download(), y.download();
  for (std::int64_t k = 0; k < n; ++k) {
    auto const gradient = [](Dense const& m, Dense const& z, Dense const& right) {
      return transpose(m) * (right - m * z);
    };
    long double const allowed = 1e4L * epsilon<T>;
    EXPECT_TRUE(near(gradient(ca.dense(), x.dense(k), b.dense(k)), Dense(N, 1, 0),
                     Dense(N, 1, allowed * (1 + norm1(x.dense(k))))));
    EXPECT_TRUE(near(gradient(a.dense(k), y.dense(k), cb.dense()), Dense(N, 1, 0),
                     Dense(N, 1, allowed * (1 + norm1(y.dense(k))))));
  }
}

}  // namespace
}  // namespace Batchwork::Test
