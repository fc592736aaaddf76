// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// solve: solves a batch of systems by an iterative method, each to its own convergence, in one
/// kernel.
#ifndef BATCHWORK_SOLVE_HPP
#define BATCHWORK_SOLVE_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include "krylov/Batchwork_WorkDivision.hpp"
#include "krylov/base/Batchwork_Concepts.hpp"
#include "krylov/base/detail/Batchwork_SpoiltLog.hpp"
#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "krylov/detail/Batchwork_SolveInput.hpp"
#include "krylov/detail/Batchwork_SolveLaunch.hpp"
#include "krylov/detail/Batchwork_SolvePlan.hpp"
#include "krylov/detail/Batchwork_SolveRun.hpp"
#include "krylov/formats/Batchwork_Formats.hpp"
#include "krylov/preconditioners/Batchwork_BlockJacobi.hpp"
#include "krylov/preconditioners/Batchwork_Ilu.hpp"
#include "krylov/preconditioners/Batchwork_Isai.hpp"
#include "krylov/preconditioners/Batchwork_Preconditioner.hpp"
#include "krylov/solvers/Batchwork_Bicgstab.hpp"
#include "krylov/solvers/Batchwork_Cgs.hpp"
#include "krylov/solvers/Batchwork_ConjugateGradients.hpp"
#include "krylov/solvers/Batchwork_Gmres.hpp"
#include "krylov/solvers/Batchwork_Richardson.hpp"
#include "krylov/solvers/Batchwork_ScaledSolver.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Check.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"

namespace Batchwork {
namespace Impl {

/// The result of conjugate_gradients(...), bicgstab(...) and so on.
template <class S>
concept IterativeSolver = requires(S const& s) {
  { s.stop } -> std::convertible_to<StoppingCriteria>;
};

template <class Exec, class A, class B, class X>
constexpr void require_solve() {
  static_assert(B::tile_rank == 1 && X::tile_rank == 1,
                "Batchwork::solve: b and x hold vectors, (item, row)");
  using T = typename X::value_type;
  static_assert(!std::is_const_v<T>, "Batchwork: a const View cannot be written");
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "Batchwork::solve takes float or double");
  static_assert(
      std::is_same_v<T, std::remove_const_t<typename B::value_type>> &&
          (std::is_void_v<typename A::value_type> || std::is_same_v<T, typename A::value_type>),
      "Batchwork: the matrices and vectors of a call hold the same type of numbers");
  require_reachable<(reaches<Exec, typename B::memory_space> &&
                     reaches<Exec, typename X::memory_space> && A::template reachable<Exec>)>();
}

inline void check_criteria(SystemCall const& call, StoppingCriteria const& stop) {
  if (!(stop.tolerance >= 0))
    call.fail("a tolerance of " + std::to_string(stop.tolerance) + "; give zero or more");
  if (stop.most_iterations < 0)
    call.fail("at most " + std::to_string(stop.most_iterations) + " iterations; give zero or more");
  if (!(stop.divergence_limit >= 1 || stop.divergence_limit == 0))
    call.fail("a divergence limit of " + std::to_string(stop.divergence_limit) +
              " times the residual of the start; give one or more, or infinity, or zero for the "
              "method's default");
  if (stop.relative_to != RelativeTo::right_side && stop.relative_to != RelativeTo::start &&
      stop.relative_to != RelativeTo::nothing)
    call.fail("a tolerance relative to number " + std::to_string(int(stop.relative_to)) +
              " of RelativeTo, which does not exist; give right_side, start or nothing");
}
/// Checks the parameters of a solver.
template <class Solver>
void check_solver(SystemCall const& call, Solver const& solver) {
  check_criteria(call, solver.stop);
  if constexpr (requires { solver.omega; })
    if (!std::isfinite(solver.omega))
      call.fail("richardson with an omega of " + std::to_string(solver.omega) +
                "; give a finite number");
}

/// Refuses a preconditioner that does not fit the matrices.
template <class M, class A>
void refuse_preconditioner(SystemCall const& call, M const& m, A const& a) {
  if constexpr (std::is_same_v<M, Jacobi> && std::is_void_v<typename A::value_type>)
    call.fail("operand 2, jacobi: matrix_free has no diagonal; give no_preconditioner()");
  if constexpr (requires { m.check(call, a); }) m.check(call, a);
}

/// The systems of a call, without b, x and log.
template <class T, class A>
auto solve_input(A const& a, std::int64_t items) {
  using Systems = decltype(systems_by_items(a));
  return SolveInput<T, Systems>{systems_by_items(a), a.rows(), a.nonzeros(), items};
}

/// A solver and a preconditioner as arguments of solve: their checks, and the launch.
template <class Solver, class M>
struct SolveByTypes {
  static constexpr bool is_scaled = is_scaled_solver<Solver>;
  WorkDivision const& division;
  Solver const& solver;
  M const& preconditioner;

  void check(SystemCall const& call) const { check_solver(call, unscaled_solver(solver)); }
  /// Adds the View of the weights to the call.
  template <class Exec, class T, class A>
  auto scaling(SystemCall& call, A const& a) const {
    using Plain = std::remove_cvref_t<decltype(unscaled_solver(solver))>;
    return scaling_of<Exec, T>(call, solver, a, requires { Plain::is_symmetric; });
  }
  template <class Exec, class A>
  void check_preconditioner(SystemCall const& call, A const& a) const {
    refuse_preconditioner(call, preconditioner, a);
    if constexpr (requires { M::template reachable<Exec>(); })
      require_reachable<(M::template reachable<Exec>())>();
  }
  template <class Exec, class T, class A, class Scale, class Systems>
  void run(Exec const& exec, SystemCall const& call, A const& a, Scale const& scale,
           SolveInput<T, Systems> const& in, GivenWorkspace<T> const& workspace) const {
    auto const& plain = unscaled_solver(solver);
    auto const in_kernel = preconditioner_in_kernel(preconditioner, a);
    using Plain = std::remove_cvref_t<decltype(plain)>;
    using InKernel = std::remove_const_t<decltype(in_kernel)>;
    if constexpr (is_solve_of_library<Plain, InKernel> && !std::is_void_v<typename A::value_type>) {
      require_kernels<set_of_solve<Plain, InKernel, is_scaled>, Exec>();
      SolveLaunch<T, Plain, InKernel, is_scaled, Exec>::run(exec, call, division, plain, in_kernel,
                                                            scale, in, workspace);
    } else {
      run_solve(exec, call, division, plain, in_kernel, scale, in, workspace);
    }
  }
  template <class T, class Exec, class A>
  std::int64_t workspace_numbers(Exec const& exec, SystemCall const& call, A const& a,
                                 std::int64_t items) const {
    auto const& plain = unscaled_solver(solver);
    auto const in_kernel = preconditioner_in_kernel(preconditioner, a);
    using Plain = std::remove_cvref_t<decltype(plain)>;
    using InKernel = std::remove_const_t<decltype(in_kernel)>;
    if constexpr (is_solve_of_library<Plain, InKernel> && !std::is_void_v<typename A::value_type>) {
      require_kernels<set_of_solve<Plain, InKernel, is_scaled>, Exec>();
      return SolveLaunch<T, Plain, InKernel, is_scaled, Exec>::workspace_numbers(
          exec, call, division, plain, in_kernel, solve_input<T>(a, items));
    } else {
      return plan_solve<T>(exec, call, division, plain, in_kernel, systems_by_items(a), a.rows(),
                           a.nonzeros(), items, is_scaled)
          .workspace.numbers();
    }
  }
};

/// Method is SolveByTypes or SolveByConfiguration.
template <class Exec, class Method, class A, class B, class X, class Log, class Given>
void solve_batch(Exec const& exec, std::string const& label, Method const& method, A const& a,
                 B const& b_arg, X const& x_arg, Log const& log, Given const& given) {
  auto const b = stored(b_arg);
  auto const x = stored(x_arg);
  require_solve<Exec, A, std::remove_const_t<decltype(b)>, std::remove_const_t<decltype(x)>>();
  using T = typename decltype(x)::value_type;
  static_assert(std::is_same_v<T, typename Log::value_type>,
                "Batchwork::solve: the log holds the type of the numbers");
  static_assert(reaches<Exec, typename Log::memory_space>,
                "Batchwork::solve: the log's memory cannot be reached from the execution space");

  SystemCall call("solve", label);
  call.check_matrices(3, a);
  call.add_vector(5, "x", x, a, true);
  call.add_vector(4, "b", b, a);
  call.add_matrices(3, a);
  std::int64_t const items = call.check();
  auto const add_log = [&](auto const& view, char const* what) { call.add_log(6, view, what); };
  add_log(log.iterations, "iterations");
  add_log(log.recurrence, "recurrence");
  add_log(log.residual, "residual");
  add_log(log.reason, "reason");
  add_log(log.history, "history");
  add_log(log.scaled_residual, "scaled_residual");
  method.check(call);
  auto const scale = method.template scaling<Exec, T>(call, a);
  if constexpr (!std::is_same_v<Given, NoWorkspace>) {
    using View = decltype(given.view);
    static_assert(std::is_same_v<T, typename View::value_type>,
                  "Batchwork::solve: the workspace holds the type of the numbers");
    static_assert(reaches<Exec, typename View::memory_space>,
                  "Batchwork::solve: the workspace's memory cannot be reached from the execution "
                  "space");
    call.add(7, "workspace", describe_view(given.view), true);
  }
  call.check();
  if (a.rows() > most_rows_of_a_solve)
    call.fail("systems of " + std::to_string(a.rows()) + " rows, more than the limit of " +
              std::to_string(most_rows_of_a_solve) + "; use a solver for single large systems");
  method.template check_preconditioner<Exec>(call, a);
  auto in = solve_input<T>(a, items);
  in.b = b.storage.as_const();
  in.x = x.storage;
  in.log = LogPointers<T>(log);
  method.run(exec, call, a, scale, in, given_workspace<T>(given));
}

/// The type of the numbers of matrices, or T where they have none.
template <class T, class A>
struct NumbersOrGiven {
  using Own = typename A::value_type;
  using type = std::conditional_t<std::is_void_v<Own>, T, Own>;
  static_assert(std::is_same_v<type, float> || std::is_same_v<type, double>,
                "Batchwork::workspace_numbers: say of which numbers: "
                "workspace_numbers<double>(...)");
};
template <class T, class A>
using NumberOfWorkspace = typename NumbersOrGiven<T, A>::type;

/// Calls run(log, workspace) with the optional arguments after x.
template <class T, class Exec, class Run, class... Rest>
void with_log_and_workspace(Run const& run, Rest const&... rest) {
  static_assert(sizeof...(Rest) <= 2,
                "Batchwork::solve takes, after x, a log and workspace(view) at most");
  using NoLog = SolveLog<T, typename Exec::memory_space>;
  auto const sorted = [&](auto const& log, auto const&... memory) {
    if constexpr (requires { log.reason; }) {
      if constexpr (sizeof...(memory) == 0) run(log, NoWorkspace{});
      else run(log, memory...);
    } else {
      static_assert(sizeof...(memory) == 0,
                    "Batchwork::solve: the log comes before workspace(view)");
      run(NoLog{}, log);
    }
  };
  if constexpr (sizeof...(Rest) > 0) sorted(rest...);
  else run(NoLog{}, NoWorkspace{});
}
template <class Exec, class Method, class A, class B, class X, class... Rest>
void solve_by(Exec const& exec, Launch<> const& launched, Method const& method, A const& a,
              B const& b, X const& x, Rest const&... rest) {
  using T = std::remove_const_t<typename std::remove_cvref_t<decltype(stored(x))>::value_type>;
  with_log_and_workspace<T, Exec>(
      [&](auto const& log, auto const& memory) {
        solve_batch(exec, label_alone(launched), method, a, b, x, log, memory);
      },
      rest...);
}

/// What may follow x: a SolveLog and workspace(view).
template <class X>
concept LogOrWorkspace = requires(X const& x) { x.reason; } || requires(X const& x) { x.view; };

struct SolveCall {
  static constexpr int operands_before = 3;
  template <class Exec, IterativeSolver Solver, Preconditioner M, SystemMatrices A,
            RightHandSides B, Viewish X, LogOrWorkspace... Rest>
  void operator()(Exec const& exec, Launch<> const& how, Solver const& solver, M const& m,
                  A const& a, B const& b, X const& x, Rest const&... rest) const {
    WorkDivision const as_usual{};
    solve_by(exec, how, SolveByTypes<Solver, M>{as_usual, solver, m}, a, b, x, rest...);
  }
  template <class Exec, IterativeSolver Solver, Preconditioner M, SystemMatrices A,
            RightHandSides B, Viewish X, LogOrWorkspace... Rest>
  void operator()(Exec const& exec, Launch<> const& how, WorkDivision const& division,
                  Solver const& solver, M const& m, A const& a, B const& b, X const& x,
                  Rest const&... rest) const {
    solve_by(exec, how, SolveByTypes<Solver, M>{division, solver, m}, a, b, x, rest...);
  }
};

/// The type of the first argument of such a call.
template <class X>
concept BeginsSolve = BeforeArguments<X> || IterativeSolver<X> || std::same_as<X, WorkDivision>;
/// Whether X is a SolveConfiguration, alone or in scaled(...) or weighted(...). Its own header
/// declares that solve.
template <class X>
inline constexpr bool is_configuration = false;
/// Whether another header declares the solve for this solver.
template <class X>
inline constexpr bool has_own_solve = is_configuration<X>;

}  // namespace Impl

/// Solves A_n x_n = b_n for every item n by an iterative solver, each to its own convergence.
///
/// ```text
/// solve([exec,] [launch("label"),] [WorkDivision{...},] solver, preconditioner, A, b, x [, log]
///       [, workspace(view)])
/// ```
///
/// ```cpp
/// auto const A = csr(row_offsets, columns, values);  // values(item, entry), float or double
/// auto const log = SolveLog<double>::allocated(items);
/// solve(exec, bicgstab(relative(1e-8, 500)), jacobi(), A, b, x, log);
/// for (auto const& item : outcomes(log))  // waits for the kernel
///   if (!item.converged()) std::puts(item.text().c_str());
/// ```
///
/// \param exec            execution space instance; the default is a Kokkos::DefaultExecutionSpace
/// \param WorkDivision    overrides how a device divides the work
/// \param solver          conjugate_gradients, bicgstab, cgs, gmres or richardson, with stopping
///                        criteria; or one of them in scaled(...) or weighted(...)
/// \param preconditioner  no_preconditioner(), jacobi(), block_jacobi(...), ilu(), isai(),
///                        spd_isai() or preconditioner(functor)
/// \param A               csr, ell, dia, dense, scaled_identity, matrix_free or AnyMatrices, of at
///                        most 2048 rows
/// \param b               View b(item, row) in any layout or strided, or compact(b, n); or
///                        gathered(b, index) of these, see gathered
/// \param x               View x(item, row), as b: the start on entry, the result on return. It
///                        shares no elements with b
/// \param log             a SolveLog with optional Views; may be left out
/// \param workspace       workspace(view) with workspace_numbers(...) elements, for gmres and for
///                        factors of block_jacobi, ilu and isai that do not fit on the chip;
///                        otherwise ignored
/// \throws std::invalid_argument  before the launch: extents that differ, Views that are not
///                        allocated or overlap, more than 2048 rows, parameters out of range, a
///                        division that no kernel supports, a missing or too small workspace. The
///                        message names the operand and the remedy
///
/// One kernel on `exec`, labelled Batchwork::solve or Batchwork::solve(label). The call is
/// asynchronous, never fences and allocates nothing on devices. Host threads allocate factors, and
/// the matrices (at most 8 MB) and vectors of a pack of systems.
///
/// A converged item is confirmed: |b - A x| is computed from the returned x with a bound of its
/// rounding, and in twice the precision where that decides; with matrix_free as the functor
/// computes it, without a bound. If the recurrence claimed too much, the item begins anew, and ends
/// as stagnated if that does not help. x changes only where its residual becomes smaller. Results
/// of an item depend on no other item. Norms are sums of squares in the type of the numbers, so
/// entries whose squares overflow count as not finite.
///
/// Patterns are not checked before the launch: see check. Devices find columns out of range, hosts
/// also bad row offsets; such items end as Reason::invalid_pattern.
template <Impl::BeginsSolve First, class... Rest>
  requires(!Impl::has_own_solve<First> && (!Impl::has_own_solve<Rest> && ...))
void solve(First const& first, Rest const&... rest) {
  static_assert(Impl::Takes<Impl::SolveCall, First, Rest...>,
                "Batchwork::solve: the arguments are [exec,] [launch(\"label\"),] "
                "[WorkDivision,] solver, preconditioner, A, b, x [, log] [, workspace(view)] in "
                "this order; A is csr(...), dense(...) or another format; b and x are Views, "
                "without in(...) and out(...)");
  Impl::call_verb(Impl::SolveCall(), first, rest...);
}

/// Workspace elements that a call of solve with these arguments needs; 0 if it needs none.
///
/// ```cpp
/// auto const solver = gmres(30, relative(1e-8));
/// Kokkos::View<double*> memory("memory", workspace_numbers(exec, solver, jacobi(), A, items));
/// solve(exec, solver, jacobi(), A, b, x, workspace(memory));
/// ```
///
/// \tparam T              type of the numbers, for matrix_free(...) only:
///                        workspace_numbers<double>(...)
/// \param exec            execution space instance of the solve
/// \param how             division of the work; may be left out
/// \param solver          as in solve
/// \param preconditioner  as in solve
/// \param a               matrices, as in solve
/// \param items           number of items of the batch
/// \returns               number of elements of the type of the matrices
/// \throws std::invalid_argument  parameters or a division that solve refuses
///
/// The workspace has room for the systems that are worked on at the same time, so it stops growing
/// with the number of items. On devices these are teams with a quarter of the lanes that the device
/// can hold (with factors and more than 2 rows a lane an eighth); on hosts one system a thread. On
/// hosts a solver's storage up to 32 KB, and all factors, need no workspace. The result depends on
/// the machine, and on the pattern only through its numbers of rows and nonzeros.
template <class T = void, class Exec, Impl::IterativeSolver Solver, Preconditioner M,
          Impl::SystemMatrices A>
  requires Kokkos::is_execution_space_v<Exec>
std::int64_t workspace_numbers(Exec const& exec, WorkDivision const& how, Solver const& solver,
                               M const& preconditioner, A const& a, std::int64_t items) {
  Impl::SolveByTypes<Solver, M> const method{how, solver, preconditioner};
  return method.template workspace_numbers<Impl::NumberOfWorkspace<T, A>>(
      exec, Impl::SystemCall("workspace_numbers"), a, items);
}
template <class T = void, class Exec, Impl::IterativeSolver Solver, Preconditioner M,
          Impl::SystemMatrices A>
  requires Kokkos::is_execution_space_v<Exec>
std::int64_t workspace_numbers(Exec const& exec, Solver const& solver, M const& preconditioner,
                               A const& a, std::int64_t items) {
  return workspace_numbers<T>(exec, WorkDivision{}, solver, preconditioner, a, items);
}
template <class T = void, Impl::IterativeSolver Solver, class M, Impl::SystemMatrices A>
  requires Preconditioner<M>
std::int64_t workspace_numbers(Solver const& solver, M const& preconditioner, A const& a,
                               std::int64_t items) {
  return workspace_numbers<T>(Kokkos::DefaultExecutionSpace(), solver, preconditioner, a, items);
}

}  // namespace Batchwork

#endif
