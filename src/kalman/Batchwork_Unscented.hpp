// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// unscented_predict, unscented_update: the unscented Kalman filter with additive noise, whose
/// model is the user's functors, evaluated at 2 N + 1 points.
#ifndef BATCHWORK_UNSCENTED_HPP
#define BATCHWORK_UNSCENTED_HPP

#include "kalman/Batchwork_Gate.hpp"
#include "kalman/Batchwork_Residual.hpp"
#include "kalman/detail/Batchwork_Correction.hpp"
#include "tile/Batchwork_Blocks.hpp"
#include "tile/Batchwork_Constant.hpp"

namespace Batchwork {

namespace Kalman {

/// The points of the unscented filter and their weights (Wan and van der Merwe, The unscented
/// Kalman filter for nonlinear estimation, AS-SPCC 2000). N + lambda = alpha^2 (N + kappa); the
/// points are x and x +- sqrt(N + lambda) L for the columns of L, p = L L'.
///
/// alpha = 1, beta = 0, kappa = 0 are the points of the cubature filter, alpha = 1, beta = 0,
/// kappa = 3 - N those of Julier and Uhlmann (1997). A small alpha loses about log10(1 / alpha)
/// digits of the differences between points: with alpha = 1e-3 use double.
struct UnscentedWeights {
  double alpha = 1;  ///< spread of the points, above 0
  double beta = 2;   ///< what is known of the fourth moments; 2 for a normal distribution
  double kappa = 0;  ///< above -N
};

}  // namespace Kalman

namespace Impl {

/// Mean, deviations and covariance of a function of the points x and x +- c L.
template <class Y, class E, class C>
struct UnscentedMoments {
  Y mean;
  E above, below;  ///< M x N: deviations at x + c L and x - c L from that at x, over sqrt(2) c
  C covariance;    ///< M x M, the noise added
};

/// Moments of f with noise. All sums are of deviations from f(x), so the large weights of small
/// alphas never occur. Let w = 1 / (2 c^2), d_a = f(x_a) - f(x) and m = w sum d_a. Then the mean is
/// f(x) + m. The covariance by the weights of Wan and van der Merwe is
/// w sum d_a d_a' + (beta - alpha^2) m m'.
template <class X, class Lo, class F, class C, class Residual>
BATCHWORK_INLINE auto unscented_moments(X const& x, Lo const& l, F const& f, C const& noise,
                                        Residual const& residual,
                                        Kalman::UnscentedWeights const& weights) {
  using T = scalar_t<value_t<X>>;
  constexpr int N = X::rows;
  T const c = Kokkos::sqrt(T(weights.alpha * weights.alpha * (N + weights.kappa)));
  T const half = T(0.70710678118654752440), share = half / c;  // share^2 = 1 / (2 c^2)
  auto const center = [&] {
    auto const y = f(x);
    return decltype(1 * as_vector(y))(1 * as_vector(y));
  }();
  constexpr int M = decltype(center)::rows;
  auto above = zero<M, N>(center), below = zero<M, N>(center);
  auto shift = 0 * center;
  BATCHWORK_LOOP_ON_HOST
  for (int j = 0; j < N; ++j) {
    auto const step = c * column(l, j);
    auto const at_above = f(x + step), at_below = f(x - step);
    auto const up = residual(as_vector(at_above), center),
               down = residual(as_vector(at_below), center);
    auto const scaled_up = share * as_vector(up), scaled_down = share * as_vector(down);
    assign_block(above, 0, j, scaled_up);
    assign_block(below, 0, j, scaled_down);
    shift = shift + scaled_up + scaled_down;
  }
  auto const m = share * shift;
  auto const of_mean = T(weights.beta - weights.alpha * weights.alpha) * m;
  auto const covariance = symmetric_product(
      above, transpose(above),
      symmetric_product(below, transpose(below), symmetric_product(of_mean, transpose(m), noise)));
  auto const mean = center + m;
  return UnscentedMoments<std::remove_const_t<decltype(mean)>, decltype(above),
                          std::remove_const_t<decltype(covariance)>>{mean, above, below,
                                                                     covariance};
}

}  // namespace Impl

namespace Kalman {

/// Moves a state one time step on by a nonlinear model, evaluated at 2 N + 1 points around the
/// mean. The noise is additive: x = f(x) + noise.
///
/// ```cpp
/// Kalman::unscented_predict(x, p, Motion{dt}, q);  // in a sequence of map or scan
/// ```
///
/// Cost: 2 N + 1 calls of f, and 7/3 N^3 operations. The status is that of cholesky if p is not
/// positive definite; a start that is known exactly needs a small variance. Sources: S. J. Julier
/// and J. K. Uhlmann, Unscented filtering and nonlinear estimation, Proc. IEEE 92 (2004), 401-422;
/// see UnscentedWeights.
///
/// \param x mean, a mutable vector of N, or scalar
/// \param p covariance, a mutable symmetric tile N x N, or scalar
/// \param f motion: a functor with a generic call operator that takes a vector of N and returns one
/// \param q covariance of the noise, N x N, or scalar; only the lower triangle is read
/// \param residual functor for the difference of two states, if f brings angles into an interval
/// \param weights the points
template <class X, class P, class F, class Q, class Residual = Difference>
BATCHWORK_INLINE void unscented_predict(X& x, P& p, F const& f, Q const& q,
                                        Residual const& residual = {},
                                        UnscentedWeights const& weights = {}) {
  Impl::with_state(x, p, [&](auto& xs, auto& ps) {
    auto const moved =
        Impl::unscented_moments(xs, cholesky(ps).lower(), f, Impl::as_matrix(q), residual, weights);
    Impl::require_state<std::remove_cvref_t<decltype(xs)>, decltype(moved.mean)>();
    xs = moved.mean;
    ps = moved.covariance;
  });
}

/// Lets the observation z = h(x) + noise enter the state, with h evaluated at 2 N + 1 points around
/// the mean, and adds to the log-likelihood.
///
/// ```cpp
/// auto const nis = Kalman::unscented_update(x, p, loglik, z, Radar{}, r, Wrapped{}).nis;
/// ```
///
/// The points give the innovation, its covariance S and its covariance with the state. The rest is
/// as in extended_update, missing entries and NIS included. The points are those of p, drawn
/// anew after a prediction. Cost: 2 N + 1 calls of h, and about N^3 / 3 + 3 M N^2 + 3 M^2 N
/// operations. Failures are those of update, and of cholesky if p is not positive definite.
///
/// \tparam D whether observations may be missing
/// \param x mean, a mutable vector of N, or scalar
/// \param p covariance, a mutable symmetric tile N x N, or scalar
/// \param loglik log-likelihood, a mutable scalar, or a LogSum of weight -1/2
/// \param z observation, a vector of M, or scalar
/// \param h observation: a functor with a generic call operator that takes a vector of N and
///   returns a vector of M, or a scalar
/// \param r covariance of the noise, M x M; only the lower triangle is read
/// \param residual functor for the difference of two observations, see Difference; the mean of
///   angles is right if all points are within pi of h(x)
/// \param weights the points
/// \param gate gate(threshold), to ignore observations that do not fit; see gate
/// \returns an Innovation
template <Data D = Data::may_be_missing, class X, class P, class L, class Z, class H,
          Impl::ScalarOrTile R, class Residual = Difference, class G = NoGate>
BATCHWORK_INLINE auto unscented_update(X& x, P& p, L& loglik, Z const& z, H const& h, R const& r,
                                       Residual const& residual = {},
                                       UnscentedWeights const& weights = {}, G const& gate = {}) {
  using T = scalar_t<typename P::value_type>;
  auto const& zv = Impl::as_vector(z);
  auto const& rm = Impl::as_matrix(r);
  return Impl::update_through(gate, x, p, loglik, [&](X& to_x, P& to_p, auto& likelihood) {
    return Impl::with_state(to_x, to_p, [&](auto& xs, auto& ps) {
      auto const l = cholesky(ps).lower();
      auto const seen = Impl::unscented_moments(xs, l, h, rm, residual, weights);
      // sum w d_a (x_a - x)' = (above - below) L' / sqrt(2), as the points are x +- c L.
      auto const g = T(0.70710678118654752440) * ((seen.above - seen.below) * transpose(l));
      auto const v = residual(zv, seen.mean);
      auto const c = Impl::correction<D>(zv, Impl::as_vector(v), g, seen.covariance, rm);
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
/// \param residual functor for the difference of two observations
/// \param weights the points
/// \param gate gate(threshold), to ignore observations that do not fit; see gate
/// \returns an Innovation
template <Data D = Data::may_be_missing, class X, class P, class Z, class H, Impl::ScalarOrTile R,
          class Residual = Difference, class G = NoGate>
BATCHWORK_INLINE auto unscented_update(X& x, P& p, Z const& z, H const& h, R const& r,
                                       Residual const& residual = {},
                                       UnscentedWeights const& weights = {}, G const& gate = {}) {
  Impl::Nothing none;
  return unscented_update<D>(x, p, none, z, h, r, residual, weights, gate);
}

}  // namespace Kalman
}  // namespace Batchwork

#endif
