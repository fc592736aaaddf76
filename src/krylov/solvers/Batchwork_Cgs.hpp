// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// CGS, conjugate gradients squared: P. Sonneveld, "CGS, a fast Lanczos-type solver for
/// nonsymmetric linear systems", SIAM J. Sci. Stat. Comput. 10 (1989); Y. Saad, Iterative Methods
/// for Sparse Linear Systems, 2nd edition, algorithm 7.6, with its letters except w for its u; with
/// right preconditioning. r_hat is the shadow residual, v = A M^-1 p.
#ifndef BATCHWORK_CGS_HPP
#define BATCHWORK_CGS_HPP

#include <limits>

#include "core/detail/backend/Batchwork_Quotients.hpp"
#include "krylov/solvers/detail/Batchwork_SolveLoop.hpp"

namespace Batchwork {

/// CGS, for regular matrices. Made by cgs. An iteration takes two products, two applications of the
/// preconditioner and two rounds of sums, as with BiCGSTAB. It needs about as many iterations, less
/// smoothly: a residual may grow by powers of ten for an iteration and fall again in the next one.
/// In systems that converge it may grow to 2e7 times the initial residual. So there is no
/// divergence limit unless the criteria give one.
///
/// If rho or the pivot r_hat' v vanish, or have lost half of their digits while the residual has
/// halved, a system begins anew from its true residual. If that has not halved since the last
/// beginning, it ends with Reason::breakdown.
struct Cgs {
  static constexpr int vectors = 6;      // held by lanes, without x and b
  static constexpr int own_vectors = 5;  // of the method
  static constexpr int short_rows = 4;   // rows of a lane, if they have at most three entries
  static constexpr double usual_divergence_limit = std::numeric_limits<double>::infinity();
  StoppingCriteria stop{};  ///< tolerance and limits; by default relative(1e-8), 500 iterations
};
/// CGS with these stopping criteria, as the solver of solve: solve(exec, cgs(stop), jacobi(), A, b,
/// x).
/// \param stop  tolerance and limits
inline Cgs cgs(StoppingCriteria const& stop = {}) { return {Impl::with_usual_limits<Cgs>(stop)}; }

namespace Impl {

template <class At>
struct CgsMethod {
  static constexpr bool right = true;
  using T = typename At::Scalar;
  using N = typename At::Number;
  using V = typename At::Value;
  using Mask = mask_t<N>;
  typename At::Vector r_hat, p, q;
  typename At::Vector v;  ///< A M^-1 p, then w + q, then A M^-1 (w + q)
  typename At::Vector z;  ///< M^-1 p, then M^-1 (w + q)
  N rho = N(T(1)), beta = N(T(0));
  N squared = N(T(0));         ///< r' r
  N shadow_squared = N(T(0));  ///< r_hat' r_hat, which is r' r of where the system began

  BATCHWORK_INLINE explicit CgsMethod(At& at, Cgs const&)
      : CgsMethod(at.template vectors<Cgs::own_vectors>()) {}
  template <int N>
  BATCHWORK_INLINE explicit CgsMethod(SolverVectors<typename At::Vector, N> const& own)
      : r_hat(own[0]), p(own[1]), q(own[2]), v(own[3]), z(own[4]) {}

  /// Whether r_hat' y has lost half of its digits, y' y being given, where a system may begin anew:
  /// its residual has halved.
  BATCHWORK_INLINE Mask nearly_orthogonal(N const& product, N const& y_squared) const {
    return (squared < N(T(0.25)) * shadow_squared) &
           (product * product < N(unit_roundoff<T>) * shadow_squared * y_squared);
  }

  template <class M, class R>
  BATCHWORK_INLINE void restart(At& at, M const&, R const& r, N const& norm_squared,
                                Progress<N> const& is) {
    // Of systems that are done, too: so nothing is kept from one beginning to the next.
    at.for_each([&](int i) {
      r_hat.set(i, r(i));  // r_hat = r
      p.set(i, V(T(0)));
      q.set(i, V(T(0)));
    });
    Mask const on = is.running;
    if (!any(on)) return;
    rho = select_some(on, norm_squared, rho);  // rho = r_hat' r
    squared = select_some(on, norm_squared, squared);
    shadow_squared = select_some(on, norm_squared, shadow_squared);
    beta = select_some(on, N(T(0)), beta);
  }

  template <class M, class R>
  BATCHWORK_INLINE void step(At& at, M const& m, R& r, R& u, Progress<N>& is) {
    Mask const on = is.running;
    // Of systems that are done, too, where the result is ignored: that is faster than to branch.
    at.for_each([&](int i) {
      V const qi = q(i), wi = r(i) + V(beta) * qi;     // w = r + beta q
      p.set(i, wi + V(beta) * (qi + V(beta) * p(i)));  // p = w + beta (q + beta p)
    });
    m.apply(at, z, p);  // z = M^-1 p
    at.multiply(v, z);  // v = A z
    N pivot[2];         // r_hat' v, v' v
    {
      V parts[2] = {V(T(0)), V(T(0))};
      at.for_each([&](int i) {
        V const vi = v(i);
        parts[0] += r_hat(i) * vi;
        parts[1] += vi * vi;
      });
      at.sum(parts, pivot);
    }
    N alpha = Vendor::quotient(rho, pivot[0]);  // alpha = rho / r_hat' v
    Mask goes_on = on && within_range(alpha) && !nearly_orthogonal(pivot[0], pivot[1]);
    if constexpr (M::is_identity) {
      // Asked in any case: a pivot beyond the range of numbers, which ends the iteration, is far,
      // too.
      Mask const meets = is.meets_far(at, on, is_far(alpha, FarFromOne<T>::matrix));
      goes_on = goes_on && !meets;
    }
    if (Mask const fails = on && !goes_on; any(fails)) {
      is.stop(fails, Reason::breakdown, Breakdown::pivot);
      if (Mask const of = fails && !within_range(pivot[0]); any(of))
        is.stop(of, Reason::not_finite, Breakdown::pivot);
    }
    // Infinite, it would leave NaN behind the last row of vectors, where no functor writes.
    alpha = select(goes_on, alpha, N(T(0)));
    // w is computed again: a vector less to hold.
    at.for_each([&](int i) {
      V const wi = r(i) + V(beta) * q(i), qi = wi - V(alpha) * v(i);
      q.set(i, qi);       // q = w - alpha v
      v.set(i, wi + qi);  // w + q
    });
    if (any(goes_on)) {
      // u = u + alpha (w + q), where x = M^-1 u
      at.for_each([&](int i) { u.set(i, select_some(goes_on, u(i) + V(alpha) * v(i), u(i))); });
    }
    m.apply(at, z, v);  // z = M^-1 (w + q)
    at.multiply(v, z);  // v = A z
    if (any(goes_on)) {
      at.for_each([&](int i) {
        r.set(i, select_some(goes_on, r(i) - V(alpha) * v(i), r(i)));  // r = r - alpha v
      });
    }
    N const inverse_rho = Vendor::reciprocal(rho);  // while the sums are under way
    N sums[2];                                      // r' r, r_hat' r
    {
      V parts[2] = {V(T(0)), V(T(0))};
      at.for_each([&](int i) {
        V const ri = r(i);
        parts[0] += ri * ri;
        parts[1] += r_hat(i) * ri;
      });
      at.sum(parts, sums);
    }
    if (!any(goes_on)) return;
    is.judge(goes_on, sums[0]);
    beta = select_some(goes_on, sums[1] * inverse_rho, beta);  // beta = rho_new / rho
    rho = select_some(goes_on, sums[1], rho);
    squared = select_some(goes_on, sums[0], squared);
    Mask const orthogonal = nearly_orthogonal(rho, squared);
    Mask const breaks =
        is.running & goes_on & ((rho == N(T(0))) | !within_range(beta) | orthogonal);
    if (any(breaks)) is.stop(breaks, Reason::breakdown, Breakdown::rho);
  }
};

template <class At>
BATCHWORK_INLINE auto method_of(At& at, Cgs const& solver) {
  return CgsMethod<At>(at, solver);
}

}  // namespace Impl
}  // namespace Batchwork

#endif
