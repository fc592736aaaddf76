// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every operation with inputs multiplied by powers of two, with one lane an item and with lanes
// that share an item.
#include "fused/MapByLanes.hpp"
#include "tile/ScalesCase.hpp"

namespace Batchwork::Test {
namespace {

template <int L>
auto items_by_lanes() {
  return [](std::int64_t items, auto const& sequence, auto const&... operands) {
    map_by_lanes<L>(L == 32 ? 64 : 32, items, sequence, Impl::resolve(operands)...);
  };
}

TEST(ScalesOfLanes, ALane) { everything_at_scales<double, 3>(items_by_lanes<1>()); }
TEST(ScalesOfLanes, ComplexLane) {
  eliminations_at_scales<Kokkos::complex<float>, 3>(items_by_lanes<1>());
}
TEST(ScalesOfLanes, TwoLanes) { everything_at_scales<float, 4>(items_by_lanes<2>()); }
TEST(ScalesOfLanes, EightLanes) { everything_at_scales<double, 9>(items_by_lanes<8>()); }
TEST(ScalesOfLanes, AWarp) { eliminations_at_scales<float, 12>(items_by_lanes<32>()); }

}  // namespace
}  // namespace Batchwork::Test
