// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The headline work as sequences over tiles: one covariance update of a Kalman filter, fused.
#ifndef BATCHWORK_PERF_KALMAN_SEQUENCES_HPP
#define BATCHWORK_PERF_KALMAN_SEQUENCES_HPP

#include <Batchwork.hpp>

namespace BatchworkPerf {

/// One triangle and one forward solve: 25/3 D^3 operations.
struct CovarianceUpdate {
  static constexpr char const* form = "symmetric";
  static constexpr double flops_per_D3 = 25.0 / 3;

  template <class Out, class P, class F, class Q, class H, class R>
  KOKKOS_FUNCTION void operator()(Out& p_new, P const& p, F const& f, Q const& q, H const& h,
                                  R const& r) const {
    auto prior = congruence(f, p, q);  // f p f' + q
    auto g = h * prior;
    auto s = symmetric_product(g, transpose(h), r);  // g h' + r
    auto y = solve(cholesky(s).lower(), g);
    p_new = downdate(prior, y);  // prior - y' y
  }
};

/// The formulas as a textbook has them, over general matrices: the gain by two triangular solves,
/// and the posterior (I - K H) prior: 43/3 D^3 operations.
struct LiteralCovarianceUpdate {
  static constexpr char const* form = "literal";
  static constexpr double flops_per_D3 = 43.0 / 3;

  template <class Out, class P, class F, class Q, class H, class R>
  KOKKOS_FUNCTION void operator()(Out& p_new, P const& p, F const& f, Q const& q, H const& h,
                                  R const& r) const {
    auto prior = f * p * transpose(f) + q;
    auto g = h * prior;
    auto gain_t = cholesky(g * transpose(h) + r).solve(g);
    p_new = prior - transpose(gain_t) * h * prior;
  }
};

}  // namespace BatchworkPerf

#endif
