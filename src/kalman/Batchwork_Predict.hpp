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

/// Mean and covariance of an observation, made by predict_observation.
template <class Mean, class Covariance>
struct PredictedObservation {
  Mean mean;              ///< H x, a vector of M
  Covariance covariance;  ///< H p H' + R, a symmetric tile M x M
};
/// What is expected of an observation z = H x + noise before it is made, such as a forecast.
///
/// ```cpp
/// auto const expected = Kalman::predict_observation(x, p, h, r);
/// ```
///
/// \param x mean of the state, a vector of N, or scalar
/// \param p its covariance, a symmetric tile N x N, or scalar
/// \param h observation matrix, M x N, or a vector of N if M is 1
/// \param r covariance of the noise, M x M, or scalar; only the lower triangle is read
/// \returns a PredictedObservation; 2 M N^2 + M^2 N operations
template <class X, class P, class H, class R>
BATCHWORK_INLINE auto predict_observation(X const& x, P const& p, H const& h, R const& r) {
  auto const& xs = Impl::as_vector(x);
  auto const& ps = Impl::as_matrix(p);
  constexpr int N = std::remove_cvref_t<decltype(ps)>::rows;
  auto const& hm = Impl::as_observation_matrix<N>(h);
  auto mean = hm * xs;
  auto covariance = symmetric_product(hm * ps, transpose(hm), Impl::as_matrix(r));
  return PredictedObservation<decltype(mean), decltype(covariance)>{mean, covariance};
}

}  // namespace Batchwork::Kalman

#endif
