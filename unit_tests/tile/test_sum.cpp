// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums, differences, multiples and quotients of tiles by scalars, and lazy transposes that own
// their temporaries.
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

template <class T_, int M_, int N_>
struct CaseOfSum {
  using T = T_;
  static constexpr int M = M_, N = N_;
};
template <class C>
class Sum : public ::testing::Test {};
using CasesOfSum =
    ::testing::Types<CaseOfSum<double, 1, 1>, CaseOfSum<double, 2, 5>, CaseOfSum<double, 6, 6>,
                     CaseOfSum<double, 12, 4>, CaseOfSum<float, 7, 3>, CaseOfSum<float, 9, 9>>;
TYPED_TEST_SUITE(Sum, CasesOfSum);

struct Sums {
  template <class O0, class O1, class O2, class O3, class O4, class O5, class O6, class O7, class A,
            class B, class Bt, class C, class S, class CC>
  KOKKOS_FUNCTION void operator()(O0& plus, O1& minus, O2& negated, O3& updated, O4& turned,
                                  O5& scaled, O6& quotient, O7& common_quotient, A const& a,
                                  B const& b, Bt const& bt, C const& c, S const& s,
                                  CC const& cc) const {
    plus = a + b;
    minus = a - c;
    negated = -a;
    updated = a;
    updated += b;
    updated -= transpose(bt);
    turned = transpose(bt) + c;
    scaled = s * a + b * cc + 2 * c - a * 0.5;
    quotient = a / s;
    common_quotient = c / cc - b / 4;
  }
};

TYPED_TEST(Sum, AndMultiplesOfTiles) {
  using T = typename TypeParam::T;
  constexpr int M = TypeParam::M, N = TypeParam::N;
  constexpr std::int64_t n = 21;
  Random random(41);
  BatchIn<T, Left, M, N> a(n), b(n);
  BatchIn<T, Left, N, M> bt(n);
  BatchIn<T, Left> s(n);
  a.randomise(random), b.randomise(random), bt.randomise(random), s.randomise(random, 0.5, 2);
  Common<T, M, N> const c(random_dense<T>(random, M, N));
  Common<T> const cc(Dense(1, 1, 1.75L));
  BatchIn<T, Left, M, N> o0(n), o1(n), o2(n), o3(n), o4(n), o5(n), o6(n), o7(n);
  map(Sums{}, out(o0.view()), out(o1.view()), out(o2.view()), out(o3.view()), out(o4.view()),
      out(o5.view()), out(o6.view()), out(o7.view()), in(a.view()), in(b.view()), in(bt.view()),
      common(c.view), in(s.view()), common(cc.view));
  for (auto const* o : {&o0, &o1, &o2, &o3, &o4, &o5, &o6, &o7}) o->download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const x = a.dense(k), y = b.dense(k), yt = transpose(bt.dense(k)), z = c.dense();
    long double const f = s.at(k), g = 1.75L;
    long double const tol = tolerance<T>(2, 1);
    EXPECT_TRUE(near(o0.dense(k), x + y, tol * (abs(x) + abs(y)))) << k;
    EXPECT_TRUE(near(o1.dense(k), x - z, tol * (abs(x) + abs(z)))) << k;
    EXPECT_TRUE(equal(o2.dense(k), -1 * x)) << k;
    EXPECT_TRUE(near(o3.dense(k), x + y - yt, tol * (abs(x) + abs(y) + abs(yt)))) << k;
    EXPECT_TRUE(near(o4.dense(k), yt + z, tol * (abs(yt) + abs(z)))) << k;
    EXPECT_TRUE(near(o5.dense(k), f * x + g * y + 2 * z - 0.5L * x,
                     2 * tol * (f * abs(x) + g * abs(y) + 2 * abs(z) + abs(x))))
        << k;
    EXPECT_TRUE(near(o6.dense(k), (1 / f) * x, tol * ((1 / f) * abs(x)))) << k;
    EXPECT_TRUE(near(o7.dense(k), (1 / g) * z - 0.25L * y, tol * (abs(z) + abs(y)))) << k;
  }
}

template <class C>
class Transpose : public ::testing::Test {};
using Squares =
    ::testing::Types<CaseOfSum<double, 3, 3>, CaseOfSum<float, 6, 6>, CaseOfSum<double, 2, 5>>;
TYPED_TEST_SUITE(Transpose, Squares);

template <class X, class Y>
KOKKOS_FORCEINLINE_FUNCTION auto transposed_sum(X const& x, Y const& y) {
  return transpose(x + y);  // the sum is gone when this returns: the transpose must own it
}

struct Transposes {
  template <class O0, class O1, class O2, class O3, class U, class A, class B>
  KOKKOS_FUNCTION void operator()(O0& owned, O1& twice, O2& once, O3& product, U& in_place,
                                  A const& a, B const& b) const {
    auto const t = transposed_sum(a, b);
    owned = t;
    twice = transpose(transpose(a));
    once = transpose(a);
    product = t * transpose(t);
    auto square = a * transpose(b);
    square = transpose(square);
    in_place = transpose(in_place);
    in_place = in_place + square;
  }
};

TYPED_TEST(Transpose, OwnsTemporariesAndMayBeAssignedToItsOwnTile) {
  using T = typename TypeParam::T;
  constexpr int M = TypeParam::M, N = TypeParam::N;
  constexpr std::int64_t n = 35;
  Random random(43);
  BatchIn<T, Left, M, N> a(n), b(n), twice(n);
  BatchIn<T, Left, N, M> owned(n), once(n);
  BatchIn<T, Left, N, N> product(n);
  BatchIn<T, Left, M, M> u(n);
  a.fill_exactly(random), b.fill_exactly(random), u.fill_exactly(random);
  std::vector<Dense> u0;
  for (std::int64_t k = 0; k < n; ++k) u0.push_back(u.dense(k));
  map(Transposes{}, out(owned.view()), out(twice.view()), out(once.view()), out(product.view()),
      inout(u.view()), in(a.view()), in(b.view()));
  owned.download(), twice.download(), once.download(), product.download(), u.download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const x = a.dense(k), y = b.dense(k), t = transpose(x + y);
    EXPECT_TRUE(equal(owned.dense(k), t)) << k;
    EXPECT_TRUE(equal(twice.dense(k), x)) << k;
    EXPECT_TRUE(equal(once.dense(k), transpose(x))) << k;
    EXPECT_TRUE(equal(product.dense(k), t * transpose(t))) << k;
    EXPECT_TRUE(equal(u.dense(k), transpose(u0[std::size_t(k)]) + transpose(x * transpose(y))))
        << k;
  }
}

}  // namespace
}  // namespace Batchwork::Test
