// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The fixed-lag smoother: at each time the fixed-interval smoother of the series cut off after the
// lag, from the joint normal distribution in long double.
#include "LagBatch.hpp"
#include "VaryingModel.hpp"

namespace Batchwork::Test {
namespace {

template <class T, int N, int M, class Layout, Kalman::Order O, class Form>
void plain(Form const& form, int items, int steps, std::vector<int> const& lags) {
  Random random(251);
  RandomModel<T> const m(random, N, M);
  auto const z = series_with_missing<T>(random, items, steps, M);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), m.q),
             P = filled(Kokkos::View<T[N][N], Space>("P"), eye(N));
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), m.r);
  Kokkos::View<T[N], Space> X("x");
  auto const model = Kalman::model(common(F), common(Q), common(H), common(R));
  for (int lag : lags) {
    LagBatch<T, N, M, Layout> b(z, items, steps);
    auto const run = [&](auto const& start) {
      Kalman::smooth(steps, model, start, b.z, b.results(), Kalman::fixed_lag(lag, form));
      Kokkos::fence();
    };
    if constexpr (O == Kalman::Order::predict_first) run(Kalman::start(common(X), common(P)));
    else run(Kalman::predicted(common(X), common(P)));
    b.expect(lag, [&](int, std::vector<Dense> const& series) {
      return true_smoother(O, m.truth(), Dense(N, 1), eye(N), Dense(N, 0), series);
    });
  }
}
/// Lags that divide the last time or not, longer than the series, and as long as it.
TEST(KalmanFixedLag, AgainstTheJointDistribution) {
  plain<double, 4, 2, Kokkos::LayoutRight, Kalman::Order::predict_first>(
      Kalman::covariance(), 11, 13, {1, 2, 3, 4, 5, 7, 11, 12, 13, 40});
  plain<float, 3, 2, Kokkos::LayoutLeft, Kalman::Order::update_first>(Kalman::covariance(), 9, 10,
                                                                      {1, 3, 4, 8, 9});
}
TEST(KalmanFixedLag, SquareRootAgainstTheJointDistribution) {
  plain<double, 3, 2, Kokkos::LayoutRight, Kalman::Order::update_first>(Kalman::square_root(), 9,
                                                                        10, {1, 3, 4, 8, 9});
}
TEST(KalmanFixedLag, ShortSeries) {
  for (int steps : {1, 2, 3})
    plain<double, 2, 1, Kokkos::LayoutRight, Kalman::Order::predict_first>(Kalman::covariance(), 5,
                                                                           steps, {1, 2, 3});
}

template <Kalman::Order O, class Form>
void varying(Form const& form, int lag) {
  constexpr int N = 2, M = 1, items = 5, steps = 9;
  Random random(253);
  VaryingModel<N, M> const m(random, items, steps);
  LagBatch<double, N, M> b(series_with_missing<double>(random, items, steps, M), items, steps);
  auto const P = filled(Kokkos::View<double[N][N], Space>("P"), eye(N));
  Kokkos::View<double[N], Space> X("x");
  auto const run = [&](auto const& start) {
    Kalman::smooth(steps, m.model(), start, b.z, b.results(), Kalman::fixed_lag(lag, form));
    Kokkos::fence();
  };
  if constexpr (O == Kalman::Order::predict_first) run(Kalman::start(common(X), common(P)));
  else run(Kalman::predicted(common(X), common(P)));
  b.expect(lag, [&](int k, std::vector<Dense> const& series) {
    return true_smoother(O, m.truth(k), Dense(N, 1), eye(N), Dense(N, 0), series);
  });
}
TEST(KalmanFixedLag, MatricesThatVary) {
  varying<Kalman::Order::predict_first>(Kalman::covariance(), 3);
  varying<Kalman::Order::update_first>(Kalman::covariance(), 2);
  varying<Kalman::Order::predict_first>(Kalman::square_root(), 3);
}

/// Level, slope and four quarters: rows of F copy states, and Q, a diagonal, has zeros. States are
/// compared from the observation `first` on.
template <class T, class Form>
void quarters(Form const& form, long double start_variance, long double digits, int lag,
              int first = 0) {
  constexpr int N = 5, items = 5, steps = 14;
  Dense f(N, N), h(1, N), q(N, N), noise(N, 1);
  f(0, 0) = f(0, 1) = f(1, 1) = 1;
  for (int j = 2; j < N; ++j) f(2, j) = -1;
  f(3, 2) = f(4, 3) = 1;
  h(0, 0) = h(0, 2) = 1;
  q(0, 0) = noise(0) = 0.25;
  q(1, 1) = noise(1) = 0.015625;
  q(2, 2) = noise(2) = 0.125;
  Random random(257);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, 1, [](int, int) { return false; }));
  LagBatch<T, N, 1> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), f),
             P = filled(Kokkos::View<T[N][N], Space>("P"), start_variance * eye(N));
  auto const Q = filled(Kokkos::View<T[N], Space>("Q"), noise);
  auto const H = filled(Kokkos::View<T[1][N], Space>("H"), h);
  Kokkos::View<T[N], Space> X("x");
  Kalman::smooth(steps,
                 Kalman::model(common(F), common(diagonal(Q)), common(H), common(fixed(T(0.5)))),
                 Kalman::predicted(common(X), common(P)), b.z, b.results(), Kalman::complete(),
                 Kalman::fixed_lag(lag, form));
  Kokkos::fence();
  auto const m = constant_model(f, q, h, Dense(1, 1, 0.5L));
  b.expect(
      lag,
      [&](int, std::vector<Dense> const& series) {
        return true_smoother(Kalman::Order::update_first, m, Dense(N, 1), start_variance * eye(N),
                             Dense(N, 0), series);
      },
      digits, [&](int, int end) { return end < first; });
}
TEST(KalmanFixedLag, SeasonalModel) {
  quarters<double>(Kalman::covariance(), 1, 1000, 4);
  quarters<float>(Kalman::covariance(), 1, 1000, 3);
  quarters<float>(Kalman::square_root(), 1, 1000, 5);
}
/// The smoothed variances are far below the variance at the start, 2^20. Factors lose half as many
/// digits as covariances.
TEST(KalmanFixedLag, LargeStart) {
  quarters<float>(Kalman::square_root(), 0x1p20L, 1000 * 0x1p10L, 4, 7);
  quarters<double>(Kalman::square_root(), 0x1p20L, 1000 * 0x1p10L, 3, 7);
}

/// Items have different missing entries, also while they are diffuse. States are compared from the
/// first observation on that leaves no direction unknown.
template <class T, class Form>
void diffuse_trend(Form const& form, int lag, long double level_noise) {
  constexpr int N = 2, items = 9, steps = 12;
  Dense f = eye(2), q(2, 2), h(1, 2);
  f(0, 1) = 1;
  q(0, 0) = level_noise;
  q(1, 1) = 0.0625;
  h(0, 0) = 1;
  Random random(259);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, 1, [&](int t, int) {
      return k == 0 ? t < 3 : k == 1 ? t == 1 : k > 2 && t >= N && random(0, 1) < 0.25;
    }));
  LagBatch<T, N, 1> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), q);
  auto const H = filled(Kokkos::View<T[1][N], Space>("H"), h);
  Kokkos::View<T** [N][N], Space> factor("factor", items, steps);
  Kokkos::View<T**, Space> left("left", items, steps);
  Kalman::smooth(steps, Kalman::model(common(F), common(Q), common(H), common(fixed(T(2)))),
                 Kalman::diffuse(), b.z, b.results().diffuse_factor(factor).diffuse_columns(left),
                 Kalman::fixed_lag(lag, form));
  Kokkos::fence();
  auto const unknown = on_host(left);
  auto const m = constant_model(f, q, h, Dense(1, 1, 2.0L));
  b.expect(
      lag,
      [&](int, std::vector<Dense> const& series) {
        return true_smoother(Kalman::Order::update_first, m, Dense(N, 1), Dense(N, N), eye(N),
                             series);
      },
      1000 * N,
      [&](int k, int end) {
        int seen = 0;
        for (int t = 0; t <= end; ++t)
          seen += int(observed_entries(z[std::size_t(k)][std::size_t(t)]).size());
        EXPECT_EQ(unknown(std::size_t(k), std::size_t(end)), T(std::max(0, N - seen)));
        return seen < N;
      });
}
TEST(KalmanFixedLag, DiffuseStart) {
  for (int lag : {1, 2, 3, 5, 11}) diffuse_trend<double>(Kalman::covariance(), lag, 0.5L);
  diffuse_trend<double>(Kalman::covariance(), 3, 0);  // a singular Q
  diffuse_trend<float>(Kalman::covariance(), 2, 0.5L);
  diffuse_trend<float>(Kalman::square_root(), 2, 0.5L);
  diffuse_trend<double>(Kalman::square_root(), 3, 0);
}

/// Failures of the first, a middle and the last item leave the bits of their neighbours.
template <class Form>
void failures(Form const& form) {
  constexpr int N = 3, M = 2, items = 27, steps = 10, lag = 3;
  Random random(261);
  RandomModel<double> const m(random, N, M);
  auto const z = series_with_missing<double>(random, items, steps, M);
  auto const run = [&](bool plant) {
    auto series = z;
    if (plant)
      for (std::size_t k : {0, 13, 26}) series[k][6](0) = std::numeric_limits<double>::infinity();
    LagBatch<double, N, M> b(series, items, steps);
    auto const F = filled(Kokkos::View<double[N][N], Space>("F"), m.f),
               Q = filled(Kokkos::View<double[N][N], Space>("Q"), m.q),
               P = filled(Kokkos::View<double[N][N], Space>("P"), eye(N));
    auto const H = filled(Kokkos::View<double[M][N], Space>("H"), m.h);
    auto const R = filled(Kokkos::View<double[M][M], Space>("R"), m.r);
    Kokkos::View<double[N], Space> X("x");
    Kalman::smooth(steps, Kalman::model(common(F), common(Q), common(H), common(R)),
                   Kalman::start(common(X), common(P)), b.z, b.results(),
                   Kalman::fixed_lag(lag, form));
    Kokkos::fence();
    return b;
  };
  auto const clean = run(false), planted = run(true);
  auto const m0 = on_host(clean.mean), m1 = on_host(planted.mean);
  auto const c0 = on_host(clean.covariance), c1 = on_host(planted.covariance);
  for (std::size_t k = 0; k < items; ++k) {
    EXPECT_EQ(on_host(clean.st)(k), 0);
    if (k == 0 || k == 13 || k == 26) {
      EXPECT_EQ(Status::reason(on_host(planted.st)(k)), Reason::not_finite) << k;
      continue;
    }
    EXPECT_EQ(on_host(planted.st)(k), 0) << k;
    for (std::size_t t = 0; t < steps; ++t)
      for (int i = 0; i < N; ++i) {
        EXPECT_TRUE(same_bits(m0(k, t, i), m1(k, t, i))) << k << " " << t;
        for (int j = 0; j < N; ++j)
          EXPECT_TRUE(same_bits(c0(k, t, i, j), c1(k, t, i, j))) << k << " " << t;
      }
  }
}
TEST(KalmanFixedLag, FailuresAndTheirNeighbours) {
  failures(Kalman::covariance());
  failures(Kalman::square_root());
}

/// Variances multiplied by 4^k and observations by 2^k give means multiplied by 2^k, bit for bit.
TEST(KalmanFixedLag, EveryUnit) {
  using T = float;
  constexpr int N = 2, M = 2, steps = 8, lowest = -25, highest = 25, items = highest - lowest + 1;
  Random random(263);
  RandomModel<T> const m(random, N, M);
  auto const one = random_series<T>(random, steps, M, [](int t, int i) { return t == 2 + i; });
  std::vector<std::vector<Dense>> z;
  for (int k = lowest; k <= highest; ++k) {
    z.push_back(one);
    for (auto& zt : z.back())
      for (int i = 0; i < M; ++i) zt(i) = std::ldexp(zt(i), k);
  }
  LagBatch<T, N, M> b(z, items, steps);
  auto const sized = [&](char const* name, Dense const& x) {
    Kokkos::View<T* [N][N], Space> view(name, items);
    fill(view, [&](auto const& v) {
      for (int k = 0; k < items; ++k)
        for (int i = 0; i < N; ++i)
          for (int j = 0; j < N; ++j) v(k, i, j) = T(std::ldexp(x(i, j), 2 * (lowest + k)));
    });
    return view;
  };
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f);
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  Kokkos::View<T[N], Space> X("x");
  Kalman::smooth(
      steps, Kalman::model(common(F), in(sized("Q", m.q)), common(H), in(sized("R", m.r))),
      Kalman::start(common(X), sized("P", eye(2))), b.z, b.results(), Kalman::fixed_lag(3));
  Kokkos::fence();
  auto const mean = on_host(b.mean);
  auto const covariance = on_host(b.covariance);
  for (std::size_t k = 0; k < items; ++k)
    for (std::size_t t = 0; t < steps; ++t)
      for (int i = 0; i < N; ++i) {
        int const e = lowest + int(k);
        EXPECT_TRUE(same_bits(T(std::ldexp(mean(-lowest, t, i), e)), mean(k, t, i))) << e;
        for (int j = 0; j < N; ++j)
          EXPECT_TRUE(
              same_bits(T(std::ldexp(covariance(-lowest, t, i, j), 2 * e)), covariance(k, t, i, j)))
              << e;
      }
}

/// One state in Views without its extent, no steps, no series, and calls that are refused.
TEST(KalmanFixedLag, ScalarsAndRefusedCalls) {
  constexpr std::size_t items = 3, steps = 7;
  Random random(265);
  auto const z = series_with_missing<double>(random, items, steps, 1);
  Kokkos::View<double**, Space> Z("z", items, steps), fm("fm", items, steps),
      fc("fc", items, steps), mean("mean", items, steps), covariance("covariance", items, steps);
  filled_series(Z, z);
  auto const model = Kalman::model(common(fixed(0.75)), common(fixed(0.5)), common(fixed(1.0)),
                                   common(fixed(0.25)));
  auto const start = Kalman::start(common(fixed(1.0)), common(fixed(2.0)));
  auto const run = [&](std::size_t count, auto const& series, std::int64_t lag, auto const& form,
                       auto const& covariances) {
    Kalman::smooth(count, model, start, series,
                   Kalman::results()
                       .filtered_mean(fm)
                       .filtered_covariance(fc)
                       .smoothed_mean(mean)
                       .smoothed_covariance(covariances),
                   Kalman::fixed_lag(lag, form));
    Kokkos::fence();
  };
  auto const truth =
      constant_model(Dense(1, 1, 0.75L), Dense(1, 1, 0.5L), Dense(1, 1, 1.0L), Dense(1, 1, 0.25L));
  auto const check = [&](auto const& form) {
    for (auto const& v : {mean, covariance, fm, fc}) poisoned(v);
    run(0, Z, 2, form, covariance);
    EXPECT_EQ(on_host(mean)(0, 0), poison<double>());
    run(steps, Z, 2, form, covariance);
    for (std::size_t k = 0; k < items; ++k)
      for (std::size_t t = 0; t < steps; ++t) {
        auto const end = long(std::min(t + 3, steps));
        auto const want =
            true_smoother(Kalman::Order::predict_first, truth, Dense(1, 1, 1.0L), Dense(1, 1, 2.0L),
                          Dense(1, 0), {z[k].begin(), z[k].begin() + end});
        EXPECT_NEAR(on_host(mean)(k, t), double(want.mean(int(t))), 1e-14);
        EXPECT_NEAR(on_host(covariance)(k, t), double(want.covariance(int(t), int(t))), 1e-14);
      }
  };
  check(Kalman::covariance());
  check(Kalman::square_root());
  for (auto const& v : {mean, covariance}) poisoned(v);
  auto const refused = [&](std::int64_t lag, auto const& covariances, char const* says) {
    try {
      run(steps, Z, lag, Kalman::covariance(), covariances);
      ADD_FAILURE() << "not refused: " << says;
    } catch (std::invalid_argument const& e) {
      EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
    }
  };
  refused(0, covariance, "the lag of fixed_lag(lag) is 0; give 1 or more");
  refused(-4, covariance, "is -4");
  refused(2, fc, "shares elements with");
  EXPECT_EQ(on_host(mean)(0, 0), poison<double>());
}

}  // namespace
}  // namespace Batchwork::Test
