// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// extended_predict, extended_update, extended_step: the extended Kalman filter, whose model is the
/// user's functors, linearised at the mean.
#ifndef BATCHWORK_EXTENDED_HPP
#define BATCHWORK_EXTENDED_HPP

#include "kalman/Batchwork_Gate.hpp"
#include "kalman/Batchwork_Residual.hpp"
#include "kalman/detail/Batchwork_Correction.hpp"
#include "tile/Batchwork_Derivatives.hpp"

namespace Batchwork::Kalman {

/// Moves a state one time step on by a nonlinear model: x = f(x), p = F p F' + Q with the Jacobian
/// F of f at x, by forward differentiation.
///
/// ```cpp
/// Kalman::extended_predict(x, p, Motion{dt}, q);  // in a sequence of map or scan
/// ```
///
/// Cost: the calls of value_and_jacobian, one for 8 states, and 3 N^3 operations. A failure inside
/// f passes to x and p. Source: Bar-Shalom, Li and Kirubarajan, Estimation with Applications to
/// Tracking and Navigation (2001), section 10.3.
///
/// \param x mean, a mutable vector of N, or scalar
/// \param p covariance, a mutable symmetric tile N x N, or scalar
/// \param f motion: a functor with a generic call operator that takes a vector of N and returns
///   one; it is called with numbers that have derivatives. What else it needs, such as controls, it
///   holds
/// \param q covariance of the noise, N x N, or scalar
template <class X, class P, class F, class Q>
BATCHWORK_INLINE void extended_predict(X& x, P& p, F const& f, Q const& q) {
  Impl::with_state(x, p, [&](auto& xs, auto& ps) {
    auto const linear = value_and_jacobian(f, xs);
    auto const& moved = Impl::as_vector(linear.value);
    Impl::require_state<std::remove_cvref_t<decltype(xs)>, std::remove_cvref_t<decltype(moved)>>();
    xs = moved;
    ps = congruence(linear.jacobian, ps, Impl::as_matrix(q));
  });
}

/// Lets the observation z = h(x) + noise enter the state, and adds to the log-likelihood.
///
/// ```cpp
/// auto const nis = Kalman::extended_update(x, p, loglik, z, Radar{}, r, Wrapped{}).nis;
/// ```
///
///     v = residual(z, h(x)),  S = H p H' + R = L L',  y = L^-1 H p,  u = L^-1 v,
///     x = x + y' u,  p = p - y' y,
///     loglik += -1/2 (m log 2 pi + log det S + u' u),  m entries observed
///
/// H is the Jacobian of h at x, by forward differentiation. Entries of z that are NaN are missing,
/// as in update, and failures are those of update. Cost: the calls of value_and_jacobian, and the
/// operations of update.
///
/// The result holds u' u, the normalised innovation squared (NIS); see Innovation and gate.
///
/// \tparam D whether observations may be missing
/// \param x mean, a mutable vector of N, or scalar
/// \param p covariance, a mutable symmetric tile N x N, or scalar
/// \param loglik log-likelihood, a mutable scalar, or a LogSum of weight -1/2
/// \param z observation, a vector of M, or scalar
/// \param h observation: a functor with a generic call operator that takes a vector of N and
///   returns a vector of M, or a scalar; it is called with numbers that have derivatives
/// \param r covariance of the noise, M x M; only the lower triangle is read
/// \param residual functor for the difference of z and h(x), two vectors of M, see Difference
/// \param gate gate(threshold), to ignore observations that do not fit; see gate
/// \returns an Innovation
template <Data D = Data::may_be_missing, class X, class P, class L, class Z, class H,
          Impl::ScalarOrTile R, class Residual = Difference, class G = NoGate>
BATCHWORK_INLINE auto extended_update(X& x, P& p, L& loglik, Z const& z, H const& h, R const& r,
                                      Residual const& residual = {}, G const& gate = {}) {
  auto const& zv = Impl::as_vector(z);
  auto const& rm = Impl::as_matrix(r);
  return Impl::update_through(gate, x, p, loglik, [&](X& to_x, P& to_p, auto& likelihood) {
    return Impl::with_state(to_x, to_p, [&](auto& xs, auto& ps) {
      auto const linear = value_and_jacobian(h, xs);
      auto const v = residual(zv, Impl::as_vector(linear.value));
      auto const g = linear.jacobian * ps;
      auto const c = Impl::correction<D>(zv, Impl::as_vector(v), g,
                                         symmetric_product(g, transpose(linear.jacobian), rm), rm);
      xs = xs + transpose(c.y) * c.u;
      return Impl::conclude(ps, likelihood, c);
    });
  });
}
/// The same without the log-likelihood.
///
/// \tparam D whether observations may be missing
/// \param x mean, a mutable vector of N, or scalar
/// \param p covariance, a mutable symmetric tile N x N, or scalar
/// \param z observation, a vector of M, or scalar
/// \param h observation, a functor
/// \param r covariance of the noise, M x M; only the lower triangle is read
/// \param residual functor for the difference of z and h(x)
/// \param gate gate(threshold), to ignore observations that do not fit; see gate
/// \returns an Innovation
template <Data D = Data::may_be_missing, class X, class P, class Z, class H, Impl::ScalarOrTile R,
          class Residual = Difference, class G = NoGate>
BATCHWORK_INLINE auto extended_update(X& x, P& p, Z const& z, H const& h, R const& r,
                                      Residual const& residual = {}, G const& gate = {}) {
  Impl::Nothing none;
  return extended_update<D>(x, p, none, z, h, r, residual, gate);
}

/// extended_predict, then extended_update.
///
/// \tparam D whether observations may be missing
/// \param x mean, a mutable vector of N, or scalar
/// \param p covariance, a mutable symmetric tile N x N, or scalar
/// \param loglik log-likelihood, a mutable scalar, or a LogSum of weight -1/2
/// \param z observation, a vector of M, or scalar
/// \param f motion, a functor
/// \param q covariance of the motion's noise, N x N
/// \param h observation, a functor
/// \param r covariance of the observation's noise, M x M
/// \param residual functor for the difference of z and h(x)
/// \param gate gate(threshold), to ignore observations that do not fit; see gate
/// \returns an Innovation
template <Data D = Data::may_be_missing, class X, class P, class L, class Z, class F, class Q,
          class H, class R, class Residual = Difference, class G = NoGate>
BATCHWORK_INLINE auto extended_step(X& x, P& p, L& loglik, Z const& z, F const& f, Q const& q,
                                    H const& h, R const& r, Residual const& residual = {},
                                    G const& gate = {}) {
  extended_predict(x, p, f, q);
  return extended_update<D>(x, p, loglik, z, h, r, residual, gate);
}

}  // namespace Batchwork::Kalman

#endif
