// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The building blocks of filters in a user's own sequences, in map, in scan and inside a kernel;
// and fail_where.
#include "Reference.hpp"

namespace Batchwork::Test {

struct PredictOnly {
  template <class XO, class PO, class X, class P, class F, class Q, class C>
  KOKKOS_FUNCTION void operator()(XO& x_new, PO& p_new, X const& x, P const& p, F const& f,
                                  Q const& q, C const& c) const {
    auto xs = x;
    auto ps = p;
    Kalman::predict(xs, ps, f, q, c);
    x_new = xs;
    p_new = ps;
  }
};
template <Kalman::Data D>
struct UpdateOnly {
  template <class XO, class PO, class L, class X, class P, class Z, class H, class R>
  KOKKOS_FUNCTION void operator()(XO& x_new, PO& p_new, L& loglik, X const& x, P const& p,
                                  Z const& z, H const& h, R const& r) const {
    auto xs = x;
    auto ps = p;
    L sum(0);
    Kalman::update<D>(xs, ps, sum, z, h, r);
    x_new = xs;
    p_new = ps;
    loglik = sum;
  }
};
/// predict and update in a user's own sequence, here without a likelihood.
struct OwnStep {
  template <class X, class P, class Z, class F, class Q, class H, class R>
  KOKKOS_FUNCTION void operator()(X& x, P& p, Z const& z, F const& f, Q const& q, H const& h,
                                  R const& r) const {
    Kalman::predict(x, p, f, q);
    Kalman::update(x, p, z, h, r);
  }
};
struct NegativeFails {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = fail_where(x < 0.0, Reason::incomplete_data, 2.0 * x);
  }
};
/// A user's own kernel that filters the group's series.
template <class Scan>
struct OwnKernel {
  Scan scan;
  std::int64_t items, per_team;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::int64_t const first = member.league_rank() * per_team;
    std::int64_t const last = first + per_team < items ? first + per_team : items;
    scan(member, first, last);
  }
};

namespace {

template <class T, int N, int M>
struct OneStep {
  static constexpr int items = 19;
  Random random{71};
  RandomModel<T> m{random, N, M};
  std::vector<Dense> x, p, z;
  Kokkos::View<T[N][N], Space> F = filled(Kokkos::View<T[N][N], Space>("F"), m.f);
  Kokkos::View<T[N][N], Space> Q = filled(Kokkos::View<T[N][N], Space>("Q"), m.q);
  Kokkos::View<T[M][N], Space> H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  Kokkos::View<T[M][M], Space> R = filled(Kokkos::View<T[M][M], Space>("R"), m.r);
  Kokkos::View<T* [N], Space> X { "x", items }, Xn{"x_new", items};
  Kokkos::View<T* [N][N], Space> P { "P", items }, Pn{"P_new", items};
  Kokkos::View<T* [M], Space> Z { "z", items };
  Kokkos::View<T*, Space> L{"loglik", items};
  Kokkos::View<int*, Space> st{"status", items};

  explicit OneStep(bool gaps) {
    for (int k = 0; k < items; ++k) {
      x.push_back(random_dense<T>(random, N, 1));
      p.push_back(random_spd<T>(random, N));
      z.push_back(
          random_series<T>(random, 1, M, [&](int, int i) { return gaps && (k % (M + 1) > i); })[0]);
    }
    fill(X, [&](auto const& h) {
      each_item([&](int k, auto s) {
        for (int i = 0; i < N; ++i) h(s, i) = T(x[s](i));
        (void)k;
      });
    });
    fill(Z, [&](auto const& h) {
      each_item([&](int, auto s) {
        for (int i = 0; i < M; ++i) h(s, i) = T(z[s](i));
      });
    });
    fill(P, [&](auto const& h) {
      each_item([&](int, auto s) {
        for (int i = 0; i < N; ++i)
          for (int j = 0; j < N; ++j) h(s, i, j) = T(p[s](i, j));
      });
    });
    poisoned(Xn);
    poisoned(Pn);
    poisoned(L);
    poisoned(st);
  }
  template <class F2>
  static void each_item(F2 const& f) {
    for (int k = 0; k < items; ++k) f(k, std::size_t(k));
  }
  void expect(int k, Dense const& mean, Dense const& covariance, long double condition) const {
    auto const hx = on_host(Xn);
    auto const hp = on_host(Pn);
    auto const s = std::size_t(k);
    EXPECT_TRUE(near([&](int i, int) { return hx(s, i); }, mean,
                     tolerance<T>(4 * N, 1 + norm1(mean), condition)))
        << k;
    EXPECT_TRUE(near([&](int i, int j) { return hp(s, i, j); }, covariance,
                     tolerance<T>(4 * N, 1 + norm1(covariance), condition)))
        << k;
    EXPECT_EQ(on_host(st)(s), 0) << k;
  }
};

template <class T, int N>
void prediction() {
  OneStep<T, N, 1> c(false);
  Dense const input = random_dense<T>(c.random, N, 1);
  auto const C = filled(Kokkos::View<T[N], Space>("c"), input);
  map(PredictOnly{}, out(c.Xn), out(symmetric(c.Pn)), in(c.X), in(symmetric(c.P)), common(c.F),
      common(symmetric(c.Q)), common(C), status(c.st));
  Kokkos::fence();
  for (int k = 0; k < c.items; ++k) {
    auto const s = std::size_t(k);
    c.expect(k, c.m.f * c.x[s] + input, c.m.f * c.p[s] * transpose(c.m.f) + c.m.q,
             1 + norm1(c.p[s]));
  }
}
TEST(KalmanBlocks, Predict) {
  prediction<double, 1>();
  prediction<double, 2>();
  prediction<float, 5>();
  prediction<double, 8>();
}

template <class T, int N, int M, Kalman::Data D>
void one_update(bool gaps) {
  OneStep<T, N, M> c(gaps);
  map(UpdateOnly<D>{}, out(c.Xn), out(symmetric(c.Pn)), out(c.L), in(c.X), in(symmetric(c.P)),
      in(c.Z), common(c.H), common(symmetric(c.R)), status(c.st));
  Kokkos::fence();
  for (int k = 0; k < c.items; ++k) {
    auto const s = std::size_t(k);
    auto const want =
        true_filter(Kalman::Order::update_first, c.m.truth(), c.x[s], c.p[s], {c.z[s]});
    c.expect(k, want.filtered_mean[0], want.filtered_covariance[0], want.condition);
    EXPECT_NEAR(double(on_host(c.L)(s)), double(want.log_likelihood),
                double(tolerance<T>(4 * N, 1 + want.absolute, want.condition)));
  }
}
TEST(KalmanBlocks, Update) {
  one_update<double, 4, 2, Kalman::Data::complete>(false);
  one_update<float, 3, 5, Kalman::Data::complete>(false);
}
/// H and R of each item have `junk` for missing observations: in a row of H, and in a row and a
/// column of R.
template <class T, int N, int M>
void update_with_gaps(T junk) {
  OneStep<T, N, M> c(true);
  Kokkos::View<T* [M][N], Space> H("H of each item", c.items);
  Kokkos::View<T* [M][M], Space> R("R of each item", c.items);
  auto const missing = [&](std::size_t s, int i) { return std::isnan(c.z[s](i)); };
  fill(H, [&](auto const& h) {
    c.each_item([&](int, auto s) {
      for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) h(s, i, j) = missing(s, i) ? junk : T(c.m.h(i, j));
    });
  });
  fill(R, [&](auto const& h) {
    c.each_item([&](int, auto s) {
      for (int i = 0; i < M; ++i)
        for (int j = 0; j < M; ++j)
          h(s, i, j) = missing(s, i) || missing(s, j) ? junk : T(c.m.r(i, j));
    });
  });
  map(UpdateOnly<Kalman::Data::may_be_missing>{}, out(c.Xn), out(symmetric(c.Pn)), out(c.L),
      in(c.X), in(symmetric(c.P)), in(c.Z), in(H), in(symmetric(R)), status(c.st));
  Kokkos::fence();
  for (int k = 0; k < c.items; ++k) {
    auto const s = std::size_t(k);
    auto const want =
        true_filter(Kalman::Order::update_first, c.m.truth(), c.x[s], c.p[s], {c.z[s]});
    c.expect(k, want.filtered_mean[0], want.filtered_covariance[0], want.condition);
    EXPECT_NEAR(double(on_host(c.L)(s)), double(want.log_likelihood),
                double(tolerance<T>(4 * N, 1 + want.absolute, want.condition)));
  }
}
TEST(KalmanBlocks, UpdateReadsNothingOfWhatIsMissing) {
  for (double junk : {std::numeric_limits<double>::quiet_NaN(), 1e300}) {
    update_with_gaps<double, 4, 2>(junk);
    update_with_gaps<double, 1, 1>(junk);
  }
  for (float junk : {std::numeric_limits<float>::quiet_NaN(), 1e38f})
    update_with_gaps<float, 3, 5>(junk);
}

TEST(KalmanBlocks, FailWhere) {
  constexpr int items = 21;
  Kokkos::View<double*, Space> x("x", items), y("y", items);
  auto const st = poisoned(Kokkos::View<int*, Space>("st", items));
  fill(x, [](auto const& h) {
    for (std::size_t k = 0; k < items; ++k) h(k) = k % 10 == 0 ? -1 : 1;
  });
  map(NegativeFails{}, out(y), in(x), status(st));
  Kokkos::fence();
  for (std::size_t k = 0; k < items; ++k) {
    EXPECT_EQ(on_host(st)(k), k % 10 == 0 ? 0x30000 : 0);
    EXPECT_EQ(on_host(y)(k), k % 10 == 0 ? -2 : 2);
  }
}

/// The same series with a user's own sequence in scan, with Kalman::Step in scan, and with a scan
/// inside a user's kernel.
TEST(KalmanBlocks, InScanAndInsideAKernel) {
  constexpr int N = 3, M = 2, items = 37, steps = 9;
  Random random(73);
  RandomModel<double> const m(random, N, M);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(
        random_series<double>(random, steps, M, [&](int, int) { return random(0, 1) < 0.1; }));
  auto const Z = filled_series(Kokkos::View<double** [M], Space>("z", items, steps), z);
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<double[N][N], Space>("Q"), m.q);
  auto const H = filled(Kokkos::View<double[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<double[M][M], Space>("R"), m.r);
  Vector<double, N> x0;
  x0.info = 0;
  for (int i = 0; i < N; ++i) x0.a[i] = i;
  Symmetric<double, N> const p0(identity<double, N>());
  Kokkos::View<double* [N], Space> x[3];
  Kokkos::View<double* [N][N], Space> p[3];
  Kokkos::View<double*, Space> ll("ll", items);
  for (int i = 0; i < 3; ++i) {
    x[i] = poisoned(Kokkos::View<double* [N], Space>("x", items));
    p[i] = poisoned(Kokkos::View<double* [N][N], Space>("p", items));
  }
  scan(steps, OwnStep{}, carry(common(fixed(x0)), x[0]), carry(common(fixed(p0)), p[0]), each(Z),
       common(F), common(symmetric(Q)), common(H), common(symmetric(R)));
  scan(steps, Kalman::Step<>{}, carry(common(fixed(x0)), x[1]), carry(common(fixed(p0)), p[1]),
       carry(common(fixed(0.0)), log_sum(ll, -0.5)), each(Z), common(F), common(symmetric(Q)),
       common(H), common(symmetric(R)));
  auto const inner = team_scan<Space>(steps, OwnStep{}, carry(common(fixed(x0)), x[2]),
                                      carry(common(fixed(p0)), p[2]), each(Z), common(F),
                                      common(symmetric(Q)), common(H), common(symmetric(R)));
  int const per_team = 16;
  int const team = Impl::runs_on_device<Space> ? 32 : 1;
  Kokkos::TeamPolicy<Space> policy((items + per_team - 1) / per_team, team);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(inner.scratch_size(team))));
  Kokkos::parallel_for("kernel of the user", policy,
                       OwnKernel<std::remove_const_t<decltype(inner)>>{inner, items, per_team});
  Kokkos::fence();
  for (int k = 0; k < items; ++k) {
    auto const s = std::size_t(k);
    auto const want = true_filter(Kalman::Order::predict_first, m.truth(),
                                  make_dense(N, 1, [](int i, int) { return i; }), eye(N), z[s]);
    for (int i = 0; i < 3; ++i) {
      auto const hx = on_host(x[i]);
      auto const hp = on_host(p[i]);
      EXPECT_TRUE(near([&](int a, int) { return hx(s, a); }, want.last_mean,
                       tolerance<double>(20 * N, 4, want.condition)));
      EXPECT_TRUE(near([&](int a, int b) { return hp(s, a, b); }, want.last_covariance,
                       tolerance<double>(20 * N, 2, want.condition)));
    }
    EXPECT_NEAR(on_host(ll)(s), double(want.log_likelihood),
                double(tolerance<double>(20 * N, want.absolute, want.condition)));
  }
}

}  // namespace
}  // namespace Batchwork::Test
