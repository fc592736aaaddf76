// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of svd for items that lanes hold in registers, and the choice among them.
#ifndef BATCHWORK_SVDKERNELS_HPP
#define BATCHWORK_SVDKERNELS_HPP

#include "dense/decompositions/detail/Batchwork_SvdChoice.hpp"
#include "dense/decompositions/detail/Batchwork_SvdLanes.hpp"
#include "dense/decompositions/detail/Batchwork_SvdLaunch.hpp"
#include "dense/decompositions/detail/Batchwork_SvdOfItems.hpp"
#include "dense/decompositions/detail/Batchwork_SvdOfSharedLanes.hpp"
#include "launch/detail/Batchwork_ChosenLaunch.hpp"
#include "launch/detail/Batchwork_EmptyItems.hpp"
#include "launch/detail/Batchwork_LaneLaunch.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

template <class T, SvdTask Task, class Exec>
void SvdLaunch<T, Task, Exec>::run(Exec const& exec, Call const& call, SvdProblem<T> const& p,
                                   GivenWorkspace<T> const& workspace) {
  constexpr bool Vectors = Task == SvdTask::vectors;
  if (p.n == 0) {
    if (!workspace.asks()) launch_empty_items<T>(exec, call, p.status, p.items);
    return;
  }
  if (p.items == 0) return;
  SvdOfItems<T> const f{p};
  auto const by_lane = [&] {
    return with_known_extent<extent_of_lane>(
        p.n, [&]<int N>(KnownExtent<N>) { launch_lanes(exec, call, SvdOfLane<T, N, Vectors>{f}); });
  };
  auto const in_memory = [&] { SvdInMemoryLaunch<T, Exec>::run(exec, call, p, workspace); };
  if (workspace.asks()) return in_memory();
  if constexpr (runs_on_device<Exec>) {
    launch_chosen(
        call, choose_svd<T>(p.m, p.n, Vendor::has_shuffles), [&] { return matrices_of(p.m, p.n); },
        [&](KernelChoice const& c) {
          if (c.kind == KernelKind::by_lane) return by_lane();
          if (c.kind == KernelKind::by_lanes)
            return launch_svd_of_shared_lanes<Vectors>(exec, call, f, c.extent);
          in_memory();
          return true;
        },
        tuned_call<T, Exec>(p.a.items_near, p.m, p.n, Vectors ? p.n : 0));
  } else if (p.m != p.n || !by_lane()) {
    in_memory();
  }
}

}  // namespace Batchwork::Impl

#endif
