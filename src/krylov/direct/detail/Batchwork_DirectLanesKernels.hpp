// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of direct_lu by lanes of a warp that share items.
#ifndef BATCHWORK_DIRECTLANESKERNELS_HPP
#define BATCHWORK_DIRECTLANESKERNELS_HPP

#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "krylov/direct/detail/Batchwork_DirectLaunch.hpp"
#include "krylov/direct/detail/Batchwork_DirectOfSharedLanes.hpp"
#include "krylov/direct/detail/Batchwork_DirectRuns.hpp"
#include "launch/detail/Batchwork_ChosenLaunch.hpp"

namespace Batchwork::Impl {

template <class T, class Exec>
bool DirectLanesLaunch<T, Exec>::run([[maybe_unused]] Exec const& exec,
                                     [[maybe_unused]] SystemCall const& call,
                                     [[maybe_unused]] DirectProblem<T> const& p,
                                     [[maybe_unused]] DeviceLimits const& limits,
                                     [[maybe_unused]] int extent) {
  if constexpr (Vendor::has_shuffles && runs_on_device<Exec>) {
    return with_extent<8, 12, 16, 24, 32>(extent, [&](auto rows) {
      DirectOfSharedLanes<T, decltype(rows)::value> const kernel(p, limits);
      if (!kernel.fits(limits)) return false;
      launch_direct_kernel(exec, call, kernel);
      return true;
    });
  } else {
    return false;
  }
}

}  // namespace Batchwork::Impl

#endif
