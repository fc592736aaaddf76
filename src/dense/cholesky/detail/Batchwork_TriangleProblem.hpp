// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The problem of cholesky, solve_cholesky, solve_lower and solve_upper as pointers and strides.
/// One type serves all four; each leaves some members empty.
#ifndef BATCHWORK_TRIANGLEPROBLEM_HPP
#define BATCHWORK_TRIANGLEPROBLEM_HPP

#include <cstdint>
#include <limits>

#include "core/Batchwork_Status.hpp"
#include "core/Batchwork_Value.hpp"
#include "dense/common/detail/Batchwork_PivotChecks.hpp"
#include "launch/detail/Batchwork_StatusTarget.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// What a kernel is compiled for: to factorise the matrices, or to solve by their triangles.
enum class TriangleTask { factors, solutions };

/// The most right-hand sides of an item.
inline constexpr std::int64_t most_triangle_sides = 1 << 20;

/// For every item: the lower triangle of a, N x N, is read. If `factors`, it is replaced by its
/// Cholesky factor L; else it is L. L is stored in l if that is wanted. Of the right-hand sides b,
/// N x columns, x = L^-1 b if `forward`, then x = L'^-1 x if `backward`.
template <class T>
struct TriangleProblem {
  using number = T;

  Storage<T const> a{};
  Storage<T> l{};
  Storage<T const> b{};
  Storage<T> x{};
  StatusTarget status{};
  std::int64_t items = 0;
  int n = 0, columns = 0;
  bool factors = false, stores_factor = false, forward = false, backward = false;
};

/// Factorises a corner of 4 x 4 on the diagonal, from row j0 on, in place; its lower triangle is
/// read. The reciprocals of the factor's diagonal go to `inverse`, NaN from a bad pivot on, and the
/// first bad pivot into `code`.
template <class T>
BATCHWORK_INLINE void factorise_corner(T (&d)[4][4], T (&inverse)[4], int j0, std::int32_t& code) {
  BATCHWORK_UNROLL
  for (int k = 0; k < 4; ++k) {
    T const pivot = d[k][k];
    bool const good = good_pivot(pivot);
    if (!good && code == 0) code = pivot_code(pivot, j0 + k);
    T const root = good ? rsqrt(pivot) : std::numeric_limits<T>::quiet_NaN();
    inverse[k] = root;
    d[k][k] = pivot * root;
    BATCHWORK_UNROLL
    for (int m = k + 1; m < 4; ++m) d[m][k] *= root;
    BATCHWORK_UNROLL
    for (int m = k + 1; m < 4; ++m) {
      BATCHWORK_UNROLL
      for (int q = k + 1; q <= m; ++q) d[m][q] -= d[m][k] * d[q][k];
    }
  }
}

}  // namespace Batchwork::Impl

#endif
