// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// BiCGSTAB: H. A. van der Vorst, "Bi-CGSTAB: a fast and smoothly converging variant of Bi-CG for
/// the solution of nonsymmetric linear systems", SIAM J. Sci. Stat. Comput. 13 (1992); Y. Saad,
/// Iterative Methods for Sparse Linear Systems, 2nd edition, section 7.4.2; with right
/// preconditioning. Letters are van der Vorst's: r_hat is the shadow residual, v = A M^-1 p, s = r
/// - alpha v and t = A M^-1 s.
#ifndef BATCHWORK_BICGSTAB_HPP
#define BATCHWORK_BICGSTAB_HPP

#include "core/detail/backend/Batchwork_Quotients.hpp"
#include "krylov/solvers/detail/Batchwork_SolveLoop.hpp"

namespace Batchwork {

/// BiCGSTAB, for regular matrices. Made by bicgstab. An iteration takes two products, two
/// applications of the preconditioner and two rounds of sums: the next residual follows from
/// products of s and t, unless that loses too many digits. If rho, omega or the pivot r_hat' v
/// vanish, a system begins anew from its true residual. If that has not halved since the last
/// beginning, it ends with Reason::breakdown.
struct Bicgstab {
  static constexpr int vectors = 6;      // held by lanes, without x and b
  static constexpr int own_vectors = 5;  // of the method
  static constexpr int short_rows = 8;   // rows of a lane, if they have at most three entries
  StoppingCriteria stop{};  ///< tolerance and limits; by default relative(1e-8), 500 iterations
};
/// BiCGSTAB with these stopping criteria, as the solver of solve.
///
/// ```cpp
/// solve(exec, bicgstab(relative(1e-8, 500)), jacobi(), A, b, x, log);
/// ```
///
/// \param stop  tolerance and limits
inline Bicgstab bicgstab(StoppingCriteria const& stop = {}) {
  return {Impl::with_usual_limits<Bicgstab>(stop)};
}

namespace Impl {

template <class At>
struct BicgstabMethod {
  static constexpr bool right = true;
  using T = typename At::Scalar;
  using N = typename At::Number;
  using V = typename At::Value;
  using Mask = mask_t<N>;
  /// A difference below this part of what it is taken from is computed anew.
  static constexpr T lost_digits = sizeof(T) == 4 ? T(1e-2) : T(1e-6);
  typename At::Vector r_hat, p, v, t;
  typename At::Vector z;  ///< M^-1 p, then M^-1 s
  N rho = N(T(1)), beta = N(T(0)), omega = N(T(0));

  BATCHWORK_INLINE explicit BicgstabMethod(At& at, Bicgstab const&)
      : BicgstabMethod(at.template vectors<Bicgstab::own_vectors>()) {}
  template <int N>
  BATCHWORK_INLINE explicit BicgstabMethod(SolverVectors<typename At::Vector, N> const& own)
      : r_hat(own[0]), p(own[1]), v(own[2]), t(own[3]), z(own[4]) {}

  template <class M, class R>
  BATCHWORK_INLINE void restart(At& at, M const&, R const& r, N const& squared,
                                Progress<N> const& is) {
    // Of systems that are done, too: so nothing is kept from one beginning to the next.
    at.for_each([&](int i) {
      r_hat.set(i, r(i));  // r_hat = r
      p.set(i, V(T(0)));
      v.set(i, V(T(0)));
    });
    Mask const on = is.running;
    if (!any(on)) return;
    N const zero(T(0));
    rho = select_some(on, squared, rho);  // rho = r_hat' r
    beta = select_some(on, zero, beta);
    omega = select_some(on, zero, omega);
  }

  template <class M, class R>
  BATCHWORK_INLINE void step(At& at, M const& m, R& r, R& u, Progress<N>& is) {
    Mask const on = is.running;
    auto &y = z, &s = r;
    // p = r + beta (p - omega v); of systems that are done, too, where the result is ignored: that
    // is faster than to branch.
    at.for_each([&](int i) { p.set(i, r(i) + V(beta) * (p(i) - V(omega) * v(i))); });
    m.apply(at, y, p);  // y = M^-1 p
    at.multiply(v, y);  // v = A y
    N pivot[1];
    {
      V part[1] = {V(T(0))};
      at.for_each([&](int i) { part[0] += r_hat(i) * v(i); });
      at.sum(part, pivot);  // r_hat' v
    }
    N const inverse_pivot = Vendor::reciprocal(pivot[0]);
    N const alpha = rho * inverse_pivot;  // alpha = rho / r_hat' v
    Mask goes_on = on && within_range(alpha);
    if constexpr (M::is_identity) {
      // Asked in any case: a pivot beyond the range of numbers, which ends the iteration, is far,
      // too.
      Mask const meets = is.meets_far(at, on, is_far(alpha, FarFromOne<T>::matrix));
      goes_on = goes_on && !meets;
    }
    if (any(goes_on)) {
      // s = r - alpha v
      at.for_each([&](int i) { s.set(i, select_some(goes_on, r(i) - V(alpha) * v(i), r(i))); });
    }
    if (Mask const fails = on && !goes_on; any(fails)) {
      is.stop(fails, Reason::breakdown, Breakdown::pivot);
      if (Mask const of = fails && !within_range(pivot[0]); any(of))
        is.stop(of, Reason::not_finite, Breakdown::pivot);
    }

    m.apply(at, z, s);  // z = M^-1 s
    at.multiply(t, z);  // t = A z
    N sums[5];          // t' s, t' t, s' s, r_hat' t, r_hat' s
    {
      V parts[5] = {V(T(0)), V(T(0)), V(T(0)), V(T(0)), V(T(0))};
      at.for_each([&](int i) {
        V const ti = t(i), si = s(i), ri = r_hat(i);
        parts[0] += ti * si;
        parts[1] += ti * ti;
        parts[2] += si * si;
        parts[3] += ri * ti;
        parts[4] += ri * si;
      });
      at.sum(parts, sums);
    }
    N const next_omega = Vendor::quotient(sums[0], sums[1]);  // omega = t' s / t' t
    N const inverse_omega = Vendor::quotient(sums[1], sums[0]);
    // Half an iteration may do; and is all there is where t = 0 or t' s = 0, or nearly.
    Mask const usable = within_range(next_omega), inverse_usable = within_range(inverse_omega),
               halves = goes_on & ((sums[2] <= is.threshold_squared) | !usable | !inverse_usable);
    Mask const whole = goes_on && !halves;
    if (any(halves)) {
      // u = u + alpha p, where x = M^-1 u
      at.for_each([&](int i) { u.set(i, select_some(halves, u(i) + V(alpha) * p(i), u(i))); });
      is.judge(halves, sums[2]);
      if (Mask const fails = halves && is.running; any(fails)) {
        is.stop(fails, Reason::breakdown, Breakdown::omega);
        if (Mask const of = fails && !(within_range(sums[0]) && within_range(sums[1])); any(of))
          is.stop(of, Reason::not_finite, Breakdown::omega);
      }
    }
    if (any(whole)) {
      omega = select_some(whole, next_omega, omega);
      at.for_each([&](int i) {
        V const si = s(i), ui = u(i);
        u.set(i, select_some(whole, ui + (V(alpha) * p(i) + V(omega) * si),
                             ui));                               // + alpha p + omega s
        r.set(i, select_some(whole, si - V(omega) * t(i), si));  // r = s - omega t
      });
    }
    N squared = sums[2] - omega * sums[0];         // r' r, a difference that may lose its digits
    N const next_rho = sums[4] - omega * sums[3];  // rho_new = r_hat' r
    Mask const lost = whole && !(squared > N(lost_digits) * sums[2]);
    if (at.any(lost)) {
      V part[1] = {V(T(0))};
      at.for_each([&](int i) { part[0] += r(i) * r(i); });
      N sum[1];
      at.sum(part, sum);
      squared = select(lost, sum[0], squared);
    }
    if (any(whole)) {
      is.judge(whole, squared);
      // beta = (rho_new / rho) (alpha / omega), where alpha = rho / r_hat' v
      beta = select_some(whole, next_rho * inverse_pivot * inverse_omega, beta);
      rho = select_some(whole, next_rho, rho);
      Mask const breaks = is.running & ((rho == N(T(0))) | !within_range(beta));
      if (any(breaks)) is.stop(breaks, Reason::breakdown, Breakdown::rho);
    }
  }
};

template <class At>
BATCHWORK_INLINE auto method_of(At& at, Bicgstab const& solver) {
  return BicgstabMethod<At>(at, solver);
}

}  // namespace Impl
}  // namespace Batchwork

#endif
