// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The local level model: a level that drifts, observed with noise.
///   flow(t)  = level(t) + noise,        noise with variance `observation`
///   level(t) = level(t - 1) + drift,    drift with variance `drift` a year
/// Durbin and Koopman, Time Series Analysis by State Space Methods, 2nd edition, chapter 2.
#ifndef NILE_LOCAL_LEVEL_HPP
#define NILE_LOCAL_LEVEL_HPP

#include <Batchwork.hpp>

namespace Nile {

/// One step of the Kalman filter: prediction over the years since the previous observation, then
/// the update.
///
/// The start is exact diffuse: nothing is known about the level before the first observation. After
/// it, the mean of the level is the observation, and its variance is the variance of an
/// observation. The steps begin with the second observation. The first one adds nothing to the
/// log-likelihood, not even log 2 pi. Every other one adds -(log 2 pi + log f + v^2 / f) / 2, with
/// the innovation v and its variance f.
struct FilterStep {
  template <class Level, class Variance, class LogLikelihood, class Flow, class Years,
            class Observation, class Drift, class FilteredLevel, class FilteredVariance>
  KOKKOS_FUNCTION void operator()(Level& level, Variance& variance, LogLikelihood& log_likelihood,
                                  Flow const& flow, Years const& years,
                                  Observation const& observation, Drift const& drift,
                                  FilteredLevel& filtered_level,
                                  FilteredVariance& filtered_variance) const {
    auto const prior = variance + years * drift;
    auto const v = flow - level;
    auto const f = prior + observation;
    auto const f_inverse = 1.0 / f;
    auto const gain = prior * f_inverse;
    level = level + gain * v;
    variance = gain * observation;  // (1 - gain) prior, written without cancellation
    log_likelihood.add_log(f);
    log_likelihood += -0.5 * (v * v) * f_inverse;
    filtered_level = level;
    filtered_variance = variance;
  }
};

}  // namespace Nile

#endif
