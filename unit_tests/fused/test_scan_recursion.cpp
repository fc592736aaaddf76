// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// scan against a loop in long double: a linear recursion with coefficients that change between
// steps and items, for several layouts and pack widths.
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

/// x <- a_t x + g_t u + w, s <- s + x' x, and emits the old and the new value.
struct Recursion {
  template <class X, class M, class S, class U, class A, class G, class I, class W, class E,
            class F>
  KOKKOS_FUNCTION void operator()(X& x, M& m, S& s, U& updated, A const& a, G const& g,
                                  I const& input, W const& w, E& emitted, F& emitted_scalar) const {
    emitted = a * m;
    x = a * x + g * input + w;
    m = 0.5 * (a * m) + identity<A::rows>(a);
    s += dot(x, x);
    updated = updated + x;
    emitted_scalar = s - element(x, 0);
  }
};

template <class T_, class Layout_, int W_>
struct Case {
  using T = T_;
  using Layout = Layout_;
  static constexpr int W = W_;
};
template <class C>
class ScanRecursion : public ::testing::Test {};
using Cases =
    ::testing::Types<Case<double, Left, 0>, Case<double, Right, 1>, Case<double, CompactBy<8>, 0>,
                     Case<double, Strided, 2>, Case<double, CompactBy<32>, 4>,
                     Case<float, LeftPart, 8>, Case<float, CompactBy<8>, 16>>;
TYPED_TEST_SUITE(ScanRecursion, Cases);

TYPED_TEST(ScanRecursion, AgreesWithALongDoubleLoop) {
  using T = typename TypeParam::T;
  using L = typename TypeParam::Layout;
  constexpr int W = TypeParam::W, N = 3, C = 2;
  for (int const steps : {0, 1, 2, 100}) {
    std::int64_t const n = steps == 2 ? 1 : 37;
    Random random(111);
    BatchIn<T, L, N> x0(n), x1(n), updated(n);
    BatchIn<T, L, N, N> m(n);  // the carry ends in the View in which it starts
    BatchIn<T, L> s1(n);
    BatchIn<T, L, C> input(n);
    SeriesIn<T, L, N, N> a(n, steps), emitted(n, steps);
    SeriesIn<T, L> emitted_scalar(n, steps);
    // Coefficients of norm below one: errors of earlier steps die away.
    a.randomise(random, -0.3, 0.3), x0.randomise(random), m.randomise(random),
        input.randomise(random);
    updated.randomise(random);
    Kokkos::View<T* [N][C], Kokkos::LayoutRight, Space> g("g", std::size_t(steps));
    auto const host_g = Kokkos::create_mirror(Kokkos::HostSpace(), g);
    for (int t = 0; t < steps; ++t)
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < C; ++j) host_g(t, i, j) = static_cast<T>(random());
    Kokkos::deep_copy(g, host_g);
    Common<T, N> const w(random_dense<T>(random, N, 1));
    std::vector<Dense> m0, u0;
    for (std::int64_t k = 0; k < n; ++k) m0.push_back(m.dense(k)), u0.push_back(updated.dense(k));

    scan(launch("recursion", width<W>), steps, Recursion{}, carry(x0.const_view(), x1.view()),
         carry(m.view(), m.view()), carry(common(fixed(T(0.25))), s1.view()), inout(updated.view()),
         each(a.const_view()), common(each(g)), in(input.const_view()), common(w.view),
         emit(emitted.view()), emit(emitted_scalar.view()));

    x1.download(), m.download(), s1.download(), updated.download(), emitted.download(),
        emitted_scalar.download();
    for (std::int64_t k = 0; k < n; ++k) {
      Dense x = x0.dense(k), mk = m0[std::size_t(k)], u = u0[std::size_t(k)];
      long double s = 0.25L;
      long double const tol = tolerance<T>(8 * N, 8);
      for (int t = 0; t < steps; ++t) {
        Dense const at = a.dense(k, t);
        Dense const gt = make_dense(N, C, [&](int i, int j) { return host_g(t, i, j); });
        EXPECT_TRUE(near(emitted.dense(k, t), at * mk, tol))
            << k << ", step " << t << " of " << steps;
        x = at * x + gt * input.dense(k) + w.dense();
        mk = 0.5L * (at * mk) + eye(N);
        s += dot(x, x);
        u = u + x;
        EXPECT_LE(std::fabs(emitted_scalar.at_time(k, t) - (s - x(0))), tol * (t + 1))
            << k << ", step " << t;
      }
      EXPECT_TRUE(near(x1.dense(k), x, tol)) << k << ", " << steps << " steps";
      EXPECT_TRUE(near(m.dense(k), mk, tol)) << k << ", " << steps << " steps";
      EXPECT_TRUE(near(updated.dense(k), u, tol * (steps + 1))) << k << ", " << steps << " steps";
      EXPECT_LE(std::fabs(s1.at(k) - s), tol * (steps + 1)) << k << ", " << steps << " steps";
      if (steps == 0) {  // the carry ends with its start
        EXPECT_TRUE(equal(x1.dense(k), x0.dense(k)) && equal(m.dense(k), m0[std::size_t(k)]) &&
                    equal(updated.dense(k), u0[std::size_t(k)]) && s1.at(k) == T(0.25));
      }
    }
    EXPECT_EQ(x1.poisoned(), x1.outside()) << steps;
    EXPECT_EQ(m.poisoned(), m.outside()) << steps;
    EXPECT_EQ(s1.poisoned(), s1.outside()) << steps;
    EXPECT_EQ(updated.poisoned(), updated.outside()) << steps;
    EXPECT_EQ(emitted.poisoned(), emitted.outside()) << steps;
    EXPECT_EQ(emitted_scalar.poisoned(), emitted_scalar.outside()) << steps;
  }
}

}  // namespace
}  // namespace Batchwork::Test
