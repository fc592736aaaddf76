// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// iterated_update: the update of the iterated extended Kalman filter.
#ifndef BATCHWORK_ITERATED_HPP
#define BATCHWORK_ITERATED_HPP

#include "kalman/Batchwork_Extended.hpp"

namespace Batchwork::Kalman {

/// Lets the observation z = h(x) + noise enter the state by Gauss-Newton iterations for the mode of
/// its density. Each linearises h at the result of the one before, which helps where noise is small
/// beside the curvature of h. One iteration is extended_update.
///
/// ```cpp
/// Kalman::iterated_update(x, p, loglik, z, Radar{}, r, 3, Wrapped{});
/// ```
///
///     from x_1 = x:  H_i = Jacobian of h at x_i,  v_i = residual(z, h(x_i)) - H_i (x - x_i),
///     S_i = H_i p H_i' + R,  x_(i+1) = x + p H_i' S_i^-1 v_i
///
/// Covariance, log-likelihood and NIS are those of the last linearisation: at convergence the
/// Laplace approximation of the likelihood. Each iteration costs as much as extended_update. The
/// iterations are not damped; all items do the same number. Failures are those of update.
///
/// Source: B. M. Bell and F. W. Cathey, The iterated Kalman filter update as a Gauss-Newton method,
/// IEEE Transactions on Automatic Control 38 (1993), 294-297.
///
/// \tparam D whether observations may be missing
/// \param x mean, a mutable vector of N, or scalar
/// \param p covariance, a mutable symmetric tile N x N, or scalar
/// \param loglik log-likelihood, a mutable scalar, or a LogSum of weight -1/2
/// \param z observation, a vector of M, or scalar
/// \param h observation, a functor as in extended_update
/// \param r covariance of the noise, M x M; only the lower triangle is read
/// \param iterations at least 1; fewer count as 1
/// \param residual functor for the difference of z and h(x), see Difference
/// \param gate gate(threshold), to ignore observations that do not fit; see gate
/// \returns an Innovation
template <Data D = Data::may_be_missing, class X, class P, class L, class Z, class H,
          Impl::ScalarOrTile R, class Residual = Difference, class G = NoGate>
BATCHWORK_INLINE auto iterated_update(X& x, P& p, L& loglik, Z const& z, H const& h, R const& r,
                                      int iterations, Residual const& residual = {},
                                      G const& gate = {}) {
  auto const& zv = Impl::as_vector(z);
  auto const& rm = Impl::as_matrix(r);
  return Impl::update_through(gate, x, p, loglik, [&](X& to_x, P& to_p, auto& likelihood) {
    return Impl::with_state(to_x, to_p, [&](auto& xs, auto& ps) {
      auto const correct = [&](auto const& at) {
        auto const linear = value_and_jacobian(h, at);
        auto const v = residual(zv, Impl::as_vector(linear.value));
        auto const g = linear.jacobian * ps;
        return Impl::correction<D>(zv, Impl::as_vector(v) - linear.jacobian * (xs - at), g,
                                   symmetric_product(g, transpose(linear.jacobian), rm), rm);
      };
      std::remove_cvref_t<decltype(xs)> at = xs;
      auto c = correct(at);
      BATCHWORK_ROLLED
      for (int k = 1; k < iterations; ++k) {
        at = xs + transpose(c.y) * c.u;
        c = correct(at);
      }
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
/// \param h observation, a functor as in extended_update
/// \param r covariance of the noise, M x M; only the lower triangle is read
/// \param iterations at least 1; fewer count as 1
/// \param residual functor for the difference of z and h(x)
/// \param gate gate(threshold), to ignore observations that do not fit; see gate
/// \returns an Innovation
template <Data D = Data::may_be_missing, class X, class P, class Z, class H, Impl::ScalarOrTile R,
          class Residual = Difference, class G = NoGate>
BATCHWORK_INLINE auto iterated_update(X& x, P& p, Z const& z, H const& h, R const& r,
                                      int iterations, Residual const& residual = {},
                                      G const& gate = {}) {
  Impl::Nothing none;
  return iterated_update<D>(x, p, none, z, h, r, iterations, residual, gate);
}

}  // namespace Batchwork::Kalman

#endif
