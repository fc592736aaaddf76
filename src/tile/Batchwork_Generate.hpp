// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// generate, element, select: sequences make tiles from entries, read entries, and choose by a
/// mask. Sequences do not branch on values, so the same source runs for any number of items and
/// lanes behind `S`.
#ifndef BATCHWORK_GENERATE_HPP
#define BATCHWORK_GENERATE_HPP

#include "tile/types/Batchwork_Sum.hpp"

namespace Batchwork {

namespace Impl {

template <class X>
struct ValueOfEntry;
template <Number X>
struct ValueOfEntry<X> {
  using type = std::conditional_t<std::is_floating_point_v<X>, X, double>;
};
template <class X>
  requires is_kokkos_complex<X>
struct ValueOfEntry<X> {
  using type = number_of_t<X>;
};
template <ScalarTile X>
struct ValueOfEntry<X> {
  using type = typename X::value_type;
};

template <class S, class R, class X>
BATCHWORK_INLINE void set_entry(R& r, int i, int j, X const& x) {
  Scalar<S> const e(x);
  r.set(i, j, e.value);
  r.info = first_failure(r.info, e.info);
}

/// If lanes share an item, all entries are computed before any is set, because an entry may be a
/// plain number that knows no lanes. For a triangle only the stored entries are computed.
template <class S, class R, class F>
BATCHWORK_INLINE void set_entries(R& r, F const& f) {
  constexpr bool triangle =
      R::structure == Structure::symmetric || R::structure == Structure::lower;
  Scalar<S> e[R::rows * R::cols];
  BATCHWORK_UNROLL
  for (int n = 0; n < R::rows * R::cols; ++n) {
    if (triangle && n % R::cols > n / R::cols) continue;
    e[n] = Scalar<S>(f(n / R::cols, n % R::cols));
    r.grid = merge_grids(r.grid, e[n].value.grid);
  }
  BATCHWORK_UNROLL
  for (int n = 0; n < R::rows * R::cols; ++n)
    if (!triangle || n % R::cols <= n / R::cols) set_entry<S>(r, n / R::cols, n % R::cols, e[n]);
}

/// A Symmetric or Lower tile with the entries f(i, j), j <= i.
template <template <class, int> class TileOfTriangle, int N, class F>
BATCHWORK_INLINE auto generated_triangle(F const& f) {
  using S = typename ValueOfEntry<std::remove_cvref_t<decltype(f(0, 0))>>::type;
  using R = TileOfTriangle<S, N>;
  R r;
  r.info = info_t<S>(0);
  if constexpr (is_distributed<S>) {
    if constexpr (R::structure == Structure::lower) {
      BATCHWORK_UNROLL
      for (int k = 0; k < R::mine * R::length; ++k) r.a[k] = 0;
    }
    set_entries<S>(r, f);
  } else {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j <= i; ++j) set_entry<S>(r, i, j, f(i, j));
    }
  }
  return r;
}

}  // namespace Impl

/// The M x N matrix with the entries f(i, j).
/// ```cpp
/// auto const h = generate<2, 3>([&](int i, int j) { return i == j ? 1.0 : 0.0; });
/// ```
/// \tparam M  the rows
/// \tparam N  the columns
/// \param f  a functor that returns a number or a scalar; f(0, 0) determines the type, integers
///   give double
/// \returns a Matrix
template <int M, int N, class F>
BATCHWORK_INLINE auto generate(F const& f) {
  using S = typename Impl::ValueOfEntry<std::remove_cvref_t<decltype(f(0, 0))>>::type;
  Matrix<S, M, N> r;
  r.info = info_t<S>(0);
  if constexpr (Impl::is_distributed<S>) {
    Impl::set_entries<S>(r, f);
  } else {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < M; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < N; ++j) Impl::set_entry<S>(r, i, j, f(i, j));
    }
  }
  return r;
}

/// The vector with the entries f(i).
/// \tparam N  the number of entries
/// \param f  a functor that returns a number or a scalar; f(0) determines the type, integers give
///   double
/// \returns a Vector
template <int N, class F>
BATCHWORK_INLINE auto generate(F const& f) {
  using S = typename Impl::ValueOfEntry<std::remove_cvref_t<decltype(f(0))>>::type;
  Vector<S, N> r;
  r.info = info_t<S>(0);
  if constexpr (Impl::is_distributed<S>) {
    Impl::set_entries<S>(r, [&](int i, int) { return f(i); });
  } else {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) Impl::set_entry<S>(r, i, 0, f(i));
  }
  return r;
}

/// The symmetric N x N tile with the entries f(i, j), which is called for j <= i only.
template <int N, class F>
BATCHWORK_INLINE auto generate_symmetric(F const& f) {
  return Impl::generated_triangle<Symmetric, N>(f);
}
/// The lower triangular N x N tile with the entries f(i, j), which is called for j <= i only.
template <int N, class F>
BATCHWORK_INLINE auto generate_lower(F const& f) {
  return Impl::generated_triangle<Lower, N>(f);
}

/// Entry (i, j) of a tile, with the status of the tile; the same as a(i, j) for a const tile.
/// \param x  a tile
/// \param i  the row; on devices a constant once loops are unrolled
/// \param j  the column, a constant like i
/// \returns a scalar
template <Tile X>
BATCHWORK_INLINE auto element(X const& x, int i, int j) {
  using S = value_t<X>;
  return Scalar<S>(S(x.entry(i, j)), x.info);
}
/// Entry i of a vector, with the status of the vector.
template <Tile X>
  requires X::is_vector
BATCHWORK_INLINE auto element(X const& x, int i) {
  using S = value_t<X>;
  return Scalar<S>(S(x.entry(i, 0)), x.info);
}

namespace Impl {
template <class M, class S>
struct SelectEntry {
  M const& mask;
  template <class A, class B>
  BATCHWORK_INLINE S operator()(A const& a, B const& b) const {
    return select(mask, S(a), S(b));
  }
};
}  // namespace Impl

/// `a` where the mask is true, else `b`, for each item and including the status. Both are computed;
/// see where to avoid that.
/// ```cpp
/// x = select(isnan(z), predicted, updated);
/// ```
/// \param mask  a comparison of scalars
/// \param a  a tile
/// \param b  a tile with the same extents
/// \returns the chosen tile
template <class M, Tile A, Tile B>
BATCHWORK_INLINE auto select(M const& mask, A const& a, B const& b) {
  static_assert(A::rows == B::rows && A::cols == B::cols,
                "Batchwork::select: the tiles have different extents");
  using S0 = typename Impl::ValueForMask<promote_t<value_t<A>, value_t<B>>, M>::type;
  using S = Impl::deal_together_t<S0, A, B>;
  using R = Impl::tile_of_t<S, A::rows, A::cols, Impl::sum_structure(A::structure, B::structure),
                            A::is_vector || B::is_vector>;
  R r = Impl::entrywise<R>(Impl::SelectEntry<M, S>{mask}, a, b);
  r.info = Impl::select(mask, Impl::info_in_lanes_of<S>(a.info), Impl::info_in_lanes_of<S>(b.info));
  return r;
}
/// Does not compile; the message says what to write instead.
template <class M, Tile A, Impl::ScalarLike C>
BATCHWORK_INLINE A select(M const&, A const& a, C const&) {
  Impl::refuse_number_to_choose<A>();
  return a;
}
/// Does not compile; the message says what to write instead.
template <class M, Impl::ScalarLike C, Tile A>
BATCHWORK_INLINE A select(M const&, C const&, A const& a) {
  Impl::refuse_number_to_choose<A>();
  return a;
}

}  // namespace Batchwork

#endif
