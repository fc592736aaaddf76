// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// solve_tridiagonal: the solutions of a batch of tridiagonal systems, in one kernel.
#ifndef BATCHWORK_TRIDIAGONAL_HPP
#define BATCHWORK_TRIDIAGONAL_HPP

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "banded/detail/Batchwork_TridiagonalCommonLaunch.hpp"
#include "banded/detail/Batchwork_TridiagonalLaunch.hpp"
#include "banded/detail/Batchwork_TridiagonalProblem.hpp"
#include "core/detail/Batchwork_CopyGroup.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"

namespace Batchwork {

/// The type of partial_pivoting(): rows are exchanged for the largest pivot.
struct PartialPivoting {};
/// An option of solve_tridiagonal, after x: rows are exchanged for the largest pivot, as in
/// LAPACK's gtsv. For matrices that are neither diagonally dominant nor symmetric and positive
/// definite.
///
/// \code
/// solve_tridiagonal(exec, lower, diagonal, upper, b, x, partial_pivoting(), status(codes));
/// \endcode
inline PartialPivoting partial_pivoting() { return {}; }

namespace Impl {

/// The operands are lower, diagonal, upper, b, x and perhaps status.
inline void check_bands(Call const& call, std::size_t place, std::int64_t rows,
                        std::int64_t wanted) {
  if (rows != wanted)
    call.fail(call.parts[place].name() + " has " + std::to_string(rows) + " rows, but " +
              call.parts[1].name() + " has " + std::to_string(wanted) +
              "; give all bands, b and x the same number of rows");
}

/// The rows of the diagonal, which all operands of a call have. \param rows  as the parts of the
/// call
inline int rows_of_system(Call const& call, std::array<std::int64_t, 5> const& rows) {
  for (std::size_t const place : {0, 2, 3, 4}) check_bands(call, place, rows[place], rows[1]);
  if (rows[1] > most_tridiagonal_rows)
    call.fail(call.parts[1].name() + " has " + std::to_string(rows[1]) +
              " rows, more than the limit of " + std::to_string(most_tridiagonal_rows) +
              "; solve them one by one with a library for large systems");
  return int(rows[1]);
}

/// The Views of a call hold vectors of one type of numbers, and the execution space can reach them.
/// A value, so that this is what the compiler says first.
template <class Exec, class X, class... Others>
constexpr bool require_tridiagonal_views() {
  using T = typename X::value_type;
  require_kernels<KernelSet::solvers, Exec>();
  static_assert(X::tile_rank == 1 && ((Others::tile_rank == 1) && ...),
                "Batchwork::solve_tridiagonal: the bands, b and x need Views v(item, row), or "
                "compact(view, n) of Views v(group, row, lane)");
  static_assert(!std::is_const_v<T>, "Batchwork: a const View cannot be written");
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "Batchwork::solve_tridiagonal takes float or double");
  static_assert((std::is_same_v<T, std::remove_const_t<typename Others::value_type>> && ...),
                "Batchwork: all Views of a call hold the same type of numbers");
  require_reachable<(
      Kokkos::SpaceAccessibility<Exec, typename X::memory_space>::accessible &&
      (Kokkos::SpaceAccessibility<Exec, typename Others::memory_space>::accessible && ...))>();
  return true;
}

/// The problem of a call, after its checks. The bands are batches, or those of one matrix.
template <class Problem, class Exec, class L, class D, class U, class B, class X, class S>
Problem tridiagonal_problem(Call& call, L const& l, D const& d, U const& u, B const& b, X const& x,
                            S const& codes) {
  static_assert(require_tridiagonal_views<Exec, X, L, D, U, B>());
  constexpr bool is_common = requires { typename Problem::Band; };
  call.add(is_common ? "common lower" : "lower", false, l);
  call.add(is_common ? "common diagonal" : "diagonal", false, d);
  call.add(is_common ? "common upper" : "upper", false, u);
  call.add("b", false, b);
  call.add("x", true, x);
  Problem p;
  p.status = status_target<Exec>(call, codes);
  p.items = call.check(
      {same_numbers(x, b), 3, 4, "x may be b, the same View; otherwise give x a View of its own"});
  p.n = rows_of_system(call, {l.rows, d.rows, u.rows, b.rows, x.rows});
  auto const band = [](auto const& of) {
    if constexpr (is_common) return typename Problem::Band{of.storage.data, of.storage.row};
    else return of.storage.as_const();
  };
  p.lower = band(l);
  p.diagonal = band(d);
  p.upper = band(u);
  p.b = b.storage.as_const();
  p.x = x.storage;
  return p;
}

template <TridiagonalPivots Pivots, class Exec>
void solve_tridiagonal_batch(Exec const& exec, std::string const& label, auto const& l,
                             auto const& d, auto const& u, auto const& b, auto const& x,
                             auto const& codes) {
  auto const solution = stored(x);
  using T = typename decltype(solution)::value_type;
  Call call{"solve_tridiagonal", {}, label};
  TridiagonalLaunch<T, Pivots, Exec>::run(
      exec, call,
      tridiagonal_problem<TridiagonalProblem<T>, Exec>(call, stored(l), stored(d), stored(u),
                                                       stored(b), solution, codes));
}

/// common(view), a band without an item index.
template <class V, Structure St, bool IsCompact, int... E, BatchIndices Indices>
auto stored_band(Operand<Kind::common, Source<Adapted<V, St, IsCompact, E...>, Indices>> const& o) {
  static_assert(V::rank() == 1 && !IsCompact && St == Structure::general,
                "Batchwork::solve_tridiagonal: a band of common(...) is a View v(row)");
  V const& v = o.source.view;
  StoredBatch<typename V::value_type, 1, typename V::memory_space> b{
      {v.data(), 1, 0, 0, std::int64_t(v.stride(0)), 0},
      std::int64_t(v.extent(0)),
      1,
      describe_view(v)};
  b.description.shape = std::to_string(b.rows);
  return b;
}

/// One matrix for all items.
template <class Exec>
void solve_tridiagonal_by_common(Exec const& exec, std::string const& label, auto const& l,
                                 auto const& d, auto const& u, auto const& b, auto const& x,
                                 auto const& codes) {
  auto const solution = stored(x);
  using T = typename decltype(solution)::value_type;
  Call call{"solve_tridiagonal", {}, label};
  TridiagonalCommonLaunch<T, Exec>::run(
      exec, call,
      tridiagonal_problem<TridiagonalCommonProblem<T>, Exec>(
          call, stored_band(l), stored_band(d), stored_band(u), stored(b), solution, codes));
}

template <class X>
concept CommonBand = kind_of<X> == Kind::common;

struct SolveTridiagonalCall {
  template <class Exec, CommonBand L, CommonBand D, CommonBand U, Viewish B, Viewish X,
            StatusOrNone S = NoStatus>
  void operator()(Exec const& exec, Launch<> const& how, L const& lower, D const& diagonal,
                  U const& upper, B const& b, X const& x, S const& codes = {}) const {
    solve_tridiagonal_by_common(exec, label_alone(how), lower, diagonal, upper, b, x, codes);
  }
  template <class Exec, Viewish L, Viewish D, Viewish U, Viewish B, Viewish X,
            StatusOrNone S = NoStatus>
  void operator()(Exec const& exec, Launch<> const& how, L const& lower, D const& diagonal,
                  U const& upper, B const& b, X const& x, S const& codes = {}) const {
    solve_tridiagonal_batch<TridiagonalPivots::as_they_stand>(exec, label_alone(how), lower,
                                                              diagonal, upper, b, x, codes);
  }
  template <class Exec, Viewish L, Viewish D, Viewish U, Viewish B, Viewish X,
            StatusOrNone S = NoStatus>
  void operator()(Exec const& exec, Launch<> const& how, L const& lower, D const& diagonal,
                  U const& upper, B const& b, X const& x, PartialPivoting const&,
                  S const& codes = {}) const {
    solve_tridiagonal_batch<TridiagonalPivots::largest>(exec, label_alone(how), lower, diagonal,
                                                        upper, b, x, codes);
  }
};

}  // namespace Impl

/// The solutions of a batch of tridiagonal systems, for every item n and row i: lower(n, i) x(n, i
/// - 1) + diagonal(n, i) x(n, i) + upper(n, i) x(n, i + 1) = b(n, i).
///
/// \code
/// solve_tridiagonal(exec, lower, diagonal, upper, b, x, status(codes));
/// solve_tridiagonal(exec, lower, diagonal, upper, x, x);  // in place
/// solve_tridiagonal(exec, lower, diagonal, upper, b, x, partial_pivoting(), status(codes));
/// solve_tridiagonal(exec, common(l), common(d), common(u), b, x, status(codes));  // l(row), ...
/// \endcode
///
/// With common(...) one matrix, three Views v(row), holds for all items. It is factorised in the
/// kernel, once for many items, without exchanges; each item gets its status. Only b is read and x
/// written for an item.
///
/// All five are Views v(item, row) in LayoutLeft, LayoutRight or LayoutStride, or compact(v, n),
/// each in its own layout, with the same number of rows, at most 4096. float or double. lower(n, 0)
/// and upper(n, rows - 1) are not used and may hold anything, as in cuSPARSE's gtsv2. (In LAPACK's
/// gtsv the lower band begins with row 1.) Only x is written; it may be the View `b`.
///
/// Without partial_pivoting() rows are not exchanged. That is accurate for matrices that are
/// diagonally dominant or symmetric and positive definite. Other matrices may get
/// Reason::inaccurate: solve them again with partial_pivoting(), which on hosts takes 1.1 to 2.5
/// times the time, and on devices with a status puts x into the equations too.
///
/// Status, for each item: 0, or a reason and a 1-based row. Reason::breakdown: a pivot is zero, or
/// so small that its reciprocal may overflow; all of x is NaN. Reason::not_finite: a pivot is NaN
/// or infinite, and all of x is NaN; or with an info of 0, only a number of x is not finite.
/// Reason::inaccurate: numbers grew, and x is stored. Other items are bitwise the same as without
/// the failure. Where lanes of a device share an item, its rows are eliminated in another order
/// than from first to last: other pivots may then be zero, and the status has the row of the first
/// bad one in that order.
///
/// Accuracy: if the code is 0, |b - A x| <= 128 eps |A| |x|, unless numbers underflow; |A| is the
/// largest sum of a row, |x| the largest number.
///
/// One kernel, labelled Batchwork::solve_tridiagonal or Batchwork::solve_tridiagonal(label).
/// Asynchronous, allocates nothing, never fences. With 0 items nothing is launched; with 0 rows
/// every status is 0. A host's thread needs up to 0.5 MB of stack, with partial pivoting 0.8 MB.
///
/// Cost: about 8 operations a row, and a division; every number is read once and written once.
///
/// Source: the Thomas algorithm on hosts, by packs of items. On devices the same by one lane an
/// item, if neighbouring items are contiguous, to 64 rows in float and 32 in double. Otherwise the
/// partition method with cyclic reduction, by lanes that share an item (Wang 1981; Laszlo, Giles
/// and Appleyard 2016).
///
/// \param exec      execution space instance; optional, as launch("label")
/// \param lower     the band below the diagonal; or common(v), as the other two
/// \param diagonal  the diagonal
/// \param upper     the band above the diagonal
/// \param b         the right-hand sides
/// \param x         the solutions
/// \param pivoting  partial_pivoting(), optional
/// \param codes     status(codes), optional: integers of 32 or 64 bits
/// \throws std::invalid_argument before the launch: numbers of rows or items that differ, too many
///         rows, null Views, too few groups, Views that overlap other than in place
template <class... X>
void solve_tridiagonal(X const&... arguments) {
  static_assert(
      Impl::Takes<Impl::SolveTridiagonalCall, X...>,
      "Batchwork::solve_tridiagonal: the arguments are [exec,] [launch(\"label\"),] lower, "
      "diagonal, upper, b, x [, partial_pivoting()] [, status(codes)] in this order; all five "
      "are "
      "Views, without in(...) and out(...)");
  Impl::call_verb(Impl::SolveTridiagonalCall(), arguments...);
}

}  // namespace Batchwork

#endif
