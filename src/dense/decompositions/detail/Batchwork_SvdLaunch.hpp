// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SvdLaunch: launches the kernels of svd.
#ifndef BATCHWORK_SVDLAUNCH_HPP
#define BATCHWORK_SVDLAUNCH_HPP

#include "core/detail/Batchwork_KernelSets.hpp"
#include "dense/decompositions/detail/Batchwork_SvdProblem.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

template <class T, SvdTask Task, class Exec>
struct SvdLaunch {
  /// Launches the kernel, or answers how large a workspace it needs, or throws where an item is too
  /// large.
  static void run(Exec const& exec, Call const& call, SvdProblem<T> const& p,
                  GivenWorkspace<T> const& workspace);
};

/// The same for items that neither a lane nor a few lanes hold in registers. The kernels are common
/// to both tasks.
template <class T, class Exec>
struct SvdInMemoryLaunch {
  static void run(Exec const& exec, Call const& call, SvdProblem<T> const& p,
                  GivenWorkspace<T> const& workspace);
};

}  // namespace Batchwork::Impl

#if defined(BATCHWORK_KERNELS_IN_HEADERS)
#include "dense/decompositions/detail/Batchwork_SvdInMemoryKernels.hpp"
#include "dense/decompositions/detail/Batchwork_SvdKernels.hpp"
#endif

#endif
