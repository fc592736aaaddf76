// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Products that are symmetric by construction, one triangle computed: symmetric, congruence, gram.
#ifndef BATCHWORK_CONGRUENCE_HPP
#define BATCHWORK_CONGRUENCE_HPP

#include "tile/Batchwork_Product.hpp"

namespace Batchwork {

/// The symmetric tile that has the lower triangle of x.
template <Tile X>
BATCHWORK_INLINE auto symmetric(X const& x) {
  static_assert(X::rows == X::cols, "Batchwork::symmetric: the tile must be square");
  return Symmetric<held_t<X>, X::rows>(x);
}

namespace Impl {

/// Some rows of a tile, as a tile: rows first .. first + M - 1.
template <class X, int M>
struct Rows {
  using value_type = typename X::value_type;
  static constexpr int rows = M;
  static constexpr int cols = X::cols;
  static constexpr Structure structure = Structure::general;
  static constexpr bool is_vector = false;
  X const& x;
  int first;
  info_t<value_type> info;
  BATCHWORK_INLINE value_type entry(int i, int j) const { return x.entry(first + i, j); }
};

/// The entries of a symmetric result in the block at (i0, j0), as the target of product_block.
template <class R>
struct TriangleBlock {
  using value_type = typename R::value_type;
  static constexpr int rows = R::rows;
  static constexpr int cols = R::cols;
  R& r;
  int i0;
  static constexpr KOKKOS_FORCEINLINE_FUNCTION bool skips(int, int) { return false; }
  BATCHWORK_INLINE void set(int i, int j, value_type const& v) {
    if (j <= i0 + i) r.set(i0 + i, j, v);
  }
};

/// Rows i0 .. i0 + BI - 1 of the lower triangle of the product whose rows are a (BI x K) and whose columns are b.
template <int BI, class R, class A, class B>
BATCHWORK_INLINE void triangle_rows(R& r, A const& a, B const& b, int i0) {
  constexpr int N = R::rows,
                BJ = one_item_per_lane<typename R::value_type> ? 1 : at_most(block_cols, N);
  constexpr int full = N / BJ * BJ;
  TriangleBlock<R> block{r, i0};
  BATCHWORK_UNROLL_ON_DEVICE
  for (int j0 = 0; j0 < full; j0 += BJ) {
    if (j0 < i0 + BI) product_block<BI, BJ>(block, a, b, 0, j0);
  }
  if constexpr (full < N) {
    if (full < i0 + BI) product_block<BI, N - full>(block, a, b, 0, full);
  }
}

template <int BI, class R, class F, class P>
BATCHWORK_INLINE void congruence_rows(R& r, F const& f, P const& p, int i0) {
  using S = typename R::value_type;
  Matrix<S, BI, F::cols> t;
  product(t, Rows<F, BI>{f, i0, 0}, p);
  triangle_rows<BI>(r, t, Transposed<F const&>{f, f.info}, i0);
}

/// A lane that holds an item: all of f p, then column by column of the result, so that each row of f is read twice
/// and never kept. Where a sequence has computed f p before, the compiler finds it.
template <class R, class F, class P>
BATCHWORK_INLINE void congruence_in_lane(R& r, F const& f, P const& p) {
  using S = typename R::value_type;
  constexpr int M = F::rows, N = F::cols;
  Matrix<S, M, N> t;
  product(t, f, p);
  if constexpr (F::structure == Structure::general && requires { F::is_staged; })
    Vendor::forget_loads();
  BATCHWORK_UNROLL_ON_DEVICE
  for (int j = 0; j < M; ++j) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = j; i < M; ++i) {
      S sum(scalar_t<S>(0));
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < N; ++k) {
        if (!structurally_zero(F::structure, j, k)) sum += t.entry(i, k) * f.entry(j, k);
      }
      r.set(i, j, sum);
    }
  }
}

template <int BI, class R, class Y>
BATCHWORK_INLINE void gram_rows(R& r, Y const& y, int i0) {
  using Yt = Transposed<Y const&>;
  Yt const yt{y, y.info};
  triangle_rows<BI>(r, Rows<Yt, BI>{yt, i0, y.info}, y, i0);
}

}  // namespace Impl

/// f p f', of which one triangle is computed. p is taken to be symmetric: of a general tile only the lower triangle
/// is read. M x N and N x N give M x M; 2 M N^2 + M^2 N operations.
template <Tile F, Tile P>
BATCHWORK_INLINE auto congruence(F const& f, P const& p) {
  static_assert(F::cols == P::rows && P::rows == P::cols,
                "Batchwork::congruence(f, p): p must be square with as many rows as f has columns");
  static_assert(P::structure != Structure::lower && P::structure != Structure::upper,
                "Batchwork::congruence(f, p): p must be symmetric; this one is triangular");
  using S = promote_t<held_t<F>, held_t<P>>;
  if constexpr (P::structure == Structure::general) {
    return congruence(f, symmetric(p));
  } else {
    Symmetric<S, F::rows> r;
    if constexpr (Impl::one_item_per_lane<S>) {
      Impl::congruence_in_lane(r, f, p);
    } else {
      constexpr int M = F::rows, BI = Impl::at_most(Impl::block_rows, M), full = M / BI * BI;
      for (int i0 = 0; i0 < full; i0 += BI) Impl::congruence_rows<BI>(r, f, p, i0);
      if constexpr (full < M) Impl::congruence_rows<M - full>(r, f, p, full);
    }
    r.info = Impl::merge_info<S>(f.info, p.info);
    return r;
  }
}

/// y' y, of which one triangle is computed. M x N gives N x N; M N^2 operations.
template <Tile Y>
BATCHWORK_INLINE auto gram(Y const& y) {
  using S = held_t<Y>;
  Symmetric<S, Y::cols> r;
  constexpr int N = Y::cols;
  constexpr int BI = Impl::one_item_per_lane<S> ? 1 : Impl::at_most(Impl::block_rows, N),
                full = N / BI * BI;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i0 = 0; i0 < full; i0 += BI) Impl::gram_rows<BI>(r, y, i0);
  if constexpr (full < N) Impl::gram_rows<N - full>(r, y, full);
  r.info = y.info;
  return r;
}

}  // namespace Batchwork

#endif
