// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The log-likelihood over a grid of variances, chunk by chunk.
#ifndef NILE_SWEEP_HPP
#define NILE_SWEEP_HPP

#include <cstdint>
#include <functional>
#include <vector>

#include "Filters.hpp"

namespace Nile {

struct Range {
  double low, high;
};

/// Equidistant points of two ranges, ends included. The observation variance is the faster index.
struct Grid {
  Range observation, drift;
  int points;  ///< points along each variance

  std::int64_t size() const { return std::int64_t(points) * points; }
  KOKKOS_FUNCTION static double at(Range r, int k, int points) {
    return k == points - 1 ? r.high : r.low + k * ((r.high - r.low) / (points - 1));
  }
  KOKKOS_FUNCTION double observation_at(std::int64_t n) const {
    return at(observation, int(n % points), points);
  }
  KOKKOS_FUNCTION double drift_at(std::int64_t n) const {
    return at(drift, int(n / points), points);
  }
};

struct Surface {
  Grid grid;
  std::vector<double> log_likelihood;
  std::int64_t best;  ///< index of the maximum
  double seconds;     ///< time of the filters, from launch to fence
};

/// Runs a filter for each point of the grid, `chunk` points in one scan. After each chunk except
/// the last, `progress` is called with the number of points done. If `progress` is empty, chunks
/// follow each other without a fence.
Surface sweep(Filters const& filters, Grid const& grid, std::int64_t chunk,
              std::function<void(std::int64_t)> const& progress = nullptr);

}  // namespace Nile

#endif
