// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Simulated series, and the estimates of their parameters.
#ifndef MANY_SERIES_FIT_HPP
#define MANY_SERIES_FIT_HPP

#include <Kokkos_Core.hpp>
#include <functional>

#include "Options.hpp"

namespace ManySeries {

/// For each series the logarithms of the variances of level and noise.
using Parameters = Kokkos::View<double* [2]>;

struct Simulation {
  Parameters truth;
  Kokkos::View<double**> z;  ///< (series, time)
};
Simulation simulate(Options const& options);

struct Estimates {
  Parameters theta;      ///< at the maximum of the likelihood
  Parameters deviation;  ///< standard deviation of theta by the information matrix
  Parameters slope;      ///< the score at theta
  int rounds = 0;
};
/// \param progress  called with the number of rounds and of series that still move
Estimates fit(Kokkos::View<double**> const& z, int rounds,
              std::function<void(int, std::int64_t)> const& progress);

/// The largest slope at a maximum.
inline constexpr double flat = 1e-3;
/// Logarithms of variances below this one count as zero variances.
inline constexpr double lowest = -10;

}  // namespace ManySeries

#endif
