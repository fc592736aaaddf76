// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SymbolicLaunch: launches the kernels of solves with direct_lu(symbolic).
#ifndef BATCHWORK_SYMBOLICLAUNCH_HPP
#define BATCHWORK_SYMBOLICLAUNCH_HPP

#include "krylov/detail/Batchwork_SystemCall.hpp"
#include "krylov/direct/detail/Batchwork_SymbolicProblem.hpp"
#include "launch/detail/Batchwork_KernelSets.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

template <class T, class Exec>
struct SymbolicLaunch {
  /// Launches the kernel for the systems of a checked call, and a second one for the items that it
  /// leaves; or throws where that needs a larger workspace.
  /// \param lanes  of an item on a device
  static void run(Exec const& exec, SystemCall const& call, SymbolicProblem<T> const& p, int lanes,
                  GivenWorkspace<T> const& workspace);
};

}  // namespace Batchwork::Impl

#if defined(BATCHWORK_KERNELS_IN_HEADERS)
#include "krylov/direct/detail/Batchwork_SymbolicKernels.hpp"
#endif

#endif
