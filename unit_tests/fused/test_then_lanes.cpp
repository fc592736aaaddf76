// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sequences composed with then and on in device kernels: with one item for each lane, and with
// lanes that share an item.
#include "MapByLanes.hpp"
#include "ThenCase.hpp"

namespace Batchwork::Test {
namespace {

template <int L>
struct RunByLanes {
  int team;
  std::int64_t items;
  template <class Sequence, class... O>
  void operator()(Sequence const& sequence, O const&... operands) const {
    map_by_lanes<L>(team, items, sequence, Impl::resolve(operands)...);
  }
};

TEST(ThenByLanes, StepsOfAFilter) {
  check_covariances<double, Left, 3, 2>(7, RunByLanes<1>{4, 7});
  check_covariances<double, Right, 5, 2>(11, RunByLanes<4>{32, 11});
  check_covariances<float, Left, 9, 3>(7, RunByLanes<8>{32, 7});
}
TEST(ThenByLanes, TilesOfEveryStructure) {
  check_tiles_handed_over<float, Right, 3>(7, RunByLanes<1>{4, 7});
  check_tiles_handed_over<double, Left, 5>(11, RunByLanes<4>{32, 11});
}

}  // namespace
}  // namespace Batchwork::Test
