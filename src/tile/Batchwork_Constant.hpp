// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// constant, zero, ones: tiles and scalars with the same number in every entry, for example to
/// start sums.
#ifndef BATCHWORK_CONSTANT_HPP
#define BATCHWORK_CONSTANT_HPP

#include "tile/types/Batchwork_Structured.hpp"

namespace Batchwork {

namespace Impl {

/// c as a scalar with the type of x.
template <class C, class X>
BATCHWORK_INLINE auto scalar_like(C const& c, [[maybe_unused]] X const& x) {
  using SX = typename X::value_type;
  using S = promote_t<typename ScalarOf<C, SX>::type, SX>;
  Scalar<S> r(c);
  if constexpr (is_distributed<SX>) r.value.grid = merge_grids(r.value.grid, grid_known_to(x));
  return r;
}
/// Converts a number or a scalar to a scalar.
template <class C>
BATCHWORK_INLINE auto scalar_of(C const& c) {
  if constexpr (ScalarTile<C>) return as_scalar_t<C>(c);
  else if constexpr (is_kokkos_complex<C>) return Scalar<number_of_t<C>>(number_of_t<C>(c));
  else return Scalar(c);
}

/// A general tile with the number c everywhere.
template <int M, int N, bool IsVector, class S>
BATCHWORK_INLINE auto filled(Scalar<S> const& c) {
  general_t<S, M, N, IsVector> r;
  r.info = c.info;
  if constexpr (is_distributed<S>) {
    r.grid = c.value.grid;
    BATCHWORK_UNROLL
    for (int m = 0; m < decltype(r)::mine; ++m) {
      BATCHWORK_UNROLL
      for (int k = 0; k < decltype(r)::length; ++k) r.set_local(m, k, c.value.v);
    }
  } else {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < M; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < N; ++j) r.set(i, j, c.value);
    }
  }
  return r;
}

}  // namespace Impl

/// A matrix with the number c in every entry: constant<M, N>(c, x). The tile x only determines the
/// type: it has the items and the number type of x.
/// \tparam M  the rows
/// \tparam N  the columns
/// \param c  a number or a scalar
/// \param x  any tile or scalar of the sequence
/// \returns a Matrix with the status of c
template <int M, int N, Impl::ScalarLike C, Impl::ScalarOrTile X>
BATCHWORK_INLINE auto constant(C const& c, X const& x) {
  return Impl::filled<M, N, false>(Impl::scalar_like(c, x));
}
/// A vector with the number c in every entry: constant<N>(c, x).
template <int N, Impl::ScalarLike C, Impl::ScalarOrTile X>
BATCHWORK_INLINE auto constant(C const& c, X const& x) {
  return Impl::filled<N, 1, true>(Impl::scalar_like(c, x));
}
/// A scalar with the number c: constant(c, x).
template <Impl::ScalarLike C, Impl::ScalarOrTile X>
BATCHWORK_INLINE auto constant(C const& c, X const& x) {
  return Impl::scalar_like(c, x);
}
/// A matrix with the number c in every entry: constant<M, N>(c). A plain number is common to all
/// items.
template <int M, int N, Impl::ScalarLike C>
BATCHWORK_INLINE auto constant(C const& c) {
  return Impl::filled<M, N, false>(Impl::scalar_of(c));
}
/// A vector with the number c in every entry: constant<N>(c).
template <int N, Impl::ScalarLike C>
BATCHWORK_INLINE auto constant(C const& c) {
  return Impl::filled<N, 1, true>(Impl::scalar_of(c));
}

/// A matrix of zeros, zero<M, N>(x), with the items and the number type of x. Start sums with it,
/// and tiles that are assigned entry by entry.
/// ```cpp
/// auto total = zero(x);
/// loop<3>([&](auto k) { total += x(k); });
/// ```
/// \param x  any tile or scalar of the sequence
template <int M, int N, Impl::ScalarOrTile X>
BATCHWORK_INLINE auto zero(X const& x) {
  return constant<M, N>(0, x);
}
/// A vector of zeros: zero<N>(x).
template <int N, Impl::ScalarOrTile X>
BATCHWORK_INLINE auto zero(X const& x) {
  return constant<N>(0, x);
}
/// A scalar zero: zero(x).
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto zero(X const& x) {
  return constant(0, x);
}
/// A matrix of zeros, common to all items: zero<T, M, N>(), T being float or double.
template <class T, int M, int N>
BATCHWORK_INLINE Matrix<T, M, N> zero() {
  return constant<M, N>(T(0));
}
/// A vector of zeros, common to all items: zero<T, N>().
template <class T, int N>
BATCHWORK_INLINE Vector<T, N> zero() {
  return constant<N>(T(0));
}

/// A matrix of ones, ones<M, N>(x), with the items and the number type of x.
template <int M, int N, Impl::ScalarOrTile X>
BATCHWORK_INLINE auto ones(X const& x) {
  return constant<M, N>(1, x);
}
/// A vector of ones: ones<N>(x).
template <int N, Impl::ScalarOrTile X>
BATCHWORK_INLINE auto ones(X const& x) {
  return constant<N>(1, x);
}
/// A scalar one: ones(x).
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto ones(X const& x) {
  return constant(1, x);
}
/// A matrix of ones, common to all items: ones<T, M, N>().
template <class T, int M, int N>
BATCHWORK_INLINE Matrix<T, M, N> ones() {
  return constant<M, N>(T(1));
}
/// A vector of ones, common to all items: ones<T, N>().
template <class T, int N>
BATCHWORK_INLINE Vector<T, N> ones() {
  return constant<N>(T(1));
}

}  // namespace Batchwork

#endif
