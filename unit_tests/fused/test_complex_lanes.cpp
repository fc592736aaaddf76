// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sequences over tiles of complex numbers in the kernels of a device, with one item for each lane.
// Host threads are the lanes.
#include "support/HostTeams.hpp"
#include "tile/ComplexCase.hpp"

namespace Batchwork::Test {
namespace {

template <int Team>
auto const by_lanes = [](auto const& sequence, auto const&... operands) {
  [&]<class Sequence, class... O>(Sequence const& s, O const&... o) {
    using Lanes = typename Impl::DividedLanes<0, Division<>, OneLane, Impl::bound_t<O>...>::type;
    using Group = Impl::MapGroup<Sequence, Lanes, Impl::bound_t<O>...>;
    static_assert(Group::lanes_per_item == 1 && Group::on_device);
    Group const group{{typename Group::Ops{{{Impl::bind(o)}...}}}, s};
    std::int64_t const items = Impl::check("map", 0, o...);
    // Two rounds of each team, so that prefetched items are used.
    std::size_t const scratch =
        Group::scratch_size(Team) + Group::fetch_bytes * std::size_t(Team) + 64;
    run_teams(Impl::DeviceKernel<Group>{group, items, 2 * Team},
              int((items + 2 * Team - 1) / (2 * Team)), Team, scratch);
  }(sequence, Impl::resolve(operands)...);
};

TEST(ComplexLanes, Products) {
  expect_complex_products<double, Left, 4, 3>(70, by_lanes<32>);
  expect_complex_products<float, Right, 5, 4>(33, by_lanes<32>);
}
TEST(ComplexLanes, Lu) {
  expect_complex_lu<double, Right, 3, 2>(70, by_lanes<32>);
  expect_complex_lu<float, Left, 5, 1>(33, by_lanes<32>);
}
TEST(ComplexLanes, Cholesky) {
  expect_complex_cholesky<double, Left, 3, 2>(70, by_lanes<32>);
  expect_complex_cholesky<float, Right, 5, 1>(33, by_lanes<32>);
}
TEST(ComplexLanes, Qr) {
  expect_complex_qr<double, Right, 4, 3, 2>(70, by_lanes<32>);
  expect_complex_qr<float, Left, 3, 5, 1>(33, by_lanes<32>);
}

}  // namespace
}  // namespace Batchwork::Test
