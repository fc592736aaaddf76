// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of direct_lu by lanes of a warp that share items.
#ifndef BATCHWORK_DIRECTLANESKERNELS_HPP
#define BATCHWORK_DIRECTLANESKERNELS_HPP

#include <type_traits>

#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "krylov/direct/detail/Batchwork_DirectLaunch.hpp"
#include "krylov/direct/detail/Batchwork_DirectOfSharedLanes.hpp"
#include "krylov/direct/detail/Batchwork_DirectRuns.hpp"

namespace Batchwork::Impl {

/// Calls f with the rows of the kernel for so many rows, an integral constant.
template <class Run>
auto with_direct_rows(int rows, Run const& f) {
  switch (direct_rows_for(rows)) {
    case 8: return f(std::integral_constant<int, 8>());
    case 12: return f(std::integral_constant<int, 12>());
    case 16: return f(std::integral_constant<int, 16>());
    case 24: return f(std::integral_constant<int, 24>());
    default: return f(std::integral_constant<int, 32>());
  }
}

template <class T, class Exec>
bool DirectLanesLaunch<T, Exec>::run([[maybe_unused]] Exec const& exec,
                                     [[maybe_unused]] SystemCall const& call,
                                     [[maybe_unused]] DirectProblem<T> const& p,
                                     [[maybe_unused]] DeviceLimits const& limits) {
  if constexpr (Vendor::has_shuffles && runs_on_device<Exec>) {
    if (p.n > direct_rows_of_lanes || p.columns != 1 || p.growth != nullptr ||
        p.condition != nullptr)
      return false;
    return with_direct_rows(p.n, [&](auto rows) {
      DirectOfSharedLanes<T, decltype(rows)::value> const kernel(p, limits);
      if (!kernel.fits(limits) || !kernel.is_worth_it(limits)) return false;
      launch_direct_kernel(exec, call, kernel);
      return true;
    });
  } else {
    return false;
  }
}

}  // namespace Batchwork::Impl

#endif
