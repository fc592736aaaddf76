// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of solve_tridiagonal with one matrix for all items, and the choice among them.
#ifndef BATCHWORK_TRIDIAGONALCOMMONKERNELS_HPP
#define BATCHWORK_TRIDIAGONALCOMMONKERNELS_HPP

#include <algorithm>
#include <cstdint>

#include "banded/detail/Batchwork_TridiagonalCommonHost.hpp"
#include "banded/detail/Batchwork_TridiagonalCommonLaunch.hpp"
#include "banded/detail/Batchwork_TridiagonalCommonTeams.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_EmptyItems.hpp"
#include "launch/detail/Batchwork_RangeLaunch.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"

namespace Batchwork::Impl {

template <class Kernel, class Exec, class T>
void launch_common_tridiagonal_teams(Exec const& exec, Call const& call,
                                     TridiagonalCommonProblem<T> const& p, bool by_rows) {
  DeviceLimits const limits = Vendor::device_limits(exec);
  std::int64_t const multiprocessors =
      std::max<std::int64_t>(limits.multiprocessors, exec.concurrency() / 2048);
  launch_kernel(
      exec, kernel_label(call.verb, call.label), Kernel(p, by_rows, multiprocessors), [&] {
        return LaunchWords{call.verb, "the right-hand sides",
                           "solve with Views (item, row) of the bands, which need less scratch"};
      });
}

template <int Rows, class Exec, class T>
void launch_common_tridiagonal_host(Exec const& exec, Call const& call,
                                    TridiagonalCommonProblem<T> const& p) {
  // A factorisation costs as much as some items.
  constexpr int at_once = TridiagonalCommonHost<T, Rows>::at_once;
  std::int64_t const threads = exec.concurrency(),
                     share = std::clamp<std::int64_t>(p.items / (8 * threads), 128, 1 << 16),
                     per_chunk = (share + at_once - 1) / at_once * at_once;
  launch_range(exec, kernel_label(call.verb, call.label), (p.items + per_chunk - 1) / per_chunk,
               TridiagonalCommonHost<T, Rows>{p, per_chunk});
}

template <class T, class Exec>
void TridiagonalCommonLaunch<T, Exec>::run(Exec const& exec, Call const& call,
                                           TridiagonalCommonProblem<T> const& p) {
  if (p.n == 0) return launch_empty_items<T>(exec, call, p.status, p.items);
  if (p.items == 0) return;
  if constexpr (runs_on_device<Exec>) {
    bool const by_rows = !items_are_near(p.b, p.n, 1);
    if (p.n <= 9)
      launch_common_tridiagonal_teams<TridiagonalCommonTeams<T, 9>>(exec, call, p, by_rows);
    else if (by_rows)
      launch_common_tridiagonal_teams<TridiagonalCommonTeams<T, 17>>(exec, call, p, true);
    else launch_common_tridiagonal_teams<TridiagonalCommonTeams<T, 32>>(exec, call, p, false);
  } else {
    if (p.n <= 64) launch_common_tridiagonal_host<64>(exec, call, p);
    else if (p.n <= 512) launch_common_tridiagonal_host<512>(exec, call, p);
    else launch_common_tridiagonal_host<most_tridiagonal_rows>(exec, call, p);
  }
}

}  // namespace Batchwork::Impl

#endif
