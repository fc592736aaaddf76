// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of svd for other items than those that lanes hold in registers.
#ifndef BATCHWORK_SVDINMEMORYKERNELS_HPP
#define BATCHWORK_SVDINMEMORYKERNELS_HPP

#include "dense/decompositions/detail/Batchwork_DecompositionInWorkspace.hpp"
#include "dense/decompositions/detail/Batchwork_SvdByReflections.hpp"
#include "dense/decompositions/detail/Batchwork_SvdChoice.hpp"
#include "dense/decompositions/detail/Batchwork_SvdLaunch.hpp"
#include "dense/decompositions/detail/Batchwork_SvdOfItems.hpp"
#include "dense/decompositions/detail/Batchwork_SvdOfThreads.hpp"
#include "dense/decompositions/detail/Batchwork_SvdOfTiles.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

template <class T, class Exec>
void SvdInMemoryLaunch<T, Exec>::run(Exec const& exec, Call const& call, SvdProblem<T> const& p,
                                     GivenWorkspace<T> const& workspace) {
  SvdOfItems<T> const f{p};
  if constexpr (runs_on_device<Exec>) {
    bool const panels = call.kernel == KernelKind::by_panels;
    if ((panels || call.kernel == KernelKind::fastest) &&
        launch_svd_of_tiles(exec, call, workspace, f))
      return;
    if (panels) expect_workspace_wanted(call, [&] { return matrices_of(p.m, p.n); });
    launch_chosen_decomposition(
        call, workspace, choose_svd<T>(p.m, p.n, Vendor::has_shuffles), f,
        [&] { launch_decomposition_anywhere(exec, call, workspace, f); },
        [&](KernelChoice const& c) {
          return c.kind == KernelKind::by_warps && launch_svd_by_reflections(exec, call, f);
        });
  } else {
    launch_decomposition_anywhere(exec, call, workspace, SvdOfThreads<T>(f, large_host_buffer));
  }
}

}  // namespace Batchwork::Impl

#endif
