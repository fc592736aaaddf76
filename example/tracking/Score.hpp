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

/// What is summed: steps and squares of errors on straight parts and in turns, observations,
/// the genuine ones among them and their NIS, and the NEES of the last step.
enum Sum {
  steps,
  steps_of_turns,
  position,
  position_in_turns,
  velocity,
  velocity_in_turns,
  observations,
  seen,
  nis,
  nees,
  sums
};

/// Sums over targets and steps.
struct Score {
  double sum[sums] = {};
  double seconds = 0, targets = 0, gated = 0, failed = 0;

  /// Adds the results of a batch. Targets for which the filter failed are counted only.
  void add(Targets const& targets, Tracks const& tracks);

  double all_steps() const { return sum[steps] + sum[steps_of_turns]; }
  /// The root mean square of an error over straight parts (k = 0), turns (k = 1), or both.
  double error(Sum of, int k) const;
  double error(Sum of) const;
};

}  // namespace Tracking

#endif
