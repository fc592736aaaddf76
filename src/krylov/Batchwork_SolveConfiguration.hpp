// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// solve with a SolveConfiguration: solver, preconditioner and criteria chosen at run time.
#ifndef BATCHWORK_SOLVECONFIGURATION_HPP
#define BATCHWORK_SOLVECONFIGURATION_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

#include "krylov/Batchwork_DirectLu.hpp"
#include "krylov/Batchwork_Solve.hpp"
#include "krylov/Batchwork_SolverKinds.hpp"
#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "krylov/detail/Batchwork_ConfiguredSolveLaunch.hpp"
#include "krylov/formats/Batchwork_AnyMatrices.hpp"

namespace Batchwork {

namespace Impl {

/// The solver that a configuration with SolverKind::direct_lu names.
inline DirectLu<> configured_direct_lu(SolveConfiguration const& c) {
  DirectLu<> solver = direct_lu(c.stop);
  solver.refinements = c.refinements;
  return solver;
}
/// Refuses matrices without entries, which are known at compile time.
template <class A>
inline constexpr bool has_entries_for_direct_lu = !std::is_void_v<typename A::value_type>;
[[noreturn]] inline void refuse_direct_lu(SystemCall const& call, std::string const& what) {
  call.fail("direct_lu, of the configuration, " + what);
}
/// A configuration as the argument of solve, see SolveByTypes. Given is a SolveConfiguration, or a
/// ScaledSolver of one. The launch is for iterative solvers.
template <class Given>
struct SolveByConfiguration {
  static constexpr bool is_scaled = is_scaled_solver<Given>;
  static constexpr KernelSet set = is_scaled ? KernelSet::all : KernelSet::solvers;
  Given const& given;
  SolveConfiguration const& c = unscaled_solver(given);

  void check(SystemCall const& call) const {
    if (c.solver == SolverKind::richardson) check_solver(call, richardson(c.stop, c.omega));
    else check_criteria(call, c.stop);
  }
  template <class Exec, class T, class A>
  auto scaling(SystemCall& call, A const& a) const {
    return scaling_of<Exec, T>(call, given, a, c.solver == SolverKind::conjugate_gradients);
  }
  template <class Exec, class A>
  void check_preconditioner(SystemCall const& call, A const& a) const {
    with_preconditioner(call, c, [&](auto const& m) { refuse_preconditioner(call, m, a); });
  }
  template <class Exec, class T, class A, class Scale, class Systems>
  void run(Exec const& exec, SystemCall const& call, A const&, Scale const& scale,
           SolveInput<T, Systems> const& in, GivenWorkspace<T> const& workspace) const {
    if constexpr (std::is_void_v<typename A::value_type>) {
      // Other preconditioners are refused.
      with_solver(call, c, [&](auto const& solver) {
        run_solve(exec, call, c.division, solver, no_preconditioner(), scale, in, workspace);
      });
    } else {
      require_kernels<set, Exec>();
      ConfiguredSolveLaunch<T, is_scaled, Exec>::run(exec, call, c, scale, in, workspace);
    }
  }
  template <class T, class Exec, class A>
  std::int64_t workspace_numbers(Exec const& exec, SystemCall const& call, A const& a,
                                 std::int64_t items) const {
    if constexpr (std::is_void_v<typename A::value_type>) {
      return with_both(call, c, [&](auto const& solver, auto const& m) {
        SolveByTypes<std::remove_cvref_t<decltype(solver)>, std::remove_cvref_t<decltype(m)>> const
            method{c.division, solver, m};
        return method.template workspace_numbers<T>(exec, call, a, items);
      });
    } else {
      require_kernels<set, Exec>();
      return ConfiguredSolveLaunch<T, is_scaled, Exec>::workspace_numbers(exec, call, c,
                                                                          solve_input<T>(a, items));
    }
  }
};
template <class T, class Exec, class Given, class A>
std::int64_t configured_workspace_numbers(Exec const& exec, Given const& given, A const& a,
                                          std::int64_t items) {
  using Number = NumberOfWorkspace<T, A>;
  return SolveByConfiguration<Given>{given}.template workspace_numbers<Number>(
      exec, SystemCall("workspace_numbers"), a, items);
}
/// Refuses kinds that have no name.
inline void check_kinds(SystemCall const& call, SolveConfiguration const& c) {
  with_both(call, c, [](auto const&, auto const&) {});
}
template <>
inline constexpr bool is_configuration<SolveConfiguration> = true;
template <class W>
inline constexpr bool is_configuration<ScaledSolver<SolveConfiguration, W>> = true;

struct SolveConfiguredCall {
  static constexpr int operands_before = 3;
  template <class Exec, SystemMatrices A, RightHandSides B, Viewish X, LogOrWorkspace... Rest>
  void operator()(Exec const& exec, Launch<> const& how, SolveConfiguration const& c, A const& a,
                  B const& b, X const& x, Rest const&... rest) const {
    if (c.solver == SolverKind::direct_lu) {
      if constexpr (has_entries_for_direct_lu<A>)
        return solve_directly(exec, how, configured_direct_lu(c), a, b, x, rest...);
      else
        refuse_direct_lu(SystemCall{"solve"},
                         "needs the entries of the matrices, which matrix_free does not have; "
                         "give an iterative solver");
    }
    check_kinds(SystemCall{"solve"}, c);
    solve_by(exec, how, SolveByConfiguration<SolveConfiguration>{c}, a, b, x, rest...);
  }
  template <class Exec, class W, SystemMatrices A, RightHandSides B, Viewish X,
            LogOrWorkspace... Rest>
  void operator()(Exec const& exec, Launch<> const& how,
                  ScaledSolver<SolveConfiguration, W> const& scaled, A const& a, B const& b,
                  X const& x, Rest const&... rest) const {
    auto const& c = scaled.solver;
    if (c.solver == SolverKind::direct_lu)
      refuse_direct_lu(SystemCall{"solve"},
                       "scales rows and columns already, and tests |b - A x|; leave scaled(...) "
                       "or weighted(...) out");
    check_kinds(SystemCall{"solve"}, c);
    solve_by(exec, how, SolveByConfiguration<ScaledSolver<SolveConfiguration, W>>{scaled}, a, b, x,
             rest...);
  }
};

}  // namespace Impl

/// solve with solver and preconditioner from a SolveConfiguration:
///
/// ```text
/// solve([exec,] [launch("label"),] configuration, A, b, x [, log] [, workspace(view)])
/// ```
///
/// \param configuration  a SolveConfiguration, or scaled(configuration), weighted(configuration, w)
/// \param A              csr, ell, dia, dense, scaled_identity or AnyMatrices; matrix_free with
///                       iterative solvers and without a preconditioner
/// \param b              b(item, row), as in the solve with a solver and a preconditioner
/// \param x              View x(item, row): the start and the result
/// \param log            a SolveLog; may be left out
/// \param workspace      workspace(view) with workspace_numbers(...) elements; ignored by calls
///                       that need none; may be left out
/// \throws std::invalid_argument  what solve refuses, and kinds that have no name. basis and
///                       block_rows are checked only where they are used. Messages count operands
///                       as if solver and preconditioner were given: A is operand 3
///
/// One branch on the host, then the same kernels, and so the same bits. AnyMatrices chooses the
/// format at run time as well. A libbatchwork without the set `all` of kernels has only
/// conjugate_gradients, bicgstab, gmres and direct_lu with none, jacobi and block_jacobi; other
/// kinds are refused at run time. With Batchwork::header_only, the file that makes the call
/// compiles the kernels of all solvers with all preconditioners; let one source file make the
/// calls.
template <class... X>
  requires(Impl::is_configuration<X> || ...)
void solve(X const&... arguments) {
  static_assert(Impl::Takes<Impl::SolveConfiguredCall, X...>,
                "Batchwork::solve: the arguments are [exec,] [launch(\"label\"),] configuration, "
                "A, b, x [, log] [, workspace(view)] in this order; b and x are Views, without "
                "in(...) and out(...)");
  Impl::call_verb(Impl::SolveConfiguredCall(), arguments...);
}

/// Workspace elements that a solve with this configuration needs; 0 if it needs none. A program
/// that calls only this function contains no kernels.
/// \tparam T             type of the numbers, for matrix_free(...) only:
///                       workspace_numbers<double>(...)
/// \param exec           execution space instance of the solve
/// \param configuration  as in solve
/// \param a              matrices, as in solve
/// \param items          number of items of the batch
/// \throws std::invalid_argument  parameters that solve refuses, and kinds that have no name
template <class T = void, class Exec, Impl::SystemMatrices A>
  requires Kokkos::is_execution_space_v<Exec>
std::int64_t workspace_numbers(Exec const& exec, SolveConfiguration const& configuration,
                               A const& a, std::int64_t items) {
  if (configuration.solver == SolverKind::direct_lu) {
    if constexpr (Impl::has_entries_for_direct_lu<A>)
      return workspace_numbers(exec, Impl::configured_direct_lu(configuration), a, items);
    else return 0;  // solve refuses it
  }
  return Impl::configured_workspace_numbers<T>(exec, configuration, a, items);
}
template <class T = void, Impl::SystemMatrices A>
std::int64_t workspace_numbers(SolveConfiguration const& configuration, A const& a,
                               std::int64_t items) {
  return workspace_numbers<T>(Kokkos::DefaultExecutionSpace(), configuration, a, items);
}
template <class T = void, class Exec, class W, Impl::SystemMatrices A>
  requires Kokkos::is_execution_space_v<Exec>
std::int64_t workspace_numbers(Exec const& exec,
                               Impl::ScaledSolver<SolveConfiguration, W> const& scaled, A const& a,
                               std::int64_t items) {
  auto const& c = scaled.solver;
  if (c.solver == SolverKind::direct_lu) return 0;  // solve refuses it
  return Impl::configured_workspace_numbers<T>(exec, scaled, a, items);
}
template <class T = void, class W, Impl::SystemMatrices A>
std::int64_t workspace_numbers(Impl::ScaledSolver<SolveConfiguration, W> const& scaled, A const& a,
                               std::int64_t items) {
  return workspace_numbers<T>(Kokkos::DefaultExecutionSpace(), scaled, a, items);
}

}  // namespace Batchwork

#endif
