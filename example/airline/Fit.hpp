// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Maximum likelihood from many starting points at once.
#ifndef AIRLINE_FIT_HPP
#define AIRLINE_FIT_HPP

#include <array>
#include <functional>
#include <vector>

#include "Series.hpp"
#include "StructuralModel.hpp"

namespace Airline {

/// A maximum of the likelihood and the number of starting points that led to it.
struct Maximum {
  std::array<double, parameters> theta;
  double log_likelihood;
  int starts;
};
struct Fit {
  std::vector<Maximum> maxima;  ///< the best first
  int rounds = 0;               ///< evaluations of every starting point
  int unfinished = 0;           ///< starting points that have not reached a maximum
  double seconds = 0;
};

/// Starts at `starts` random points and takes at most `rounds` evaluations of each. progress(n, m)
/// is called after n rounds, when m starting points still move.
Fit fit(Series const& series, int starts, int rounds,
        std::function<void(int, int)> const& progress);

/// The components and a forecast, month by month.
struct Components {
  std::vector<double> level, season;        ///< given the whole series
  std::vector<double> forecast, deviation;  ///< of the observation one step ahead
  int first = 0;                            ///< the first month that has a forecast
};
/// Of the logarithms of the series and `ahead` months beyond its end.
Components components(Series const& series, std::array<double, parameters> const& theta, int ahead);

/// The ends of the 90 % band of the forecast for month t, on the scale of the series.
double lower_90(Components const& c, std::size_t t);
double upper_90(Components const& c, std::size_t t);

}  // namespace Airline

#endif
