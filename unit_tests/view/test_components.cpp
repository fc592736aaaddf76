// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// components<T, N>(view) and dispatch.
#include <Batchwork_Map.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "support/Batchwork_Messages.hpp"
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

struct Point {
  double x, y, z;
};
struct Sides {  // the first node twice, and the sum of all nodes
  template <class Twice, class Sum, class Nodes>
  KOKKOS_FUNCTION void operator()(Twice& twice, Sum& sum, Nodes const& nodes) const {
    twice = 2 * transpose(row(nodes, 0));
    sum = transpose(row(nodes, 0) + row(nodes, 1));
  }
};

template <class Layout>
void check_components() {
  constexpr std::int64_t items = 37;
  Kokkos::View<Point* [2], Layout, Space> const nodes("nodes", items);
  Kokkos::View<Point*, Layout, Space> const twice("twice", items), sum("sum", items);
  auto const host = Kokkos::create_mirror_view(nodes);
  auto const value = [](std::int64_t q, int node, int c) {
    return double(100 * q + 10 * node + c);
  };
  for (std::int64_t q = 0; q < items; ++q)
    for (int node = 0; node < 2; ++node)
      host(q, node) = {value(q, node, 0), value(q, node, 1), value(q, node, 2)};
  Kokkos::deep_copy(nodes, host);
  Kokkos::View<Point const* [2], Layout, Space> const read_only = nodes;
  map(Sides{}, out(components<double, 3>(twice)), out(components<double, 3>(sum)),
      in(components<double, 3>(read_only)));
  auto const of_twice = Kokkos::create_mirror_view(twice), of_sum = Kokkos::create_mirror_view(sum);
  Kokkos::deep_copy(of_twice, twice), Kokkos::deep_copy(of_sum, sum);
  for (std::int64_t q = 0; q < items; ++q) {
    ASSERT_EQ(of_twice(q).x, 2 * value(q, 0, 0));
    ASSERT_EQ(of_twice(q).z, 2 * value(q, 0, 2));
    ASSERT_EQ(of_sum(q).y, value(q, 0, 1) + value(q, 1, 1));
  }
}
TEST(Components, AreRowsOfTiles) {
  check_components<Kokkos::LayoutLeft>();
  check_components<Kokkos::LayoutRight>();
}
TEST(Components, KeepExtentsAndMemory) {
  Kokkos::View<Point**, Kokkos::LayoutRight, Space> const right("right", 4, 5);
  auto const numbers = components<double, 3>(right);
  static_assert(std::is_same_v<decltype(numbers)::array_layout, Kokkos::LayoutRight>);
  static_assert(std::is_same_v<decltype(numbers)::data_type, double** [3]>);
  EXPECT_EQ(numbers.extent(1), 5u);
  EXPECT_EQ(static_cast<void*>(numbers.data()), static_cast<void*>(right.data()));
  EXPECT_EQ(numbers.stride(0), 15u);
  Kokkos::View<Point**, Kokkos::LayoutLeft, Space> const left("left", 4, 5);
  auto const strided = components<double, 3>(left);
  EXPECT_EQ(strided.stride(0), 3u);
  EXPECT_EQ(strided.stride(1), 12u);
  EXPECT_EQ(strided.stride(2), 1u);
}

/// Some columns of a View have its layout, with gaps between the rows.
TEST(Components, OfASubview) {
  Kokkos::View<Point**, Kokkos::LayoutRight, Space> const all("all", 4, 5);
  auto const some = Kokkos::subview(all, Kokkos::ALL, std::pair(1, 3));
  if constexpr (std::is_same_v<decltype(some)::array_layout, Kokkos::LayoutRight>)
    expect_says(message_of([&] { (void)components<double, 3>(some); }),
                {"components", "gaps", "\"all\"", "LayoutStride"});
  Kokkos::View<Point**, Kokkos::LayoutStride, Space> const strided = some;
  auto const numbers = components<double, 3>(strided);
  EXPECT_EQ(static_cast<void*>(numbers.data()), static_cast<void*>(all.data() + 1));
  EXPECT_EQ(numbers.stride(0), 15u);
  EXPECT_EQ(numbers.stride(1), 3u);
  // One row has no gaps.
  auto const row = Kokkos::subview(all, std::pair(2, 3), std::pair(1, 3));
  EXPECT_EQ((components<double, 3>(row).extent(2)), 3u);
}

TEST(Dispatch, CallsTheOneWithThisSize) {
  auto const square = [](auto n) {
    constexpr int N = n;  // a constant
    return std::string("size ") + std::to_string(N * N);
  };
  EXPECT_EQ((dispatch<2, 3, 8>(2, square)), "size 4");
  EXPECT_EQ((dispatch<2, 3, 8>(8, square)), "size 64");
  EXPECT_EQ((dispatch<2, 3, 8>(5, square, [](std::int64_t n) { return std::to_string(n); })), "5");
  expect_says(message_of([&] { (void)dispatch<2, 3, 8>(5, square); }),
              {"Batchwork::dispatch: the size is 5, but only 2, 3, 8 are compiled"});
  int calls = 0;
  dispatch<4>(4, [&](auto n) { calls += n; });
  EXPECT_EQ(calls, 4);
}

}  // namespace
}  // namespace Batchwork::Test
