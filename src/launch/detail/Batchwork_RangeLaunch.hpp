// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Launches a kernel over a range of indices.
#ifndef BATCHWORK_RANGELAUNCH_HPP
#define BATCHWORK_RANGELAUNCH_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>

#include "launch/detail/Batchwork_KernelRegion.hpp"

namespace Batchwork::Impl {

/// kernel(i) for each i in 0 .. count - 1. On devices the kernel is an argument of the launch, see
/// team_policy.
template <class Exec, class Kernel>
void launch_range(Exec const& exec, std::string const& label, std::int64_t count,
                  Kernel const& kernel) {
  using namespace Kokkos::Experimental;
  KernelRegion const region(label, kernel);
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> const policy(exec, 0, count);
  Kokkos::parallel_for(label, require(policy, WorkItemProperty::HintLightWeight), kernel);
}

}  // namespace Batchwork::Impl

#endif
