// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Launches the kernels of lu, solve_lu, inverse and determinant for items in a workspace.
#ifndef BATCHWORK_LUINWORKSPACEKERNELS_HPP
#define BATCHWORK_LUINWORKSPACEKERNELS_HPP

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "dense/lu/detail/Batchwork_InverseTeams.hpp"
#include "dense/lu/detail/Batchwork_LuInWorkspace.hpp"
#include "dense/lu/detail/Batchwork_LuLaunch.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_ChosenLaunch.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"

namespace Batchwork::Impl {

template <class T, class Exec>
bool LuInWorkspaceLaunch<T, Exec>::run(Exec const& exec, Call const& call, std::int64_t n,
                                       std::int64_t columns, LuProblem<T> p,
                                       GivenWorkspace<T> const& workspace) {
  p.items = call.parts[0].d.items;
  std::int64_t most = lu_rows_on_host;
  std::string there = "a host's buffers";
  if constexpr (runs_on_device<Exec>) {
    std::size_t const scratch = Vendor::device_limits(exec).scratch_of_team;
    most = LuTeams<T, true>::most_rows(scratch, p.result == LuResult::solutions);
    there = "the " + std::to_string(scratch) + " bytes of team scratch";
  }
  bool const wanted_there =
      runs_on_device<Exec> && n > 0 && call.kernel == KernelKind::in_workspace;
  if (n <= most && !wanted_there) return workspace.asks();
  if (columns > most_lu_sides) return false;
  call.check_size(0, n, lu_rows_in_workspace, "a workspace");
  p.n = int(n);
  p.columns = int(columns);
  std::size_t const bytes = LuSlot::of(p).bytes(sizeof(T));
  if (p.items == 0 || (!workspace.asks() && !p.writes_something())) return true;
  if (runs_on_device<Exec>) expect_workspace_wanted(call, [&] { return matrices_of(p.n, p.n); });
  SlotsWanted const wanted{call.parts[0].name() + " has " + std::to_string(n) + " rows, " +
                               (wanted_there ? "in " + name_of(call.kernel)
                                             : "more than the " + std::to_string(most) +
                                                   " for which there is room in " + there) +
                               "; an item needs " + std::to_string(bytes) + " bytes",
                           bytes, slots_at_once(exec, p.items, LuTeamsInWorkspace<T>::team())};
  launch_in_workspace(call, workspace, wanted, [&](WorkspaceSlots<T> const& slots) {
    if constexpr (runs_on_device<Exec>) {
      auto const run_kernel = [&](auto const& kernel) {
        launch_kernel(exec, kernel_label(call.verb, call.label), kernel, [&] {
          return LaunchWords{call.verb, "the matrices of " + call.parts[0].name(),
                             "use smaller matrices"};
        });
      };
      if constexpr (Vendor::has_shuffles) {
        using Inverse = InverseTeamsInWorkspace<T>;
        if (p.inverts() && Inverse::fits(p.n, Vendor::device_limits(exec)))
          return run_kernel(Inverse(p, slots, LuSlot::of(p).leading));
      }
      run_kernel(LuTeamsInWorkspace<T>(p, slots));
    } else {
      launch_slots_on_host(exec, call, slots.count, LuHostInWorkspace<T>(p, slots));
    }
  });
  return true;
}

}  // namespace Batchwork::Impl

#endif
