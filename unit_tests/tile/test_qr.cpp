// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// qr: the factors, their products with other tiles, and least squares.
#include "QrCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T_, int M_, int N_, int C_, class Layout_ = Left>
struct CaseOfQr {
  using T = T_;
  using Layout = Layout_;
  static constexpr int M = M_, N = N_, C = C_;
};
auto const qr_by_map = [](auto const&... arguments) { map(arguments...); };

template <class C>
class QrOf : public ::testing::Test {};
using CasesOfQr = ::testing::Types<
    CaseOfQr<double, 1, 1, 1>, CaseOfQr<double, 1, 3, 2>, CaseOfQr<double, 3, 1, 1>,
    CaseOfQr<double, 2, 2, 2, Right>, CaseOfQr<double, 5, 3, 2>, CaseOfQr<double, 3, 5, 4, Right>,
    CaseOfQr<float, 4, 4, 3>, CaseOfQr<float, 7, 6, 1, Right>, CaseOfQr<float, 6, 9, 6>>;
TYPED_TEST_SUITE(QrOf, CasesOfQr);
TYPED_TEST(QrOf, FactorsAreOrthogonalAndTriangular) {
  using P = TypeParam;
  expect_qr<typename P::T, typename P::Layout, P::M, P::N, P::C>(83, qr_by_map);
}

template <class C>
class LeastSquaresOf : public ::testing::Test {};
using Tall = ::testing::Types<CaseOfQr<double, 1, 1, 1>, CaseOfQr<double, 3, 1, 2>,
                              CaseOfQr<double, 2, 2, 2>, CaseOfQr<double, 5, 3, 2, Right>,
                              CaseOfQr<float, 4, 4, 4>, CaseOfQr<float, 9, 6, 3, Right>>;
TYPED_TEST_SUITE(LeastSquaresOf, Tall);
TYPED_TEST(LeastSquaresOf, GradientVanishes) {
  using P = TypeParam;
  expect_least_squares<typename P::T, typename P::Layout, P::M, P::N, P::C>(83, qr_by_map);
}

/// Rows so small relative to the first row that only a few bits of their squares remain.
struct OnlyQ {
  template <class Q, class A>
  KOKKOS_FUNCTION void operator()(Q& q, A const& a) const {
    q = qr(a).full_q();
  }
};
template <class T>
void expect_orthogonal() {
  constexpr int N = 5;
  std::int64_t const n = 23;
  Random random(107);
  BatchIn<T, Left, N, N> a(n), q(n);
  T const lost = std::sqrt(std::numeric_limits<T>::denorm_min());
  a.fill([&](std::int64_t k) {
    return make_dense(N, N, [&](int i, int) {
      return static_cast<T>(random()) * (i == 0 ? T(1) : std::ldexp(lost, int(k % 8)));
    });
  });
  map(OnlyQ{}, out(q.view()), in(a.view()));
  q.download();
  for (std::int64_t k = 0; k < n; ++k)
    EXPECT_TRUE(near(transpose(q.dense(k)) * q.dense(k), eye(N), Dense(N, N, 10 * N * epsilon<T>)))
        << k;
}
TEST(Qr, SquaresThatAreLost) {
  expect_orthogonal<float>();
  expect_orthogonal<double>();
}

/// A common matrix with per-item right-hand sides, and per-item matrices with a common right-hand
/// side.
struct SolveCommonByQr {
  template <class X, class Y, class A, class B, class CA, class CB>
  KOKKOS_FUNCTION void operator()(X& x, Y& y, A const& a, B const& b, CA const& ca,
                                  CB const& cb) const {
    x = qr(ca).solve(b);
    y = qr(a).solve(cb);
  }
};
TEST(Qr, CommonOperands) {
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
  map(SolveCommonByQr{}, out(x.view()), out(y.view()), in(a.view()), in(b.view()), common(ca.view),
      common(cb.view));
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
