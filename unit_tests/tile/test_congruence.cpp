// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// congruence, symmetric_product, gram, downdate, symmetric: one triangle is read, one is computed,
// both are stored.
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

template <class T_, int M_, int N_>
struct CaseOfCongruence {
  using T = T_;
  static constexpr int M = M_, N = N_;
};
template <class C>
class Congruence : public ::testing::Test {};
using CasesOfCongruence =
    ::testing::Types<CaseOfCongruence<double, 1, 1>, CaseOfCongruence<double, 2, 5>,
                     CaseOfCongruence<double, 6, 6>, CaseOfCongruence<double, 7, 3>,
                     CaseOfCongruence<double, 8, 8>, CaseOfCongruence<double, 12, 12>,
                     CaseOfCongruence<float, 3, 3>, CaseOfCongruence<float, 5, 7>,
                     CaseOfCongruence<float, 9, 2>, CaseOfCongruence<float, 4, 11>>;
TYPED_TEST_SUITE(Congruence, CasesOfCongruence);

struct Congruences {
  template <class O0, class O1, class O2, class O3, class O4, class O5, class G0, class G1, class F,
            class Ft, class P, class D, class CF, class CP>
  KOKKOS_FUNCTION void operator()(O0& plain, O1& of_general, O2& turned, O3& by_common,
                                  O4& of_common, O5& of_diagonal, G0& gram_of,
                                  G1& gram_of_transposed, F const& f, Ft const& ft, P const& p,
                                  D const& d, CF const& cf, CP const& cp) const {
    plain = congruence(f, symmetric(p));
    of_general = congruence(f, p);
    turned = congruence(transpose(ft), symmetric(p)) + identity<F::rows>(f);
    by_common = congruence(cf, symmetric(p));
    of_common = congruence(f, cp);
    of_diagonal = congruence(f, d);
    gram_of = gram(f);
    gram_of_transposed = gram(transpose(f));
  }
};

TYPED_TEST(Congruence, AndGramOfEveryShape) {
  using T = typename TypeParam::T;
  constexpr int M = TypeParam::M, N = TypeParam::N;
  constexpr std::int64_t n = 29;
  Random random(61);
  auto const with_poison_above = [](Dense const& x) {
    return make_dense(N, N, [&](int i, int j) {
      return j <= i ? x(i, j) : static_cast<long double>(poison<T>());
    });
  };
  BatchIn<T, Left, M, N> f(n);
  BatchIn<T, Left, N, M> ft(n);
  BatchIn<T, Left, N, N> p(n), gram_of(n);
  BatchIn<T, Left, N> d(n);
  BatchIn<T, Left, M, M> o0(n), o1(n), o2(n), o3(n), o4(n), o5(n), gram_t(n);
  f.randomise(random), ft.randomise(random), d.randomise(random);
  p.fill([&](std::int64_t) { return with_poison_above(random_dense<T>(random, N, N)); });
  Common<T, M, N> const cf(random_dense<T>(random, M, N));
  Common<T, N, N> const cp(with_poison_above(random_dense<T>(random, N, N)));
  // Outputs as symmetric and as general Views: both write both triangles.
  map(Congruences{}, out(symmetric(o0.view())), out(o1.view()), out(symmetric(o2.view())),
      out(o3.view()), out(o4.view()), out(o5.view()), out(gram_of.view()),
      out(symmetric(gram_t.view())), in(f.view()), in(ft.view()), in(p.view()),
      in(diagonal(d.view())), common(cf.view), common(symmetric(cp.view)));
  o0.download(), o1.download(), o2.download(), o3.download(), o4.download(), o5.download();
  gram_of.download(), gram_t.download();
  for (std::int64_t k = 0; k < n; ++k) {
    auto const check = [&](auto const& got, Dense const& l, Dense const& m, char const* what,
                           long double on_diagonal = 0) {
      Dense const want = l * m * transpose(l) + on_diagonal * eye(l.rows);
      Dense const size = abs(l) * abs(m) * abs(transpose(l)) + on_diagonal * eye(l.rows);
      EXPECT_TRUE(near(got.dense(k), want, tolerance<T>(2 * m.rows, 1) * size))
          << what << ", item " << k;
      EXPECT_TRUE(equal(got.dense(k), transpose(got.dense(k)))) << what << ", item " << k;
    };
    Dense const fk = f.dense(k), pk = mirrored(p.dense(k)), dk = d.dense(k);
    check(o0, fk, pk, "f p f'");
    check(o1, fk, pk, "general p");
    check(o2, transpose(ft.dense(k)), pk, "transposed f, plus identity", 1);
    check(o3, cf.dense(), pk, "common f");
    check(o4, fk, mirrored(cp.dense()), "common p");
    check(o5, fk, make_dense(N, N, [&](int i, int j) { return i == j ? dk(i) : 0.0L; }),
          "diagonal p");
    check(gram_of, transpose(fk), eye(M), "gram(f)");
    check(gram_t, fk, eye(N), "gram(f')");
  }
}

/// Products with an added matrix, and the product of two factors that is symmetric by construction.
struct Accumulated {
  template <class O0, class O1, class O2, class O3, class O4, class O5, class O6, class F, class P,
            class Q, class CF, class CQ>
  KOKKOS_FUNCTION void operator()(O0& product, O1& product_and_q, O2& onto_common, O3& onto_general,
                                  O4& onto_diagonal, O5& down, O6& down_from_common, F const& f,
                                  P const& p, Q const& q, CF const& cf, CQ const& cq) const {
    auto const g = f * symmetric(p);
    product = symmetric_product(g, transpose(f));
    product_and_q = symmetric_product(g, transpose(f), symmetric(q));
    onto_common = congruence(f, symmetric(p), cq);
    onto_general = congruence(cf, p, q);
    onto_diagonal = congruence(f, p, identity<F::rows>(f));
    down = downdate(q, transpose(f));
    down_from_common = downdate(cq, transpose(f));
  }
};

TYPED_TEST(Congruence, AddedToSomething) {
  using T = typename TypeParam::T;
  constexpr int M = TypeParam::M, N = TypeParam::N;
  constexpr std::int64_t n = 29;
  Random random(71);
  auto const half_poisoned = [&](int size) {
    Dense const x = random_dense<T>(random, size, size);
    return make_dense(size, size, [&](int i, int j) {
      return j <= i ? x(i, j) : static_cast<long double>(poison<T>());
    });
  };
  BatchIn<T, Left, M, N> f(n);
  BatchIn<T, Left, N, N> p(n);
  BatchIn<T, Left, M, M> q(n), o0(n), o1(n), o2(n), o3(n), o4(n), o5(n), o6(n);
  f.randomise(random);
  p.fill([&](std::int64_t) { return half_poisoned(N); });
  q.fill([&](std::int64_t) { return half_poisoned(M); });
  Common<T, M, N> const cf(random_dense<T>(random, M, N));
  Common<T, M, M> const cq(half_poisoned(M));
  map(Accumulated{}, out(o0.view()), out(o1.view()), out(symmetric(o2.view())), out(o3.view()),
      out(o4.view()), out(o5.view()), out(symmetric(o6.view())), in(f.view()), in(p.view()),
      in(q.view()), common(cf.view), common(symmetric(cq.view)));
  o0.download(), o1.download(), o2.download(), o3.download(), o4.download(), o5.download(),
      o6.download();
  for (std::int64_t k = 0; k < n; ++k) {
    auto const check = [&](auto const& got, Dense const& l, Dense const& m, long double sign,
                           Dense const& c, char const* what) {
      Dense const want = sign * (l * m * transpose(l)) + c;
      Dense const size = abs(l) * abs(m) * abs(transpose(l)) + abs(c);
      EXPECT_TRUE(near(got.dense(k), want, tolerance<T>(2 * m.rows + 1, 1) * size))
          << what << ", item " << k;
      EXPECT_TRUE(equal(got.dense(k), transpose(got.dense(k)))) << what << ", item " << k;
    };
    Dense const fk = f.dense(k), pk = mirrored(p.dense(k)), qk = mirrored(q.dense(k));
    check(o0, fk, pk, 1, Dense(M, M), "g f'");
    check(o1, fk, pk, 1, qk, "g f' + q");
    check(o2, fk, pk, 1, mirrored(cq.dense()), "f p f' + common q");
    check(o3, cf.dense(), pk, 1, qk, "common f, general q");
    check(o4, fk, pk, 1, eye(M), "f p f' + identity");
    check(o5, fk, eye(N), -1, qk, "q - f f'");
    check(o6, fk, eye(N), -1, mirrored(cq.dense()), "common q - f f'");
  }
}

/// A triangular f: L P L', and L L' and L' L as grams.
struct OfTriangles {
  template <class O0, class O1, class O2, class L, class P>
  KOKKOS_FUNCTION void operator()(O0& lpl, O1& ltl, O2& llt, L const& l, P const& p) const {
    lpl = congruence(l, p);
    ltl = gram(l);
    llt = gram(transpose(l));
  }
};

TEST(Congruence, OfTriangles) {
  using T = double;
  constexpr int N = 6;
  constexpr std::int64_t n = 11;
  Random random(67);
  BatchIn<T, Left, N, N> l(n), p(n), o0(n), o1(n), o2(n);
  l.fill([&](std::int64_t) { return random_lower<T>(random, N); });
  p.fill([&](std::int64_t) { return random_spd<T>(random, N); });
  map(OfTriangles{}, out(o0.view()), out(o1.view()), out(o2.view()), in(lower(l.view())),
      in(symmetric(p.view())));
  o0.download(), o1.download(), o2.download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const x = l.dense(k), y = p.dense(k), xt = transpose(x);
    EXPECT_TRUE(near(o0.dense(k), x * y * xt, tolerance<T>(2 * N, 1) * (abs(x) * abs(y) * abs(xt))))
        << k;
    EXPECT_TRUE(near(o1.dense(k), xt * x, tolerance<T>(N, 1) * (abs(xt) * abs(x)))) << k;
    EXPECT_TRUE(near(o2.dense(k), x * xt, tolerance<T>(N, 1) * (abs(x) * abs(xt)))) << k;
  }
}

/// Common factors, and per-item matrices that are added to their product.
struct OntoItems {
  template <class O0, class O1, class O2, class Q, class S, class F, class P, class G>
  KOKKOS_FUNCTION void operator()(O0& of_views, O1& of_fixed, O2& product, Q const& q, S const& s,
                                  F const& f, P const& p, G const& fixed_f) const {
    of_views = congruence(f, p, q);
    of_fixed = congruence(fixed_f, symmetric(p), s);
    product = symmetric_product(f * symmetric(p), transpose(f), s);
  }
};

template <class T, int M, int N>
void check_common_factors() {
  constexpr std::int64_t n = 29;
  Random random(73);
  BatchIn<T, Left, M, M> q(n), o0(n), o1(n), o2(n);
  q.fill([&](std::int64_t) { return random_dense<T>(random, M, M); });
  Common<T, M, N> const f(random_dense<T>(random, M, N));
  Common<T, N, N> const p(random_dense<T>(random, N, N));
  Matrix<T, M, N> g;
  g.info = 0;
  Dense const fk = f.dense(), pk = mirrored(p.dense());
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) g.set(i, j, T(-2 * fk(i, j)));
  map(OntoItems{}, out(o0.view()), out(o1.view()), out(symmetric(o2.view())), in(q.view()),
      in(symmetric(q.view())), common(f.view), common(p.view), common(fixed(g)));
  o0.download(), o1.download(), o2.download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const qk = mirrored(q.dense(k)), product = fk * pk * transpose(fk);
    auto const check = [&](auto const& got, long double times) {
      Dense const size = times * (abs(fk) * abs(pk) * abs(transpose(fk))) + abs(qk);
      EXPECT_TRUE(near(got.dense(k), times * product + qk, tolerance<T>(2 * N + 1, 1) * size)) << k;
      EXPECT_TRUE(equal(got.dense(k), transpose(got.dense(k)))) << k;
    };
    check(o0, 1), check(o1, 4), check(o2, 1);
  }
}
TEST(CongruenceOfCommon, OntoItems) {
  check_common_factors<double, 6, 6>();
  check_common_factors<float, 3, 7>();
  check_common_factors<double, 11, 4>();
}

}  // namespace
}  // namespace Batchwork::Test
