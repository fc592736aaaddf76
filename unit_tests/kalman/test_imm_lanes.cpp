// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The interacting multiple model estimator on lanes that share an item, run on threads of the host.
#include "ImmCase.hpp"
#include "fused/ScanByLanes.hpp"

namespace Batchwork::Test {
namespace {

TEST(Imm, RunsOnLanesThatShareAnItem) {
  agrees_with_the_reference<double, 3, 2, 3>(
      [](int steps, auto const& sequence, auto const&... operands) {
        scan_by_lanes<8>(32, 19, steps, sequence, Impl::resolve(operands)...);
      });
}

}  // namespace
}  // namespace Batchwork::Test
