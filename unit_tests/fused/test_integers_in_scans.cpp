// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Integers and bools that go from step to step, and the numbers of items and steps, also in a kernel of the user's own.
#include "fused/IntegersCase.hpp"

namespace Batchwork::Test {
namespace {

auto const by_scan = [](std::int64_t steps, auto const&... arguments) {
  scan(steps, arguments...);
};
template <int W>
auto const by_scan_of_width = [](std::int64_t steps, auto const&... arguments) {
  scan(launch(width<W>), steps, arguments...);
};

TEST(IntegersInScans, Count) {
  expect_count<double, Left>(21, 6, by_scan);
  expect_count<float, Right>(19, 5, by_scan);
  expect_count<double, CompactBy<4>>(7, 3, by_scan_of_width<2>);
  expect_count<float, Strided>(3, 0, by_scan);
}

struct Numbers {
  template <class Y, class Z, class N>
  KOKKOS_FUNCTION void operator()(Y& y, Z& z, N const& n) const {
    y = n;
    z = 0.5 * n;
  }
};
template <class Group>
struct ByTeams {
  Group group;
  std::int64_t items;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::int64_t const first = member.league_rank() * 10, last = first + 10;
    group(member, first, last < items ? last : items);
  }
};
TEST(IntegersInScans, ItemsOfAKernelOfTheUser) {
  std::int64_t const n = 27;
  BatchIn<std::int64_t, Right> y(n);
  BatchIn<double, Left> z(n);
  auto const group = team_map<Space>(Numbers{}, out(y.view()), out(z.view()), item_index());
  Kokkos::TeamPolicy<Space> policy(3, 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(group.scratch_size(1))));
  Kokkos::parallel_for(policy, ByTeams<std::remove_cvref_t<decltype(group)>>{group, n});
  y.download(), z.download();
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(y.at(k), k);
    EXPECT_EQ(z.at(k), 0.5 * double(k));
  }
}

/// A call of integers alone has packs as wide as these fill a register.
TEST(IntegersInScans, WidthOfPacks) {
  using Doubles = Impl::FirstScalar<void, std::int32_t, bool, double, float>::type;
  using Integers = Impl::FirstScalar<void, bool, std::int64_t>::type;
  using Truths = Impl::FirstScalar<bool>::type;
  static_assert(std::is_same_v<Doubles, double> && std::is_same_v<Truths, std::int32_t>);
  static_assert(std::is_same_v<Integers, std::int32_t>);
}

TEST(IntegersInScans, NoItems) {
  Kokkos::View<double*, Space> const t("t", 3);
  EXPECT_THROW(map(Numbers{}, nothing(), nothing(), item_index()), std::invalid_argument);
  Kokkos::View<double**, Space> const null;
  BatchIn<double, Left> y(4), z(4);
  EXPECT_NO_THROW(map(Numbers{}, out(y.view()), out(z.view()), item_index()));
  (void)null, (void)t;
}

}  // namespace
}  // namespace Batchwork::Test
