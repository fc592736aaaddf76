// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of general tiles: every transpose, per-item and common tiles on either side, matrix by
// vector, outer products.
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

template <class T_, int M_, int K_, int N_>
struct CaseOfProduct {
  using T = T_;
  static constexpr int M = M_, K = K_, N = N_;
};

template <class C>
class Product : public ::testing::Test {};
using CasesOfProduct =
    ::testing::Types<CaseOfProduct<double, 1, 1, 1>, CaseOfProduct<double, 3, 5, 2>,
                     CaseOfProduct<double, 5, 3, 6>, CaseOfProduct<double, 6, 6, 6>,
                     CaseOfProduct<double, 8, 9, 7>, CaseOfProduct<double, 12, 4, 12>,
                     CaseOfProduct<float, 1, 7, 3>, CaseOfProduct<float, 2, 5, 1>,
                     CaseOfProduct<float, 9, 9, 9>, CaseOfProduct<float, 12, 12, 5>>;
TYPED_TEST_SUITE(Product, CasesOfProduct);

struct PerItem {
  template <class O1, class O2, class O3, class O4, class Y1, class Y2, class A, class At, class B,
            class Bt, class V>
  KOKKOS_FUNCTION void operator()(O1& ab, O2& atb, O3& abt, O4& atbt, Y1& av, Y2& atv, A const& a,
                                  At const& at, B const& b, Bt const& bt, V const& v) const {
    ab = a * b;
    atb = transpose(at) * b;
    abt = a * transpose(bt);
    atbt = transpose(at) * transpose(bt);
    av = a * v;
    atv = transpose(at) * v;
  }
};

/// A common left factor and a per-item right one, a per-item left factor and a common right one,
/// and two common factors.
struct WithCommon {
  template <class O1, class O2, class O3, class O4, class O5, class Y, class A, class Bt, class CA,
            class CAt, class CB, class CV>
  KOKKOS_FUNCTION void operator()(O1& cabt, O2& catbt, O3& acb, O4& cacb, O5& outer, Y& acv,
                                  A const& a, Bt const& bt, CA const& ca, CAt const& cat,
                                  CB const& cb, CV const& cv) const {
    cabt = ca * transpose(bt);
    catbt = transpose(cat) * transpose(bt);
    acb = a * cb;
    cacb = ca * cb;
    acv = a * cv;
    outer = acv * transpose(cv);
  }
};

TYPED_TEST(Product, OfItemsAndCommonOperands) {
  using T = typename TypeParam::T;
  constexpr int M = TypeParam::M, K = TypeParam::K, N = TypeParam::N;
  constexpr std::int64_t n = 37;
  Random random(21);
  BatchIn<T, Left, M, K> a(n);
  BatchIn<T, Left, K, M> at(n);
  BatchIn<T, Left, K, N> b(n);
  BatchIn<T, Left, N, K> bt(n);
  BatchIn<T, Left, K> v(n);
  a.randomise(random), at.randomise(random), b.randomise(random), bt.randomise(random),
      v.randomise(random);
  BatchIn<T, Left, M, N> o1(n), o2(n), o3(n), o4(n);
  BatchIn<T, Left, M, K> o5(n);
  BatchIn<T, Left, M> y1(n), y2(n);

  // A sum of K products: K roundings of magnitudes (|a| |b|)(i, j).
  auto const check = [&](auto const& got, auto const& left, auto const& right, char const* what) {
    for (std::int64_t k = 0; k < n; ++k) {
      Dense const l = left(k), r = right(k);
      EXPECT_TRUE(near(got.dense(k), l * r, tolerance<T>(K, 1) * (abs(l) * abs(r))))
          << what << ", item " << k;
    }
  };
  auto const plain = [](auto const& x) { return [&x](std::int64_t k) { return x.dense(k); }; };
  auto const flipped = [](auto const& x) {
    return [&x](std::int64_t k) { return transpose(x.dense(k)); };
  };

  map(PerItem{}, out(o1.view()), out(o2.view()), out(o3.view()), out(o4.view()), out(y1.view()),
      out(y2.view()), in(a.view()), in(at.view()), in(b.view()), in(bt.view()), in(v.view()));
  o1.download(), o2.download(), o3.download(), o4.download(), y1.download(), y2.download();
  check(o1, plain(a), plain(b), "a b");
  check(o2, flipped(at), plain(b), "a' b");
  check(o3, plain(a), flipped(bt), "a b'");
  check(o4, flipped(at), flipped(bt), "a' b'");
  check(y1, plain(a), plain(v), "a v");
  check(y2, flipped(at), plain(v), "a' v");

  Common<T, M, K> const ca(random_dense<T>(random, M, K));
  Common<T, K, M> const cat(random_dense<T>(random, K, M));
  Common<T, K, N> const cb(random_dense<T>(random, K, N));
  Common<T, K> const cv(random_dense<T>(random, K, 1));
  BatchIn<T, Left, M, N> p1(n), p2(n), p3(n), p4(n);
  BatchIn<T, Left, M> z(n);
  map(WithCommon{}, out(p1.view()), out(p2.view()), out(p3.view()), out(p4.view()), out(o5.view()),
      out(z.view()), in(a.view()), in(bt.view()), common(ca.view), common(cat.view),
      common(cb.view), common(cv.view));
  p1.download(), p2.download(), p3.download(), p4.download(), o5.download(), z.download();
  auto const same = [](auto const& x) { return [&x](std::int64_t) { return x.dense(); }; };
  check(p1, same(ca), flipped(bt), "common a b'");
  check(p2, [&](std::int64_t) { return transpose(cat.dense()); }, flipped(bt), "common a' b'");
  check(p3, plain(a), same(cb), "a common b");
  check(p4, same(ca), same(cb), "common a common b");
  check(z, plain(a), same(cv), "a common v");
  for (std::int64_t k = 0; k < n; ++k) {
    // One product of numbers that T represents exactly.
    Dense const want = z.dense(k) * transpose(cv.dense());
    EXPECT_TRUE(near(o5.dense(k), want, epsilon<T> * abs(want))) << "outer, item " << k;
  }
}

}  // namespace
}  // namespace Batchwork::Test
