// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of direct solves that hold items in registers by tiles.
#ifndef BATCHWORK_DIRECTTILESKERNELS_HPP
#define BATCHWORK_DIRECTTILESKERNELS_HPP

#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "krylov/direct/detail/Batchwork_DirectLaunch.hpp"
#include "krylov/direct/detail/Batchwork_DirectRuns.hpp"
#include "krylov/direct/detail/Batchwork_DirectTiles.hpp"

namespace Batchwork::Impl {

template <class T, DirectTask Task, int First, int Last, class Exec>
bool DirectTilesLaunch<T, Task, First, Last, Exec>::run(
    [[maybe_unused]] Exec const& exec, [[maybe_unused]] SystemCall const& call,
    [[maybe_unused]] DirectProblem<T> const& p, [[maybe_unused]] DeviceLimits const& limits) {
  if constexpr (Vendor::has_shuffles && runs_on_device<Exec>) {
    if (p.n > direct_rows_in_tiles) return false;
    return with_direct_tiles(p.n, [&](auto tiles) {
      constexpr int down = decltype(tiles)::value;
      if constexpr (down < First || down > Last) {
        return false;
      } else {
        using Kernel = DirectTiles<T, down, Task>;
        Kernel const kernel(p, limits);
        if (!kernel.fits(limits)) return false;
        if constexpr (direct_may_list<down, Task>) {
          DirectTiles<T, down, Task, true> const with_list(p, limits);
          if (with_list.is_worth_it(kernel, limits)) {
            launch_direct_kernel(exec, call, with_list);
            return true;
          }
        }
        launch_direct_kernel(exec, call, kernel);
        return true;
      }
    });
  } else {
    return false;
  }
}

}  // namespace Batchwork::Impl

#endif
