// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A quadratic polynomial around each place, fitted to the values at its neighbours.
#ifndef LEAST_SQUARES_FIT_HPP
#define LEAST_SQUARES_FIT_HPP

#include "Neighbours.hpp"

namespace LeastSquares {

inline constexpr int terms = 10;

struct Fits {
  Kokkos::View<double*> value;  ///< of each polynomial at its place
  Kokkos::View<double*> rank;   ///< number of its coefficients that the neighbours determine
  Kokkos::View<int*> codes;     ///< status
};
Fits fit(Places const& places, Points const& points, Neighbours const& neighbours);

/// The square root of the weight of a neighbour.
/// \param square  of its distance, divided by the square of the largest distance
KOKKOS_INLINE_FUNCTION double root_of_weight(double square) { return Kokkos::exp(-2 * square); }

}  // namespace LeastSquares

#endif
