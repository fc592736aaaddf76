// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A batch of series with all results of Kalman::score, and the comparison with differences of
/// log-likelihoods in long double.
#ifndef BATCHWORK_KALMAN_SCORE_CASE_HPP
#define BATCHWORK_KALMAN_SCORE_CASE_HPP

#include <functional>

#include "Batch.hpp"

namespace Batchwork::Test {

using Parameters = std::vector<long double>;

/// The gradient by central differences of fourth order.
inline Parameters differences(std::function<long double(Parameters const&)> const& f,
                              Parameters const& theta) {
  constexpr long double h = 1e-4L;
  Parameters r;
  for (std::size_t k = 0; k < theta.size(); ++k) {
    auto const at = [&](long double step) {
      Parameters moved = theta;
      moved[k] += step;
      return f(moved);
    };
    r.push_back((8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h));
  }
  return r;
}

/// Two states that rotate and shrink, seen by two correlated observations. All matrices depend on
/// the parameters.
struct Rotation {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    auto f = zero<2, 2>(theta);
    f(0, 0) = f(1, 1) = 0.8 * cos(theta(0));
    f(1, 0) = 0.8 * sin(theta(0));
    f(0, 1) = -0.8 * sin(theta(0));
    auto q = zero<2, 2>(theta);
    q(0, 0) = exp(theta(1));
    q(1, 0) = q(0, 1) = 0.25 * exp(theta(1));
    q(1, 1) = 0.5 + 0 * theta(1);
    auto h = zero<2, 2>(theta);
    h(0, 0) = 1.0 + 0 * theta(0);
    h(0, 1) = theta(2);
    h(1, 1) = 1.0 + theta(0);
    auto r = zero<2, 2>(theta);
    r(0, 0) = 1.0 + square(theta(2));
    r(1, 0) = r(0, 1) = 0.5 * theta(2);
    r(1, 1) = 1.0 + 0 * theta(0);
    return Kalman::matrices(f, q, h, r);
  }
};
struct DenseModel {
  Dense f, q, h, r;
  TrueModel of_time() const { return constant_model(f, q, h, r); }
};
inline DenseModel rotation(Parameters const& theta) {
  auto const [a, b, c] = std::array{theta[0], theta[1], theta[2]};
  DenseModel m{Dense(2, 2), Dense(2, 2), Dense(2, 2), Dense(2, 2)};
  m.f(0, 0) = m.f(1, 1) = 0.8L * std::cos(a);
  m.f(1, 0) = 0.8L * std::sin(a);
  m.f(0, 1) = -m.f(1, 0);
  m.q(0, 0) = std::exp(b);
  m.q(1, 0) = m.q(0, 1) = 0.25L * std::exp(b);
  m.q(1, 1) = 0.5L;
  m.h(0, 0) = 1;
  m.h(0, 1) = c;
  m.h(1, 1) = 1 + a;
  m.r(0, 0) = 1 + c * c;
  m.r(1, 0) = m.r(0, 1) = c / 2;
  m.r(1, 1) = 1;
  return m;
}

/// Series and parameters of a batch, and all results of a score.
template <class T, int M, int P>
struct ScoreBatch {
  std::size_t items, steps;
  std::vector<std::vector<Dense>> series;
  std::vector<Parameters> parameters;
  Kokkos::View<T** [M], Space> z;
  Kokkos::View<T* [P], Space> theta, score;
  Kokkos::View<T* [P][P], Space> information;
  Kokkos::View<T*, Space> ll;
  Kokkos::View<int*, Space> st;

  ScoreBatch(int n, int count, std::vector<std::pair<double, double>> const& ranges, bool gaps)
      : items(std::size_t(n)),
        steps(std::size_t(count)),
        z("z", items, steps),
        theta("theta", items),
        score("score", items),
        information("information", items),
        ll("log_likelihood", items),
        st("status", items) {
    Random random(31);
    for (int k = 0; k < n; ++k) {
      series.push_back(random_series<T>(random, count, M, [&](int t, int i) {
        if (!gaps) return false;
        if (k % 4 == 0) return t < 3;
        if (k % 4 == 1) return t < 4 && (t + i) % 2 == 0;
        return k % 4 == 3 && random(0, 1) < 0.3;
      }));
      Parameters p;
      for (auto const& [low, high] : ranges) p.push_back(static_cast<T>(random(low, high)));
      parameters.push_back(p);
    }
    filled_series(z, series);
    fill(theta, [&](auto const& h) {
      for (std::size_t k = 0; k < items; ++k)
        for (std::size_t i = 0; i < P; ++i) h(k, i) = static_cast<T>(parameters[k][i]);
    });
    poison_results();
  }
  void poison_results() {
    poisoned(score);
    poisoned(information);
    poisoned(ll);
    poisoned(st);
  }
  auto results() const {
    return Kalman::results().log_likelihood(ll).score(score).information(information).status(st);
  }
  /// Compares with the log-likelihood f(item, theta) and its differences.
  void expect(std::function<long double(std::size_t, Parameters const&)> const& f,
              long double scale) const {
    auto const hll = on_host(ll);
    auto const hscore = on_host(score);
    for (std::size_t k = 0; k < items; ++k) {
      auto const of = [&](Parameters const& p) { return f(k, p); };
      auto const tol = double(tolerance<T>(40, scale * static_cast<long double>(steps)));
      EXPECT_NEAR(double(hll(k)), double(of(parameters[k])), tol) << k;
      auto const want = differences(of, parameters[k]);
      for (std::size_t i = 0; i < P; ++i)
        EXPECT_NEAR(double(hscore(k, i)), double(want[i]), tol + 1e-10) << k << " " << i;
      EXPECT_EQ(on_host(st)(k), 0) << k;
    }
  }
};

}  // namespace Batchwork::Test

#endif
