// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The filters: each is one kernel over all targets of a batch and all steps.
#ifndef TRACKING_FILTERS_HPP
#define TRACKING_FILTERS_HPP

#include "Simulation.hpp"

namespace Tracking {

enum class Kind { extended, unscented, two_modes, three_modes };

char const* name_of(Kind kind);

/// The results of a filter.
struct Tracks {
  Tracks(Kind kind, std::int64_t items, int steps);

  Kokkos::View<double** [N]> mean;           ///< (target, step)
  Kokkos::View<double** [N][N]> covariance;  ///< (target, step)
  Kokkos::View<double**> nis;                ///< (target, step); 0 where nothing was seen
  Kokkos::View<double***> probability;       ///< (target, step, mode); no modes without IMM
  Kokkos::View<double*> log_likelihood;      ///< (target)
  Kokkos::View<double*> gated;               ///< (target): observations beyond the gate
  Kokkos::View<int*> status;                 ///< (target): 0, or the first failure
};

/// Runs a filter over all targets. \returns its time in seconds, from launch to fence
double track(Kind kind, Targets const& targets, Tracks const& tracks);

}  // namespace Tracking

#endif
