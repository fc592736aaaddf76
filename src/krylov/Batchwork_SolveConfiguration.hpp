// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SolveConfiguration: solver, preconditioner and criteria chosen at run time, and their names for
/// input files.
#ifndef BATCHWORK_SOLVECONFIGURATION_HPP
#define BATCHWORK_SOLVECONFIGURATION_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "krylov/Batchwork_DirectLu.hpp"
#include "krylov/Batchwork_Solve.hpp"
#include "krylov/detail/Batchwork_SystemCall.hpp"
#include "krylov/formats/Batchwork_AnyMatrices.hpp"

namespace Batchwork {

/// The solvers of a SolveConfiguration; see to_string and from_string for their names.
enum class SolverKind {
  conjugate_gradients,  ///< as conjugate_gradients(stop)
  bicgstab,             ///< as bicgstab(stop)
  gmres,                ///< as gmres(basis, stop)
  richardson,           ///< as richardson(stop, omega)
  cgs,                  ///< as cgs(stop)
  direct_lu             ///< as direct_lu(stop)
};
/// The preconditioners of a SolveConfiguration.
enum class PreconditionerKind {
  none,          ///< as no_preconditioner()
  jacobi,        ///< as jacobi()
  block_jacobi,  ///< as block_jacobi(block_rows)
  ilu,           ///< as ilu()
  isai,          ///< as isai()
  spd_isai       ///< as spd_isai()
};

/// Solver, preconditioner and criteria of a solve, chosen at run time: a plain value. Members that
/// do not belong to the chosen solver or preconditioner are ignored.
///
/// ```cpp
/// SolveConfiguration how;
/// how.solver = from_string<SolverKind>("gmres");
/// how.preconditioner = from_string<PreconditionerKind>("block_jacobi");
/// how.block_rows = 3;
/// how.stop = relative(1e-8, 200);
/// Kokkos::View<double*> memory("memory", workspace_numbers(exec, how, A, items));
/// solve(exec, how, A, b, x, workspace(memory));
/// ```
struct SolveConfiguration {
  SolverKind solver = SolverKind::bicgstab;  ///< the solver; default bicgstab
  /// The preconditioner; default jacobi. direct_lu ignores it.
  PreconditionerKind preconditioner = PreconditionerKind::jacobi;
  StoppingCriteria stop{};  ///< tolerance and limits; by default relative(1e-8), 500 iterations
  int basis = 0;            ///< gmres: vectors of a cycle, 1 or more; 0: chosen, see Gmres
  double omega = 1;         ///< richardson: see Richardson
  int block_rows = 4;       ///< block_jacobi: rows of each block, 1 to 32; the unknowns at a point
  int refinements = 1;      ///< direct_lu, which takes no preconditioner: steps at most
  WorkDivision division{};  ///< devices: overrides the choice by sizes
};

namespace Impl {

template <class Kind>
struct NamedKind {
  Kind kind;
  char const* name;
};

/// The names of the values of a kind, and what the kind is called.
template <class Kind>
struct NamesOf;
template <>
struct NamesOf<SolverKind> {
  static constexpr char const* what = "solver";
  static constexpr NamedKind<SolverKind> all[] = {
      {SolverKind::conjugate_gradients, "conjugate_gradients"},
      {SolverKind::bicgstab, "bicgstab"},
      {SolverKind::gmres, "gmres"},
      {SolverKind::richardson, "richardson"},
      {SolverKind::cgs, "cgs"},
      {SolverKind::direct_lu, "direct_lu"}};
};
template <>
struct NamesOf<PreconditionerKind> {
  static constexpr char const* what = "preconditioner";
  static constexpr NamedKind<PreconditionerKind> all[] = {
      {PreconditionerKind::none, "none"},
      {PreconditionerKind::jacobi, "jacobi"},
      {PreconditionerKind::block_jacobi, "block_jacobi"},
      {PreconditionerKind::ilu, "ilu"},
      {PreconditionerKind::isai, "isai"},
      {PreconditionerKind::spd_isai, "spd_isai"}};
};
template <>
struct NamesOf<RelativeTo> {
  static constexpr char const* what = "measure of a tolerance";
  static constexpr NamedKind<RelativeTo> all[] = {{RelativeTo::right_side, "right_side"},
                                                  {RelativeTo::start, "start"},
                                                  {RelativeTo::nothing, "nothing"}};
};

/// Compares letters without their case, whatever the locale.
constexpr bool same_but_for_case(std::string_view a, std::string_view b) {
  auto const lower_case = [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower_case(x) == lower_case(y); });
}

template <class Kind>
concept Named = requires { NamesOf<Kind>::all; };

template <Named Kind>
std::string names_of() {
  std::string names;
  for (auto const& k : NamesOf<Kind>::all)
    names += (names.empty() ? "" : ", ") + std::string(k.name);
  return names;
}

}  // namespace Impl

/// The name of a SolverKind, a PreconditionerKind or a RelativeTo: "bicgstab".
/// \tparam Kind  SolverKind, PreconditionerKind or RelativeTo
/// \param kind   one of its values; others give "unknown"
template <Impl::Named Kind>
char const* to_string(Kind kind) {
  for (auto const& k : Impl::NamesOf<Kind>::all)
    if (k.kind == kind) return k.name;
  return "unknown";
}

/// The SolverKind, PreconditionerKind or RelativeTo with this name, in upper or lower case:
/// from_string<SolverKind>("BiCGSTAB").
/// \tparam Kind  SolverKind, PreconditionerKind or RelativeTo
/// \param name   as to_string gives it
/// \throws std::invalid_argument  for an unknown name; the message lists the names
template <Impl::Named Kind>
Kind from_string(std::string_view name) {
  for (auto const& k : Impl::NamesOf<Kind>::all)
    if (Impl::same_but_for_case(name, k.name)) return k.kind;
  throw std::invalid_argument("Batchwork::from_string: \"" + std::string(name) + "\" is no " +
                              Impl::NamesOf<Kind>::what + "; give one of " +
                              Impl::names_of<Kind>());
}

namespace Impl {

template <Named Kind>
[[noreturn]] void refuse_kind(SystemCall const& call, Kind kind) {
  call.fail("there is no " + std::string(NamesOf<Kind>::what) + " number " +
            std::to_string(int(kind)) + "; give one of " + names_of<Kind>());
}

/// Calls f with the preconditioner, or the solver, that the configuration names.
template <class F>
auto with_preconditioner(SystemCall const& call, SolveConfiguration const& c, F const& f) {
  switch (c.preconditioner) {
    case PreconditionerKind::none: return f(no_preconditioner());
    case PreconditionerKind::jacobi: return f(jacobi());
    case PreconditionerKind::block_jacobi: return f(block_jacobi(c.block_rows));
    case PreconditionerKind::ilu: return f(ilu());
    case PreconditionerKind::isai: return f(isai());
    case PreconditionerKind::spd_isai: return f(spd_isai());
  }
  refuse_kind(call, c.preconditioner);
}
template <class F>
auto with_solver(SystemCall const& call, SolveConfiguration const& c, F const& f) {
  switch (c.solver) {
    case SolverKind::conjugate_gradients: return f(conjugate_gradients(c.stop));
    case SolverKind::bicgstab: return f(bicgstab(c.stop));
    case SolverKind::gmres: return f(gmres(c.basis, c.stop));
    case SolverKind::richardson: return f(richardson(c.stop, c.omega));
    case SolverKind::cgs: return f(cgs(c.stop));
    case SolverKind::direct_lu: break;  // it takes no preconditioner
  }
  refuse_kind(call, c.solver);
}
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
/// Calls f(solver, preconditioner).
template <class F>
auto with_both(SystemCall const& call, SolveConfiguration const& c, F const& f) {
  return with_solver(call, c, [&](auto const& solver) {
    return with_preconditioner(call, c, [&](auto const& m) { return f(solver, m); });
  });
}

template <>
inline constexpr bool is_configuration<SolveConfiguration> = true;
template <class W>
inline constexpr bool is_configuration<ScaledSolver<SolveConfiguration, W>> = true;

/// solve of its arguments, with a configuration.
struct SolveConfiguredOfArguments {
  template <class Exec, SystemMatrices A, Viewish B, Viewish X, LogOrWorkspace... Rest>
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
    with_both(SystemCall{"solve"}, c, [&](auto const& solver, auto const& m) {
      solve_divided(exec, how, c.division, solver, m, a, b, x, rest...);
    });
  }
  template <class Exec, class W, SystemMatrices A, Viewish B, Viewish X, LogOrWorkspace... Rest>
  void operator()(Exec const& exec, Launch<> const& how,
                  ScaledSolver<SolveConfiguration, W> const& scaled, A const& a, B const& b,
                  X const& x, Rest const&... rest) const {
    auto const& c = scaled.solver;
    if (c.solver == SolverKind::direct_lu)
      refuse_direct_lu(SystemCall{"solve"},
                       "scales rows and columns already, and tests |b - A x|; leave scaled(...) "
                       "or weighted(...) out");
    with_both(SystemCall{"solve"}, c, [&](auto const& solver, auto const& m) {
      solve_divided(exec, how, c.division, rescaled(scaled, solver), m, a, b, x, rest...);
    });
  }
  template <class... X>
  void operator()(X const&...) const {
    static_assert(any_order<X...>,
                  "Batchwork::solve: the arguments are [exec,] [launch(\"label\"),] configuration, "
                  "A, b, x [, log] [, workspace(view)] in this order; b and x are Views, without "
                  "in(...) and out(...)");
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
/// \param b              View b(item, row), as in the solve with a solver and a preconditioner
/// \param x              View x(item, row): the start and the result
/// \param log            a SolveLog; may be left out
/// \param workspace      workspace(view) with workspace_numbers(...) elements; ignored by calls
///                       that need none; may be left out
/// \throws std::invalid_argument  what solve refuses, and kinds that have no name. basis and
///                       block_rows are checked only where they are used. Messages count operands
///                       as if solver and preconditioner were given: A is operand 3
///
/// One branch on the host, then the same kernels, and so the same bits. AnyMatrices chooses the
/// format at run time as well. A program that calls it contains the kernels of all solvers with all
/// preconditioners, and of direct_lu, for a type of number; on hosts for each format that it names.
/// Let one source file make the calls.
template <class... X>
  requires(Impl::is_configuration<X> || ...)
void solve(X const&... arguments) {
  Impl::call_verb(Impl::SolveConfiguredOfArguments(), arguments...);
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
  return Impl::with_both(
      Impl::SystemCall{"workspace_numbers"}, configuration, [&](auto const& solver, auto const& m) {
        return workspace_numbers<T>(exec, configuration.division, solver, m, a, items);
      });
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
  return Impl::with_both(
      Impl::SystemCall{"workspace_numbers"}, c, [&](auto const& solver, auto const& m) {
        return workspace_numbers<T>(exec, c.division, Impl::rescaled(scaled, solver), m, a, items);
      });
}
template <class T = void, class W, Impl::SystemMatrices A>
std::int64_t workspace_numbers(Impl::ScaledSolver<SolveConfiguration, W> const& scaled, A const& a,
                               std::int64_t items) {
  return workspace_numbers<T>(Kokkos::DefaultExecutionSpace(), scaled, a, items);
}

}  // namespace Batchwork

#endif
