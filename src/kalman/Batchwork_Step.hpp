// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Step: one step of the Kalman filter, as a sequence for scan.
#ifndef BATCHWORK_STEP_HPP
#define BATCHWORK_STEP_HPP

#include "kalman/Batchwork_Update.hpp"

namespace Batchwork::Kalman {

/// Predicts, then updates: x and p go from the filtered state at one time to the filtered state at
/// the next.
///
/// \tparam D whether observations may be missing
/// \param x mean, a mutable vector of N, or scalar
/// \param p covariance, a mutable symmetric tile N x N, or scalar
/// \param loglik log-likelihood, a mutable scalar or a LogSum of weight -1/2
/// \param z observation, a vector of M, or scalar
/// \param f transition, N x N
/// \param q covariance of the transition's noise, N x N
/// \param h observation matrix, M x N, or a vector of N if M is 1
/// \param r covariance of the observation's noise, M x M
template <Data D = Data::may_be_missing, class X, class P, class L, class Z, class F, class Q,
          class H, class R>
BATCHWORK_INLINE void step(X& x, P& p, L& loglik, Z const& z, F const& f, Q const& q, H const& h,
                           R const& r) {
  predict(x, p, f, q);
  update<D>(x, p, loglik, z, h, r);
}

/// One step of the filter, a sequence for scan. Kalman::filter runs it after start(...) and
/// predicted(...).
///
/// ```cpp
/// scan(steps, Kalman::Step<>{}, carry(x0, x), carry(symmetric(P0), symmetric(P)),
///      carry(common(fixed(0.0)), log_sum(loglik, -0.5)), each(z), common(F), common(symmetric(Q)),
///      common(H), common(symmetric(R)));
/// ```
///
/// Parameters: mean, covariance and log-likelihood as carries, then z, F, Q, H and R as operands of
/// any kind. nothing() in place of the log-likelihood skips it. Four more parameters, emit or
/// nothing(), receive the predicted mean and covariance and the filtered mean and covariance.
///
/// \tparam O whether a step predicts or updates first
/// \tparam D whether observations may be missing
template <Order O = Order::predict_first, Data D = Data::may_be_missing>
struct Step {
  /// One step, called by scan.
  /// \param x  mean, a vector of N
  /// \param p  covariance, a symmetric tile N x N
  /// \param loglik  log-likelihood, a scalar or a LogSum of weight -1/2, or nothing()
  /// \param z  observation, a vector of M
  /// \param f,q,h,r  the four matrices of the model, see Kalman::model
  /// \param predicted_mean,predicted_covariance  the state before the observation, or nothing()
  /// \param filtered_mean,filtered_covariance  the state after the observation, or nothing()
  template <class X, class P, class L, class Z, class F, class Q, class H, class R, class PM,
            class PC, class FM, class FC>
  KOKKOS_FUNCTION void operator()(X& x, P& p, L& loglik, Z const& z, F const& f, Q const& q,
                                  H const& h, R const& r, PM& predicted_mean,
                                  PC& predicted_covariance, FM& filtered_mean,
                                  FC& filtered_covariance) const {
    if constexpr (O == Order::predict_first) predict(x, p, f, q);
    Impl::put(predicted_mean, x);
    Impl::put(predicted_covariance, p);
    update<D>(x, p, loglik, z, h, r);
    Impl::put(filtered_mean, x);
    Impl::put(filtered_covariance, p);
    if constexpr (O == Order::update_first) predict(x, p, f, q);
  }
  /// One step without the four outputs.
  template <class X, class P, class L, class Z, class F, class Q, class H, class R>
  KOKKOS_FUNCTION void operator()(X& x, P& p, L& loglik, Z const& z, F const& f, Q const& q,
                                  H const& h, R const& r) const {
    Impl::Nothing none;
    (*this)(x, p, loglik, z, f, q, h, r, none, none, none, none);
  }
};

}  // namespace Batchwork::Kalman

#endif
