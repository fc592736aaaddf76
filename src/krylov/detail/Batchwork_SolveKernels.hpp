// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of solve, for the solvers and preconditioners of the library.
#ifndef BATCHWORK_SOLVEKERNELS_HPP
#define BATCHWORK_SOLVEKERNELS_HPP

#include <cstdint>

#include "krylov/detail/Batchwork_SolveLaunch.hpp"
#include "krylov/detail/Batchwork_SolvePlan.hpp"
#include "krylov/detail/Batchwork_SolveRun.hpp"

namespace Batchwork::Impl {

template <class T, class Solver, class M, bool Scaled, class Exec>
void SolveLaunch<T, Solver, M, Scaled, Exec>::run(Exec const& exec, SystemCall const& call,
                                                  WorkDivision const& division,
                                                  Solver const& solver, M const& in_kernel,
                                                  ScaleOfSolve<T, Scaled> const& scale,
                                                  SolveInput<T> const& in,
                                                  GivenWorkspace<T> const& workspace) {
  run_solve(exec, call, division, solver, in_kernel, scale, in, workspace);
}

template <class T, class Solver, class M, bool Scaled, class Exec>
std::int64_t SolveLaunch<T, Solver, M, Scaled, Exec>::workspace_numbers(
    Exec const& exec, SystemCall const& call, WorkDivision const& division, Solver const& solver,
    M const& in_kernel, SolveInput<T> const& in) {
  return plan_solve<T>(exec, call, division, solver, in_kernel, in.a, in.rows, in.nonzeros,
                       in.items, Scaled)
      .workspace.numbers();
}

}  // namespace Batchwork::Impl

#endif
