// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of solve_tridiagonal, and the choice among them.
#ifndef BATCHWORK_TRIDIAGONALKERNELS_HPP
#define BATCHWORK_TRIDIAGONALKERNELS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string>

#include "banded/detail/Batchwork_TridiagonalChoice.hpp"
#include "banded/detail/Batchwork_TridiagonalHost.hpp"
#include "banded/detail/Batchwork_TridiagonalInRegisters.hpp"
#include "banded/detail/Batchwork_TridiagonalLaunch.hpp"
#include "banded/detail/Batchwork_TridiagonalPivoted.hpp"
#include "banded/detail/Batchwork_TridiagonalPivotedHost.hpp"
#include "banded/detail/Batchwork_TridiagonalStaged.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_EmptyItems.hpp"
#include "launch/detail/Batchwork_RangeLaunch.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"

namespace Batchwork::Impl {

template <class Exec, class Kernel>
void launch_tridiagonal_teams(Exec const& exec, Call const& call, Kernel const& kernel) {
  TeamShape const shape{kernel.teams(), kernel.team(), kernel.bytes()};
  auto const words = [&] {
    return LaunchWords{
        call.verb,
        "the systems of " + call.parts[1].name() + " with " + std::to_string(kernel.p.n) + " rows",
        "use smaller systems"};
  };
  constexpr int lanes = Kernel::largest_team, teams = Kernel::wanted_teams;
  std::string const label = kernel_label(call.verb, call.label);
  if constexpr (requires { Kernel::may_want_too_many; })
    launch_teams_that_fit<lanes, teams>(exec, label, kernel, shape, words);
  else launch_teams<lanes, teams>(exec, label, kernel, shape, words);
}

template <int R, bool Alone, int Lanes = Alone ? 128 : lanes_of_parts, class Exec, class T>
void launch_tridiagonal_in_registers(Exec const& exec, Call const& call,
                                     TridiagonalProblem<T> const& p, TridiagonalChoice const& how,
                                     bool side_by_side) {
  launch_tridiagonal_teams(exec, call,
                           TridiagonalInRegisters<T, R, Alone, Lanes>(p, how, side_by_side));
}

template <class Kernel, class Exec, class T>
void launch_tridiagonal_host(Exec const& exec, Call const& call, TridiagonalProblem<T> const& p) {
  // Chunks that are worth starting, and enough of them for every thread; whole packs.
  std::int64_t const least = 64 * std::clamp<std::int64_t>(256 / p.n, 1, 64);
  std::int64_t const share = p.items / (16 * std::int64_t(exec.concurrency())) / 64 * 64;
  std::int64_t const per_chunk = std::clamp<std::int64_t>(share, least, 16 * least);
  launch_range(exec, kernel_label(call.verb, call.label), (p.items + per_chunk - 1) / per_chunk,
               Kernel(p, per_chunk));
}

/// Whether most operands have neighbouring items side by side.
template <class T>
bool items_are_side_by_side(TridiagonalProblem<T> const& p) {
  int const count = int(items_are_near(p.lower, p.n, 1)) + int(items_are_near(p.diagonal, p.n, 1)) +
                    int(items_are_near(p.upper, p.n, 1)) + int(items_are_near(p.b, p.n, 1)) +
                    int(items_are_near(p.x, p.n, 1));
  return count > 2;
}

/// Rows are eliminated as they stand.
template <class Exec, class T>
void launch_tridiagonal(Exec const& exec, Call const& call, TridiagonalProblem<T> const& p) {
  if constexpr (runs_on_device<Exec>) {
    bool const side_by_side = items_are_side_by_side(p);
    auto const how = choose_tridiagonal<T>(
        side_by_side, p.n,
        std::min(Vendor::device_limits(exec).scratch_of_team, scratch_of_a_team));
    switch (how.kernel) {
      case TridiagonalKernel::alone:
        if (p.n <= 8) launch_tridiagonal_in_registers<8, true>(exec, call, p, how, true);
        else if (p.n <= 16) launch_tridiagonal_in_registers<16, true>(exec, call, p, how, true);
        else if (p.n <= 32) launch_tridiagonal_in_registers<32, true>(exec, call, p, how, true);
        else launch_tridiagonal_in_registers<most_rows_alone<T>, true>(exec, call, p, how, true);
        break;
      case TridiagonalKernel::in_registers:
        if (how.team() > lanes_of_parts)
          launch_tridiagonal_in_registers<most_rows_in_registers<T>, false, lanes_of_many_parts>(
              exec, call, p, how, side_by_side);
        else
          launch_tridiagonal_in_registers<most_rows_in_registers<T>, false>(exec, call, p, how,
                                                                            side_by_side);
        break;
      case TridiagonalKernel::staged:
        launch_tridiagonal_teams(exec, call, TridiagonalStaged<T>(p, how));
        break;
    }
  } else {
    if (p.n <= 64) launch_tridiagonal_host<TridiagonalHost<T, 64, 4>>(exec, call, p);
    else if (p.n <= 512) launch_tridiagonal_host<TridiagonalHost<T, 512, 2>>(exec, call, p);
    else launch_tridiagonal_host<TridiagonalHost<T, most_tridiagonal_rows, 1>>(exec, call, p);
  }
}
/// Rows are exchanged for the largest pivot.
template <class Exec, class T>
void launch_tridiagonal_pivoted(Exec const& exec, Call const& call,
                                TridiagonalProblem<T> const& p) {
  if constexpr (runs_on_device<Exec>) {
    bool const side_by_side = items_are_side_by_side(p);
    launch_tridiagonal_teams(
        exec, call, TridiagonalPivoted<T>(p, choose_pivoted<T>(side_by_side, p.n), side_by_side));
  } else if (p.n <= 512) {
    launch_tridiagonal_host<TridiagonalPivotedHost<T, 512>>(exec, call, p);
  } else {
    launch_tridiagonal_host<TridiagonalPivotedHost<T, most_tridiagonal_rows>>(exec, call, p);
  }
}

template <class T, TridiagonalPivots Pivots, class Exec>
void TridiagonalLaunch<T, Pivots, Exec>::run(Exec const& exec, Call const& call,
                                             TridiagonalProblem<T> const& p) {
  if (p.n == 0) return launch_empty_items<T>(exec, call, p.status, p.items);
  if (p.items == 0) return;
  if constexpr (Pivots == TridiagonalPivots::largest) launch_tridiagonal_pivoted(exec, call, p);
  else launch_tridiagonal(exec, call, p);
}

}  // namespace Batchwork::Impl

#endif
