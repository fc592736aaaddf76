// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products and sums of every pair of structures: general, symmetric, lower, upper (the transpose of
// a lower), diagonal, identity, and common (staged) tiles.
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

constexpr int lefts = 9;

/// The tile with number Which.
template <int Which, class G, class S, class L, class D, class CG, class CS, class CL>
KOKKOS_FORCEINLINE_FUNCTION auto pick(G const& g, S const& s, L const& l, D const& d, CG const& cg,
                                      CS const& cs, CL const& cl) {
  (void)g, (void)s, (void)l, (void)d, (void)cg, (void)cs, (void)cl;
  if constexpr (Which == 0) return g;
  else if constexpr (Which == 1) return s;
  else if constexpr (Which == 2) return l;
  else if constexpr (Which == 3) return transpose(L(l));
  else if constexpr (Which == 4) return d;
  else if constexpr (Which == 5) return identity<G::rows>(g);
  else if constexpr (Which == 6) return cg;
  else if constexpr (Which == 7) return cs;
  else return cl;
}

/// x y for the left tile number Which and every right one; both per item and common.
template <int Which, bool Add>
struct LeftWithAll {
  template <class X, class Y>
  static KOKKOS_FORCEINLINE_FUNCTION auto combine(X const& x, Y const& y) {
    if constexpr (Add) return x - y;
    else return x * y;
  }
  template <class O0, class O1, class O2, class O3, class O4, class O5, class O6, class O7,
            class O8, class G, class S, class L, class D, class CG, class CS, class CL, class CD>
  KOKKOS_FUNCTION void operator()(O0& o0, O1& o1, O2& o2, O3& o3, O4& o4, O5& o5, O6& o6, O7& o7,
                                  O8& o8, G const& g, S const& s, L const& l, D const& d,
                                  CG const& cg, CS const& cs, CL const& cl, CD const& cd) const {
    auto const x = pick<Which>(g, s, l, d, cg, cs, cl);
    o0 = combine(x, g);
    o1 = combine(x, s);
    o2 = combine(x, l);
    o3 = combine(x, transpose(l));
    o4 = combine(x, d);
    o5 = combine(x, identity<G::rows>(g));
    o6 = combine(x, cg);
    o7 = combine(x, transpose(cl));
    o8 = combine(x, cd);
  }
};

template <class T_, int N_>
struct CaseOfStructuredProduct {
  using T = T_;
  static constexpr int N = N_;
};
template <class C>
class StructuredProduct : public ::testing::Test {};
using CasesOfStructuredProduct =
    ::testing::Types<CaseOfStructuredProduct<double, 5>, CaseOfStructuredProduct<float, 4>>;
TYPED_TEST_SUITE(StructuredProduct, CasesOfStructuredProduct);

template <int Which, bool Add, class T, int N>
void check_left() {
  constexpr std::int64_t n = 19;
  Random random(31 + Which);
  BatchIn<T, Left, N, N> g(n), s(n), l(n);
  BatchIn<T, Left, N> d(n);
  // Entries that the structure excludes are poisoned.
  g.randomise(random);
  auto const triangle = [&](std::int64_t) {
    Dense const x = random_dense<T>(random, N, N);
    return make_dense(N, N, [&](int i, int j) {
      return j <= i ? x(i, j) : static_cast<long double>(poison<T>());
    });
  };
  s.fill(triangle), l.fill(triangle), d.randomise(random);
  Dense const dense_cg = random_dense<T>(random, N, N), dense_cs = triangle(0),
              dense_cl = triangle(0), dense_cd = random_dense<T>(random, N, 1);
  Common<T, N, N> const cg(dense_cg), cs(dense_cs), cl(dense_cl);
  Common<T, N> const cd(dense_cd);
  auto const diagonal_of = [](Dense const& v) {
    return make_dense(N, N, [&](int i, int j) { return i == j ? v(i) : 0.0L; });
  };
  BatchIn<T, Left, N, N> o0(n), o1(n), o2(n), o3(n), o4(n), o5(n), o6(n), o7(n), o8(n);

  map(LeftWithAll<Which, Add>{}, out(o0.view()), out(o1.view()), out(o2.view()), out(o3.view()),
      out(o4.view()), out(o5.view()), out(o6.view()), out(o7.view()), out(o8.view()), in(g.view()),
      in(symmetric(s.view())), in(lower(l.view())), in(diagonal(d.view())), common(cg.view),
      common(symmetric(cs.view)), common(lower(cl.view)), common(diagonal(cd.view)));

  BatchIn<T, Left, N, N> const* outs[] = {&o0, &o1, &o2, &o3, &o4, &o5, &o6, &o7, &o8};
  for (auto const* o : outs) o->download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const gk = g.dense(k), sk = mirrored(s.dense(k)), lk = lower_triangle(l.dense(k)),
                dk = diagonal_of(d.dense(k));
    Dense const left[] = {gk,
                          sk,
                          lk,
                          transpose(lk),
                          dk,
                          eye(N),
                          dense_cg,
                          mirrored(dense_cs),
                          lower_triangle(dense_cl)};
    Dense const right[] = {gk,
                           sk,
                           lk,
                           transpose(lk),
                           dk,
                           eye(N),
                           dense_cg,
                           transpose(lower_triangle(dense_cl)),
                           diagonal_of(dense_cd)};
    Dense const& x = left[Which];
    for (int r = 0; r < lefts; ++r) {
      Dense const want = Add ? x - right[r] : x * right[r];
      Dense const size = Add ? abs(x) + abs(right[r]) : abs(x) * abs(right[r]);
      EXPECT_TRUE(near(outs[r]->dense(k), want, tolerance<T>(N, 1) * size))
          << (Add ? "difference " : "product ") << Which << " with " << r << ", item " << k;
    }
  }
}

TYPED_TEST(StructuredProduct, EveryLeftTimesEveryRight) {
  using T = typename TypeParam::T;
  constexpr int N = TypeParam::N;
  [&]<int... W>(std::integer_sequence<int, W...>) {
    (check_left<W, false, T, N>(), ...);
  }(std::make_integer_sequence<int, lefts>{});
}

TYPED_TEST(StructuredProduct, EveryLeftMinusEveryRight) {
  using T = typename TypeParam::T;
  constexpr int N = TypeParam::N;
  [&]<int... W>(std::integer_sequence<int, W...>) {
    (check_left<W, true, T, N>(), ...);
  }(std::make_integer_sequence<int, lefts>{});
}

/// The result's structure follows from the factors'.
TEST(StructuredProduct, KeepsStructure) {
  using G = Matrix<double, 3, 3>;
  using S = Symmetric<double, 3>;
  using L = Lower<double, 3>;
  using D = Diagonal<double, 3>;
  using V = Vector<double, 3>;
  static_assert(std::is_same_v<decltype(D{} * D{}), D>);
  static_assert(std::is_same_v<decltype(L{} * L{}), L>);
  static_assert(std::is_same_v<decltype(L{} * D{}), L>);
  static_assert(std::is_same_v<decltype(D{} * L{}), L>);
  static_assert(std::is_same_v<decltype(S{} * S{}), G>);
  static_assert(std::is_same_v<decltype(S{} * D{}), G>);
  static_assert(std::is_same_v<decltype(S{} + S{}), S>);
  static_assert(std::is_same_v<decltype(S{} - D{}), S>);
  static_assert(std::is_same_v<decltype(L{} + identity<double, 3>()), L>);
  static_assert(std::is_same_v<decltype(L{} + S{}), G>);
  static_assert(std::is_same_v<decltype(D{} - D{}), D>);
  static_assert(std::is_same_v<decltype(2.0 * S{}), S>);
  static_assert(std::is_same_v<decltype(-L{}), L>);
  static_assert(std::is_same_v<decltype(S{} * V{}), V>);
  static_assert(std::is_same_v<decltype(transpose(S{})), S>);
  static_assert(std::is_same_v<decltype(gram(Matrix<double, 2, 3>{})), S>);
  static_assert(
      std::is_same_v<decltype(congruence(Matrix<double, 3, 2>{}, Symmetric<double, 2>{})), S>);
}

}  // namespace
}  // namespace Batchwork::Test
