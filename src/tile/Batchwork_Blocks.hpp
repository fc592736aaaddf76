// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Parts of tiles, and tiles made from parts: block, row, column, assign_block, stack, beside,
/// diagonal_of, as_diagonal, outer, cross, kron, hadamard.
#ifndef BATCHWORK_BLOCKS_HPP
#define BATCHWORK_BLOCKS_HPP

#include "tile/Batchwork_Product.hpp"
#include "tile/types/Batchwork_Sum.hpp"

namespace Batchwork {

namespace Impl {

/// Stages the rows of a tile for all lanes of its item, with entry (i, j) at i * leading + j.
template <class S, class X>
BATCHWORK_INLINE auto stage_rows_of(X const& x, LaneGrid const& grid) {
  using ByRows = dealt_t<S, true>;
  return stage_lines<ByRows, LocalLines<ByRows, rows_of<X>, cols_of<X>>::mine, cols_of<X>>(
      lines_of<ByRows, true>(x, grid), grid);
}

/// The tile whose entry (i, j) is the entry of x at place(i, j). Lanes that share an item read x
/// through the exchange.
template <int M, int N, bool IsVector, class X, class F>
BATCHWORK_INLINE auto gathered(X const& x, F const& place) {
  using S0 = value_t<X>;
  if constexpr (is_distributed<S0>) {
    using S = dealt_t<S0, true>;
    general_t<S, M, N, IsVector> r;
    r.grid = grid_of(x);
    r.info = x.info;
    auto const* const base = stage_rows_of<S>(x, r.grid);
    BATCHWORK_UNROLL
    for (int m = 0; m < decltype(r)::mine; ++m) {
      int const line = r.line(m), i = line < M ? line : M - 1;
      BATCHWORK_UNROLL
      for (int j = 0; j < N; ++j) {
        Place const p = place(i, j);
        r.set_local(m, j, base[p.row * S::exchange::leading + p.col]);
      }
    }
    return r;
  } else {
    general_t<S0, M, N, IsVector> r;
    r.info = x.info;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < M; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < N; ++j) {
        Place const p = place(i, j);
        r.set(i, j, x.entry(p.row, p.col));
      }
    }
    return r;
  }
}

struct Times {
  template <class A, class B>
  BATCHWORK_INLINE auto operator()(A const& a, B const& b) const {
    using S = promote_t<A, B>;
    return S(a) * S(b);
  }
};

}  // namespace Impl

/// The M x N block of a that begins at (i, j).
/// ```cpp
/// auto const velocity_covariance = block<3, 3>(p, 3, 3);
/// ```
/// \tparam M  the rows of the block
/// \tparam N  the columns of the block
/// \param a  a tile
/// \param i  the first row; on devices a constant once loops are unrolled
/// \param j  the first column, a constant like i
/// \returns the block as a Matrix
template <int M, int N, Tile A>
BATCHWORK_INLINE auto block(A const& a, int i, int j) {
  static_assert(M <= A::rows && N <= A::cols,
                "Batchwork::block: the block is larger than the tile");
  return Impl::gathered<M, N, false>(a, [=](int p, int q) { return Impl::Place{i + p, j + q}; });
}
/// N entries of a vector, from entry i on.
/// \tparam N  the number of entries
/// \param a  a vector
/// \param i  the first entry; on devices a constant once loops are unrolled
/// \returns a Vector
template <int N, Tile A>
  requires A::is_vector
BATCHWORK_INLINE auto block(A const& a, int i) {
  static_assert(N <= A::rows, "Batchwork::block: the block is larger than the vector");
  return Impl::gathered<N, 1, true>(a, [=](int p, int) { return Impl::Place{i + p, 0}; });
}
/// Row i of a, as a 1 x N matrix.
template <Tile A>
BATCHWORK_INLINE auto row(A const& a, int i) {
  return Impl::gathered<1, A::cols, false>(a, [=](int, int q) { return Impl::Place{i, q}; });
}
/// Column j of a, as a vector.
template <Tile A>
BATCHWORK_INLINE auto column(A const& a, int j) {
  return Impl::gathered<A::rows, 1, true>(a, [=](int p, int) { return Impl::Place{p, j}; });
}
/// The diagonal of a, as a vector of min(M, N) numbers.
template <Tile A>
BATCHWORK_INLINE auto diagonal_of(A const& a) {
  constexpr int n = A::rows < A::cols ? A::rows : A::cols;
  return Impl::gathered<n, 1, true>(a, [](int p, int) { return Impl::Place{p, p}; });
}
/// The diagonal matrix with the numbers of a vector.
template <Tile V>
  requires V::is_vector
BATCHWORK_INLINE auto as_diagonal(V const& v) {
  using S0 = value_t<V>;
  if constexpr (Impl::is_distributed<S0>) {
    using S = Impl::dealt_t<S0, true>;
    Diagonal<S, V::rows> d;
    d.grid = Impl::grid_of(v);
    d.info = v.info;
    auto const lines = Impl::lines_of<S, true>(v, d.grid);
    BATCHWORK_UNROLL
    for (int m = 0; m < decltype(d)::mine; ++m) d.set_local(m, 0, lines.get(m, 0));
    return d;
  } else {
    Diagonal<S0, V::rows> d;
    d.info = v.info;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < V::rows; ++i) d.set(i, i, v.entry(i, 0));
    return d;
  }
}

/// Replaces the entries of a from (i, j) on by the entries of b. The status of b is merged into the
/// status of a.
/// ```cpp
/// assign_block(p, 0, 3, c);  // the upper right block of p
/// ```
/// \param a  a general tile, which is changed
/// \param i  the first row; on devices a constant once loops are unrolled
/// \param j  the first column, a constant like i
/// \param b  a tile that fits into a
template <Tile A, Tile B>
BATCHWORK_INLINE void assign_block(A& a, int i, int j, B const& b) {
  static_assert(B::rows <= A::rows && B::cols <= A::cols,
                "Batchwork::assign_block: the block is larger than the tile");
  static_assert(
      A::structure == Structure::general,
      "Batchwork::assign_block: the tile that is assigned to must be a Matrix or a Vector");
  using S = value_t<A>;
  if constexpr (Impl::is_distributed<S>) {
    auto const grid = Impl::grid_of(a, b);
    auto const* const base = Impl::stage_rows_of<S>(b, grid);
    BATCHWORK_UNROLL
    for (int m = 0; m < A::mine; ++m) {
      BATCHWORK_UNROLL
      for (int k = 0; k < A::length; ++k) {
        int const line = a.line(m), p = (A::by_rows ? line : k) - i,
                  q = (A::by_rows ? k : line) - j;
        if (p >= 0 && p < B::rows && q >= 0 && q < B::cols)
          a.set_local(m, k, base[p * S::exchange::leading + q]);
      }
    }
  } else {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int p = 0; p < B::rows; ++p) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int q = 0; q < B::cols; ++q) a.set(i + p, j + q, S(b.entry(p, q)));
    }
  }
  a.info = Impl::merge_info<S>(a.info, b.info);
}

namespace Impl {
/// An M x N tile that contains a from entry (0, 0) on and b from (i, j) on.
template <int M, int N, bool IsVector, class A, class B>
BATCHWORK_INLINE auto joined(A const& a, B const& b, int i, int j) {
  using S = deal_together_t<promote_t<value_t<A>, value_t<B>>, A, B>;
  general_t<S, M, N, IsVector> r;
  if constexpr (is_distributed<S>) r.grid = grid_of(a, b);
  r.info = info_t<S>(0);
  assign_block(r, 0, 0, a);
  assign_block(r, i, j, b);
  return r;
}
}  // namespace Impl

/// a above b: (Ma + Mb) x N, a vector for two vectors. If lanes share an item, no extent of the
/// result may be larger than the largest extent of the operands.
/// \param a  a tile with N columns
/// \param b  a tile with N columns
/// \returns a Matrix, or a Vector for two vectors
template <Tile A, Tile B>
BATCHWORK_INLINE auto stack(A const& a, B const& b) {
  static_assert(A::cols == B::cols,
                "Batchwork::stack: the tiles have different numbers of columns");
  return Impl::joined < A::rows + B::rows, A::cols,
         A::is_vector && B::is_vector > (a, b, A::rows, 0);
}
/// a to the left of b: M x (Na + Nb). If lanes share an item, no extent of the result may be larger
/// than the largest extent of the operands.
/// \param a  a tile with M rows
/// \param b  a tile with M rows
/// \returns a Matrix
template <Tile A, Tile B>
BATCHWORK_INLINE auto beside(A const& a, B const& b) {
  static_assert(A::rows == B::rows, "Batchwork::beside: the tiles have different numbers of rows");
  return Impl::joined<A::rows, A::cols + B::cols, false>(a, b, 0, A::cols);
}

/// The products of the entries of two tiles with the same extents, entry by entry.
template <Tile A, Tile B>
BATCHWORK_INLINE auto hadamard(A const& a, B const& b) {
  static_assert(A::rows == B::rows && A::cols == B::cols,
                "Batchwork::hadamard: the tiles have different extents");
  using S = Impl::deal_together_t<promote_t<value_t<A>, value_t<B>>, A, B>;
  constexpr bool same = A::structure == B::structure;
  constexpr Structure structure = A::structure == Structure::diagonal || same ? A::structure
                                  : B::structure == Structure::diagonal       ? B::structure
                                                                              : Structure::general;
  using R = Impl::tile_of_t<S, A::rows, A::cols, structure, A::is_vector || B::is_vector>;
  R r = Impl::entrywise<R>(Impl::Times{}, a, b);
  r.info = Impl::merge_info<S>(a.info, b.info);
  return r;
}
/// The outer product u v', M x N, of a vector with M and a vector with N numbers.
template <Tile U, Tile V>
  requires(U::cols == 1 && V::cols == 1)
BATCHWORK_INLINE auto outer(U const& u, V const& v) {
  return u * transpose(v);
}
/// The cross product of two vectors with three numbers.
template <Tile U, Tile V>
  requires(U::rows == 3 && U::cols == 1 && V::rows == 3 && V::cols == 1)
BATCHWORK_INLINE auto cross(U const& u, V const& v) {
  auto const turned = [](auto const& x, int by) {
    return Impl::gathered<3, 1, true>(x, [=](int p, int) { return Impl::Place{(p + by) % 3, 0}; });
  };
  return hadamard(turned(u, 1), turned(v, 2)) - hadamard(turned(u, 2), turned(v, 1));
}
/// The Kronecker product of two tiles: block (i, j) of the result is a(i, j) b. At most 64 rows and
/// columns.
template <Tile A, Tile B>
BATCHWORK_INLINE auto kron(A const& a, B const& b) {
  constexpr int M = A::rows * B::rows, N = A::cols * B::cols;
  static_assert(M <= 64 && N <= 64,
                "Batchwork::kron: the product has more than 64 rows or columns");
  return hadamard(Impl::gathered<M, N, false>(
                      a, [](int p, int q) { return Impl::Place{p / B::rows, q / B::cols}; }),
                  Impl::gathered<M, N, false>(
                      b, [](int p, int q) { return Impl::Place{p % B::rows, q % B::cols}; }));
}

}  // namespace Batchwork

#endif
