// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GridRun.hpp"

#include <Batchwork.hpp>
#include <algorithm>
#include <limits>
#include <utility>

#include "Localization.hpp"
#include "Rotation.hpp"
#include "Scores.hpp"
#include "ShallowWater.hpp"

namespace Letkf {

namespace {

using namespace Batchwork;

constexpr int variables = ShallowWater::variables;

struct Observe {
  double deviation;
  template <class Y, class X, class R>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x, R& random) const {
    y = x + deviation * normal(random);
  }
};

double seconds_of(std::function<void()> const& f) {
  Kokkos::fence("letkf: start");
  Kokkos::Timer const timer;
  f();
  Kokkos::fence("letkf: end");
  return timer.seconds();
}

/// The time of eigh alone for all points, by parts of at most 256 MB: of random matrices with
/// condition numbers around 30.
double time_eigh(Exec const& exec, std::int64_t points, std::int64_t members) {
  std::int64_t const part =
      std::clamp<std::int64_t>((std::int64_t(1) << 25) / (4 * members * members), 1, points);
  Ensemble const factors("factors", part, 2 * members, members),
      products("products", part, members, members), matrices("matrices", part, members, members);
  Matrix const values("values", part, members);
  fill_random(exec, random(1), normal(0, 1), factors);
  gemm(exec, 1, in(transposed(factors)), in(factors), 0, out(products));
  Vector const memory("workspace",
                      workspace_numbers<Verb::eigh>(exec, inout(matrices), out(values)));
  double best = std::numeric_limits<double>::infinity();
  for (int trial = 0; trial < 2; ++trial) {
    Kokkos::deep_copy(matrices, products);
    best = std::min(
        best, seconds_of([&] { eigh(exec, inout(matrices), out(values), workspace(memory)); }));
  }
  return best * double(points) / double(part);
}

std::vector<double> heights(Ensemble const& e) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), e);
  std::vector<double> mean(e.extent(0), 0.0);
  for (std::size_t p = 0; p < mean.size(); ++p)
    for (std::size_t j = 0; j < e.extent(2); ++j) mean[p] += host(p, 0, j) / double(e.extent(2));
  return mean;
}

}  // namespace

GridResult run(GridSettings const& s, std::function<void(int)> const& progress) {
  Exec const exec;
  int const points = s.points * s.points;
  Ensemble forecast("forecast", points, variables, s.members),
      analysis("analysis", points, variables, s.members);
  Ensemble const truth("truth", points, variables, 1);
  Vector const true_rows(truth.data(), truth.size()), observed("observed", truth.size());
  Codes const codes("codes", points);
  ShallowWater const model(s.points, s.members), one(s.points, 1);
  model.start(exec, analysis, 4 * s.seed);
  one.start(exec, truth, 4 * s.seed + 1);
  LocalObservations const local =
      localize({s.points, s.points, s.every, variables, 0, 1, s.deviation}, s.radius);
  Rotation rotation(s.members, 4 * s.seed + 2);
  Scores before(s.cycles, 1, s.members), after(s.cycles, 1, s.members);
  GridResult r;
  r.local = int(local.near.extent(1));
  r.fastest = std::numeric_limits<double>::infinity();

  for (int cycle = 0; cycle < s.cycles; ++cycle) {
    std::swap(forecast, analysis);
    r.forecasts += seconds_of([&] {
      model.forecast(exec, forecast, s.steps);
      one.forecast(exec, truth, s.steps);
    });
    map(exec, Observe{s.deviation}, out(observed), in(true_rows),
        random(4 * s.seed + 3, std::uint64_t(cycle)));
    before.add(exec, cycle, forecast, true_rows, 0);
    if (cycle >= s.cycles / 2) before.add_ranks(exec, forecast, true_rows, 0);
    Matrix const turn = rotation.next(exec);
    double const seconds = seconds_of(
        [&] { analyse(exec, analysis, forecast, turn, local, observed, codes, s.analysis); });
    r.analyses += seconds;
    r.fastest = std::min(r.fastest, seconds);
    require_success(exec, codes);
    after.add(exec, cycle, analysis, true_rows, 0);
    if (progress) progress(cycle + 1);
  }
  r.before = before.error();
  r.after = after.error();
  r.spread = after.spread();
  r.ranks = before.ranks();
  r.truth = heights(truth);
  r.mean = heights(analysis);
  r.eigh = time_eigh(exec, points, s.members);
  return r;
}

}  // namespace Letkf
