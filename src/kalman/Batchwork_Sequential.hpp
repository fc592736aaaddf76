// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The filter that takes the entries of an observation one by one, by subtraction or in Joseph's
/// form. Anderson and Moore, Optimal Filtering (1979), section 6.4; Bierman, Factorization Methods
/// for Discrete Sequential Estimation (1977), section V.3.
#ifndef BATCHWORK_SEQUENTIAL_HPP
#define BATCHWORK_SEQUENTIAL_HPP

#include "kalman/Batchwork_Diffuse.hpp"

namespace Batchwork::Kalman {

/// One step of the filter with the entries of an observation one by one, a sequence for scan that
/// Kalman::filter runs with the arguments sequential() and joseph(). R = L D L' makes the entries
/// independent; a diagonal R needs no factors. An entry with gain k leads to P - m k', m = P h', or
/// in Joseph's form to (I - k h) P (I - k h)' + k r k'.
///
/// In Joseph's form Reason::inaccurate marks a variance that is a difference of numbers more than
/// 1 / (4 eps) as large. Cost of a step: 3 N^3 operations and for each entry 3 N^2, in Joseph's
/// form 15 N^2.
///
/// \tparam O whether a step predicts or updates first
/// \tparam D whether observations may be missing
/// \tparam Joseph whether covariances are computed in Joseph's form
template <Order O, Data D, bool Joseph>
struct SequentialStep {
  /// Whether entries that meet a diffuse direction add -1/2 log 2 pi to the log-likelihood.
  DiffuseEntries counted = DiffuseEntries::without_log_two_pi;

  /// One step, called by scan.
  /// \param x  mean, a vector of N
  /// \param p  covariance, a symmetric tile N x N
  /// \param a,left  as for DiffuseStep; both nothing() if no state is diffuse
  /// \param loglik  log-likelihood, a scalar or a LogSum of weight -1/2, or nothing()
  /// \param z  observation, a vector of M
  /// \param f,q,h,r  the four matrices of the model, see Kalman::model
  /// \param predicted_mean,predicted_covariance  the state before the observation, or nothing()
  /// \param filtered_mean,filtered_covariance  the state after the observation, or nothing()
  template <class X, class P, class A, class Left, class L, class Z, class F, class Q, class H,
            class R, class PM, class PC, class FM, class FC>
  KOKKOS_FUNCTION void operator()(X& x, P& p, A& a, Left& left, L& loglik, Z const& z, F const& f,
                                  Q const& q, H const& h, R const& r, PM& predicted_mean,
                                  PC& predicted_covariance, FM& filtered_mean,
                                  FC& filtered_covariance) const {
    if constexpr (O == Order::predict_first) predict(x, p, f, q);
    Impl::put(predicted_mean, x);
    Impl::put(predicted_covariance, p);
    auto const& zv = Impl::as_vector(z);
    auto const& rm = Impl::as_matrix(r);
    Impl::with_state(x, p, [&](auto& xs, auto& ps) {
      constexpr int N = std::remove_cvref_t<decltype(ps)>::rows;
      auto const& hm = Impl::as_observation_matrix<N>(h);
      if constexpr (Impl::is_nothing<A>) {
        Impl::diffuse_update<D, Joseph>(xs, ps, a, left, loglik, counted, zv, hm, rm);
      } else {
        auto as = Impl::as_matrix(a);
        Impl::diffuse_update<D, Joseph>(xs, ps, as, left, loglik, counted, zv, hm, rm);
        Impl::predict_diffuse(as, left, Impl::as_matrix(f));
        Impl::put(a, as);
      }
    });
    Impl::put(filtered_mean, x);
    Impl::put(filtered_covariance, p);
    if constexpr (O == Order::update_first) predict(x, p, f, q);
  }
};

}  // namespace Batchwork::Kalman

#endif
