// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The nearest points around each of many places, found with a cell list.
#ifndef LEAST_SQUARES_NEIGHBOURS_HPP
#define LEAST_SQUARES_NEIGHBOURS_HPP

#include "Points.hpp"

namespace LeastSquares {

inline constexpr int fewest = 8, most = 60;

struct Neighbours {
  Kokkos::View<int*> count;         ///< fewest to most
  Kokkos::View<int* [most]> point;  ///< the nearest one first
  Kokkos::View<double*> reach;      ///< distance of the last one
};

/// Finds the points within a radius around each place, in which 30 points are expected. Takes the
/// nearest ones of too many. The radius is enlarged where there are too few.
Neighbours find_neighbours(Places const& places, Places const& points);

}  // namespace LeastSquares

#endif
