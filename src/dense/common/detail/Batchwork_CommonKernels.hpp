// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels for one matrix and the right-hand sides of all items, and the choice among them.
#ifndef BATCHWORK_COMMONKERNELS_HPP
#define BATCHWORK_COMMONKERNELS_HPP

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "core/detail/backend/Batchwork_MatrixInstructions.hpp"
#include "dense/common/detail/Batchwork_CommonHost.hpp"
#include "dense/common/detail/Batchwork_CommonLanes.hpp"
#include "dense/common/detail/Batchwork_CommonLaunch.hpp"
#include "dense/common/detail/Batchwork_CommonTiles.hpp"
#include "launch/detail/Batchwork_ChosenLaunch.hpp"
#include "launch/detail/Batchwork_EmptyItems.hpp"
#include "launch/detail/Batchwork_ItemsOfLanes.hpp"
#include "launch/detail/Batchwork_KernelChoice.hpp"
#include "launch/detail/Batchwork_RangeLaunch.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"

namespace Batchwork::Impl {

/// Rows of the largest matrix of warps: what a warp has of the right-hand sides in registers.
inline constexpr int common_rows_of_warp = 128;

/// Matrix instructions compute in double for float, too.
inline constexpr bool common_by_warps = Vendor::chains_matrices<double>;
/// Rows of the largest matrix of lanes: where there are matrix instructions, numbers in double
/// leave a lane too few registers.
template <class T>
inline constexpr int common_rows_of_lane = common_by_warps && sizeof(T) == 8 ? 16 : 64;

/// The kernels for n rows, the fastest first.
/// \param near  neighbouring lanes read neighbouring numbers
/// Measured (2026-11-28, float on one H100, double on one H200): lanes are faster to 24 rows in
/// float and 8 in double. Where each lane reads a contiguous column, they are to 24 bytes of it.
template <class T>
constexpr Candidates<> choose_common(int n, bool near) {
  Candidates<> r;
  int const rows = extent_from({8, 16, 24, 32, 48, 64, 96, 128}, n);
  auto const by_lane = [&] {
    if (rows > 0 && rows <= common_rows_of_lane<T>) r.add({KernelKind::by_lane, rows, 1});
  };
  bool const lanes_first = near ? n <= (sizeof(T) == 4 ? 24 : 8) : n * int(sizeof(T)) <= 24;
  if (lanes_first) by_lane();
  if (rows > 0 && common_by_warps) r.add({KernelKind::by_warps, rows, 32});
  if (!lanes_first) by_lane();
  return r;
}

/// \returns false, and launches nothing, where the device has too little scratch
template <class T, class Exec>
bool launch_common(KernelChoice const& c, Exec const& exec, Call const& call,
                   CommonProblem<T> const& p, DeviceLimits const& limits) {
  std::int64_t const multiprocessors =
      std::max<std::int64_t>(limits.multiprocessors, exec.concurrency() / 2048);
  auto const launch = [&]<class Kernel>() {
    if (Kernel::bytes() > limits.scratch_of_team) return false;
    launch_kernel(exec, kernel_label(call.verb, call.label), Kernel(p, multiprocessors), [&] {
      return LaunchWords{call.verb, "the right-hand sides", "use a smaller matrix"};
    });
    return true;
  };
  bool launched = false;
  if (c.kind == KernelKind::by_warps) {
    if constexpr (common_by_warps)
      with_extent<8, 16, 24, 32, 48, 64, 96, 128>(c.extent, [&]<int N>(KnownExtent<N>) {
        return launched = launch.template operator()<CommonTiles<T, N / 8>>();
      });
  } else {
    with_extent<8, 16, 24, 32, 48, 64>(c.extent, [&]<int N>(KnownExtent<N>) {
      if constexpr (N <= common_rows_of_lane<T>)
        launched = launch.template operator()<CommonLanes<T, N / 8>>();
      return true;
    });
  }
  return launched;
}

template <class T, int Rows, class Exec>
void launch_common_host(Exec const& exec, Call const& call, CommonProblem<T> p) {
  // A factorisation costs as much as the substitutions of n / 3 columns.
  std::int64_t const threads = exec.concurrency(), all = p.all_columns(),
                     worth = std::min<std::int64_t>(8 * p.n, (all + threads - 1) / threads),
                     wanted = std::max(worth, all / (8 * threads)),
                     at_once = CommonHost<T, Rows>::at_once;
  p.divide((wanted + at_once - 1) / at_once * at_once, threads);
  launch_range(exec, kernel_label(call.verb, call.label), p.units, CommonHost<T, Rows>{p});
}

template <class T, class Exec>
void CommonLaunch<T, Exec>::run(Exec const& exec, Call const& call, CommonProblem<T> p) {
  if (p.n == 0) return launch_empty_items<T>(exec, call, p.status, p.items);
  constexpr bool on_device = runs_on_device<Exec>;
  constexpr int most = !on_device        ? common_rows_on_host
                       : common_by_warps ? common_rows_of_warp
                                         : common_rows_of_lane<T>;
  call.check_size(0, p.n, most, on_device ? "the registers of lanes" : "a host's buffers");
  // Without right-hand sides the matrix still gives the status.
  if (p.items == 0 || (p.columns == 0 && !p.status.wanted())) return;
  if (p.columns == 0) {
    // Any number stands for a right-hand side.
    p.columns = 1;
    p.b = {p.a.data, 1, 0, 0, 0, 0};
    p.x = {nullptr, 1, 0, 0, 0, 0};
  }
  if constexpr (on_device) {
    DeviceLimits const limits = Vendor::device_limits(exec);
    launch_chosen(
        call, choose_common<T>(p.n, p.columns_are_near(p.b, 0, 2)),
        [&] { return matrices_of(p.n, p.n); },
        [&](KernelChoice const& c) { return launch_common(c, exec, call, p, limits); });
  } else {
    if (p.n <= 64) launch_common_host<T, 64>(exec, call, p);
    else launch_common_host<T, common_rows_on_host>(exec, call, p);
  }
}

}  // namespace Batchwork::Impl

#endif
