// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// map with every pack width, with every operand in another layout, and with compact storage wider
// and narrower than the packs. Results must not depend on the width, and a failed item must not
// change its neighbours.
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

template <class T_, int W_>
struct Case {
  using T = T_;
  static constexpr int W = W_;
};
template <class C>
class MapWidths : public ::testing::Test {};
using Cases = ::testing::Types<Case<double, 1>, Case<double, 2>, Case<double, 4>, Case<double, 8>,
                               Case<double, 16>, Case<float, 1>, Case<float, 2>, Case<float, 4>,
                               Case<float, 8>, Case<float, 16>>;
TYPED_TEST_SUITE(MapWidths, Cases);

struct Everything {
  template <class Y, class C, class D, class U, class L, class A, class X, class B, class P,
            class F, class Q>
  KOKKOS_FUNCTION void operator()(Y& y, C& c, D& d, U& u, L& l, A const& a, X const& x, B const& b,
                                  P const& p, F const& f, Q const& q) const {
    y = a * (f * x) + u;
    c = b * a - transpose(q) * f;
    d = select(b < 0, dot(x, x), trace(p));
    u = u - y;
    l = cholesky(p + b * b * identity<P::rows>(p)).lower();
  }
};

TYPED_TEST(MapWidths, AgreeWithTheReferenceForEveryBatchSize) {
  using T = typename TypeParam::T;
  constexpr int W = TypeParam::W;
  constexpr int N = 3;
  Random random(101);
  Common<T, N, N> const f(make_dense(N, N, [&](int, int) { return random.integer(-2, 2); }));
  Matrix<T, N, N> q0;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) q0.set(i, j, T(random.integer(-2, 2)));
  q0.info = 0;
  Dense const q = make_dense(N, N, [&](int i, int j) { return q0.entry(i, j); });
  for (std::int64_t n : {std::int64_t(0), std::int64_t(1), std::int64_t(W - 1), std::int64_t(W),
                         std::int64_t(W + 1), std::int64_t(beyond_a_grid)}) {
    BatchIn<T, CompactBy<4>, N, N> a(n);
    BatchIn<T, CompactBy<32>, N> x(n);
    BatchIn<T, Left> b(n);
    BatchIn<T, RightPart, N, N> p(n);
    BatchIn<T, Strided, N> y(n);
    BatchIn<T, CompactBy<8>, N, N> c(n);
    BatchIn<T, CompactBy<32>> d(n);
    BatchIn<T, LeftPart, N> u(n);
    BatchIn<T, CompactBy<8>, N, N> l(n);
    BatchIn<int, Right> st(n);
    a.fill_exactly(random), x.fill_exactly(random), b.fill_exactly(random), u.fill_exactly(random);
    // The factor of L L' for a lower triangle L of whole numbers is L itself. Some items fail at
    // the second pivot.
    p.fill([&](std::int64_t k) {
      Dense const m = make_dense(N, N, [&](int i, int j) {
        return j < i ? random.integer(-3, 3) : i == j ? 2 : 0;
      });
      Dense r = m * transpose(m) - static_cast<long double>(b.at(k) * b.at(k)) * eye(N);
      if (k % 5 == 3) r(1, 1) = -1000;
      return r;
    });
    std::vector<Dense> u0;
    for (std::int64_t k = 0; k < n; ++k) u0.push_back(u.dense(k));

    map(launch("widths", width<W>), Everything{}, out(y.view()), out(c.view()), out(d.view()),
        inout(u.view()), out(lower(l.view())), in(a.const_view()), in(x.const_view()),
        in(b.const_view()), in(symmetric(p.const_view())), common(f.view), common(fixed(q0)),
        status(st.view()));

    y.download(), c.download(), d.download(), u.download(), l.download(), st.download();
    int failures = 0;
    // Of a large batch the two ends, and every seventh item between.
    for (std::int64_t k = 0; k < n && failures < 3; k += k < 100 || k > n - 100 ? 1 : 7) {
      Dense const xk = x.dense(k), pk = p.dense(k);
      Dense const want_y = a.dense(k) * (f.dense() * xk) + u0[std::size_t(k)];
      Dense const want_c = b.at(k) * a.dense(k) - transpose(q) * f.dense();
      long double const want_d = b.at(k) < 0 ? dot(xk, xk) : trace(pk);
      bool good = equal(y.dense(k), want_y) && equal(c.dense(k), want_c) && d.at(k) == T(want_d) &&
                  equal(u.dense(k), u0[std::size_t(k)] - want_y);
      if (k % 5 == 3) {
        good = good && st.at(k) == Status::code(Reason::not_positive_definite, 2) &&
               !std::isfinite(l.at(k, 2, 2));
      } else {
        Dense const shifted = pk + static_cast<long double>(b.at(k) * b.at(k)) * eye(N);
        Dense const want_l = cholesky(shifted);
        good = good && st.at(k) == 0 &&
               near(l.dense(k), want_l, tolerance<T>(N, norm1(want_l), condition_spd(shifted)));
      }
      EXPECT_TRUE(good) << "item " << k << " of " << n << ": status " << st.at(k) << ", "
                        << equal(y.dense(k), want_y).message() << ", "
                        << equal(c.dense(k), want_c).message();
      failures += !good;
    }
    EXPECT_EQ(y.poisoned(), y.outside()) << n;
    EXPECT_EQ(c.poisoned(), c.outside()) << n;
    EXPECT_EQ(d.poisoned(), d.outside()) << n;
    EXPECT_EQ(u.poisoned(), u.outside()) << n;
    EXPECT_EQ(l.poisoned(), l.outside()) << n;
    EXPECT_EQ(st.poisoned(), st.outside()) << n;
  }
}

struct Eigenvalues {
  template <class W, class A>
  KOKKOS_FUNCTION void operator()(W& w, A const& a) const {
    w = eigh(symmetric(a)).values();
  }
};
/// A tridiagonal matrix with k on the diagonal and ones next to it. Its eigenvalues are k + 2 cos(i
/// pi / (N + 1)).
template <class T>
void check_eigenvalues_without_packs() {
  constexpr int N = 5;
  BatchIn<T, Left, N, N> a(9);
  BatchIn<T, Right, N> w(9);
  a.fill([](std::int64_t k) {
    return make_dense(N, N, [&](int i, int j) { return i == j ? k : i - j == 1 || j - i == 1; });
  });
  map(launch(width<1>), Eigenvalues{}, out(w.view()), in(a.const_view()));
  w.download();
  double const pi = std::acos(-1.0);
  for (std::int64_t k = 0; k < 9; ++k)
    for (int i = 0; i < N; ++i)
      EXPECT_NEAR(double(w.at(k, i)), double(k) + 2 * std::cos((N - i) * pi / (N + 1)),
                  double(10 * N * epsilon<T>) * double(k + 2))
          << k;
}
TEST(MapOfWidthOne, Eigenvalues) {
  check_eigenvalues_without_packs<double>();
  check_eigenvalues_without_packs<float>();
}

}  // namespace
}  // namespace Batchwork::Test
