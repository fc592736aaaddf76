// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of eigh, and the choice among them.
#ifndef BATCHWORK_EIGHKERNELS_HPP
#define BATCHWORK_EIGHKERNELS_HPP

#include "dense/decompositions/detail/Batchwork_DecompositionInWorkspace.hpp"
#include "dense/decompositions/detail/Batchwork_EighByReflections.hpp"
#include "dense/decompositions/detail/Batchwork_EighLanes.hpp"
#include "dense/decompositions/detail/Batchwork_EighLaunch.hpp"
#include "dense/decompositions/detail/Batchwork_EighOfItems.hpp"
#include "dense/decompositions/detail/Batchwork_EighOfSharedLanes.hpp"
#include "dense/decompositions/detail/Batchwork_EighOfTeams.hpp"
#include "dense/decompositions/detail/Batchwork_EighOfThreads.hpp"
#include "launch/detail/Batchwork_EmptyItems.hpp"
#include "launch/detail/Batchwork_LaneLaunch.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

template <class T, class Exec>
void EighLaunch<T, Exec>::run(Exec const& exec, Call const& call, EighProblem<T> const& p,
                              GivenWorkspace<T> const& workspace) {
  if (p.n == 0) {
    if (!workspace.asks()) launch_empty_items<T>(exec, call, p.status, p.items);
    return;
  }
  if (p.items == 0) return;
  EighOfItems<T> const f{p};
  if (!workspace.asks()) {
    if (with_known_extent<extent_of_lane>(
            p.n, [&]<int N>(KnownExtent<N>) { launch_lanes(exec, call, EighOfLane<T, N>{f}); }))
      return;
    if constexpr (runs_on_device<Exec>) {
      if (launch_eigh_of_shared_lanes(exec, call, f)) return;
      if constexpr (Vendor::has_shuffles)
        if (launch_eigh_of_teams(exec, call, f)) return;
    }
  }
  if constexpr (runs_on_device<Exec> && Vendor::has_shuffles)
    if (launch_eigh_of_teams_in_workspace(exec, call, f, workspace)) return;
  if constexpr (runs_on_device<Exec>)
    if (!workspace.asks() && launch_eigh_by_reflections(exec, call, f)) return;
  if constexpr (runs_on_device<Exec>) launch_decomposition_anywhere(exec, call, workspace, f);
  else launch_decomposition_anywhere(exec, call, workspace, EighOfThreads<T>(f));
}

}  // namespace Batchwork::Impl

#endif
