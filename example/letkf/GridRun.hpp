// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The filter on a grid of shallow water, with times.
#ifndef LETKF_GRIDRUN_HPP
#define LETKF_GRIDRUN_HPP

#include <functional>
#include <vector>

#include "Analysis.hpp"

namespace Letkf {

struct GridSettings {
  int points = 128;  ///< along each side
  std::int64_t members = 64;
  int every = 2;         ///< heights are observed at every so many points along each side
  double radius = 3;     ///< of the taper, in points
  double deviation = 5;  ///< of the error of an observed height, m
  AnalysisSettings analysis{1.1};
  int cycles = 20;
  int steps = 48;  ///< of the model between two analyses: 12 hours
  std::uint64_t seed = 1;
};

struct GridResult {
  std::vector<double> before, after, spread;  ///< (cycle): error of the height, m
  std::vector<std::int64_t> ranks;            ///< of the truth among the members of the forecast
  std::vector<double> truth, mean;            ///< heights at the end, line by line
  double forecasts = 0, analyses = 0;         ///< seconds in all
  double fastest = 0;                         ///< seconds of the fastest analysis
  double eigh = 0;  ///< seconds of the verb eigh for as many matrices of this size
  int local = 0;    ///< most local observations of a point
};

/// \param progress  called with the number of cycles that are done; may be empty
GridResult run(GridSettings const& settings, std::function<void(int)> const& progress);

}  // namespace Letkf

#endif
