// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace Airline {

using namespace Batchwork;

namespace {

constexpr double flat = 1e-4;  // largest slope at a maximum
constexpr double same = 1e-3;  // difference of log-likelihoods of one maximum
constexpr double quantile_95 = 1.6448536269514722;
constexpr int rounds_per_check = 8;  // rounds between two looks at the slopes

/// One round of the method of scoring for each starting point (Harvey 1989, section 3.4), damped as
/// by Levenberg and Marquardt: the step solves (information + damping I) step = score. `trial` has
/// been evaluated. If it is better than x, x moves there and the damping falls; otherwise x stays,
/// and the damping grows.
struct Advance {
  template <class Trial, class X, class F, class G, class J, class Damping, class NewF, class NewG,
            class NewJ>
  KOKKOS_FUNCTION void operator()(Trial& trial, X& x, F& f, G& score, J& information,
                                  Damping& damping, NewF const& new_f, NewG const& new_score,
                                  NewJ const& new_information) const {
    double const lowest = -27.6;    // variances below 1e-12 count as zero
    double const rounding = 1e-12;  // of a log-likelihood, relative
    double const longest_step = 2;  // in the logarithm of a variance
    double const least_damping = 1e-4;
    auto const better = new_f >= f - rounding * abs(f);
    x = select(better, trial, x);
    f = select(better, new_f, f);
    score = select(better, new_score, score);
    information = select(better, new_information, information);
    damping = max(select(better, 0.2 * damping, 5.0 * damping), least_damping);
    auto const step = cholesky(information + damping * identity<parameters>(x)).solve(score);
    auto next = x + (longest_step / max(max_abs(step), longest_step)) * step;
    for (int k = 0; k < parameters; ++k) next(k) = max(next(k), lowest);
    trial = next;
  }
};

using Space = Kokkos::DefaultExecutionSpace;
using Vectors = Kokkos::View<double* [parameters]>;

Kokkos::View<double*> logarithms(Series const& series, int months) {
  Kokkos::View<double*> z("Airline::z", std::size_t(months));
  auto const h = Kokkos::create_mirror_view(z);
  for (int t = 0; t < months; ++t)
    h(t) = t < series.months() ? std::log(series.value[std::size_t(t)])
                               : std::numeric_limits<double>::quiet_NaN();
  Kokkos::deep_copy(z, h);
  return z;
}

/// Logarithms of variances, independent of one another and uniform from 1e-7 to 1e-1.
struct RandomStart {
  template <class X, class Random>
  KOKKOS_FUNCTION void operator()(X& x, Random& random) const {
    x = 13.8 * uniform<parameters>(random) - generate<parameters>([](int) { return 16.1; });
  }
};

int count_moving(Vectors const& gradient) {
  auto const g = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), gradient);
  int moving = 0;
  for (std::size_t n = 0; n < g.extent(0); ++n) {
    double largest = 0;
    for (int k = 0; k < parameters; ++k)
      largest = std::isnan(g(n, k)) ? INFINITY : std::max(largest, std::abs(g(n, k)));
    moving += largest > flat;
  }
  return moving;
}

}  // namespace

Fit fit(Series const& series, int starts, int rounds,
        std::function<void(int, int)> const& progress) {
  auto const z = logarithms(series, series.months());
  std::size_t const n = std::size_t(starts);
  Vectors trial("Airline::trial", n), x("Airline::x", n), score("Airline::score", n),
      new_score("Airline::new_score", n);
  Kokkos::View<double* [parameters][parameters]> information("Airline::information", n),
      new_information("Airline::new_information", n);
  Kokkos::View<double*> f("Airline::f", n), new_f("Airline::new_f", n),
      damping("Airline::damping", n);
  map(RandomStart{}, out(trial), random<double>(2026));
  Kokkos::deep_copy(f, -std::numeric_limits<double>::infinity());
  Kokkos::deep_copy(damping, 1.0);

  Kokkos::Timer const timer;
  Fit r;
  do {
    Kalman::score(
        launch("airline"), series.months(), StructuralModel{}, trial, Kalman::diffuse(),
        common(each(z)),
        Kalman::results().log_likelihood(new_f).score(new_score).information(new_information));
    map(Advance{}, inout(trial), inout(x), inout(f), inout(score), inout(symmetric(information)),
        inout(damping), in(new_f), in(new_score), in(symmetric(new_information)));
    ++r.rounds;
    if (r.rounds % rounds_per_check != 0) continue;
    r.unfinished = count_moving(score);
    progress(r.rounds, r.unfinished);
    if (r.unfinished == 0) break;
  } while (r.rounds < rounds);
  r.unfinished = count_moving(score);
  r.seconds = timer.seconds();

  auto const hx = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  auto const hf = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), f);
  auto const hg = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), score);
  std::vector<Maximum> ends;
  for (std::size_t i = 0; i < n; ++i) {
    Maximum m{{}, hf(i), 1};
    bool at_rest = std::isfinite(hf(i));
    for (std::size_t k = 0; k < parameters; ++k) {
      m.theta[k] = hx(i, k);
      at_rest = at_rest && std::abs(hg(i, k)) <= flat;
    }
    if (at_rest) ends.push_back(m);
  }
  std::sort(ends.begin(), ends.end(),
            [](Maximum const& a, Maximum const& b) { return a.log_likelihood > b.log_likelihood; });
  for (Maximum const& m : ends) {
    if (!r.maxima.empty() && r.maxima.back().log_likelihood - m.log_likelihood < same)
      ++r.maxima.back().starts;
    else r.maxima.push_back(m);
  }
  return r;
}

Components components(Series const& series, std::array<double, parameters> const& theta,
                      int ahead) {
  int const months = series.months() + ahead;
  auto const z = logarithms(series, months);  // the months ahead are missing observations
  auto const model =
      StructuralModel{}(generate<parameters>([&](int k) { return theta[std::size_t(k)]; }));
  Kokkos::View<double** [states]> predicted("Airline::predicted", 1, std::size_t(months)),
      smoothed("Airline::smoothed", 1, std::size_t(months));
  Kokkos::View<double** [states][states]> covariance("Airline::covariance", 1, std::size_t(months)),
      smoothed_covariance("Airline::smoothed_covariance", 1, std::size_t(months)),
      factor("Airline::factor", 1, std::size_t(months));
  Kokkos::View<double**> diffuse("Airline::diffuse", 1, std::size_t(months));
  Kalman::smooth(months,
                 Kalman::model(common(fixed(model.f)), common(fixed(model.q)),
                               common(fixed(model.h)), common(fixed(model.r))),
                 Kalman::diffuse(), common(each(z)),
                 Kalman::results()
                     .predicted_mean(predicted)
                     .predicted_covariance(covariance)
                     .smoothed_mean(smoothed)
                     .smoothed_covariance(smoothed_covariance)
                     .diffuse_factor(factor)
                     .diffuse_columns(diffuse));
  auto const hp = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), predicted);
  auto const hs = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), smoothed);
  auto const hc = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), covariance);
  auto const hd = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), diffuse);
  Components r;
  for (std::size_t t = 0; t < std::size_t(months); ++t) {
    r.level.push_back(hs(0, t, 0));
    r.season.push_back(hs(0, t, 2));
    r.forecast.push_back(hp(0, t, 0) + hp(0, t, 2));
    r.deviation.push_back(
        std::sqrt(hc(0, t, 0, 0) + 2 * hc(0, t, 0, 2) + hc(0, t, 2, 2) + std::exp(theta[3])));
  }
  while (r.first < months && hd(0, r.first) > 0) ++r.first;
  if (r.first == months)
    throw InputError(
        "the observations do not determine the seasonal pattern: give each month of "
        "the year at least once");
  ++r.first;
  return r;
}

double lower_90(Components const& c, std::size_t t) {
  return std::exp(c.forecast[t] - quantile_95 * c.deviation[t]);
}
double upper_90(Components const& c, std::size_t t) {
  return std::exp(c.forecast[t] + quantile_95 * c.deviation[t]);
}

}  // namespace Airline
