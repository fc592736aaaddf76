// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The two kernels of a fixed-lag smoother behind the filter, as sequences for scans. Their cost
/// does not depend on the lag.
///
/// Given the observations to time s, and x(s + 1), the state at time s is
///
///     x(s) = m + G (x(s + 1) - F m) + noise of covariance D,
///
/// with the filtered state m, P and D = (I - G F) P (I - G F)' + G Q G'. Such maps are associative
/// (Särkkä and García-Fernández, Temporal parallelization of Bayesian smoothers, IEEE Transactions
/// on Automatic Control 66, 2021). The state at time s, given the observations to time t = s + lag,
/// is the product of the maps of times s to t - 1, applied to the filtered state of time t. Exactly
/// one b with s < b <= t is a multiple of the lag. It cuts the product into two running ones (van
/// Herk, Pattern Recognition Letters 13, 1992): LagForward multiplies from b upwards, LagBackward
/// from b downwards.
#ifndef BATCHWORK_LAGSEQUENCE_HPP
#define BATCHWORK_LAGSEQUENCE_HPP

#include "kalman/detail/Batchwork_SmoothSequence.hpp"

namespace Batchwork::Impl {

/// x = e y + g + noise of covariance d becomes x = y.
template <class E, class G, class D>
BATCHWORK_INLINE void restart_motion(E& e, G& g, D& d) {
  using T = scalar_t<value_t<E>>;
  constexpr int N = E::rows;
  e = identity<T, N>();
  g = zero<N, 1>(g);
  d = zero<N, N>(d);
}

/// The state at the last multiple of the lag, given the observations to each time. A step stores it
/// and then appends its own map to the product.
///
/// Parameters: the product as kept tiles e, g and d, also for one state; step_index(); factor of
/// the diffuse covariance and number of its columns, or nothing(); filtered mean and covariance; F
/// and Q that lead to the next time; the results.
template <class Form>
struct LagForward {
  std::int64_t lag;
  Form form;

  template <class E, class G, class D, class I, class A, class Left, class M, class C, class F,
            class Q, class X, class P>
  KOKKOS_FUNCTION void operator()(E& e, G& g, D& d, I const& t, A const& a, Left const& left,
                                  M const& mean, C const& covariance, F const& f, Q const& q, X& x,
                                  P& p) const {
    auto const& m = as_vector(mean);
    auto const& fm = as_matrix(f);
    if (t.value % lag == 0) restart_motion(e, g, d);
    auto const own = form.spread(d, as_matrix(covariance));
    put(x, e * m + g);
    put(p, form.through(e, own, d));
    auto const motion = form.motion(own, fm, as_matrix(q), factor_of(a), left);
    auto const gain = transpose(motion.gain_t);
    g = g + e * (m - gain * (fm * m));
    d = form.through(e, motion.rest, d);
    e = e * gain;
  }
};

/// The states given the observations to the lag behind each time. A step prepends its own map to
/// the product. Then it applies the product to what LagForward left for it. If the series ends
/// before, it applies it to the smoothed state x, p at the last multiple of the lag. Behind that
/// time g and d are the smoothed state itself, as in SmoothSequence.
///
/// Parameters: the product as kept tiles e, g and d; x and p as kept tiles; the others as for
/// SmoothSequence, with results of LagForward in place of the smoothed ones.
template <class Form>
struct LagBackward {
  std::int64_t steps, lag;
  Form form;

  template <class E, class G, class D, class X, class P, class NextF, class NextQ, class I, class A,
            class Left, class M, class C, class F, class Q, class SM, class SC>
  KOKKOS_FUNCTION void operator()(E& e, G& g, D& d, X& x, P& p, NextF& next_f, NextQ& next_q,
                                  I const& step, A const& a, Left const& left, M const& mean,
                                  C& covariance, F const& f, Q const& q, SM& smoothed_mean,
                                  SC& smoothed_covariance) const {
    std::int64_t const t = step.value, last = steps - 1, top = last / lag * lag;
    auto const& m = as_vector(mean);
    if (t == last) restart_motion(e, x, p);
    auto const own = form.spread(p, as_matrix(covariance));
    if (t == last) {
      g = m;
      d = own;
    } else {
      if (t + 1 == top) {
        x = g;
        p = d;
      }
      if (t < top && (t + 1) % lag == 0) restart_motion(e, g, d);
      auto const& fm = as_matrix(chosen(next_f, f));
      auto const motion = form.motion(own, fm, as_matrix(chosen(next_q, q)), factor_of(a), left);
      auto const gain = transpose(motion.gain_t);
      g = m + gain * (g - fm * m);
      d = form.through(gain, d, motion.rest);
      e = gain * e;
    }
    if (t >= top) {
      put(smoothed_mean, g);
      form.store(smoothed_covariance, d);
    } else {
      X behind_mean = x;
      P behind = p;
      if (t + lag < last) {
        behind_mean = as_vector(smoothed_mean);
        behind = form.spread(p, as_matrix(smoothed_covariance));
      }
      put(smoothed_mean, e * behind_mean + g);
      behind = form.through(e, behind, d);
      form.store(smoothed_covariance, behind);
    }
    form.leave(covariance, own);
    if constexpr (!is_nothing<NextF>) put(next_f, as_matrix(f));
    if constexpr (!is_nothing<NextQ>) put(next_q, as_matrix(q));
  }
};

}  // namespace Batchwork::Impl

#endif
