// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The interacting multiple model estimator for linear modes, in long double and by the formulas of
/// Bar-Shalom, Li and Kirubarajan (2001), section 11.6.6. Covariances of mixtures are sums over
/// pairs of modes, and probabilities are ratios of likelihoods.
#ifndef BATCHWORK_KALMAN_IMM_REFERENCE_HPP
#define BATCHWORK_KALMAN_IMM_REFERENCE_HPP

#include "Reference.hpp"

namespace Batchwork::Test {

struct TrueMode {
  Dense f, q, h, r;
  Dense x, p;
  long double probability;
};

struct TrueBank {
  std::vector<TrueMode> modes;
  Dense transition;
  long double log_likelihood = 0, absolute = 0, condition = 1;

  Dense mean(std::vector<long double> const& w) const {
    Dense m(modes[0].x.rows, 1);
    for (std::size_t i = 0; i < modes.size(); ++i) m = m + w[i] * modes[i].x;
    return m;
  }
  /// sum_i w_i P_i + 1/2 sum_ij w_i w_j (x_i - x_j)(x_i - x_j)', for weights with sum 1.
  Dense covariance(std::vector<long double> const& w) const {
    Dense c(modes[0].p.rows, modes[0].p.rows);
    for (std::size_t i = 0; i < modes.size(); ++i) {
      c = c + w[i] * modes[i].p;
      for (std::size_t j = 0; j < i; ++j)
        c = c + (w[i] * w[j]) * times_transpose(modes[i].x - modes[j].x);
    }
    return c;
  }
  std::vector<long double> probabilities() const {
    std::vector<long double> w;
    for (auto const& m : modes) w.push_back(m.probability);
    return w;
  }

  void step(Dense const& z) {
    std::size_t const k = modes.size();
    std::vector<TrueMode> next = modes;
    std::vector<long double> likelihood(k, 0);  // logarithms
    for (std::size_t j = 0; j < k; ++j) {
      TrueMode& to = next[j];
      to.probability = 0;
      std::vector<long double> from;
      for (std::size_t i = 0; i < k; ++i) {
        from.push_back(transition(int(i), int(j)) * modes[i].probability);
        to.probability += from[i];
      }
      for (long double& w : from) w /= to.probability;
      to.x = to.f * mean(from);
      to.p = to.f * covariance(from) * transpose(to.f) + to.q;
      auto const rows = observed_entries(z);
      if (rows.empty()) continue;
      Dense const h = rows_of(to.h, rows), v = rows_of(z, rows) - h * to.x;
      Dense const s =
          h * to.p * transpose(h) + transpose(rows_of(transpose(rows_of(to.r, rows)), rows));
      Dense const gain = transpose(solve_spd(s, h * to.p));
      to.x = to.x + gain * v;
      to.p = to.p - gain * (h * to.p);
      to.p = 0.5L * (to.p + transpose(to.p));
      likelihood[j] = -((long double)(rows.size()) * true_log_two_pi + log_det_spd(s) +
                        dot(v, solve_spd(s, v))) /
                      2;
      condition = std::max(condition, condition_spd(s));
    }
    std::vector<long double> posterior(k);
    for (std::size_t j = 0; j < k; ++j) {
      long double sum = 0;  // of all modes, relative to mode j
      for (std::size_t i = 0; i < k; ++i)
        sum += next[i].probability / next[j].probability * std::exp(likelihood[i] - likelihood[j]);
      posterior[j] = 1 / sum;
    }
    // Bayes: posterior = prior times likelihood over that of all modes. The largest is accurate.
    std::size_t const best =
        std::size_t(std::max_element(posterior.begin(), posterior.end()) - posterior.begin());
    long double const gain = likelihood[best] + std::log(next[best].probability / posterior[best]);
    log_likelihood += gain;
    absolute += std::fabs(gain);
    modes = next;
    for (std::size_t j = 0; j < k; ++j) modes[j].probability = posterior[j];
  }
};

}  // namespace Batchwork::Test

#endif
