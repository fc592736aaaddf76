// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Difference: the difference of two observations, for which the steps of nonlinear models take a
/// functor of the user.
#ifndef BATCHWORK_RESIDUAL_HPP
#define BATCHWORK_RESIDUAL_HPP

#include "tile/Batchwork_Generate.hpp"

namespace Batchwork::Kalman {

/// The difference a - b of two vectors: the residual if none is given. A functor in its place
/// brings differences of angles to -pi .. pi:
///
/// ```cpp
/// struct Wrapped {  // range and bearing
///   template <class A, class B>
///   KOKKOS_FUNCTION auto operator()(A const& a, B const& b) const {
///     auto d = a - b;
///     d(1) -= 2 * pi * round(d(1) / (2 * pi));
///     return d;
///   }
/// };
/// ```
struct Difference {
  /// a - b.
  /// \param a  a vector
  /// \param b  a vector with as many entries
  template <class A, class B>
  BATCHWORK_INLINE auto operator()(A const& a, B const& b) const {
    return a - b;
  }
};

}  // namespace Batchwork::Kalman

#endif
