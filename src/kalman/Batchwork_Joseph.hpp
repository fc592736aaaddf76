// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The filter with Joseph's form of the covariance after an observation. Bucy and Joseph, Filtering
/// for Stochastic Processes with Applications to Guidance (1968); Bierman, Factorization Methods
/// for Discrete Sequential Estimation (1977), section V.3.
#ifndef BATCHWORK_JOSEPH_HPP
#define BATCHWORK_JOSEPH_HPP

#include "kalman/Batchwork_Diffuse.hpp"

namespace Batchwork::Kalman {

/// One step of the filter with P = (I - K H) P (I - K H)' + K R K', a sequence for scan that
/// Kalman::filter runs with the argument joseph(). The entries of an observation are made
/// independent by R = L D L' and enter one by one, also those that meet a diffuse direction.
///
/// Reason::inaccurate marks a variance that is a difference of numbers more than 1 / (4 eps) as
/// large. Cost of a step: 3 N^3 + 15 M N^2 operations.
///
/// \tparam O whether a step predicts or updates first
/// \tparam D whether observations may be missing
template <Order O, Data D>
struct JosephStep {
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
        Impl::diffuse_update<D, true>(xs, ps, a, left, loglik, counted, zv, hm, rm);
      } else {
        auto as = Impl::as_matrix(a);
        Impl::diffuse_update<D, true>(xs, ps, as, left, loglik, counted, zv, hm, rm);
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
