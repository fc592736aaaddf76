// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Scattered points in the unit cube, the slice on which their function is reconstructed, and the
/// function.
#ifndef LEAST_SQUARES_POINTS_HPP
#define LEAST_SQUARES_POINTS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace LeastSquares {

using Places = Kokkos::View<double* [3]>;

struct Points {
  Places place;
  Kokkos::View<double*> value;  ///< of the function
};

/// Random points. Those near the middle of the slice are moved onto it: there, neighbours lie on a
/// plane.
Points scattered_points(int count, std::uint64_t seed);

/// The slice is the plane z = height(x).
template <class X>
KOKKOS_INLINE_FUNCTION auto height(X const& x) {
  return 0.4 + 0.2 * x;
}
/// A grid on the slice over the unit square; x runs faster than y.
Points slice(int side);

}  // namespace LeastSquares

#endif
