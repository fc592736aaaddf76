// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SolveLaunch: launches the kernels of solve for the solvers and preconditioners of the library.
#ifndef BATCHWORK_SOLVELAUNCH_HPP
#define BATCHWORK_SOLVELAUNCH_HPP

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "krylov/Batchwork_WorkDivision.hpp"
#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "krylov/detail/Batchwork_SolveInput.hpp"
#include "krylov/preconditioners/Batchwork_BlockJacobi.hpp"
#include "krylov/preconditioners/Batchwork_Ilu.hpp"
#include "krylov/preconditioners/Batchwork_Isai.hpp"
#include "krylov/solvers/Batchwork_Bicgstab.hpp"
#include "krylov/solvers/Batchwork_Cgs.hpp"
#include "krylov/solvers/Batchwork_ConjugateGradients.hpp"
#include "krylov/solvers/Batchwork_Gmres.hpp"
#include "krylov/solvers/Batchwork_Richardson.hpp"
#include "krylov/solvers/Batchwork_ScaledSolver.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

template <class X, class... Others>
inline constexpr bool is_one_of = (std::same_as<X, Others> || ...);

/// Whether the library has the kernels, for matrices in one of its formats. M is the kernel's form
/// of a preconditioner.
template <class Solver, class M>
inline constexpr bool is_solve_of_library =
    is_one_of<Solver, ConjugateGradients, Bicgstab, Gmres, Richardson, Cgs> &&
    is_one_of<M, NoPreconditioner, Jacobi, BlocksInKernel, IluInKernel, IsaiInKernel>;
template <class Solver, class M, bool Scaled>
inline constexpr KernelSet set_of_solve =
    !Scaled && is_one_of<Solver, ConjugateGradients, Bicgstab, Gmres> &&
            is_one_of<M, NoPreconditioner, Jacobi, BlocksInKernel>
        ? KernelSet::solvers
        : KernelSet::all;

template <class T, bool Scaled>
using ScaleOfSolve = std::conditional_t<Scaled, SystemScaling<T>, NotScaled>;

template <class T, class Solver, class M, bool Scaled, class Exec>
struct SolveLaunch {
  /// Launches the kernel of a checked call; throws where parameters, division or workspace do not
  /// fit the systems.
  static void run(Exec const& exec, SystemCall const& call, WorkDivision const& division,
                  Solver const& solver, M const& in_kernel, ScaleOfSolve<T, Scaled> const& scale,
                  SolveInput<T> const& in, GivenWorkspace<T> const& workspace);
  /// The numbers of its workspace.
  static std::int64_t workspace_numbers(Exec const& exec, SystemCall const& call,
                                        WorkDivision const& division, Solver const& solver,
                                        M const& in_kernel, SolveInput<T> const& in);
};

}  // namespace Batchwork::Impl

#if defined(BATCHWORK_KERNELS_IN_HEADERS)
#include "krylov/detail/Batchwork_SolveKernels.hpp"
#endif

#endif
