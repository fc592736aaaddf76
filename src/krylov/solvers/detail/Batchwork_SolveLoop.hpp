// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What all iterative solvers have in common: the residual at the start, the confirmation of every
/// end by the true residual, and beginning anew from it.
#ifndef BATCHWORK_SOLVELOOP_HPP
#define BATCHWORK_SOLVELOOP_HPP

#include <Kokkos_Core.hpp>

#include "krylov/base/Batchwork_Concepts.hpp"
#include "krylov/base/Batchwork_Stopping.hpp"
#include "krylov/detail/backend/Batchwork_SolveBudget.hpp"
#include "krylov/detail/backend/Batchwork_SolverVectors.hpp"
#include "krylov/formats/detail/Batchwork_ProductSums.hpp"
#include "krylov/preconditioners/Batchwork_Jacobi.hpp"
#include "krylov/verbs/detail/Batchwork_Exponents.hpp"
#include "tile/types/Batchwork_Scalar.hpp"

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
/// Norms are compared by their squares.
/// \param began   whether it has iterated, or is a start that seemed to meet the tolerance
/// \param helped  whether x has become better: what begins anew without cycles begins from x
/// \param met     whether the true residual is known to meet the tolerance
/// \param best    the residual of what x holds, squared
/// \param from    the residual that its last iterations began from, squared
template <bool HasCycles, class T>
BATCHWORK_INLINE Verdict conclude(StoppingCriteria const& stop, bool began,
                                  [[maybe_unused]] bool helped, bool met, T residual, T best,
                                  [[maybe_unused]] T from, Reason cause, int info, int iterations,
                                  int restarts) {
  if (met) return {false, false, Status::code(Reason::success, 0)};
  if (!is_finite(residual) && cause != Reason::diverged && cause != Reason::breakdown)
    return {false, false, Status::code(Reason::not_finite, 0)};
  if (cause == Reason::iteration_limit || cause == Reason::indefinite || cause == Reason::diverged)
    return {false, false, Status::code(cause, 0)};
  bool const may = iterations < stop.most_iterations;
  if (!began) return {may, false, Status::code(Reason::iteration_limit, 0)};
  if constexpr (HasCycles) {
    // A cycle that leaves more of the residual than this has not helped.
    constexpr T progress = T(1) - (sizeof(T) == 4 ? T(0x1p-11) : T(0x1p-25));
    if (may && cause != Reason::not_finite) {
      if (residual < progress * from) return {true, false, 0};
      // The next cycle may mend what this one has spoiled.
      if (restarts < stop.most_restarts && progress * residual > from &&
          residual < T(stop.divergence_limit) * T(stop.divergence_limit) * best)
        return {true, true, 0};
    }
  } else if (may && helped && restarts < stop.most_restarts && residual < T(0.25) * best) {
    return {true, true, 0};
  }
  // The recurrence claimed too much, which only a further beginning would mend.
  bool const claims = cause == Reason::success;
  Reason const why = !claims ? cause : may ? Reason::stagnated : Reason::iteration_limit;
  return {false, false, Status::code(why, why == Reason::breakdown ? info : 0)};
}

/// A residual that was computed, and what is known of its rounding.
template <class N>
struct ComputedResidual {
  using T = scalar_t<N>;
  static constexpr T u = unit_roundoff<T>;
  N squares;   ///< of its norm
  N rounding;  ///< a bound of the norm of its error

  /// Sums of squares and what is made of them round by less than this part of a norm.
  static BATCHWORK_INLINE T slack(int rows) { return T(rows + 16) * u; }
  /// Whether a residual meets the threshold for certain, by little arithmetic: it is smaller by a
  /// part of 2^-8, which rounding is not; else it may, or not.
  /// \param sizes  the squares of the sizes of the rows' sums, see BoundedSum
  static BATCHWORK_INLINE mask_t<N> clearly_meets(N const& squares, N const& sizes,
                                                  N const& threshold_squared) {
    // (4 u)^2 sizes is to be below 2^-20 of the threshold; and that no denormal number.
    constexpr T part = 16 * u * u * T(0x1p20);
    constexpr T least = Kokkos::Experimental::norm_min_v<T>;
    return (squares <= N(T(1) - T(0x1p-7)) * threshold_squared) &
           (N(part) * sizes + N(least) <= threshold_squared);
  }
  static BATCHWORK_INLINE ComputedResidual of_product(N const& squares, N const& sizes, int rows) {
    // The squares of small sizes may have vanished.
    N const all = sizes + N(T(rows) * Kokkos::Experimental::norm_min_v<T>);
    return {squares, N(4 * u) * sqrt(all) + N(u) * sqrt(squares)};
  }
  /// After a sum in twice the precision, given the squares of its roundings.
  static BATCHWORK_INLINE ComputedResidual of_compensated(N const& squares, N const& roundings) {
    return {squares, sqrt(roundings) + N(u) * sqrt(squares)};
  }
  /// Whether it is at most the threshold, for certain.
  BATCHWORK_INLINE mask_t<N> meets(N const& threshold_squared, int rows) const {
    T const s = slack(rows);
    return sqrt(squares) * N(T(1) + s) + rounding <= sqrt(threshold_squared) * N(T(1) - s);
  }
  /// Whether it may be.
  BATCHWORK_INLINE mask_t<N> may_meet(N const& threshold_squared, int rows) const {
    T const s = slack(rows);
    return sqrt(squares) * N(T(1) - s) - rounding <= sqrt(threshold_squared) * N(T(1) + s);
  }
};

/// What is known of systems between their iterations, while a solve of them lasts.
template <class N>
struct SolveState {
  using T = scalar_t<N>;
  using Mask = mask_t<N>;
  using Count = info_t<N>;
  Progress<N> is;
  N squared = N(T(0));  ///< of the norm of the residual in r; for methods that have cycles
  N best = N(T(0));     ///< the same of what x holds
  Count restarts = Count(0), code = Count(0);
  /// Systems that seem to meet the tolerance at their start, which is to be confirmed.
  Mask unsure = Mask(false);
};

/// Of x from 0 to 2^12, with 12 digits behind the point at most.
template <class N>
BATCHWORK_INLINE mask_t<N> is_whole(N const& x) {
  using T = scalar_t<N>;
  constexpr T big = sizeof(T) == 4
                        ? T(0x1.8p23)
                        : T(0x1.8p52);  // added to it, numbers lose all digits after the point
  return (x + N(big)) - N(big) == x;
}

/// The exponent of the sum of the magnitudes of two vectors, taken times 2^-12, since it may
/// overflow; minus infinity where that is zero or not finite.
template <class At>
BATCHWORK_INLINE typename At::Number exponent_of(At& at, typename At::Vector const& x,
                                                 typename At::Vector const& y) {
  using T = typename At::Scalar;
  using V = typename At::Value;
  V part[1] = {V(T(0))};
  at.for_each(
      [&](int i) { part[0] += V(T(0x1p-12)) * magnitude(x(i)) + V(T(0x1p-12)) * magnitude(y(i)); });
  typename At::Number sum[1];
  at.sum(part, sum);
  return Exponents<T>::of(sum[0]) + typename At::Number(T(12));
}
/// The unit of the systems that are `far` from 1: a power of two that brings the larger one of b
/// and r near to 1.
template <class At>
BATCHWORK_INLINE void find_unit(At& at, mask_t<typename At::Number> const& far,
                                typename At::Vector const& b, typename At::Vector const& r) {
  using T = typename At::Scalar;
  using N = typename At::Number;
  using E = Exponents<T>;
  N const e = exponent_of(at, b, r);
  auto const rescales = far & (e > N(-E::infinite()));
  at.unit = select(rescales, E::power(E::within_most(select(rescales, -e, N(T(0))))), at.unit);
}
/// For systems with numbers beyond the range in the first iteration, and unchanged since their
/// start: brings their residuals near to 1 and, HasFactor, finds the power of two in place of the
/// preconditioner, such that A times it is near to 1, too. Returns the systems that this changes.
template <bool HasFactor, class At>
BATCHWORK_INLINE mask_t<typename At::Number> rescale(At& at, SolveState<typename At::Number>& state,
                                                     mask_t<typename At::Number> const& of,
                                                     typename At::Vector& t,
                                                     typename At::Vector& r) {
  using T = typename At::Scalar;
  using N = typename At::Number;
  using V = typename At::Value;
  using E = Exponents<T>;
  N const none(T(0)), nothing(-E::infinite());
  auto& is = state.is;
  N const of_r = exponent_of(at, r, r);
  N const by = E::power(E::within_most(select(of & (of_r > nothing), -of_r, none)));
  at.unit = at.unit * by;
  at.for_each([&](int i) { r.set(i, V(by) * r(i)); });
  auto const times = [&](N& square) { square = square * by * by; };
  times(is.threshold_squared);
  times(is.divergence_squared);
  times(is.squared);
  times(state.squared);
  times(state.best);
  auto changed = of & (by != N(T(1)));
  if constexpr (HasFactor) {
    at.multiply(t, r);
    N const of_t = exponent_of(at, t, t);
    auto const counts = of & (of_t > nothing);
    // Any but 1, which would be looked for again.
    N const e = select(counts & (of_t != none), E::within_most(-of_t), N(T(1)));
    at.factor = select(counts, E::power(e), at.factor);
    changed = changed | counts;
  }
  return changed;
}

/// The start of systems, which are in `at`: see iterate_systems. b is in r and x in u; afterwards
/// the residual is in r and u is zero.
template <class At>
BATCHWORK_INLINE SolveState<typename At::Number> begin_systems(At& at, StoppingCriteria const& stop,
                                                               typename At::Vector& r,
                                                               typename At::Vector& u) {
  using T = typename At::Scalar;
  using N = typename At::Number;
  using V = typename At::Value;
  using Mask = mask_t<N>;
  using Count = info_t<N>;
  N const none(T(0));
  SolveState<N> state;
  auto& is = state.is;

  // The square of b's norm, and in one exact number how many rows of b are not zero, before the
  // point, and of x, behind it; or that the pattern has flaws: infinity.
  N norms[2];
  constexpr T far_square = FarFromOne<T>::vector * FarFromOne<T>::vector;
  constexpr T of_x = T(1) / T(2 * most_rows_of_a_solve);
  {
    V parts[2] = {V(T(0)), V(at.flawed() ? Kokkos::Experimental::infinity_v<T> : T(0))};
    at.for_each([&](int i) {
      V const bi = r(i), x = u(i);
      parts[0] += bi * bi;
      parts[1] += select(bi == V(T(0)), V(T(0)), V(T(1)));
      parts[1] += select(x == V(T(0)), V(T(0)), V(of_x));
    });
    at.sum(parts, norms);
  }
  Mask const is_flawed = !within_range(norms[1]);
  // What has columns out of range is not multiplied by.
  Mask const begins_at_zero = is_whole(norms[1]) | is_flawed;
  Mask far = (norms[1] >= N(T(1))) & is_far(norms[0], far_square);
  N squared = norms[0], sizes = none;
  // A product with zeros is left out, if all systems of these turns begin there.
  if (at.any(!begins_at_zero)) [[unlikely]] {
    auto t = at.vector();
    V parts[2] = {V(T(0)), V(T(0))};
    if constexpr (At::has_entries) parts[1] = at.multiply_with_bound(t, u);
    else at.multiply(t, u);
    at.for_each([&](int i) {
      r.set(i, select(begins_at_zero, r(i), r(i) - t(i)));
      parts[0] += r(i) * r(i) + (u(i) - u(i));  // an empty column hides a NaN in x
    });
    N other[2];
    at.sum(parts, other);
    // Compilers round the two sums differently: systems that begin at zero must not depend on
    // others that run in step.
    squared = select(begins_at_zero, norms[0], other[0]);
    sizes = other[1];
    far = far | ((!begins_at_zero) & is_far(squared, far_square));
  }
  if (at.any(far)) [[unlikely]] {
    // In another unit squares neither vanish nor overflow. u is b meanwhile.
    at.load_b(u);
    find_unit(at, far, u, r);
    V parts[2] = {V(T(0)), V(T(0))};
    at.for_each([&](int i) {
      V const bi = V(at.unit) * u(i), ri = V(at.unit) * r(i);
      r.set(i, ri);
      parts[0] += bi * bi;
      parts[1] += ri * ri;
    });
    N sums[2];
    at.sum(parts, sums);
    Mask const changed = at.unit != N(T(1));
    norms[0] = select(changed, sums[0], norms[0]);
    squared = select(changed, select(begins_at_zero, sums[0], sums[1]), squared);
    sizes = sizes * at.unit * at.unit;
  }
  N start = squared;  // what a tolerance is relative to, if it is to the start; squared
  if (At::has_entries && stop.relative_to == RelativeTo::start) {
    // The least that it may be.
    N const least = sqrt(start) - ComputedResidual<N>::of_product(squared, sizes, at.rows).rounding;
    start = select(begins_at_zero, start, select(least > none, least * least, none));
  }
  at.for_each([&](int i) { u.set(i, V(T(0))); });

  is.most_iterations = stop.most_iterations;
  bool const to_right_side = stop.relative_to == RelativeTo::right_side;
  T const tolerance = T(stop.tolerance), limit = T(stop.divergence_limit);
  if (stop.relative_to == RelativeTo::nothing)
    is.threshold_squared = (N(tolerance) * at.unit) * (N(tolerance) * at.unit);
  else is.threshold_squared = N(tolerance * tolerance) * (to_right_side ? norms[0] : start);
  is.divergence_squared = N(limit * limit) * squared;
  // The squares of a right-hand side may overflow or vanish.
  Mask const zero = Mask(to_right_side) & (!is_flawed) & (norms[1] < N(T(1)));
  Mask const measurable = Mask(!to_right_side) | (within_range(norms[0]) & (norms[0] > none));
  Mask const begins = !(is_flawed | zero), fails = begins & !(within_range(squared) & measurable);
  Mask const wants = begins & (!fails) & (squared > is.threshold_squared);
  if (any(zero)) {
    at.store_x(u, zero);
    squared = select(zero, none, squared);
  }
  state.squared = state.best = is.squared = squared;
  // The right-hand side itself is known, other starts are confirmed as any other end is.
  state.unsure = begins & (!fails) & (!wants) & Mask(At::has_entries && at.there()) &
                 !(begins_at_zero & Mask(stop.relative_to != RelativeTo::nothing));
  bool const may_iterate = at.there() && stop.most_iterations > 0;
  is.running = wants & Mask(may_iterate);
  constexpr auto code = [](Reason why) { return Count(Status::code(why, 0)); };
  state.code =
      select(is_flawed, code(Reason::invalid_pattern),
             select(fails, code(Reason::not_finite),
                    select(wants & Mask(!may_iterate), code(Reason::iteration_limit), state.code)));
  return state;
}

/// Decides the outcome of the systems `ends`; `began` among them have iterated. `residual` are the
/// squares of their residuals, `from` the squares at their beginning.
template <bool HasCycles, class N>
BATCHWORK_INLINE void conclude_systems(SolveState<N>& state, StoppingCriteria const& stop,
                                       mask_t<N> const& ends, mask_t<N> const& began,
                                       mask_t<N> const& met, mask_t<N> const& helps,
                                       N const& residual, N const& from) {
  using Mask = mask_t<N>;
  auto& is = state.is;
  info_t<N> const cause = is.cause();
  for (int l = 0; l < ValueTraits<N>::width; ++l) {
    if (!lane_of(ends, l)) continue;
    bool const helped = lane_of(helps, l), iterated = lane_of(began, l);
    Verdict const said = conclude<HasCycles>(
        stop, iterated, helped, lane_of(met, l), lane_of(residual, l), lane_of(state.best, l),
        lane_of(from, l), Reason(lane_of(cause, l)), int(lane_of(is.info, l)),
        int(lane_of(is.iterations, l)), int(lane_of(state.restarts, l)));
    set_lane_of(state.code, l, said.code);
    if (helped || !iterated) set_lane_of(state.best, l, lane_of(residual, l));
    if (!said.begins_anew) continue;
    Mask mine(false);
    set_lane_of(mine, l, true);
    is.begin_anew(mine);
    if (said.is_restart) set_lane_of(state.restarts, l, lane_of(state.restarts, l) + 1);
    else if (HasCycles && helped) set_lane_of(state.restarts, l, 0);
  }
}

/// Iterates for one system, accessed through `at`: SystemTeam on devices, SystemThread on hosts; or
/// for a pack of systems, SystemPack, with packs as numbers and masks as conditions. All lanes that
/// run in step (at.any) take part until the last of their systems is done.
///
/// A method has restart(at, m, r, norm_squared, is), which begins from the residual r, and step(at,
/// m, r, u, is), one iteration that changes r and u of a system that is running, and ends with
/// is.judge(r' r) or is.stop(why); both are called by all lanes. The solution is x + u; where
/// Method::right it is x + M u, M being the preconditioner: neither x nor M u is then needed in an
/// iteration. A method that has_cycles has finish(at, u), called by all lanes, which makes u of
/// what its steps have left; where a cycle is over it says is.stop(Reason::stagnated), and begins
/// anew unless that holds. It also has load_current and put_aside for an iterate that is worse than
/// x. Its vectors come from at.vectors<n>(), n being what the solver says in own_vectors; nothing
/// of them is kept from one beginning to the next.
///
/// A method may say in its first iteration that numbers are too far from 1, by is.meets_far, and
/// stop: where there is no preconditioner, or where it says that it `rescales`. Then it begins anew
/// in another unit.
///
/// The residual is in r and u is zero, before and after.
template <class Method, class At, class M>
BATCHWORK_INLINE void iterate_systems(At& at, M const& m, Method& method,
                                      StoppingCriteria const& stop, typename At::Vector& r,
                                      typename At::Vector& u,
                                      SolveState<typename At::Number>& state) {
  using T = typename At::Scalar;
  using N = typename At::Number;
  using V = typename At::Value;
  using Mask = mask_t<N>;
  static_assert(SystemBackend<At>,
                "Batchwork: the systems lack something of a SystemBackend; see "
                "krylov/base/Batchwork_Concepts.hpp");
  static_assert(PreparedPreconditioner<M, At>,
                "Batchwork: the preconditioner lacks apply(at, z, r), is_identity or "
                "wants_diagonal; see PreparedPreconditioner in krylov/base/Batchwork_Concepts.hpp");
  static_assert(SolverMethod<Method, At, M>,
                "Batchwork: the solver's method lacks right, restart(at, m, r, squared, is) or "
                "step(at, m, r, u, is); see SolverMethod in krylov/base/Batchwork_Concepts.hpp");
  constexpr bool has_cycles = requires { Method::has_cycles; };
  auto& is = state.is;
  auto t = at.vector(), b = at.vector();
  while (at.any(is.running | state.unsure)) {
    // A start that seems to meet the tolerance is confirmed as any other end is.
    Mask const began = is.running;
    Mask ends = began | state.unsure;
    bool const records = any(began) && at.keeps_history();
    // Without cycles a system begins anew from what x holds.
    N const from = has_cycles ? state.squared : state.best;
    method.restart(at, m, r, from, is);
    while (at.any(is.running)) {
      method.step(at, m, r, u, is);
      if (records) at.record(began, is.iterations, is.squared);
    }
    if constexpr (has_cycles) method.finish(at, u);

    // The true residual of the systems that took part.
    at.load_b(b);
    if constexpr (Method::right) {
      m.apply(at, t, u);
      if constexpr (has_cycles) method.load_current(at, u);
      else at.load_x(u);
    } else {
      at.load_x(t);
    }
    at.for_each([&](int i) { u.set(i, t(i) + u(i)); });
    V parts[2] = {V(T(0)), V(T(0))};
    if constexpr (At::has_entries) parts[1] = at.multiply_with_bound(t, u);
    else at.multiply(t, u);
    at.for_each([&](int i) {
      V const v = b(i) - t(i);
      r.set(i, select(ends, v, r(i)));
      parts[0] += v * v + (u(i) - u(i));  // an empty column hides a NaN in x
    });
    N now[2];
    at.sum(parts, now);
    state.unsure = Mask(false);
    if constexpr (M::is_identity || requires { Method::rescales; }) {
      if (at.any(is.out_of_scale)) [[unlikely]] {
        // Nothing has been iterated yet: from the same residual in another scale.
        Mask const anew = rescale<Method::right>(at, state, is.out_of_scale, t, r);
        // A step of a cycle would have counted.
        if constexpr (has_cycles) is.iterations += is.out_of_scale && !anew ? 1 : 0;
        is.out_of_scale = Mask(false);
        ends = ends & !anew;
        if (any(anew)) is.begin_anew(anew);
      }
    }
    Mask met = ends, helps = began & ends;
    // The square of what is said of the residuals that meet the tolerance.
    N shown = now[0];
    if constexpr (At::has_entries) {
      using Computed = ComputedResidual<N>;
      met = ends & Computed::clearly_meets(now[0], now[1], is.threshold_squared);
      auto const known = Computed::of_product(now[0], now[1], at.rows);
      N const most = sqrt(now[0]) + known.rounding;
      shown = most * most;
      if (Mask const rest = ends & (!met); at.any(rest)) [[unlikely]] {
        met = met | (rest & known.meets(is.threshold_squared, at.rows));
        // x becomes better than it was as far as the sums say, and than the start for certain.
        T const limit = T(stop.divergence_limit) * T(stop.divergence_limit);
        N const start = is_finite(limit) ? is.divergence_squared / N(limit) : state.best;
        helps = began & ends & (met | ((now[0] < state.best) & (most < sqrt(start))));
        Mask const unsure = rest & (!met) & known.may_meet(is.threshold_squared, at.rows);
        if (at.any(unsure)) [[unlikely]] {
          V precise[2] = {V(T(0)), at.compensated_residual(t, b, u)};
          at.for_each([&](int i) {
            r.set(i, select(unsure, t(i), r(i)));
            precise[0] += t(i) * t(i);
          });
          N sums[2];
          at.sum(precise, sums);
          now[0] = select(unsure, sums[0], now[0]);
          auto const precisely = Computed::of_compensated(sums[0], sums[1]);
          N const most_precisely = sqrt(sums[0]) + precisely.rounding;
          shown = select(unsure, most_precisely * most_precisely, shown);
          met = met | (unsure & precisely.meets(is.threshold_squared, at.rows));
          helps = (helps & !unsure) | (unsure & began & (sums[0] < state.best));
        }
      }
    } else {
      met = ends & (now[0] <= is.threshold_squared);
      helps = began & ends & (now[0] < state.best);
    }
    // What does not help is dropped.
    if (any(helps)) at.store_x(u, helps);
    if (any(ends)) {
      if constexpr (has_cycles) state.squared = select(ends, now[0], state.squared);
      conclude_systems<has_cycles>(state, stop, ends, began, met, helps, now[0], from);
      if constexpr (has_cycles) method.put_aside(at, u, is.running && began && ends && !helps);
      state.best = select(met & (helps | !began), shown, state.best);
    }
    at.for_each([&](int i) { u.set(i, V(T(0))); });
  }
}

/// What the solve of systems leaves, once none of them is running or unsure.
template <class At, class N>
BATCHWORK_INLINE SolveResult<N> result_of(At const& at, SolveState<N> const& state) {
  return {state.is.iterations, sqrt(state.is.squared) / at.unit, sqrt(state.best) / at.unit,
          state.code};
}

/// The solve of systems, on hosts and in kernels of users.
template <class Method, class At, class M>
BATCHWORK_INLINE SolveResult<typename At::Number> solve_systems(At& at, M const& m, Method& method,
                                                                StoppingCriteria const& stop) {
  auto r = at.vector(), u = at.vector();
  at.load_b(r);
  at.load_x(u);
  auto state = begin_systems(at, stop, r, u);
  iterate_systems(at, m, method, stop, r, u, state);
  return result_of(at, state);
}

}  // namespace Batchwork::Impl

#endif
