// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ScaledSystem: the interface that a solver sees if systems are scaled: diag(l) A diag(r) y =
/// diag(l) b. The matrix and the vectors are not changed.
#ifndef BATCHWORK_SCALEDSYSTEM_HPP
#define BATCHWORK_SCALEDSYSTEM_HPP

#include <Kokkos_Core.hpp>
#include <type_traits>

#include "krylov/preconditioners/Batchwork_Preconditioner.hpp"
#include "krylov/solvers/Batchwork_ScaledSolver.hpp"
#include "krylov/solvers/detail/Batchwork_SolveLoop.hpp"
#include "krylov/verbs/detail/Batchwork_Exponents.hpp"

namespace Batchwork::Impl {

/// Squares of the norms of a residual.
template <class N>
struct ResidualNorms {
  N plain = N(scalar_t<N>(0));  ///< of b - A x
  N other = plain;              ///< weighted; scaled where there are no weights
  N scaled = plain;             ///< as the iteration has it
  N roundings = plain;          ///< a bound of the square of the error of the tested norm
};

/// Vectors in hosts' memory in addition to the vectors of a solve: three here and three of
/// solve_scaled.
inline constexpr int vectors_of_scaling = 6;

/// Base is SystemTeam, SystemThread or SystemPack.
template <class Base>
struct ScaledSystem : Base {
  using T = typename Base::Scalar;
  using N = typename Base::Number;
  using V = typename Base::Value;
  using Vector = typename Base::Vector;
  /// Products are treated as a functor's: solve_scaled confirms their results.
  static constexpr bool has_entries = false;
  static constexpr bool by_lanes = requires(Base const& at) { at.member; };

  SystemScaling<T> const& scaling;
  Vector left, right, spare;

  BATCHWORK_INLINE ScaledSystem(Base const& of, SystemScaling<T> const& s)
      : Base(of), scaling(s), left(this->vector()), right(this->vector()), spare(this->vector()) {
    this->for_each([&](int i) {
      left.set(i, V(T(1)));
      right.set(i, V(T(1)));
    });
  }

  /// Calls body(i) for rows one by one; number i of a vector is in its `data`.
  template <class Body>
  BATCHWORK_INLINE void for_each_row(Body const& body) const {
    if constexpr (std::is_same_v<N, V>) {
      this->for_each(body);
    } else {
      for (int i = 0; i < this->rows; ++i) body(i);
    }
  }
  BATCHWORK_INLINE N weight(int i) const {
    auto const& w = scaling.weights;
    if constexpr (by_lanes) {
      int const row = this->row_of(i);
      return row < this->rows ? Kokkos::abs(w.item(this->item.number)[row * w.of.row]) : T(1);
    } else if constexpr (requires(Base const& at) { at.item(0); }) {
      N x;
      for (int l = 0; l < Base::W; ++l)
        x.set_lane(l, Kokkos::abs(w.item(this->item(l))[i * w.of.row]));
      return x;
    } else {
      return Kokkos::abs(w.item(this->item.number)[i * w.of.row]);
    }
  }
  /// The factor of row i in the norm that is not the plain one.
  BATCHWORK_INLINE N factor_of_row(int i) const {
    return scaling.has_weights ? weight(i) : left.data[i];
  }

  using E = Exponents<T>;
  /// 2^-e for the exponent e of a largest magnitude, which may be the exponent of an empty line.
  template <class S>
  static BATCHWORK_INLINE S inverse_power(S const& e) {
    return select(e > S(-E::infinite()), E::power(E::within_most(-e)), S(T(1)));
  }
  template <class S>
  static BATCHWORK_INLINE S larger(S const& largest, S const& x) {
    return select((x > largest) & (x < S(E::infinite())), x, largest);
  }

  /// Finds the factors: for rows from their largest magnitudes, then for columns from the largest
  /// magnitudes that are left, as LAPACK's geequ does; of symmetric matrices from the
  /// diagonal, as its poequ.
  /// \param entries  entries(i, f) runs f(column, number) for the entries of row i
  template <class Entries>
  BATCHWORK_INLINE void find_factors(Vector const& diagonal, Entries const& entries) {
    if (!scaling.equilibrates) return take_weights();
    if (scaling.is_symmetric) {
      for_each_row([&](int i) {
        N const e = E::of(diagonal.data[i]);
        N const counts = select(diagonal.data[i] > N(T(0)) && e > N(-E::infinite()), e, N(T(0)));
        left.data[i] = right.data[i] = E::power(E::less_half(N(T(0)), counts));
      });
      return;
    }
    bool const by_rows = scaling.scaling != Scaling::columns,
               by_columns = scaling.scaling != Scaling::rows;
    if constexpr (by_lanes) find_by_lanes(by_rows, by_columns, entries);
    else find_alone(by_rows, by_columns, entries);
  }
  BATCHWORK_INLINE void take_weights() {
    for_each_row([&](int i) {
      N const w = weight(i);
      N const e = E::of(w);
      N const near = select(e > N(-E::infinite()), E::power(E::within_most(e)), N(T(1)));
      N const l = select((near < w) & (w < N(E::infinite())), near + near, near);
      left.data[i] = l;
      right.data[i] = scaling.is_symmetric ? l : N(T(1)) / l;
    });
  }
  template <class Entries>
  BATCHWORK_INLINE void find_alone(bool by_rows, bool by_columns, Entries const& entries) {
    N const none(T(0));
    for (int i = 0; by_columns && i < this->rows; ++i) right.data[i] = none;
    for (int i = 0; i < this->rows; ++i) {
      N largest = none;
      if (by_rows) entries(i, [&](int, N const& x) { largest = larger(largest, abs(x)); });
      N const l = by_rows ? inverse_power(E::of(largest)) : N(T(1));
      left.data[i] = l;
      if (by_columns)
        entries(i, [&](int j, N const& x) { right.data[j] = larger(right.data[j], abs(x) * l); });
    }
    for (int i = 0; by_columns && i < this->rows; ++i)
      right.data[i] = inverse_power(E::of(right.data[i]));
  }
  /// Lanes find the largest exponents of columns as integers in an exchange.
  template <class Entries>
  BATCHWORK_INLINE void find_by_lanes(bool by_rows, bool by_columns, Entries const& entries) {
    constexpr int nothing = -(1 << 20);
    T* const factors = this->exchange;
    int* const largest = reinterpret_cast<int*>(this->second_exchange());
    this->sync();
    for (int i = this->rank; i < this->rows; i += this->lanes) largest[i] = nothing;
    this->sync();
    for (int i = this->rank; i < this->rows; i += this->lanes) {
      T of_row = T(0);
      if (by_rows) entries(i, [&](int, T x) { of_row = larger(of_row, Kokkos::abs(x)); });
      T const l = by_rows ? inverse_power(E::of(of_row)) : T(1);
      factors[i] = l;
      if (by_columns)
        entries(i, [&](int j, T x) {
          T const e = E::of(x * l);
          if (e > T(Kokkos::atomic_load(largest + j))) Kokkos::atomic_max(largest + j, int(e));
        });
    }
    this->sync();
    for_each_row([&](int k) {
      int const i = this->row_of(k);
      if (i >= this->rows) return;
      left.data[k] = factors[i];
      if (by_columns && largest[i] != nothing) right.data[k] = inverse_power(T(largest[i]));
    });
    this->sync();
  }
  /// The diagonal of what is solved.
  template <class Diagonal>
  BATCHWORK_INLINE void scale_diagonal(Diagonal& diagonal) const {
    this->for_each([&](int i) { diagonal.set(i, left(i) * diagonal(i) * right(i)); });
  }

  BATCHWORK_INLINE void load_b(Vector& v) {
    Base::load_b(v);
    this->for_each([&](int i) { v.set(i, left(i) * v(i)); });
  }
  BATCHWORK_INLINE void load_x(Vector& v) {
    Base::load_x(v);
    this->for_each([&](int i) { v.set(i, v(i) / right(i)); });
  }
  template <class Mask>
  BATCHWORK_INLINE void store_x(Vector const& v, Mask const& stores) {
    Vector t = spare;
    this->for_each([&](int i) { t.set(i, right(i) * v(i)); });
    Base::store_x(t, stores);
  }
  BATCHWORK_INLINE void multiply(Vector& y, Vector const& x) {
    Vector t = spare;
    this->for_each([&](int i) { t.set(i, right(i) * x(i)); });
    Base::multiply(y, t);
    this->for_each([&](int i) { y.set(i, left(i) * y(i)); });
  }

  /// Part of a system's sum that a row adds to.
  static BATCHWORK_INLINE V part(N const& x) {
    if constexpr (std::is_same_v<N, V>) return x;
    else return Base::first_lane(x);
  }
  /// The residual of what x holds, in twice the precision where the matrix has entries: scaled in
  /// r, with its norms. x and b are loaded, unscaled.
  BATCHWORK_INLINE ResidualNorms<N> measure(Vector& r, Vector& x, Vector& b) {
    Base::load_b(b);
    Base::load_x(x);
    ResidualNorms<N> mine;
    auto const put = [&](int i, N const& value, N const& rounding) {
      N const other = factor_of_row(i), l = left.data[i];
      N const tested = scaling.tests_unscaled ? rounding : other * rounding;
      // A NaN in a column without entries counts.
      N const hidden = x.data[i] - x.data[i];
      mine.plain += value * value + hidden;
      mine.other += (other * value) * (other * value) + hidden;
      mine.scaled += (l * value) * (l * value) + hidden;
      mine.roundings += tested * tested;
      r.data[i] = l * value;
    };
    if constexpr (Base::has_entries) {
      Base::compensated_rows(b, x, put);
    } else {
      Base::multiply(r, x);
      for_each_row([&](int i) { put(i, b.data[i] - r.data[i], N(T(0))); });
    }
    V const parts[4] = {part(mine.plain), part(mine.other), part(mine.scaled),
                        part(mine.roundings)};
    N sums[4];
    this->sum(parts, sums);
    return {sums[0], sums[1], sums[2], sums[3]};
  }
  BATCHWORK_INLINE N tested(ResidualNorms<N> const& norms) const {
    return scaling.tests_unscaled ? norms.plain : norms.other;
  }
  /// The norms of b, but the scaled one.
  BATCHWORK_INLINE ResidualNorms<N> right_side(Vector& b) {
    Base::load_b(b);
    ResidualNorms<N> mine;
    for_each_row([&](int i) {
      N const x = b.data[i], other = factor_of_row(i) * x;
      mine.plain += x * x;
      mine.other += other * other;
    });
    V const parts[2] = {part(mine.plain), part(mine.other)};
    N sums[2];
    this->sum(parts, sums);
    return {sums[0], sums[1]};
  }
};

/// A preconditioner M of A for the scaled system: diag(1/r) M diag(1/l).
template <class Base, class M>
struct ScaledPreconditioner {
  static constexpr bool wants_diagonal = false, is_identity = false;
  M const& m;

  template <class Vector>
  BATCHWORK_INLINE void apply(ScaledSystem<Base>& at, Vector& z, Vector const& r) const {
    Vector t = at.spare;
    at.for_each([&](int i) { t.set(i, r(i) / at.left(i)); });
    m.apply(static_cast<Base&>(at), z, t);
    at.for_each([&](int i) { z.set(i, z(i) / at.right(i)); });
  }
};
/// None stays none, and what was made of the scaled diagonal is as it should be.
template <class Base, class M>
BATCHWORK_INLINE decltype(auto) scaled_preconditioner(ScaledSystem<Base> const&, M const& m) {
  if constexpr (M::is_identity || M::wants_diagonal) return (m);
  else return ScaledPreconditioner<Base, M>{m};
}

/// As solve_systems, and writes the other norm to the log. The solver iterates for the scaled
/// systems, by their plain residuals; what it ends with is tested here in the norm that was asked
/// for, in twice the precision. Where a solver's own test was met and this one is not, it goes on
/// to a smaller residual as long as that helps.
/// \param other  norm of the residual, weighted or scaled
template <class Method, class Base, class M>
BATCHWORK_INLINE SolveResult<typename Base::Number> solve_scaled(ScaledSystem<Base>& at, M const& m,
                                                                 Method& method,
                                                                 StoppingCriteria const& stop,
                                                                 typename Base::Number& other) {
  using T = typename Base::Scalar;
  using N = typename Base::Number;
  using V = typename Base::Value;
  using Mask = mask_t<N>;
  using Count = info_t<N>;
  using Computed = ComputedResidual<N>;
  constexpr auto code = [](Reason why) { return Count(Status::code(why, 0)); };
  N const none(T(0));
  auto r = at.vector(), u = at.vector(), best = at.vector(), now = at.vector(), b = at.vector();

  // Which systems can begin; all that have a residual want to.
  StoppingCriteria all = stop;
  all.tolerance = 0;
  at.load_b(r);
  at.load_x(u);
  auto state = begin_systems(at, all, r, u);
  auto& is = state.is;
  ResidualNorms<N> norms{state.best, state.best, state.best, none};
  auto const of_b = at.right_side(b);
  // With such a pattern there is no product, and b stands for b - A x, as in a solve that is not
  // scaled.
  Mask const flawed = state.code == code(Reason::invalid_pattern);
  norms.plain = select(flawed, of_b.plain, norms.plain);
  norms.other = select(flawed, of_b.other, norms.other);
  Mask const begins =
      state.code == code(Reason::success) || state.code == code(Reason::iteration_limit);
  N threshold = none;
  if (at.any(begins)) {
    N const right_side = at.tested(of_b);
    auto const start = at.measure(r, best, b);
    N const tested = at.tested(start);
    N reference = at.unit * at.unit;
    if (stop.relative_to == RelativeTo::right_side) reference = right_side;
    if (stop.relative_to == RelativeTo::start) {
      // The least that it may be.
      N const least = sqrt(tested) - sqrt(start.roundings);
      reference = select(least > none, least * least, none);
    }
    threshold = N(T(stop.tolerance) * T(stop.tolerance)) * reference;
    Mask const tested_fits = within_range(tested), right_side_fits = within_range(right_side);
    Mask const fails = begins & !(tested_fits & right_side_fits);
    Mask const meets = begins & (!fails) &
                       Computed::of_compensated(tested, start.roundings).meets(threshold, at.rows);
    Mask const wants = begins & (!fails) & (!meets);
    bool const may_iterate = at.there() && stop.most_iterations > 0;
    state.code =
        select(fails, code(Reason::not_finite),
               select(meets, code(Reason::success),
                      select(wants, code(may_iterate ? Reason::success : Reason::iteration_limit),
                             state.code)));
    is.running = wants & Mask(may_iterate);
    norms.plain = select(begins, start.plain, norms.plain);
    norms.other = select(begins, start.other, norms.other);
    norms.scaled = select(begins, start.scaled, norms.scaled);
    is.squared = state.squared = state.best = norms.scaled;
    // The scaled norm is the tested norm, or above it; otherwise both are assumed to fall alike.
    N const ratio = at.scaling.test_is_apart() ? start.scaled / tested : N(T(1));
    is.threshold_squared = select(wants, threshold * ratio, none);
    T const limit = T(stop.divergence_limit);
    is.divergence_squared = N(limit * limit) * norms.scaled;
  }

  [[maybe_unused]] auto const mark = [&] {
    if constexpr (requires { at.memory; }) return at.memory;
    else return 0;
  }();
  while (at.any(is.running)) {
    Mask const took = is.running;
    N const unit = at.unit;
    iterate_systems(at, m, method, stop, r, u, state);
    if (Mask const changed = at.unit != unit; at.any(changed)) [[unlikely]] {
      N const by = at.unit / unit;
      threshold = threshold * by * by;
      norms.plain = norms.plain * by * by;
      norms.other = norms.other * by * by;
      norms.scaled = norms.scaled * by * by;
      at.for_each([&](int i) { best.set(i, V(by) * best(i)); });
    }
    if constexpr (requires { at.memory; }) at.memory = mark;
    auto const after = at.measure(r, now, b);
    N const before = at.tested(norms), tested = at.tested(after);
    Mask const met =
        took & Computed::of_compensated(tested, after.roundings).meets(threshold, at.rows);
    Mask const helps = took & (met | (tested < before));
    at.for_each([&](int i) { best.set(i, select(helps, now(i), best(i))); });
    norms.plain = select(helps, after.plain, norms.plain);
    norms.other = select(helps, after.other, norms.other);
    norms.scaled = select(helps, after.scaled, norms.scaled);

    // The scaled residual becomes smaller each time, down to rounding. The tested one may get there
    // later.
    Mask const claims = took & (!met) & (state.code == code(Reason::success));
    Mask const may = is.iterations < Count(stop.most_iterations);
    Mask const goes_on = claims & may;
    state.code = select(met, code(Reason::success),
                        select(claims & (!may), code(Reason::iteration_limit), state.code));
    if (Mask const harmed = took & (!goes_on) & (!helps); any(harmed))
      static_cast<Base&>(at).store_x(best, harmed);
    if (any(goes_on)) {
      N const factor = N(T(0.25)) * (threshold / tested);
      N const less =
          select(after.scaled < is.threshold_squared, after.scaled, is.threshold_squared);
      is.threshold_squared = select(goes_on, less * factor, is.threshold_squared);
      state.squared = select(goes_on, after.scaled, state.squared);
      state.best = select(goes_on, after.scaled, state.best);
      is.begin_anew(goes_on);
    }
  }
  other = sqrt(norms.other) / at.unit;
  return {is.iterations, sqrt(is.squared) / at.unit, sqrt(norms.plain) / at.unit, state.code};
}

}  // namespace Batchwork::Impl

#endif
