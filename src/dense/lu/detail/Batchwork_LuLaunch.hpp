// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// LuLaunch: launches the kernels of lu, solve_lu, inverse and determinant.
#ifndef BATCHWORK_LULAUNCH_HPP
#define BATCHWORK_LULAUNCH_HPP

#include <cstdint>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "dense/lu/detail/Batchwork_LuProblem.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

/// Of more right-hand sides LuLaunch says that they are too many.
inline constexpr std::int64_t most_lu_sides = 1 << 20;

template <class T, LuTask Task, class Exec>
struct LuLaunch {
  /// Launches the kernel for n rows and so many right-hand sides, or answers how large a workspace
  /// it needs, or throws where an item is too large.
  static void run(Exec const& exec, Call const& call, std::int64_t n, std::int64_t columns,
                  LuProblem<T> p, GivenWorkspace<T> const& workspace);
};

/// The same for items that do not fit on the chip. The kernel is common to all tasks.
template <class T, class Exec>
struct LuInWorkspaceLaunch {
  /// \returns whether nothing is left to do: the kernel was launched, or the call only asked for
  ///          the size of a workspace
  static bool run(Exec const& exec, Call const& call, std::int64_t n, std::int64_t columns,
                  LuProblem<T> p, GivenWorkspace<T> const& workspace);
};

}  // namespace Batchwork::Impl

#if defined(BATCHWORK_KERNELS_IN_HEADERS)
#include "dense/lu/detail/Batchwork_LuInWorkspaceKernels.hpp"
#include "dense/lu/detail/Batchwork_LuKernels.hpp"
#endif

#endif
