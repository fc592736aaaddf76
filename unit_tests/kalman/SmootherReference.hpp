// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The state at all times given all observations, in long double: the joint normal distribution of
/// all states and observations, conditioned at once. Diffuse starts are unknown coefficients,
/// determined by generalised least squares (Durbin and Koopman 2012, sections 4.13 and 5.7).
#ifndef BATCHWORK_KALMAN_SMOOTHERREFERENCE_HPP
#define BATCHWORK_KALMAN_SMOOTHERREFERENCE_HPP

#include <algorithm>

#include "Reference.hpp"

namespace Batchwork::Test {

struct TrueSmoother {
  int states = 0;
  Dense mean, covariance;     ///< of the states of all times, one below the other
  long double condition = 1;  ///< of the matrices that are solved with

  Dense mean_at(int t) const {
    return make_dense(states, 1, [&](int i, int) { return mean(t * states + i); });
  }
  /// The covariance of the states at times t and s.
  Dense covariance_at(int t, int s) const {
    return make_dense(states, states,
                      [&](int i, int j) { return covariance(t * states + i, s * states + j); });
  }
  long double largest_mean() const { return norm_of(mean); }
  long double largest_covariance() const { return norm_of(covariance); }

 private:
  static long double norm_of(Dense const& x) {
    long double r = 1;
    for (int i = 0; i < x.rows; ++i)
      for (int j = 0; j < x.cols; ++j) r = std::max(r, std::fabs(x(i, j)));
    return r;
  }
};

/// The start is x + b delta with covariance p and unknown delta; b has no columns if nothing is
/// diffuse.
inline TrueSmoother true_smoother(Kalman::Order order, TrueModel const& m, Dense x, Dense p,
                                  Dense b, std::vector<Dense> const& z) {
  int const n = x.rows, d = b.cols, steps = int(z.size()), all = n * steps;
  bool const predicts = order == Kalman::Order::predict_first;
  TrueSmoother r;
  r.states = n;
  Dense mean(all, 1), v(all, all), a(all, d);
  for (int t = 0; t < steps; ++t) {
    if (t > 0 || predicts) {
      int const from = predicts ? t : t - 1;
      Dense const f = m.f(from);
      x = f * x;
      p = f * p * transpose(f) + m.q(from);
      b = f * b;
      for (int s = 0; s < t; ++s)
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j) {
            long double sum = 0;
            for (int k = 0; k < n; ++k) sum += f(i, k) * v((t - 1) * n + k, s * n + j);
            v(t * n + i, s * n + j) = v(s * n + j, t * n + i) = sum;
          }
    }
    for (int i = 0; i < n; ++i) {
      mean(t * n + i) = x(i);
      for (int j = 0; j < n; ++j) v(t * n + i, t * n + j) = p(i, j);
      for (int j = 0; j < d; ++j) a(t * n + i, j) = b(i, j);
    }
  }
  struct Entry {
    int t, i;
  };
  std::vector<Entry> entries;
  for (int t = 0; t < steps; ++t)
    for (int i : observed_entries(z[std::size_t(t)])) entries.push_back({t, i});
  int const count = int(entries.size());
  Dense h(count, all), y(count, 1), noise(count, count);
  for (int k = 0; k < count; ++k) {
    auto const [t, i] = entries[std::size_t(k)];
    for (int j = 0; j < n; ++j) h(k, t * n + j) = m.h(t)(i, j);
    y(k) = z[std::size_t(t)](i);
    for (int l = 0; l < count; ++l)
      if (entries[std::size_t(l)].t == t) noise(k, l) = m.r(t)(i, entries[std::size_t(l)].i);
  }
  r.mean = mean;
  r.covariance = v;
  if (count == 0) return r;
  Dense const hv = h * v, omega = mirrored(hv * transpose(h) + noise);
  Dense e = y - h * mean;
  Dense const oh = solve_spd(omega, hv);
  r.covariance = v - transpose(hv) * oh;
  if (d > 0) {
    Dense const design = h * a, od = solve_spd(omega, design);
    Dense const information = mirrored(transpose(design) * od);
    r.condition = condition_spd(information);
    Dense const delta = solve_spd(information, transpose(od) * e);
    Dense const free = a - transpose(oh) * design;
    r.mean = r.mean + a * delta;
    e = e - design * delta;
    r.covariance = r.covariance + free * solve_spd(information, transpose(free));
  }
  r.mean = r.mean + transpose(oh) * e;
  return r;
}

}  // namespace Batchwork::Test

#endif
