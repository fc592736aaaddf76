// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Indexed operands of map: gathered, scattered and added, in every layout, with indices of every
// type, some of them out of range.
#include "fused/IndexedCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

auto const by_map = [](std::int64_t, auto const& sequence, auto const&... operands) {
  map(sequence, operands...);
};

struct Move {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = x;
  }
};
/// Functors, because nvcc takes no generic lambdas.
struct Trace {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = x(0, 0) + x(1, 1);
  }
};

TEST(Indexed, Gathered) {
  for (std::int64_t const n : {1, 3, 4, 37}) {
    expect_picks<double, std::int32_t, Right, Right>(n, 11, true, by_map);
    expect_picks<float, std::size_t, Strided, Left>(n, 1, true, by_map);
  }
  expect_picks<double, std::int32_t, Right, Right>(64, 100, false, by_map);
}
TEST(Indexed, GatheredFromNothing) {
  expect_picks<double, std::int32_t, Right, Right>(0, 5, false, by_map);
  Kokkos::View<double* [3]> const none("none", 0);
  BatchIn<int, Right, 2> index(9);
  BatchIn<double, Right, 2, 3> y(9);
  BatchIn<int, Left> codes(9);
  map(Move{}, out(y.view()), in(gathered(none, index.view())), status(codes.view()));
  y.download(), codes.download();
  for (int k = 0; k < 9; ++k) {
    EXPECT_EQ(codes.at(k), range_status);
    EXPECT_TRUE(std::isnan(y.at(k, 1, 2)));
  }
}
TEST(Indexed, Scattered) {
  for (std::int64_t const n : {1, 3, 4, 37})
    expect_places<double, std::int32_t, Right, Right>(n, true, by_map);
  expect_places<float, std::int64_t, Left, Left>(23, true, by_map);
  expect_places<double, std::int32_t, Right, Right>(16, false, by_map);
}
TEST(Indexed, Added) {
  for (std::int64_t const n : {1, 3, 4, 37})
    expect_sums<double, std::int32_t, Right, Right>(n, true, by_map);
  expect_sums<float, std::int64_t, Left, Left>(beyond_a_grid, true, by_map);
}

/// On hosts a pack of one number, which is no plain number.
TEST(Indexed, WithOneItemAtATime) {
  auto const one = [](std::int64_t, auto const& sequence, auto const&... operands) {
    map(launch(width<1>), sequence, operands...);
  };
  expect_picks<double, std::int32_t, Right, Right>(5, 11, true, one);
  expect_sums<double, std::int32_t, Right, Right>(5, true, one);
}

struct Count {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y += x;
  }
};
TEST(Indexed, AddedIntegers) {
  std::int64_t const n = 1000;
  Random random(3);
  BatchIn<std::int64_t, Left> sums(7), x(n);
  BatchIn<std::uint32_t, Left> index(n);
  sums.fill_exactly(random), x.fill_exactly(random);
  fill_indices(index, random, 7, 0);
  Twin twin(sums);
  for (std::int64_t k = 0; k < n; ++k)
    if (is_in_range(index.at(k), 7)) twin.at(index.at(k)) += static_cast<long double>(x.at(k));
  map(Count{}, add(scattered(sums.view(), index.view())), in(x.view()));
  twin.expect_same(sums, 0, "sums");
}
/// A kernel of the user's, whose teams take 50 items each.
template <class Group>
struct ByTeam {
  Group group;
  std::int64_t items;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::int64_t const first = 50 * std::int64_t(member.league_rank());
    group(member, first, first + 50 < items ? first + 50 : items);
  }
};
TEST(Indexed, InAKernel) {
  std::int64_t const n = 333;
  Random random(4);
  BatchIn<double, Left, 3> nodes(9);
  BatchIn<double, Right, 3, 3> sums(5);
  BatchIn<int, Right, 3> rows(n);
  BatchIn<int, Left> index(n);
  nodes.fill_exactly(random), sums.fill_exactly(random);
  fill_indices(rows, random, 9, -1), fill_indices(index, random, 5, 0);
  Twin twin(sums);
  for (std::int64_t k = 0; k < n; ++k)
    if (is_in_range(index.at(k), 5))
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) twin.at(index.at(k), i, j) += nodes.at(rows.at(k, i), j);
  auto const group = team_map<Space>(Count{}, add(scattered(sums.view(), index.view())),
                                     in(gathered(nodes.view(), rows.view())));
  Kokkos::TeamPolicy<Space> policy(int((n + 49) / 50), Impl::runs_on_device<Space> ? 32 : 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(group.scratch_size(32))));
  Kokkos::parallel_for("in a kernel", policy,
                       ByTeam<std::remove_const_t<decltype(group)>>{group, n});
  twin.expect_same(sums, 0, "sums");
}
TEST(Indexed, AddedComplexNumbers) {
  using C = Kokkos::complex<double>;
  int const n = 21;
  Kokkos::View<C* [2], Kokkos::HostSpace> x("x", n), sums("sums", 3);
  Kokkos::View<int*, Kokkos::HostSpace> index("index", n);
  C want[3][2] = {};
  for (int k = 0; k < n; ++k) {
    index(k) = k * k % 4;  // 0, 1; 3 would be out of range
    for (int j = 0; j < 2; ++j) {
      x(k, j) = C(k, 2 * j - k);
      if (index(k) < 3) want[index(k)][j] += x(k, j);
    }
  }
  Batchwork::map(Kokkos::DefaultHostExecutionSpace(), Count{}, add(scattered(sums, index)), in(x));
  Kokkos::fence("sums");
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 2; ++j) EXPECT_EQ(sums(k, j), want[k][j]);
}

struct Twice {
  template <class A, class B>
  KOKKOS_FUNCTION void operator()(A& a, B& b) const {
    a *= 2.0;
    b *= 2.0;
  }
};
TEST(Indexed, Misuse) {
  Kokkos::View<double* [3]> x("x", 9);
  Kokkos::View<int**> node("node", 5, 8);
  Kokkos::View<double*> r("r", 5), short_one("short", 4);
  auto const call = [&](auto const&... o) { return message_of([&] { map(Trace{}, o...); }); };
  expect_says(call(out(r), in(gathered(x, extents<7>(node)))),
              {"operand 2, index(\"node\") [View (5, 8)", "the View's own extents differ"});
  expect_says(call(out(short_one), in(gathered(x, extents<8>(node)))),
              {"index(\"node\")", "has 5 items", "has 4"});
  Kokkos::View<int**> no_indices;
  EXPECT_NE(call(out(short_one), in(gathered(x, extents<8>(no_indices)))), "(nothing was thrown)");
  Kokkos::View<int*> one("one", 4);
  expect_says(message_of([&] { map(Move{}, out(scattered(x, one)), in(gathered(x, one))); }),
              {"out(\"x\")", "is written and shares elements with", "in(\"x\")"});
  // Operands may add to the same View, and place numbers of it.
  map(Twice{}, add(scattered(x, one)), add(scattered(x, one)));
  expect_says(message_of([&] { map(Twice{}, add(scattered(x, one)), out(scattered(x, one))); }),
              {"shares elements"});
}

}  // namespace
}  // namespace Batchwork::Test
