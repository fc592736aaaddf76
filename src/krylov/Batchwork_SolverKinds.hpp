// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SolveConfiguration: solver, preconditioner and criteria as a value, and the names of its kinds
/// for input files.
#ifndef BATCHWORK_SOLVERKINDS_HPP
#define BATCHWORK_SOLVERKINDS_HPP

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "krylov/Batchwork_WorkDivision.hpp"
#include "krylov/base/Batchwork_Stopping.hpp"

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

}  // namespace Batchwork

#endif
