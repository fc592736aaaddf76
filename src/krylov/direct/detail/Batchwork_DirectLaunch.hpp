// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// DirectLaunch: launches the kernels of solves with direct_lu, of factorize, and of solves with
/// its factors.
#ifndef BATCHWORK_DIRECTLAUNCH_HPP
#define BATCHWORK_DIRECTLAUNCH_HPP

#include <cstddef>
#include <cstdint>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "krylov/direct/detail/Batchwork_DirectProblem.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

/// Where factors are kept.
enum class DirectPlace { tiles, teams, slots, packs };
struct DirectKept {
  DirectPlace place = DirectPlace::slots;
  std::size_t bytes = 0;   ///< of a slot
  std::int64_t count = 0;  ///< of slots
};

/// Sizes that follow from the kernels. F is the type of the factors, T or float.
template <class T, class F, class Exec>
struct DirectSizes {
  /// The rows of the largest item that stays on the chip.
  static std::int64_t rows_on_chip(Exec const& exec);
  /// Bytes of the slots of a workspace, and how many there are for full speed.
  static SlotsWanted slots(Exec const& exec, std::int64_t rows, std::int64_t items);
  /// The factors that factorize keeps.
  static DirectKept kept(Exec const& exec, std::int64_t rows, std::int64_t items);
};

template <class T, DirectTask Task, class F, class Exec>
struct DirectLaunch {
  /// Launches the kernel for the systems of a checked call, or throws where they need a larger
  /// workspace. Only the whole task takes one.
  static void run(Exec const& exec, SystemCall const& call, DirectProblem<T> const& p,
                  GivenWorkspace<T> const& workspace);
  /// The same in the slots of a workspace, or where the factors are kept.
  static void in_slots(Exec const& exec, SystemCall const& call, DirectProblem<T> const& p,
                       WorkspaceSlots<T> const& slots);
};

/// On devices with shuffles: items in registers by tiles, First to Last of them down.
template <class T, DirectTask Task, int First, int Last, class Exec>
struct DirectTilesLaunch {
  /// \returns false, and launches nothing, where items have other numbers of tiles, or a team has
  ///          too little scratch
  static bool run(Exec const& exec, SystemCall const& call, DirectProblem<T> const& p,
                  DeviceLimits const& limits);
};
template <DirectTask Task, class T, class Exec>
bool launch_direct_tiles(Exec const& exec, SystemCall const& call, DirectProblem<T> const& p,
                         DeviceLimits const& limits) {
  return DirectTilesLaunch<T, Task, 2, 4, Exec>::run(exec, call, p, limits) ||
         DirectTilesLaunch<T, Task, 5, 6, Exec>::run(exec, call, p, limits) ||
         DirectTilesLaunch<T, Task, 7, 8, Exec>::run(exec, call, p, limits) ||
         DirectTilesLaunch<T, Task, 10, 18, Exec>::run(exec, call, p, limits);
}

/// On devices with shuffles: the whole task, by lanes of a warp that share items.
template <class T, class Exec>
struct DirectLanesLaunch {
  /// Launches the kernel of this extent. \returns false, and launches nothing, where a team has too
  ///          little scratch
  static bool run(Exec const& exec, SystemCall const& call, DirectProblem<T> const& p,
                  DeviceLimits const& limits, int extent);
};

}  // namespace Batchwork::Impl

#if defined(BATCHWORK_KERNELS_IN_HEADERS)
#include "krylov/direct/detail/Batchwork_DirectKernels.hpp"
#include "krylov/direct/detail/Batchwork_DirectLanesKernels.hpp"
#include "krylov/direct/detail/Batchwork_DirectTilesKernels.hpp"
#endif

#endif
