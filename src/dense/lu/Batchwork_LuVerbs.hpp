// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// lu, solve_lu, inverse, determinant, log_abs_determinant: elimination with partial pivoting on
/// matrices of extents known at run time, one kernel each.
#ifndef BATCHWORK_LUVERBS_HPP
#define BATCHWORK_LUVERBS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "dense/common/detail/Batchwork_CommonCall.hpp"
#include "dense/lu/detail/Batchwork_LuLaunch.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/Batchwork_WorkspaceNumbers.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_EmptyItems.hpp"
#include "launch/detail/Batchwork_OperandForms.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork {
namespace Impl {

template <class Exec, class Result, class... Others>
constexpr bool require_lu_views() {
  using T = typename Result::value_type;
  require_kernels<KernelSet::dense, Exec>();
  static_assert(!std::is_const_v<T>, "Batchwork: a const View cannot be written");
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "Batchwork: lu, solve_lu, inverse and determinants take float or double");
  static_assert((std::is_same_v<T, std::remove_const_t<typename Others::value_type>> && ...),
                "Batchwork: all Views of a call hold the same type of numbers; give all of them in "
                "float, or all in double");
  return require_reachable<(
      Kokkos::SpaceAccessibility<Exec, typename Result::memory_space>::accessible &&
      (Kokkos::SpaceAccessibility<Exec, typename Others::memory_space>::accessible && ...))>();
}

/// The problem of a call, which is checked; its n and columns are not set. a and the factors may be
/// the same operand.
template <class Exec, class A, class L, class P, class S>
auto lu_problem(Call& call, A const& a_operand, L const& lu_operand, P const& order_operand,
                S const& end) {
  constexpr bool Same = kind_of<L> == Kind::inout;
  auto const a = stored(a_operand);
  auto const lu = stored(lu_operand);
  auto const order = stored(order_operand);
  static_assert(require_lu_views<Exec, std::remove_const_t<decltype(lu)>,
                                 std::remove_const_t<decltype(a)>>());
  require_matrix<decltype(lu)>();
  require_matrix<decltype(a)>();
  static_assert(decltype(order)::tile_rank == 1 &&
                    std::is_same_v<typename decltype(order)::value_type, std::int32_t>,
                "Batchwork::lu: out(rows), the rows in the order of the pivots, needs a View of "
                "32-bit integers, v(item, k)");
  static_assert(
      require_reachable<(
          Kokkos::SpaceAccessibility<Exec, typename decltype(order)::memory_space>::accessible)>());
  using T = typename decltype(lu)::value_type;

  call.add("a", Same, a);
  if (!Same) call.add("lu", true, lu);
  call.add("rows", true, order);
  LuProblem<T> p;
  p.status = status_and_workspace<Exec, T>(call, end);
  call.check({!Same && same_numbers(lu, a) && lu.storage.row == a.storage.row, 0, 1});
  call.check_square(0, a.rows, a.cols);
  if (lu.rows != a.rows || lu.cols != a.cols)
    call.fail(call.parts[1].name() + " does not hold the factors of " + call.parts[0].name() +
              "; give a View with items of " + call.parts[0].d.shape);
  if (order.rows != a.rows)
    call.fail(call.parts[Same ? 1 : 2].name() + " does not hold an integer for each row of " +
              call.parts[0].name() + "; give a View with items of " + std::to_string(a.rows));
  p.a = a.storage.as_const();
  p.lu = lu.storage;
  p.order = order.storage;
  p.result = LuResult::factors;
  return p;
}

template <class Exec, class A, class L, class P, class S>
void lu_batch(Exec const& exec, Launch<> const& how, A const& a, L const& lu, P const& order,
              S const& end) {
  Call call{"lu", {}, how.label, how.kernel};
  auto const p = lu_problem<Exec>(call, a, lu, order, end);
  using T = typename decltype(p)::number;
  LuLaunch<T, LuTask::factors, Exec>::run(exec, call, stored(a).rows, 0, p,
                                          given_workspace<T>(end.workspace));
}

/// The same for systems. b and the solutions x may be the same operand.
template <class Exec, class A, class B, class X, class S>
auto solve_lu_problem(Call& call, A const& a_operand, B const& b_operand, X const& x_operand,
                      S const& end) {
  constexpr bool Same = kind_of<X> == Kind::inout;
  auto const a = stored(a_operand);
  auto const b = stored(b_operand);
  auto const x = stored(x_operand);
  static_assert(
      require_lu_views<Exec, std::remove_const_t<decltype(x)>, std::remove_const_t<decltype(a)>,
                       std::remove_const_t<decltype(b)>>());
  require_matrix<decltype(a)>();
  static_assert(decltype(x)::tile_rank == decltype(b)::tile_rank && decltype(x)::tile_rank > 0,
                "Batchwork: b and x both hold vectors, v(item, row), or both several right-hand "
                "sides, v(item, row, column)");
  using T = typename decltype(x)::value_type;

  call.add("a", false, a);
  call.add("b", Same, b);
  if (!Same) call.add("x", true, x);
  LuProblem<T> p;
  p.status = status_and_workspace<Exec, T>(call, end);
  call.check({!Same && same_numbers(x, b) && x.storage.row == b.storage.row, 1, 2});
  call.check_square(0, a.rows, a.cols);
  call.check_right_hand_sides(a, b, x);
  p.a = a.storage.as_const();
  p.b = b.storage.as_const();
  p.x = x.storage;
  return p;
}

template <class Exec, class A, class B, class X, class S>
void solve_lu_batch(Exec const& exec, Launch<> const& how, A const& a, B const& b, X const& x,
                    S const& end) {
  Call call{"solve_lu", {}, how.label, how.kernel};
  auto const p = solve_lu_problem<Exec>(call, a, b, x, end);
  using T = typename decltype(p)::number;
  auto const memory = given_workspace<T>(end.workspace);
  std::int64_t const rows = stored(a).rows, columns = stored(b).cols;
  // A matrix of one column is treated as a vector.
  if (columns == 1) return LuLaunch<T, LuTask::solution, Exec>::run(exec, call, rows, 1, p, memory);
  if constexpr (decltype(stored(x))::tile_rank == 2)
    LuLaunch<T, LuTask::solutions, Exec>::run(exec, call, rows, columns, p, memory);
}

/// a and its inverse, which may be the same operand.
template <class Exec, class A, class X, class S>
void inverse_batch(Exec const& exec, Launch<> const& how, A const& a_operand, X const& x_operand,
                   S const& end) {
  constexpr bool Same = kind_of<X> == Kind::inout;
  auto const a = stored(a_operand);
  auto const x = stored(x_operand);
  static_assert(
      require_lu_views<Exec, std::remove_const_t<decltype(x)>, std::remove_const_t<decltype(a)>>());
  require_matrix<decltype(a)>();
  require_matrix<decltype(x)>();
  using T = typename decltype(x)::value_type;

  Call call{"inverse", {}, how.label, how.kernel};
  call.add("a", Same, a);
  if (!Same) call.add("x", true, x);
  LuProblem<T> p;
  p.status = status_and_workspace<Exec, T>(call, end);
  call.check({!Same && same_numbers(x, a), 0, 1});
  call.check_square(0, a.rows, a.cols);
  if (x.rows != a.rows || x.cols != a.cols)
    call.fail(call.parts[1].name() + " does not hold the inverse of " + call.parts[0].name() +
              "; give a View with items of " + call.parts[0].d.shape);
  p.a = a.storage.as_const();
  p.x = x.storage;
  LuLaunch<T, LuTask::inverses, Exec>::run(exec, call, a.rows, a.rows, p,
                                           given_workspace<T>(end.workspace));
}

/// The determinants, or with L the logarithms of their sizes, and then d are their signs.
template <class Exec, class A, class L, class D, class S>
void determinant_batch(Exec const& exec, Launch<> const& how, A const& a_operand,
                       L const& log_operand, D const& d_operand, S const& end) {
  constexpr bool logs = kind_of<L> == Kind::out;
  auto const a = stored(a_operand);
  auto const d = stored(d_operand);
  static_assert(
      require_lu_views<Exec, std::remove_const_t<decltype(d)>, std::remove_const_t<decltype(a)>>());
  require_matrix<decltype(a)>();
  static_assert(decltype(d)::tile_rank == 0,
                "Batchwork: determinants need a View v(item), or compact(view, n) of a View "
                "v(group, lane)");
  using T = typename decltype(d)::value_type;

  Call call{logs ? "log_abs_determinant" : "determinant", {}, how.label, how.kernel};
  call.add("a", false, a);
  LuProblem<T> p;
  if constexpr (logs) {
    auto const l = stored(log_operand);
    static_assert(require_lu_views<Exec, std::remove_const_t<decltype(l)>,
                                   std::remove_const_t<decltype(a)>>());
    static_assert(decltype(l)::tile_rank == 0,
                  "Batchwork: logarithms of determinants need a View v(item), or "
                  "compact(view, n) of a View v(group, lane)");
    call.add("logarithms", true, l);
    p.log_size = l.storage;
  }
  call.add(logs ? "signs" : "determinants", true, d);
  p.status = status_and_workspace<Exec, T>(call, end);
  call.check();
  call.check_square(0, a.rows, a.cols);
  p.a = a.storage.as_const();
  p.x = d.storage;
  p.result = LuResult::determinant;
  LuLaunch<T, LuTask::factors, Exec>::run(exec, call, a.rows, 0, p,
                                          given_workspace<T>(end.workspace));
}

template <>
struct CallOfVerb<Verb::lu> : OnOperands<CallOfVerb<Verb::lu>, Last::workspace,
                                         Form<Kinds<Kind::in, Kind::out, Kind::out>, 0, 1, 2>,
                                         Form<Kinds<Kind::inout, Kind::out>, 0, 0, 1>> {
  static constexpr bool takes_padding = true;
  static void run(auto const&... x) { lu_batch(x...); }
};
template <>
struct CallOfVerb<Verb::solve_lu>
    : OnOperands<CallOfVerb<Verb::solve_lu>, Last::workspace,
                 Form<Kinds<Kind::in, Kind::in, Kind::out>, 0, 1, 2>,
                 Form<Kinds<Kind::in, Kind::inout>, 0, 1, 1>,
                 Form<Kinds<Kind::common, Kind::in, Kind::out>, 0, 1, 2>,
                 Form<Kinds<Kind::common, Kind::inout>, 0, 1, 1>> {
  static constexpr bool takes_padding = true;
  template <class A>
  static void run(auto const& exec, auto const& how, A const& a, auto const&... x) {
    if constexpr (kind_of<A> == Kind::common)
      solve_by_common<CommonMatrix::general>(exec, how, "solve_lu", a, x...);
    else solve_lu_batch(exec, how, a, x...);
  }
};
template <>
struct CallOfVerb<Verb::inverse>
    : OnOperands<CallOfVerb<Verb::inverse>, Last::workspace, Form<Kinds<Kind::in, Kind::out>, 0, 1>,
                 Form<Kinds<Kind::inout>, 0, 0>> {
  static constexpr bool takes_padding = true;
  static void run(auto const&... x) { inverse_batch(x...); }
};
template <>
struct CallOfVerb<Verb::determinant> : OnOperands<CallOfVerb<Verb::determinant>, Last::workspace,
                                                  Form<Kinds<Kind::in, Kind::out>, 0, 0, 1>> {
  static constexpr bool takes_padding = true;
  static void run(auto const&... x) { determinant_batch(x...); }
};
template <>
struct CallOfVerb<Verb::log_abs_determinant>
    : OnOperands<CallOfVerb<Verb::log_abs_determinant>, Last::workspace,
                 Form<Kinds<Kind::in, Kind::out, Kind::out>, 0, 1, 2>> {
  static constexpr bool takes_padding = true;
  static void run(auto const&... x) { determinant_batch(x...); }
};

}  // namespace Impl

/// The LU factors of a batch: P_n A_n = L_n U_n for every item n, A_n being N x N, by elimination
/// with partial pivoting. LAPACK's getrf.
///
/// \code
/// lu(exec, in(A), out(LU), out(rows), status(codes));
/// lu(exec, inout(A), out(rows));                          // the factors overwrite A
/// lu(exec, in(A), out(LU), out(rows), workspace(memory)); // for larger matrices
/// \endcode
///
/// LU holds U on and above its diagonal, and below it L without its diagonal of ones. rows(item, k)
/// is the row of A_n, from 0, that is row k of L_n U_n. float or double. Views have the item first,
/// v(item, i, j), in LayoutLeft, LayoutRight or LayoutStride, or are compact(view, n);
/// transposed(...) around one of them takes the transposes of its items.
///
/// Limits: N is known at run time. On devices team scratch limits it: on an H200 with Kokkos 5.2 to
/// 224 in float and 159 in double. On hosts it is at most 256; beyond 64 rows a thread needs 0.6 MB
/// of stack. Larger items, to 32767 rows, need workspace(view) with
/// workspace_numbers<Verb::lu>(...) elements; smaller ones ignore it.
///
/// Status, for each item: 0, or a reason and the 1-based index of the pivot, LAPACK's info.
/// Reason::singular: a pivot is exactly zero; the factors are complete. Reason::not_finite: a pivot
/// is NaN or infinite. Other items are bitwise the same as without the failure. The status is
/// written for N = 0 too.
///
/// Accuracy: a pivot is the largest number of its column, so |L| is at most 1. On devices, in
/// double and beyond 8 rows, sizes are compared by 20 bits, and |L| is at most 1 + 2^-19. Both hold
/// to rounding, where pivots are normal numbers.
///
/// One kernel, labelled Batchwork::lu or Batchwork::lu(label). Asynchronous, allocates nothing,
/// never fences. With 0 items nothing is launched.
///
/// Cost: 2 N^3 / 3 operations an item.
///
/// Source: Golub and Van Loan, Matrix Computations, 4th edition, section 3.4. On devices one lane
/// has an item of up to 8 rows in registers. Several lanes of a warp share one of up to 16 rows.
/// One or two warps have one of up to 64 rows, and a team has a larger one. On hosts items of up to
/// 8 rows are computed side by side in SIMD registers, and a thread has a larger one. Within a
/// sequence, for constant extents to 64, use lu(tile).
///
/// \param exec   execution space instance; optional, as launch("label")
/// \param A      in(v): the matrices; or inout(v) for A and LU
/// \param LU     out(v): the factors
/// \param rows   out(v): v(item, k), integers of 32 bits
/// \param codes  status(codes), optional: integers of 32 or 64 bits
/// \param view   workspace(view), optional
/// \throws std::invalid_argument before the launch: matrices that are not square, extents or
///         numbers of items that differ, null Views, too few groups, Views that overlap other than
///         in place, a workspace that overlaps a View; items that are too large, without a
///         workspace or with one that is too small (the message says how many elements it needs)
template <Impl::BeginsCall First, class... Rest>
void lu(First const& first, Rest const&... rest) {
  static_assert(
      Impl::Takes<Impl::CallOfVerb<Verb::lu>, First, Rest...>,
      "Batchwork::lu: the arguments are [exec,] [launch(\"label\"),] in(A), out(LU), out(rows) "
      "[, status(codes)] [, workspace(view)] in this order, or inout(A) instead of the first "
      "two");
  Impl::call_verb(Impl::CallOfVerb<Verb::lu>(), first, rest...);
}

/// The solutions of A_n X_n = B_n for every item n, A_n being N x N: elimination with partial
/// pivoting and both substitutions in one kernel. LAPACK's gesv. The factors do not leave the chip.
///
/// \code
/// solve_lu(exec, in(A), in(b), out(x), status(codes));
/// solve_lu(exec, in(A), inout(b));  // the solutions overwrite b
/// solve_lu(exec, common(M), in(b), out(x), status(codes));  // one matrix M(i, j) for all items
/// \endcode
///
/// B and X hold vectors, v(item, i), or K right-hand sides, v(item, i, k); K is at most 2^20. For
/// layouts, workspace, label and errors see lu. On an H200 with Kokkos 5.2 N is at most 224 in
/// float and 158 in double without a workspace.
///
/// With common(M) or common(transposed(M)) the matrix is factorised in the kernel, once for many
/// items, and no workspace is needed. N is then at most 256 on hosts, 128 on CUDA devices of
/// compute capability 8.0 and 9.0, and 64 on others. If M has no solution, every item gets that
/// status. Devices compute in double, also for float. They multiply by the inverses of blocks of 8
/// x 8 on the diagonals of the factors: a number of b that is not finite can make all of this
/// right-hand side's numbers of X NaN, but those of no other one.
///
/// Status: as from lu, and all of X of such an item is NaN. If only a result is not finite,
/// Reason::not_finite with an info of 0. Without right-hand sides the elimination still gives the
/// status, as in gesv.
///
/// Cost: 2 N^3 / 3 + 2 N^2 K operations an item.
///
/// Source: as lu. On devices several lanes of a warp share an item of 9 to 32 rows with one
/// right-hand side, and of 9 to 12 rows with more.
///
/// \param exec   execution space instance; optional, as launch("label")
/// \param A      in(v): the matrices; or common(v) for one matrix v(i, j)
/// \param B      in(v): the right-hand sides; or inout(v) for B and X
/// \param X      out(v): the solutions, as large as B
/// \param codes  status(codes), optional: integers of 32 or 64 bits
/// \param view   workspace(view), optional
/// \throws std::invalid_argument as lu does, and for right-hand sides that do not fit
template <Impl::BeginsCall First, class... Rest>
void solve_lu(First const& first, Rest const&... rest) {
  static_assert(
      Impl::Takes<Impl::CallOfVerb<Verb::solve_lu>, First, Rest...>,
      "Batchwork::solve_lu: the arguments are [exec,] [launch(\"label\"),] in(A), in(B), out(X) "
      "[, status(codes)] [, workspace(view)] in this order, or inout(B) instead of the last two");
  Impl::call_verb(Impl::CallOfVerb<Verb::solve_lu>(), first, rest...);
}

/// The inverses of a batch, by elimination with partial pivoting. To solve systems use solve_lu,
/// which takes fewer operations and is more accurate.
///
/// \code
/// inverse(exec, in(A), out(X), status(codes));
/// inverse(exec, inout(A));  // the inverses overwrite A
/// \endcode
///
/// For layouts, limits, status, workspace, label and errors see solve_lu.
///
/// Cost: 2 N^3 operations an item by Gauss-Jordan elimination, otherwise up to 8 N^3 / 3.
///
/// Source: on devices with warp shuffles, from 9 rows to 1024, Gauss-Jordan elimination with the
/// pivots of lu. See Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, section
/// 14.4; and beyond 64 rows, in double beyond 56, Quintana-Orti and others, SIAM J. Sci. Comput. 22
/// (2001). As with LAPACK's getri |X A - 1| is small for any matrix, and |A X - 1| may be larger
/// for badly conditioned ones. Otherwise elimination and a solution for each column of the unit
/// matrix.
///
/// \param exec   execution space instance; optional, as launch("label")
/// \param A      in(v): the matrices; or inout(v) for A and X
/// \param X      out(v): the inverses
/// \param codes  status(codes), optional: integers of 32 or 64 bits
/// \param view   workspace(view), optional
/// \throws std::invalid_argument as lu does
template <Impl::BeginsCall First, class... Rest>
void inverse(First const& first, Rest const&... rest) {
  static_assert(Impl::Takes<Impl::CallOfVerb<Verb::inverse>, First, Rest...>,
                "Batchwork::inverse: the arguments are [exec,] [launch(\"label\"),] in(A), out(X) "
                "[, status(codes)] [, workspace(view)] in this order, or inout(A) instead of both");
  Impl::call_verb(Impl::CallOfVerb<Verb::inverse>(), first, rest...);
}

/// The determinants of a batch, by elimination with partial pivoting.
///
/// \code
/// determinant(exec, in(A), out(det), status(codes));  // det(item)
/// \endcode
///
/// A singular matrix has the determinant 0, which is no failure. Products of pivots are scaled, so
/// that only the determinant itself can overflow or underflow. If it overflows it is infinite, and
/// the status is Reason::not_finite with an info of 0; see log_abs_determinant. If it underflows it
/// is 0, which is no failure. A pivot that is NaN or infinite is Reason::not_finite with its
/// 1-based index, and the determinant is NaN. The determinant of a matrix without rows is 1.
///
/// For layouts, limits, workspace, label and errors see lu.
///
/// Cost: 2 N^3 / 3 operations an item.
///
/// \param exec          execution space instance; optional, as launch("label")
/// \param A             in(v): the matrices
/// \param determinants  out(v): v(item)
/// \param codes         status(codes), optional: integers of 32 or 64 bits
/// \param view          workspace(view), optional
/// \throws std::invalid_argument as lu does
template <Impl::BeginsCall First, class... Rest>
void determinant(First const& first, Rest const&... rest) {
  static_assert(Impl::Takes<Impl::CallOfVerb<Verb::determinant>, First, Rest...>,
                "Batchwork::determinant: the arguments are [exec,] [launch(\"label\"),] in(A), "
                "out(determinants) [, status(codes)] [, workspace(view)] in this order");
  Impl::call_verb(Impl::CallOfVerb<Verb::determinant>(), first, rest...);
}

/// log |det A_n| and the sign of det A_n for every item n, for determinants that may overflow.
///
/// \code
/// log_abs_determinant(exec, in(A), out(logarithms), out(signs));
/// \endcode
///
/// signs(item) is 1, -1, or 0 for a singular matrix; its logarithm is minus infinity. Everything
/// else is as in determinant, with one logarithm more.
///
/// \param exec        execution space instance; optional, as launch("label")
/// \param A           in(v): the matrices
/// \param logarithms  out(v): v(item)
/// \param signs       out(v): v(item)
/// \param codes       status(codes), optional: integers of 32 or 64 bits
/// \param view        workspace(view), optional
/// \throws std::invalid_argument as lu does
template <Impl::BeginsCall First, class... Rest>
void log_abs_determinant(First const& first, Rest const&... rest) {
  static_assert(
      Impl::Takes<Impl::CallOfVerb<Verb::log_abs_determinant>, First, Rest...>,
      "Batchwork::log_abs_determinant: the arguments are [exec,] [launch(\"label\"),] "
      "in(A), out(logarithms), out(signs) [, status(codes)] [, workspace(view)] in this order");
  Impl::call_verb(Impl::CallOfVerb<Verb::log_abs_determinant>(), first, rest...);
}

}  // namespace Batchwork

#endif
