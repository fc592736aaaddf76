// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// item_mask in map, and in scan beside indexed operands.
#include "fused/ItemMaskCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

auto const by_map = [](std::int64_t, auto const& sequence, auto const&... operands) {
  map(sequence, operands...);
};

TEST(ItemMask, Map) {
  for (std::int64_t const n : {1, 4, 5, 37, 130}) expect_mask<double, Right>(n, by_map);
  expect_mask<float, Left>(beyond_a_grid, by_map);
}

/// x of every step is added up; the sum is added to a node.
struct Accumulate {
  template <class Sum, class State, class End, class X, class Scale>
  KOKKOS_FUNCTION void operator()(Sum& sum, State& state, End& end, X const& x,
                                  Scale const& scale) const {
    sum += scale * x;
    state += x;
    end = state;
  }
};
TEST(ItemMask, ScanWithIndexedOperands) {
  int const n = 23, steps = 3, nodes = 5;
  Random random(5);
  SeriesIn<double, Right, 2> x(n, steps);
  BatchIn<double, Left, 2> sums(nodes), start(nodes), last(n), ends(2 * n);
  BatchIn<double, Left> scale(nodes);
  BatchIn<int, Left> node(n), codes(n), place(n);
  BatchIn<std::int64_t, Left> mask(n);
  x.fill_exactly(random), sums.fill_exactly(random), start.fill_exactly(random);
  scale.fill_exactly(random);
  std::vector<double> want(2 * nodes);
  for (int k = 0; k < nodes; ++k)
    for (int i = 0; i < 2; ++i) want[std::size_t(2 * k + i)] = sums.at(k, i);
  for (int k = 0; k < n; ++k) {
    node.at(k) = k == 11 ? nodes : k * k % nodes;
    place.at(k) = k == 7 ? -1 : 2 * n - 1 - 2 * k;
    mask.at(k) = k % 3 == 0 ? 0 : 4;
  }
  node.upload(), mask.upload(), place.upload();
  scan(steps, Accumulate{}, add(scattered(sums.view(), node.view())),
       carry(gathered(start.view(), node.view()), last.view()),
       out(scattered(ends.view(), place.view())), each(x.view()),
       in(gathered(scale.view(), node.view())), item_mask(mask.view()), status(codes.view()));
  sums.download(), last.download(), ends.download(), codes.download();
  for (int k = 0; k < n; ++k) {
    bool const there = mask.at(k) != 0, good = k != 11 && k != 7;
    EXPECT_EQ(codes.at(k), !there ? poison<int>()
                           : good ? 0
                                  : Status::code(Reason::out_of_range, 0));
    for (int i = 0; i < 2; ++i) {
      if (!there) {
        EXPECT_EQ(last.at(k, i), poison<double>());
        continue;
      }
      if (k == 11) {
        EXPECT_TRUE(std::isnan(last.at(k, i)));
        continue;
      }
      double total = 0;
      for (int t = 0; t < steps; ++t) total += x.at_time(k, t, i);
      want[std::size_t(2 * node.at(k) + i)] += scale.at(node.at(k)) * total;
      EXPECT_EQ(last.at(k, i), start.at(node.at(k), i) + total);
      if (k != 7) {
        EXPECT_EQ(ends.at(place.at(k), i), start.at(node.at(k), i) + total);
      }
    }
  }
  for (int k = 0; k < nodes; ++k)
    for (int i = 0; i < 2; ++i) EXPECT_EQ(sums.at(k, i), want[std::size_t(2 * k + i)]) << k;
  for (int k = 0; k < n; ++k) EXPECT_EQ(ends.at(2 * k, 0), poison<double>());
}

struct Twice {
  template <class X>
  KOKKOS_FUNCTION void operator()(X& x) const {
    x *= 2.0;
  }
};
struct AddUp {
  template <class State, class X>
  KOKKOS_FUNCTION void operator()(State& state, X const& x) const {
    state += x;
  }
};
TEST(ItemMask, Misuse) {
  Kokkos::View<bool*> mask("mask", 3);
  Kokkos::View<double*> x("x", 4);
  expect_says(message_of([&] { map(Twice{}, inout(x), item_mask(mask)); }),
              {"item_mask(\"mask\")", "has 3 items", "has 4"});
}

/// The start of a carry is gathered, its end scattered: both by a permutation.
TEST(ItemMask, CarryBetweenIndices) {
  int const n = 11, steps = 2;
  Random random(6);
  SeriesIn<double, Right, 2> x(n, steps);
  BatchIn<double, Left, 2> start(n), last(n);
  BatchIn<int, Left> from(n), to(n);
  x.fill_exactly(random), start.fill_exactly(random);
  for (int k = 0; k < n; ++k) from.at(k) = 3 * k % n, to.at(k) = 5 * k % n;
  from.upload(), to.upload();
  scan(steps, AddUp{},
       carry(gathered(start.view(), from.view()), scattered(last.view(), to.view())),
       each(x.view()));
  last.download();
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(last.at(to.at(k), i),
                start.at(from.at(k), i) + x.at_time(k, 0, i) + x.at_time(k, 1, i));
  // An index View with too few items is never read.
  auto const short_index = Kokkos::subview(from.view(), std::pair(0, n - 1));
  expect_says(message_of([&] {
                scan(steps, AddUp{}, carry(gathered(start.view(), short_index)), each(x.view()));
              }),
              {"index(", "has 11 items", "has 10"});
}

}  // namespace
}  // namespace Batchwork::Test
