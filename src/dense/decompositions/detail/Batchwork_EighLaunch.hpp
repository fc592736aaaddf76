// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// EighLaunch: launches the kernels of eigh.
#ifndef BATCHWORK_EIGHLAUNCH_HPP
#define BATCHWORK_EIGHLAUNCH_HPP

#include "core/detail/Batchwork_KernelSets.hpp"
#include "dense/decompositions/detail/Batchwork_EighProblem.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

template <class T, class Exec>
struct EighLaunch {
  /// Launches the kernel, or answers how large a workspace it needs, or throws where an item is too
  /// large.
  static void run(Exec const& exec, Call const& call, EighProblem<T> const& p,
                  GivenWorkspace<T> const& workspace);
};

}  // namespace Batchwork::Impl

#if defined(BATCHWORK_KERNELS_IN_HEADERS)
#include "dense/decompositions/detail/Batchwork_EighKernels.hpp"
#endif

#endif
