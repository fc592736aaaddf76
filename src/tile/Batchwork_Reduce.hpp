// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// dot, trace and norms: scalars from tiles.
#ifndef BATCHWORK_REDUCE_HPP
#define BATCHWORK_REDUCE_HPP

#include <limits>

#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_PowerOfTwo.hpp"
#include "tile/Batchwork_ComplexParts.hpp"

namespace Batchwork {

namespace Impl {
/// Each lane sums its own rows or columns, then the lanes are combined.
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

/// The sum of the products of corresponding entries; u' v for vectors. For complex numbers the
/// entries of the first tile are conjugated, as in LAPACK's zdotc.
/// \param a  a tile
/// \param b  a tile with the same extents
/// \returns a scalar
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
        if constexpr (Impl::is_dual<S>) Impl::add_product(sum, a.entry(i, j), b.entry(i, j));
        else Impl::add_product(sum, Impl::conj(S(a.entry(i, j))), S(b.entry(i, j)));
      }
    }
  }
  return Scalar<S>(sum, Impl::merge_info<S>(a.info, b.info));
}

namespace Impl {

/// The largest f(line) over the rows or the columns of a tile. f gets a function that returns the
/// entries of the line.
template <bool ByRows, class A, class F>
BATCHWORK_INLINE auto largest_of_lines(A const& a, F const& f) {
  using S = value_t<A>;
  constexpr int count = ByRows ? A::rows : A::cols;
  if constexpr (is_distributed<S>) {
    using SD = dealt_t<S, ByRows>;
    using T = scalar_t<S>;
    LaneGrid const grid = grid_of(a);
    auto const lines = lines_of<SD, ByRows>(a, grid);
    integer_of_t<T> largest = 0;
    BATCHWORK_UNROLL
    for (int m = 0; m * SD::lanes < count; ++m) {
      auto const key = size_key(f([&](int k) { return T(lines.get(m, k)); }));
      bool const there = m * SD::lanes + grid.lane < count;
      largest = there && key > largest ? key : largest;
    }
    return S(from_bits<T>(grid.template largest<SD::lanes>(largest)), grid);
  } else {
    using R = real_t<S>;
    R largest(scalar_t<S>(0));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int l = 0; l < count; ++l)
      largest = larger_size(largest,
                            R(f([&](int k) { return S(ByRows ? a.entry(l, k) : a.entry(k, l)); })));
    return largest;
  }
}
/// The sum of the sizes of the entries of a line.
template <int Length>
struct SumOfSizes {
  template <class Entry>
  BATCHWORK_INLINE auto operator()(Entry const& entry) const {
    auto sum = abs(entry(0));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 1; k < Length; ++k) sum += abs(entry(k));
    return sum;
  }
};
template <int Length>
struct LargestSize {
  template <class Entry>
  BATCHWORK_INLINE auto operator()(Entry const& entry) const {
    auto largest = abs(entry(0));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 1; k < Length; ++k) largest = larger_size(largest, abs(entry(k)));
    return largest;
  }
};

}  // namespace Impl

/// The 1-norm: the largest sum of the sizes of the entries of a column; NaN if an entry is NaN.
template <Tile A>
BATCHWORK_INLINE auto norm1(A const& a) {
  using S = real_t<value_t<A>>;
  return Scalar<S>(Impl::largest_of_lines<false>(a, Impl::SumOfSizes<A::rows>{}), a.info);
}
/// The infinity norm: the largest sum of the sizes of the entries of a row; NaN if an entry is NaN.
template <Tile A>
BATCHWORK_INLINE auto norm_inf(A const& a) {
  using S = real_t<value_t<A>>;
  return Scalar<S>(Impl::largest_of_lines<true>(a, Impl::SumOfSizes<A::cols>{}), a.info);
}
/// The size of the largest entry; NaN if an entry is NaN.
template <Tile A>
BATCHWORK_INLINE auto max_abs(A const& a) {
  using S = real_t<value_t<A>>;
  return Scalar<S>(Impl::largest_of_lines<true>(a, Impl::LargestSize<A::cols>{}), a.info);
}
/// The Euclidean norm of a vector, or the Frobenius norm of a matrix, correct whenever the result
/// is a normal number. One pass with 2 M N operations. If the sum of squares is out of range it is
/// computed again, scaled by a power of two, in a second pass. Source: LAPACK's dnrm2; Blue, A
/// portable Fortran program to find the Euclidean norm of a vector, ACM TOMS 4, 1978.
/// \param a  a tile
/// \returns a real scalar
template <Tile A>
BATCHWORK_INLINE auto norm2(A const& a) {
  using R = real_t<value_t<A>>;
  using T = scalar_t<R>;
  Scalar<R> const square = real(dot(a, a));
  Scalar<R> norm = sqrt(square);
  // A square that underflows loses at most the smallest number, which does not matter in a sum
  // above this bound.
  constexpr T least = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
  auto const lost = !(square >= least && square <= std::numeric_limits<T>::max());
  if (any(lost)) {
    Impl::UnitScale<R> const unit(max_abs(a).value);
    auto const scaled = Scalar<R>(unit.second) * (Scalar<R>(unit.first) * a);
    Scalar<R> const again = sqrt(real(dot(scaled, scaled)));
    norm.value =
        Impl::select(lost, R(again.value * unit.second_back * unit.first_back), norm.value);
  }
  return norm;
}
/// The Frobenius norm of a matrix; the same as norm2.
template <Tile A>
BATCHWORK_INLINE auto norm_frobenius(A const& a) {
  return norm2(a);
}

/// The sum of the diagonal entries of a square tile.
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
