// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The backward kernel of Kalman::smooth, as a sequence for a backward scan.
#ifndef BATCHWORK_SMOOTHSEQUENCE_HPP
#define BATCHWORK_SMOOTHSEQUENCE_HPP

#include <cstdint>

#include "kalman/Batchwork_SquareRootSmoothStep.hpp"

namespace Batchwork::Impl {

/// The factor of the diffuse covariance as a matrix, or nothing().
template <class A>
BATCHWORK_INLINE decltype(auto) factor_of(A const& a) {
  if constexpr (is_nothing<A>) return (a);
  else return as_matrix(a);
}
/// The kept tile, or the operand if there is none.
template <class Next, class Own>
BATCHWORK_INLINE auto const& chosen(Next const& next, Own const& own) {
  if constexpr (is_nothing<Next>) return own;
  else return next;
}

/// A step with covariances.
struct CovarianceSmoother {
  static constexpr Structure structure = Structure::symmetric;

  template <class X, class P, class L, class M, class C, class F, class Q, class A, class Left>
  BATCHWORK_INLINE void step(X& x, P& p, L& lag_one, M const& mean, C const& covariance, F const& f,
                             Q const& q, A const& a, Left const& left) const {
    smooth_by_gain(x, p, lag_one, mean, covariance, f * mean, f, q,
                   gain_of_diffuse(smoother_gain(covariance, f, q), covariance, a, left, f, q));
  }
  template <class To, class P>
  BATCHWORK_INLINE void store(To& to, P const& p) const {
    put(to, p);
  }

  // For a fixed lag: a covariance as it was stored, and how it is left behind.
  template <class P, class C>
  BATCHWORK_INLINE auto const& spread(P const&, C const& covariance) const {
    return covariance;
  }
  template <class To, class C>
  BATCHWORK_INLINE void leave(To&, C const&) const {}
  template <class C, class F, class Q, class A, class Left>
  BATCHWORK_INLINE auto motion(C const& covariance, F const& f, Q const& q, A const& a,
                               Left const& left) const {
    using T = scalar_t<value_t<C>>;
    auto const gain_t = gain_of_diffuse(smoother_gain(covariance, f, q), covariance, a, left, f, q);
    auto const gain = transpose(gain_t);
    auto const rest = congruence(identity<T, C::rows>() - gain * f, covariance,
                                 congruence(gain, as_symmetric(q)));
    return BackwardMotion<std::remove_const_t<decltype(gain_t)>,
                          std::remove_const_t<decltype(rest)>>{gain_t, rest};
  }
  /// A step of the element (a, b, c) of a block, which has its first state given the state behind.
  template <class A, class B, class C, class M, class P, class F, class Q>
  BATCHWORK_INLINE void extend(A& a, B& b, C& c, M const& mean, P const& covariance, F const& f,
                               Q const& q) const {
    auto const gain_t = smoother_gain(covariance, f, q);
    Nothing none;
    smooth_by_gain(b, c, none, mean, covariance, f * mean, f, q, gain_t);
    a = transpose(gain_t) * a;
  }
  /// The covariance a p a' + c.
  template <class A, class P, class C>
  BATCHWORK_INLINE auto through(A const& a, P const& p, C const& c) const {
    return congruence(a, p, c);
  }
};

/// A step with factors. The filtered factor is read from the View of the smoothed covariance.
struct SquareRootSmoother {
  static constexpr Structure structure = Structure::lower;

  template <class X, class P, class L, class M, class C, class F, class Q, class A, class Left>
  BATCHWORK_INLINE void step(X& x, P& l, L& lag_one, M const& mean, C const& filtered, F const& f,
                             Q const& q, A const& a, Left const& left) const {
    smooth_by_motion(x, l, lag_one, mean, f * mean, motion(spread(l, filtered), f, q, a, left));
  }
  template <class To, class P>
  BATCHWORK_INLINE void store(To& to, P const& l) const {
    put_covariance(to, l);
  }

  // For a fixed lag: a factor as it was stored, in place of which its covariance is left behind.
  template <class P, class C>
  BATCHWORK_INLINE P spread(P const& l, C const& stored) const {
    P factor = l;
    factor = stored;
    return factor;
  }
  template <class To, class P>
  BATCHWORK_INLINE void leave(To& to, P const& l) const {
    put_covariance(to, l);
  }
  template <class P, class F, class Q, class A, class Left>
  BATCHWORK_INLINE auto motion(P const& factor, F const& f, Q const& q, A const& a,
                               Left const& left) const {
    return motion_of_diffuse(square_root_smoother_gain(factor, f, q), factor, a, left, f, q);
  }
  template <class A, class B, class C, class M, class P, class F, class Q>
  BATCHWORK_INLINE void extend(A& a, B& b, C& c, M const& mean, P const& filtered, F const& f,
                               Q const& q) const {
    auto const motion = square_root_smoother_gain(spread(c, filtered), f, q);
    Nothing none;
    smooth_by_motion(b, c, none, mean, f * mean, motion);
    a = transpose(motion.gain_t) * a;
  }
  /// The factor of a l l' a' + c c'.
  template <class A, class P, class C>
  BATCHWORK_INLINE auto through(A const& a, P const& l, C const& c) const {
    return transpose(stacked_r(transpose(c), transpose(a * l)));
  }
};

/// One step of a scan over all times, from the last to the first. At the last time the smoothed
/// state is the filtered one.
///
/// Parameters: mean and covariance or factor as carries or kept tiles, also for one state; F and Q
/// of the time before as kept tiles, or nothing() if the step's own lead to the next time;
/// step_index(); factor of the diffuse covariance and number of its columns, or nothing(); filtered
/// mean and covariance, which are overwritten if they have no Views of their own; F; Q; smoothed
/// mean and covariance, or nothing(); covariance of the states at two times, or nothing().
template <class Form>
struct SmoothSequence {
  std::int64_t steps;
  Form form;

  template <class X, class P, class NextF, class NextQ, class I, class A, class Left, class M,
            class C, class F, class Q, class SM, class SC, class L>
  KOKKOS_FUNCTION void operator()(X& x, P& p, NextF& next_f, NextQ& next_q, I const& t, A const& a,
                                  Left const& left, M& mean, C& covariance, F const& f, Q const& q,
                                  SM& smoothed_mean, SC& smoothed_covariance, L& lag_one) const {
    auto const& own_mean = as_vector(mean);
    auto const& own_covariance = as_matrix(covariance);
    if (t.value + 1 == steps) {
      x = own_mean;
      p = own_covariance;
      if constexpr (!is_nothing<L>) put(lag_one, zero<P::rows, P::rows>(x));
    } else {
      auto const& fm = as_matrix(chosen(next_f, f));
      auto const& am = factor_of(a);
      auto const& qm = as_matrix(chosen(next_q, q));
      form.step(x, p, lag_one, own_mean, own_covariance, fm, qm, am, left);
    }
    if constexpr (is_nothing<SM>) put(mean, x);
    else put(smoothed_mean, x);
    if constexpr (is_nothing<SC>) form.store(covariance, p);
    else form.store(smoothed_covariance, p);
    if constexpr (!is_nothing<NextF>) put(next_f, as_matrix(f));
    if constexpr (!is_nothing<NextQ>) put(next_q, as_matrix(q));
  }
};

}  // namespace Batchwork::Impl

#endif
