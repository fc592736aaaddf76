// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What is written as CSV.
#ifndef NILE_TABLES_HPP
#define NILE_TABLES_HPP

#include <cmath>
#include <string>

#include "Sweep.hpp"

namespace Nile {

/// A normal variable lies within this many standard deviations of its mean with probability 90 %.
inline constexpr double band_90 = 1.645;

inline double lower_90(FilteredLevel const& f, std::size_t t) {
  return f.level[t] - band_90 * std::sqrt(f.variance[t]);
}
inline double upper_90(FilteredLevel const& f, std::size_t t) {
  return f.level[t] + band_90 * std::sqrt(f.variance[t]);
}

/// year, flow (empty where it was not observed), level, lower, upper: the filtered level and its 90
/// % band. Both throw InputError if the file cannot be written.
void write_level(std::string const& path, Series const& series, FilteredLevel const& filtered);

/// observation_variance, level_variance, log_likelihood: every point of the grid.
void write_surface(std::string const& path, Surface const& surface);

}  // namespace Nile

#endif
