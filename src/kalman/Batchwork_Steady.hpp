// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The filter that stops its work on covariances once they no longer change. Anderson and Moore,
/// Optimal Filtering (1979), section 4.4.
#ifndef BATCHWORK_STEADY_HPP
#define BATCHWORK_STEADY_HPP

#include "kalman/Batchwork_Update.hpp"
#include "tile/Batchwork_Product.hpp"

namespace Batchwork {

namespace Impl {

/// Whether no entry of b differs from a by more than `tolerance`, relative to the deviations of its
/// row and its column. NaN counts as no change, so that an item that has failed ends as well.
template <class P>
BATCHWORK_INLINE auto has_settled(P const& a, P const& b, scalar_t<value_t<P>> tolerance) {
  using S = value_t<P>;
  S deviation[P::rows];
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < P::rows; ++i) deviation[i] = sqrt(S(b.entry(i, i)));
  mask_t<S> moves(false);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < P::rows; ++i) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j <= i; ++j) {
      S const change = S(b.entry(i, j)) - S(a.entry(i, j));
      moves = moves || abs(change) > S(tolerance) * deviation[i] * deviation[j];
    }
  }
  return mask_t<S>(!moves);
}

}  // namespace Impl

namespace Kalman {

/// One step of the filter of a model that does not vary with time, a sequence for scan that
/// Kalman::filter runs with the argument steady(tolerance).
///
/// A step computes the gain K, W = L^-1 with S = L L', and the next covariance, until all items
/// that are computed together have settled. Then it computes means only. An item has settled when a
/// step changes no entry of its covariance by more than the tolerance; its K, W and covariance stay
/// from then on. A missing entry ends that: the item is computed in full until it settles again.
///
/// \tparam O whether a step predicts or updates first
/// \tparam D whether observations may be missing
template <Order O, Data D>
struct SteadyStep {
  double tolerance;  ///< relative change of a covariance that counts as none

  /// One step, called by scan.
  /// \param x  mean, a vector of N
  /// \param p  covariance, a symmetric tile N x N
  /// \param loglik  log-likelihood, a scalar or a LogSum of weight -1/2, or nothing()
  /// \param k  gain, a mutable matrix N x M
  /// \param w  the factor W, a mutable Lower tile M x M
  /// \param c  a mutable scalar: the increment of the log-likelihood that observations do not
  /// change
  /// \param settled  a mutable scalar that starts as 0: 1 for an item that has settled
  /// \param z  observation, a vector of M
  /// \param f,q,h,r  the four matrices of the model, see Kalman::model
  /// \param predicted_mean,predicted_covariance  the state before the observation, or nothing()
  /// \param filtered_mean,filtered_covariance  the state after the observation, or nothing()
  template <class X, class P, class L, class K, class W, class C, class B, class Z, class F,
            class Q, class H, class R, class PM, class PC, class FM, class FC>
  KOKKOS_FUNCTION void operator()(X& x, P& p, L& loglik, K& k, W& w, C& c, B& settled, Z const& z,
                                  F const& f, Q const& q, H const& h, R const& r,
                                  PM& predicted_mean, PC& predicted_covariance, FM& filtered_mean,
                                  FC& filtered_covariance) const {
    auto const& zv = Impl::as_vector(z);
    auto const& rm = Impl::as_matrix(r);
    auto const& fm = Impl::as_matrix(f);
    auto const& qm = Impl::as_matrix(q);
    Impl::with_state(x, p, [&](auto& xs, auto& ps) {
      using PS = std::remove_cvref_t<decltype(ps)>;
      using S = value_t<PS>;
      using T = scalar_t<S>;
      constexpr int N = PS::rows, M = std::remove_cvref_t<decltype(zv)>::rows;
      constexpr bool may_lack = D == Data::may_be_missing;
      auto const& hm = Impl::as_observation_matrix<N>(h);
      if constexpr (O == Order::predict_first) xs = fm * xs;
      Impl::put(predicted_mean, xs);
      Vector<S, M> v = zv - hm * xs;
      auto const missing = Impl::missing_entries<S>(zv);
      mask_t<S> lacks(false);
      if constexpr (may_lack) {
        lacks = mask_t<S>(Impl::any_missing(zv));
        BATCHWORK_UNROLL_ON_DEVICE
        for (int i = 0; i < M; ++i)
          v.set(i, 0, Impl::select(missing.entry[i], S(T(0)), S(v.entry(i, 0))));
      } else {
        v = fail_where(Impl::any_missing(zv), Reason::incomplete_data, v);
      }
      auto const skip_rows = [&](auto& g) {
        if constexpr (may_lack) Impl::skip_missing_rows(g, missing);
      };
      auto const keeps = mask_t<S>(settled.value > S(T(0)) && !lacks);
      PS const before = ps;
      auto increment = c;
      if (!all(keeps)) {
        PS prior = before;
        if constexpr (O == Order::predict_first) prior = congruence(fm, before, qm);
        auto g = hm * prior;
        skip_rows(g);
        auto s = symmetric_product(g, transpose(hm), rm);
        S constant(T(M) * Impl::log_two_pi<T>);
        if constexpr (may_lack) {
          Impl::skip_missing(v, s, missing);
          BATCHWORK_UNROLL_ON_DEVICE
          for (int i = 0; i < M; ++i)
            constant -= Impl::select(missing.entry[i], S(Impl::log_two_pi<T>), S(T(0)));
        }
        auto factor = cholesky(s);
        factor.factor.info =
            Impl::first_failure(factor.factor.info, Impl::digits_status<S>(s, rm, [&](int i) {
                                  return may_lack ? missing.entry[i] : mask_t<S>(false);
                                }));
        W next_w = w;
        next_w = solve(factor.lower(), identity<T, M>());
        auto const y = next_w * g;
        K next_k = k;
        next_k = transpose(y) * next_w;
        PS next = downdate(prior, y);
        if constexpr (O == Order::update_first) next = congruence(fm, next, qm);
        auto const still = Impl::has_settled(before, next, T(tolerance));
        settled.value = Impl::select(mask_t<S>(keeps || (still && !lacks)), S(T(1)), S(T(0)));
        ps = select(keeps, before, next);
        w = select(keeps, w, next_w);
        k = select(keeps, k, next_k);
        if constexpr (!Impl::is_nothing<L>) {
          // A logarithm only where c is needed from the next step on.
          BATCHWORK_UNROLL_ON_DEVICE
          for (int i = 0; i < M; ++i) {
            S const l(factor.factor.entry(i, i));
            Impl::subtract_half_log(loglik, S(Impl::select(keeps, S(T(1)), S(l * l))));
          }
          S const half = S(T(-0.5)) * constant;
          increment = select(keeps, c, Scalar<S>(half, factor.factor.info));
          auto const settles = mask_t<S>(settled.value > S(T(0)) && !keeps);
          if (any(settles)) c = select(settles, Scalar<S>(half) + T(-0.5) * log_det(factor), c);
        }
      }
      xs = xs + k * v;
      if constexpr (!Impl::is_nothing<L>) {
        auto const u = w * v;
        loglik += increment + T(-0.5) * dot(u, u);
      }
      Impl::put(filtered_mean, xs);
      if constexpr (!Impl::is_nothing<PC>) {
        if constexpr (O == Order::update_first) Impl::put(predicted_covariance, before);
        else Impl::put(predicted_covariance, congruence(fm, before, qm));
      }
      if constexpr (!Impl::is_nothing<FC>) {
        if constexpr (O == Order::predict_first) {
          Impl::put(filtered_covariance, ps);
        } else {
          auto g = hm * before;
          skip_rows(g);
          Impl::put(filtered_covariance, downdate(before, w * g));
        }
      }
      if constexpr (O == Order::update_first) xs = fm * xs;
    });
  }
};

}  // namespace Kalman
}  // namespace Batchwork

#endif
