// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulation.hpp"

namespace Tracking {

namespace {

using namespace Batchwork;

/// Where a target is before the first step, and what the filter knows of it.
struct Begin {
  template <class Truth, class Start, class R>
  KOKKOS_FUNCTION void operator()(Truth& truth, Start& start, R& r) const {
    auto const u = uniform<4>(r);
    auto const range = 5e4 + 4e4 * u(0), bearing = 2 * pi * u(1);
    auto const speed = 150 + 100 * u(2), heading = 2 * pi * u(3);
    truth(0) = range * cos(bearing);
    truth(1) = range * sin(bearing);
    truth(2) = speed * cos(heading);
    truth(3) = speed * sin(heading);
    truth(4) = 0.0;
    start = truth + cholesky(start_covariance()).lower() * normal<N>(r);
  }
};

/// A step of a target. It begins a turn of 1 to 3 degrees a second with probability 0.03, and ends
/// it with probability 0.06.
struct Fly {
  Mode mode;
  double detected, outliers;
  template <class X, class R, class Truth, class Z, class F>
  KOKKOS_FUNCTION void operator()(X& x, R& r, Truth& truth, Z& seen, F& flag) const {
    double const degree = pi / 180;
    auto const u = uniform<6>(r);
    auto const was_turning = x(4) != 0.0;
    auto const begins = !was_turning && u(0) < 0.03, ends = was_turning && u(0) < 0.06;
    auto const rate = (1 + 2 * u(1)) * select(u(2) < 0.5, -degree, degree);
    x(4) = select(begins, rate, select(ends, 0.0, x(4)));
    auto const turns = x(4) != 0.0;
    x = mode.motion()(x) + cholesky(mode.noise()).lower() * normal<N>(r);
    x(4) = select(turns, x(4), 0.0);
    truth = x;

    auto z = Observation{}(x);
    auto const noise = normal<M>(r);
    for (int i = 0; i < M; ++i) z(i) += radar_deviation(i) * noise(i);
    auto const is_seen = u(3) < detected, is_wrong = u(4) < outliers;
    z(0) += select(is_wrong, 4000 * (u(5) - 0.5), 0.0);
    for (int i = 0; i < M; ++i) seen(i) = select(is_seen, z(i), Kokkos::nan(""));
    flag(turning) = select(turns, 1.0, 0.0);
    flag(genuine) = select(is_seen && !is_wrong, 1.0, 0.0);
  }
};

}  // namespace

Targets::Targets(std::int64_t items, int steps)
    : start("Tracking::start", std::size_t(items)),
      truth("Tracking::truth", std::size_t(items), std::size_t(steps)),
      seen("Tracking::seen", std::size_t(items), std::size_t(steps)),
      flag("Tracking::flag", std::size_t(items), std::size_t(steps)) {}

void simulate(Scenario const& scenario, std::int64_t first, Targets const& targets) {
  Kokkos::View<double* [N]> const state("Tracking::state", targets.start.extent(0));
  map(Exec(), Begin{}, out(state), out(targets.start), random(scenario.seed, 0, first));
  scan(Exec(), scenario.steps, Fly{{1, 0.3, 0.0005}, scenario.detected, scenario.outliers},
       carry(state), random(scenario.seed, 1, first), emit(targets.truth), emit(targets.seen),
       emit(targets.flag));
}

}  // namespace Tracking
