// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Lorenz96.hpp"

#include <Batchwork.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "Localization.hpp"
#include "Rotation.hpp"
#include "Scores.hpp"

namespace Letkf {

namespace {

using namespace Batchwork;

constexpr int variables = 40;
constexpr double step = 0.05, forcing = 8;

// [forecast]
/// A step of the method of Runge and Kutta for x_i' = (x_{i+1} - x_{i-2}) x_{i-1} - x_i + forcing.
struct Forecast {
  template <class X>
  KOKKOS_FUNCTION void operator()(X& x) const {
    double const force = forcing;  // kernels cannot refer to a constant of a namespace
    auto const rate = [&](auto const& y) {
      return generate<variables>([&](int i) {
        auto const at = [&](int shift) { return y((i + shift + variables) % variables); };
        return (at(1) - at(-2)) * at(-1) - at(0) + force;
      });
    };
    auto const k1 = rate(x);
    auto const k2 = rate(x + step / 2 * k1);
    auto const k3 = rate(x + step / 2 * k2);
    auto const k4 = rate(x + step * k3);
    x += step / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
};
// [forecast]

struct Observe {
  template <class Y, class X, class R>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x, R& random) const {
    y = x + normal(random);
  }
};

/// Memory (variable, n) as items n of vectors.
Kokkos::View<double**, Kokkos::LayoutLeft> states(double* data, std::size_t n) {
  return Kokkos::View<double**, Kokkos::LayoutLeft>(data, n, variables);
}

void start(Exec const& exec, double* data, std::size_t n, std::uint64_t seed) {
  auto const x = states(data, n);
  fill_random(exec, random(seed), normal(0, std::sqrt(1e-3)), x);
  Kokkos::parallel_for(
      "letkf: start", Kokkos::RangePolicy<Exec>(exec, 0, std::int64_t(n)),
      KOKKOS_LAMBDA(std::int64_t i) { x(i, 0) += 1; });
}

Matrix identity_matrix(std::int64_t n) {
  Matrix const one("identity", n, n);
  auto const host = Kokkos::create_mirror_view(one);
  for (std::int64_t i = 0; i < n; ++i) host(i, i) = 1;
  Kokkos::deep_copy(one, host);
  return one;
}

}  // namespace

Lorenz96Result run(Lorenz96Settings const& s, std::function<void(int)> const& progress) {
  Exec const exec;
  std::size_t const copies = std::size_t(s.experiments), items = variables * copies,
                    members = std::size_t(s.members);
  // Items are (variable, experiment). The forecast takes the same memory as (variable, member).
  Ensemble forecast("forecast", items, 1, members), analysis("analysis", items, 1, members);
  Vector const truth("truth", items), observed("observed", items);
  Codes const codes("codes", items);
  start(exec, analysis.data(), copies * members, 4 * s.seed);
  start(exec, truth.data(), copies, 4 * s.seed + 1);
  Network network{variables, 1, 1};
  network.copies = s.experiments;
  LocalObservations const local = localize(network, s.radius);
  Rotation rotation(s.members, 4 * s.seed + 2);
  Matrix const none = identity_matrix(s.members);
  Scores scores(s.cycles, s.experiments, s.members);

  Kokkos::fence("letkf: start");
  Kokkos::Timer const timer;
  for (int cycle = 0; cycle < s.cycles; ++cycle) {
    std::swap(forecast, analysis);
    map(exec, Forecast{}, inout(extents<variables>(states(forecast.data(), copies * members))));
    map(exec, Forecast{}, inout(extents<variables>(states(truth.data(), copies))));
    map(exec, Observe{}, out(observed), in(truth), random(4 * s.seed + 3, std::uint64_t(cycle)));
    if (cycle >= s.spin_up) scores.add_ranks(exec, forecast, truth, 0);
    analyse(exec, analysis, forecast, s.rotation ? rotation.next(exec) : none, local, observed,
            codes, s.analysis);
    require_success(exec, codes);
    scores.add(exec, cycle, analysis, truth, 0);
    if (progress) progress(cycle + 1);
  }
  Kokkos::fence("letkf: end");

  Lorenz96Result r;
  r.seconds = timer.seconds();
  r.error = scores.error();
  r.spread = scores.spread();
  r.ranks = scores.ranks();
  std::vector<double> const errors = scores.error_of_experiments(s.spin_up);
  double const n = double(errors.size());
  r.score = std::accumulate(errors.begin(), errors.end(), 0.0) / n;
  double squares = 0;
  for (double e : errors) squares += (e - r.score) * (e - r.score);
  r.standard_error =
      n > 1 ? std::sqrt(squares / (n * (n - 1))) : std::numeric_limits<double>::quiet_NaN();
  return r;
}

}  // namespace Letkf
