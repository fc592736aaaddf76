// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Exact diffuse starts, against generalised least squares over the whole series in long double, and
// against published values for the Nile.
#include "Batch.hpp"
#include "Nile.hpp"

namespace Batchwork::Test {
namespace {

TEST(KalmanDiffuse, LocalLevelModelOfTheNile) {
  constexpr int items = 3, steps = 100;
  Kokkos::View<double*, Space> y("y", steps), r("r", items), q("q", items), ll("ll", items);
  Kokkos::View<int*, Space> st("st", items);
  Kokkos::View<double**, Space> fm("fm", items, steps), fc("fc", items, steps);
  fill(y, [](auto const& h) {
    for (std::size_t t = 0; t < steps; ++t) h(t) = nile[t];
  });
  Kokkos::deep_copy(r, 15099.0);
  Kokkos::deep_copy(q, 1469.1);
  Kalman::filter(
      Space(), steps, Kalman::model(common(fixed(1.0)), in(q), common(fixed(1.0)), in(r)),
      Kalman::diffuse(), common(each(y)),
      Kalman::results().log_likelihood(ll).filtered_mean(fm).filtered_covariance(fc).status(st));
  Kokkos::fence();
  for (std::size_t k = 0; k < items; ++k) {
    EXPECT_NEAR(on_host(ll)(k), -632.5456, 5e-5);
    // Durbin and Koopman 2012, section 2.2.5: after the first observation the level is y1, and its
    // variance is the variance of the noise.
    EXPECT_DOUBLE_EQ(on_host(fm)(k, 0), 1120.0);
    EXPECT_DOUBLE_EQ(on_host(fc)(k, 0), 15099.0);
    EXPECT_EQ(on_host(st)(k), 0);
  }
}

/// B with B B' = P_inf, for a diagonal P_inf with zeros and ones.
Dense columns_of(std::vector<int> const& diffuse) {
  int count = 0;
  for (int d : diffuse) count += d;
  Dense b(int(diffuse.size()), count);
  int c = 0;
  for (int i = 0; i < int(diffuse.size()); ++i)
    if (diffuse[std::size_t(i)]) b(i, c++) = 1;
  return b;
}

/// A batch whose items have different missing entries, also while they are diffuse. The error of a
/// diffuse filter grows with the condition number of the matrix that determines the start, so the
/// tolerance contains it.
template <class T, int N, int M>
void against_least_squares(Dense const& f, Dense const& q, Dense const& h, Dense const& r,
                           std::vector<int> const& diffuse, Dense const& x1, Dense const& p1,
                           int steps, bool gaps) {
  constexpr int items = 13;
  Random random(21);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, M, [&](int t, int i) {
      if (!gaps) return false;
      if (k == 0) return t < 3;                       // the filter stays diffuse for a while
      if (k == 1) return t < 4 && (t + i) % 2 == 0;   // one entry at a time
      if (k == 2) return t == 1;                      // a gap within the diffuse phase
      return k > 4 && t >= N && random(0, 1) < 0.25;  // later
    }));
  FilterBatch<T, N, M> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), q);
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), h);
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), r);
  auto const X = filled(Kokkos::View<T[N], Space>("x1"), x1);
  auto const P = filled(Kokkos::View<T[N][N], Space>("P1"), p1);
  Dense const columns = columns_of(diffuse);
  auto const I = filled(Kokkos::View<T[N][N], Space>("P_inf"), columns * transpose(columns));
  auto const model = Kalman::model(common(F), common(Q), common(H), common(R));
  auto const start = Kalman::diffuse(common(X), common(P), common(I));
  Kalman::filter(steps, model, start, b.z, b.results());
  Kokkos::fence();
  auto const lm = on_host(b.lm);
  auto const lc = on_host(b.lc);
  auto const ll = on_host(b.ll);
  long double condition = 1;
  for (int k = 0; k < items; ++k) {
    auto const s = std::size_t(k);
    auto const want = least_squares(constant_model(f, q, h, r), x1, p1, columns, z[s]);
    condition = want.condition;
    long double const scale = 1 + norm1(want.mean), variance = 1 + norm1(want.covariance);
    EXPECT_TRUE(near([&](int i, int) { return lm(s, i); }, want.mean,
                     tolerance<T>(20 * N, scale, condition)))
        << k;
    EXPECT_TRUE(near([&](int i, int j) { return lc(s, i, j); }, want.covariance,
                     tolerance<T>(20 * N, variance, condition)))
        << k;
    EXPECT_NEAR(double(ll(s)), double(want.log_likelihood),
                double(tolerance<T>(20 * N, std::fabs(want.log_likelihood) + steps, condition)))
        << k;
    EXPECT_EQ(on_host(b.st)(s), 0) << k;
  }
  if (gaps) return;

  // The same with common gains: both paths agree to rounding.
  FilterBatch<T, N, M> c(z, items, steps, 1);
  Kalman::Gains<T, N, M> gains(steps);
  Kalman::filter(steps, model, start, c.z, c.results(), Kalman::complete(gains));
  Kokkos::fence();
  auto const a1 = on_host(b.fm), a2 = on_host(c.fm);
  auto const v1 = on_host(b.fc), v2 = on_host(c.fc);
  for (std::size_t k = 0; k < items; ++k) {
    for (std::size_t t = 0; t < std::size_t(steps); ++t)
      for (int i = 0; i < N; ++i) {
        double const scale = 1 + std::fabs(double(a1(k, t, i)));
        ASSERT_NEAR(a1(k, t, i), a2(k, t, i), double(tolerance<T>(20 * N, scale, condition)))
            << k << " " << t;
        for (int j = 0; j < N; ++j)
          ASSERT_NEAR(
              v1(k, t, i, j), v2(0, t, i, j),
              double(tolerance<T>(20 * N, 1 + std::fabs(double(v1(k, t, i, j))), condition)))
              << t;
      }
    EXPECT_NEAR(
        on_host(b.ll)(k), on_host(c.ll)(k),
        double(tolerance<T>(20 * N, std::fabs(double(on_host(b.ll)(k))) + steps, condition)));
    EXPECT_EQ(on_host(c.st)(k), 0);
  }
}

template <class T>
Dense rounded(Dense const& x) {
  return make_dense(x.rows, x.cols, [&](int i, int j) { return static_cast<T>(x(i, j)); });
}

template <class T>
class KalmanDiffuseIn : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(KalmanDiffuseIn, Numbers);

TYPED_TEST(KalmanDiffuseIn, LocalLinearTrend) {
  using T = TypeParam;
  Dense f = eye(2);
  f(0, 1) = 1;
  Dense q = eye(2);
  q(0, 0) = 0.5;
  q(1, 1) = 0.0625;
  Dense h(1, 2);
  h(0, 0) = 1;
  for (bool gaps : {false, true})
    against_least_squares<T, 2, 1>(f, q, h, Dense(1, 1, 2.0L), {1, 1}, Dense(2, 1), Dense(2, 2), 20,
                                   gaps);
}
TYPED_TEST(KalmanDiffuseIn, TwoCorrelatedObservationsOfFourStates) {
  using T = TypeParam;
  Random random(33);
  Dense f = rounded<T>(0.9L * eye(4) + 0.1L * random_dense<T>(random, 4, 4));
  Dense const q = rounded<T>(0.1L * random_spd<T>(random, 4)), h = random_dense<T>(random, 2, 4);
  Dense r(2, 2, 0.75);
  r(0, 0) = 1;
  r(1, 1) = 2;
  for (bool gaps : {false, true})
    against_least_squares<T, 4, 2>(f, q, h, r, {1, 1, 1, 1}, Dense(4, 1), Dense(4, 4), 20, gaps);
}
TYPED_TEST(KalmanDiffuseIn, SomeStatesOnly) {
  using T = TypeParam;
  Random random(35);
  Dense f = rounded<T>(0.8L * eye(3) + 0.1L * random_dense<T>(random, 3, 3));
  Dense const q = rounded<T>(0.1L * random_spd<T>(random, 3)), h = random_dense<T>(random, 3, 3);
  Dense r = rounded<T>(random_spd<T>(random, 3));
  Dense p1(3, 3);
  p1(1, 1) = 0.5;
  Dense x1(3, 1);
  x1(1) = 0.25;
  for (bool gaps : {false, true})
    against_least_squares<T, 3, 3>(f, q, h, r, {1, 0, 1}, x1, p1, 15, gaps);
}

/// The basic structural model for monthly data: level, slope and eleven seasonal states, all of
/// them diffuse, as for the airline passengers (Durbin and Koopman 2012, section 3.2).
struct Seasonal {
  static constexpr int states = 13;
  Dense f = Dense(13, 13), q = Dense(13, 13), h = Dense(1, 13);
  Seasonal() {
    f(0, 0) = f(0, 1) = f(1, 1) = 1;
    for (int j = 2; j < 13; ++j) f(2, j) = -1;
    for (int i = 3; i < 13; ++i) f(i, i - 1) = 1;
    q(0, 0) = 0.25;
    q(1, 1) = 0.015625;
    q(2, 2) = 0.125;
    h(0, 0) = h(0, 2) = 1;
  }
};
template <class T>
void seasonal() {
  Seasonal const m;
  for (bool gaps : {false, true})
    against_least_squares<T, 13, 1>(m.f, m.q, m.h, Dense(1, 1, 0.5L), std::vector<int>(13, 1),
                                    Dense(13, 1), Dense(13, 13), 40, gaps);
}
TEST(KalmanDiffuse, SeasonalModelOfThirteenStatesInDouble) { seasonal<double>(); }
TEST(KalmanDiffuse, SeasonalModelOfThirteenStatesInFloat) { seasonal<float>(); }

/// Months are missing at random, so that some entries observe known directions while others are
/// still diffuse. Confusing the two gives wrong results. The states have the given units, and the
/// columns of A are columns of the identity multiplied by `a`. The references are computed without
/// units. All times without diffuse directions are compared.
template <int N>
std::vector<std::vector<Dense>> series_with_gaps(int items, int steps) {
  Random random(77);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k) {
    double const missing = 0.1 + 0.15 * (k % 5);
    z.push_back(
        random_series<float>(random, steps, 1, [&](int, int) { return random(0, 1) < missing; }));
  }
  return z;
}
template <int N>
std::vector<TrueDiffuseFilter> truths_with_gaps(std::vector<std::vector<Dense>> const& z,
                                                Dense const& a) {
  Seasonal const m;
  Dense const p_inf = make_dense(N, N, [&](int i, int j) { return i == j ? a(i) * a(i) : 0.0L; });
  std::vector<TrueDiffuseFilter> r;
  for (auto const& series : z)
    r.push_back(true_diffuse_filter(constant_model(m.f, m.q, m.h, Dense(1, 1, 0.5L)), Dense(N, 1),
                                    Dense(N, N), p_inf, N, series));
  return r;
}
template <class T, int N>
int failures_with_gaps(std::vector<std::vector<Dense>> const& z,
                       std::vector<TrueDiffuseFilter> const& truths, Dense const& units,
                       Dense const& a, long double condition = 1) {
  int const items = int(z.size()), steps = int(z[0].size());
  Seasonal const m;
  FilterBatch<T, N, 1> b(z, items, steps);
  auto const u = [&](int i) { return units(i); };
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"),
                        make_dense(N, N, [&](int i, int j) { return m.f(i, j) * u(i) / u(j); }));
  auto const Q = filled(Kokkos::View<T[N][N], Space>("Q"),
                        make_dense(N, N, [&](int i, int j) { return m.q(i, j) * u(i) * u(j); }));
  auto const H = filled(Kokkos::View<T[1][N], Space>("H"),
                        make_dense(1, N, [&](int, int j) { return m.h(0, j) / u(j); }));
  auto const A = filled(Kokkos::View<T[N][N], Space>("A"),
                        make_dense(N, N, [&](int i, int j) { return i == j ? a(i) : 0.0L; }));
  Kokkos::View<T[N], Space> X("x1");
  Kokkos::View<T[N][N], Space> P("P1");
  Kalman::filter(steps, Kalman::model(common(F), common(Q), common(H), common(fixed(T(0.5)))),
                 Kalman::diffuse(common(X), common(P), common(A)), b.z, b.results());
  Kokkos::fence();
  auto const fm = on_host(b.fm);
  auto const fc = on_host(b.fc);
  auto const ll = on_host(b.ll);
  auto const st = on_host(b.st);
  int failures = 0, known = 0;
  for (int k = 0; k < items; ++k) {
    auto const s = std::size_t(k);
    auto const& want = truths[s];
    auto const tol = [&](long double scale) { return tolerance<T>(4 * N, scale, condition); };
    long double const mean = tol(want.largest_mean + want.largest_covariance),
                      covariance = tol(want.largest_covariance);
    bool good = st(s) == 0 && std::fabs(ll(s) - want.log_likelihood) <= tol(want.absolute);
    for (std::size_t t = 0; t < std::size_t(steps) && good; ++t) {
      if (want.directions[t] > 0) continue;
      ++known;
      good = near([&](int i, int) { return fm(s, t, i) / u(i); }, want.filtered_mean[t], mean) &&
             near([&](int i, int j) { return fc(s, t, i, j) / u(i) / u(j); },
                  want.filtered_covariance[t], covariance);
    }
    failures += !good;
  }
  EXPECT_GT(known, items * steps / 4);
  return failures;
}
TEST(KalmanDiffuse, KnownDirectionsAreToldFromDiffuseOnes) {
  constexpr int N = Seasonal::states, steps = 50;
  auto const z = series_with_gaps<N>(400, steps);
  Dense const ones(N, 1, 1);
  auto const truths = truths_with_gaps<N>(z, ones);
  EXPECT_EQ((failures_with_gaps<float, N>(z, truths, ones, ones)), 0);
  // States with different units from 1e-3 to 1e6, and A in the same units.
  Random random(78);
  auto const units = [&](double low, double high) {
    return rounded<float>(
        make_dense(N, 1, [&](int, int) { return std::pow(10.0, random(low, high)); }));
  };
  Dense const wide = units(-3, 6);
  EXPECT_EQ((failures_with_gaps<float, N>(z, truths, wide, wide)), 0);
  // Units that A does not contain, with ratios up to 100, so that its columns differ.
  Dense const narrow = units(-1, 1);
  auto const some = series_with_gaps<N>(100, steps);
  auto const others =
      truths_with_gaps<N>(some, make_dense(N, 1, [&](int i, int) { return 1 / narrow(i); }));
  EXPECT_EQ((failures_with_gaps<float, N>(some, others, narrow, ones, 10)), 0);
}

/// A variance of 1e12 approximates "nothing is known". In float, the diffuse start must agree to
/// rounding with the reference with a variance of 1e12, as soon as no direction is diffuse.
TEST(KalmanDiffuse, DiffuseStartInsteadOfALargeVariance) {
  constexpr int N = Seasonal::states, items = 5, steps = 40;
  Seasonal const m;
  auto const z = series_with_gaps<N>(items, steps);
  FilterBatch<float, N, 1> b(z, items, steps);
  auto const F = filled(Kokkos::View<float[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<float[N][N], Space>("Q"), m.q);
  auto const H = filled(Kokkos::View<float[1][N], Space>("H"), m.h);
  Kokkos::View<float[N], Space> X("x1");
  Kokkos::View<float[N][N], Space> P("P1");
  auto const I = filled(Kokkos::View<float[N][N], Space>("I"), eye(N));
  Kalman::filter(steps, Kalman::model(common(F), common(Q), common(H), common(fixed(0.5f))),
                 Kalman::diffuse(common(X), common(P), common(I)), b.z, b.results());
  Kokkos::fence();
  auto const truths = truths_with_gaps<N>(z, Dense(N, 1, 1));
  auto const fc = on_host(b.fc);
  int known = 0;
  for (int k = 0; k < items; ++k) {
    auto const s = std::size_t(k);
    auto const want =
        true_filter(Kalman::Order::update_first, constant_model(m.f, m.q, m.h, Dense(1, 1, 0.5L)),
                    Dense(N, 1), 1e12L * eye(N), z[s]);
    EXPECT_EQ(on_host(b.st)(s), 0);
    for (std::size_t t = 0; t < steps; ++t) {
      if (truths[s].directions[t] > 0) continue;
      ++known;
      EXPECT_TRUE(near([&](int i, int j) { return fc(s, t, i, j); }, want.filtered_covariance[t],
                       tolerance<float>(4 * N, truths[s].largest_covariance)))
          << k << " " << t;
    }
  }
  EXPECT_GT(known, steps / 4);
}

/// The model determines the third state: it is the difference of multiples of the first two. A
/// contains only rounding errors in this direction.
TEST(KalmanDiffuse, StateThatTheModelMakesKnown) {
  constexpr int N = 4, items = 11, steps = 20;
  Random random(79);
  Dense f = eye(N), a(N, 2), h(1, N);
  a(0, 0) = 0.3;
  a(0, 1) = 0.7;
  for (int j = 0; j < 2; ++j) a(1, j) = 1.3L * a(0, j);
  a(3, 1) = 1;
  a = rounded<float>(a);
  f(2, 2) = 0.5;
  f(2, 0) = 1.3;
  f(2, 1) = -1;
  h(0, 2) = 1;
  f = rounded<float>(f);
  auto const z = std::vector<std::vector<Dense>>(
      items, random_series<float>(random, steps, 1, [](int, int) { return false; }));
  FilterBatch<float, N, 1> b(z, items, steps);
  auto const F = filled(Kokkos::View<float[N][N], Space>("F"), f),
             Q = filled(Kokkos::View<float[N][N], Space>("Q"), 0.25L * eye(N));
  auto const H = filled(Kokkos::View<float[1][N], Space>("H"), h);
  auto const A = filled(Kokkos::View<float[N][2], Space>("A"), a);
  Kokkos::View<float[N], Space> X("x1");
  auto const P = filled(Kokkos::View<float[N][N], Space>("P1"), 0.5L * eye(N));
  Kalman::filter(steps, Kalman::model(common(F), common(Q), common(H), common(fixed(0.5f))),
                 Kalman::diffuse(common(X), common(P), common(A)), b.z, b.results());
  Kokkos::fence();
  // So this is an ordinary filter, and the diffuse direction is never observed.
  auto const want = true_filter(Kalman::Order::update_first,
                                constant_model(f, 0.25L * eye(N), h, Dense(1, 1, 0.5L)),
                                Dense(N, 1), 0.5L * eye(N), z[0]);
  for (int k = 0; k < items; ++k) {
    auto const s = std::size_t(k);
    EXPECT_EQ(on_host(b.st)(s), 0);
    EXPECT_NEAR(on_host(b.ll)(s), double(want.log_likelihood),
                double(tolerance<float>(20 * N, want.absolute, want.condition)));
    EXPECT_NEAR(on_host(b.lm)(s, 2), double(want.last_mean(2)),
                double(tolerance<float>(20 * N, 1 + norm1(want.last_mean), want.condition)));
  }
}

/// The likelihood with and without log 2 pi for each entry that observes a diffuse direction.
TEST(KalmanDiffuse, LikelihoodCountsLogTwoPiIfAsked) {
  constexpr double q = 1469.1, r = 15099.0, log_two_pi = double(true_log_two_pi);
  auto const one = common(fixed(1.0));
  auto const model = Kalman::model(one, common(fixed(q)), one, common(fixed(r)));
  // Item n has n observations; 100 are the Nile's. The increments of a local level model are a
  // moving average, so two observations a and b have the likelihood of b - a ~ N(0, 2 r + q).
  constexpr int items = 101, steps = 100;
  Kokkos::View<double**, Space> z("z", items, steps);
  fill(z, [](auto const& h) {
    for (std::size_t n = 0; n < items; ++n)
      for (std::size_t t = 0; t < steps; ++t)
        h(n, t) = t < n ? nile[t] : std::numeric_limits<double>::quiet_NaN();
  });
  Kokkos::View<double*, Space> without("without", items), with("with", items);
  using enum Kalman::DiffuseEntries;
  Kalman::filter(steps, model, Kalman::diffuse(), z,
                 Kalman::results().log_likelihood(without, without_log_two_pi));
  Kalman::filter(steps, model, Kalman::diffuse(), z,
                 Kalman::results()
                     .status(Kokkos::View<int*, Space>("st", items))
                     .log_likelihood(with, with_log_two_pi));
  Kokkos::fence();
  auto const a = on_host(without), b = on_host(with);
  double const v = nile[1] - nile[0], s = 2 * r + q;
  double const two = -0.5 * (log_two_pi + std::log(s) + v * v / s);
  EXPECT_EQ(a(0), 0);
  EXPECT_EQ(b(0), 0);
  EXPECT_EQ(a(1), 0);
  EXPECT_NEAR(b(1), -0.5 * log_two_pi, 1e-15);
  EXPECT_NEAR(a(2), two, 1e-14);
  EXPECT_NEAR(b(2), two - 0.5 * log_two_pi, 1e-14);
  EXPECT_NEAR(a(100), -632.5456, 5e-5);
  EXPECT_NEAR(b(100), -633.4645636488787, 1e-9);  // statsmodels 0.15, use_exact_diffuse

  // The same with common gains.
  Kokkos::View<double**, Space> y("y", 3, steps);
  fill(y, [](auto const& h) {
    for (std::size_t t = 0; t < steps; ++t) h(0, t) = h(1, t) = h(2, t) = nile[t];
  });
  Kokkos::View<double*, Space> all("all", 3);
  Kalman::Gains<double, 1, 1> gains(steps);
  Kalman::filter(steps, model, Kalman::diffuse(), y,
                 Kalman::results().log_likelihood(all, with_log_two_pi), Kalman::complete(gains));
  Kokkos::fence();
  EXPECT_NEAR(on_host(all)(2), b(100), 1e-10);
}

/// A series that is never observed stays diffuse, and has a likelihood of one.
TEST(KalmanDiffuse, NothingObserved) {
  constexpr int items = 3, steps = 5;
  auto const z = std::vector<std::vector<Dense>>(
      items, std::vector<Dense>(steps, Dense(1, 1, std::numeric_limits<double>::quiet_NaN())));
  FilterBatch<double, 2, 1> b(z, items, steps);
  auto const H = filled(Kokkos::View<double[1][2], Space>("H"), Dense(1, 2, 1));
  auto const F = filled(Kokkos::View<double[2][2], Space>("F"), eye(2));
  Kalman::filter(steps, Kalman::model(common(F), common(F), common(H), common(fixed(1.0))),
                 Kalman::diffuse(), b.z, b.results());
  Kokkos::fence();
  for (std::size_t k = 0; k < items; ++k) {
    EXPECT_EQ(on_host(b.ll)(k), 0.0);
    EXPECT_EQ(on_host(b.lm)(k, 0), 0.0);
    EXPECT_EQ(on_host(b.lc)(k, 0, 0), double(steps));
    EXPECT_EQ(on_host(b.st)(k), 0);
  }
}

/// The results of an item do not depend on how long its neighbours in a pack stay diffuse.
TEST(KalmanDiffuse, NeighboursMakeNoDifference) {
  constexpr int N = 2, items = 16, steps = 25;
  Random random(17);
  auto const one = random_series<double>(random, steps, 1, [](int t, int) { return t == 9; });
  std::vector<std::vector<Dense>> same(items, one), other(items, one);
  for (int k = 0; k < items; ++k)
    if (k % 3 != 1)
      other[std::size_t(k)] =
          random_series<double>(random, steps, 1, [&](int t, int) { return t < 2 * k; });
  Dense f = eye(2);
  f(0, 1) = 1;
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), f);
  auto const Q = filled(Kokkos::View<double[N][N], Space>("Q"), 0.3L * eye(2));
  Dense h(1, 2);
  h(0, 0) = 1;
  auto const H = filled(Kokkos::View<double[1][N], Space>("H"), h);
  FilterBatch<double, N, 1> a(same, items, steps), b(other, items, steps);
  auto const model = Kalman::model(common(F), common(Q), common(H), common(fixed(0.7)));
  Kalman::filter(steps, model, Kalman::diffuse(), a.z, a.results());
  Kalman::filter(steps, model, Kalman::diffuse(), b.z, b.results());
  Kokkos::fence();
  for (std::size_t k = 1; k < items; k += 3) {
    EXPECT_TRUE(same_bits(on_host(a.ll)(k), on_host(b.ll)(k))) << k;
    for (int i = 0; i < N; ++i) {
      EXPECT_TRUE(same_bits(on_host(a.lm)(k, i), on_host(b.lm)(k, i))) << k;
      for (int j = 0; j < N; ++j)
        EXPECT_TRUE(same_bits(on_host(a.lc)(k, i, j), on_host(b.lc)(k, i, j))) << k;
    }
  }
}

}  // namespace
}  // namespace Batchwork::Test
