// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Compares reconstructions with the function, and with fits in extended precision.
#ifndef LEAST_SQUARES_CHECK_HPP
#define LEAST_SQUARES_CHECK_HPP

#include "Fit.hpp"

namespace LeastSquares {

/// Fits of full rank, those whose neighbours all lie on the slice, and others of lower rank: with
/// fewer than 10 neighbours, or fewer than 4 beside the slice.
enum Kind { full, coplanar, other, kinds };

struct Scores {
  int count[kinds] = {};
  double error[kinds] = {};  ///< nine of ten differ less from the function
  double reach[kinds] = {};  ///< mean distance of the farthest neighbour
  int failed = 0;            ///< places with a status, or of an unexpected rank
  double difference = 0;     ///< largest one from fits in extended precision
};
Scores compare(Points const& places, Points const& points, Neighbours const& neighbours,
               Fits const& fits);

}  // namespace LeastSquares

#endif
