// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Operations on tiles with extents up to 32 and, in test_large_64.cpp, up to 64: square and
/// rectangular, with per-item and common operands, in every layout. On devices lanes share an item,
/// and hosts use register blocks. A compiler takes seconds for each case, so the cases are split
/// over several files. Hosts have the same code for all extents and run only a few.
#ifndef BATCHWORK_TEST_LARGE_HPP
#define BATCHWORK_TEST_LARGE_HPP

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

template <class T_, int N_, int M_, class Layout_>
struct LargeCase {
  using T = T_;
  using Layout = Layout_;
  static constexpr int N = N_, M = M_;
};
template <class C>
class LargeTile : public ::testing::Test {};
TYPED_TEST_SUITE_P(LargeTile);

/// p is N x N, h and b are M x N, v has N numbers.
struct ManyProducts {
  template <class O0, class O1, class O2, class O3, class O4, class Y0, class Y1, class D, class P,
            class H, class B, class V, class CH>
  KOKKOS_FUNCTION void operator()(O0& hp, O1& hbt, O2& htb, O3& common_left, O4& common_right,
                                  Y0& hv, Y1& htw, D& product_sum, P const& p, H const& h,
                                  B const& b, V const& v, CH const& ch) const {
    hp = h * p;
    hbt = h * transpose(b);
    htb = transpose(h) * b;
    common_left = ch * transpose(h);
    common_right = transpose(b) * ch;
    auto w = h * v;
    hv = w;
    htw = transpose(h) * w;
    product_sum = dot(h, b) + trace(p);
  }
};

TYPED_TEST_P(LargeTile, Products) {
  using T = typename TypeParam::T;
  using L = typename TypeParam::Layout;
  constexpr int N = TypeParam::N, M = TypeParam::M;
  constexpr std::int64_t n = 45;
  Random random(71);
  BatchIn<T, L, N, N> p(n), htb(n), right(n);
  BatchIn<T, L, M, N> h(n), b(n), hp(n);
  BatchIn<T, L, M, M> hbt(n), left(n);
  BatchIn<T, L, N> v(n), htw(n);
  BatchIn<T, L, M> hv(n);
  BatchIn<T, Left> d(n);
  h.randomise(random), b.randomise(random), v.randomise(random);
  p.fill([&](std::int64_t) { return mirrored(random_dense<T>(random, N, N)); });
  Common<T, M, N> const ch(random_dense<T>(random, M, N));
  map(ManyProducts{}, out(hp.view()), out(hbt.view()), out(htb.view()), out(left.view()),
      out(right.view()), out(hv.view()), out(htw.view()), out(d.view()), in(symmetric(p.view())),
      in(h.view()), in(b.const_view()), in(v.view()), common(ch.view));
  hp.download(), hbt.download(), htb.download(), left.download(), right.download();
  hv.download(), htw.download(), d.download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const pk = p.dense(k), hk = h.dense(k), bk = b.dense(k), vk = v.dense(k);
    auto const check = [&](Dense const& got, Dense const& x, Dense const& y, char const* what) {
      EXPECT_TRUE(near(got, x * y, tolerance<T>(x.cols, 1) * (abs(x) * abs(y))))
          << what << ", item " << k;
    };
    check(hp.dense(k), hk, pk, "h p");
    check(hbt.dense(k), hk, transpose(bk), "h b'");
    check(htb.dense(k), transpose(hk), bk, "h' b");
    check(left.dense(k), ch.dense(), transpose(hk), "common h'");
    check(right.dense(k), transpose(bk), ch.dense(), "b' common");
    check(hv.dense(k), hk, vk, "h v");
    Dense const size = abs(transpose(hk)) * (abs(hk) * abs(vk));
    EXPECT_TRUE(near(htw.dense(k), transpose(hk) * (hk * vk), tolerance<T>(M + N, 1) * size)) << k;
    EXPECT_NEAR(double(d.at(k)), double(dot(hk, bk) + trace(pk)),
                double(tolerance<T>(N * M + N, dot(abs(hk), abs(bk)) + trace(abs(pk)))))
        << k;
  }
  EXPECT_EQ(hp.poisoned(), hp.outside());
  EXPECT_EQ(htb.poisoned(), htb.outside());
}

/// A symmetric tile with one stored triangle, times a column in any storage.
struct ColumnProducts {
  template <class Y, class U, class W, class P, class V, class R, class C>
  KOKKOS_FUNCTION void operator()(Y& pv, U& rp, W& twice, P const& p, V const& v, R const& r,
                                  C const& c) const {
    pv = p * v;
    rp = r * p;
    twice = c + transpose(r * p) - p * v;
  }
};
TYPED_TEST_P(LargeTile, SymmetricByColumn) {
  using T = typename TypeParam::T;
  using L = typename TypeParam::Layout;
  constexpr int N = TypeParam::N;
  constexpr std::int64_t n = 45;
  Random random(77);
  BatchIn<T, L, N, N> p(n);
  BatchIn<T, L, 1, N> rp(n);
  BatchIn<T, L, N> v(n), pv(n);
  BatchIn<T, L, N, 1> twice(n), c(n);
  // Entries above the diagonal are not read.
  p.fill([&](std::int64_t) {
    Dense const m = random_dense<T>(random, N, N);
    return make_dense(N, N, [&](int i, int j) {
      return j <= i ? m(i, j) : static_cast<long double>(poison<T>());
    });
  });
  v.randomise(random), c.randomise(random);
  Common<T, 1, N> const r(random_dense<T>(random, 1, N));
  map(ColumnProducts{}, out(pv.view()), out(rp.view()), out(twice.view()), in(symmetric(p.view())),
      in(v.view()), common(r.view), in(c.view()));
  pv.download(), rp.download(), twice.download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const pk = mirrored(p.dense(k)), vk = v.dense(k), rk = transpose(r.dense());
    Dense const pv_size = abs(pk) * abs(vk), rp_size = abs(pk) * abs(rk);
    EXPECT_TRUE(near(pv.dense(k), pk * vk, tolerance<T>(N, 1) * pv_size)) << k;
    EXPECT_TRUE(near(rp.dense(k), transpose(pk * rk), tolerance<T>(N, 1) * transpose(rp_size)))
        << k;
    EXPECT_TRUE(near(twice.dense(k), c.dense(k) + pk * rk - pk * vk,
                     tolerance<T>(N + 2, 1) * (abs(c.dense(k)) + pv_size + rp_size)))
        << k;
  }
}

struct ManyFactors {
  template <class L, class X, class W, class Y, class C, class U, class D, class A, class B,
            class V, class Q, class F>
  KOKKOS_FUNCTION void operator()(L& l, X& x, W& w, Y& y, C& c, U& updated, D& det, A const& a,
                                  B const& b, V const& v, Q const& q, F const& f) const {
    auto const factor = cholesky(a);
    l = factor.lower();
    x = solve(factor.lower(), b);
    w = solve(factor, b);
    y = solve(factor, v);
    c = congruence(f, a, q);
    updated = downdate(a, transpose(b));
    det = log_det(factor);
  }
};

TYPED_TEST_P(LargeTile, Factorisations) {
  using T = typename TypeParam::T;
  using L = typename TypeParam::Layout;
  constexpr int N = TypeParam::N, M = TypeParam::M;
  constexpr std::int64_t n = 45;
  Random random(73);
  BatchIn<T, L, N, N> a(n), l(n), updated(n);
  BatchIn<T, L, N, M> b(n), x(n), w(n);
  BatchIn<T, L, M, M> c(n);
  BatchIn<T, L, N> v(n), y(n);
  BatchIn<T, Left> det(n);
  BatchIn<int, Left> st(n);
  // The first, a middle and the last item fail, each at a different pivot. All entries above the
  // diagonal are poisoned.
  auto const bad_pivot = [](std::int64_t k) {
    return k == 0 ? 1 : k == n / 2 ? N / 2 + 1 : k == n - 1 ? N : 0;
  };
  a.fill([&](std::int64_t k) {
    Dense m = random_spd<T>(random, N);
    if (int const i = bad_pivot(k)) m(i - 1, i - 1) = -1000;
    return make_dense(N, N, [&](int i, int j) {
      return j <= i ? m(i, j) : static_cast<long double>(poison<T>());
    });
  });
  b.randomise(random), v.randomise(random);
  Common<T, M, M> const q(random_spd<T>(random, M));
  Common<T, M, N> const f(random_dense<T>(random, M, N));
  map(ManyFactors{}, out(lower(l.view())), out(x.view()), out(w.view()), out(y.view()),
      out(c.view()), out(updated.view()), out(det.view()), in(symmetric(a.view())), in(b.view()),
      in(v.view()), common(symmetric(q.view)), common(f.view), status(st.view()));
  l.download(), x.download(), w.download(), y.download(), c.download(), updated.download();
  det.download(), st.download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const ak = mirrored(a.dense(k)), bk = b.dense(k), vk = v.dense(k);
    Dense const ck = f.dense() * ak * transpose(f.dense()) + q.dense();
    Dense const size = abs(f.dense()) * abs(ak) * abs(transpose(f.dense())) + abs(q.dense());
    EXPECT_TRUE(near(c.dense(k), ck, tolerance<T>(2 * N, 1) * size)) << k;
    EXPECT_TRUE(equal(c.dense(k), transpose(c.dense(k)))) << k;
    EXPECT_TRUE(near(updated.dense(k), ak - bk * transpose(bk),
                     tolerance<T>(M + 1, 1) * (abs(ak) + abs(bk) * abs(transpose(bk)))))
        << k;
    EXPECT_TRUE(equal(updated.dense(k), transpose(updated.dense(k)))) << k;
    EXPECT_EQ(Status::info(st.at(k)), bad_pivot(k)) << k;
    EXPECT_EQ(Status::reason(st.at(k)),
              bad_pivot(k) ? Reason::not_positive_definite : Reason::success)
        << k;
    if (bad_pivot(k)) {
      EXPECT_TRUE(std::isnan(det.at(k))) << k;
      EXPECT_TRUE(std::isnan(y.at(k, 0))) << k;
      for (int i = 0; i < N; ++i)
        for (int j = 0; j <= i; ++j)
          EXPECT_EQ(std::isfinite(l.at(k, i, j)), j + 1 < bad_pivot(k))
              << k << " " << i << " " << j;
      continue;
    }
    Dense const lk = cholesky(ak);
    long double const cond = condition_spd(ak), cond_l = condition_lower(lk);
    Dense const xk = solve_lower(lk, bk), wk = solve_spd(ak, bk), yk = solve_spd(ak, vk);
    EXPECT_TRUE(near(l.dense(k), lk, tolerance<T>(N, norm1(lk), cond))) << k;
    EXPECT_TRUE(near(x.dense(k), xk, tolerance<T>(N, norm1(xk), cond * cond_l))) << k;
    EXPECT_TRUE(near(w.dense(k), wk, tolerance<T>(N, norm1(wk), cond))) << k;
    EXPECT_TRUE(near(y.dense(k), yk, tolerance<T>(N, norm1(yk), cond))) << k;
    long double log_of_det = 0;
    for (int i = 0; i < N; ++i) log_of_det += 2 * std::log(lk(i, i));
    EXPECT_NEAR(double(det.at(k)), double(log_of_det),
                double(tolerance<T>(N, 1 + std::fabs(log_of_det), cond)))
        << k;
  }
}

/// Neighbours of failed items must be bitwise the same as without a failure.
struct Roots {
  template <class L, class A>
  KOKKOS_FUNCTION void operator()(L& l, A const& a) const {
    l = cholesky(a).lower();
  }
};
TYPED_TEST_P(LargeTile, FailuresLeaveNeighboursAlone) {
  using T = typename TypeParam::T;
  constexpr int N = TypeParam::N;
  constexpr std::int64_t n = 131;
  Random random(79);
  BatchIn<T, Left, N, N> a(n), clean(n), l(n);
  a.fill([&](std::int64_t) { return random_spd<T>(random, N); });
  map(Roots{}, out(clean.view()), in(symmetric(a.view())));
  clean.download();
  for (std::int64_t k : {std::int64_t(0), n / 2, n - 1})
    a.at(k, N / 2, N / 2) = k == n / 2 ? std::numeric_limits<T>::quiet_NaN() : T(-1);
  a.upload();
  map(Roots{}, out(l.view()), in(symmetric(a.view())));
  l.download();
  for (std::int64_t k = 0; k < n; ++k) {
    if (k == 0 || k == n / 2 || k == n - 1) {
      EXPECT_TRUE(std::isnan(l.at(k, N - 1, N - 1))) << k;
      continue;
    }
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j)
        EXPECT_TRUE(same_bits(l.at(k, i, j), clean.at(k, i, j))) << k << " " << i << " " << j;
  }
}

/// Pivots with and without a root and a reciprocal, in the first, a middle and the last column.
TYPED_TEST_P(LargeTile, PivotsAtTheLimits) {
  using T = typename TypeParam::T;
  using Limits = std::numeric_limits<T>;
  constexpr int N = TypeParam::N;
  constexpr T infinity = Limits::infinity();
  constexpr auto good = Reason::success, low = Reason::not_positive_definite,
                 bad = Reason::not_finite;
  std::vector<std::pair<T, Reason>> const pivots = {{Limits::min(), good},
                                                    {Limits::max(), good},
                                                    {T(3), good},
                                                    {Limits::min() / 2, low},
                                                    {Limits::denorm_min(), low},
                                                    {T(0), low},
                                                    {-T(0), low},
                                                    {-Limits::max(), low},
                                                    {infinity, bad},
                                                    {-infinity, bad},
                                                    {Limits::quiet_NaN(), bad}};
  std::int64_t const kinds = std::int64_t(pivots.size()), n = 3 * kinds;
  auto const column = [&](std::int64_t k) { return k < kinds ? 0 : k < 2 * kinds ? N / 2 : N - 1; };
  BatchIn<T, Left, N, N> a(n), l(n);
  BatchIn<int, Left> st(n);
  a.fill([&](std::int64_t k) {
    return make_dense(N, N, [&](int i, int j) {
      if (i != j) return T(0);
      return i == column(k) ? pivots[std::size_t(k % kinds)].first : T(1);
    });
  });
  map(Roots{}, out(lower(l.view())), in(symmetric(a.view())), status(st.view()));
  l.download(), st.download();
  for (std::int64_t k = 0; k < n; ++k) {
    auto const [pivot, reason] = pivots[std::size_t(k % kinds)];
    int const i = column(k);
    SCOPED_TRACE(::testing::Message() << "pivot " << pivot << " in column " << i);
    EXPECT_EQ(Status::reason(st.at(k)), reason);
    EXPECT_EQ(Status::info(st.at(k)), reason == good ? 0 : i + 1);
    if (reason == good) {
      EXPECT_NEAR(double(l.at(k, i, i) / std::sqrt(pivot)), 1, double(tolerance<T>(2, 1)));
      for (int j = 0; j + 1 < N; ++j) EXPECT_EQ(l.at(k, N - 1, j), T(0)) << j;
    } else {
      EXPECT_TRUE(std::isnan(l.at(k, i, i)));
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(LargeTile, Products, SymmetricByColumn, Factorisations,
                            FailuresLeaveNeighboursAlone, PivotsAtTheLimits);

}  // namespace Batchwork::Test

#endif
