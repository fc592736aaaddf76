// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Kalman filters over one series: the log-likelihood for many pairs of variances, and the filtered
/// level for one.
#ifndef NILE_FILTERS_HPP
#define NILE_FILTERS_HPP

#include <vector>

#include "LocalLevel.hpp"
#include "Series.hpp"

namespace Nile {

using Exec = Kokkos::DefaultExecutionSpace;
using DeviceVector = Kokkos::View<double*>;

/// The filtered level, year by year from the first observation to the end of the file.
struct FilteredLevel {
  std::vector<int> year;
  std::vector<double> level, variance;
};

class Filters {
 public:
  explicit Filters(Series const& series);

  /// One filter for each pair of variances (observation(i), drift(i)). Asynchronous on the default
  /// instance.
  void log_likelihood(DeviceVector const& result, DeviceVector const& observation,
                      DeviceVector const& drift) const;

  /// The filtered level and its variance for one pair.
  FilteredLevel filter(double observation, double drift) const;

 private:
  Series series_;
  int steps_;           ///< observations after the first
  DeviceVector flow_;   ///< the flow of step t
  DeviceVector years_;  ///< years from the previous observation to the observation of step t
  double log_two_pi_;   ///< the constant part of the log-likelihood
};

}  // namespace Nile

#endif
