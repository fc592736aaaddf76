// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// How good a filter is: errors, and whether its covariances are right.
#ifndef TRACKING_SCORE_HPP
#define TRACKING_SCORE_HPP

#include "Filters.hpp"

namespace Tracking {

/// Limits of the mean of `runs` independent numbers with the chi-squared distribution.
struct Band {
  double low, high;
};
/// The band that the mean of `runs` numbers with `freedom` degrees of freedom is in with
/// probability 95 %, by the approximation of Wilson and Hilferty (PNAS 17, 1931).
Band band_95(double freedom, double runs);

/// Sums over targets and steps.
struct Score {
  double seconds = 0;
  double targets = 0, gated = 0, failed = 0, log_likelihood = 0;
  double steps[2] = {}, position[2] = {}, velocity[2] = {};  ///< squares; straight, turning
  double seen = 0, nis = 0;                                  ///< of genuine observations
  double nees = 0;                                           ///< at the last step of each target

  /// Adds the results of a batch.
  void add(Targets const& targets, Tracks const& tracks);

  double updates_per_second() const { return (steps[0] + steps[1]) / seconds; }
  /// Root mean square error, in m.
  double position_error(int turning) const;
  double position_error() const;
  /// Root mean square error, in m/s.
  double velocity_error() const;
};

}  // namespace Tracking

#endif
