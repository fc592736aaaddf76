// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Extended, iterated and unscented filters of a turning target seen by a radar, in long double and
/// by other formulas than the library: hand-derived Jacobians, the iterated update in information
/// form, the unscented moments by the weights as published, missing entries removed.
#ifndef BATCHWORK_KALMAN_NONLINEAR_REFERENCE_HPP
#define BATCHWORK_KALMAN_NONLINEAR_REFERENCE_HPP

#include "Reference.hpp"

namespace Batchwork::Test {

enum class NonlinearFilter { extended, iterated, unscented };

inline constexpr long double true_pi = 3.14159265358979323846264338328L;

/// The state is x, y, speed, heading and turn rate; a step takes one unit of time.
inline Dense true_motion(Dense const& x) {
  long double const direction = x(3) + x(4) / 2;
  Dense y = x;
  y(0) += x(2) * std::cos(direction);
  y(1) += x(2) * std::sin(direction);
  y(3) += x(4);
  return y;
}
inline Dense true_motion_jacobian(Dense const& x) {
  long double const c = std::cos(x(3) + x(4) / 2), s = std::sin(x(3) + x(4) / 2), v = x(2);
  Dense f = eye(5);
  f(0, 2) = c, f(0, 3) = -v * s, f(0, 4) = -v * s / 2;
  f(1, 2) = s, f(1, 3) = v * c, f(1, 4) = v * c / 2;
  f(3, 4) = 1;
  return f;
}
inline Dense true_radar(Dense const& x) {
  return make_dense(2, 1, [&](int i, int) {
    return i == 0 ? std::sqrt(x(0) * x(0) + x(1) * x(1)) : std::atan2(x(1), x(0));
  });
}
inline Dense true_radar_jacobian(Dense const& x) {
  long double const square = x(0) * x(0) + x(1) * x(1), range = std::sqrt(square);
  Dense h(2, 5);
  h(0, 0) = x(0) / range, h(0, 1) = x(1) / range;
  h(1, 0) = -x(1) / square, h(1, 1) = x(0) / square;
  return h;
}
/// a - b, with the bearing brought to -pi .. pi.
inline Dense true_residual(Dense const& a, Dense const& b) {
  Dense d = a - b;
  while (d(1) > true_pi) d(1) -= 2 * true_pi;
  while (d(1) < -true_pi) d(1) += 2 * true_pi;
  return d;
}

struct TrueSteps {
  std::vector<Dense> predicted_mean, predicted_covariance;
  std::vector<Dense> mean, filtered_covariance;
  std::vector<long double> nis;
  Dense covariance;
  long double log_likelihood = 0, absolute = 0;
  long double condition = 1;  ///< the largest of the innovation covariances
  int wrapped = 0;            ///< innovations that crossed the cut of the bearing
};

inline TrueSteps true_steps(NonlinearFilter kind, int iterations,
                            Kalman::UnscentedWeights const& weights, Dense x, Dense p,
                            Dense const& q, Dense const& r, std::vector<Dense> const& z) {
  constexpr int N = 5, points = 2 * N + 1;
  long double const alpha2 = (long double)(weights.alpha) * weights.alpha,
                    of_points = alpha2 * (N + (long double)(weights.kappa)), lambda = of_points - N;
  std::vector<long double> of_mean(points, 1 / (2 * of_points)), of_covariance = of_mean;
  of_mean[0] = lambda / of_points;
  of_covariance[0] = of_mean[0] + 1 - alpha2 + weights.beta;
  auto const all_points = [&] {
    Dense const l = std::sqrt(of_points) * cholesky(p);
    std::vector<Dense> s(points, x);
    for (int j = 0; j < N; ++j)
      for (int i = 0; i < N; ++i) {
        s[std::size_t(1 + j)](i) += l(i, j);
        s[std::size_t(1 + N + j)](i) -= l(i, j);
      }
    return s;
  };
  TrueSteps result;
  for (Dense const& zt : z) {
    if (kind == NonlinearFilter::unscented) {
      auto s = all_points();
      Dense mean(N, 1), covariance = q;
      for (std::size_t a = 0; a < points; ++a) {
        s[a] = true_motion(s[a]);
        mean = mean + of_mean[a] * s[a];
      }
      for (std::size_t a = 0; a < points; ++a)
        covariance = covariance + of_covariance[a] * times_transpose(s[a] - mean);
      x = mean, p = covariance;
    } else {
      Dense const f = true_motion_jacobian(x);
      p = f * p * transpose(f) + q;
      x = true_motion(x);
    }
    result.predicted_mean.push_back(x);
    result.predicted_covariance.push_back(p);
    auto const rows = observed_entries(zt);
    long double nis = 0;
    if (!rows.empty()) {
      Dense const rr = rows_of(transpose(rows_of(r, rows)), rows);
      Dense s, v, g;  // covariance of the innovation, innovation, covariance with the state
      Dense xn, pn;
      if (kind == NonlinearFilter::unscented) {
        auto const at = all_points();
        std::vector<Dense> d;  // deviations from the first point
        Dense shift(2, 1);
        for (std::size_t a = 0; a < points; ++a) {
          d.push_back(true_residual(true_radar(at[a]), true_radar(x)));
          shift = shift + of_mean[a] * d[a];
        }
        Dense all = r, cross(2, N);
        for (std::size_t a = 0; a < points; ++a) {
          all = all + of_covariance[a] * times_transpose(d[a] - shift);
          cross = cross + of_covariance[a] * ((d[a] - shift) * transpose(at[a] - x));
        }
        s = rows_of(transpose(rows_of(all, rows)), rows);
        g = rows_of(cross, rows);
        v = rows_of(true_residual(zt, true_radar(x) + shift), rows);
      } else {
        // (H' R^-1 H + P^-1) d = H' R^-1 (z - h(at)) + P^-1 (x - at), at += d.
        Dense at = x, h;
        Dense const information = solve_spd(p, eye(N));
        for (int k = 0; k < (kind == NonlinearFilter::iterated ? iterations : 1); ++k) {
          h = rows_of(true_radar_jacobian(at), rows);
          Dense const e = rows_of(true_residual(zt, true_radar(at)), rows);
          Dense const a = transpose(h) * solve_spd(rr, h) + information;
          v = e - h * (x - at);
          at = at + solve_spd(a, transpose(h) * solve_spd(rr, e) + information * (x - at));
          pn = solve_spd(a, eye(N));
        }
        xn = at;
        g = h * p;
        s = g * transpose(h) + rr;
      }
      if (rows.size() == 2) result.wrapped += std::fabs(zt(1) - true_radar(x)(1)) > true_pi;
      if (kind == NonlinearFilter::unscented) {
        Dense const gain = transpose(solve_spd(s, g));
        xn = x + gain * v;
        pn = p - gain * g;
      }
      x = xn, p = 0.5L * (pn + transpose(pn));
      nis = dot(v, solve_spd(s, v));
      long double const parts[] = {(long double)(rows.size()) * true_log_two_pi, log_det_spd(s),
                                   nis};
      for (long double part : parts) {
        result.log_likelihood -= part / 2;
        result.absolute += std::fabs(part) / 2;
      }
      result.condition = std::max(result.condition, condition_spd(s));
    }
    result.nis.push_back(nis);
    result.mean.push_back(x);
    result.filtered_covariance.push_back(p);
  }
  result.covariance = p;
  return result;
}

}  // namespace Batchwork::Test

#endif
