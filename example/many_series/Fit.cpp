// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit.hpp"

#include <Batchwork.hpp>

namespace ManySeries {

using namespace Batchwork;

namespace {

using Space = Kokkos::DefaultExecutionSpace;

/// Variances of the level from 0.05 to 1 and of the noise from 0.2 to 4, uniform in the logarithm.
struct DrawParameters {
  template <class Theta, class Random>
  KOKKOS_FUNCTION void operator()(Theta& theta, Random& random) const {
    theta = 3.0 * uniform<2>(random) +
            generate<2>([](int k) { return k == 0 ? -3.0 : -1.6094379124341003; });
  }
};
struct Simulate {
  template <class Level, class Theta, class Random, class Z>
  KOKKOS_FUNCTION void operator()(Level& level, Theta const& theta, Random& random, Z& z) const {
    auto const noise = normal<2>(random);
    z = level + exp(0.5 * theta(1)) * noise(1);
    level += exp(0.5 * theta(0)) * noise(0);
  }
};

struct LocalLevel {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    return Kalman::matrices(1.0, exp(theta(0)), 1.0, exp(theta(1)));
  }
};

/// One step of the method of scoring (Harvey 1989, section 3.4), damped as by Levenberg and
/// Marquardt. `trial` has been evaluated: if it is better than theta, theta moves there. The
/// damping grows or falls if the likelihood gained much less or about as much as its quadratic
/// model said.
struct Advance {
  template <class Trial, class X, class F, class G, class J, class Damping, class NewF, class NewG,
            class NewJ>
  KOKKOS_FUNCTION void operator()(Trial& trial, X& theta, F& f, G& score, J& information,
                                  Damping& damping, NewF const& new_f, NewG const& new_score,
                                  NewJ const& new_information) const {
    auto const step_taken = trial - theta;
    auto const gain = new_f - f,
               expected = dot(step_taken, score) - 0.5 * dot(step_taken, information * step_taken);
    auto const better = new_f >= f - 1e-12 * abs(f), good = gain > 0.75 * expected,
               fair = gain > 0.25 * expected;
    theta = select(better, trial, theta);
    f = select(better, new_f, f);
    score = select(better, new_score, score);
    information = select(better, new_information, information);
    damping = max(select(good, 0.2 * damping, select(fair, damping, 4.0 * damping)), 1e-4);
    auto const step = cholesky(information + damping * identity<2>(theta)).solve(score);
    auto next = theta + (2.0 / max(max_abs(step), 2.0)) * step;
    double const least = lowest;  // kernels cannot refer to a constant of a namespace
    for (int k = 0; k < 2; ++k) next(k) = max(next(k), least);
    trial = next;
  }
};
struct Deviations {
  template <class D, class J>
  KOKKOS_FUNCTION void operator()(D& deviation, J const& information) const {
    auto const covariance = inverse(information);
    deviation = generate<2>([&](int k) { return sqrt(covariance(k, k)); });
  }
};

/// Counts the series whose score is not flat, unless a variance is zero.
struct IsMoving {
  Parameters theta, slope;
  KOKKOS_FUNCTION void operator()(std::int64_t n, std::int64_t& count) const {
    bool moves = false;
    for (int k = 0; k < 2; ++k)
      moves = moves || !(Kokkos::abs(slope(n, k)) <= flat || theta(n, k) <= lowest);
    count += moves;
  }
};

}  // namespace

Simulation simulate(Options const& o) {
  auto const n = std::size_t(o.series);
  Simulation s{Parameters("ManySeries::truth", n),
               Kokkos::View<double**>("ManySeries::z", n, std::size_t(o.steps))};
  map(DrawParameters{}, out(s.truth), random(o.seed, 0));
  scan(o.steps, Simulate{}, carry(common(fixed(0.0))), in(s.truth), random(o.seed, 1), emit(s.z));
  return s;
}

Estimates fit(Kokkos::View<double**> const& z, int rounds,
              std::function<void(int, std::int64_t)> const& progress) {
  std::size_t const n = z.extent(0);
  auto const steps = std::int64_t(z.extent(1));
  Estimates e{Parameters("ManySeries::theta", n), Parameters("ManySeries::deviation", n),
              Parameters("ManySeries::slope", n)};
  Parameters trial("ManySeries::trial", n), new_score("ManySeries::new_score", n);
  Kokkos::View<double* [2][2]> information("ManySeries::information", n),
      new_information("ManySeries::new_information", n);
  Kokkos::View<double*> f("ManySeries::f", n), new_f("ManySeries::new_f", n),
      damping("ManySeries::damping", n);
  Kokkos::deep_copy(f, -INFINITY);
  Kokkos::deep_copy(damping, 1.0);  // every series begins with two variances of 1
  std::int64_t moving = std::int64_t(n);
  while (moving > 0 && e.rounds < rounds) {
    Kalman::score(
        steps, LocalLevel{}, trial, Kalman::diffuse(), z,
        Kalman::results().log_likelihood(new_f).score(new_score).information(new_information));
    map(Advance{}, inout(trial), inout(e.theta), inout(f), inout(e.slope),
        inout(symmetric(information)), inout(damping), in(new_f), in(new_score),
        in(symmetric(new_information)));
    if (++e.rounds % 4 != 0 && e.rounds < rounds) continue;
    Kokkos::parallel_reduce("ManySeries::moving",
                            Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(0, n),
                            IsMoving{e.theta, e.slope}, moving);
    progress(e.rounds, moving);
  }
  map(Deviations{}, out(e.deviation), in(symmetric(information)));
  Kokkos::fence();
  return e;
}

}  // namespace ManySeries
