// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Steps of nonlinear filters in a user's own scan, compared with the reference.
#ifndef BATCHWORK_KALMAN_NONLINEAR_CASE_HPP
#define BATCHWORK_KALMAN_NONLINEAR_CASE_HPP

#include "NonlinearReference.hpp"

namespace Batchwork::Test {

struct Turn {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    auto const direction = x(3) + 0.5 * x(4);
    auto y = 1 * x;
    y(0) += x(2) * cos(direction);
    y(1) += x(2) * sin(direction);
    y(3) += x(4);
    return y;
  }
};
struct Radar {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    return generate<2>([&](int i) { return i == 0 ? hypot(x(0), x(1)) : atan2(x(1), x(0)); });
  }
};
struct Wrapped {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(A const& a, B const& b) const {
    constexpr double pi = 3.14159265358979323846;
    auto d = a - b;
    d(1) -= 2 * pi * round(d(1) / (2 * pi));
    return d;
  }
};

/// A step of each filter.
template <NonlinearFilter K, class Motion, class Observation, class Residual = Kalman::Difference,
          class Gate = Kalman::NoGate>
struct NonlinearStep {
  Motion motion;
  Observation observation;
  int iterations = 1;
  Kalman::UnscentedWeights weights{};
  Gate gate{};
  template <class X, class P, class L, class Z, class Q, class R, class M, class S>
  KOKKOS_FUNCTION void operator()(X& x, P& p, L& loglik, Z const& z, Q const& q, R const& r,
                                  M& mean, S& nis) const {
    if constexpr (K == NonlinearFilter::unscented) {
      Kalman::unscented_predict(x, p, motion, q, Kalman::Difference{}, weights);
      nis =
          Kalman::unscented_update(x, p, loglik, z, observation, r, Residual{}, weights, gate).nis;
    } else if constexpr (K == NonlinearFilter::iterated) {
      Kalman::extended_predict(x, p, motion, q);
      nis = Kalman::iterated_update(x, p, loglik, z, observation, r, iterations, Residual{}, gate)
                .nis;
    } else {
      nis = Kalman::extended_step(x, p, loglik, z, motion, q, observation, r, Residual{}, gate).nis;
    }
    mean = x;
  }
};

/// A batch of series and the results of a scan.
template <class T, int N, int M, class Layout = Space::array_layout>
struct Steps {
  std::size_t items;
  int steps;
  Kokkos::View<T* [N], Layout, Space> x0 { "x0", items }, x{"x", items};
  Kokkos::View<T* [N][N], Layout, Space> p0 { "p0", items }, p{"p", items};
  Kokkos::View<T[N][N], Space> q{"q"};
  Kokkos::View<T* [M][M], Layout, Space> r { "r", items };
  Kokkos::View<T** [M], Layout, Space> z { "z", items, std::size_t(steps) };
  Kokkos::View<T** [N], Layout, Space> mean { "mean", items, std::size_t(steps) };
  Kokkos::View<T**, Layout, Space> nis{"nis", items, std::size_t(steps)};
  Kokkos::View<T*, Space> loglik{"loglik", items};
  Kokkos::View<int*, Space> codes{"codes", items};

  Steps(int n, int t) : items(std::size_t(n)), steps(t) {}
  void start(std::vector<Dense> const& means, Dense const& covariance, Dense const& noise,
             Dense const& of_observation) {
    fill(x0, [&](auto const& h) {
      for (std::size_t k = 0; k < items; ++k)
        for (int i = 0; i < N; ++i) h(k, i) = T(means[k](i));
    });
    fill(p0, [&](auto const& h) {
      for (std::size_t k = 0; k < items; ++k)
        for (int i = 0; i < N; ++i)
          for (int j = 0; j < N; ++j) h(k, i, j) = T(covariance(i, j));
    });
    fill(r, [&](auto const& h) {
      for (std::size_t k = 0; k < items; ++k)
        for (int i = 0; i < M; ++i)
          for (int j = 0; j < M; ++j) h(k, i, j) = T(of_observation(i, j));
    });
    filled(q, noise);
  }
  template <class Run, class Sequence>
  void operator()(Run const& run, Sequence const& sequence) const {
    poisoned(x), poisoned(p), poisoned(mean), poisoned(nis), poisoned(loglik), poisoned(codes);
    run(steps, sequence, carry(x0, x), carry(symmetric(p0), symmetric(p)),
        carry(common(fixed(T(0))), log_sum(loglik, -0.5)), each(z), common(symmetric(q)),
        in(symmetric(r)), emit(mean), emit(nis), status(codes));
    Kokkos::fence();
  }
};
/// Targets that cross the negative x-axis, where the bearing jumps by 2 pi.
template <class T>
struct Targets {
  static constexpr int items = 21, steps = 15;
  std::vector<Dense> start;
  std::vector<std::vector<Dense>> z;
  Dense p{5, 5}, q{5, 5}, r{2, 2};
  Targets() {
    Random random(173);
    T const spread[] = {T(0.5), T(0.5), T(0.1), T(0.25), T(0.0625)};
    for (int i = 0; i < 5; ++i) p(i, i) = spread[i] * spread[i];
    q(2, 2) = T(0.001), q(4, 4) = T(0.0001), q(0, 0) = q(1, 1) = T(0.0005), q(3, 3) = T(0.0002);
    r(0, 0) = T(0.01), r(1, 1) = T(0.0004), r(0, 1) = r(1, 0) = T(0.0005);
    for (int k = 0; k < items; ++k) {
      Dense x(5, 1);
      x(0) = -8 + random(), x(1) = 1.5L + random(), x(2) = 0.3L, x(3) = -true_pi / 2;
      x(4) = 0.05L * random();
      start.push_back(make_dense(
          5, 1, [&](int i, int) { return T(x(i) + spread[i] * 0.5L * random.normal()); }));
      z.emplace_back();
      for (int t = 0; t < steps; ++t) {
        x = true_motion(x);
        Dense seen = true_radar(x);
        seen(0) = T(seen(0) + 0.1L * random.normal());
        seen(1) = T(seen(1) + 0.02L * random.normal());
        for (int i = 0; i < 2; ++i)
          if (random(0, 1) < 0.15) seen(i) = std::numeric_limits<T>::quiet_NaN();
        z.back().push_back(seen);
      }
    }
  }
};

template <class T, NonlinearFilter K, class Layout = Space::array_layout, class Run,
          class Gate = Kalman::NoGate>
void track(Run const& run, int iterations = 1, Kalman::UnscentedWeights const& weights = {},
           Gate const& gate = {}) {
  Targets<T> const targets;
  Steps<T, 5, 2, Layout> s(targets.items, targets.steps);
  s.start(targets.start, targets.p, targets.q, targets.r);
  filled_series(s.z, targets.z);
  s(run, NonlinearStep<K, Turn, Radar, Wrapped, Gate>{{}, {}, iterations, weights, gate});
  auto const mean = on_host(s.mean);
  auto const covariance = on_host(s.p);
  auto const nis = on_host(s.nis);
  int wrapped = 0;
  for (std::size_t k = 0; k < targets.items; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    auto const want = true_steps(K, iterations, weights, targets.start[k], targets.p, targets.q,
                                 targets.r, targets.z[k]);
    wrapped += want.wrapped;
    // Means have about 10 units, their standard deviations 0.1: differences of points, and
    // innovations, have errors of eps times 10, relative to 0.1.
    auto const tol = [&](long double size) {
      return tolerance<T>(20, size, want.condition / (long double)(weights.alpha));
    };
    EXPECT_EQ(on_host(s.codes)(k), 0);
    for (std::size_t t = 0; t < targets.steps; ++t) {
      EXPECT_TRUE(near([&](int i, int) { return mean(k, t, i); }, want.mean[t], tol(1))) << t;
      EXPECT_NEAR(double(nis(k, t)), double(want.nis[t]), double(tol(1 + want.nis[t]))) << t;
    }
    EXPECT_TRUE(
        near([&](int i, int j) { return covariance(k, i, j); }, want.covariance, tol(0.1L)));
    EXPECT_NEAR(double(on_host(s.loglik)(k)), double(want.log_likelihood),
                double(tol(want.absolute)));
  }
  EXPECT_GT(wrapped, 5);
}
}  // namespace Batchwork::Test

#endif
