// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What follows the factors of an item, for each right-hand side: the solution, the true residual,
/// and steps of refinement.
#ifndef BATCHWORK_DIRECTSTEPS_HPP
#define BATCHWORK_DIRECTSTEPS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include "core/Batchwork_Pack.hpp"
#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "krylov/base/Batchwork_Stopping.hpp"
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
    s.add(BoundedSum<T>{Vendor::shuffle_xor(s.sum, step), Vendor::shuffle_xor(s.size, step)});
}
template <class T>
BATCHWORK_INLINE void join_lanes(MeasuredSum<T>& s, int lanes) {
  BATCHWORK_KEEP_LOOP
  for (int step = 1; step < lanes; step *= 2)
    s.add(MeasuredSum<T>{{Vendor::shuffle_xor(s.sum, step), Vendor::shuffle_xor(s.size, step)},
                         Vendor::shuffle_xor(s.products, step)});
}
template <class T>
BATCHWORK_INLINE void join_lanes(CompensatedSum<T>& s, int lanes) {
  BATCHWORK_KEEP_LOOP
  for (int step = 1; step < lanes; step *= 2)
    s.add(CompensatedSum<T>{Vendor::shuffle_xor(s.high, step), Vendor::shuffle_xor(s.low, step),
                            Vendor::shuffle_xor(s.corrections, step)});
}

/// b - A x of one row, and the bound that is known of its error: the size of a BoundedSum, or the
/// rounding of a CompensatedSum.
template <class T>
BATCHWORK_INLINE void finish_row(BoundedSum<T> const& s, T b, int, T& value, T& bound) {
  value = b - s.sum, bound = s.size;
}
template <class T>
BATCHWORK_INLINE void finish_row(CompensatedSum<T> s, T b, int entries, T& value, T& bound) {
  s.subtract_from(b);
  value = s.value(), bound = s.rounding(entries + 1);
}

/// Whether one lane has an item, as a host's thread does.
template <class At>
inline constexpr bool has_item_alone = false;
template <class At>
  requires requires { At::alone; }
inline constexpr bool has_item_alone<At> = At::alone;

/// Whether items share a warp, with lanes that take the same branches.
template <class At>
inline constexpr bool shares_warp = false;
template <class At>
  requires requires { At::shares_a_warp; }
inline constexpr bool shares_warp<At> = At::shares_a_warp;

/// Whether x holds for the item, or for one that shares its warp.
template <class At>
BATCHWORK_INLINE bool any_beside([[maybe_unused]] At const& at, bool x) {
  if constexpr (shares_warp<At>) return at.any_beside(x);
  else return x;
}

/// Whether solutions are to have a small backward error, too, which an elimination that exchanges
/// no rows may not give.
template <class At>
inline constexpr bool checks_backward_error = false;
template <class At>
  requires requires { At::checks_error; }
inline constexpr bool checks_backward_error<At> = At::checks_error;
/// Whether a row of b - A y is as small as rounding makes it, of `size` = |A| |y|: a backward error
/// of that row of (entries + 64) eps at most (Oettli and Prager, Numerische Mathematik 6, 1964).
/// What is no number is not.
template <class T>
BATCHWORK_INLINE bool is_row_accurate(T value, T size, T b, int entries) {
  constexpr T eps = Kokkos::Experimental::epsilon_v<T>;
  return abs(value) <= T(entries + 64) * eps * (size + abs(b));
}

/// One right-hand side of an item. `At` knows how the item lies, and has
///   entries()                          an EntriesOfLanes
///   b, x, r, t                         vectors that all lanes of the item see: right-hand side,
///   solution, residual, another solution for_each(f), sync()                f(i) for the lane's
///   rows; waits for the lanes of the item largest(key), sum(numbers), any(x) over the lanes of the
///   item, the same bits in all of them solve(first, from, to)             to = A^-1 from by the
///   factors; `first`: of b, after the
///                                      elimination, with which it may have gone along. Waits
///                                      before and behind. `from` may be r, which is lost, or b;
///                                      `to` may be x or t
/// and where items share a warp, and shares_a_warp says so,
///   add_rows<Sum>(y, f)                f(row of A y, its number) for the lane's rows, in the place
///   of entries() any_beside(x)                      over the items of the warp has_failed()
///   whether nothing is asked of the item: it has no solution
/// and where checks_error says so, is_accurate, which becomes false where a solution has a larger
/// backward error than is_row_accurate takes, though steps of refinement were tried.
template <class T, class At>
struct DirectSteps {
  using Computed = ComputedResidual<T>;
  static constexpr bool checks = checks_backward_error<At>;

  At& at;
  DirectProblem<T> const& p;
  T unit = T(1);  ///< a power of two, times which norms are taken, so that no square overflows
  T threshold_squared = T(0);

  /// Of b - A y, times the unit: its square, and whether it is known to meet the threshold. The
  /// residual is in r.
  struct Residual {
    T squares;
    bool met, accurate = true;
    BATCHWORK_INLINE bool will_do() const { return met && accurate; }
  };

  /// \param accurate  becomes false where a row of the lane is not
  template <class Sum>
  BATCHWORK_INLINE void add_rows(T const* y, T (&sums)[2], [[maybe_unused]] bool& accurate) const {
    sums[0] = sums[1] = T(0);
    auto const finish = [&](Sum const& s, int i, int count) {
      T value, bound;
      finish_row(s, at.b[i], count, value, bound);
      if constexpr (std::is_same_v<Sum, MeasuredSum<T>>)
        accurate = accurate && is_row_accurate(value, s.products, T(at.b[i]), count);
      at.r[i] = value;
      T const v = value * unit, e = bound * unit;
      sums[0] += v * v;
      sums[1] += e * e;
    };
    auto const add = [&](Sum& s, AnyRow<T> const& row, int k) {
      int const j = row.column(k);
      if (unsigned(j) < unsigned(p.n)) s.add(row.number(k), y[j]);
    };
    if constexpr (shares_warp<At>) {
      at.template add_rows<Sum>(y, finish);
    } else if constexpr (has_item_alone<At>) {
      auto const entries = at.entries();
      // Some entries at a time, since additions wait for each other.
      for (int i = 0; i < p.n; ++i) {
        AnyRow<T> const row = p.a.row(entries.numbers, i);
        Sum first, second, third, fourth;
        int k = 0;
        if constexpr (std::is_same_v<Sum, BoundedSum<T>>) {
          if (row.columns == nullptr && row.step == 1 && !row.is_scaled_unit) {
            using Some = Pack<T, native_width<T>>;
            BoundedSum<Some> sum;
            for (; k + Some::width <= row.count; k += Some::width)
              sum.add(Some::load(row.place(k)), Some::load(y + k));
            first = sum_of_lanes(sum);
          }
        }
        for (; k + 4 <= row.count; k += 4)
          add(first, row, k), add(second, row, k + 1), add(third, row, k + 2),
              add(fourth, row, k + 3);
        for (; k < row.count; ++k) add(first, row, k);
        first.add(second), third.add(fourth), first.add(third);
        finish(first, i, row.count);
      }
    } else {
      auto const entries = at.entries();
      Sum s;
      entries.template for_rows<true, false>(
          [&] { s = Sum(); },
          [&](int, auto const& e) { s.add(e.there ? e.number : T(0), y[e.column_below(p.n)]); },
          [&](int i, int count) {
            join_lanes(s, entries.row_lanes);
            if (i < p.n && entries.rank % entries.row_lanes == 0) finish(s, i, count);
          });
    }
    at.sum(sums);
  }
  /// Plainly first, with a bound of the rounding; where that does not decide, or `exactly`, in
  /// twice the precision, which a step of refinement needs too. `exactly` becomes true where the
  /// bound alone is beyond the threshold, as it then will be for the next y, too. What comes out
  /// for an item that has `ended` is not asked for.
  BATCHWORK_INLINE Residual residual(T const* y, bool& exactly, bool ended) const {
    T sums[2];
    Residual found{T(0), false};
    bool undecided = exactly, accurate = true;
    if (any_beside(at, !ended && (checks || !exactly))) {
      add_rows<std::conditional_t<checks, MeasuredSum<T>, BoundedSum<T>>>(y, sums, accurate);
      if constexpr (checks) accurate = !at.any(!accurate);
      if (!exactly) {
        auto const known = Computed::of_product(sums[0], sums[1], p.n);
        found = {sums[0], Computed::clearly_meets(sums[0], sums[1], threshold_squared) ||
                              (sums[0] == T(0) && sums[1] == T(0)) ||
                              known.meets(threshold_squared, p.n)};
        undecided = !found.met && is_finite(sums[0]);
        exactly = undecided && known.rounding * known.rounding > threshold_squared;
      }
    }
    if (any_beside(at, !ended && undecided)) {
      add_rows<CompensatedSum<T>>(y, sums, accurate);
      if (undecided)
        found = {sums[0], Computed::of_compensated(sums[0], sums[1]).meets(threshold_squared, p.n)};
    }
    found.accurate = accurate;
    return found;
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
    SolveResult<T> result;
    Residual best{T(0), false};
    T before = T(0);
    bool exactly = false, ended = false;
    // The first solution and steps of refinement by one piece of code, which is long.
    BATCHWORK_KEEP_LOOP
    for (int step = 0;; ++step) {
      T* const to = step == 0 ? at.x : at.t;
      at.solve(first && step == 0, step == 0 ? at.b : at.r, to);
      if constexpr (shares_warp<At>) ended = ended || at.has_failed();
      if (step > 0) {
        at.for_each([&](int i) { to[i] += at.x[i]; });
        at.sync();
      }
      Residual const now = residual(to, exactly, ended);
      bool helped = true, halved = true;
      if (step > 0) {
        halved = now.squares < T(0.25) * before;
        helped = !ended && (now.will_do() || now.squares < before);
        if (helped) at.for_each([&](int i) { at.x[i] = to[i]; });
      }
      if (!ended) {
        if (helped) best = now;
        if (step == 0) before = best.squares;
        ended = best.will_do() || !halved || !helped || step >= p.refinements ||
                !is_finite(best.squares);
      }
      if (!any_beside(at, !ended)) break;
      if (!ended) {
        before = best.squares;
        result.iterations = step + 1;
      }
    }
    at.sync();
    if constexpr (checks) at.is_accurate = at.is_accurate && best.accurate;
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

/// The solution of right-hand side c, which is in at.b, and what is known of it. It is stored if
/// the item is there, or, of a single one that is kept, left in at.x. `first`: see DirectSteps.
template <class T, class At>
BATCHWORK_INLINE void solve_column(At& at, DirectProblem<T> const& p, std::int64_t item,
                                   bool is_there, bool keeps, bool first, int c,
                                   SolveResult<T>& all, std::int32_t& code) {
  bool finite = true;
  SolveResult<T> const one = DirectSteps<T, At>{at, p}.run(first);
  at.for_each([&](int i) { finite = finite && is_finite(at.x[i]); });
  add_column(all, one);
  if (at.any(!finite) || Status::reason(one.code) == Reason::not_finite)
    all = no_result<T>(code = Status::code(Reason::not_finite, 0));
  if (keeps || !is_there) return;
  T* const to = item_of(p.x, item) + std::int64_t(c) * p.x.col;
  at.for_each([&](int i) { to[i * p.x.row] = at.x[i]; });
}
/// Sets all solutions of an item to NaN.
template <class T, class At>
BATCHWORK_INLINE void fail_columns(At& at, DirectProblem<T> const& p, std::int64_t item,
                                   bool is_there, bool keeps) {
  T const nan = Kokkos::Experimental::quiet_NaN_v<T>;
  if (keeps) {
    at.for_each([&](int i) { at.x[i] = nan; });
  } else if (is_there) {
    T* const to = item_of(p.x, item);
    for (int c = 0; c < p.columns; ++c)
      at.for_each([&](int i) { to[i * p.x.row + std::int64_t(c) * p.x.col] = nan; });
  }
}

/// All right-hand sides of an item. `code` is the status of its elimination; items that failed get
/// NaN. The first right-hand side is in at.b, and `goes_along` with the elimination.
template <class T, class At>
BATCHWORK_INLINE SolveResult<T> solve_columns(At& at, DirectProblem<T> const& p, std::int64_t item,
                                              bool is_there, std::int32_t code, bool keeps,
                                              bool goes_along) {
  SolveResult<T> all;
  if (code != 0) all = no_result<T>(code);
  BATCHWORK_KEEP_LOOP
  for (int c = 0; c < p.columns && code == 0; ++c) {
    if (c > 0) {
      T const* const from = item_of(p.b, item) + std::int64_t(c) * p.b.col;
      at.sync();
      at.for_each([&](int i) { at.b[i] = from[i * p.b.row]; });
      at.sync();
    }
    solve_column(at, p, item, is_there, keeps, goes_along && c == 0, c, all, code);
  }
  if (code != 0) fail_columns(at, p, item, is_there, keeps);
  return all;
}

}  // namespace Batchwork::Impl

#endif
