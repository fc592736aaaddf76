// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SymbolicLaunch: launches the kernels of solves with direct_lu(symbolic).
#ifndef BATCHWORK_SYMBOLICLAUNCH_HPP
#define BATCHWORK_SYMBOLICLAUNCH_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "krylov/direct/detail/Batchwork_SymbolicLists.hpp"
#include "krylov/direct/detail/Batchwork_SymbolicProblem.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

/// Why symbolic_lu refuses large factors.
inline std::string remedy_of_symbolic() {
  return "; give direct_lu() without a pattern, which takes a workspace, or an iterative solver";
}
/// What symbolic_lu finds.
struct SymbolicAnalysis {
  SymbolicListsOnHost lists;
  std::vector<int> order;  ///< of the pivots
  std::int64_t products = 0;
  int levels = 0, lanes = 1;
};

template <class T, class Exec>
struct SymbolicLaunch {
  /// Analyses a pattern on the host, or throws where it has no pivots or too many entries.
  /// \param columns  of each row
  /// \param order    of the pivots, or empty
  /// \param lanes    of a device that eliminate an item, or 0 for a choice by the pattern
  static SymbolicAnalysis analyse(SystemCall const& call,
                                  std::vector<std::vector<int>> const& columns,
                                  std::vector<int> const& order, int lanes);
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
