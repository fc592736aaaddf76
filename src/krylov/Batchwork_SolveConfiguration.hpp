// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SolveConfiguration: solver, preconditioner and criteria chosen at run time, and their names, so that a file may say them.
#ifndef BATCHWORK_SOLVECONFIGURATION_HPP
#define BATCHWORK_SOLVECONFIGURATION_HPP

#include <Kokkos_Core.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "krylov/Batchwork_AnyMatrices.hpp"
#include "krylov/Batchwork_Solve.hpp"

namespace Batchwork {

enum class SolverKind { conjugate_gradients, bicgstab, gmres, richardson };
enum class PreconditionerKind { none, jacobi, block_jacobi, ilu };

/// What solve is to do. `basis` is the number of vectors of gmres, `omega` the factor of richardson; other solvers ignore
/// them.
struct SolveConfiguration {
  SolverKind solver = SolverKind::bicgstab;
  PreconditionerKind preconditioner = PreconditionerKind::jacobi;
  StoppingCriteria stop{};
  int basis = 30;
  double omega = 1;
};

namespace Impl {

template <class Kind>
struct NamedKind {
  Kind kind;
  char const* name;
};

/// The names of a kind, each of which has one, and what it is.
template <class Kind>
struct NamesOf;
template <>
struct NamesOf<SolverKind> {
  static constexpr char const* what = "solver";
  static constexpr NamedKind<SolverKind> all[] = {
      {SolverKind::conjugate_gradients, "conjugate_gradients"},
      {SolverKind::bicgstab, "bicgstab"},
      {SolverKind::gmres, "gmres"},
      {SolverKind::richardson, "richardson"}};
};
template <>
struct NamesOf<PreconditionerKind> {
  static constexpr char const* what = "preconditioner";
  static constexpr NamedKind<PreconditionerKind> all[] = {
      {PreconditionerKind::none, "none"},
      {PreconditionerKind::jacobi, "jacobi"},
      {PreconditionerKind::block_jacobi, "block_jacobi"},
      {PreconditionerKind::ilu, "ilu"}};
};
template <>
struct NamesOf<RelativeTo> {
  static constexpr char const* what = "measure of a tolerance";
  static constexpr NamedKind<RelativeTo> all[] = {{RelativeTo::right_side, "right_side"},
                                                  {RelativeTo::start, "start"},
                                                  {RelativeTo::nothing, "nothing"}};
};

template <class Kind>
concept Named = requires { NamesOf<Kind>::all; };

}  // namespace Impl

/// The name of a SolverKind, a PreconditionerKind or a RelativeTo.
template <Impl::Named Kind>
char const* to_string(Kind kind) {
  for (auto const& k : Impl::NamesOf<Kind>::all)
    if (k.kind == kind) return k.name;
  return "unknown";
}

/// The SolverKind, PreconditionerKind or RelativeTo of that name: from_string<SolverKind>("bicgstab"). Throws
/// std::invalid_argument with all names where there is none like it.
template <Impl::Named Kind>
Kind from_string(std::string_view name) {
  std::string names;
  for (auto const& k : Impl::NamesOf<Kind>::all) {
    if (name == k.name) return k.kind;
    names += (names.empty() ? "" : ", ") + std::string(k.name);
  }
  throw std::invalid_argument("Batchwork::from_string: \"" + std::string(name) + "\" is no " +
                              Impl::NamesOf<Kind>::what + "; give one of " + names);
}

namespace Impl {

/// Calls call(solver, preconditioner) with what the configuration names.
template <class Call>
void with_preconditioner(SolveConfiguration const& c, Call const& call) {
  switch (c.preconditioner) {
    case PreconditionerKind::none: return call(no_preconditioner());
    case PreconditionerKind::jacobi: return call(jacobi());
    case PreconditionerKind::block_jacobi:
    case PreconditionerKind::ilu: break;
  }
  SystemCall{"solve"}.fail("there is no preconditioner " +
                           std::string(to_string(c.preconditioner)) +
                           " for a configuration; give none or jacobi");
}
template <class Call>
void with_solver(SolveConfiguration const& c, Call const& call) {
  switch (c.solver) {
    case SolverKind::conjugate_gradients: return call(conjugate_gradients(c.stop));
    case SolverKind::bicgstab: return call(bicgstab(c.stop));
    case SolverKind::richardson: return call(richardson(c.stop, c.omega));
    case SolverKind::gmres: break;
  }
  SystemCall{"solve"}.fail(
      "there is no solver " + std::string(to_string(c.solver)) +
      " for a configuration; give conjugate_gradients, bicgstab or richardson");
}

}  // namespace Impl

/// As solve with a solver and a preconditioner, both chosen by the configuration: one branch on the host, then the same
/// kernels. A program that calls it has the kernels of all solvers and preconditioners. With AnyMatrices the format is chosen
/// at run time as well. Messages count operands as where solver and preconditioner are given: A is operand 3.
///
/// Throws std::invalid_argument for what solve refuses, and for kinds that are not there.
template <class Exec, Impl::SystemMatrices A, Impl::Viewish B, Impl::Viewish X, class T,
          class Memory>
  requires Kokkos::is_execution_space_v<Exec>
void solve(Exec const& exec, SolveConfiguration const& configuration, A const& a, B const& b,
           X const& x, SolveLog<T, Memory> const& log) {
  Impl::with_solver(configuration, [&](auto const& solver) {
    Impl::with_preconditioner(
        configuration, [&](auto const& m) { Impl::solve_batch(exec, solver, m, a, b, x, log); });
  });
}
template <class Exec, Impl::SystemMatrices A, Impl::Viewish B, Impl::Viewish X>
  requires Kokkos::is_execution_space_v<Exec>
void solve(Exec const& exec, SolveConfiguration const& configuration, A const& a, B const& b,
           X const& x) {
  using T = typename std::remove_cvref_t<decltype(Impl::stored(x))>::value_type;
  solve(exec, configuration, a, b, x, SolveLog<T, typename Exec::memory_space>{});
}
template <Impl::SystemMatrices A, class... Rest>
void solve(SolveConfiguration const& configuration, A const& a, Rest const&... rest) {
  solve(Kokkos::DefaultExecutionSpace(), configuration, a, rest...);
}

}  // namespace Batchwork

#endif
