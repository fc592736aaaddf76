// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of copy, pack and unpack, and the choice between them.
#ifndef BATCHWORK_COPYKERNELS_HPP
#define BATCHWORK_COPYKERNELS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "dense/copy/detail/Batchwork_CopyProblem.hpp"
#include "dense/copy/detail/Batchwork_CopyRuns.hpp"
#include "dense/copy/detail/Batchwork_CopyTiles.hpp"
#include "launch/detail/Batchwork_RangeLaunch.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"

namespace Batchwork::Impl {

/// Launches kernel for its tiles, with so many bytes of team scratch.
template <class Exec, class Kernel>
void launch_copy(Exec const& exec, std::string const& verb, std::string const& label,
                 Kernel const& kernel, std::size_t bytes) {
  if constexpr (runs_on_device<Exec>) {
    launch_teams<int(Kernel::lanes), Kernel::wanted_teams>(
        exec, label, kernel, {kernel.tiles, int(Kernel::lanes), bytes},
        [&] { return LaunchWords{verb, "copies of so many items", "copy them in several calls"}; });
  } else {
    launch_range(exec, label, kernel.tiles, kernel);
  }
}

/// Bytes of a tile where a multiprocessor is to hold the teams that are wanted. What aligning them
/// may take comes on top.
template <class Kernel>
int stage_of_copy(DeviceLimits const& limits) {
  std::size_t const share = limits.scratch(Kernel::wanted_teams, int(Kernel::lanes));
  return int(std::min(std::size_t(Kernel::stage_bytes), share > 16 ? share - 16 : 0));
}

/// Launches the kernel for a copy of one item or more, of one number or more.
template <class Exec, class T>
void copy_by_kernel(Exec const& exec, std::string const& verb, std::string const& label,
                    CopyProblem<T> const& p) {
  CopyRuns<T> const runs(p);
  // On hosts a run has to pay for finding it.
  bool const in_runs = runs.tiles > 0 && (runs_on_device<Exec> || runs.run_bytes() >= 256);
  if (in_runs) {
    launch_copy(exec, verb, label, runs, 0);
  } else if constexpr (runs_on_device<Exec>) {
    CopyTiles<T> const tiled(p, stage_of_copy<CopyTiles<T>>(Vendor::device_limits(exec)));
    launch_copy(exec, verb, label, tiled, std::size_t(tiled.stage) + 16);
  } else {
    launch_copy(exec, verb, label, CopyTiles<T>(p), 0);
  }
}

}  // namespace Batchwork::Impl

#endif
