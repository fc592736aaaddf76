// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// zero, ones, constant: tiles and scalars with the same number everywhere, and accumulators of the
/// right type.
#ifndef BATCHWORK_CONSTANT_HPP
#define BATCHWORK_CONSTANT_HPP

#include "tile/Batchwork_Structured.hpp"

namespace Batchwork {

namespace Impl {

/// c as a scalar like x.
template <class C, class X>
BATCHWORK_INLINE auto scalar_like(C const& c, [[maybe_unused]] X const& x) {
  using SX = typename X::value_type;
  using S = promote_t<typename ScalarOf<C, SX>::type, SX>;
  Scalar<S> r(c);
  if constexpr (is_distributed<SX>) r.value.grid = merge_grids(r.value.grid, grid_known_to(x));
  return r;
}
/// The scalar that a number or a scalar is.
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

/// constant<M, N>(c, x), constant<N>(c, x), constant(c, x): a matrix, a vector or a scalar with c
/// everywhere. c is a number or a scalar. The items and the type of numbers are those of x, any
/// tile or scalar. Without x they are c's: a plain number is common to all items. The result has
/// the status of c.
template <int M, int N, Impl::ScalarLike C, Impl::ScalarOrTile X>
BATCHWORK_INLINE auto constant(C const& c, X const& x) {
  return Impl::filled<M, N, false>(Impl::scalar_like(c, x));
}
template <int N, Impl::ScalarLike C, Impl::ScalarOrTile X>
BATCHWORK_INLINE auto constant(C const& c, X const& x) {
  return Impl::filled<N, 1, true>(Impl::scalar_like(c, x));
}
template <Impl::ScalarLike C, Impl::ScalarOrTile X>
BATCHWORK_INLINE auto constant(C const& c, X const& x) {
  return Impl::scalar_like(c, x);
}
template <int M, int N, Impl::ScalarLike C>
BATCHWORK_INLINE auto constant(C const& c) {
  return Impl::filled<M, N, false>(Impl::scalar_of(c));
}
template <int N, Impl::ScalarLike C>
BATCHWORK_INLINE auto constant(C const& c) {
  return Impl::filled<N, 1, true>(Impl::scalar_of(c));
}

/// zero<M, N>(x), zero<N>(x), zero(x): zeros as a matrix, a vector, a scalar, for the items and
/// with the type of numbers of x, any tile or scalar. What sums and tiles that are assigned entry
/// by entry begin with.
template <int M, int N, Impl::ScalarOrTile X>
BATCHWORK_INLINE auto zero(X const& x) {
  return constant<M, N>(0, x);
}
template <int N, Impl::ScalarOrTile X>
BATCHWORK_INLINE auto zero(X const& x) {
  return constant<N>(0, x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto zero(X const& x) {
  return constant(0, x);
}
/// zero<T, M, N>(), zero<T, N>(): common to all items, T being float or double.
template <class T, int M, int N>
BATCHWORK_INLINE Matrix<T, M, N> zero() {
  return constant<M, N>(T(0));
}
template <class T, int N>
BATCHWORK_INLINE Vector<T, N> zero() {
  return constant<N>(T(0));
}

/// Ones, likewise.
template <int M, int N, Impl::ScalarOrTile X>
BATCHWORK_INLINE auto ones(X const& x) {
  return constant<M, N>(1, x);
}
template <int N, Impl::ScalarOrTile X>
BATCHWORK_INLINE auto ones(X const& x) {
  return constant<N>(1, x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto ones(X const& x) {
  return constant(1, x);
}
template <class T, int M, int N>
BATCHWORK_INLINE Matrix<T, M, N> ones() {
  return constant<M, N>(T(1));
}
template <class T, int N>
BATCHWORK_INLINE Vector<T, N> ones() {
  return constant<N>(T(1));
}

}  // namespace Batchwork

#endif
