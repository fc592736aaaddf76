// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The CSV files that are written.
#ifndef NILE_TABLES_HPP
#define NILE_TABLES_HPP

#include <cmath>
#include <string>

#include "Sweep.hpp"

namespace Nile {

/// A normal variable is within this many standard deviations of its mean with probability 90 %.
inline constexpr double band_90 = 1.645;

inline double lower_90(FilteredLevel const& f, std::size_t t) {
  return f.level[t] - band_90 * std::sqrt(f.variance[t]);
}
inline double upper_90(FilteredLevel const& f, std::size_t t) {
  return f.level[t] + band_90 * std::sqrt(f.variance[t]);
}

/// Writes the filtered level and its 90 % band: year, flow (empty if not observed), level, lower,
/// upper. Throws InputError if the file cannot be written.
void write_level(std::string const& path, Series const& series, FilteredLevel const& filtered);

/// Writes all points of the grid: observation_variance, level_variance, log_likelihood. Throws
/// InputError if the file cannot be written.
void write_surface(std::string const& path, Surface const& surface);

}  // namespace Nile

#endif
