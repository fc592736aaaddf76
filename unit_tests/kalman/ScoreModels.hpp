// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Models of the tests of Kalman::score, and what their log-likelihoods and derivatives are.
#ifndef BATCHWORK_KALMAN_SCOREMODELS_HPP
#define BATCHWORK_KALMAN_SCOREMODELS_HPP

#include "ScoreCase.hpp"

namespace Batchwork::Test {

/// Level, slope and eleven seasonal states with four variances.
struct Structural {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    auto const f = generate<13, 13>([](int i, int j) {
      if (i < 2) return i == j || (i == 0 && j == 1) ? 1.0 : 0.0;
      return i == 2 ? (j < 2 ? 0.0 : -1.0) : (j == i - 1 ? 1.0 : 0.0);
    });
    auto q = zero<13>(theta);
    for (int k = 0; k < 3; ++k) q(k) = exp(theta(k));
    return Kalman::matrices(f, as_diagonal(q),
                            generate<13>([](int j) { return j == 0 || j == 2 ? 1.0 : 0.0; }),
                            exp(theta(3)));
  }
};
inline long double structural_log_likelihood(Parameters const& theta, std::vector<Dense> const& z) {
  Dense f(13, 13), q(13, 13), h(1, 13);
  f(0, 0) = f(0, 1) = f(1, 1) = 1;
  for (int j = 2; j < 13; ++j) f(2, j) = -1;
  for (int i = 3; i < 13; ++i) f(i, i - 1) = 1;
  for (int i = 0; i < 3; ++i) q(i, i) = std::exp(theta[std::size_t(i)]);
  h(0, 0) = h(0, 2) = 1;
  return least_squares(constant_model(f, q, h, Dense(1, 1, std::exp(theta[3]))), Dense(13, 1),
                       Dense(13, 13), eye(13), z)
      .log_likelihood;
}

/// z(t) = phi z(t-1) + noise of variance s, from the stationary distribution.
struct Autoregression {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    auto const& phi = theta(0);
    return Kalman::matrices(phi, theta(1), 1.0, 0.0, 0.0, theta(1) / (1 - square(phi)));
  }
};
/// The log-likelihood of the autoregression in closed form, and its derivatives in phi and s.
struct AutoregressionTruth {
  long double log_likelihood, score[2], information[2][2];

  AutoregressionTruth(Parameters const& theta, std::vector<Dense> const& z) {
    long double const phi = theta[0], s = theta[1], first = z[0](0) * z[0](0),
                      n = static_cast<long double>(z.size()), one = 1 - phi * phi;
    long double squares = 0, cross = 0, before = 0;
    for (std::size_t t = 1; t < z.size(); ++t) {
      long double const e = z[t](0) - phi * z[t - 1](0);
      squares += e * e;
      cross += e * z[t - 1](0);
      before += z[t - 1](0) * z[t - 1](0);
    }
    long double const sum = one * first + squares;
    log_likelihood = -0.5L * (n * (true_log_two_pi + std::log(s)) - std::log(one) + sum / s);
    score[0] = -phi / one + (phi * first + cross) / s;
    score[1] = -n / (2 * s) + sum / (2 * s * s);
    // f is s / (1 - phi^2) at first, then s; e depends on phi only.
    long double const g = 2 * phi / one;
    information[0][0] = g * g / 2 + before / s;
    information[1][0] = information[0][1] = g / (2 * s);
    information[1][1] = n / (2 * s * s);
  }
};

struct LocalLevelOfVariances {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    return Kalman::matrices(1.0, theta(0), 1.0, theta(1));
  }
};

}  // namespace Batchwork::Test

#endif
