// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What follows the factors of an item, for each right-hand side: the solution, the true residual, and steps of refinement.
#ifndef BATCHWORK_DIRECTSTEPS_HPP
#define BATCHWORK_DIRECTSTEPS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "core/detail/Batchwork_Elimination.hpp"
#include "krylov/Batchwork_Stopping.hpp"
#include "krylov/direct/detail/Batchwork_DirectProblem.hpp"
#include "krylov/direct/detail/Batchwork_DirectScaling.hpp"
#include "krylov/formats/detail/Batchwork_ProductSums.hpp"
#include "krylov/solvers/detail/Batchwork_SolveLoop.hpp"

namespace Batchwork::Impl {

/// Adds up the sums of neighbouring lanes, a power of two; the first of them has the whole.
template <class T>
BATCHWORK_INLINE void join_lanes(BoundedSum<T>& s, int lanes) {
  BATCHWORK_KEEP_LOOP
  for (int step = 1; step < lanes; step *= 2)
    s.add(BoundedSum<T>{Vendor::swapped(s.sum, step), Vendor::swapped(s.size, step)});
}
template <class T>
BATCHWORK_INLINE void join_lanes(CompensatedSum<T>& s, int lanes) {
  BATCHWORK_KEEP_LOOP
  for (int step = 1; step < lanes; step *= 2)
    s.add(CompensatedSum<T>{Vendor::swapped(s.high, step), Vendor::swapped(s.low, step),
                            Vendor::swapped(s.corrections, step)});
}

/// b - A x of one row, and the bound that is known of its error: the size of a BoundedSum, or the rounding of a CompensatedSum.
template <class T>
BATCHWORK_INLINE void finish_row(BoundedSum<T> const& s, T b, int, T& value, T& bound) {
  value = b - s.sum, bound = s.size;
}
template <class T>
BATCHWORK_INLINE void finish_row(CompensatedSum<T> s, T b, int entries, T& value, T& bound) {
  s.subtract_from(b);
  value = s.value(), bound = s.rounding(entries + 1);
}

/// One right-hand side of an item. `At` knows how the item lies, and has
///   entries()                          an EntriesOfLanes
///   b, x, r, t                         vectors that all lanes of the item see: right-hand side, solution, residual, another solution
///   for_each(f), sync()                f(i) for the lane's rows; waits for the lanes of the item
///   largest(key), sum(numbers), any(x) over the lanes of the item, the same bits in all of them
///   solve(first, from, to)             to = A^-1 from by the factors; `first`: of b, after the elimination. Waits before and behind.
///                                      `from` may be r, which is lost, or b; `to` may be x or t
template <class T, class At>
struct DirectSteps {
  using Computed = ComputedResidual<T>;

  At& at;
  DirectProblem<T> const& p;
  T unit = T(1);  ///< a power of two, times which norms are taken, so that no square overflows
  T threshold_squared = T(0);

  /// Of b - A y, times the unit: its square, and whether it is known to meet the threshold. The residual is in r.
  struct Residual {
    T squares;
    bool met;
  };

  template <class Sum>
  BATCHWORK_INLINE void add_rows(T const* y, T (&sums)[2]) const {
    auto const entries = at.entries();
    Sum s;
    sums[0] = sums[1] = T(0);
    entries.template for_rows<true, false>([&] { s = Sum(); },
                                           [&](int, auto const& e) {
                                             int const j =
                                                 unsigned(e.column) < unsigned(p.n) ? e.column : 0;
                                             s.add(e.there ? e.number : T(0), y[j]);
                                           },
                                           [&](int i, int count) {
                                             join_lanes(s, entries.row_lanes);
                                             if (i >= p.n || entries.rank % entries.row_lanes != 0)
                                               return;
                                             T value, bound;
                                             finish_row(s, at.b[i], count, value, bound);
                                             at.r[i] = value;
                                             T const v = value * unit, e = bound * unit;
                                             sums[0] += v * v;
                                             sums[1] += e * e;
                                           });
    at.sum(sums);
  }
  BATCHWORK_INLINE Residual residual(T const* y) const {
    T sums[2];
    add_rows<BoundedSum<T>>(y, sums);
    bool met = Computed::clearly_meets(sums[0], sums[1], threshold_squared) ||
               (sums[0] == T(0) && sums[1] == T(0));
    if (!met) {
      auto const known = Computed::of_product(sums[0], sums[1], p.n);
      met = known.meets(threshold_squared, p.n);
      // Where it does not decide, and where a step of refinement needs more digits than it has.
      if (!met && is_finite(sums[0])) {
        add_rows<CompensatedSum<T>>(y, sums);
        met = Computed::of_compensated(sums[0], sums[1]).meets(threshold_squared, p.n);
      }
    }
    return {sums[0], met};
  }

  BATCHWORK_INLINE SolveResult<T> run(bool first) {
    std::int32_t key = 0;
    at.for_each([&](int i) {
      std::int32_t const mine = pivot_key(at.b[i]);
      key = mine > key ? mine : key;
    });
    unit = scale_to_one<T>(at.largest(key));
    if (p.relative_to == RelativeTo::nothing) {
      T const limit = p.tolerance * unit;
      threshold_squared = limit * limit;
    } else {
      T norm[1] = {T(0)};
      at.for_each([&](int i) { norm[0] += at.b[i] * unit * (at.b[i] * unit); });
      at.sum(norm);
      threshold_squared = p.tolerance * p.tolerance * norm[0];
    }
    at.solve(first, at.b, at.x);
    Residual best = residual(at.x);
    SolveResult<T> result;
    T before = best.squares;
    bool halved = true;
    while (!best.met && halved && int(result.iterations) < p.refinements &&
           is_finite(best.squares)) {
      ++result.iterations;
      before = best.squares;
      at.sync();
      at.solve(false, at.r, at.t);
      at.for_each([&](int i) { at.t[i] += at.x[i]; });
      at.sync();
      Residual const now = residual(at.t);
      halved = now.squares < T(0.25) * before;
      if (!(now.met || now.squares < before)) break;
      best = now;
      at.sync();
      at.for_each([&](int i) { at.x[i] = at.t[i]; });
    }
    at.sync();
    result.recurrence = Kokkos::sqrt(before) / unit;
    result.residual = Kokkos::sqrt(best.squares) / unit;
    result.code = best.met                  ? 0
                  : is_finite(best.squares) ? Status::code(Reason::stagnated, 0)
                                            : Status::code(Reason::not_finite, 0);
    return result;
  }
};

/// Of several right-hand sides: the most steps, the largest residuals, and the first failure.
template <class T>
BATCHWORK_INLINE void add_column(SolveResult<T>& all, SolveResult<T> const& one) {
  all.iterations = one.iterations > all.iterations ? one.iterations : all.iterations;
  all.recurrence = one.recurrence > all.recurrence ? one.recurrence : all.recurrence;
  all.residual = one.residual > all.residual ? one.residual : all.residual;
  all.code = all.code == 0 ? one.code : all.code;
}
/// Whether x is stored.
template <class T>
BATCHWORK_INLINE bool has_solution(SolveResult<T> const& r) {
  return r.code == 0 || Status::reason(r.code) == Reason::stagnated;
}
/// Of an item without a solution.
template <class T>
BATCHWORK_INLINE SolveResult<T> no_result(std::int32_t code) {
  T const nan = Kokkos::Experimental::quiet_NaN_v<T>;
  SolveResult<T> r;
  r.recurrence = r.residual = nan;
  r.code = code;
  return r;
}

/// All right-hand sides of an item, whose status of the elimination is `code`. The solutions are stored if it is there, or, of a single
/// one that is kept, left in at.x; those of an item that failed are NaN.
template <class T, class At>
BATCHWORK_INLINE SolveResult<T> solve_columns(At& at, DirectProblem<T> const& p, std::int64_t item,
                                              bool is_there, std::int32_t code, bool keeps) {
  SolveResult<T> all;
  if (code != 0) all = no_result<T>(code);
  T* const to = item_of(p.x, item);
  auto const store = [&](int c, bool failed) {
    T const nan = Kokkos::Experimental::quiet_NaN_v<T>;
    if (keeps) {
      if (failed) at.for_each([&](int i) { at.x[i] = nan; });
    } else if (is_there) {
      at.for_each(
          [&](int i) { to[i * p.x.row + std::int64_t(c) * p.x.col] = failed ? nan : at.x[i]; });
    }
  };
  BATCHWORK_KEEP_LOOP
  for (int c = 0; c < p.columns && code == 0; ++c) {
    if (c > 0) {
      T const* const from = item_of(p.b, item) + std::int64_t(c) * p.b.col;
      at.sync();
      at.for_each([&](int i) { at.b[i] = from[i * p.b.row]; });
      at.sync();
    }
    bool finite = true;
    SolveResult<T> const one = DirectSteps<T, At>{at, p}.run(c == 0);
    at.for_each([&](int i) { finite = finite && is_finite(at.x[i]); });
    add_column(all, one);
    if (at.any(!finite) || Status::reason(one.code) == Reason::not_finite)
      all = no_result<T>(code = Status::code(Reason::not_finite, 0));
    store(c, false);
  }
  if (code != 0)
    for (int c = 0; c < p.columns; ++c) store(c, true);
  return all;
}

}  // namespace Batchwork::Impl

#endif
