// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of qr and least_squares, and the choice among them.
#ifndef BATCHWORK_QRKERNELS_HPP
#define BATCHWORK_QRKERNELS_HPP

#include <algorithm>

#include "dense/decompositions/detail/Batchwork_ItemInPanels.hpp"
#include "dense/decompositions/detail/Batchwork_LeastSquaresByPanels.hpp"
#include "dense/decompositions/detail/Batchwork_QrByPanels.hpp"
#include "dense/decompositions/detail/Batchwork_QrChoice.hpp"
#include "dense/decompositions/detail/Batchwork_QrLanes.hpp"
#include "dense/decompositions/detail/Batchwork_QrLaunch.hpp"
#include "dense/decompositions/detail/Batchwork_QrOfItems.hpp"
#include "dense/decompositions/detail/Batchwork_QrOfSharedLanes.hpp"
#include "dense/decompositions/detail/Batchwork_QrOfTiles.hpp"
#include "launch/detail/Batchwork_EmptyItems.hpp"
#include "launch/detail/Batchwork_LaneLaunch.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

template <class T, class Exec>
void QrLaunch<T, Exec>::run(Exec const& exec, Call const& call, QrProblem<T> const& p,
                            GivenWorkspace<T> const& workspace) {
  if (std::min(p.m, p.n) == 0) {
    if (workspace.asks()) return;
    // No reflections: all of Q, if it is wanted, is the identity (LAPACK's orgqr), and R has no
    // numbers.
    KnownNumbers<T> all_of_q;
    if (p.columns_of_q > 0) all_of_q = {p.q.storage, p.m, p.columns_of_q, T(1)};
    return launch_empty_items(exec, call, p.status, p.items, all_of_q);
  }
  if (p.items == 0) return;
  QrOfItems<T> const f{p};
  auto const by_lane = [&] {
    return with_known_extent<extent_of_lane>(std::max(p.m, p.n), [&]<int N>(KnownExtent<N>) {
      launch_lanes(exec, call, QrOfLane<T, N>{f});
    });
  };
  auto const rest = [&] { launch_by_panels<QrByPanels>(exec, call, workspace, f); };
  if constexpr (runs_on_device<Exec>) {
    launch_chosen_decomposition(
        call, workspace, choose_qr<T>(p.m, p.n, p.columns_of_q, Vendor::has_shuffles), f, rest,
        [&](KernelChoice const& c) {
          if (c.kind == KernelKind::by_lane) return by_lane();
          return c.kind == KernelKind::by_lanes ? launch_qr_of_shared_lanes(exec, call, f, c.extent)
                                                : launch_qr_of_tiles(exec, call, f, c.extent);
        },
        tuned_call<T, Exec>(p.a.items_near, p.m, p.n, p.columns_of_q));
  } else if (workspace.asks() || !by_lane()) {
    rest();
  }
}

template <class T, class Exec>
void LeastSquaresLaunch<T, Exec>::run(Exec const& exec, Call const& call,
                                      LeastSquaresProblem<T> const& p,
                                      GivenWorkspace<T> const& workspace) {
  if (p.n == 0 || p.columns == 0) {
    // Zeros, as LAPACK's gels has it.
    if (!workspace.asks())
      launch_empty_items<T>(exec, call, p.status, p.items,
                            {p.x.storage, p.shortest ? p.m : p.n, p.columns, T(0)});
    return;
  }
  if (p.items == 0) return;
  LeastSquaresOfItems<T> const f{p};
  auto const by_lane = [&] {
    return with_known_extent<extent_of_lane>(
        p.m, [&]<int N>(KnownExtent<N>) { launch_lanes(exec, call, LeastSquaresOfLane<T, N>{f}); });
  };
  auto const rest = [&] { launch_by_panels<LeastSquaresByPanels>(exec, call, workspace, f); };
  if constexpr (runs_on_device<Exec>)
    launch_chosen_decomposition(
        call, workspace,
        choose_least_squares(p.m, std::max(f.rows(), f.cols()), Vendor::has_shuffles), f, rest,
        [&](KernelChoice const&) { return by_lane(); },
        tuned_call<T, Exec>(p.a.items_near, p.m, p.n, p.columns));
  else if (workspace.asks() || !by_lane()) rest();
}

}  // namespace Batchwork::Impl

#endif
