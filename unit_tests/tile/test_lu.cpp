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

struct Shortcuts {
  template <class X, class V, class VL, class VD, class D, class DL, class G, class Sign, class A,
            class L, class Diag, class B>
  KOKKOS_FUNCTION void operator()(X& x, V& inverted, VL& of_lower, VD& of_diagonal, D& det,
                                  DL& det_of_lower, G& log_det, Sign& sign, A const& a, L const& l,
                                  Diag const& d, B const& b) const {
    x = solve(a, b);
    inverted = inverse(a);
    of_lower = inverse(l);
    of_diagonal = inverse(d);
    det = determinant(a);
    det_of_lower = determinant(l) * determinant(d);
    log_det = lu(a).log_abs_determinant();
    sign = lu(a).sign();
  }
};
template <class T, int N>
void expect_shortcuts() {
  constexpr std::int64_t n = 41;
  constexpr std::int64_t zero = 3, far = 7;
  Random random(95);
  BatchIn<T, Left, N, N> a(n), l(n), inverted(n), of_lower(n), of_diagonal(n);
  BatchIn<T, Left, N> b(n), x(n), d(n);
  BatchIn<T, Left> det(n), det_of_lower(n), log_det(n), sign(n);
  BatchIn<int, Left> codes(n);
  a.fill([&](std::int64_t k) {
    Dense m = random_dense<T>(random, N, N);
    // A determinant that is no number of this type, and one of zero.
    for (int i = 0; i < N; ++i) {
      m(i, i) += 2;
      for (int j = 0; j < N && k == far; ++j)
        m(i, j) = std::ldexp(m(i, j), sizeof(T) == 4 ? 120 : 1000);
      if (k == zero) m(i, N / 2) = 0;
    }
    return m;
  });
  l.fill(
      [&](std::int64_t) { return lower_triangle(random_dense<T>(random, N, N)) + 2.0L * eye(N); });
  d.randomise(random, 1, 3), b.randomise(random);
  map(Shortcuts{}, out(x.view()), out(inverted.view()), out(of_lower.view()),
      out(of_diagonal.view()), out(det.view()), out(det_of_lower.view()), out(log_det.view()),
      out(sign.view()), in(a.view()), in(lower(l.view())), in(diagonal(d.view())), in(b.view()),
      status(codes.view()));
  x.download(), inverted.download(), of_lower.download(), of_diagonal.download(), det.download();
  det_of_lower.download(), log_det.download(), sign.download(), codes.download();
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(N) + " rows");
    Dense const ak = a.dense(k), lk = l.dense(k);
    long double const truth = determinant(ak);
    if (k == zero) {
      EXPECT_EQ(det.at(k), T(0));
      EXPECT_EQ(sign.at(k), T(0));
      EXPECT_EQ(log_det.at(k), -std::numeric_limits<T>::infinity());
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::singular);
      EXPECT_EQ(Status::info(codes.at(k)), N / 2 + 1);
      continue;
    }
    EXPECT_EQ(sign.at(k), T(truth < 0 ? -1 : 1));
    // Relative to the determinant as the sum over i, j of |a^-1| |error of a|, of a matrix that is far from singular.
    Dense const size = 8 * N * abs(ak);
    long double const growth = 1 + norm1(abs(inverted.dense(k))) * norm1(size);
    EXPECT_NEAR(double(log_det.at(k)), double(std::log(std::fabs(truth))),
                double(tolerance<T>(2 * N, growth) +
                       tolerance<T>(N, std::fabs(std::log(std::fabs(truth))))));
    EXPECT_TRUE(
        near(ak * x.dense(k), b.dense(k), tolerance<T>(3 * N, 1) * (size * abs(x.dense(k)))));
    EXPECT_TRUE(near(ak * inverted.dense(k), eye(N),
                     tolerance<T>(3 * N, 1) * (size * abs(inverted.dense(k)))));
    EXPECT_TRUE(near(lk * of_lower.dense(k), eye(N),
                     tolerance<T>(N, 1) * (abs(lk) * abs(of_lower.dense(k)))));
    long double product = 1;
    for (int i = 0; i < N; ++i) {
      product *= lk(i, i) * d.at(k, i);
      for (int j = 0; j < N; ++j)
        EXPECT_NEAR(double(of_diagonal.at(k, i, j)),
                    i == j ? double(1 / (long double)(d.at(k, i))) : 0, double(tolerance<T>(1, 1)));
    }
    EXPECT_NEAR(double(det_of_lower.at(k)), double(product), double(tolerance<T>(2 * N, product)));
    if (k == far && N > 1) {
      EXPECT_FALSE(std::isfinite(det.at(k)));
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::not_finite);
      continue;
    }
    EXPECT_EQ(codes.at(k), 0);
    EXPECT_NEAR(double(det.at(k)), double(truth), double(tolerance<T>(2 * N, truth, growth)));
  }
}
TEST(LuOf, Shortcuts) {
  expect_shortcuts<double, 1>();
  expect_shortcuts<double, 3>();
  expect_shortcuts<float, 6>();
}

}  // namespace
}  // namespace Batchwork::Test
