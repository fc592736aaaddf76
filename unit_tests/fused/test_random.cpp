// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random numbers as an operand of map, scan and team_map: the numbers of the documented address, in
// every arrangement and with packs of several widths.
#include "fused/RandomCase.hpp"

namespace Batchwork::Test {
namespace {

auto const by_map = [](std::int64_t, auto const&... arguments) { map(arguments...); };
template <int W>
auto const by_width =
    [](std::int64_t, auto const&... arguments) { map(launch(width<W>), arguments...); };
auto const by_scan = [](std::int64_t, auto const& steps, auto const&... arguments) {
  scan(steps, arguments...);
};

/// The published vectors of Random123 (kat_vectors, philox4x32 10).
TEST(RandomNumbers, KnownAnswers) {
  struct Answer {
    Words counter;
    std::uint32_t key[2];
    Words bits;
  };
  Answer const answers[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  Impl::PhiloxWords<4> wide;
  for (auto const& a : answers) {
    EXPECT_EQ(philox_of_paper(a.counter, a.key[0], a.key[1]), a.bits);
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t l = 0; l < 4; ++l) wide.w[k][l] = a.counter[k];
    Impl::philox(wide, Impl::PhiloxKey(std::uint64_t(a.key[1]) << 32 | a.key[0]));
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t l = 0; l < 4; ++l) EXPECT_EQ(wide.w[k][l], a.bits[k]) << k << " " << l;
  }
}
TEST(RandomNumbers, UpperProducts) {
  Random random(3);
  for (int k = 0; k < 1000; ++k) {
    auto const any = [&] { return std::uint64_t(random(0, 0x1p63)) * 2 + std::uint64_t(k % 2); };
    std::uint64_t const a = k == 0 ? ~0ull : any(), b = k < 2 ? ~0ull : any();
    EXPECT_EQ(Impl::upper_product(a, b), std::uint64_t((unsigned __int128)(a)*b >> 64));
  }
}
TEST(RandomNumbers, OfMap) {
  for (std::int64_t n : {0, 1, 39}) expect_drawn<double, std::int32_t, Left>(n, by_map);
  expect_drawn<float, std::int64_t, Right>(37, by_map);
  expect_drawn<float, std::int32_t, CompactBy<8>>(19, by_width<2>);
  expect_drawn<double, std::int64_t, Strided>(21, by_width<1>);
}
TEST(RandomNumbers, OfScan) {
  for (std::int64_t n : {0, 1, 19}) expect_walk<float, Left>(n, 6, by_scan);
  expect_walk<double, Right>(9, {2, 7, false}, by_scan);
  expect_walk<double, Right>(9, {2, 7, true}, by_scan);
}
TEST(RandomNumbers, AfterRoundsOfSomeItems) {
  expect_until_small<float>(43, by_map);
  expect_until_small<double>(43, by_width<1>);
}

TEST(RandomNumbers, Refused) {
  EXPECT_THROW(random(1, -1), std::invalid_argument);
  EXPECT_THROW(random(1, std::int64_t(1) << 32), std::invalid_argument);
  EXPECT_THROW(random(1, 0, -1), std::invalid_argument);
  EXPECT_THROW(random(1, 0, std::int64_t(1) << 40), std::invalid_argument);
}

/// Noise of each step in a kernel of the user.
struct Noise {
  template <class X, class R>
  KOKKOS_FUNCTION void operator()(X& x, R& r) const {
    x = uniform<3>(r);
  }
};
template <class Group>
struct CallsGroup {
  Group group;
  int items, per_team;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const first = member.league_rank() * per_team;
    group(member, first, first + per_team < items ? first + per_team : items);
  }
};
TEST(RandomNumbers, OfTeamMap) {
  constexpr int items = 39, per_team = 16;
  BatchIn<float, Left, 3> x(items);
  auto const group = team_map<Space>(Noise{}, out(x.view()), random<float>(5, 9));
  Kokkos::TeamPolicy<Space> policy(3, 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(group.scratch_size(1))));
  Kokkos::parallel_for("noise", policy, CallsGroup<decltype(group)>{group, items, per_team});
  x.download();
  for (int item = 0; item < items; ++item)
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(x.at(item, i), (Expected{5, 9, std::uint64_t(item)}.uniform<float>(0, i)));
}

}  // namespace
}  // namespace Batchwork::Test
