// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Textbook Kalman filters in long double and plain loops: the reference for these tests. They use
/// other methods than the library. Missing entries are removed from the matrices, the innovation
/// covariance is inverted, and the likelihood of a diffuse start is computed by generalised least
/// squares over the whole series.
#ifndef BATCHWORK_KALMAN_REFERENCE_HPP
#define BATCHWORK_KALMAN_REFERENCE_HPP

#include <functional>
#include <vector>

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

/// A model with matrices that can depend on time.
struct TrueModel {
  std::function<Dense(int)> f, q, h, r;
};
inline TrueModel constant_model(Dense const& f, Dense const& q, Dense const& h, Dense const& r) {
  return {[=](int) { return f; }, [=](int) { return q; }, [=](int) { return h; },
          [=](int) { return r; }};
}

struct TrueFilter {
  std::vector<Dense> predicted_mean, predicted_covariance, filtered_mean, filtered_covariance;
  Dense last_mean, last_covariance;
  long double log_likelihood = 0;
  long double absolute = 0;   ///< sum of the magnitudes of the terms of the likelihood
  long double condition = 1;  ///< the largest condition number of the innovation covariances
};

/// The rows of a matrix that are listed.
inline Dense rows_of(Dense const& x, std::vector<int> const& rows) {
  return make_dense(int(rows.size()), x.cols,
                    [&](int i, int j) { return x(rows[std::size_t(i)], j); });
}
inline std::vector<int> observed_entries(Dense const& z) {
  std::vector<int> r;
  for (int i = 0; i < z.rows; ++i)
    if (!std::isnan(z(i))) r.push_back(i);
  return r;
}
inline long double log_det_spd(Dense const& a) {
  Dense const l = cholesky(a);
  long double sum = 0;
  for (int i = 0; i < a.rows; ++i) sum += 2 * std::log(l(i, i));
  return sum;
}
inline constexpr long double true_log_two_pi = 1.837877066409345483560659472811L;

inline TrueFilter true_filter(Kalman::Order order, TrueModel const& m, Dense x, Dense p,
                              std::vector<Dense> const& z) {
  TrueFilter r;
  auto const predict = [&](int t) {
    x = m.f(t) * x;
    p = m.f(t) * p * transpose(m.f(t)) + m.q(t);
  };
  for (int t = 0; t < int(z.size()); ++t) {
    if (order == Kalman::Order::predict_first) predict(t);
    r.predicted_mean.push_back(x);
    r.predicted_covariance.push_back(p);
    auto const rows = observed_entries(z[std::size_t(t)]);
    if (!rows.empty()) {
      Dense const h = rows_of(m.h(t), rows), zt = rows_of(z[std::size_t(t)], rows);
      Dense const s =
          h * p * transpose(h) + transpose(rows_of(transpose(rows_of(m.r(t), rows)), rows));
      Dense const v = zt - h * x;
      Dense const gain = transpose(solve_spd(s, h * p));
      x = x + gain * v;
      p = p - gain * (h * p);
      p = 0.5L * (p + transpose(p));
      long double const parts[] = {(long double)(rows.size()) * true_log_two_pi, log_det_spd(s),
                                   dot(v, solve_spd(s, v))};
      for (long double part : parts) {
        r.log_likelihood -= part / 2;
        r.absolute += std::fabs(part) / 2;
      }
      r.condition = std::max(r.condition, condition_spd(s));
    }
    r.filtered_mean.push_back(x);
    r.filtered_covariance.push_back(p);
    if (order == Kalman::Order::update_first) predict(t);
  }
  r.last_mean = x;
  r.last_covariance = p;
  return r;
}

/// L with L L' = a. a can be singular: a zero pivot gives a column of zeros.
inline Dense semidefinite_factor(Dense const& a) {
  Dense l(a.rows, a.rows);
  for (int j = 0; j < a.rows; ++j) {
    long double pivot = a(j, j);
    for (int k = 0; k < j; ++k) pivot -= l(j, k) * l(j, k);
    if (!(pivot > 0)) continue;
    l(j, j) = std::sqrt(pivot);
    for (int i = j + 1; i < a.rows; ++i) {
      long double sum = a(i, j);
      for (int k = 0; k < j; ++k) sum -= l(i, k) * l(j, k);
      l(i, j) = sum / l(j, j);
    }
  }
  return l;
}
/// Lower triangular L with L L' = w w', by rotations of columns.
inline Dense lower_factor(Dense w) {
  for (int i = 0; i < w.rows; ++i)
    for (int j = i + 1; j < w.cols; ++j) {
      long double const size = std::hypot(w(i, i), w(i, j));
      if (size == 0) continue;
      long double const c = w(i, i) / size, s = w(i, j) / size;
      for (int k = 0; k < w.rows; ++k) {
        long double const x = w(k, i), y = w(k, j);
        w(k, i) = c * x + s * y;
        w(k, j) = c * y - s * x;
      }
    }
  return make_dense(w.rows, w.rows, [&](int i, int j) { return w(i, j); });
}
/// The filter with a factor L of the covariance, P = L L', which loses half as many digits as with
/// P. It processes one entry of an observation at a time (Potter; Bierman, Factorization Methods
/// for Discrete Sequential Estimation, 1977, section II.7). R is diagonal.
inline TrueFilter true_square_root_filter(Kalman::Order order, TrueModel const& m, Dense x,
                                          Dense const& p, std::vector<Dense> const& z) {
  TrueFilter r;
  int const n = x.rows;
  Dense l = semidefinite_factor(p);
  auto const predict = [&](int t) {
    x = m.f(t) * x;
    Dense const moved = m.f(t) * l, noise = semidefinite_factor(m.q(t));
    l = lower_factor(
        make_dense(n, 2 * n, [&](int i, int j) { return j < n ? moved(i, j) : noise(i, j - n); }));
  };
  for (int t = 0; t < int(z.size()); ++t) {
    if (order == Kalman::Order::predict_first) predict(t);
    r.predicted_mean.push_back(x);
    r.predicted_covariance.push_back(times_transpose(l));
    for (int i : observed_entries(z[std::size_t(t)])) {
      Dense const h = rows_of(m.h(t), {i}), u = transpose(h * l);
      long double const noise = m.r(t)(i, i), s = dot(u, u) + noise,
                        v = z[std::size_t(t)](i) - (h * x)(0);
      Dense const gain = (1 / s) * (l * u);
      x = x + v * gain;
      l = l - (1 / (1 + std::sqrt(noise / s))) * (gain * transpose(u));
      r.log_likelihood -= (true_log_two_pi + std::log(s) + v * v / s) / 2;
      r.absolute += (true_log_two_pi + std::fabs(std::log(s)) + v * v / s) / 2;
    }
    r.filtered_mean.push_back(x);
    r.filtered_covariance.push_back(times_transpose(l));
    if (order == Kalman::Order::update_first) predict(t);
  }
  r.last_mean = x;
  r.last_covariance = times_transpose(l);
  return r;
}

/// A diffuse start x1 + B delta, p_inf = B B', with delta unknown, by generalised least squares
/// (Durbin and Koopman 2012, section 5.7): the diffuse likelihood, and the state after the last
/// observation.
struct LeastSquares {
  Dense mean, covariance;
  long double log_likelihood = 0;
  long double condition = 1;  ///< condition number of the matrix that determines the start
};
inline LeastSquares least_squares(TrueModel const& m, Dense const& x1, Dense const& p1,
                                  Dense const& b, std::vector<Dense> const& z) {
  int const steps = int(z.size()), d = b.cols;
  std::vector<Dense> a{b}, mean{x1}, v{p1};  // of the state at each time, and after the last one
  for (int t = 0; t < steps; ++t) {
    auto const s = std::size_t(t);
    a.push_back(m.f(t) * a[s]);
    mean.push_back(m.f(t) * mean[s]);
    v.push_back(m.f(t) * v[s] * transpose(m.f(t)) + m.q(t));
  }
  struct Entry {
    int t, i;
  };
  std::vector<Entry> entries;
  for (int t = 0; t < steps; ++t)
    for (int i : observed_entries(z[std::size_t(t)])) entries.push_back({t, i});
  int const n = int(entries.size());
  // c[t][s], s <= t: covariance of the state at time t with that at s, F ... F V_s.
  std::vector<std::vector<Dense>> c;
  for (int t = 0; t <= steps; ++t) {
    c.emplace_back();
    for (int s = 0; s < t; ++s)
      c.back().push_back(m.f(t - 1) * c[std::size_t(t) - 1][std::size_t(s)]);
    c.back().push_back(v[std::size_t(t)]);
  }
  Dense omega(n, n), design(n, d), y(n, 1), ahead(x1.rows, n);
  for (int k = 0; k < n; ++k) {
    auto const [t, i] = entries[std::size_t(k)];
    Dense const h = rows_of(m.h(t), {i});
    Dense const hk = h * a[std::size_t(t)];
    for (int j = 0; j < d; ++j) design(k, j) = hk(0, j);
    y(k) = z[std::size_t(t)](i) - (h * mean[std::size_t(t)])(0);
    Dense const ck = c[std::size_t(steps)][std::size_t(t)] * transpose(h);
    for (int j = 0; j < x1.rows; ++j) ahead(j, k) = ck(j);
    for (int l = 0; l <= k; ++l) {
      auto const [s, j] = entries[std::size_t(l)];
      long double w = (h * c[std::size_t(t)][std::size_t(s)] * transpose(rows_of(m.h(s), {j})))(0);
      if (s == t) w += m.r(t)(i, j);
      omega(k, l) = omega(l, k) = w;
    }
  }
  Dense const oy = solve_spd(omega, y), od = solve_spd(omega, design);
  Dense const information = transpose(design) * od;
  LeastSquares r;
  r.condition = condition_spd(information);
  Dense const delta = solve_spd(information, transpose(design) * oy);
  Dense const e = y - design * delta;
  r.log_likelihood = -0.5L * ((long double)(n - d) * true_log_two_pi + log_det_spd(omega) +
                              log_det_spd(information) + dot(e, solve_spd(omega, e)));
  Dense const free = a[std::size_t(steps)] - ahead * od;
  r.mean = mean[std::size_t(steps)] + a[std::size_t(steps)] * delta + ahead * solve_spd(omega, e);
  r.covariance = v[std::size_t(steps)] - ahead * solve_spd(omega, transpose(ahead)) +
                 free * solve_spd(information, transpose(free));
  return r;
}

/// The results of a diffuse filter. These include the number of diffuse directions after the
/// observation of each time, and the number of entries that observed a diffuse direction.
struct TrueDiffuseFilter : TrueFilter {
  std::vector<int> directions;
  int diffuse_entries = 0;
  /// The largest entry of mean and covariance at any time. Errors are relative to it.
  long double largest_mean = 1, largest_covariance = 1;
};

/// The exact diffuse filter with the diffuse covariance itself, not a factor of it (Durbin and
/// Koopman 2012, sections 5.2 and 6.4), for one observation at a time. In long double a known
/// direction leaves about 1e-17 of P_inf. In the models of the tests, a diffuse direction leaves
/// more than 1e-7.
inline TrueDiffuseFilter true_diffuse_filter(TrueModel const& m, Dense x, Dense p, Dense p_inf,
                                             int directions, std::vector<Dense> const& z) {
  TrueDiffuseFilter r;
  int const n = x.rows;
  std::vector<long double> scale(std::size_t(n), 0);
  for (int t = 0; t < int(z.size()); ++t) {
    Dense const h = m.h(t), f = m.f(t);
    r.predicted_mean.push_back(x);
    r.predicted_covariance.push_back(p);
    long double terms = 0;
    for (int i = 0; i < n; ++i) {
      auto& s = scale[std::size_t(i)];
      s = std::max(s, std::sqrt(std::fabs(p_inf(i, i))));
      terms += std::fabs(h(0, i)) * s;
    }
    if (!std::isnan(z[std::size_t(t)](0))) {
      Dense const mp = p * transpose(h), mi = p_inf * transpose(h);
      long double const v = z[std::size_t(t)](0) - (h * x)(0), s = (h * mp)(0) + m.r(t)(0, 0),
                        s_inf = (h * mi)(0);
      if (directions > 0 && s_inf > 1e-14L * terms * terms) {
        Dense const k = (1 / s_inf) * mi;
        x = x + v * k;
        p = p + s * (k * transpose(k)) - mp * transpose(k) - k * transpose(mp);
        p_inf = p_inf - k * transpose(mi);
        --directions;
        ++r.diffuse_entries;
        r.log_likelihood -= std::log(s_inf) / 2;
        r.absolute += std::fabs(std::log(s_inf)) / 2;
      } else {
        x = x + (v / s) * mp;
        p = p - (1 / s) * (mp * transpose(mp));
        r.log_likelihood -= (true_log_two_pi + std::log(s) + v * v / s) / 2;
        r.absolute += (true_log_two_pi + std::fabs(std::log(s)) + v * v / s) / 2;
      }
      p = mirrored(p);
      p_inf = mirrored(p_inf);
    }
    r.filtered_mean.push_back(x);
    r.filtered_covariance.push_back(p);
    r.directions.push_back(directions);
    x = f * x;
    p = f * p * transpose(f) + m.q(t);
    if (directions > 0) p_inf = f * p_inf * transpose(f);
    r.largest_mean = std::max(r.largest_mean, norm1(x));
    r.largest_covariance = std::max(r.largest_covariance, norm1(p));
  }
  r.last_mean = x;
  r.last_covariance = p;
  return r;
}

/// A model in T with well-behaved dynamics: F near a rotation, spectral radius below one.
template <class T>
struct RandomModel {
  Dense f, q, h, r;
  RandomModel(Random& random, int n, int m) {
    auto const rounded = [&](Dense const& x) {
      return make_dense(x.rows, x.cols, [&](int i, int j) { return static_cast<T>(x(i, j)); });
    };
    f = rounded(0.8L * eye(n) + (0.3L / n) * random_dense<T>(random, n, n));
    q = rounded(0.1L * random_spd<T>(random, n));
    h = random_dense<T>(random, m, n);
    r = rounded(0.5L * random_spd<T>(random, m));
  }
  TrueModel truth() const { return constant_model(f, q, h, r); }
};

/// Observations rounded to T; `missing(t, i)` says which entries are missing.
template <class T, class Missing>
std::vector<Dense> random_series(Random& random, int steps, int m, Missing const& missing) {
  std::vector<Dense> z;
  for (int t = 0; t < steps; ++t)
    z.push_back(make_dense(m, 1, [&](int i, int) {
      T const x = static_cast<T>(2 * random.normal());
      return missing(t, i) ? std::numeric_limits<T>::quiet_NaN() : x;
    }));
  return z;
}

// ---- Views from and to the host -----------------------------------------------------------------

template <class View, class F>
void fill(View const& v, F const& f) {
  auto h = Kokkos::create_mirror_view(v);
  f(h);
  Kokkos::deep_copy(v, h);
}
template <class View>
View filled(View const& v, Dense const& x) {
  using T = typename View::non_const_value_type;
  fill(v, [&](auto const& h) {
    for (int i = 0; i < x.rows; ++i)
      for (int j = 0; j < x.cols; ++j) {
        if constexpr (View::rank() == 2) h(i, j) = static_cast<T>(x(i, j));
        else h(i) = static_cast<T>(x(i, j));
      }
  });
  return v;
}
template <class View>
View poisoned(View const& v) {
  Kokkos::deep_copy(v, poison<typename View::non_const_value_type>());
  return v;
}
/// A copy, on hosts as well: later results do not change it.
template <class View>
auto on_host(View const& v) {
  auto const copy = Kokkos::create_mirror(v);
  Kokkos::deep_copy(copy, v);
  return copy;
}
/// z(item, time, i) of a batch of series.
template <class View>
View filled_series(View const& v, std::vector<std::vector<Dense>> const& z) {
  using T = typename View::non_const_value_type;
  fill(v, [&](auto const& h) {
    for (std::size_t k = 0; k < z.size(); ++k)
      for (std::size_t t = 0; t < z[k].size(); ++t)
        for (int i = 0; i < z[k][t].rows; ++i) {
          if constexpr (View::rank() == 3) h(k, t, i) = static_cast<T>(z[k][t](i));
          else h(k, t) = static_cast<T>(z[k][t](i));
        }
  });
  return v;
}

}  // namespace Batchwork::Test

#endif
