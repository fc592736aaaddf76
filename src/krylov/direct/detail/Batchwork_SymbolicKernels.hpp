// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of direct solves by a pattern, and the kernels for the items that they leave.
#ifndef BATCHWORK_SYMBOLICKERNELS_HPP
#define BATCHWORK_SYMBOLICKERNELS_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "krylov/direct/detail/Batchwork_DirectLaunch.hpp"
#include "krylov/direct/detail/Batchwork_DirectRuns.hpp"
#include "krylov/direct/detail/Batchwork_ListsOfElimination.hpp"
#include "krylov/direct/detail/Batchwork_MarkedItems.hpp"
#include "krylov/direct/detail/Batchwork_SymbolicElimination.hpp"
#include "krylov/direct/detail/Batchwork_SymbolicLaunch.hpp"
#include "krylov/direct/detail/Batchwork_SymbolicPacks.hpp"
#include "krylov/direct/detail/Batchwork_SymbolicTeams.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"

namespace Batchwork::Impl {

/// Lanes of a device that eliminate an item: more than a warp where enough work is independent.
inline int lanes_by_pattern(SymbolicElimination const& e) {
  int lanes = lanes_of_warp;
  while (lanes < 256 && e.entries > 32 * std::int64_t(lanes)) lanes *= 2;
  return lanes;
}
template <class T, class Exec>
SymbolicAnalysis SymbolicLaunch<T, Exec>::analyse(SystemCall const& call,
                                                  std::vector<std::vector<int>> const& columns,
                                                  std::vector<int> const& order, int lanes) {
  std::int64_t const room = PlacesOfItem::most - 2 * std::int64_t(columns.size()) - 1;
  SymbolicElimination const e(columns, order, room);
  if (e.without_pivot >= 0)
    call.fail(
        "row " + std::to_string(e.without_pivot) +
        " has no entry of the diagonal when it becomes the pivot, and rows are not exchanged; "
        "store one, or give direct_lu() without a pattern");
  if (e.entries > room)
    call.fail("factors of more than " + std::to_string(room) + " entries" + remedy_of_symbolic());
  if (lanes == 0) lanes = lanes_by_pattern(e);
  return {ListsOfElimination(e, columns, lanes), e.order, e.products, e.levels, lanes};
}

template <class T, class Exec>
void launch_symbolic(Exec const& exec, SystemCall const& call, SymbolicProblem<T> const& p,
                     int lanes) {
  PlacesOfItem const& places = p.lists.places;
  if constexpr (runs_on_device<Exec>) {
    using Kernel = SymbolicTeams<T>;
    Kernel const kernel(p, lanes);
    launch_kernel_that_fits(exec, kernel_label(call.verb, call.label), kernel, [&] {
      return LaunchWords{call.verb, "factors of " + std::to_string(places.entries) + " entries",
                         "give direct_lu() without a pattern, or an iterative solver"};
    });
  } else {
    auto const run = [&]<int W>() {
      using Kernel = SymbolicPacks<T, W>;
      launch_direct_chunks(exec, call, p.of.n, Kernel::packs(p.of.items),
                           [&](std::int64_t per_chunk) { return Kernel{p, per_chunk}; });
    };
    constexpr int W = native_width<T>;
    if (p.of.items > 1 && SymbolicPacks<T, W>::bytes(places) <= bytes_of_symbolic_pack)
      run.template operator()<W>();
    else run.template operator()<1>();
  }
}
/// The kernel for the items that are left, with row exchanges, where they stay on the chip.
template <class T, class Exec>
void launch_marked(Exec const& exec, SystemCall const& call, DirectProblem<T> const& p) {
  if constexpr (runs_on_device<Exec>) {
    // The kernel of direct_lu, which is fast where many items are left, too.
    if constexpr (Vendor::has_shuffles) {
      if (launch_direct_tiles<DirectTask::whole, T>(exec, call, p, Vendor::device_limits(exec)))
        return;
    }
    using Kernel = MarkedItems<T>;
    Kernel const kernel(p, slots_at_once(exec, p.items, Kernel::team()));
    launch_kernel(exec, kernel_label(call.verb, call.label), kernel,
                  [&] { return call.launch_words(p.n); });
  } else {
    DirectLaunch<T, DirectTask::whole, T, Exec>::run(exec, call, p, {});
  }
}

template <class T, class Exec>
void SymbolicLaunch<T, Exec>::run(Exec const& exec, SystemCall const& call,
                                  SymbolicProblem<T> const& p, int lanes,
                                  GivenWorkspace<T> const& workspace) {
  using Sizes = DirectSizes<T, T, Exec>;
  if (p.of.n == 0 || p.of.columns == 0) return launch_empty_direct(exec, call, p.of, p.dense_form);
  if (!p.leaves_items) return launch_symbolic(exec, call, p, lanes);
  DirectProblem<T> left = p.of;
  left.only_marked = true;
  if (left.n <= Sizes::rows_on_chip(exec)) {
    launch_symbolic(exec, call, p, lanes);
    return launch_marked(exec, call, left);
  }
  SlotsWanted const wanted = Sizes::slots(exec, left.n, left.items);
  if (!workspace.is_given)
    call.fail("items with small pivots are eliminated as " + wanted.why +
              "; give workspace(view) of workspace_numbers(...) numbers, or set "
              "falls_back of direct_lu(symbolic) to false");
  launch_in_workspace(call, workspace, wanted, [&](WorkspaceSlots<T> const& slots) {
    launch_symbolic(exec, call, p, lanes);
    DirectLaunch<T, DirectTask::whole, T, Exec>::in_slots(exec, call, left, slots);
  });
}

}  // namespace Batchwork::Impl

#endif
