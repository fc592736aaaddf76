// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// dot, norm2, trace: tiles to scalars.
#ifndef BATCHWORK_REDUCE_HPP
#define BATCHWORK_REDUCE_HPP

#include "tile/Batchwork_Sum.hpp"

namespace Batchwork {

namespace Impl {
/// Each lane its own lines, then the lanes together.
template <class S, class A, class B>
BATCHWORK_INLINE S distributed_dot(A const& a, B const& b) {
  using SD = deal_together_t<S, A, B>;
  using R = LocalLines<SD, rows_of<A>, cols_of<A>>;
  LaneGrid const grid = grid_of(a, b);
  auto const x = lines_of<SD, SD::by_rows>(a, grid);
  auto const y = lines_of<SD, SD::by_rows>(b, grid);
  scalar_t<S> sum(0);
  BATCHWORK_UNROLL
  for (int m = 0; m < R::mine; ++m) {
    scalar_t<S> line(0);
    BATCHWORK_UNROLL
    for (int k = 0; k < R::length; ++k) line += x.get(m, k) * y.get(m, k);
    if (m * S::lanes + grid.lane < R::count) sum += line;
  }
  return S(grid.template sum<S::lanes>(sum), grid);
}
}  // namespace Impl

/// The sum of the products of the entries of two tiles with the same extents; for vectors, u' v.
template <Tile A, Tile B>
BATCHWORK_INLINE auto dot(A const& a, B const& b) {
  static_assert(A::rows == B::rows && A::cols == B::cols,
                "Batchwork::dot: the tiles have different extents");
  using S = promote_t<value_t<A>, value_t<B>>;
  S sum(scalar_t<S>(0));
  if constexpr (Impl::is_distributed<S>) {
    sum = Impl::distributed_dot<S>(a, b);
  } else {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < A::rows; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < A::cols; ++j) {
        if (Impl::structurally_zero(A::structure, i, j) ||
            Impl::structurally_zero(B::structure, i, j))
          continue;
        sum += S(a.entry(i, j)) * S(b.entry(i, j));
      }
    }
  }
  return Scalar<S>(sum, Impl::merge_info<S>(a.info, b.info));
}

/// The Euclidean norm of a vector, the Frobenius norm of a matrix. Not guarded against overflow of the squares.
template <Tile A>
BATCHWORK_INLINE auto norm2(A const& a) {
  return sqrt(dot(a, a));
}

/// The sum of the diagonal entries.
template <Tile A>
BATCHWORK_INLINE auto trace(A const& a) {
  static_assert(A::rows == A::cols, "Batchwork::trace: the tile must be square");
  using S = value_t<A>;
  S sum(scalar_t<S>(0));
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < A::rows; ++i) sum += a.entry(i, i);
  return Scalar<S>(sum, a.info);
}

}  // namespace Batchwork

#endif
