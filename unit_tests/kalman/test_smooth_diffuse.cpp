// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The smoother after diffuse starts, against the joint distribution with an improper prior, and
// against least squares for the Nile.
#include "Nile.hpp"
#include "SmootherBatch.hpp"

namespace Batchwork::Test {
namespace {

/// The smoothed level of a diffuse local level model minimises the sum of (y - x)^2 / r and of
/// (x(t + 1) - x(t))^2 / q: a linear system, whose inverse is the covariance.
TEST(KalmanSmoothDiffuse, LocalLevelModelOfTheNile) {
  constexpr int items = 3, steps = 100;
  constexpr double q = 1469.1, r = 15099;
  Kokkos::View<double*, Space> y("y", steps);
  fill(y, [](auto const& h) {
    for (std::size_t t = 0; t < steps; ++t) h(t) = nile[t];
  });
  Kokkos::View<double*, Space> R("R", items), ll("ll", items);
  Kokkos::deep_copy(R, r);
  Kokkos::View<double**, Space> mean("mean", items, steps), covariance("covariance", items, steps),
      lag_one("lag_one", items, steps), columns("columns", items, steps),
      factor("factor", items, steps);
  auto const one = common(fixed(1.0));
  Kalman::smooth(Space(), steps, Kalman::model(one, common(fixed(q)), one, in(R)),
                 Kalman::diffuse(), common(each(y)),
                 Kalman::results()
                     .smoothed_mean(mean)
                     .smoothed_covariance(covariance)
                     .lag_one_covariance(lag_one)
                     .diffuse_factor(factor)
                     .diffuse_columns(columns)
                     .log_likelihood(ll));
  Kokkos::fence();
  Dense a(steps, steps), b(steps, 1);
  for (int t = 0; t < steps; ++t) {
    a(t, t) = 1 / (long double)(r) + (t == 0 || t == steps - 1 ? 1 : 2) / (long double)(q);
    if (t > 0) a(t, t - 1) = a(t - 1, t) = -1 / (long double)(q);
    b(t) = nile[t] / (long double)(r);
  }
  Dense const x = solve_spd(a, b), p = solve_spd(a, eye(steps));
  for (std::size_t k = 0; k < items; ++k) {
    EXPECT_NEAR(on_host(ll)(k), -632.5456, 5e-5);
    for (std::size_t t = 0; t < steps; ++t) {
      int const i = int(t);
      EXPECT_NEAR(on_host(mean)(k, t), double(x(i)), 1e-9);
      EXPECT_NEAR(on_host(covariance)(k, t), double(p(i, i)), 1e-9);
      EXPECT_NEAR(on_host(lag_one)(k, t), t + 1 < steps ? double(p(i + 1, i)) : 0, 1e-9);
      EXPECT_EQ(on_host(columns)(k, t), 0);
    }
  }
}

/// b with b b' = P_inf, for a diagonal P_inf with zeros and ones.
Dense columns_of(std::vector<int> const& diffuse) {
  int count = 0;
  for (int d : diffuse) count += d;
  Dense b(int(diffuse.size()), count);
  int c = 0;
  for (int i = 0; i < int(diffuse.size()); ++i)
    if (diffuse[std::size_t(i)]) b(i, c++) = 1;
  return b;
}

/// Items have different missing entries, also while they are diffuse.
template <class T, int N, int M, int D, class Form>
void smooth_against_least_squares(Form const& form, TrueModel const& m,
                                  std::vector<int> const& diffuse, Dense const& x1, Dense const& p1,
                                  int steps) {
  constexpr int items = 13;
  Random random(221);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, M, [&](int t, int i) {
      if (k == 0) return t < 3;                       // the filter stays diffuse for a while
      if (k == 1) return t < 4 && (t + i) % 2 == 0;   // one entry at a time
      if (k == 2) return t == 1;                      // a gap within the diffuse phase
      return k > 4 && t >= N && random(0, 1) < 0.25;  // later
    }));
  SmootherBatch<T, N, M> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f(0)),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), m.q(0));
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h(0));
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), m.r(0));
  auto const X = filled(Kokkos::View<T[N], Space>("x1"), x1);
  auto const P = filled(Kokkos::View<T[N][N], Space>("P1"), p1);
  Dense const columns = columns_of(diffuse);
  auto const A = filled(Kokkos::View<T[N][D], Space>("A"), columns);
  Kokkos::View<T** [N][D], Space> factor("factor", items, std::size_t(steps));
  Kokkos::View<T**, Space> left("left", items, std::size_t(steps));
  Kalman::smooth(steps, Kalman::model(common(F), common(Q), common(H), common(R)),
                 Kalman::diffuse(common(X), common(P), common(A)), b.z,
                 b.results().diffuse_factor(factor).diffuse_columns(left), form);
  Kokkos::fence();
  auto const known = on_host(left);
  for (int k = 0; k < items; ++k) {
    b.expect(k, true_smoother(Kalman::Order::update_first, m, x1, p1, columns, z[std::size_t(k)]),
             1000 * N);
    // The first d entries observed make all directions known.
    int seen = 0;
    for (std::size_t t = 0; t < std::size_t(steps); ++t) {
      seen += int(observed_entries(z[std::size_t(k)][t]).size());
      EXPECT_EQ(known(std::size_t(k), t), T(std::max(0, D - seen))) << k << " " << t;
    }
  }
}

template <class T, int N, int M, int D>
void against_least_squares(TrueModel const& m, std::vector<int> const& diffuse, Dense const& x1,
                           Dense const& p1, int steps) {
  smooth_against_least_squares<T, N, M, D>(Kalman::covariance(), m, diffuse, x1, p1, steps);
  smooth_against_least_squares<T, N, M, D>(Kalman::square_root(), m, diffuse, x1, p1, steps);
}

template <class T>
Dense rounded(Dense const& x) {
  return make_dense(x.rows, x.cols, [&](int i, int j) { return static_cast<T>(x(i, j)); });
}
template <class T>
void trend(long double level_noise) {
  Dense f = eye(2), q(2, 2), h(1, 2);
  f(0, 1) = 1;
  q(0, 0) = level_noise;
  q(1, 1) = 0.0625;
  h(0, 0) = 1;
  against_least_squares<T, 2, 1, 2>(constant_model(f, q, h, Dense(1, 1, 2.0L)), {1, 1}, Dense(2, 1),
                                    Dense(2, 2), 12);
}
TEST(KalmanSmoothDiffuse, LocalLinearTrend) {
  trend<float>(0.5L);
  trend<double>(0.5L);
  trend<double>(0);  // a smooth trend: the noise is singular
}
TEST(KalmanSmoothDiffuse, CorrelatedNoiseAndSomeStates) {
  using T = double;
  Random random(235);
  Dense const f = rounded<T>(0.8L * eye(3) + 0.1L * random_dense<T>(random, 3, 3)),
              q = rounded<T>(0.1L * random_spd<T>(random, 3)), h = random_dense<T>(random, 2, 3),
              r = rounded<T>(random_spd<T>(random, 2));
  Dense p1(3, 3), x1(3, 1);
  p1(1, 1) = 0.5;
  x1(1) = 0.25;
  against_least_squares<T, 3, 2, 2>(constant_model(f, q, h, r), {1, 0, 1}, x1, p1, 9);
}
TEST(KalmanSmoothDiffuse, QuarterlySeasonalModel) {
  Dense f(5, 5), q(5, 5), h(1, 5);
  f(0, 0) = f(0, 1) = f(1, 1) = 1;
  for (int j = 2; j < 5; ++j) f(2, j) = -1;
  f(3, 2) = f(4, 3) = 1;
  h(0, 0) = h(0, 2) = 1;
  q(0, 0) = 0.25;
  q(1, 1) = 0.015625;
  q(2, 2) = 0.125;
  auto const m = constant_model(f, q, h, Dense(1, 1, 0.5L));
  against_least_squares<double, 5, 1, 5>(m, {1, 1, 1, 1, 1}, Dense(5, 1), Dense(5, 5), 16);
  against_least_squares<float, 5, 1, 5>(m, {1, 1, 1, 1, 1}, Dense(5, 1), Dense(5, 5), 16);
}

/// Two random walks of which one is observed: it is smoothed as if it were alone, and the other one
/// stays unknown.
template <class Form>
void never_observed(Form const& form) {
  constexpr int N = 2, items = 5, steps = 9;
  Random random(219);
  auto const z = series_with_missing<double>(random, items, steps, 1);
  SmootherBatch<double, N, 1> b(z, items, steps);
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), eye(N)),
             Q = filled(Kokkos::View<double[N][N], Space>("Q"), 0.5L * eye(N));
  Dense h(1, N);
  h(0, 0) = 1;
  auto const H = filled(Kokkos::View<double[1][N], Space>("H"), h);
  Kokkos::View<double** [N][N], Space> factor("factor", items, steps);
  Kokkos::View<double**, Space> left("left", items, steps);
  Kalman::smooth(steps, Kalman::model(common(F), common(Q), common(H), common(fixed(0.25))),
                 Kalman::diffuse(), b.z, b.results().diffuse_factor(factor).diffuse_columns(left),
                 form);
  Kokkos::fence();
  auto const alone = constant_model(eye(1), 0.5L * eye(1), eye(1), 0.25L * eye(1));
  for (std::size_t k = 0; k < items; ++k) {
    auto const want =
        true_smoother(Kalman::Order::update_first, alone, Dense(1, 1), Dense(1, 1), eye(1), z[k]);
    EXPECT_EQ(on_host(b.st)(k), 0);
    for (std::size_t t = 0; t < steps; ++t) {
      int const i = int(t);
      EXPECT_NEAR(on_host(b.mean)(k, t, 0), double(want.mean(i)), 1e-13);
      EXPECT_NEAR(on_host(b.covariance)(k, t, 0, 0), double(want.covariance(i, i)), 1e-14);
      EXPECT_EQ(on_host(b.mean)(k, t, 1), 0);
      EXPECT_GE(on_host(left)(k, t), 1);
    }
  }
}

TEST(KalmanSmoothDiffuse, StateThatIsNeverObserved) {
  never_observed(Kalman::covariance());
  never_observed(Kalman::square_root());
}

/// Two observations of e x1 + x2, then observations of x1, which is known with a variance of 2 /
/// e^4 until then. The covariance form reports a loss of digits in the filter. Filtered means of
/// about 1 / e^2 round the smoothed ones.
TEST(KalmanSmoothDiffuse, DirectionThatIsHardlyObserved) {
  using T = float;
  constexpr int N = 2, items = 5, steps = 7;
  constexpr T e = 0x1p-7F;
  Dense f = eye(N);
  f(0, 1) = 1;
  auto const h = [&](int t) {
    return make_dense(1, N, [&](int, int j) {
      if (t < 2) return j == 0 ? (long double)(e) : 1.0L;
      return j == 0 ? 1.0L : 0.0L;
    });
  };
  Random random(223);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, 1, [](int, int) { return false; }));
  SmootherBatch<T, N, 1> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), f);
  Kokkos::View<T[N][N], Space> Q("Q");
  Kokkos::View<T* [1][N], Space> H("H", steps);
  fill(H, [&](auto const& v) {
    for (std::size_t t = 0; t < steps; ++t)
      for (int j = 0; j < N; ++j) v(t, 0, j) = T(h(int(t))(0, j));
  });
  Kokkos::View<T** [N][N], Space> factor("factor", items, steps);
  Kokkos::View<T**, Space> left("left", items, steps);
  auto const run = [&](auto const& form) {
    Kalman::smooth(steps, Kalman::model(common(F), common(Q), common(each(H)), common(fixed(T(1)))),
                   Kalman::diffuse(), b.z, b.results().diffuse_factor(factor).diffuse_columns(left),
                   form);
    Kokkos::fence();
  };
  run(Kalman::covariance());
  EXPECT_EQ(Status::reason(on_host(b.st)(1)), Reason::inaccurate);
  run(Kalman::square_root());
  TrueModel const m{[&](int) { return f; }, [](int) { return Dense(N, N); }, h,
                    [](int) { return eye(1); }};
  for (std::size_t k = 0; k < items; ++k) {
    EXPECT_EQ(on_host(b.st)(k), 0);
    auto const want =
        true_smoother(Kalman::Order::update_first, m, Dense(N, 1), Dense(N, N), eye(N), z[k]);
    long double const digits = 30 * epsilon<T> / e;
    for (std::size_t t = 0; t < steps; ++t) {
      EXPECT_TRUE(near([&](int i, int) { return on_host(b.mean)(k, t, i); }, want.mean_at(int(t)),
                       4 * epsilon<T> / (e * e)))
          << k << " " << t;
      EXPECT_TRUE(near([&](int i, int j) { return on_host(b.covariance)(k, t, i, j); },
                       want.covariance_at(int(t), int(t)), digits * want.largest_covariance()))
          << k << " " << t;
    }
  }
}

/// The results of an item do not depend on how long its neighbours stay diffuse.
template <class Form>
void neighbours(Form const& form) {
  constexpr int N = 2, items = 16, steps = 12;
  Random random(217);
  auto const one = random_series<double>(random, steps, 1, [](int t, int) { return t == 5; });
  std::vector<std::vector<Dense>> same(items, one), other(items, one);
  for (int k = 0; k < items; ++k)
    if (k % 3 != 1)
      other[std::size_t(k)] =
          random_series<double>(random, steps, 1, [&](int t, int) { return t < k; });
  Dense f = eye(2), h(1, 2);
  f(0, 1) = 1;
  h(0, 0) = 1;
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), f),
             Q = filled(Kokkos::View<double[N][N], Space>("Q"), 0.3L * eye(2));
  auto const H = filled(Kokkos::View<double[1][N], Space>("H"), h);
  SmootherBatch<double, N, 1> a(same, items, steps), b(other, items, steps);
  Kokkos::View<double** [N][N], Space> factor("factor", items, steps);
  Kokkos::View<double**, Space> left("left", items, steps);
  auto const model = Kalman::model(common(F), common(Q), common(H), common(fixed(0.7)));
  for (auto const* batch : {&a, &b})
    Kalman::smooth(steps, model, Kalman::diffuse(), batch->z,
                   batch->results().diffuse_factor(factor).diffuse_columns(left), form);
  Kokkos::fence();
  auto const am = on_host(a.mean), bm = on_host(b.mean);
  auto const ac = on_host(a.covariance), bc = on_host(b.covariance);
  for (std::size_t k = 1; k < items; k += 3)
    for (std::size_t t = 0; t < steps; ++t)
      for (int i = 0; i < N; ++i) {
        EXPECT_TRUE(same_bits(am(k, t, i), bm(k, t, i))) << k << " " << t;
        for (int j = 0; j < N; ++j)
          EXPECT_TRUE(same_bits(ac(k, t, i, j), bc(k, t, i, j))) << k << " " << t;
      }
}
TEST(KalmanSmoothDiffuse, NeighboursMakeNoDifference) {
  neighbours(Kalman::covariance());
  neighbours(Kalman::square_root());
}

}  // namespace
}  // namespace Batchwork::Test
