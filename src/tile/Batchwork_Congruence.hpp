// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Products that are symmetric by construction, of which only one triangle is computed:
/// symmetric_product, congruence, gram, downdate.
#ifndef BATCHWORK_CONGRUENCE_HPP
#define BATCHWORK_CONGRUENCE_HPP

#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "tile/Batchwork_Product.hpp"

namespace Batchwork {

/// The symmetric tile with the lower triangle of x.
/// \param x  a square tile
template <Tile X>
BATCHWORK_INLINE auto symmetric(X const& x) {
  [[maybe_unused]] constexpr bool real = Impl::require_no_complex<X>();
  static_assert(X::rows == X::cols, "Batchwork::symmetric: the tile must be square");
  return Symmetric<value_t<X>, X::rows>(x);
}

namespace Impl {

/// Rows first .. first + M - 1 of a tile, as a tile.
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
  BATCHWORK_INLINE auto pointer() const
    requires HasEntryPointer<X>
  {
    auto p = x.pointer();
    p.first = p.at(first, 0);
    return p;
  }
};

/// The tile c to which a symmetric product is added or from which it is subtracted.
template <bool Subtract, class C>
struct From {
  static constexpr bool is_zero = false, subtracts = Subtract;
  C const& c;
  BATCHWORK_INLINE auto entry(int i, int j) const { return c.entry(i, j); }
  BATCHWORK_INLINE auto pointer() const
    requires HasEntryPointer<C>
  {
    return c.pointer();
  }
};

/// Rows from i0 on of a symmetric result, as the target of product_block, and of the tile it is
/// added to.
template <class R, bool Crosses = false>
struct TriangleBlock {
  using value_type = typename R::value_type;
  static constexpr int rows = R::rows;
  static constexpr int cols = R::cols;
  R& r;
  int i0;
  static constexpr KOKKOS_FORCEINLINE_FUNCTION bool skips(int, int) { return false; }
  /// Writes both triangles. Entries above the diagonal in a block on or across the diagonal are
  /// ignored.
  template <int BI, int BJ, bool OnDiagonal>
  BATCHWORK_INLINE void put(value_type const (&v)[BI * BJ], int i, int j) {
    auto const p = r.pointer();
    value_type *const below = p.at(i0 + i, j), *const above = p.at(j, i0 + i);
    BATCHWORK_UNROLL
    for (int m = 0; m < BI; ++m) {
      BATCHWORK_UNROLL
      for (int n = 0; n < BJ; ++n) {
        if (OnDiagonal && n > m) continue;
        if (Crosses && j + n > i0 + i + m) continue;
        below[m * p.row + n] = v[m * BJ + n];
        if (!OnDiagonal || n < m) above[n * p.row + m] = v[m * BJ + n];
      }
    }
  }
};
template <class C>
struct TriangleStart {
  static constexpr bool subtracts = C::subtracts;
  C const& c;
  int i0;
  BATCHWORK_INLINE auto entry(int i, int j) const { return c.entry(i0 + i, j); }
  BATCHWORK_INLINE auto pointer() const
    requires HasEntryPointer<C>
  {
    auto p = c.pointer();
    p.first = p.at(i0, 0);
    return p;
  }
};

/// Rows i0 .. i0 + G - 1 of the lower triangle of c +- a b, where a has these rows (G x K), in the
/// columns from j0 to `end`; both limits are multiples of a block's columns. Rectangular register
/// blocks are used left of the diagonal, triangular ones on it.
template <int G, int N0 = 0, class R, class A, class B, class C>
BATCHWORK_INLINE void triangle_rows(R& r, A const& a, B const& b, C const& c, int i0, int j0,
                                    int end) {
  if constexpr (N0 < G) {
    constexpr int D = at_most(block_cols, G - N0), BI = at_most(block_rows, D), full = D / BI * BI;
    TriangleBlock<R> block{r, i0};
    TriangleStart<C> const start{c, i0};
    int const left = end < i0 + N0 ? end : i0 + N0;
    for (int j = j0; j < left; j += block_cols) {
      BATCHWORK_UNROLL
      for (int n = 0; n < full; n += BI)
        product_block<BI, block_cols>(block, a, b, start, N0 + n, j);
      if constexpr (full < D) product_block<D - full, block_cols>(block, a, b, start, N0 + full, j);
    }
    if (i0 + N0 < end) product_block<D, D, true>(block, a, b, start, N0, i0 + N0);
    triangle_rows<G, N0 + block_cols>(r, a, b, c, i0, j0, end);
  }
}
/// The same from column J0 on, with constant indices.
template <int BI, int I0, int J0, class R, class A, class B, class C>
BATCHWORK_INLINE void triangle_blocks(R& r, A const& a, B const& b, C const& c) {
  if constexpr (J0 < I0 + BI) {
    constexpr int BJ = at_most(block_cols, I0 + BI - J0);
    TriangleBlock<R, true> block{r, I0};
    product_block<BI, BJ>(block, a, b, TriangleStart<C>{c, I0}, 0, J0);
    triangle_blocks<BI, I0, J0 + BJ>(r, a, b, c);
  }
}

/// Packs: the lower triangle of c +- a b, one block of rows after the other; rows.at<BI>(i0)
/// returns the rows of a.
template <int I0, class R, class RowsOfA, class B, class C>
BATCHWORK_INLINE void triangle_from(R& r, RowsOfA const& rows, B const& b, C const& c) {
  constexpr int M = R::rows;
  static_assert(block_cols <= 4);
  if constexpr (M <= extent_of_constant_blocks) {
    if constexpr (I0 < M) {
      constexpr int BI = at_most(block_rows, M - I0);
      triangle_blocks<BI, I0, 0>(r, rows.template at<BI>(I0), b, c);
      triangle_from<I0 + BI>(r, rows, b, c);
    }
  } else {
    constexpr int G = RowsOfA::together, full = M / G * G;
    // If the columns of b are packs, some of them stay in the first-level cache while all rows are
    // computed.
    constexpr int panel = has_pack_values<B> && RowsOfA::any_order ? 2 * block_cols : M;
    for (int j0 = 0; j0 < M; j0 += panel) {
      int const end = j0 + panel;
      for (int i0 = j0 / G * G; i0 < full; i0 += G)
        triangle_rows<G>(r, rows.template at<G>(i0), b, c, i0, j0, end);
      if constexpr (full < M)
        triangle_rows<M - full>(r, rows.template at<M - full>(full), b, c, full, j0, end);
    }
  }
}

/// Rows of a tile.
template <class A>
struct RowsOf {
  static constexpr bool any_order = true;
  static constexpr int together = block_cols;
  A const& a;
  template <int BI>
  BATCHWORK_INLINE auto at(int i0) const {
    return Rows<A, BI>{a, i0, a.info};
  }
};
/// Rows of a product f p, computed when they are needed; the whole product would have to be written
/// and read again. If p fills the first-level cache it is read once for several blocks of rows.
template <class S, class F, class P>
struct RowsOfProduct {
  static constexpr bool any_order = false;
  static constexpr int together = P::rows > 16 ? 2 * block_cols : block_cols;
  F const& f;
  P const& p;
  template <int BI>
  BATCHWORK_INLINE auto at(int i0) const {
    Matrix<S, BI, P::cols> t;
    product(t, Rows<F, BI>{f, i0, 0}, p);
    return t;
  }
};

/// For a lane that holds an item: column by column of the result, so that each column of b is read
/// once and never kept. c is added last, because sums that begin with it keep all of it in
/// registers from the start (float 4x4 and 8x8 on an H200: 12 % slower). A tile from which the
/// product is subtracted is in registers already, so those sums begin with it.
template <class R, class A, class B, class C>
BATCHWORK_INLINE void triangle_in_lane(R& r, A const& a, B const& b, C const& c) {
  using S = typename R::value_type;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int j = 0; j < R::rows; ++j) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = j; i < R::rows; ++i) {
      S sum(scalar_t<S>(0));
      if constexpr (C::subtracts) sum = S(c.entry(i, j));
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < A::cols; ++k) {
        if (structurally_zero(A::structure, i, k) || structurally_zero(B::structure, k, j))
          continue;
        if constexpr (C::subtracts) sum -= a.entry(i, k) * b.entry(k, j);
        else sum += a.entry(i, k) * b.entry(k, j);
      }
      if constexpr (!C::is_zero && !C::subtracts) sum = S(c.entry(i, j)) + sum;
      r.set(i, j, sum);
    }
  }
}

/// A common tile, seen as the symmetric tile with its lower triangle.
template <class X>
struct Mirrored {
  using value_type = typename X::value_type;
  static constexpr int rows = X::rows;
  static constexpr int cols = X::cols;
  static constexpr Structure structure = Structure::symmetric;
  static constexpr bool is_vector = false;
  X const& x;
  info_t<value_type> info;
  BATCHWORK_INLINE value_type entry(int i, int j) const {
    return j <= i ? x.entry(i, j) : x.entry(j, i);
  }
};
/// The same for any tile, in a call whose result is distributed.
template <class X>
BATCHWORK_INLINE decltype(auto) mirrored(X const& x) {
  if constexpr (X::structure != Structure::general) return (x);
  else if constexpr (is_distributed_tile<X>) return symmetric(x);
  else return Mirrored<X>{x, x.info};
}

/// The symmetric c +- a b, distributed over lanes: each lane computes its rows up to the diagonal.
/// Whole: the other triangle as well.
template <class S, bool Whole, class A, class B, class C>
BATCHWORK_INLINE auto distributed_triangle(A const& a, B const& b, C const& c) {
  if constexpr (C::is_zero) {
    return distributed_symmetric<S, Whole>(a, b, LinesFromZero{}, NoLines{}, grid_of(a, b));
  } else {
    LaneGrid const grid = grid_of(a, b, c.c);
    decltype(auto) from = mirrored(c.c);
    if constexpr (Whole)
      return distributed_symmetric<S, true>(a, b, LinesFrom<C::subtracts>{},
                                            lines_of<S, true>(from, grid), grid);
    else
      return distributed_symmetric<S, false>(a, b, LinesFrom<C::subtracts>{},
                                             lower_lines_of<S>(from, grid), grid);
  }
}

/// The symmetric c +- a b, by one lane or in packs.
template <class S, class A, class B, class C>
BATCHWORK_INLINE auto triangle_in_lanes(A const& a, B const& b, C const& c) {
  Symmetric<S, A::rows> r;
  if constexpr (one_item_per_lane<S>) {
    // Common data are read again, rather than kept in registers since the previous product.
    if constexpr (B::structure == Structure::general && is_read_in_place<B>)
      Vendor::compiler_barrier();
    triangle_in_lane(r, a, b, c);
  } else {
    triangle_from<0>(r, RowsOf<A>{a}, b, c);
  }
  return r;
}

/// Whether c + a b is computed by fragments: a is in fragments, b is a transposed common tile, and
/// c is common or zero.
template <class C>
inline constexpr bool adds_common_or_nothing = C::is_zero;
template <bool Subtract, class X>
inline constexpr bool adds_common_or_nothing<From<Subtract, X>> =
    !Subtract && !is_distributed_tile<X> && X::structure == Structure::symmetric;
template <class S, class A, class B, class C>
inline constexpr bool adds_by_fragments = [] {
  if constexpr (makes_fragments<S> && is_fragments<A> && is_transposed<B>)
    return !is_distributed_tile<B> && adds_common_or_nothing<C>;
  else return false;
}();

/// The symmetric c +- a b, for any type of values.
template <class S, class A, class B, class C>
BATCHWORK_INLINE auto triangle(A const& a, B const& b, C const& c) {
  if constexpr (is_distributed<S>) {
    if constexpr (adds_by_fragments<S, A, B, C>)
      return symmetric_by_fragments<dealt_t<S, true>, false>(a, transpose(b), c);
    else return distributed_triangle<dealt_t<S, true>, false>(a, b, c);
  } else {
    return triangle_in_lanes<S>(a, b, c);
  }
}

/// The type of the values of the addend; S if there is none.
template <class C, class S>
struct ValueOfAddend {
  using type = S;
};
template <bool Sub, class X, class S>
struct ValueOfAddend<From<Sub, X>, S> {
  using type = value_t<X>;
};
template <class C, class S>
using c_value_t = typename ValueOfAddend<C, S>::type;

template <class F, class P, class C>
BATCHWORK_INLINE auto congruence(F const& f, P const& p, C const& c) {
  static_assert(F::cols == P::rows && P::rows == P::cols,
                "Batchwork::congruence(f, p): p must be square with as many rows as f has columns");
  static_assert(P::structure != Structure::lower && P::structure != Structure::upper,
                "Batchwork::congruence(f, p): p must be symmetric; this one is triangular");
  using S = promote_t<value_t<F>, value_t<P>>;
  Transposed<F const&> const ft{f, f.info};
  if constexpr (is_distributed<S>) {
    decltype(auto) sp = mirrored(p);
    using SR = promote_t<S, c_value_t<C, S>>;
    if constexpr (makes_fragments<SR> && !is_distributed_tile<F> && is_distributed_tile<P> &&
                  F::structure != Structure::diagonal && P::structure == Structure::symmetric &&
                  adds_common_or_nothing<C>)
      return congruence_by_fragments<dealt_t<SR, true>>(f, p, c);
    else return distributed_triangle<dealt_t<SR, true>, SR::whole>(f * sp, ft, c);
  } else if constexpr (P::structure == Structure::general) {
    return congruence(f, symmetric(p), c);
  } else if constexpr (one_item_per_lane<S>) {
    Matrix<S, F::rows, F::cols> t;
    product(t, f, p);
    return triangle<promote_t<S, c_value_t<C, S>>>(t, ft, c);
  } else {
    Symmetric<S, F::rows> r;
    triangle_from<0>(r, RowsOfProduct<S, F, P>{f, p}, ft, c);
    return r;
  }
}

template <class C, class X>
constexpr void require_addend() {
  static_assert(C::rows == X::rows && C::cols == X::rows,
                "Batchwork: a symmetric product is added to a tile with other extents");
  static_assert(
      C::structure != Structure::lower && C::structure != Structure::upper,
      "Batchwork: a symmetric product must be added to a symmetric tile; this one is triangular");
}

}  // namespace Impl

/// The product a b, which the caller knows to be symmetric, as g h' is for g = h p. Only one
/// triangle is computed; M^2 K operations.
/// ```cpp
/// auto const g = h * p;
/// auto const s = symmetric_product(g, transpose(h));  // h p h'
/// ```
/// \param a  M x K
/// \param b  K x M
/// \returns a Symmetric tile, M x M
template <Tile A, Tile B>
BATCHWORK_INLINE auto symmetric_product(A const& a, B const& b) {
  [[maybe_unused]] constexpr bool real = Impl::require_no_complex<A, B>();
  static_assert(A::cols == B::rows && A::rows == B::cols,
                "Batchwork::symmetric_product(a, b): a is M x K and b is K x M");
  using S = promote_t<value_t<A>, value_t<B>>;
  auto r = Impl::triangle<S>(a, b, Impl::FromZero<S>{});
  r.info = Impl::merge_info<S>(a.info, b.info);
  return r;
}
/// a b + c, which is cheaper than a product and a sum.
/// \param a  M x K
/// \param b  K x M
/// \param c  M x M, symmetric; only the lower triangle is read
/// \returns a Symmetric tile, M x M
template <Tile A, Tile B, Tile C>
BATCHWORK_INLINE auto symmetric_product(A const& a, B const& b, C const& c) {
  [[maybe_unused]] constexpr bool real = Impl::require_no_complex<A, B, C>();
  static_assert(A::cols == B::rows && A::rows == B::cols,
                "Batchwork::symmetric_product(a, b, c): a is M x K and b is K x M");
  Impl::require_addend<C, A>();
  using S = promote_t<promote_t<value_t<A>, value_t<B>>, value_t<C>>;
  auto r = Impl::triangle<S>(a, b, Impl::From<false, C>{c});
  r.info = Impl::merge_info<S>(Impl::merge_info<S>(a.info, b.info), c.info);
  return r;
}

/// The congruence f p f'. Only one triangle is computed; 2 M N^2 + M^2 N operations. If f p is
/// needed as well, compute it first and use symmetric_product(f p, f').
/// ```cpp
/// p = congruence(f, p, q);  // f p f' + q
/// ```
/// \param f  M x N
/// \param p  N x N, symmetric; only the lower triangle of a general tile is read
/// \returns a Symmetric tile, M x M
template <Tile F, Tile P>
BATCHWORK_INLINE auto congruence(F const& f, P const& p) {
  [[maybe_unused]] constexpr bool real = Impl::require_no_complex<F, P>();
  using S = promote_t<value_t<F>, value_t<P>>;
  auto r = Impl::congruence(f, p, Impl::FromZero<S>{});
  r.info = Impl::merge_info<S>(f.info, p.info);
  return r;
}
/// f p f' + q, which is cheaper than a congruence and a sum.
/// \param f  M x N
/// \param p  N x N, symmetric; only the lower triangle of a general tile is read
/// \param q  M x M, symmetric; only the lower triangle is read
/// \returns a Symmetric tile, M x M
template <Tile F, Tile P, Tile Q>
BATCHWORK_INLINE auto congruence(F const& f, P const& p, Q const& q) {
  [[maybe_unused]] constexpr bool real = Impl::require_no_complex<F, P, Q>();
  Impl::require_addend<Q, F>();
  using S = promote_t<promote_t<value_t<F>, value_t<P>>, value_t<Q>>;
  auto r = Impl::congruence(f, p, Impl::From<false, Q>{q});
  r.info = Impl::merge_info<S>(Impl::merge_info<S>(f.info, p.info), q.info);
  return r;
}

/// The Gram matrix y' y. Only one triangle is computed; M N^2 operations.
/// \param y  M x N
/// \returns a Symmetric tile, N x N
template <Tile Y>
BATCHWORK_INLINE auto gram(Y const& y) {
  [[maybe_unused]] constexpr bool real = Impl::require_no_complex<Y>();
  if constexpr (Impl::is_distributed_tile<Y>) {
    auto r = Impl::distributed_gram<value_t<Y>>(y, Impl::LinesFromZero{}, Impl::NoLines{},
                                                Impl::grid_of(y));
    r.info = y.info;
    return r;
  } else return symmetric_product(Transposed<Y const&>{y, y.info}, y);
}
/// The downdate p - y' y by M rows. It is cheaper than gram and a difference.
/// \param p  N x N, symmetric; only the lower triangle is read
/// \param y  M x N
/// \returns a Symmetric tile, N x N
template <Tile P, Tile Y>
BATCHWORK_INLINE auto downdate(P const& p, Y const& y) {
  [[maybe_unused]] constexpr bool real = Impl::require_no_complex<P, Y>();
  static_assert(P::rows == Y::cols && P::cols == Y::cols,
                "Batchwork::downdate(p, y): p is N x N and y has N columns");
  static_assert(P::structure != Structure::lower && P::structure != Structure::upper,
                "Batchwork::downdate(p, y): p must be symmetric; this one is triangular");
  using S = promote_t<value_t<P>, value_t<Y>>;
  auto r = [&] {
    if constexpr (Impl::is_fragments<P> && Impl::is_transposed_fragments<Y>) {
      return Impl::downdate_by_fragments(p, y.original);
    } else if constexpr (Impl::is_distributed_tile<Y>) {
      Impl::LaneGrid const grid = Impl::grid_of(y);
      decltype(auto) start = Impl::mirrored(p);
      return Impl::distributed_gram<S>(y, Impl::LinesFrom<true>{},
                                       Impl::lower_lines_of<Impl::dealt_t<S, true>>(start, grid),
                                       grid);
    } else {
      Transposed<Y const&> const yt{y, y.info};
      return Impl::triangle<S>(yt, y, Impl::From<true, P>{p});
    }
  }();
  r.info = Impl::merge_info<S>(p.info, y.info);
  return r;
}

}  // namespace Batchwork

#endif
