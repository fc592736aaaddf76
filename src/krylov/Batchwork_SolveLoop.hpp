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

/// Iterates for one system, of which `at` knows how it lies: SystemTeam on devices, SystemThread on hosts. All lanes that go
/// through the same turns (at.any) take part until the last of their systems is done.
///
/// A method has restart(at, m, r, norm_squared, is), which begins from the residual r, and step(at, m, r, u, is), one
/// iteration that changes r and u of a system that is running, and ends with is.judge(r' r) or is.stop(why); both are
/// called by all lanes. The solution is x + u; where Method::right it is x + M u, M being the preconditioner: neither x nor
/// M u is then needed in an iteration. A method that has_cycles has finish(at, u), called by all lanes, which makes u of what
/// its steps have left; where a cycle is over it says is.stop(Reason::stagnated), and begins anew unless that holds.
///
/// b is in r and the start in u, which are loaded as early as can be: the rest of what a system needs then comes meanwhile.
template <class Method, class At, class M>
BATCHWORK_INLINE SolveResult<typename At::Scalar> solve_system(At& at, M const& m, Method& method,
                                                               StoppingCriteria const& stop,
                                                               typename At::Vector& r,
                                                               typename At::Vector& u) {
  using T = typename At::Scalar;
  using V = typename At::Value;
  constexpr bool has_cycles = requires { Method::has_cycles; };
  // A cycle that leaves more of the residual than this has not helped.
  constexpr T progress = T(1) - (sizeof(T) == 4 ? T(0x1p-12) : T(0x1p-26));
  auto t = at.vector(), b = at.vector();

  T norms[4];
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
  T const right_side = Kokkos::sqrt(norms[0]);
  bool const is_flawed = norms[2] != T(0);
  // What has columns out of range is not multiplied by.
  bool const begins_at_zero = norms[1] == T(0) || is_flawed;
  T squared[1] = {norms[0]};
  // A product with zeros is left out, if all systems of these turns begin there.
  if (at.any(!begins_at_zero)) {
    at.multiply(t, u);
    V part[1] = {V(T(0))};
    at.for_each([&](int i) {
      if (!begins_at_zero) r.set(i, r(i) - t(i));
      part[0] += r(i) * r(i) + (u(i) - u(i));  // a NaN in a column that no row has
    });
    at.sum(part, squared);
  }
  at.for_each([&](int i) { u.set(i, V(T(0))); });

  Progress<T> is;
  T residual = Kokkos::sqrt(squared[0]);
  is.most_iterations = stop.most_iterations;
  is.squared = squared[0];
  T const threshold = T(stop.tolerance) * (stop.relative_to == RelativeTo::right_side ? right_side
                                           : stop.relative_to == RelativeTo::start    ? residual
                                                                                      : T(1));
  is.threshold_squared = threshold * threshold;
  bool const to_right_side = stop.relative_to == RelativeTo::right_side;
  bool const zero = to_right_side && norms[3] == T(0);
  // The squares of a right-hand side may overflow or vanish.
  bool const measurable = !to_right_side || (is_finite(right_side) && right_side > T(0));
  SolveResult<T> result;
  if (is_flawed) {
    result.code = Status::code(Reason::invalid_pattern, 0);
  } else if (zero) {
    at.store_x(u);
    residual = is.squared = T(0);
  } else if (!is_finite(residual) || !measurable) {
    result.code = Status::code(Reason::not_finite, 0);
  } else if (residual > threshold) {
    is.running = at.there() && stop.most_iterations > 0;
    if (!is.running) result.code = Status::code(Reason::iteration_limit, 0);
  }

  int restarts = 0;
  T before = residual;  // when the system began, or began anew
  while (at.any(is.running)) {
    bool const began = is.running, records = began && at.keeps_history();
    method.restart(at, m, r, squared[0], is);
    while (at.any(is.running)) {
      method.step(at, m, r, u, is);
      if (records) at.record(is.iterations, is.squared);
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
    if (began) at.store_x(u);
    // No row may have a column that would show a NaN in x.
    V part[1] = {V(T(0))};
    at.for_each([&](int i) { part[0] += u(i) - u(i); });
    at.multiply(t, u);
    at.for_each([&](int i) {
      V const v = b(i) - t(i);
      if (began) r.set(i, v);
      u.set(i, V(T(0)));
      part[0] += v * v;
    });
    T now[1];
    at.sum(part, now);
    if (!began) continue;
    squared[0] = now[0];
    residual = Kokkos::sqrt(now[0]);
    Reason const cause = is.cause();
    if (!is_finite(residual)) {
      result.code = Status::code(Reason::not_finite, 0);
    } else if (residual <= threshold) {
      result.code = Status::code(Reason::success, 0);
    } else if (cause == Reason::iteration_limit || cause == Reason::indefinite) {
      result.code = Status::code(cause, 0);
    } else if (has_cycles && (cause == Reason::stagnated || cause == Reason::success) &&
               is.iterations < stop.most_iterations && residual < progress * before) {
      before = residual;
      is.begin_anew();
    } else if (restarts < stop.most_restarts && is.iterations < stop.most_iterations &&
               residual < T(0.5) * before) {
      ++restarts;
      before = residual;
      is.begin_anew();
    } else {
      // The recurrence claimed too much, which only a further beginning would mend.
      bool const claims = cause == Reason::success;
      Reason const why = !claims                                 ? cause
                         : is.iterations >= stop.most_iterations ? Reason::iteration_limit
                                                                 : Reason::stagnated;
      result.code = Status::code(why, why == Reason::breakdown ? is.info : 0);
    }
  }
  result.iterations = is.iterations;
  result.recurrence = Kokkos::sqrt(is.squared);
  result.residual = residual;
  return result;
}

template <class Method, class At, class M>
BATCHWORK_INLINE SolveResult<typename At::Scalar> solve_system(At& at, M const& m, Method& method,
                                                               StoppingCriteria const& stop) {
  auto r = at.vector(), u = at.vector();
  at.load_b(r);
  at.load_x(u);
  return solve_system(at, m, method, stop, r, u);
}

}  // namespace Batchwork::Impl

#endif
