// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What all iterative solvers have in common: the residual at the start, the confirmation of every end by the true residual,
/// and beginning anew from it.
#ifndef BATCHWORK_SOLVELOOP_HPP
#define BATCHWORK_SOLVELOOP_HPP

#include <Kokkos_Core.hpp>

#include "krylov/Batchwork_Jacobi.hpp"
#include "krylov/Batchwork_Stopping.hpp"
#include "tile/Batchwork_Scalar.hpp"

namespace Batchwork::Impl {

/// Lane l of what belongs to systems.
template <class X>
BATCHWORK_INLINE auto lane_of(X const& x, [[maybe_unused]] int l) {
  if constexpr (requires { x.lane(l); }) return x.lane(l);
  else return x;
}
template <class X, class Y>
BATCHWORK_INLINE void set_lane_of(X& x, [[maybe_unused]] int l, Y const& y) {
  if constexpr (requires { x.lane(l); }) x.set_lane(l, y);
  else x = y;
}

/// What becomes of a system after its residual was computed.
struct Verdict {
  bool begins_anew = false, is_restart = false;
  int code = 0;
};
/// \param before  the residual when it began, or began anew
template <bool HasCycles, class T>
BATCHWORK_INLINE Verdict conclude(StoppingCriteria const& stop, T residual, T threshold, T before,
                                  Reason cause, int info, int iterations, int restarts) {
  // A cycle that leaves more of the residual than this has not helped.
  constexpr T progress = T(1) - (sizeof(T) == 4 ? T(0x1p-12) : T(0x1p-26));
  if (!is_finite(residual)) return {false, false, Status::code(Reason::not_finite, 0)};
  if (residual <= threshold) return {false, false, Status::code(Reason::success, 0)};
  if (cause == Reason::iteration_limit || cause == Reason::indefinite)
    return {false, false, Status::code(cause, 0)};
  if (HasCycles && (cause == Reason::stagnated || cause == Reason::success) &&
      iterations < stop.most_iterations && residual < progress * before)
    return {true, false, 0};
  if (restarts < stop.most_restarts && iterations < stop.most_iterations &&
      residual < T(0.5) * before)
    return {true, true, 0};
  // The recurrence claimed too much, which only a further beginning would mend.
  bool const claims = cause == Reason::success;
  Reason const why = !claims                              ? cause
                     : iterations >= stop.most_iterations ? Reason::iteration_limit
                                                          : Reason::stagnated;
  return {false, false, Status::code(why, why == Reason::breakdown ? info : 0)};
}

/// Iterates for one system, of which `at` knows how it lies: SystemTeam on devices, SystemThread on hosts; or for a pack of
/// them, SystemPack, where numbers of a system are packs and what holds of it a mask. All lanes that go through the same turns
/// (at.any) take part until the last of their systems is done.
///
/// A method has restart(at, m, r, norm_squared, is), which begins from the residual r, and step(at, m, r, u, is), one
/// iteration that changes r and u of a system that is running, and ends with is.judge(r' r) or is.stop(why); both are
/// called by all lanes. The solution is x + u; where Method::right it is x + M u, M being the preconditioner: neither x nor
/// M u is then needed in an iteration. A method that has_cycles has finish(at, u), called by all lanes, which makes u of what
/// its steps have left; where a cycle is over it says is.stop(Reason::stagnated), and begins anew unless that holds.
///
/// b is in r and the start in u, which are loaded as early as can be: the rest of what a system needs then comes meanwhile.
template <class Method, class At, class M>
BATCHWORK_INLINE SolveResult<typename At::Number> solve_system(At& at, M const& m, Method& method,
                                                               StoppingCriteria const& stop,
                                                               typename At::Vector& r,
                                                               typename At::Vector& u) {
  using T = typename At::Scalar;
  using N = typename At::Number;
  using V = typename At::Value;
  using Mask = mask_t<N>;
  using Count = info_t<N>;
  constexpr bool has_cycles = requires { Method::has_cycles; };
  constexpr int systems = HeldTraits<N>::width;
  N const none(T(0));
  auto t = at.vector(), b = at.vector();

  N norms[4];
  {
    V parts[4] = {V(T(0)), V(T(0)), V(at.flawed() ? T(1) : T(0)), V(T(0))};
    at.for_each([&](int i) {
      V const bi = r(i), x = u(i);
      parts[0] += bi * bi;
      parts[1] += select(x == V(T(0)), V(T(0)), V(T(1)));
      parts[3] += select(bi == V(T(0)), V(T(0)), V(T(1)));
    });
    at.sum(parts, norms);
  }
  N const right_side = sqrt(norms[0]);
  Mask const is_flawed = norms[2] != none;
  // What has columns out of range is not multiplied by.
  Mask const begins_at_zero = (norms[1] == none) | is_flawed;
  N squared[1] = {norms[0]};
  // A product with zeros is left out, if all systems of these turns begin there.
  if (at.any(!begins_at_zero)) {
    at.multiply(t, u);
    V part[1] = {V(T(0))};
    at.for_each([&](int i) {
      r.set(i, select(begins_at_zero, r(i), r(i) - t(i)));
      part[0] += r(i) * r(i) + (u(i) - u(i));  // a NaN in a column that no row has
    });
    N other[1];
    at.sum(part, other);
    // Compilers round the two sums differently: those that begin at zero do not depend on the others of these turns.
    squared[0] = select(begins_at_zero, norms[0], other[0]);
  }
  at.for_each([&](int i) { u.set(i, V(T(0))); });

  Progress<N> is;
  N residual = sqrt(squared[0]);
  is.most_iterations = stop.most_iterations;
  is.squared = squared[0];
  N const threshold =
      N(T(stop.tolerance)) * (stop.relative_to == RelativeTo::right_side ? right_side
                              : stop.relative_to == RelativeTo::start    ? residual
                                                                         : N(T(1)));
  is.threshold_squared = threshold * threshold;
  bool const to_right_side = stop.relative_to == RelativeTo::right_side;
  // The squares of a right-hand side may overflow or vanish.
  Mask const zero = Mask(to_right_side) & (!is_flawed) & (norms[3] == none);
  Mask const measurable = Mask(!to_right_side) | (within_range(right_side) & (right_side > none));
  Mask const begins = !(is_flawed | zero), fails = begins & !(within_range(residual) & measurable);
  Mask const wants = begins & (!fails) & (residual > threshold);
  SolveResult<N> result;
  if (any(zero)) {
    at.store_x(u, zero);
    residual = select(zero, none, residual);
    is.squared = select(zero, none, is.squared);
  }
  bool const may_iterate = at.there() && stop.most_iterations > 0;
  is.running = wants & Mask(may_iterate);
  constexpr auto code = [](Reason why) { return Count(Status::code(why, 0)); };
  result.code = select(
      is_flawed, code(Reason::invalid_pattern),
      select(fails, code(Reason::not_finite),
             select(wants & Mask(!may_iterate), code(Reason::iteration_limit), result.code)));

  Count restarts = Count(0);
  N before = residual;  // when the system began, or began anew
  while (at.any(is.running)) {
    Mask const began = is.running;
    bool const records = any(began) && at.keeps_history();
    method.restart(at, m, r, squared[0], is);
    while (at.any(is.running)) {
      method.step(at, m, r, u, is);
      if (records) at.record(began, is.iterations, is.squared);
    }
    if constexpr (has_cycles) method.finish(at, u);

    // The true residual of those that took part.
    at.load_b(b);
    if constexpr (Method::right) {
      m.apply(at, t, u);
      at.load_x(u);
      at.for_each([&](int i) { u.set(i, u(i) + t(i)); });
    } else {
      at.load_x(t);
      at.for_each([&](int i) { u.set(i, t(i) + u(i)); });
    }
    if (any(began)) at.store_x(u, began);
    // No row may have a column that would show a NaN in x.
    V part[1] = {V(T(0))};
    at.for_each([&](int i) { part[0] += u(i) - u(i); });
    at.multiply(t, u);
    at.for_each([&](int i) {
      V const v = b(i) - t(i);
      r.set(i, select(began, v, r(i)));
      u.set(i, V(T(0)));
      part[0] += v * v;
    });
    N now[1];
    at.sum(part, now);
    if (!any(began)) continue;
    squared[0] = select(began, now[0], squared[0]);
    residual = select(began, sqrt(now[0]), residual);
    Count const cause = is.cause();
    for (int l = 0; l < systems; ++l) {
      if (!lane_of(began, l)) continue;
      Verdict const said = conclude<has_cycles>(
          stop, lane_of(residual, l), lane_of(threshold, l), lane_of(before, l),
          Reason(lane_of(cause, l)), int(lane_of(is.info, l)), int(lane_of(is.iterations, l)),
          int(lane_of(restarts, l)));
      set_lane_of(result.code, l, said.code);
      if (!said.begins_anew) continue;
      Mask mine(false);
      set_lane_of(mine, l, true);
      is.begin_anew(mine);
      set_lane_of(before, l, lane_of(residual, l));
      if (said.is_restart) set_lane_of(restarts, l, lane_of(restarts, l) + 1);
    }
  }
  result.iterations = is.iterations;
  result.recurrence = sqrt(is.squared);
  result.residual = residual;
  return result;
}

template <class Method, class At, class M>
BATCHWORK_INLINE SolveResult<typename At::Number> solve_system(At& at, M const& m, Method& method,
                                                               StoppingCriteria const& stop) {
  auto r = at.vector(), u = at.vector();
  at.load_b(r);
  at.load_x(u);
  return solve_system(at, m, method, stop, r, u);
}

}  // namespace Batchwork::Impl

#endif
