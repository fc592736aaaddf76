// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of eigh, and the choice among them.
#ifndef BATCHWORK_EIGHKERNELS_HPP
#define BATCHWORK_EIGHKERNELS_HPP

#include "dense/decompositions/detail/Batchwork_DecompositionInWorkspace.hpp"
#include "dense/decompositions/detail/Batchwork_EighByReflections.hpp"
#include "dense/decompositions/detail/Batchwork_EighChoice.hpp"
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

/// A team an item: by EighOfTeams in scratch or in a workspace, else as before these, or by
/// rotations.
template <class T, class Exec>
void launch_larger_eigh(Exec const& exec, Call const& call, EighOfItems<T> const& f,
                        GivenWorkspace<T> const& workspace) {
  bool const any = call.kernel == KernelKind::fastest,
             panels = call.kernel == KernelKind::by_panels;
  if constexpr (Vendor::has_shuffles) {
    if (f.n > eigh_rows_of_warps<T>() && f.n <= eigh_rows_of_teams &&
        call.kernel != KernelKind::in_scratch) {
      if ((any || panels) && !workspace.asks() && launch_eigh_of_teams(exec, call, f)) return;
      if (launch_eigh_of_teams_in_workspace(exec, call, f, workspace)) return;
    }
  }
  if (any && !workspace.asks() && f.n <= rows_by_reflections(4) &&
      launch_eigh_by_reflections(exec, call, f, rows_by_reflections(f.n <= 64 ? 2 : 4)))
    return;
  if (panels) expect_workspace_wanted(call, [&] { return matrices_of(f.n, f.n); });
  launch_decomposition_anywhere(exec, call, workspace, f);
}

template <class T, class Exec>
void EighLaunch<T, Exec>::run(Exec const& exec, Call const& call, EighProblem<T> const& p,
                              GivenWorkspace<T> const& workspace) {
  if (p.n == 0) {
    if (!workspace.asks()) launch_empty_items<T>(exec, call, p.status, p.items);
    return;
  }
  if (p.items == 0) return;
  EighOfItems<T> const f{p};
  auto const by_lane = [&] {
    return with_known_extent<extent_of_lane>(
        p.n, [&]<int N>(KnownExtent<N>) { launch_lanes(exec, call, EighOfLane<T, N>{f}); });
  };
  if constexpr (runs_on_device<Exec>) {
    launch_chosen_decomposition(
        call, workspace, choose_eigh<T>(p.n, Vendor::has_shuffles), f,
        [&] { launch_larger_eigh(exec, call, f, workspace); },
        [&](KernelChoice const& c) {
          if (c.kind == KernelKind::by_lane) return by_lane();
          return c.kind == KernelKind::by_lanes
                     ? launch_eigh_of_shared_lanes(exec, call, f, c.extent)
                     : launch_eigh_by_reflections(exec, call, f, c.extent);
        },
        tuned_call<T, Exec>(p.a.items_near, p.n, p.n, p.stores_vectors ? p.n : 0));
  } else if (workspace.asks() || !by_lane()) {
    launch_decomposition_anywhere(exec, call, workspace, EighOfThreads<T>(f));
  }
}

}  // namespace Batchwork::Impl

#endif
