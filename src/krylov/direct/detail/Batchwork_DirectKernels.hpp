// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of direct solves other than those of tiles and of shared lanes, and the choice among
/// all of them.
#ifndef BATCHWORK_DIRECTKERNELS_HPP
#define BATCHWORK_DIRECTKERNELS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "krylov/direct/detail/Batchwork_DirectChoice.hpp"
#include "krylov/direct/detail/Batchwork_DirectLaunch.hpp"
#include "krylov/direct/detail/Batchwork_DirectPacks.hpp"
#include "krylov/direct/detail/Batchwork_DirectRows.hpp"
#include "krylov/direct/detail/Batchwork_DirectRuns.hpp"
#include "krylov/direct/detail/Batchwork_DirectTiles.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"

namespace Batchwork::Impl {

/// Whether a host eliminates packs of items.
inline bool direct_by_packs(std::int64_t rows, std::int64_t items) {
  return rows <= direct_rows_in_packs && items > 1;
}

template <class T, class F, class Exec>
std::int64_t DirectSizes<T, F, Exec>::rows_on_chip([[maybe_unused]] Exec const& exec) {
  if constexpr (runs_on_device<Exec>)
    return DirectTeams<T, F>::most_rows(Vendor::device_limits(exec).scratch_of_team);
  else return direct_rows_on_host;
}
template <class T, class F, class Exec>
SlotsWanted DirectSizes<T, F, Exec>::slots(Exec const& exec, std::int64_t rows,
                                           std::int64_t items) {
  using Kernel = DirectTeamsInWorkspace<T, F>;
  std::size_t const bytes = Kernel::room_of(int(rows)).bytes();
  return {"systems of " + std::to_string(rows) + " rows, more than the " +
              std::to_string(rows_on_chip(exec)) +
              " that stay on the chip with direct_lu; an item needs " + std::to_string(bytes) +
              " bytes",
          bytes, slots_at_once(exec, items, Kernel::team())};
}
template <class T, class F, class Exec>
DirectKept DirectSizes<T, F, Exec>::kept([[maybe_unused]] Exec const& exec, std::int64_t rows,
                                         std::int64_t items) {
  using InSlots = DirectTeamsInWorkspace<T, F>;
  int const n = int(rows);
  if constexpr (!runs_on_device<Exec>) {
    using Packs = DirectPacks<T, F, DirectTask::factorise>;
    if (direct_by_packs(rows, items))
      return {DirectPlace::packs, typename Packs::Room{n}.bytes(), Packs::packs(items)};
  } else if (rows <= rows_on_chip(exec)) {
    if constexpr (Vendor::has_shuffles) {
      DeviceLimits const limits = Vendor::device_limits(exec);
      std::size_t bytes = 0;
      if (rows <= direct_rows_in_tiles)
        with_direct_tiles(n, [&](auto tiles) {
          using Kernel = DirectTiles<T, decltype(tiles)::value>;
          if (Kernel::item_fits(limits)) bytes = Kernel::kept_bytes;
          return true;
        });
      if (bytes > 0) return {DirectPlace::tiles, bytes, items};
    }
    return {DirectPlace::teams, DirectTeams<T, F>::room_of(n).kept_bytes(), items};
  }
  return {DirectPlace::slots, InSlots::room_of(n).kept_bytes(), items};
}

/// On devices, where there is room on the chip.
template <DirectTask Task, class F, class T, class Exec>
void launch_direct_teams(Exec const& exec, SystemCall const& call, DirectProblem<T> const& p) {
  auto const limits = Vendor::device_limits(exec);
  DirectWork const work{p.n, p.items, p.columns, Task == DirectTask::whole,
                        p.growth != nullptr || p.condition != nullptr};
  for (KernelChoice const& c : choose_direct<T>(work, Vendor::has_shuffles, limits)) {
    if (c.kind == KernelKind::by_lanes) {
      if constexpr (Task == DirectTask::whole)
        if (DirectLanesLaunch<T, Exec>::run(exec, call, p, limits, c.extent)) return;
    } else if (c.kind == KernelKind::by_warps || c.kind == KernelKind::by_panels) {
      if (launch_direct_tiles<Task>(exec, call, p, limits)) return;
    } else {
      break;
    }
  }
  using Kernel = DirectTeams<T, F, Task>;
  Kernel const kernel(p);
  launch_kernel_that_fits(exec, kernel_label(call.verb, call.label), kernel,
                          [&] { return call.launch_words(p.n); });
}
template <DirectTask Task, class F, class T, class Exec>
void launch_direct_packs(Exec const& exec, SystemCall const& call, DirectProblem<T> const& p) {
  using Kernel = DirectPacks<T, F, Task>;
  launch_direct_chunks(exec, call, p.n, Kernel::packs(p.items),
                       [&](std::int64_t per_chunk) { return Kernel{p, per_chunk}; });
}

template <class T, DirectTask Task, class F, class Exec>
void DirectLaunch<T, Task, F, Exec>::in_slots(Exec const& exec, SystemCall const& call,
                                              DirectProblem<T> const& p,
                                              WorkspaceSlots<T> const& slots) {
  if constexpr (runs_on_device<Exec>) {
    using Kernel = DirectTeamsInWorkspace<T, F, Task>;
    launch_direct_kernel(exec, call, Kernel(p, slots));
  } else {
    launch_slots_on_host(exec, call, slots.count, DirectHostInWorkspace<T, F, Task>{p, slots});
  }
}

template <class T, DirectTask Task, class F, class Exec>
void DirectLaunch<T, Task, F, Exec>::run(Exec const& exec, SystemCall const& call,
                                         DirectProblem<T> const& p,
                                         [[maybe_unused]] GivenWorkspace<T> const& workspace) {
  using Sizes = DirectSizes<T, F, Exec>;
  if (p.n == 0 || (Task != DirectTask::factorise && p.columns == 0))
    return launch_empty_direct(exec, call, p);
  if constexpr (Task == DirectTask::whole) {
    if (p.n > Sizes::rows_on_chip(exec)) {
      launch_in_workspace(call, workspace, Sizes::slots(exec, p.n, p.items),
                          [&](WorkspaceSlots<T> const& slots) { in_slots(exec, call, p, slots); });
      return;
    }
  } else {
    if (Sizes::kept(exec, p.n, p.items).place == DirectPlace::slots)
      return in_slots(exec, call, p, p.kept);
  }
  if constexpr (runs_on_device<Exec>) {
    launch_direct_teams<Task, F>(exec, call, p);
  } else if constexpr (Task == DirectTask::whole) {
    if (direct_by_packs(p.n, p.items)) return launch_direct_packs<Task, F>(exec, call, p);
    launch_direct_chunks(exec, call, p.n, p.items,
                         [&](std::int64_t per_chunk) { return DirectHost<T, F>{p, per_chunk}; });
  } else {
    launch_direct_packs<Task, F>(exec, call, p);
  }
}

}  // namespace Batchwork::Impl

#endif
