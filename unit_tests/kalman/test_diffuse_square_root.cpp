// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Diffuse starts of the square-root form, against generalised least squares over the whole series,
// against the diffuse filter, and against a closed form where the covariance form fails.
#include "FormCase.hpp"

namespace Batchwork::Test {
namespace {

/// A batch whose items have different missing entries, also while they are diffuse.
template <class T, int N, int M, int C, Kalman::Data D = Kalman::Data::may_be_missing>
void against_least_squares(Dense const& a, Dense const& r, int steps) {
  constexpr int items = 13;
  Random random(21);
  RandomModel<T> const m(random, N, M);
  Dense const x1 = make_dense(N, 1, [](int i, int) { return 0.25L * (i % 3); });
  Dense p1(N, N);  // of what is known: the states that A does not contain
  for (int i = 0; i < N; ++i) {
    bool diffuse = false;
    for (int j = 0; j < C; ++j) diffuse = diffuse || a(i, j) != 0;
    if (!diffuse) p1(i, i) = 0.5;
  }
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, M, [&](int t, int i) {
      if (D == Kalman::Data::complete) return false;
      if (k == 0) return t < 3;                       // the filter stays diffuse for a while
      if (k == 1) return t < 4 && (t + i) % 2 == 0;   // one entry at a time
      if (k == 2) return t == 1;                      // a gap within the diffuse phase
      return k > 4 && t >= N && random(0, 1) < 0.25;  // later
    }));
  FilterBatch<T, N, M> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), m.q);
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), r);
  auto const X = filled(Kokkos::View<T[N], Space>("x1"), x1);
  auto const P = filled(Kokkos::View<T[N][N], Space>("P1"), p1);
  auto const A = filled(Kokkos::View<T[N][C], Space>("A"), a);
  auto const model = Kalman::model(common(F), common(Q), common(H), common(R));
  auto const start = Kalman::diffuse(common(X), common(P), common(A));
  if constexpr (D == Kalman::Data::complete)
    Kalman::filter(steps, model, start, b.z, b.results(), Kalman::complete(),
                   Kalman::square_root());
  else Kalman::filter(steps, model, start, b.z, b.results(), Kalman::square_root());
  FilterBatch<T, N, M> other(z, items, steps);
  Kalman::filter(steps, model, start, other.z, other.results());
  Kokkos::fence();
  auto const lm = on_host(b.lm);
  auto const lc = on_host(b.lc);
  auto const fm = on_host(b.fm), fm2 = on_host(other.fm), pm = on_host(b.pm),
             pm2 = on_host(other.pm);
  auto const fc = on_host(b.fc), fc2 = on_host(other.fc), pc = on_host(b.pc),
             pc2 = on_host(other.pc);
  for (int k = 0; k < items; ++k) {
    auto const s = std::size_t(k);
    auto const want = least_squares(constant_model(m.f, m.q, m.h, r), x1, p1, a, z[s]);
    long double const scale = 1 + norm1(want.mean), variance = 1 + norm1(want.covariance);
    EXPECT_TRUE(near([&](int i, int) { return lm(s, i); }, want.mean,
                     tolerance<T>(20 * N, scale, want.condition)))
        << k;
    EXPECT_TRUE(near([&](int i, int j) { return lc(s, i, j); }, want.covariance,
                     tolerance<T>(20 * N, variance, want.condition)))
        << k;
    EXPECT_NEAR(
        double(on_host(b.ll)(s)), double(want.log_likelihood),
        double(tolerance<T>(20 * N, std::fabs(want.log_likelihood) + steps, want.condition)))
        << k;
    EXPECT_EQ(on_host(b.st)(s), 0) << k;
    // The same results as the covariance form at every time, also while states are diffuse. The
    // errors of both are relative to the largest numbers of the series.
    double mean = 1, covariance = 1;
    for (std::size_t t = 0; t < std::size_t(steps); ++t)
      for (int i = 0; i < N; ++i) {
        mean = std::max(mean, std::fabs(double(pm2(s, t, i))));
        covariance = std::max(covariance, double(pc2(s, t, i, i)));
      }
    auto const same = [&](double x, double y, double about) {
      EXPECT_NEAR(x, y, double(2 * tolerance<T>(20 * N, about, want.condition))) << k;
    };
    for (std::size_t t = 0; t < std::size_t(steps); ++t)
      for (int i = 0; i < N; ++i) {
        same(fm(s, t, i), fm2(s, t, i), mean);
        same(pm(s, t, i), pm2(s, t, i), mean);
        for (int j = 0; j < N; ++j) {
          same(fc(s, t, i, j), fc2(s, t, i, j), covariance);
          same(pc(s, t, i, j), pc2(s, t, i, j), covariance);
        }
      }
  }
}
template <class T>
class KalmanDiffuseSquareRootIn : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(KalmanDiffuseSquareRootIn, Numbers);
TYPED_TEST(KalmanDiffuseSquareRootIn, AgainstLeastSquares) {
  using T = TypeParam;
  Dense r(2, 2, 0.75);
  r(0, 0) = 1;
  r(1, 1) = 2;
  against_least_squares<T, 3, 2, 3>(eye(3), r, 15);
  Dense some(4, 2);
  some(0, 0) = some(2, 1) = 1;
  against_least_squares<T, 4, 2, 2, Kalman::Data::complete>(some, r, 15);
}

/// F = [1 1; 0 1], Q = 0, R = I: two observations of e x1 + x2, then observations of x1. After the
/// second time the variance of x1 is 2 / e^4, after the third about one. In the mean and the
/// covariance a direction is lost to rounding eps / e, because w = -e^2 is a difference of two
/// numbers e. The covariance form has the error eps / e^4.
template <class T>
void hardly_observed(std::vector<double> const& sizes) {
  constexpr int N = 2, M = 2, steps = 6;
  int const items = int(sizes.size());
  Dense f = eye(N);
  f(0, 1) = 1;
  Random random(31);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(
        random_series<T>(random, steps, M, [](int t, int i) { return (t < 2) == (i == 1); }));
  FilterBatch<T, N, M> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), f);
  Kokkos::View<T[N][N], Space> Q("Q");
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), eye(M));
  Kokkos::View<T* [M][N], Space> H("H", std::size_t(items));
  fill(H, [&](auto const& h) {
    for (int k = 0; k < items; ++k) {
      h(k, 0, 0) = T(sizes[std::size_t(k)]);
      h(k, 0, 1) = h(k, 1, 0) = T(1);
    }
  });
  Kalman::filter(steps, Kalman::model(common(F), common(Q), in(H), common(R)), Kalman::diffuse(),
                 b.z, b.results(), Kalman::square_root());
  Kokkos::fence();
  auto const fm = on_host(b.fm);
  auto const fc = on_host(b.fc);
  for (int k = 0; k < items; ++k) {
    auto const s = std::size_t(k);
    EXPECT_EQ(on_host(b.st)(s), 0);
    long double const e = T(sizes[s]);
    // The normal equations of the state at time t. Their matrix is well-conditioned once x1 has
    // been observed.
    Dense information(N, N), right(N, 1), back = eye(N);
    back(0, 1) = -1;
    for (int t = 0; t < steps; ++t) {
      if (t > 0) {
        information = transpose(back) * information * back;
        right = transpose(back) * right;
      }
      Dense h(1, N);
      h(0, 0) = t < 2 ? e : 1;
      h(0, 1) = t < 2 ? 1 : 0;
      information = information + transpose(h) * h;
      right = right + z[s][std::size_t(t)](t < 2 ? 0 : 1) * transpose(h);
      if (t < 2) continue;
      Dense const p = solve_spd(information, eye(N)), x = p * right;
      long double const relative = 20 * epsilon<T> / e;
      for (int i = 0; i < N; ++i) {
        EXPECT_LE(std::fabs(fc(s, t, i, i) - p(i, i)), relative * p(i, i)) << double(e) << " " << t;
        EXPECT_LE(std::fabs(fm(s, t, i) - x(i)), relative * (1 + norm1(x)))
            << double(e) << " " << t;
      }
    }
  }
}
TEST(KalmanDiffuseSquareRoot, DirectionsThatAreHardlyObserved) {
  hardly_observed<double>({1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7});
  hardly_observed<float>({0.3, 0.1, 0.03, 0.01, 3e-3});
}

/// Level, slope and eleven months: 13 diffuse states in float, with months missing at random.
TEST(KalmanDiffuseSquareRoot, ThirteenStatesInFloat) {
  constexpr int N = 13, items = 60, steps = 50;
  Dense f(N, N), q(N, N), h(1, N);
  f(0, 0) = f(0, 1) = f(1, 1) = 1;
  for (int j = 2; j < N; ++j) f(2, j) = -1;
  for (int i = 3; i < N; ++i) f(i, i - 1) = 1;
  q(0, 0) = 0.25;
  q(1, 1) = 0.015625;
  q(2, 2) = 0.125;
  h(0, 0) = h(0, 2) = 1;
  Random random(77);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k) {
    double const missing = 0.1 + 0.15 * (k % 5);
    z.push_back(
        random_series<float>(random, steps, 1, [&](int, int) { return random(0, 1) < missing; }));
  }
  FilterBatch<float, N, 1> b(z, items, steps);
  auto const F = filled(Kokkos::View<float[N][N], Space>("F"), f),
             Q = filled(Kokkos::View<float[N][N], Space>("Q"), q);
  auto const H = filled(Kokkos::View<float[1][N], Space>("H"), h);
  Kalman::filter(steps, Kalman::model(common(F), common(Q), common(H), common(fixed(0.5f))),
                 Kalman::diffuse(), b.z, b.results(), Kalman::square_root());
  Kokkos::fence();
  auto const fm = on_host(b.fm);
  auto const fc = on_host(b.fc);
  int known = 0;
  for (int k = 0; k < items; ++k) {
    auto const s = std::size_t(k);
    auto const want = true_diffuse_filter(constant_model(f, q, h, Dense(1, 1, 0.5L)), Dense(N, 1),
                                          Dense(N, N), eye(N), N, z[s]);
    EXPECT_EQ(on_host(b.st)(s), 0);
    EXPECT_NEAR(on_host(b.ll)(s), double(want.log_likelihood),
                double(tolerance<float>(4 * N, want.absolute)))
        << k;
    long double const covariance = tolerance<float>(4 * N, want.largest_covariance),
                      mean = tolerance<float>(4 * N, want.largest_mean + want.largest_covariance);
    for (std::size_t t = 0; t < steps; ++t) {
      if (want.directions[t] > 0) continue;
      ++known;
      EXPECT_TRUE(near([&](int i, int) { return fm(s, t, i); }, want.filtered_mean[t], mean)) << k;
      EXPECT_TRUE(near([&](int i, int j) { return fc(s, t, i, j); }, want.filtered_covariance[t],
                       covariance))
          << k;
    }
  }
  EXPECT_GT(known, items * steps / 4);
}

/// An observation without noise makes its direction known exactly, also a diffuse one.
TEST(KalmanDiffuseSquareRoot, ExactObservations) {
  constexpr int N = 2, items = 5, steps = 8;
  Dense f = eye(N);
  f(0, 1) = 1;
  Random random(23);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<double>(random, steps, 1, [&](int t, int) { return t == k; }));
  FilterBatch<double, N, 1> b(z, items, steps);
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), f),
             Q = filled(Kokkos::View<double[N][N], Space>("Q"), 0.25L * eye(N));
  auto const H = filled(Kokkos::View<double[1][N], Space>("H"), Dense(1, N, 1));
  Kalman::filter(steps, Kalman::model(common(F), common(Q), common(H), common(fixed(0.0))),
                 Kalman::diffuse(), b.z, b.results(), Kalman::square_root());
  Kokkos::fence();
  auto const fm = on_host(b.fm);
  auto const fc = on_host(b.fc);
  for (int k = 0; k < items; ++k) {
    auto const s = std::size_t(k);
    EXPECT_EQ(on_host(b.st)(s), 0);
    auto const want =
        true_diffuse_filter(constant_model(f, 0.25L * eye(N), Dense(1, N, 1), Dense(1, 1)),
                            Dense(N, 1), Dense(N, N), eye(N), N, z[s]);
    EXPECT_NEAR(on_host(b.ll)(s), double(want.log_likelihood), 1e-12);
    for (std::size_t t = 0; t < steps; ++t) {
      EXPECT_TRUE(near([&](int i, int) { return fm(s, t, i); }, want.filtered_mean[t], 1e-12L));
      EXPECT_TRUE(
          near([&](int i, int j) { return fc(s, t, i, j); }, want.filtered_covariance[t], 1e-12L));
    }
  }
}

/// State 0 is diffuse. Entries are missing at random, but not at the third time.
PlantedResults run(Plant plant, double junk) {
  PlantedBatch const c(plant, junk, 15, 2, [](Random& random, std::size_t, int t, int) {
    return t != 2 && random(0, 1) < 0.3;
  });
  Kokkos::View<double * [c.N], Space> A("A", c.items);
  fill(A, [&](auto const& h) {
    for (std::size_t k = 0; k < c.items; ++k)
      h(k, 0) = c.planted(k, Plant::nan_factor) ? std::numeric_limits<double>::quiet_NaN() : 1;
  });
  Kalman::filter(c.steps, c.model(), Kalman::diffuse(c.x, c.p(1), A), c.b.z, c.b.results(),
                 Kalman::square_root());
  Kokkos::fence();
  return c.b;
}
TEST(KalmanDiffuseSquareRoot, NothingIsReadOfWhatIsMissing) {
  nothing_is_read_of_what_is_missing(run);
}
/// The first entry of the first series is missing.
TEST(KalmanDiffuseSquareRoot, FailuresAndTheirNeighbours) {
  auto const clean = run(Plant::none, 1);
  expect_failures(run(Plant::negative_noise, 1), clean, Reason::not_positive_definite, 2, 1);
  expect_failures(run(Plant::nan_start, 1), clean, Reason::not_finite, 2, 2);
  expect_failures(run(Plant::nan_factor, 1), clean, Reason::not_finite, 2, 1);
  expect_failures(run(Plant::infinite_observation, 1), clean, Reason::not_finite, 0, 0);
}
TEST(KalmanDiffuseSquareRoot, EveryUnit) { every_unit(run); }

}  // namespace
}  // namespace Batchwork::Test
