// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Matrices: a linear Gaussian model as a functor of parameters returns it.
#ifndef BATCHWORK_MATRICES_HPP
#define BATCHWORK_MATRICES_HPP

#include <type_traits>

#include "kalman/Batchwork_State.hpp"

namespace Batchwork {

namespace Impl {

/// What a functor may return as a matrix: a tile, a scalar or a number.
template <class X>
concept MatrixOfModel = ScalarOrTile<X> || std::is_arithmetic_v<X>;

/// A copy of a matrix that refers to nothing else.
template <class X>
BATCHWORK_INLINE auto owned(X const& x) {
  if constexpr (is_transposed<X>) return Matrix<value_t<X>, X::rows, X::cols>(x);
  else return x;
}
template <class X>
using owned_t = decltype(owned(std::declval<X const&>()));

}  // namespace Impl

namespace Kalman {

/// The matrices of a model, made by matrices(f, q, h, r) in a functor of parameters.
///
/// \tparam F,Q,H,R types of the four matrices
/// \tparam X,P types of mean and covariance at the start; Impl::Nothing if the call gives them
template <class F, class Q, class H, class R, class X, class P>
struct Matrices {
  F f;           ///< transition, N x N
  Q q;           ///< covariance of the transition's noise, N x N
  H h;           ///< observation matrix, M x N
  R r;           ///< covariance of the observation's noise, M x M
  X mean;        ///< mean at the start, N
  P covariance;  ///< covariance at the start, N x N
};

/// The matrices of a linear Gaussian model, for the functor that Kalman::score takes. See model()
/// for the equations. A number, a scalar or a tile is accepted for each; those that do not depend
/// on the parameters may hold plain numbers.
///
/// ```cpp
/// struct LocalLevel {  // theta: logarithms of the variances of level and noise
///   template <class Theta>
///   KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
///     return Kalman::matrices(1.0, exp(theta(0)), 1.0, exp(theta(1)));
///   }
/// };
/// ```
///
/// \param f N x N
/// \param q N x N; a diagonal tile is accepted
/// \param h M x N; a vector of N if M is 1
/// \param r M x M; a diagonal tile is accepted
/// \returns what the functor returns
template <Impl::MatrixOfModel F, Impl::MatrixOfModel Q, Impl::MatrixOfModel H,
          Impl::MatrixOfModel R>
BATCHWORK_INLINE auto matrices(F const& f, Q const& q, H const& h, R const& r) {
  using Impl::owned;
  return Matrices<Impl::owned_t<F>, Impl::owned_t<Q>, Impl::owned_t<H>, Impl::owned_t<R>,
                  Impl::Nothing, Impl::Nothing>{owned(f), owned(q), owned(h), owned(r), {}, {}};
}
/// The same with a start that depends on the parameters, such as the stationary distribution. The
/// call then has the start start(), predicted() or diffuse(A).
///
/// \param f N x N
/// \param q N x N; a diagonal tile is accepted
/// \param h M x N; a vector of N if M is 1
/// \param r M x M; a diagonal tile is accepted
/// \param x mean at the start, a vector of N
/// \param p covariance at the start, N x N; a diagonal tile is accepted
/// \returns what the functor returns
template <Impl::MatrixOfModel F, Impl::MatrixOfModel Q, Impl::MatrixOfModel H,
          Impl::MatrixOfModel R, Impl::MatrixOfModel X, Impl::MatrixOfModel P>
BATCHWORK_INLINE auto matrices(F const& f, Q const& q, H const& h, R const& r, X const& x,
                               P const& p) {
  using Impl::owned;
  return Matrices<Impl::owned_t<F>, Impl::owned_t<Q>, Impl::owned_t<H>, Impl::owned_t<R>,
                  Impl::owned_t<X>, Impl::owned_t<P>>{owned(f), owned(q), owned(h),
                                                      owned(r), owned(x), owned(p)};
}

}  // namespace Kalman
}  // namespace Batchwork

#endif
