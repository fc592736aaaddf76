// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SubstitutionByTriangle: solutions with a lower triangular tile and its transpose.
#ifndef BATCHWORK_SUBSTITUTIONBYTRIANGLE_HPP
#define BATCHWORK_SUBSTITUTIONBYTRIANGLE_HPP

#include "tile/Batchwork_TriangularSolve.hpp"

namespace Batchwork::Impl {

/// Solutions with a triangle and its transpose.
template <class Triangle>
struct SubstitutionByTriangle {
  Triangle l;
  template <class X>
  BATCHWORK_INLINE auto forward(X const& x) const {
    return Batchwork::solve(l, x);
  }
  template <class X>
  BATCHWORK_INLINE auto backward(X const& x) const {
    return Batchwork::solve(transpose(l), x);
  }
};

}  // namespace Batchwork::Impl

#endif
