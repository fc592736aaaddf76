// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Simulated targets and what a radar sees of them.
#ifndef TRACKING_SIMULATION_HPP
#define TRACKING_SIMULATION_HPP

#include <cstdint>

#include "Model.hpp"

namespace Tracking {

using Exec = Kokkos::DefaultExecutionSpace;

/// How targets move and how well they are seen.
struct Scenario {
  int steps = 60;
  std::uint64_t seed = 1;
  double detected = 0.9;   ///< probability that a target is detected in a step
  double outliers = 0.01;  ///< share of the detections that are wrong by up to 2 km
};

/// What happened in a step.
enum Flag { turning = 0, genuine = 1, flags = 2 };

/// A batch of targets.
struct Targets {
  Targets(std::int64_t items, int steps);

  Kokkos::View<double* [N]> start;      ///< (target): the filter's mean before the first step
  Kokkos::View<double** [N]> truth;     ///< (target, step)
  Kokkos::View<double** [M]> seen;      ///< (target, step); NaN where the target was not detected
  Kokkos::View<double** [flags]> flag;  ///< (target, step): 1 or 0; genuine: seen and no outlier
};

/// Simulates targets, numbered from `first` on. The numbers of a target depend on the seed and on
/// its number only.
void simulate(Scenario const& scenario, std::int64_t first, Targets const& targets);

}  // namespace Tracking

#endif
