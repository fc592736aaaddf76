// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ConfiguredSolveLaunch: launches the kernels of the solver and the preconditioner that a
/// SolveConfiguration names.
#ifndef BATCHWORK_CONFIGUREDSOLVELAUNCH_HPP
#define BATCHWORK_CONFIGUREDSOLVELAUNCH_HPP

#include <cstdint>
#include <string>

#include "krylov/Batchwork_SolverKinds.hpp"
#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "krylov/detail/Batchwork_SolveInput.hpp"
#include "krylov/detail/Batchwork_SolveLaunch.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

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
/// Calls f(solver, preconditioner).
template <class F>
auto with_both(SystemCall const& call, SolveConfiguration const& c, F const& f) {
  return with_solver(call, c, [&](auto const& solver) {
    return with_preconditioner(call, c, [&](auto const& m) { return f(solver, m); });
  });
}

/// Of iterative solvers.
template <class T, bool Scaled, class Exec>
struct ConfiguredSolveLaunch {
  /// As in SolveLaunch; throws also where the library has no such kernels.
  static void run(Exec const& exec, SystemCall const& call, SolveConfiguration const& c,
                  ScaleOfSolve<T, Scaled> const& scale, SolveInput<T> const& in,
                  GivenWorkspace<T> const& workspace);
  static std::int64_t workspace_numbers(Exec const& exec, SystemCall const& call,
                                        SolveConfiguration const& c, SolveInput<T> const& in);
};

}  // namespace Batchwork::Impl

#if defined(BATCHWORK_KERNELS_IN_HEADERS)
#include "krylov/detail/Batchwork_ConfiguredSolveKernels.hpp"
#endif

#endif
