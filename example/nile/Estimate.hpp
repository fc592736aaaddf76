// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The maximum of the likelihood, found by smaller and smaller grids around the best point.
#ifndef NILE_ESTIMATE_HPP
#define NILE_ESTIMATE_HPP

#include "Sweep.hpp"

namespace Nile {

struct Estimate {
  double observation, drift;
  double log_likelihood;
  int grids;     ///< number of grids after the first
  bool at_edge;  ///< the maximum may lie outside the ranges of the first grid
};

/// Starts from the best point of a surface and stays within its ranges. Ends when the relative
/// distance of points is below 1e-6.
Estimate refine(Filters const& filters, Surface const& surface);

}  // namespace Nile

#endif
