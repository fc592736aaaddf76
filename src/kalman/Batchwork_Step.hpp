// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Step: one step of the Kalman filter as a sequence for scan.
#ifndef BATCHWORK_STEP_HPP
#define BATCHWORK_STEP_HPP

#include "kalman/Batchwork_Update.hpp"

namespace Batchwork::Kalman {

/// predict, then update: x and p go from the filtered state at one time to that at the next.
template <Data D = Data::may_be_missing, class X, class P, class L, class Z, class F, class Q,
          class H, class R>
BATCHWORK_INLINE void step(X& x, P& p, L& loglik, Z const& z, F const& f, Q const& q, H const& h,
                           R const& r) {
  predict(x, p, f, q);
  update<D>(x, p, loglik, z, h, r);
}

/// One step of the filter, as a sequence:
///   scan(exec, steps, Kalman::Step<>{}, carry(x0, x), carry(symmetric(P0), P), carry(start,
///   log_sum(loglik, -0.5)),
///        each(z), common(F), common(symmetric(Q)), common(H), common(symmetric(R)));
/// Any operand kind will do for z, F, Q, H and R; nothing() for a likelihood that is not wanted.
/// Four more parameters, emit or nothing(), receive the predicted mean and covariance and the
/// filtered ones. Kalman::filter calls this.
template <Order O = Order::predict_first, Data D = Data::may_be_missing>
struct Step {
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
  template <class X, class P, class L, class Z, class F, class Q, class H, class R>
  KOKKOS_FUNCTION void operator()(X& x, P& p, L& loglik, Z const& z, F const& f, Q const& q,
                                  H const& h, R const& r) const {
    Impl::Nothing none;
    (*this)(x, p, loglik, z, f, q, h, r, none, none, none, none);
  }
};

}  // namespace Batchwork::Kalman

#endif
