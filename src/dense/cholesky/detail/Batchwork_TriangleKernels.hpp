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
#include "dense/cholesky/detail/Batchwork_TriangleChoice.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleHost.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleLanes.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleLaunch.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_ChunkLaunch.hpp"
#include "launch/detail/Batchwork_EmptyItems.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"

namespace Batchwork::Impl {

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
  constexpr std::int64_t many = 1 << 20;
  if (columns > many)
    call.fail(call.parts[1].name() + " has " + std::to_string(columns) +
              " right-hand sides, more than the limit of " + std::to_string(many) +
              "; solve for them in several calls");
  p.n = int(std::min(n, many));
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
    if (launch_triangle_lanes<Factors>(exec, call, p)) return;
    with_kernel<Factors>(
        p, limits, [&]<class Kernel>() { launch_triangle_kernel<Kernel>(exec, call, p, limits); });
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
