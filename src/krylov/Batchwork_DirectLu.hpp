// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// direct_lu: solves a batch of systems by elimination, in one kernel.
#ifndef BATCHWORK_DIRECTLU_HPP
#define BATCHWORK_DIRECTLU_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "krylov/Batchwork_Solve.hpp"
#include "krylov/base/detail/Batchwork_SpoiltLog.hpp"
#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "krylov/direct/detail/Batchwork_DirectLaunch.hpp"
#include "krylov/direct/detail/Batchwork_DirectProblem.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork {

/// The result of direct_lu: a solver that takes no preconditioner.
/// \tparam Factor  type of the factors; void: the type of the systems. float with systems of double
///                 halves the scratch and refines in double
template <class Factor = void>
struct DirectLu {
  /// Tolerance of the true residual; most_iterations limits refinement steps. By default
  /// relative(1e-8).
  StoppingCriteria stop{};
  /// Refinement steps at most; stop.most_iterations limits them, too. One is enough where factors
  /// have the type of the systems and pivots do not grow. LAPACK's dsgesv takes 30 at most with
  /// factors of float.
  int refinements = std::is_void_v<Factor> ? 1 : 30;
  /// true, the default: rows, then columns, are scaled by powers of two (LAPACK's geequb).
  bool equilibrate = true;
};

/// Elimination with partial pivoting as the solver of solve.
///
/// ```cpp
/// auto solver = direct_lu(relative(1e-10));
/// solver.refinements = 2;
/// solve(exec, solver, A, b, x, log);
/// ```
///
/// \tparam Factor  void or float: the type of the factors
/// \param stop     tolerance of the true residual |b - A x|. relative_to_start means relative to
///                 |b|. most_iterations limits refinement steps; other criteria are ignored
template <class Factor = void>
DirectLu<Factor> direct_lu(StoppingCriteria const& stop = {}) {
  static_assert(std::is_void_v<Factor> || std::is_same_v<Factor, float>,
                "Batchwork::direct_lu: factors have the type of the systems, direct_lu(), or are "
                "float, direct_lu<float>()");
  DirectLu<Factor> solver;
  solver.stop = stop;
  return solver;
}

namespace Impl {

template <class X>
inline constexpr bool is_direct_lu = false;
template <class Factor>
inline constexpr bool is_direct_lu<DirectLu<Factor>> = true;
template <class Factor>
inline constexpr bool has_own_solve<DirectLu<Factor>> = true;

/// The type of the factors of systems of T.
template <class T, class Solver>
struct FactorOf;
template <class T, class Factor>
struct FactorOf<T, DirectLu<Factor>> {
  using type = std::conditional_t<std::is_void_v<Factor>, T, Factor>;
};

template <class Exec, class A, class B, class X>
constexpr void require_direct() {
  require_kernels<KernelSet::solvers, Exec>();
  static_assert((B::tile_rank == 1 || B::tile_rank == 2) && B::tile_rank == X::tile_rank,
                "Batchwork::solve: b and x both hold vectors, (item, row), or with direct_lu both "
                "several right-hand sides, (item, row, column)");
  using T = typename X::value_type;
  static_assert(!std::is_const_v<T>, "Batchwork: a const View cannot be written");
  static_assert(!std::is_void_v<typename A::value_type>,
                "Batchwork::solve: direct_lu needs the entries of the matrices, which matrix_free "
                "has not; give an iterative solver");
  static_assert(std::is_same_v<T, std::remove_const_t<typename B::value_type>> &&
                    std::is_same_v<T, typename A::value_type>,
                "Batchwork: the matrices and vectors of a call hold the same type of numbers");
  require_reachable<(reaches<Exec, typename B::memory_space> &&
                     reaches<Exec, typename X::memory_space> && A::template reachable<Exec>)>();
}

/// The problem of a checked call, without right-hand sides.
template <class T, class Solver, class A, class Log>
DirectProblem<T> direct_problem(Solver const& solver, A const& a, Log const& log,
                                std::int64_t items) {
  DirectProblem<T> p;
  p.a = AnySystems<T>(a.systems());
  p.log = LogPointers<T>(log);
  p.growth = log.reciprocal_growth.data();
  p.condition = log.reciprocal_condition.data();
  p.items = items;
  p.n = int(a.rows());
  p.row_lanes = DirectProblem<T>::lanes_of_a_row(a.rows(), a.nonzeros());
  p.row_lanes_of_warp = DirectProblem<T>::lanes_of_a_row_of_warp(a.rows(), a.nonzeros());
  Storage<T const> const& values = p.a.values;
  bool contiguous =
      (values.col == 1 && values.row == p.n) || (values.row == 1 && values.col == p.n);
  p.a.with_format([&]<class Format>(Format const&) {
    if constexpr (std::is_same_v<Format, CsrLayout>) {
      contiguous = values.row == 1;
      p.compressed_entries = a.nonzeros();
    }
  });
  if (values.data != nullptr && contiguous) p.contiguous_numbers = int(a.nonzeros());
  p.equilibrates = solver.equilibrate;
  return p;
}
/// Sets when a solution is accepted.
template <class T, class Solver>
void set_direct_criteria(DirectProblem<T>& p, Solver const& solver) {
  p.tolerance = T(solver.stop.tolerance);
  p.relative_to = solver.stop.relative_to;
  p.refinements = std::min(solver.refinements, solver.stop.most_iterations);
}
/// With right-hand sides.
template <class T, class Solver, class A, class B, class X, class Log>
DirectProblem<T> direct_problem(Solver const& solver, A const& a, B const& b, X const& x,
                                Log const& log, std::int64_t items) {
  DirectProblem<T> p = direct_problem<T>(solver, a, log, items);
  p.b = b.storage.as_const();
  p.x = x.storage;
  p.columns = int(b.cols);
  set_direct_criteria(p, solver);
  return p;
}
template <class Solver>
void check_direct_solver(SystemCall const& call, Solver const& solver) {
  check_criteria(call, solver.stop);
  if (solver.refinements < 0)
    call.fail("at most " + std::to_string(solver.refinements) +
              " steps of refinement; give zero or more");
}

/// Adds the allocated Views of a log.
template <class Log>
void add_direct_log(SystemCall& call, int position, Log const& log) {
  auto const add = [&](auto const& view, char const* what) { call.add_log(position, view, what); };
  add(log.iterations, "iterations");
  add(log.recurrence, "recurrence");
  add(log.residual, "residual");
  add(log.reason, "reason");
  add(log.reciprocal_growth, "reciprocal_growth");
  add(log.reciprocal_condition, "reciprocal_condition");
}
/// Adds a View that the call uses as memory, or keeps factors in.
template <class T, class Exec, class View>
void add_direct_memory(SystemCall& call, int position, char const* role, View const& view,
                       bool writes) {
  static_assert(std::is_same_v<T, std::remove_const_t<typename View::value_type>>,
                "Batchwork: workspace and factors hold the type of the numbers of the matrices");
  static_assert(reaches<Exec, typename View::memory_space>,
                "Batchwork: the memory of workspace or factors cannot be reached from the "
                "execution space");
  call.add(position, role, describe_view(view), writes);
  if (!call.parts.back().d.contiguous)
    call.fail(call.parts.back().name() + " has gaps; give a contiguous View");
}
template <class Log, class T, class Exec>
constexpr void require_direct_log() {
  static_assert(std::is_same_v<T, typename Log::value_type>,
                "Batchwork::solve: the log holds the type of the numbers");
  static_assert(reaches<Exec, typename Log::memory_space>,
                "Batchwork::solve: the log's memory cannot be reached from the execution space");
}

/// Checks, then calls launch(call, problem). b has the position `first`; add_memory(call) adds
/// other Views that are read or written.
template <class Exec, class Solver, class A, class B, class X, class Log, class AddMemory,
          class Launched>
void direct_batch(std::string const& label, Solver const& solver, A const& a, B const& b_arg,
                  X const& x_arg, Log const& log, int first, AddMemory const& add_memory,
                  Launched const& launched) {
  auto const b = stored(b_arg);
  auto const x = stored(x_arg);
  require_direct<Exec, A, std::remove_const_t<decltype(b)>, std::remove_const_t<decltype(x)>>();
  using T = typename decltype(x)::value_type;
  require_direct_log<Log, T, Exec>();

  SystemCall call("solve", label);
  call.check_matrices(2, a);
  call.add_vector(first + 1, "x", x, a, true);
  call.add_vector(first, "b", b, a);
  call.add_matrices(2, a);
  if (x.cols != b.cols)
    call.fail(call.parts[0].name() + " has " + std::to_string(x.cols) + " columns, but " +
              call.parts[1].name() + " has " + std::to_string(b.cols) +
              "; give a solution for each right-hand side");
  std::int64_t const items = call.check();
  add_direct_log(call, first + 2, log);
  check_direct_solver(call, solver);
  add_memory(call);
  call.check();
  constexpr std::int64_t many = 1 << 20;
  if (b.cols > many)
    call.fail(call.parts[1].name() + " has " + std::to_string(b.cols) +
              " right-hand sides, more than the limit of " + std::to_string(many) +
              "; solve them in several calls");
  if (items == 0) return;
  launched(call, direct_problem<T>(solver, a, b, x, log, items));
}
template <class Exec, class Solver, class A, class B, class X, class Log, class Given>
void direct_batch(Exec const& exec, std::string const& label, Solver const& solver, A const& a,
                  B const& b, X const& x, Log const& log, Given const& given) {
  using T = typename Log::value_type;
  direct_batch<Exec>(
      label, solver, a, b, x, log, 3,
      [&](SystemCall& call) {
        if constexpr (!std::is_same_v<Given, NoWorkspace>)
          add_direct_memory<T, Exec>(call, 6, "workspace", given.view, true);
      },
      [&](SystemCall const& call, auto const& p) {
        using F = typename FactorOf<T, Solver>::type;
        DirectLaunch<T, DirectTask::whole, F, Exec>::run(exec, call, p, given_workspace<T>(given));
      });
}

template <class Exec, class Solver, class A, class B, class X, class... Rest>
void solve_directly(Exec const& exec, Launch<> const& launched, Solver const& solver, A const& a,
                    B const& b, X const& x, Rest const&... rest) {
  using T = std::remove_const_t<typename std::remove_cvref_t<decltype(stored(x))>::value_type>;
  with_log_and_workspace<T, Exec>(
      [&](auto const& log, auto const& memory) {
        direct_batch(exec, label_alone(launched), solver, a, b, x, log, memory);
      },
      rest...);
}

struct SolveDirectCall {
  static constexpr int operands_before = 2;
  template <class Exec, class Factor, SystemMatrices A, RightHandSides B, Viewish X,
            LogOrWorkspace... Rest>
  void operator()(Exec const& exec, Launch<> const& how, DirectLu<Factor> const& solver, A const& a,
                  B const& b, X const& x, Rest const&... rest) const {
    solve_directly(exec, how, solver, a, b, x, rest...);
  }
};

}  // namespace Impl

/// Solves A_n x_n = b_n for every item n by elimination of the full matrix with partial pivoting,
/// in one kernel (LAPACK's gesvx).
///
/// ```text
/// solve([exec,] [launch("label"),] direct_lu(stop), A, b, x [, log] [, workspace(view)])
/// ```
///
/// ```cpp
/// auto log = SolveLog<double>::allocated(items);
/// log.reciprocal_condition = Kokkos::View<double*>("condition", items);
/// solve(exec, direct_lu(relative(1e-10)), A, b, x, log);
/// ```
///
/// \param A          csr, ell, dia, dense, scaled_identity or AnyMatrices; columns that a row has
///                   twice are added up
/// \param b          View b(item, row), or b(item, row, column) for several right-hand sides, in
///                   any layout or strided, or compact(b, n); float or double
/// \param x          View as b, written; it may hold anything before, and shares no elements with b
/// \param log        a SolveLog: iterations are refinement steps, residual the true |b - A x|,
///                   recurrence the residual before the last step. Of several right-hand sides the
///                   most steps and the largest residuals. reciprocal_growth and
///                   reciprocal_condition are written if allocated; may be left out
/// \param workspace  workspace(view) with workspace_numbers(...) elements, for systems that do not
///                   fit on the chip; may be left out otherwise
/// \throws std::invalid_argument  before the launch: extents that differ, Views that are not
///                   allocated or overlap, a negative tolerance or number of steps, a missing or
///                   too small workspace
///
/// Rows, then columns are scaled by powers of two, unless `equilibrate` is false. The true residual
/// is computed from A with a bound of its rounding, and in twice the precision where that decides.
/// If it does not meet the tolerance, refinement steps are taken: at most `refinements`, as long as
/// each halves the residual. x is the best that was found.
///
/// Reasons: success if the residual meets the tolerance for every right-hand side; stagnated if
/// not, x is stored; singular or not_finite with the 1-based index of the pivot, LAPACK's info;
/// not_finite with info 0 if only a result is not finite; invalid_pattern. In the last four cases
/// all of the item's x is NaN. Other items are not changed.
///
/// Cost: 2 N^3 / 3 operations an item. One kernel on `exec`, labelled Batchwork::solve or
/// Batchwork::solve(label); asynchronous, allocates nothing, never fences. On devices:
/// - to 32 rows, with one right-hand side and without growth and condition, lanes of a warp share
///   an item; a refinement step eliminates again, and results differ in rounding from calls that
///   want growth or condition
/// - to 64 rows a warp, or two, has an item in registers and team scratch
/// - a team has a larger one in scratch, to 156 rows in double on an H200 with Kokkos 5.2
/// - still larger ones need the workspace
///
/// On hosts a thread has as many items of up to 64 rows as a SIMD register has numbers, or one of
/// up to 256 rows; larger ones need the workspace. For several solves with the same matrices see
/// factorize.
///
/// Compile without nvcc's -Ofc: it makes direct_lu 7 to 450 times slower.
///
/// (Golub and Van Loan, Matrix Computations, 4th edition, sections 3.4 and 3.5; Higham, Accuracy
/// and Stability of Numerical Algorithms, 2nd edition, chapter 12.)
template <class... X>
  requires(Impl::is_direct_lu<X> || ...)
void solve(X const&... arguments) {
  static_assert(
      Impl::Takes<Impl::SolveDirectCall, X...>,
      "Batchwork::solve: with direct_lu, which takes no preconditioner, the arguments "
      "are [exec,] [launch(\"label\"),] direct_lu(...), A, b, x [, log] [, "
      "workspace(view)] in this order; A is csr(...), dense(...) or another format; b and "
      "x are Views, without in(...) and out(...)");
  Impl::call_verb(Impl::SolveDirectCall(), arguments...);
}

/// Workspace elements that a solve with direct_lu needs: 0 if the systems fit on the chip, else
/// room for the items that are worked on at the same time. A smaller workspace, down to one item,
/// is accepted and slower.
/// \param exec   execution space instance of the solve
/// \param a      matrices, as in solve
/// \param items  number of items of the batch
/// \returns      number of elements of the type of the matrices
template <class Exec, class Factor, Impl::SystemMatrices A>
  requires Kokkos::is_execution_space_v<Exec>
std::int64_t workspace_numbers(Exec const& exec, DirectLu<Factor> const&, A const& a,
                               std::int64_t items) {
  using T = typename A::value_type;
  static_assert(!std::is_void_v<T>,
                "Batchwork::workspace_numbers: direct_lu needs the entries of the matrices, which "
                "matrix_free does not have");
  Impl::require_kernels<Impl::KernelSet::solvers, Exec>();
  using Sizes = Impl::DirectSizes<T, typename Impl::FactorOf<T, DirectLu<Factor>>::type, Exec>;
  if (items <= 0 || a.rows() <= Sizes::rows_on_chip(exec)) return 0;
  auto const wanted = Sizes::slots(exec, a.rows(), items);
  return Impl::WorkspaceSlots<T>::numbers(wanted.at_once, wanted.bytes);
}
template <class Factor, Impl::SystemMatrices A>
std::int64_t workspace_numbers(DirectLu<Factor> const& solver, A const& a, std::int64_t items) {
  return workspace_numbers(Kokkos::DefaultExecutionSpace(), solver, a, items);
}

}  // namespace Batchwork

#endif
