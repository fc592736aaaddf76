// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// qr, least_squares: Householder's reflections of matrices of extents known at run time, in one
/// kernel each.
#ifndef BATCHWORK_QRVERBS_HPP
#define BATCHWORK_QRVERBS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "dense/decompositions/detail/Batchwork_DecompositionCall.hpp"
#include "dense/decompositions/detail/Batchwork_QrLaunch.hpp"
#include "launch/Batchwork_WorkspaceNumbers.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_OperandForms.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork {
namespace Impl {

/// The problem of a call, which is checked. q may be a, to be overwritten by Q or, in(A), to be
/// read alone.
template <class Exec, class A, class Q, class R, class S>
auto qr_problem(Call& call, A const& a_operand, Q const& q_operand, R const& r_operand,
                S const& end) {
  constexpr bool WithQ = kind_of<Q> != Kind::in, Same = kind_of<Q> == Kind::inout;
  auto const a = stored(a_operand);
  auto const q = stored(q_operand);
  auto const r = stored(r_operand);
  static_assert(require_decomposition_views<Exec, decltype(a), decltype(q), decltype(r)>());
  require_matrix<decltype(a)>();
  require_matrix<decltype(q)>();
  require_matrix<decltype(r)>();
  using T = typename decltype(r)::value_type;

  std::int64_t const least = std::min(a.rows, a.cols);
  constexpr std::size_t of_r = WithQ && !Same ? 2 : 1;
  call.add("a", Same, a);
  if constexpr (WithQ && !Same) call.add("q", true, q);
  call.add("r", true, r);
  QrProblem<T> f;
  f.status = status_and_workspace<Exec, T>(call, end);
  call.check({WithQ && !Same && same_numbers(q, a) && q.storage.row == a.storage.row, 0, 1});
  if (Same && a.rows < a.cols)
    call.fail(
        call.parts[0].name() +
        " has more columns than rows, so Q cannot be stored in it; give in(A), out(Q), out(R)");
  if (WithQ && !Same && !(q.rows == a.rows && (q.cols == least || q.cols == a.rows)))
    call.fail(call.parts[1].name() + " does not hold the orthogonal factor of " +
              call.parts[0].name() + "; give a View with items of " + std::to_string(a.rows) + "x" +
              std::to_string(least) +
              (least == a.rows ? ""
                               : " or, for the full factor, " + std::to_string(a.rows) + "x" +
                                     std::to_string(a.rows)));
  require_extents(call, of_r, r, least, a.cols, "the triangular factor");
  f.items = call.parts[0].d.items;
  f.m = whole_extent(call, 0, a.rows);
  f.n = whole_extent(call, 0, a.cols);
  f.a = {a.storage.as_const(), a.rows, a.cols};
  f.r = {r.storage, r.rows, r.cols};
  if constexpr (WithQ) {
    f.q = {q.storage, q.rows, q.cols};
    f.columns_of_q = int(q.cols);
  }
  return f;
}

template <class Exec, class A, class Q, class R, class S>
void qr_batch(Exec const& exec, Launch<> const& how, A const& a, Q const& q, R const& r,
              S const& end) {
  Call call{"qr", {}, how.label, how.kernel};
  auto const f = qr_problem<Exec>(call, a, q, r, end);
  using T = typename decltype(f)::number;
  QrLaunch<T, Exec>::run(exec, call, f, given_workspace<T>(end.workspace));
}

template <class Exec, class A, class B, class X, class S>
auto least_squares_problem(Call& call, A const& a_operand, B const& b_operand, X const& x_operand,
                           S const& end) {
  auto const a = stored(a_operand);
  auto const b = stored(b_operand);
  auto const x = stored(x_operand);
  static_assert(require_decomposition_views<Exec, decltype(a), decltype(b), decltype(x)>());
  require_matrix<decltype(a)>();
  static_assert(decltype(x)::tile_rank == decltype(b)::tile_rank && decltype(x)::tile_rank > 0,
                "Batchwork: b and x both hold vectors, v(item, row), or both several "
                "right-hand sides, v(item, row, column)");
  using T = typename decltype(x)::value_type;

  call.add("a", false, a);
  call.add("b", false, b);
  call.add("x", true, x);
  LeastSquaresProblem<T> f;
  f.status = status_and_workspace<Exec, T>(call, end);
  call.check();
  if (b.rows != a.rows)
    call.fail(call.parts[1].name() + " has " + std::to_string(b.rows) + " rows, but " +
              call.parts[0].name() + " has " + std::to_string(a.rows) +
              "; give right-hand sides of as many rows as the matrices");
  require_extents(call, 2, x, a.cols, b.cols, "a solution for each column of b");
  f.items = call.parts[0].d.items;
  // With more unknowns than equations reflections of the transpose.
  f.shortest = a.rows < a.cols;
  f.m = whole_extent(call, 0, std::max(a.rows, a.cols));
  f.n = whole_extent(call, 0, std::min(a.rows, a.cols));
  f.columns = whole_extent(call, 1, b.cols);
  auto from = a.storage.as_const();
  if (f.shortest) std::swap(from.row, from.col);
  f.a = {from, f.m, f.n};
  f.b = {b.storage.as_const(), b.rows, b.cols};
  f.x = {x.storage, x.rows, x.cols};
  return f;
}

template <>
struct CallOfVerb<Verb::qr>
    : OnOperands<CallOfVerb<Verb::qr>, Last::workspace, Form<Kinds<Kind::in, Kind::out>, 0, 0, 1>,
                 Form<Kinds<Kind::in, Kind::out, Kind::out>, 0, 1, 2>,
                 Form<Kinds<Kind::inout, Kind::out>, 0, 0, 1>> {
  static constexpr bool takes_padding = false;
  static void run(auto const&... x) { qr_batch(x...); }
};

template <>
struct CallOfVerb<Verb::least_squares>
    : OnOperands<CallOfVerb<Verb::least_squares>, Last::workspace,
                 Form<Kinds<Kind::in, Kind::in, Kind::out>, 0, 1, 2>> {
  static constexpr bool takes_padding = false;
  template <class Exec, class A, class B, class X, class S>
  static void run(Exec const& exec, Launch<> const& how, A const& a, B const& b, X const& x,
                  S const& end) {
    Call call{"least_squares", {}, how.label, how.kernel};
    auto const f = least_squares_problem<Exec>(call, a, b, x, end);
    using T = typename decltype(f)::number;
    LeastSquaresLaunch<T, Exec>::run(exec, call, f, given_workspace<T>(end.workspace));
  }
};

}  // namespace Impl

/// The QR factors of a batch: A_n = Q_n R_n for every item n, A_n being M x N, Q_n orthogonal and
/// R_n upper triangular; K = min(M, N).
///
/// \code
/// qr(exec, in(A), out(Q), out(R), status(codes));
/// qr(exec, in(A), out(R));                        // R alone
/// qr(exec, inout(A), out(R));                     // Q overwrites A; for M >= N
/// \endcode
///
/// R is K x N, with zeros below its diagonal. Diagonal entries may be negative, as from LAPACK's
/// geqrf. Q is M x K, or M x M if the View is that large. float or double. Views have the item
/// first, v(item, i, j), in LayoutLeft, LayoutRight or LayoutStride, or are compact(view, n);
/// transposed(...) around one of them takes the transposes of its items.
///
/// Limits: M and N are known at run time. On devices the larger one of A and Q has to fit into team
/// scratch: on an H200 with Kokkos 5.2 square matrices to 224 rows in float and 159 in double, on
/// hosts to 514 and 363. Larger items, with extents to 32767, need workspace(view) with
/// workspace_numbers<Verb::qr>(...) elements; smaller ones ignore it. The last few sizes that fit
/// (from 217 and 153 on) do not need a workspace, but are much faster with one.
///
/// Status, for each item: 0, or Reason::not_finite with the 1-based index of the first column of R
/// that is not finite. Q and R of such an item are NaN. A matrix without full rank is no failure.
/// Other items are bitwise the same as without the failure.
///
/// One kernel, labelled Batchwork::qr or Batchwork::qr(label). Asynchronous, allocates nothing,
/// never fences. With 0 items nothing is launched. For M x 0, Q is the identity if it is M x M.
///
/// Cost: 2 N^2 (M - N / 3) operations an item for M >= N, and as many again for Q.
///
/// Source: Householder reflections (Golub and Van Loan, Matrix Computations, 4th edition, section
/// 5.2; LAPACK's geqr2, geqrt and org2r). Matrices of up to 8 rows and columns are computed in
/// registers, by a lane or in packs of items. On devices with warp shuffles, lanes of a warp share
/// matrices of up to 32 rows and columns, and 1 to 4 warps share matrices of up to 96. They cost as
/// much as the next size of 12, 16, 24, 32, 48, 64 and 96. Larger ones are computed by panels of
/// eight reflections, in team scratch and beyond that in the workspace. Within a sequence, for
/// constant extents to 32 (hosts 64), use qr(tile).
///
/// \param exec   execution space instance; optional, as launch("label")
/// \param A      in(v): the matrices; or inout(v) for A and Q
/// \param Q      out(v), optional: the orthogonal factors
/// \param R      out(v): the triangular factors
/// \param codes  status(codes), optional: integers of 32 or 64 bits
/// \param view   workspace(view), optional
/// \throws std::invalid_argument before the launch: extents or numbers of items that do not fit
///         together, inout(A) with M < N, null Views, too few groups, Views that overlap other than
///         in place, a workspace that overlaps a View; items that are too large, without a
///         workspace or with one that is too small (the message says how many elements it needs)
template <Impl::BeginsCall First, class... Rest>
void qr(First const& first, Rest const&... rest) {
  static_assert(Impl::Takes<Impl::CallOfVerb<Verb::qr>, First, Rest...>,
                "Batchwork::qr: the arguments are [exec,] [launch(\"label\"),] in(A), out(Q), "
                "out(R) [, status(codes)] [, workspace(view)] in this order, or in(A), out(R) "
                "without Q, or inout(A), out(R) to store Q in A");
  Impl::call_verb(Impl::CallOfVerb<Verb::qr>(), first, rest...);
}

/// The x_n for which |A_n x_n - b_n| is smallest, for every item n, A_n being M x N of full rank.
/// For M < N: the shortest x_n with A_n x_n = b_n. LAPACK's gels.
///
/// \code
/// least_squares(exec, in(A), in(b), out(x), status(codes));
/// \endcode
///
/// B and X hold vectors, v(item, i), or C right-hand sides, v(item, i, c); B has M rows and X has
/// N. Nothing is computed in place. For layouts, workspace, label and errors see qr. Some
/// right-hand sides are kept beside A, so the limits of M and N are a little lower than in qr.
///
/// Status, for each item: 0, or a reason. Reason::not_finite with a 1-based column, as from qr.
/// Reason::singular with the 1-based index of the first diagonal entry of R that is exactly zero;
/// for M < N, R is the factor of the transpose. Of such items all of X is NaN. If only a result is
/// not finite, Reason::not_finite with an info of 0. Rounding may hide that a rank is not full: use
/// svd(tile).solve(b) for such matrices. Without equations, unknowns or right-hand sides X is zero
/// and the status 0, as from gels.
///
/// Cost: 2 N^2 (M - N / 3) operations an item for M >= N, and 4 M N + N^2 for each right-hand side.
///
/// Source: Golub and Van Loan, Matrix Computations, 4th edition, sections 5.3 and 5.6. To 8 rows
/// and columns in registers, as qr; to 32 in team scratch; larger matrices by panels, as qr.
///
/// \param exec   execution space instance; optional, as launch("label")
/// \param A      in(v): the matrices
/// \param B      in(v): the right-hand sides
/// \param X      out(v): the solutions
/// \param codes  status(codes), optional: integers of 32 or 64 bits
/// \param view   workspace(view), optional
/// \throws std::invalid_argument as qr does, and for right-hand sides or solutions that do not fit
template <Impl::BeginsCall First, class... Rest>
void least_squares(First const& first, Rest const&... rest) {
  static_assert(Impl::Takes<Impl::CallOfVerb<Verb::least_squares>, First, Rest...>,
                "Batchwork::least_squares: the arguments are [exec,] [launch(\"label\"),] in(A), "
                "in(B), out(X) [, status(codes)] [, workspace(view)] in this order");
  Impl::call_verb(Impl::CallOfVerb<Verb::least_squares>(), first, rest...);
}

}  // namespace Batchwork

#endif
