// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Estimate.hpp"

#include <algorithm>

namespace Nile {

namespace {

constexpr int points = 33;   // points of a smaller grid along each variance
constexpr double reach = 4;  // cells of the previous grid to either side: the maximum of a slanting
                             // ridge may not be next to the best point
constexpr double close = 1e-6;   // relative distance of points at which the refinement stops
constexpr int most_grids = 100;  // far more than any data need

double cell(Range r, int n) { return (r.high - r.low) / (n - 1); }

Range around(double x, Range r, int n, Range limits) {
  double const half = reach * cell(r, n);
  return {std::max(limits.low, x - half), std::min(limits.high, x + half)};
}

bool close_enough(Range r, double x) { return cell(r, points) <= close * x; }

bool at_edge(double x, Range r) { return x - r.low <= close * x || r.high - x <= close * x; }

}  // namespace

Estimate refine(Filters const& filters, Surface const& surface) {
  Grid const first = surface.grid;
  Grid grid = first;
  Estimate e{grid.observation_at(surface.best), grid.drift_at(surface.best),
             surface.log_likelihood[std::size_t(surface.best)], 0, false};
  while (e.grids < most_grids) {
    grid = {around(e.observation, grid.observation, grid.points, first.observation),
            around(e.drift, grid.drift, grid.points, first.drift), points};
    Surface const s = sweep(filters, grid, grid.size());
    ++e.grids;
    double const best = s.log_likelihood[std::size_t(s.best)];
    // On the last grids the surface is flat up to rounding, and the best point may not improve.
    if (best > e.log_likelihood) {
      e.log_likelihood = best;
      e.observation = grid.observation_at(s.best);
      e.drift = grid.drift_at(s.best);
    }
    if (close_enough(grid.observation, e.observation) && close_enough(grid.drift, e.drift)) break;
  }
  e.at_edge = at_edge(e.observation, first.observation) || at_edge(e.drift, first.drift);
  return e;
}

}  // namespace Nile
