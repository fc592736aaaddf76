// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The steps of nonlinear filters on lanes that share an item, run on threads of the host.
#include "NonlinearCase.hpp"
#include "fused/ScanByLanes.hpp"

namespace Batchwork::Test {
namespace {

TEST(NonlinearSteps, RunOnLanesThatShareAnItem) {
  auto const by_lanes = [](int steps, auto const& sequence, auto const&... operands) {
    scan_by_lanes<8>(32, Targets<double>::items, steps, sequence, Impl::resolve(operands)...);
  };
  track<double, NonlinearFilter::unscented, Kokkos::LayoutLeft>(by_lanes);
  track<double, NonlinearFilter::iterated, Kokkos::LayoutLeft>(by_lanes, 2);
  // Nothing is beyond this gate.
  track<double, NonlinearFilter::extended, Kokkos::LayoutLeft>(by_lanes, 1, {}, Kalman::gate(1e9));
}

}  // namespace
}  // namespace Batchwork::Test
