// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// BiCGSTAB: H. A. van der Vorst, "Bi-CGSTAB: a fast and smoothly converging variant of Bi-CG for the solution of
/// nonsymmetric linear systems", SIAM J. Sci. Stat. Comput. 13 (1992); Y. Saad, Iterative Methods for Sparse Linear Systems,
/// 2nd edition, section 7.4.2; with right preconditioning.
#ifndef BATCHWORK_BICGSTAB_HPP
#define BATCHWORK_BICGSTAB_HPP

#include "krylov/Batchwork_SolveLoop.hpp"

namespace Batchwork {

/// BiCGSTAB, for any regular matrices. An iteration takes two products, two applications of the preconditioner and two
/// rounds of sums: what the residual will be follows from products of s and t, if it does not lose too many digits that
/// way. Where rho, omega or the pivot vanish a system begins anew from its true residual; if that has not halved since it
/// began before, it ends with Reason::breakdown.
struct Bicgstab {
  static constexpr int vectors = 6;      ///< that lanes hold, x and b apart
  static constexpr int own_vectors = 5;  ///< of its method
  static constexpr int short_rows = 8;   ///< of a lane, where they have three entries
  StoppingCriteria stop{};
};
inline Bicgstab bicgstab(StoppingCriteria const& stop = {}) { return {stop}; }

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
  typename At::Vector shadow, p, v, t, z;
  N rho = N(T(1)), beta = N(T(0)), omega = N(T(0));

  BATCHWORK_INLINE explicit BicgstabMethod(At& at, Bicgstab const&)
      : BicgstabMethod(at.template vectors<Bicgstab::own_vectors>()) {}
  template <int N>
  BATCHWORK_INLINE explicit BicgstabMethod(SolverVectors<typename At::Vector, N> const& own)
      : shadow(own[0]), p(own[1]), v(own[2]), t(own[3]), z(own[4]) {}

  template <class M, class R>
  BATCHWORK_INLINE void restart(At& at, M const&, R const& r, N const& squared,
                                Progress<N> const& is) {
    // Of systems that are done, too: so nothing is kept from one beginning to the next.
    at.for_each([&](int i) {
      shadow.set(i, r(i));
      p.set(i, V(T(0)));
      v.set(i, V(T(0)));
    });
    Mask const on = is.running;
    if (!any(on)) return;
    N const zero(T(0));
    rho = select_some(on, squared, rho);
    beta = select_some(on, zero, beta);
    omega = select_some(on, zero, omega);
  }

  template <class M, class R>
  BATCHWORK_INLINE void step(At& at, M const& m, R& r, R& u, Progress<N>& is) {
    Mask const on = is.running;
    // Of systems that are done, too, which nobody looks at: that is faster than to branch.
    at.for_each([&](int i) { p.set(i, r(i) + V(beta) * (p(i) - V(omega) * v(i))); });
    m.apply(at, z, p);
    at.multiply(v, z);
    N pivot[1];
    {
      V part[1] = {V(T(0))};
      at.for_each([&](int i) { part[0] += shadow(i) * v(i); });
      at.sum(part, pivot);
    }
    N const inverse_pivot = Vendor::reciprocal(pivot[0]), alpha = rho * inverse_pivot;
    Mask const goes_on = on && within_range(alpha);
    if (any(goes_on)) {
      at.for_each([&](int i) { r.set(i, select_some(goes_on, r(i) - V(alpha) * v(i), r(i))); });
    }
    if (Mask const fails = on && !goes_on; any(fails)) {
      is.stop(fails, Reason::breakdown, Breakdown::pivot);
      if (Mask const of = fails && !within_range(pivot[0]); any(of))
        is.stop(of, Reason::not_finite, Breakdown::pivot);
    }

    m.apply(at, z, r);
    at.multiply(t, z);
    N s[5];  // t' s, t' t, s' s, shadow' t, shadow' s, where s is in r
    {
      V parts[5] = {V(T(0)), V(T(0)), V(T(0)), V(T(0)), V(T(0))};
      at.for_each([&](int i) {
        V const ti = t(i), si = r(i), wi = shadow(i);
        parts[0] += ti * si;
        parts[1] += ti * ti;
        parts[2] += si * si;
        parts[3] += wi * ti;
        parts[4] += wi * si;
      });
      at.sum(parts, s);
    }
    N const next_omega = Vendor::quotient(s[0], s[1]), inverse_omega = Vendor::quotient(s[1], s[0]);
    // Half an iteration may do; and is all there is where t = 0 or t' s = 0, or nearly.
    Mask const usable = within_range(next_omega), inverse_usable = within_range(inverse_omega),
               halves = goes_on & ((s[2] <= is.threshold_squared) | !usable | !inverse_usable);
    Mask const whole = goes_on && !halves;
    if (any(halves)) {
      at.for_each([&](int i) { u.set(i, select_some(halves, u(i) + V(alpha) * p(i), u(i))); });
      is.judge(halves, s[2]);
      if (Mask const fails = halves && is.running; any(fails)) {
        is.stop(fails, Reason::breakdown, Breakdown::omega);
        if (Mask const of = fails && !(within_range(s[0]) && within_range(s[1])); any(of))
          is.stop(of, Reason::not_finite, Breakdown::omega);
      }
    }
    if (any(whole)) {
      omega = select_some(whole, next_omega, omega);
      at.for_each([&](int i) {
        V const si = r(i), ui = u(i);
        u.set(i, select_some(whole, ui + (V(alpha) * p(i) + V(omega) * si), ui));
        r.set(i, select_some(whole, si - V(omega) * t(i), si));
      });
    }
    // r' r and shadow' r, of which the first is a difference.
    N squared = s[2] - omega * s[0];
    N const next_rho = s[4] - omega * s[3];
    Mask const lost = whole && !(squared > N(lost_digits) * s[2]);
    if (at.any(lost)) {
      V part[1] = {V(T(0))};
      at.for_each([&](int i) { part[0] += r(i) * r(i); });
      N sum[1];
      at.sum(part, sum);
      squared = select(lost, sum[0], squared);
    }
    if (any(whole)) {
      is.judge(whole, squared);
      // next_rho / rho times alpha / omega
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
