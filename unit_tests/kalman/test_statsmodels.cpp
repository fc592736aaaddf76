// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Filters, smoothers and scores against statsmodels, which statsmodels_reference.py runs.
//
// Conventions of statsmodels with an exact diffuse start:
// - An entry that meets a diffuse direction adds -1/2 (log 2 pi + log F_inf) to the log-likelihood:
//   DiffuseEntries::with_log_two_pi. Scores do not depend on this.
// - A model begins with the predicted state of the first time: predicted(x1, P1).
// - Filtered states of diffuse times are those without kappa, as here. The information form has no
//   such states, so it is compared after these times.
// - Lag-one covariances have rows of time t + 1 and columns of time t, as here. At diffuse times
//   statsmodels has zeros, and these are not compared; test_smooth_diffuse.cpp does that. Here the
//   last time has zeros.
#include "Batch.hpp"
#include "StatsmodelsFigures.hpp"

namespace Batchwork::Test {
namespace {

/// A level with a slope. The parameters of all models are logarithms of variances.
struct Trend {
  static constexpr int states = 2, entries = 1, parameters = 3;
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    auto const f = generate<2, 2>([](int i, int j) { return i > j ? 0.0 : 1.0; });
    auto const h = generate<1, 2>([](int, int j) { return j == 0 ? 1.0 : 0.0; });
    auto q = zero<2, 2>(theta);
    for (int i = 0; i < 2; ++i) q(i, i) = exp(theta(i));
    return Kalman::matrices(f, q, h, exp(theta(2)));
  }
};
/// Two states, and two observations whose noise has the correlation 1/2.
struct Pair {
  static constexpr int states = 2, entries = 2, parameters = 4;
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    auto const f = generate<2, 2>([](int i, int j) {
      if (i == 0) return j == 0 ? 0.75 : 0.25;
      return j == 0 ? -0.125 : 0.875;
    });
    auto const h = generate<2, 2>([](int i, int j) { return i == j ? 1.0 : i == 0 ? 0.5 : 0.25; });
    auto q = zero<2, 2>(theta), r = zero<2, 2>(theta);
    for (int i = 0; i < 2; ++i) q(i, i) = exp(theta(i));
    for (int i = 0; i < 2; ++i) r(i, i) = exp(theta(2 + i));
    r(1, 0) = r(0, 1) = 0.5 * exp(0.5 * (theta(2) + theta(3)));
    return Kalman::matrices(f, q, h, r);
  }
};
/// Level, slope and a season of four quarters.
struct Quarters {
  static constexpr int states = 5, entries = 1, parameters = 4;
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    auto const f = generate<5, 5>([](int i, int j) {
      if (i == 2) return j >= 2 ? -1.0 : 0.0;
      return (i < 2 && (j == i || j == 1)) || (i > 2 && j == i - 1) ? 1.0 : 0.0;
    });
    auto const h = generate<1, 5>([](int, int j) { return j == 0 || j == 2 ? 1.0 : 0.0; });
    auto q = zero<5, 5>(theta);
    for (int i = 0; i < 3; ++i) q(i, i) = exp(theta(i));
    return Kalman::matrices(f, q, h, exp(theta(3)));
  }
};

double largest(std::vector<double> const& x) {
  double r = 0;
  for (double const v : x) r = std::max(r, std::abs(v));
  return r;
}

/// A batch with the series of the figures in each item.
template <class Model>
struct Case {
  static constexpr int N = Model::states, M = Model::entries, P = Model::parameters;
  static constexpr std::size_t items = 3;
  Statsmodels::Figures const& want;
  std::size_t steps = std::size_t(want.steps);
  Kokkos::View<double** [M], Space> z;
  Kokkos::View<double* [P], Space> theta, score;
  Kokkos::View<double** [N], Space> filtered, smoothed;
  Kokkos::View<double** [N][N], Space> filtered_p, smoothed_p, lag_one, factor;
  Kokkos::View<double**, Space> columns;
  Kokkos::View<double*, Space> ll;
  Kokkos::View<int*, Space> st;

  explicit Case(Statsmodels::Figures const& figures)
      : want(figures),
        z("z", items, steps),
        theta("theta", items),
        score("score", items),
        filtered("filtered_mean", items, steps),
        smoothed("smoothed_mean", items, steps),
        filtered_p("filtered_covariance", items, steps),
        smoothed_p("smoothed_covariance", items, steps),
        lag_one("lag_one", items, steps),
        factor("diffuse_factor", items, steps),
        columns("diffuse_columns", items, steps),
        ll("log_likelihood", items),
        st("status", items) {
    fill(z, [&](auto const& h) {
      for (std::size_t k = 0; k < items; ++k)
        for (std::size_t t = 0; t < steps; ++t)
          for (std::size_t i = 0; i < M; ++i) h(k, t, i) = want.series[t * M + i];
    });
    fill(theta, [&](auto const& h) {
      for (std::size_t k = 0; k < items; ++k)
        for (std::size_t i = 0; i < P; ++i) h(k, i) = want.theta[i];
    });
  }
  auto model() const {
    auto const m = Model{}(generate<P>([&](int i) { return want.theta[std::size_t(i)]; }));
    return Kalman::model(common(fixed(m.f)), common(fixed(m.q)), common(fixed(m.h)),
                         common(fixed(m.r)));
  }
  auto results() {
    poisoned(ll);
    poisoned(st);
    return Kalman::results().log_likelihood(ll, Kalman::DiffuseEntries::with_log_two_pi).status(st);
  }
  /// A step of either program has rounding errors of about N eps of the largest figure, and the
  /// errors of all steps may add up. The diffuse starts are well-conditioned: differences of a few
  /// observations determine all states.
  double tolerance_of(std::vector<double> const& figures) const {
    return double(tolerance<double>(N * want.steps, largest(figures)));
  }
  void expect_likelihood() const {
    for (std::size_t k = 0; k < items; ++k) {
      EXPECT_NEAR(on_host(ll)(k), want.log_likelihood[0], tolerance_of(want.log_likelihood));
      EXPECT_EQ(on_host(st)(k), 0);
    }
  }
  template <class V>
  void expect_mean(V const& view, std::vector<double> const& figures, std::size_t first) const {
    auto const v = on_host(view);
    for (std::size_t k = 0; k < items; ++k)
      for (std::size_t t = first; t < steps; ++t)
        for (std::size_t i = 0; i < N; ++i)
          EXPECT_NEAR(v(k, t, i), figures[t * N + i], tolerance_of(figures)) << t << " " << i;
  }
  template <class V>
  void expect_covariance(V const& view, std::vector<double> const& figures,
                         std::size_t first) const {
    auto const v = on_host(view);
    for (std::size_t k = 0; k < items; ++k)
      for (std::size_t t = first; t < steps; ++t)
        for (std::size_t i = 0, n = t * (N * (N + 1) / 2); i < N; ++i)
          for (std::size_t j = 0; j <= i; ++j, ++n)
            EXPECT_NEAR(v(k, t, i, j), figures[n], tolerance_of(figures))
                << t << " " << i << " " << j;
  }
  void expect_lag_one() const {
    auto const v = on_host(lag_one);
    for (std::size_t k = 0; k < items; ++k)
      for (std::size_t t = std::size_t(want.diffuse_steps); t + 1 < steps; ++t)
        for (std::size_t i = 0; i < N; ++i)
          for (std::size_t j = 0; j < N; ++j)
            EXPECT_NEAR(v(k, t, i, j), want.lag_one[(t * N + i) * N + j],
                        tolerance_of(want.smoothed_covariance))
                << t << " " << i << " " << j;
  }
  template <class Start, class Form>
  void filter(Start const& start, Form const& form, int first = 0) {
    poisoned(filtered);
    poisoned(filtered_p);
    Kalman::filter(steps, model(), start, z,
                   results().filtered_mean(filtered).filtered_covariance(filtered_p), form);
    expect_likelihood();
    expect_mean(filtered, want.filtered_mean, std::size_t(first));
    expect_covariance(filtered_p, want.filtered_covariance, std::size_t(first));
  }
  template <class Start, class Form>
  void smooth(Start const& start, Form const& form) {
    poisoned(smoothed);
    poisoned(smoothed_p);
    poisoned(lag_one);
    auto const outputs = results()
                             .smoothed_mean(smoothed)
                             .smoothed_covariance(smoothed_p)
                             .lag_one_covariance(lag_one);
    if constexpr (std::is_same_v<Start, decltype(Kalman::diffuse())>) {
      Kalman::smooth(steps, model(), start, z,
                     outputs.diffuse_factor(factor).diffuse_columns(columns), form);
      for (std::size_t k = 0; k < items; ++k)
        for (int t = 0; t < want.steps; ++t)
          EXPECT_EQ(on_host(columns)(k, std::size_t(t)) > 0, t + 1 < want.diffuse_steps) << t;
    } else {
      Kalman::smooth(steps, model(), start, z, outputs, form);
    }
    expect_likelihood();
    expect_mean(smoothed, want.smoothed_mean, 0);
    expect_covariance(smoothed_p, want.smoothed_covariance, 0);
    expect_lag_one();
  }
  void expect_score() const {
    expect_likelihood();
    auto const v = on_host(score);
    for (std::size_t k = 0; k < items; ++k)
      for (std::size_t i = 0; i < P; ++i)
        EXPECT_NEAR(v(k, i), want.score[i], tolerance_of(want.log_likelihood)) << i;
  }
  template <class Start>
  void scores(Start const& start) {
    poisoned(score);
    Kalman::score(steps, Model{}, theta, start, z, results().score(score));
    expect_score();
    poisoned(score);
    Kokkos::View<double** [M][N + 2], Space> gains("gains", items, steps);
    Kalman::score(steps, Model{}, theta, start, z, results().score(score),
                  Kalman::backward_pass(gains));
    expect_score();
  }
  template <class Start>
  void all(Start const& start) {
    filter(start, Kalman::covariance());
    filter(start, Kalman::square_root());
    filter(start, Kalman::sequential());
    filter(start, Kalman::information(), want.diffuse_steps);
    smooth(start, Kalman::covariance());
    smooth(start, Kalman::square_root());
    scores(start);
  }
};

TEST(KalmanStatsmodels, TrendWithADiffuseStart) {
  Case<Trend>(Statsmodels::trend).all(Kalman::diffuse());
}

TEST(KalmanStatsmodels, CorrelatedNoiseAndPartlyMissingObservations) {
  auto const x = generate<2>([](int i) { return i == 0 ? 0.5 : -0.25; });
  auto const p = generate<2, 2>([](int i, int j) { return i != j ? 0.5 : i == 0 ? 2.0 : 1.0; });
  Case<Pair>(Statsmodels::pair).all(Kalman::predicted(common(fixed(x)), common(fixed(p))));
}

TEST(KalmanStatsmodels, LevelSlopeAndSeasonWithADiffuseStart) {
  Case<Quarters>(Statsmodels::quarters).all(Kalman::diffuse());
}

}  // namespace
}  // namespace Batchwork::Test
