// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of cholesky, solve_cholesky, solve_lower and solve_upper, and the choice among them.
#ifndef BATCHWORK_TRIANGLEKERNELS_HPP
#define BATCHWORK_TRIANGLEKERNELS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "dense/cholesky/detail/Batchwork_CholeskyPanels.hpp"
#include "dense/cholesky/detail/Batchwork_PanelScratch.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleChoice.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleColumns.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleHost.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleLanes.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleLaunch.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleTeams.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_ChosenLaunch.hpp"
#include "launch/detail/Batchwork_ChunkLaunch.hpp"
#include "launch/detail/Batchwork_EmptyItems.hpp"
#include "launch/detail/Batchwork_ItemsOfLanes.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"

namespace Batchwork::Impl {

/// Runs f.template operator()<Kernel>() for CholeskyPanels. \returns whether an item of n rows fits
/// into scratch, if a smaller kernel may
template <class T, class F>
bool with_panels(KernelChoice const& c, int n, DeviceLimits const& limits, F const& f) {
  if (c.extent == 16) f.template operator()<CholeskyPanels<T, 8, 2>>();
  else if (c.extent == 32) f.template operator()<CholeskyPanels<T, 16, 2>>();
  else if (c.lanes == 32) f.template operator()<CholeskyPanels<T, 32, 2>>();
  else if constexpr (sizeof(T) == 8) {
    if (CholeskyPanels<T, 16, 4>::bytes_of_warp(n) > limits.scratch_of_team) return false;
    f.template operator()<CholeskyPanels<T, 16, 4>>();
  }
  return true;
}
/// For TriangleColumns.
template <class T, class F>
bool with_columns(KernelChoice const& c, F const& f) {
  return with_extent<8, 16, 32, 48, 64>(c.extent, [&]<int N>(KnownExtent<N>) {
    f.template operator()<TriangleColumns<T, N / 8>>();
    return true;
  });
}
/// For TriangleTeams.
template <class T, class F>
bool with_teams(KernelChoice const& c, F const& f) {
  if (c == triangle_teams) f.template operator()<TriangleTeams<T, triangle_in_scratch>>();
  else
    return with_extent<16, 32, 40, 48, 56, 64>(c.extent, [&]<int N>(KnownExtent<N>) {
      f.template operator()<TriangleTeams<T, N / 8>>();
      return true;
    });
  return true;
}
/// What the choice depends on. Strides may be negative.
template <class T>
TriangleArrangement arrangement_of(TriangleProblem<T> const& p) {
  auto const near = [&](auto const& s) { return items_are_near(s, p.n, p.columns); };
  auto const suits = [&](auto const& s) {
    return p.columns == 1 || near(s) || !rows_are_near(s, p.n, p.columns);
  };
  PanelTravel const travel = PanelTravel::of(p.a, p.n, false);
  return {near(p.b) && near(p.x), suits(p.b) && suits(p.x), travel.by.by_items || travel.wide};
}

template <class Kernel, class Exec, class T>
void launch_triangle_kernel(Exec const& exec, Call const& call, TriangleProblem<T> const& p,
                            DeviceLimits const& limits) {
  Kernel const kernel(p, limits);
  auto const words = [&] {
    return LaunchWords{
        call.verb,
        "the matrices of " + call.parts[0].name() + " with " + std::to_string(p.n) + " rows",
        "use smaller matrices"};
  };
  std::string const label = kernel_label(call.verb, call.label);
  // Items may take the scratch that more teams would need.
  if constexpr (Kernel::always_fits) launch_kernel(exec, label, kernel, words);
  else launch_kernel_that_fits(exec, label, kernel, words);
}

/// \returns false, and launches nothing, where the device has too little scratch for the kernel
template <bool Factors, class T, class Exec>
bool launch_triangle(KernelChoice const& c, Exec const& exec, Call const& call,
                     TriangleProblem<T> const& p, DeviceLimits const& limits) {
  if (c.kind == KernelKind::by_lane) return launch_triangle_lanes<Factors>(exec, call, p);
  auto const launch = [&]<class Kernel>() {
    launch_triangle_kernel<Kernel>(exec, call, p, limits);
  };
  if constexpr (Factors) {
    return c.kind == KernelKind::by_panels ? with_panels<T>(c, p.n, limits, launch)
                                           : with_teams<T>(c, launch);
  } else {
    if (c.kind == KernelKind::by_panels) return with_columns<T>(c, launch);
    launch.template operator()<TriangleTeams<T, triangle_of_solve>>();
    return true;
  }
}

/// The most rows of an item that fits into so many bytes of scratch.
template <class T>
int most_triangle_rows(std::size_t scratch, bool with_sides) {
  int tiles = 1;
  auto const bytes = [&](int t) {
    return std::size_t(TriangleScratch{t}.item_numbers(with_sides ? 1 : 0)) * sizeof(T) + 32;
  };
  while (bytes(tiles + 1) <= scratch) ++tiles;
  return 8 * tiles;
}

template <class T, int Rows, class Exec>
void launch_triangle_host(Exec const& exec, Call const& call, TriangleProblem<T> const& p) {
  launch_chunks(exec, kernel_label(call.verb, call.label), p.items, 64 / p.n,
                [&](std::int64_t per_chunk) { return TriangleHost<T, Rows>{p, per_chunk}; });
}

template <class T, TriangleTask Task, class Exec>
void TriangleLaunch<T, Task, Exec>::run(Exec const& exec, Call const& call, std::int64_t n,
                                        std::int64_t columns, TriangleProblem<T> p) {
  constexpr bool Factors = Task == TriangleTask::factors;
  call.check_columns(columns, most_triangle_sides);
  p.n = int(std::min(n, most_triangle_sides));
  p.columns = int(columns);
  p.items = call.parts[0].d.items;
  p.factors = Factors;
  if (p.n == 0) return launch_empty_items<T>(exec, call, p.status, p.items);
  // Without right-hand sides the matrix still gives the status (LAPACK's posv and trtrs).
  bool const solves = p.forward || p.backward,
             asks = p.items > 0 && (!solves || columns > 0 || p.status.wanted());
  if constexpr (runs_on_device<Exec>) {
    DeviceLimits const limits = Vendor::device_limits(exec);
    call.check_size(0, p.n, most_triangle_rows<T>(limits.scratch_of_team, solves),
                    "the " + std::to_string(limits.scratch_of_team) + " bytes of team scratch");
    if (!asks) return;
    auto const work = !Factors          ? TriangleWork::solve
                      : p.stores_factor ? TriangleWork::factor
                                        : TriangleWork::solve_by_factor;
    launch_chosen(
        call, choose_triangle<T>(work, p.n, p.columns, arrangement_of(p)),
        [&] { return matrices_of(p.n, p.n); },
        [&](KernelChoice const& c) { return launch_triangle<Factors>(c, exec, call, p, limits); },
        tuned_call<T, Exec>(items_are_near(p.a, p.n, p.n), p.n, p.n, p.columns));
  } else {
    call.check_size(0, p.n, triangle_rows_on_host, "a host's buffers");
    if (!asks) return;
    if (p.n <= 32) launch_triangle_host<T, 32>(exec, call, p);
    else if (p.n <= 64) launch_triangle_host<T, 64>(exec, call, p);
    else if (p.n <= 128) launch_triangle_host<T, 128>(exec, call, p);
    else launch_triangle_host<T, triangle_rows_on_host>(exec, call, p);
  }
}

}  // namespace Batchwork::Impl

#endif
