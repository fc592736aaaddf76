// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of lu, solve_lu, inverse and determinant, and the choice among them.
#ifndef BATCHWORK_LUKERNELS_HPP
#define BATCHWORK_LUKERNELS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "dense/lu/detail/Batchwork_InverseOfSharedLanes.hpp"
#include "dense/lu/detail/Batchwork_InverseRows.hpp"
#include "dense/lu/detail/Batchwork_InverseTeams.hpp"
#include "dense/lu/detail/Batchwork_LuChoice.hpp"
#include "dense/lu/detail/Batchwork_LuHost.hpp"
#include "dense/lu/detail/Batchwork_LuLanes.hpp"
#include "dense/lu/detail/Batchwork_LuLaunch.hpp"
#include "dense/lu/detail/Batchwork_LuOfSharedLanes.hpp"
#include "dense/lu/detail/Batchwork_LuTeams.hpp"
#include "dense/lu/detail/Batchwork_LuTiles.hpp"
#include "dense/lu/detail/Batchwork_SolutionOfSharedLanes.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_ChosenLaunch.hpp"
#include "launch/detail/Batchwork_ChunkLaunch.hpp"
#include "launch/detail/Batchwork_EmptyItems.hpp"
#include "launch/detail/Batchwork_ItemsOfLanes.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"

namespace Batchwork::Impl {

inline auto lu_launch_words(Call const& call, int n) {
  return [&call, n] {
    return LaunchWords{
        call.verb,
        "the matrices of " + call.parts[0].name() + " with " + std::to_string(n) + " rows",
        "use smaller matrices"};
  };
}
/// Launches a kernel with bounds for so many teams, more than it wants, of up to so many lanes.
/// \returns false, and launches nothing, if Lanes is 0, where the team is larger, or where a
/// multiprocessor has too little scratch
template <int Lanes, int Teams, class Kernel, class Exec>
bool launch_small_teams(Exec const& exec, Call const& call, Kernel const& kernel,
                        DeviceLimits const& limits) {
  if constexpr (Lanes > 0) {
    TeamShape const shape = shape_of(kernel);
    if (shape.lanes <= Lanes && limits.holds(Teams, shape.lanes, shape.bytes)) {
      launch_teams<Lanes, Teams>(exec, kernel_label(call.verb, call.label), kernel, shape,
                                 lu_launch_words(call, kernel.p.n));
      return true;
    }
  }
  return false;
}
template <class T, bool Large, class Exec>
void launch_lu_teams(Exec const& exec, Call const& call, LuProblem<T> const& p,
                     DeviceLimits const& limits) {
  using Kernel = LuTeams<T, Large>;
  Kernel const kernel(p, limits);
  if (launch_small_teams<Kernel::small_team, Kernel::wanted_small_teams>(exec, call, kernel,
                                                                         limits))
    return;
  launch_kernel_that_fits(exec, kernel_label(call.verb, call.label), kernel,
                          lu_launch_words(call, p.n));
}
/// \returns false, and launches nothing, where a team has too little scratch for it
template <class Kernel, class T, class Exec>
bool launch_lu_kernel(Exec const& exec, Call const& call, LuProblem<T> const& p,
                      DeviceLimits const& limits) {
  Kernel const kernel(p, limits);
  if (!kernel.fits(limits)) return false;
  launch_kernel(exec, kernel_label(call.verb, call.label), kernel, lu_launch_words(call, p.n));
  return true;
}
/// \returns false, and launches nothing, where a multiprocessor has too little scratch for it
template <class Kernel, class T, class Exec>
bool launch_inverse_teams(Exec const& exec, Call const& call, LuProblem<T> const& p,
                          DeviceLimits const& limits) {
  Kernel const kernel(p);
  if (!kernel.fits(limits)) return false;
  constexpr int small = Kernel::small_team, middle = Kernel::middle_team;
  if (!(kernel.team() > small
            ? launch_small_teams<middle, Kernel::wanted_middle_teams>(exec, call, kernel, limits)
            : launch_small_teams<small, Kernel::wanted_small_teams>(exec, call, kernel, limits)))
    launch_kernel(exec, kernel_label(call.verb, call.label), kernel, lu_launch_words(call, p.n));
  return true;
}
template <class T, int N, LuTask Task>
using LuBySharedLanes =
    std::conditional_t<Task == LuTask::solution, SolutionOfSharedLanes<T, N>,
                       std::conditional_t<Task == LuTask::inverses, InverseOfSharedLanes<T, N>,
                                          LuOfSharedLanes<T, N, Task>>>;

/// \returns false, and launches nothing, where the device has too little scratch for the kernel
template <LuTask Task, class T, class Exec>
bool launch_lu(LuChoice const& c, Exec const& exec, Call const& call, LuProblem<T> const& p,
               DeviceLimits const& limits) {
  if (c.kind == KernelKind::by_lane) return launch_lu_lanes<Task>(exec, call, p);
  if constexpr (Vendor::has_shuffles) {
    constexpr int shared = lu_rows_of_lanes(Task);
    if (c.kind == KernelKind::by_lanes)
      return with_extent<12, 16, 24, 32>(c.extent, [&]<int N>(KnownExtent<N>) {
        if constexpr (N > shared) return false;
        else return launch_lu_kernel<LuBySharedLanes<T, N, Task>>(exec, call, p, limits);
      });
    if (c.kind == KernelKind::by_warps)
      return with_extent<16, 24, 32, 40, 48, 56, 64>(c.extent, [&]<int N>(KnownExtent<N>) {
        if constexpr (N <= shared) return false;
        else if constexpr (Task != LuTask::inverses)
          return launch_lu_kernel<LuTiles<T, N / 8, Task>>(exec, call, p, limits);
        else if constexpr (N <= inverse_rows_of_warps<T>())
          return launch_lu_kernel<InverseRows<T, N>>(exec, call, p, limits);
        else return false;
      });
    if constexpr (Task == LuTask::inverses)
      if ((inverse_rows_of_lane<T>(p.n) == 3 &&
           launch_inverse_teams<InverseTeams<T, 3>>(exec, call, p, limits)) ||
          launch_inverse_teams<InverseTeams<T, 2>>(exec, call, p, limits))
        return true;
  } else if (p.n <= lu_rows_of_warp) {
    launch_lu_teams<T, false>(exec, call, p, limits);
    return true;
  }
  launch_lu_teams<T, true>(exec, call, p, limits);
  return true;
}
template <class T, int Rows, class Exec>
void launch_lu_host(Exec const& exec, Call const& call, LuProblem<T> const& p) {
  launch_chunks(exec, kernel_label(call.verb, call.label), p.items, 64 / p.n,
                [&](std::int64_t per_chunk) { return LuHost<T, Rows>{p, per_chunk}; });
}

/// Matrices without rows: LAPACK's info is 0, and the determinant, a product of nothing, is one.
template <class Exec, class T>
void launch_lu_of_no_rows(Exec const& exec, Call const& call, LuProblem<T> const& p) {
  KnownNumbers<T> determinant, logarithm;
  if (p.result == LuResult::determinant) determinant = {p.x, 1, 1, T(1)};
  if (p.log_size.data != nullptr) logarithm = {p.log_size, 1, 1, T(0)};
  launch_empty_items(exec, call, p.status, p.items, determinant, logarithm);
}

template <class T, LuTask Task, class Exec>
void LuLaunch<T, Task, Exec>::run(Exec const& exec, Call const& call, std::int64_t n,
                                  std::int64_t columns, LuProblem<T> p,
                                  GivenWorkspace<T> const& workspace) {
  if (LuInWorkspaceLaunch<T, Exec>::run(exec, call, n, columns, p, workspace)) return;
  call.check_columns(columns, most_lu_sides);
  p.n = int(std::min(n, most_lu_sides));
  p.columns = int(columns);
  p.items = call.parts[0].d.items;
  if (p.n == 0) return launch_lu_of_no_rows(exec, call, p);
  if constexpr (runs_on_device<Exec>) {
    DeviceLimits const limits = Vendor::device_limits(exec);
    int const most =
        LuTeams<T, true>::most_rows(limits.scratch_of_team, p.result == LuResult::solutions);
    call.check_size(0, p.n, most,
                    "the " + std::to_string(limits.scratch_of_team) + " bytes of team scratch");
    if (!p.writes_something()) return;
    launch_chosen(
        call, choose_lu<T>(Task, p.n, Vendor::has_shuffles, most),
        [&] { return matrices_of(p.n, p.n); },
        [&](LuChoice const& c) { return launch_lu<Task>(c, exec, call, p, limits); },
        tuned_call<T, Exec>(items_are_near(p.a, p.n, p.n), p.n, p.n, p.columns));
  } else {
    call.check_size(0, p.n, lu_rows_on_host, "a host's buffers");
    if (!p.writes_something()) return;
    if (launch_lu_lanes<Task>(exec, call, p)) return;
    if (p.n <= 64) launch_lu_host<T, 64>(exec, call, p);
    else launch_lu_host<T, lu_rows_on_host>(exec, call, p);
  }
}

}  // namespace Batchwork::Impl

#endif
