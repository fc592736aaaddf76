// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// lu: the factors, their solves, determinant and inverse, and info as in getrf of LAPACK.
#include "LuCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T_, int N_, int C_, class Layout_ = Left>
struct CaseOfLu {
  using T = T_;
  using Layout = Layout_;
  static constexpr int N = N_, C = C_;
};
template <class C>
class LuOf : public ::testing::Test {};
using CasesOfLu =
    ::testing::Types<CaseOfLu<double, 1, 1>, CaseOfLu<double, 2, 3>, CaseOfLu<double, 3, 2, Right>,
                     CaseOfLu<double, 6, 3>, CaseOfLu<double, 9, 4>, CaseOfLu<double, 12, 2, Right>,
                     CaseOfLu<float, 3, 1>, CaseOfLu<float, 5, 5, Right>, CaseOfLu<float, 8, 4>,
                     CaseOfLu<float, 11, 9>>;
TYPED_TEST_SUITE(LuOf, CasesOfLu);

TYPED_TEST(LuOf, FactorsSolveAsTheirResidualsSay) {
  expect_lu<typename TypeParam::T, typename TypeParam::Layout, TypeParam::N, TypeParam::C>(
      79, [](auto const&... arguments) { map(arguments...); });
}

/// A matrix common to all items, factored in each, with per-item right-hand sides.
struct SolveCommonByLu {
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
  map(SolveCommonByLu{}, out(x.view()), out(y.view()), out(det.view()), common(ca.view),
      in(b.view()), in(v.view()));
  x.download(), y.download(), det.download();
  // |L| |U| is at most n 2^(n-1) max |a|. For a random matrix it is less than 8 n.
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
    // Relative to the determinant as the sum over i, j of |a^-1| |error of a|, of a matrix that is
    // far from singular.
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

struct InverseOfTwo {
  template <class X, class Y, class A>
  KOKKOS_FUNCTION void operator()(X& x, Y& by_lu, A const& a) const {
    x = inverse(a);
    by_lu = inverse(lu(a));
  }
};
struct InverseByFactors {
  template <class X, class A>
  KOKKOS_FUNCTION void operator()(X& x, A const& a) const {
    x = inverse(lu(a));
  }
};
struct OnlyInverse {
  template <class X, class A>
  KOKKOS_FUNCTION void operator()(X& x, A const& a) const {
    x = inverse(a);
  }
};

#if defined(BATCHWORK_TEST_LANES)
constexpr bool lanes_share_items = BATCHWORK_TEST_LANES > 1;
#else
constexpr bool lanes_share_items = false;
#endif

/// All kinds of 2 x 2 matrices: matrices for the closed form, and matrices for which elimination is
/// used.
enum class Kind {
  random,
  graded,
  near_singular,
  singular,
  huge,
  tiny,
  no_column,
  not_a_number,
  infinite
};
constexpr int kinds = 9;
template <class T>
Dense matrix_of_two(Random& random, std::int64_t k) {
  Dense a = random_dense<T>(random, 2, 2);
  auto const scaled = [&](int row, int column, int exponent) {
    a(row, column) = static_cast<T>(std::ldexp(a(row, column), exponent));
  };
  int const big = sizeof(T) == 4 ? 100 : 900, at = int(k / kinds) % 2;
  switch (Kind(k % kinds)) {
    case Kind::random: break;
    case Kind::graded:
      for (int j = 0; j < 2; ++j) scaled(at, j, -40);
      for (int i = 0; i < 2; ++i) scaled(i, at, 30);
      break;
    case Kind::near_singular:
      for (int j = 0; j < 2; ++j)
        a(1, j) = static_cast<T>(a(0, j) * (1 + static_cast<long double>(random()) *
                                                    std::ldexp(epsilon<T>, int(k % 5))));
      break;
    // The products of its diagonals round alike.
    case Kind::singular:
      for (int j = 0; j < 2; ++j) a(1, j) = a(0, j);
      break;
    case Kind::huge:
    case Kind::tiny:
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) scaled(i, j, Kind(k % kinds) == Kind::huge ? big : -big);
      break;
    case Kind::no_column:
      for (int i = 0; i < 2; ++i) a(i, at) = 0;
      break;
    case Kind::not_a_number: a(at, 1 - at) = std::numeric_limits<T>::quiet_NaN(); break;
    case Kind::infinite: a(1 - at, 1 - at) = std::numeric_limits<T>::infinity(); break;
  }
  return a;
}

template <class T, class Layout>
void inverse_of_two() {
  constexpr std::int64_t n = 10 * kinds + 5;
  Random random(97);
  BatchIn<T, Layout, 2, 2> a(n), x(n), by_lu(n), alone(n), unused(n);
  BatchIn<int, Left> codes(n), of_lu(n), of_both(n);
  a.fill([&](std::int64_t k) { return matrix_of_two<T>(random, k); });
  map(InverseOfTwo{}, out(x.view()), out(by_lu.view()), in(a.const_view()), status(of_both.view()));
  map(OnlyInverse{}, out(alone.view()), in(a.const_view()), status(codes.view()));
  map(InverseByFactors{}, out(unused.view()), in(a.const_view()), status(of_lu.view()));
  x.download(), by_lu.download(), alone.download(), codes.download(), of_lu.download();
  int closed = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    Dense const ak = a.dense(k), xk = x.dense(k);
    EXPECT_EQ(codes.at(k), of_lu.at(k));
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        EXPECT_TRUE(same_bits(alone.at(k, i, j), x.at(k, i, j)));
        closed += !same_bits(x.at(k, i, j), by_lu.at(k, i, j));
      }
    if (codes.at(k) != 0) {
      EXPECT_TRUE(Kind(k % kinds) == Kind::singular || Kind(k % kinds) == Kind::near_singular ||
                  Kind(k % kinds) >= Kind::no_column);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) EXPECT_TRUE(same_bits(x.at(k, i, j), by_lu.at(k, i, j)));
      continue;
    }
    EXPECT_LT(int(Kind(k % kinds)), int(Kind::no_column));
    // 2 eps |a| |x|, and 3 n eps |l| |u| |x| if elimination is used.
    bool const by_elimination = lanes_share_items || Kind(k % kinds) > Kind::graded;
    if (by_elimination) {
      Dense const size = Dense(2, 2, 4 * norm1(abs(ak)));
      EXPECT_TRUE(near(ak * xk, eye(2), tolerance<T>(6, 1) * (size * abs(xk))));
    } else {
      EXPECT_TRUE(near(ak * xk, eye(2), 2 * epsilon<T> * (abs(ak) * abs(xk))));
      EXPECT_TRUE(near(xk * ak, eye(2), 2 * epsilon<T> * (abs(xk) * abs(ak))));
    }
  }
  // Both ways were taken.
  EXPECT_GT(closed, lanes_share_items ? -1 : n / 10);

  // Neighbours of items that use elimination must be bitwise the same as without these items.
  for (std::int64_t k = 0; k < n; ++k)
    if (Kind(k % kinds) > Kind::graded) a.put(k, Dense(eye(2)));
  a.upload();
  map(OnlyInverse{}, out(alone.view()), in(a.const_view()), status(codes.view()));
  alone.download(), codes.download();
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(codes.at(k), 0);
    if (Kind(k % kinds) > Kind::graded) continue;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) EXPECT_TRUE(same_bits(alone.at(k, i, j), x.at(k, i, j))) << k;
  }
}
TEST(LuOf, InverseOfTwoRows) {
  inverse_of_two<double, Left>();
  inverse_of_two<float, Right>();
}

}  // namespace
}  // namespace Batchwork::Test
