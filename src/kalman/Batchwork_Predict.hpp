// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// predict: the state one time step later.
#ifndef BATCHWORK_PREDICT_HPP
#define BATCHWORK_PREDICT_HPP

#include "kalman/Batchwork_State.hpp"

namespace Batchwork::Kalman {

/// Moves a state one time step on: x = F x, p = F p F' + Q. One triangle of p is computed, in 3 N^3
/// operations. (Kalman 1960; Durbin and Koopman 2012, section 4.3.)
///
/// ```cpp
/// Kalman::predict(x, p, f, q);  // in a sequence of map or scan
/// ```
///
/// \param x mean, a mutable vector of N, or scalar
/// \param p covariance, a mutable symmetric tile N x N, or scalar
/// \param f transition, N x N, or scalar
/// \param q covariance of the noise, N x N, or scalar
template <class X, class P, class F, class Q>
BATCHWORK_INLINE void predict(X& x, P& p, F const& f, Q const& q) {
  Impl::with_state(x, p, [&](auto& xs, auto& ps) {
    auto const& fm = Impl::as_matrix(f);
    xs = fm * xs;
    ps = congruence(fm, ps, Impl::as_matrix(q));
  });
}

/// Moves a state with an input one time step on: x = F x + c, p = F p F' + Q.
///
/// \param x mean, a mutable vector of N, or scalar
/// \param p covariance, a mutable symmetric tile N x N, or scalar
/// \param f transition, N x N, or scalar
/// \param q covariance of the noise, N x N, or scalar
/// \param c input, a vector of N, or scalar, such as a known control
template <class X, class P, class F, class Q, class C>
BATCHWORK_INLINE void predict(X& x, P& p, F const& f, Q const& q, C const& c) {
  predict(x, p, f, q);
  auto const xs = Impl::as_vector(x) + Impl::as_vector(c);
  Impl::put(x, xs);
}

}  // namespace Batchwork::Kalman

#endif
