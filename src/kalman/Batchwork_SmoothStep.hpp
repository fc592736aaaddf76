// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// smooth_step: one step backwards of the smoother of Rauch, Tung and Striebel.
#ifndef BATCHWORK_SMOOTHSTEP_HPP
#define BATCHWORK_SMOOTHSTEP_HPP

#include "kalman/detail/Batchwork_SmootherGain.hpp"

namespace Batchwork {

namespace Impl {

/// x and p from time t + 1 to time t, with the transposed gain. The mean moved to time t + 1 is
/// `moved`. p is a sum of squares, so rounding errors of the gain enter its first term squared.
template <class X, class P, class L, class M, class C, class Moved, class F, class Q, class G>
BATCHWORK_INLINE void smooth_by_gain(X& x, P& p, L& lag_one, M const& mean, C const& covariance,
                                     Moved const& moved, F const& f, Q const& q, G const& gain_t) {
  using T = scalar_t<value_t<P>>;
  constexpr int N = P::rows;
  auto const gain = transpose(gain_t);
  auto const rest = identity<T, N>() - gain * f;
  x = mean + gain * (x - moved);
  if constexpr (!is_nothing<L>) put(lag_one, p * gain_t);
  p = congruence(rest, covariance, congruence(gain, p + as_symmetric(q)));
}

}  // namespace Impl

namespace Kalman {

template <class X, class P, class L, class M, class C, class Moved, class F, class Q>
BATCHWORK_INLINE void smooth_step(X& x, P& p, L& lag_one, M const& mean, C const& covariance,
                                  Moved const& moved, F const& f, Q const& q);

/// One step backwards of the smoother of Rauch, Tung and Striebel. x and p are the smoothed state
/// at time t + 1, and become the smoothed state at time t.
///
/// ```cpp
/// Kalman::smooth_step(x, p, mean, covariance, f, q);  // in a sequence of a backward scan
/// ```
///
///     S = F P F' + Q,  G = P F' S^-1,
///     x = m + G (x - F m),
///     p = (I - G F) P (I - G F)' + G (Q + p) G'
///
/// with the filtered state m, P. The step treats the state at time t + 1 as an observation of the
/// state at time t, in the form of Joseph: p is a sum of squares. P, Q and S may be singular: a
/// pivot of S below (N + 1) eps of its terms tells nothing. About 13 N^3 operations.
///
/// Failures, in the `info` of x and p: not_positive_definite and not_finite of S with the 1-based
/// pivot. (Rauch, Tung and Striebel, AIAA Journal 3, 1965; Särkkä and Svensson, Bayesian Filtering
/// and Smoothing, 2nd edition 2023, section 12.2.)
///
/// \param x mean, a mutable vector of N
/// \param p covariance, a mutable symmetric tile N x N
/// \param mean filtered mean at time t, a vector of N
/// \param covariance filtered covariance at time t, N x N; only the lower triangle is read
/// \param f transition from time t to t + 1, N x N
/// \param q covariance of its noise, N x N; only the lower triangle is read
template <class X, class P, class M, class C, class F, class Q>
BATCHWORK_INLINE void smooth_step(X& x, P& p, M const& mean, C const& covariance, F const& f,
                                  Q const& q) {
  Impl::Nothing none;
  smooth_step(x, p, none, mean, covariance, f * mean, f, q);
}
/// The same for a motion that is not F m, such as that of an extended filter or one with an input,
/// and with the covariance of the states at times t + 1 and t.
///
/// ```cpp
/// auto const motion = value_and_jacobian(Motion{dt}, mean);
/// Kalman::smooth_step(x, p, lag_one, mean, covariance, motion.value, motion.jacobian, q);
/// ```
///
/// \param x mean, a mutable vector of N
/// \param p covariance, a mutable symmetric tile N x N
/// \param lag_one p G', the covariance of x(t + 1) and x(t) given all observations: a mutable
///   matrix N x N, or nothing()
/// \param mean filtered mean at time t, a vector of N
/// \param covariance filtered covariance at time t, N x N; only the lower triangle is read
/// \param moved the mean predicted from it for time t + 1, a vector of N
/// \param f transition from time t to t + 1, or its Jacobian at `mean`, N x N
/// \param q covariance of its noise, N x N; only the lower triangle is read
template <class X, class P, class L, class M, class C, class Moved, class F, class Q>
BATCHWORK_INLINE void smooth_step(X& x, P& p, L& lag_one, M const& mean, C const& covariance,
                                  Moved const& moved, F const& f, Q const& q) {
  Impl::smooth_by_gain(x, p, lag_one, mean, covariance, moved, f, q,
                       Impl::smoother_gain(covariance, f, q));
}

}  // namespace Kalman
}  // namespace Batchwork

#endif
