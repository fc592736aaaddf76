// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// solve(t, b) for a triangular t: forward substitution for a lower triangle, backward substitution
/// for an upper one, with any number of right-hand sides.
#ifndef BATCHWORK_TRIANGULAR_SOLVE_HPP
#define BATCHWORK_TRIANGULAR_SOLVE_HPP

#include "tile/Batchwork_Product.hpp"
#include "tile/detail/shared/Batchwork_DistributedSolve.hpp"

namespace Batchwork {

namespace Impl {

/// 1 / t(i, i). Tiles that store it, such as a Cholesky factor, provide inverse_diagonal(i).
template <class L>
BATCHWORK_INLINE auto reciprocal_diagonal(L const& t, int i) {
  if constexpr (requires { t.inverse_diagonal(i); }) {
    return t.inverse_diagonal(i);
  } else if constexpr (requires { t.original.inverse_diagonal(i); }) {
    return t.original.inverse_diagonal(i);
  } else {
    using S = value_t<L>;
    return S(S(scalar_t<S>(1)) / t.entry(i, i));
  }
}

/// Columns j0 .. j0 + BJ - 1 of the solution, row by row; `inverse` holds the reciprocals of the
/// diagonal. The previous row is kept in registers rather than read from memory, because a host
/// core would wait for it.
template <int BJ, class R, class L, class I, class B>
BATCHWORK_INLINE void substitute(R& x, L const& t, I const& inverse, B const& b, int j0) {
  using S = typename R::value_type;
  constexpr int N = R::rows;
  constexpr bool lower = structure_of<L> == Structure::lower;
  S last[BJ];
  BATCHWORK_UNROLL
  for (int j = 0; j < BJ; ++j) {
    constexpr int i = lower ? 0 : N - 1;
    last[j] = inverse[i] * S(b.entry(i, j0 + j));
    x.set(i, j0 + j, last[j]);
  }
  BATCHWORK_LOOP_ON_HOST
  for (int n = 1; n < N; ++n) {
    int const i = lower ? n : N - 1 - n;
    S acc[BJ];
    BATCHWORK_UNROLL
    for (int j = 0; j < BJ; ++j) acc[j] = S(b.entry(i, j0 + j));
    BATCHWORK_LOOP_ON_HOST
    for (int m = 0; m < n - 1; ++m) {
      int const k = lower ? m : N - 1 - m;
      auto const tik = t.entry(i, k);
      BATCHWORK_UNROLL
      for (int j = 0; j < BJ; ++j) subtract_product(acc[j], tik, x.entry(k, j0 + j));
    }
    auto const next = t.entry(i, lower ? n - 1 : N - n);
    BATCHWORK_UNROLL
    for (int j = 0; j < BJ; ++j) {
      subtract_product(acc[j], next, last[j]);
      last[j] = inverse[i] * acc[j];
      x.set(i, j0 + j, last[j]);
    }
  }
}

/// Rows number n0 .. n0 + BI - 1 of the solution, in the order of substitution, in columns j0 .. j0
/// + BJ - 1: a register block minus its product with the previous rows, then the triangle of BI
/// rows.
template <int BI, int BJ, class R, class L, class I, class B>
BATCHWORK_INLINE void substitute_block(R& x, L const& t, I const& inverse, B const& b, int n0,
                                       int j0) {
  using S = typename R::value_type;
  constexpr int N = R::rows;
  constexpr bool lower = structure_of<L> == Structure::lower;
  auto const row = [](int n) { return lower ? n : N - 1 - n; };
  auto const pointer = x.pointer();
  constexpr int X = decltype(pointer)::row;
  // Entry (n0 + i, j0 + j) in the order of substitution is rows[(lower ? i : -i) * X + j].
  S* const rows = pointer.at(row(n0), j0);
  S acc[BI * BJ];
  if constexpr (HasEntryPointer<B>) {
    auto const p = b.pointer();
    auto const* const from = p.at(row(n0), j0);
    BATCHWORK_UNROLL
    for (int i = 0; i < BI; ++i) {
      BATCHWORK_UNROLL
      for (int j = 0; j < BJ; ++j) acc[i * BJ + j] = S(from[(lower ? i : -i) * p.row + j * p.col]);
    }
  } else {
    BATCHWORK_UNROLL
    for (int i = 0; i < BI; ++i) {
      BATCHWORK_UNROLL
      for (int j = 0; j < BJ; ++j) acc[i * BJ + j] = S(b.entry(row(n0 + i), j0 + j));
    }
  }
  S const* known = pointer.at(row(0), j0);
  // Row by row of the known rows, each read once for all rows of the block.
  S xk[BJ];
  auto const read = [&] {
    BATCHWORK_UNROLL
    for (int j = 0; j < BJ; ++j) xk[j] = known[j];
  };
  auto const subtract = [&](int i, auto const& tik) {
    BATCHWORK_UNROLL
    for (int j = 0; j < BJ; ++j) subtract_product(acc[i * BJ + j], tik, xk[j]);
  };
  if constexpr (requires { t.row(0); }) {
    decltype(t.row(0)) lines[BI];
    BATCHWORK_UNROLL
    for (int i = 0; i < BI; ++i) lines[i] = t.row(n0 + i);
    BATCHWORK_LOOP_ON_HOST
    for (int m = 0; m < n0; ++m) {
      read();
      BATCHWORK_UNROLL
      for (int i = 0; i < BI; ++i) subtract(i, *lines[i]++);
      known += X;
    }
  } else {
    BATCHWORK_LOOP_ON_HOST
    for (int m = 0; m < n0; ++m) {
      read();
      BATCHWORK_UNROLL
      for (int i = 0; i < BI; ++i) subtract(i, t.entry(row(n0 + i), row(m)));
      known += lower ? X : -X;
    }
  }
  BATCHWORK_UNROLL
  for (int i = 0; i < BI; ++i) {
    BATCHWORK_UNROLL
    for (int m = 0; m < i; ++m) {
      auto const tim = t.entry(row(n0 + i), row(n0 + m));
      BATCHWORK_UNROLL
      for (int j = 0; j < BJ; ++j) subtract_product(acc[i * BJ + j], tim, acc[m * BJ + j]);
    }
    BATCHWORK_UNROLL
    for (int j = 0; j < BJ; ++j) {
      acc[i * BJ + j] = inverse[row(n0 + i)] * acc[i * BJ + j];
      rows[(lower ? i : -i) * X + j] = acc[i * BJ + j];
    }
  }
}

/// Columns j0 .. j0 + P * BJ - 1 of the solution, by register blocks. Several column blocks are
/// processed alternately, so that rows of t are read less often and no block waits for another.
template <int P, int BJ, class R, class L, class I, class B>
BATCHWORK_INLINE void substitute_blocks(R& x, L const& t, I const& inverse, B const& b, int j0) {
  constexpr int N = R::rows, BI = at_most(block_rows, N), full = N / BI * BI;
  for (int n0 = 0; n0 < full; n0 += BI)
    for (int p = 0; p < P; ++p) substitute_block<BI, BJ>(x, t, inverse, b, n0, j0 + p * BJ);
  if constexpr (full < N)
    for (int p = 0; p < P; ++p) substitute_block<N - full, BJ>(x, t, inverse, b, full, j0 + p * BJ);
}

template <class R, class L, class B>
BATCHWORK_INLINE void triangular_solve(R& x, L const& t, B const& b) {
  using S = typename R::value_type;
  constexpr int N = R::rows, C = R::cols;
  decltype(reciprocal_diagonal(t, 0)) inverse[N];
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) inverse[i] = reciprocal_diagonal(t, i);
  if constexpr (!one_item_per_lane<S> && N > extent_of_constant_blocks && C >= block_cols) {
    constexpr int P = C < 2 * block_cols ? 1 : 2, wide = P * block_cols, full = C / wide * wide;
    for (int j0 = 0; j0 < full; j0 += wide) substitute_blocks<P, block_cols>(x, t, inverse, b, j0);
    constexpr int rest = C - full;
    if constexpr (rest >= block_cols) substitute_blocks<1, block_cols>(x, t, inverse, b, full);
    if constexpr (rest % block_cols > 0)
      substitute<rest % block_cols>(x, t, inverse, b, C - rest % block_cols);
  } else {
    constexpr int BJ = one_item_per_lane<S> ? C : at_most(2 * block_cols, C);
    constexpr int full = C / BJ * BJ;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j0 = 0; j0 < full; j0 += BJ) substitute<BJ>(x, t, inverse, b, j0);
    if constexpr (full < C) substitute<C - full>(x, t, inverse, b, full);
  }
}

}  // namespace Impl

/// The solution x of t x = b for a triangular t; N^2 operations for each column. The diagonal is
/// not tested: a zero gives infinities, as in LAPACK's trsm. Source: Golub and Van Loan, Matrix
/// Computations, 4th edition, section 3.1.
/// ```cpp
/// auto const y = solve(factor.lower(), b);
/// x = solve(transpose(factor.lower()), y);
/// ```
/// \param t  a Lower tile, N x N, or the transpose of one
/// \param b  a vector or a matrix with N rows
/// \returns x, with the extents of b
template <Tile L, Tile B>
  requires(L::structure == Structure::lower || L::structure == Structure::upper)
BATCHWORK_INLINE auto solve(L const& t, B const& b) {
  static_assert(
      L::cols == B::rows,
      "Batchwork::solve: the right-hand side and the matrix have different numbers of rows");
  if constexpr (Impl::is_fragments<L> && requires { t.inverse; } && Impl::is_fragments<B>) {
    auto z = Impl::solve_by_fragments(t, b);
    z.info = Impl::merge_info<value_t<L>>(t.info, b.info);
    return Transposed<decltype(z)>{z, z.info};
  } else {
    using S = Impl::solve_deal_t<promote_t<value_t<L>, value_t<B>>>;
    Impl::general_t<S, B::rows, B::cols, B::is_vector> x;
    if constexpr (Impl::is_distributed<S>) Impl::distributed_solve(x, t, b);
    else Impl::triangular_solve(x, t, b);
    x.info = Impl::merge_info<S>(t.info, b.info);
    return x;
  }
}

/// Does not compile: for a symmetric matrix write solve(cholesky(a), b) if it is positive definite,
/// else solve(ldlt(a), b) or solve(lu(a), b).
template <Tile A, Tile B>
  requires(A::structure == Structure::symmetric)
BATCHWORK_INLINE auto solve(A const& a, B const&) {
  static_assert(A::structure == Structure::lower,
                "Batchwork::solve(a, b) in a sequence: a is symmetric; if it is positive definite "
                "write solve(cholesky(a), b), else solve(ldlt(a), b) or solve(lu(a), b)");
  return a;
}

/// The solution x of d x = b for a diagonal d.
/// \param d  a Diagonal tile, N x N
/// \param b  a vector or a matrix with N rows
template <Tile D, Tile B>
  requires(D::structure == Structure::diagonal)
BATCHWORK_INLINE auto solve(D const& d, B const& b) {
  static_assert(
      D::cols == B::rows,
      "Batchwork::solve: the right-hand side and the matrix have different numbers of rows");
  using S = Impl::deal_together_t<promote_t<value_t<D>, value_t<B>>, B>;
  Impl::general_t<S, B::rows, B::cols, B::is_vector> x;
  if constexpr (Impl::is_distributed<S>) {
    Impl::distributed_solve_diagonal(x, d, b);
  } else {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < B::rows; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < B::cols; ++j) x.set(i, j, S(b.entry(i, j)) / S(d.entry(i, i)));
    }
  }
  x.info = Impl::merge_info<S>(d.info, b.info);
  return x;
}

}  // namespace Batchwork

#endif
