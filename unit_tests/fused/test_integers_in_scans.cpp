// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Integers and bools as the carry of a scan, and the indices of items and steps, also in a user's
// own kernel.
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

/// A call with only integers has packs that fill a register with integers.
TEST(IntegersInScans, WidthOfPacks) {
  using Doubles = Impl::FirstScalar<void, std::int32_t, bool, double, float>::type;
  using Integers = Impl::FirstScalar<void, bool, std::int64_t>::type;
  using Truths = Impl::FirstScalar<bool>::type;
  static_assert(std::is_same_v<Doubles, double> && std::is_same_v<Truths, std::int32_t>);
  static_assert(std::is_same_v<Integers, std::int32_t>);
}

/// y = t(k)
struct LookUp {
  template <class Y, class K, class T>
  KOKKOS_FUNCTION void operator()(Y& y, K const& k, T const& t) const {
    y = element(t(k), 0);
  }
};
template <class F>
std::string message_of(F const& f) {
  try {
    f();
  } catch (std::invalid_argument const& e) {
    return e.what();
  }
  return "nothing was thrown";
}
TEST(IntegersInScans, Misuse) {
  Kokkos::View<double*, Space> const y("y", 4);
  Kokkos::View<int*, Space> const k("k", 4);
  Kokkos::View<double**, Space> const t("t", 6, 3);
  EXPECT_NE(message_of([&] {
              map(Numbers{}, nothing(), nothing(), item_index());
            }).find("no operand has an item index"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              map(LookUp{}, out(y), in(k), table(extents<4>(t)));
            }).find("operand 3, table(\"t\") [View (6, 3), tile 4]: the View's own extents differ"),
            std::string::npos);
  Kokkos::View<double* [3], Kokkos::LayoutRight, Space> const all("all", 4);
  auto const part = Kokkos::subview(all, Kokkos::ALL, 0);
  EXPECT_NE(message_of([&] {
              map(LookUp{}, out(part), in(k), table(all));
            }).find("is written and shares elements with"),
            std::string::npos);
  EXPECT_NO_THROW(map(LookUp{}, out(y), in(k), table(extents<3>(t))));
}

/// z k + k
struct Turns {
  template <class Y, class Z, class K>
  KOKKOS_FUNCTION void operator()(Y& y, Z const& z, K const& k) const {
    y = z * k + k;
  }
};
TEST(IntegersInScans, ComplexNumbers) {
  using Number = Kokkos::complex<double>;
  std::int64_t const n = 11;
  BatchIn<Number, Left> y(n), z(n);
  BatchIn<std::int32_t, Left> k(n);
  for (std::int64_t q = 0; q < n; ++q) {
    z.at(q) = Number(0.5, double(q));
    k.at(q) = int(q) - 4;
  }
  z.upload(), k.upload();
  map(Turns{}, out(y.view()), in(z.view()), in(k.view()));
  y.download();
  for (std::int64_t q = 0; q < n; ++q)
    EXPECT_TRUE(y.at(q) == Number(1.5 * double(q - 4), double(q * (q - 4)))) << "item " << q;
}

}  // namespace
}  // namespace Batchwork::Test
