// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// cholesky, solve_cholesky, solve_lower, solve_upper: single operations on matrices of extents
/// known at run time, one kernel each.
#ifndef BATCHWORK_CHOLESKYVERBS_HPP
#define BATCHWORK_CHOLESKYVERBS_HPP

#include <string>
#include <type_traits>
#include <utility>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleLaunch.hpp"
#include "dense/common/detail/Batchwork_CommonCall.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_OperandForms.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"

namespace Batchwork {
namespace Impl {

/// True, or the compiler says that the Views of a call hold several types of numbers, or where the
/// execution space cannot reach them.
template <class Exec, class Result, class... Others>
constexpr bool require_triangle_views() {
  using T = typename Result::value_type;
  require_kernels<KernelSet::dense, Exec>();
  static_assert(!std::is_const_v<T>, "Batchwork: a const View cannot be written");
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "Batchwork: cholesky, solve_cholesky, solve_lower and solve_upper take float or "
                "double");
  static_assert((std::is_same_v<T, std::remove_const_t<typename Others::value_type>> && ...),
                "Batchwork: all Views of a call hold the same type of numbers; give all of them in "
                "float, or all in double");
  require_reachable<(
      Kokkos::SpaceAccessibility<Exec, typename Result::memory_space>::accessible &&
      (Kokkos::SpaceAccessibility<Exec, typename Others::memory_space>::accessible && ...))>();
  return true;
}

/// The problem of a call, which is checked; its n, columns and items are not set. a and the result
/// l may be the same operand.
template <class Exec, class A, class L, class S>
auto cholesky_problem(Call& call, A const& a_operand, L const& l_operand, S const& end) {
  constexpr bool InPlace = kind_of<L> == Kind::inout;
  auto const a = stored(a_operand);
  auto const l = stored(l_operand);
  static_assert(require_triangle_views<Exec, std::remove_const_t<decltype(l)>,
                                       std::remove_const_t<decltype(a)>>());
  require_matrix<decltype(l)>();
  require_matrix<decltype(a)>();
  using T = typename decltype(l)::value_type;

  call.add("a", InPlace, a);
  if (!InPlace) call.add("l", true, l);
  TriangleProblem<T> p;
  p.status = status_target<Exec>(call, end.status);
  call.check({!InPlace && same_numbers(l, a), 0, 1});
  call.check_square(0, a.rows, a.cols);
  if (l.rows != a.rows || l.cols != a.cols)
    call.fail(call.parts[1].name() + " does not hold the factor of " + call.parts[0].name() +
              "; give a View with items of " + call.parts[0].d.shape);
  p.a = a.storage.as_const();
  p.l = l.storage;
  p.stores_factor = true;
  return p;
}

template <class Exec, class A, class L, class S>
void cholesky_batch(Exec const& exec, Launch<> const& how, A const& a, L const& l, S const& end) {
  Call call{"cholesky", {}, how.label, how.kernel};
  auto const p = cholesky_problem<Exec>(call, a, l, end);
  using T = typename decltype(p)::number;
  TriangleLaunch<T, TriangleTask::factors, Exec>::run(exec, call, stored(a).rows, 0, p);
}

/// By what is solved: by the Cholesky factor of the matrices, or by one of their triangles.
enum class SolvedBy { cholesky, lower, upper };

/// The same for systems. b and the solutions x may be the same operand.
template <SolvedBy By, class Exec, class A, class B, class X, class S>
auto solve_triangle_problem(Call& call, A const& a_operand, B const& b_operand, X const& x_operand,
                            S const& end) {
  constexpr bool is_turned = requires { a_operand.operand; }, Factors = By == SolvedBy::cholesky,
                 is_upper = By == SolvedBy::upper, InPlace = kind_of<X> == Kind::inout;
  auto const a = [&] {
    if constexpr (is_turned) return stored(a_operand.operand);
    else return stored(a_operand);
  }();
  auto const b = stored(b_operand);
  auto const x = stored(x_operand);
  static_assert(
      require_triangle_views<Exec, std::remove_const_t<decltype(x)>,
                             std::remove_const_t<decltype(a)>, std::remove_const_t<decltype(b)>>());
  require_matrix<decltype(a)>();
  static_assert(decltype(x)::tile_rank == decltype(b)::tile_rank && decltype(x)::tile_rank > 0,
                "Batchwork: b and x both hold vectors, v(item, row), or both several right-hand "
                "sides, v(item, row, column)");
  using T = typename decltype(x)::value_type;

  call.add(Factors ? "a" : is_upper ? "u" : "l", false, a);
  call.add("b", InPlace, b);
  if (!InPlace) call.add("x", true, x);
  TriangleProblem<T> p;
  p.status = status_target<Exec>(call, end.status);
  call.check({!InPlace && same_numbers(x, b) && x.storage.row == b.storage.row, 1, 2});
  call.check_square(0, a.rows, a.cols);
  call.check_right_hand_sides(a, b, x);
  p.a = a.storage.as_const();
  // The factor of A' = A read from the other triangle; U is the transpose of a lower one.
  if ((Factors && is_turned) || is_upper) std::swap(p.a.row, p.a.col);
  p.b = b.storage.as_const();
  p.x = x.storage;
  p.forward = Factors || is_turned == is_upper;
  p.backward = Factors || is_turned != is_upper;
  return p;
}

template <SolvedBy By, class Exec, class A, class B, class X, class S>
void solve_triangle_batch(Exec const& exec, Launch<> const& how, A const& a, B const& b, X const& x,
                          S const& end) {
  constexpr bool factors = By == SolvedBy::cholesky;
  Call call{factors                 ? "solve_cholesky"
            : By == SolvedBy::upper ? "solve_upper"
                                    : "solve_lower",
            {},
            how.label,
            how.kernel};
  auto const p = solve_triangle_problem<By, Exec>(call, a, b, x, end);
  using T = typename decltype(p)::number;
  constexpr auto task = factors ? TriangleTask::factors : TriangleTask::solutions;
  TriangleLaunch<T, task, Exec>::run(exec, call, stored(b).rows, stored(b).cols, p);
}

struct CholeskyCall : OnOperands<CholeskyCall, Last::status, Form<Kinds<Kind::in, Kind::out>, 0, 1>,
                                 Form<Kinds<Kind::inout>, 0, 0>> {
  static constexpr bool takes_padding = true;
  static void run(auto const&... x) { cholesky_batch(x...); }
};
template <SolvedBy By>
struct SolveTriangleCall : OnOperands<SolveTriangleCall<By>, Last::status,
                                      Form<Kinds<Kind::in, Kind::in, Kind::out>, 0, 1, 2>,
                                      Form<Kinds<Kind::in, Kind::inout>, 0, 1, 1>,
                                      Form<Kinds<Kind::common, Kind::in, Kind::out>, 0, 1, 2>,
                                      Form<Kinds<Kind::common, Kind::inout>, 0, 1, 1>> {
  static constexpr bool takes_padding = true;
  template <class A>
  static void run(auto const& exec, auto const& how, A const& a, auto const&... x) {
    constexpr auto matrix = By == SolvedBy::cholesky ? CommonMatrix::symmetric
                            : By == SolvedBy::lower  ? CommonMatrix::lower
                                                     : CommonMatrix::upper;
    constexpr char const* verb = By == SolvedBy::cholesky ? "solve_cholesky"
                                 : By == SolvedBy::lower  ? "solve_lower"
                                                          : "solve_upper";
    if constexpr (kind_of<A> == Kind::common) solve_by_common<matrix>(exec, how, verb, a, x...);
    else solve_triangle_batch<By>(exec, how, a, x...);
  }
};

}  // namespace Impl

/// The Cholesky factors of a batch: A_n = L_n L_n' for every item n, A_n being N x N, symmetric and
/// positive definite.
///
/// \code
/// cholesky(exec, in(A), out(L), status(codes));
/// cholesky(exec, inout(A));                                   // the factors overwrite A
/// cholesky(exec, in(transposed(A)), out(transposed(U)));      // upper triangles: A_n = U_n' U_n
/// \endcode
///
/// The lower triangle of A is read, of transposed(A) the upper one. L is stored with zeros above
/// its diagonal; out(transposed(v)) stores the upper factor L'. float or double. Views have the
/// item first, v(item, i, j), in LayoutLeft, LayoutRight or LayoutStride, or are compact(view, n).
///
/// Limits: N is known at run time. On devices team scratch limits it: on an H200 with Kokkos 5.2 to
/// 312 in float and 216 in double, with Kokkos 4.6 to 136 and 96. On hosts it is at most 256;
/// beyond 128 rows a thread needs 0.6 MB of stack.
///
/// Status, for each item: 0, or a reason and the 1-based index of the pivot, LAPACK's info.
/// Reason::not_positive_definite: a pivot is not positive or not a normal number.
/// Reason::not_finite: a pivot is NaN or infinite. Columns of L before the pivot are then correct,
/// the others NaN. Other items are bitwise the same as without the failure. The status is written
/// for N = 0 too.
///
/// One kernel, labelled Batchwork::cholesky or Batchwork::cholesky(label). Asynchronous, allocates
/// nothing, never fences. With 0 items nothing is launched.
///
/// Cost: N^3 / 3 operations an item.
///
/// Source: Golub and Van Loan, Matrix Computations, 4th edition, section 4.2; LAPACK's potrf. On
/// devices one lane has an item of up to 8 rows in registers, as cholesky(tile). 8 to 32 lanes of a
/// warp have one of up to 64 rows (left-looking, panels of eight columns). A team has a larger one
/// (right-looking). On hosts a thread has one. Within a sequence, for constant extents to 64, use
/// cholesky(tile).
///
/// \param exec   execution space instance; optional, as launch("label")
/// \param A      in(v): the matrices; or inout(v) for A and L
/// \param L      out(v): the factors
/// \param codes  status(codes), optional: integers of 32 or 64 bits
/// \throws std::invalid_argument before the launch: matrices that are not square, extents or
///         numbers of items that differ, items that are too large, null Views, too few groups,
///         Views that overlap other than in place
template <Impl::BeginsCall First, class... Rest>
void cholesky(First const& first, Rest const&... rest) {
  static_assert(Impl::Takes<Impl::CholeskyCall, First, Rest...>,
                "Batchwork::cholesky: the arguments are [exec,] [launch(\"label\"),] in(A), out(L) "
                "[, status(codes)] in this order, or inout(A) instead of both");
  Impl::call_verb(Impl::CholeskyCall(), first, rest...);
}

/// The solutions of A_n X_n = B_n for every item n, A_n being N x N, symmetric and positive
/// definite: LAPACK's posv. Factorisation and substitutions are one kernel; the factor does not
/// leave the chip.
///
/// \code
/// solve_cholesky(exec, in(A), in(b), out(x), status(codes));
/// solve_cholesky(exec, in(A), inout(b));  // the solutions overwrite b
/// solve_cholesky(exec, common(M), in(b), out(x), status(codes));  // one matrix M(i, j) for all
/// \endcode
///
/// The lower triangle of A is read, of transposed(A) the upper one. B and X hold vectors, v(item,
/// i), or K right-hand sides, v(item, i, k); K is at most 2^20. For layouts, limits of hosts, label
/// and errors see cholesky. On an H200 with Kokkos 5.2 N is at most 312 in float and 216 in double,
/// with Kokkos 4.6 136 and 88. For common(M) see solve_lu.
///
/// Status: as from cholesky, and all of X of such an item is NaN. If only a result is not finite,
/// Reason::not_finite with an info of 0. Without right-hand sides the factorisation still gives the
/// status, as in posv.
///
/// Cost: N^3 / 3 + 2 N^2 K operations an item.
///
/// \param exec   execution space instance; optional, as launch("label")
/// \param A      in(v): the matrices; or common(v) for one matrix v(i, j)
/// \param B      in(v): the right-hand sides; or inout(v) for B and X
/// \param X      out(v): the solutions, as large as B
/// \param codes  status(codes), optional: integers of 32 or 64 bits
/// \throws std::invalid_argument as cholesky does, and for right-hand sides that do not fit
template <Impl::BeginsCall First, class... Rest>
void solve_cholesky(First const& first, Rest const&... rest) {
  static_assert(Impl::Takes<Impl::SolveTriangleCall<Impl::SolvedBy::cholesky>, First, Rest...>,
                "Batchwork::solve_cholesky: the arguments are [exec,] [launch(\"label\"),] in(A) "
                "or common(A), in(B), "
                "out(X) [, status(codes)] in this order, or inout(B) instead of both");
  Impl::call_verb(Impl::SolveTriangleCall<Impl::SolvedBy::cholesky>(), first, rest...);
}

/// The solutions of L_n X_n = B_n for every item n, L_n being N x N and lower triangular; with
/// transposed(L) the solutions of L_n' X_n = B_n. LAPACK's trtrs. Entries above the diagonal are
/// not used.
///
/// \code
/// cholesky(exec, in(A), out(L));                   // once
/// solve_lower(exec, in(L), in(b), out(x));         // L_n y_n = b_n; y is stored in x
/// solve_lower(exec, in(transposed(L)), inout(x));  // L_n' x_n = y_n: then A_n x_n = b_n
/// \endcode
///
/// For B, X, layouts and limits see solve_cholesky, for common(L) see solve_lu.
///
/// Status, for each item: 0, or a reason and the 1-based index of the diagonal entry, LAPACK's
/// info; if there are several, the smallest. Reason::breakdown: it is zero, or its reciprocal may
/// overflow. Reason::not_finite: it is NaN or infinite. That number of X, and all that are computed
/// from it, are NaN. Without right-hand sides the status is written too.
///
/// Cost: N^2 K operations an item for K right-hand sides.
///
/// Source: Golub and Van Loan, Matrix Computations, 4th edition, section 3.1.
///
/// \param exec   execution space instance; optional, as launch("label")
/// \param L      in(v) or in(transposed(v)): the triangles; or common(...) for one v(i, j)
/// \param B      in(v): the right-hand sides; or inout(v) for B and X
/// \param X      out(v): the solutions, as large as B
/// \param codes  status(codes), optional: integers of 32 or 64 bits
/// \throws std::invalid_argument as solve_cholesky does
template <Impl::BeginsCall First, class... Rest>
void solve_lower(First const& first, Rest const&... rest) {
  static_assert(
      Impl::Takes<Impl::SolveTriangleCall<Impl::SolvedBy::lower>, First, Rest...>,
      "Batchwork::solve_lower: the arguments are [exec,] [launch(\"label\"),] in(L), in(B), "
      "out(X) [, status(codes)] in this order, or inout(B) instead of both");
  Impl::call_verb(Impl::SolveTriangleCall<Impl::SolvedBy::lower>(), first, rest...);
}

/// The solutions of U_n X_n = B_n for every item n, U_n being N x N and upper triangular; with
/// transposed(U) the solutions of U_n' X_n = B_n. Entries below the diagonal are not used.
///
/// \code
/// qr(exec, in(A), out(Q), out(R));
/// solve_upper(exec, in(R), inout(x));  // R_n x_n = Q_n' b_n, stored in x before
/// \endcode
///
/// Everything else is as in solve_lower. If several diagonal entries are zero, the status has the
/// smallest index.
///
/// \param exec   execution space instance; optional, as launch("label")
/// \param U      in(v) or in(transposed(v)): the triangles; or common(...) for one v(i, j)
/// \param B      in(v): the right-hand sides; or inout(v) for B and X
/// \param X      out(v): the solutions, as large as B
/// \param codes  status(codes), optional: integers of 32 or 64 bits
/// \throws std::invalid_argument as solve_lower does
template <Impl::BeginsCall First, class... Rest>
void solve_upper(First const& first, Rest const&... rest) {
  static_assert(
      Impl::Takes<Impl::SolveTriangleCall<Impl::SolvedBy::upper>, First, Rest...>,
      "Batchwork::solve_upper: the arguments are [exec,] [launch(\"label\"),] in(U), in(B), "
      "out(X) [, status(codes)] in this order, or inout(B) instead of both");
  Impl::call_verb(Impl::SolveTriangleCall<Impl::SolvedBy::upper>(), first, rest...);
}

}  // namespace Batchwork

#endif
