// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans over ranges of steps in device kernels: with one item for each lane, and with lanes that
// share an item.
#include "ScanByLanes.hpp"
#include "ScanOrderCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T, class Layout, int N, int L>
void check_by_lanes(int team, std::int64_t n) {
  check_orders<T, Layout, N>(
      n, [&](Impl::Steps const& steps, auto const& sequence, auto const&... operands) {
        scan_by_lanes<L>(team, n, steps, sequence, Impl::resolve(operands)...);
      });
}

TEST(ScanOrderByLanes, LanesWithAnItem) {
  check_by_lanes<double, Left, 2, 1>(4, 7);
  check_by_lanes<float, Right, 4, 1>(4, 7);
}
TEST(ScanOrderByLanes, LanesThatShareAnItem) {
  check_by_lanes<double, Right, 4, 4>(32, 11);
  check_by_lanes<float, Left, 5, 8>(32, 7);
}

}  // namespace
}  // namespace Batchwork::Test
