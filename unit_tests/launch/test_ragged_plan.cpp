// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// ragged_plan: the sizes of classes, and the messages of refused plans and operands.
#include <limits>

#include "launch/RaggedCase.hpp"
#include "launch/detail/Batchwork_SizeClasses.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

using Counts = std::vector<std::int64_t>;

/// The cost of items padded to these sizes.
double cost_of(Counts const& count, Counts const& padded, double launch) {
  double cost = 0;
  for (std::size_t top = 1; top < count.size(); ++top) {
    double items = 0;
    bool is_padded = false;
    for (std::size_t n = 1; n < count.size(); ++n) {
      if (padded[n] != std::int64_t(top) || count[n] == 0) continue;
      items += double(count[n]);
      is_padded = is_padded || n != top;
    }
    double const x = double(top);
    if (items > 0)
      cost += launch + items * (x * x + x * x * x / 24) +
              (is_padded ? 3 * launch + items * 3 * x * x : 0);
  }
  return cost;
}

TEST(RaggedPlan, ClassesAreTheCheapest) {
  Random random(1);
  for (int k = 0; k < 200; ++k) {
    int const most = random.integer(1, 9);
    double const launch = std::pow(10.0, random(0, 6));
    Counts count(std::size_t(most) + 1, 0);
    for (auto& c : count)
      c = random.integer(0, 2) == 0 ? 0 : std::int64_t(std::pow(10.0, random(0, 4)));
    Counts const got = Impl::padded_sizes(count, launch);
    // All sets of sizes that contain the largest one that occurs.
    int largest = most;
    while (largest > 0 && count[std::size_t(largest)] == 0) --largest;
    double best = std::numeric_limits<double>::infinity();
    for (int set = 0; set < 1 << most; ++set) {
      if (largest > 0 && (set >> (largest - 1) & 1) == 0) continue;
      Counts padded(count.size(), 0);
      for (std::int64_t n = largest, to = largest; n > 0; --n) {
        if ((set >> (n - 1) & 1) != 0) to = n;
        padded[std::size_t(n)] = to;
      }
      best = std::min(best, cost_of(count, padded, launch));
    }
    EXPECT_NEAR(cost_of(count, got, launch), best, 1e-12 * best);
    for (std::size_t n = 1; n < count.size(); ++n)
      EXPECT_TRUE(count[n] == 0 || got[n] >= std::int64_t(n));
    EXPECT_EQ(got[0], 0);
  }
}

TEST(RaggedPlan, FrequentSizesHaveTheirOwnClass) {
  struct Row {
    Counts count;
    double launch;
    Counts padded;
  };
  for (auto const& row : {
           Row{{5, 1000, 1000, 1000, 1000}, 10, {0, 1, 2, 3, 4}},
           Row{{0, 1, 1, 1, 1}, 1e4, {0, 1, 2, 3, 4}},
           Row{{0, 1, 1, 1, 1, 1, 1, 1}, 1e4, {0, 7, 7, 7, 7, 7, 7, 7}},
           Row{{0, 1, 1, 1, 1, 1, 100000}, 4e3, {0, 5, 5, 5, 5, 5, 6}},
           Row{{7}, 4e3, {0}},
           Row{{0, 3, 0, 3}, 0, {0, 1, 3, 3}},
       }) {
    EXPECT_EQ(Impl::padded_sizes(row.count, row.launch), row.padded);
  }
}

TEST(RaggedPlan, ManySizesWithoutPadding) {
  Counts const count(200001, 1), padded = Impl::padded_sizes(count, 0);
  for (std::size_t n = 0; n < count.size(); ++n) ASSERT_EQ(padded[n], std::int64_t(n));
}

TEST(RaggedPlan, ClassesOfAPlan) {
  RaggedSizes const sizes{1, {3, 0, 8, 2, 3, 5, 1}};
  auto const of = [](auto const& plan) {
    std::vector<std::pair<std::int64_t, std::int64_t>> r;
    for (auto const& c : plan.classes()) r.emplace_back(c.size[0], c.items);
    return r;
  };
  using Classes = std::vector<std::pair<std::int64_t, std::int64_t>>;
  EXPECT_EQ(of(ragged_plan(sizes.view(), Padding::none)),
            (Classes{{8, 1}, {5, 1}, {3, 2}, {2, 1}, {1, 1}, {0, 1}}));
  EXPECT_EQ(of(ragged_plan(sizes.view())), (Classes{{8, 6}, {0, 1}}));
  EXPECT_EQ(of(ragged_plan<2, 4, 8>(sizes.view<std::int64_t>())),
            (Classes{{8, 2}, {4, 2}, {2, 2}, {0, 1}}));
  EXPECT_EQ(of(ragged_plan(RaggedSizes{}.view())), Classes{});
  EXPECT_EQ(ragged_plan(sizes.view()).items, 7);
}

TEST(RaggedPlan, Messages) {
  auto const says = [](auto const& call, std::initializer_list<char const*> parts) {
    expect_says(message_of(call), parts);
  };
  Kokkos::View<double*, Space> const values("values", 30);
  auto const offsets = [](std::vector<int> const& o) {
    Kokkos::View<int*, Space> const v("offsets", o.size());
    auto const h = Kokkos::create_mirror_view(v);
    for (std::size_t k = 0; k < o.size(); ++k) h(k) = o[k];
    Kokkos::deep_copy(v, h);
    return v;
  };
  auto const plan_of = [](std::vector<int> const& s) {
    return ragged_plan(RaggedSizes{1, s}.view());
  };

  says([&] { plan_of({3, 1, -2}); },
       {"ragged_plan", "sizes(\"sizes\")", "-2 for item 2", "at least 0"});
  says([&] { ragged_plan<2, 4>(RaggedSizes{1, {3, 5}}.view()); },
       {"is 5 for item 1", "at most 4", "give ragged_plan a larger size"});
  says([&] { ragged_plan(RaggedSizes{4, {1, 1, 1, 1}}.view()); },
       {"has 4 sizes for each item", "give 1 to 3"});

  auto const plan = plan_of({2, 5, 0});
  says([&] { ragged<0, 0>(plan, values, offsets({0, 6, 0})); },
       {"item 1 has 25 numbers from offset 6 on", "values(\"values\")", "has 30",
        "inside the View"});
  says([&] { ragged<0, 0>(plan, values, offsets({-1, 4, 0})); }, {"item 0", "offset -1"});
  says([&] { ragged<0, 0>(plan, values, offsets({0, 4})); },
       {"offsets(\"offsets\")", "has 2 entries", "3 items", "give one offset for each"});
  says([&] { ragged<0, 1>(plan, values, offsets({0, 4, 29})); },
       {"uses size 1", "items of the plan have 1", "sizes(item, d)"});
  // One more offset than items, and the offset of an empty item, are not used.
  auto const a = ragged<0, 0>(plan, values, offsets({0, 4, 1000, 29}));

  auto const shared = ragged<0, 0>(plan, values, offsets({4, 3, 0}));
  says([&] { Batchwork::cholesky(inout(shared)); },
       {"operand 1, inout(\"values\")", "items 1 and 0 share numbers", "numbers of its own"});
  says([&] { Batchwork::cholesky(in(a), out(ragged<0, 0>(plan, values, offsets({0, 5, 0})))); },
       {"operand 2, out(\"values\")", "shares numbers with operand 1", "give a View of its own"});
  Kokkos::View<double*, Space> const other("other", 30);
  auto const b = ragged<0, 0>(plan, other, offsets({0, 4, 0}));
  auto const other_plan = plan_of({2, 5, 0});
  says(
      [&] { Batchwork::cholesky(in(a), out(ragged<0, 0>(other_plan, other, offsets({0, 4, 0})))); },
      {"different plans", "make all of them with one"});
  Kokkos::View<int*, Space> const codes("codes", 2);
  says([&] { Batchwork::cholesky(in(a), out(b), status(codes)); },
       {"operand 3, status(\"codes\")", "has 2 items", "the plan has 3", "as many"});
  auto const padded = ragged_plan<8>(RaggedSizes{1, {2, 5, 0}}.view());
  auto const m = ragged<0, 0>(padded, values, offsets({0, 4, 0}));
  auto const v = ragged<0>(padded, other, offsets({0, 2, 0}));
  says([&] { eigh(in(m), out(v)); }, {"the plan pads items", "Padding::none"});
  Kokkos::View<int* [2], Kokkos::LayoutRight, Space> const two_codes("two_codes", 3);
  says(
      [&] {
        Batchwork::cholesky(in(a), out(b), status(Kokkos::subview(two_codes, Kokkos::ALL, 1)));
      },
      {"operand 3, status(\"two_codes\")", "has gaps", "give a contiguous View"});
  Kokkos::View<double*, Space> const none;
  says([&] { ragged<0, 0>(plan, none, offsets({0, 4, 0})); }, {"item 0", "has 0"});
}

struct Identity {  // of a positive definite matrix
  template <class L, class A>
  KOKKOS_FUNCTION void operator()(L& l, A const& a) const {
    l = solve(cholesky(a), a);
  }
};

/// map writes codes to a column of a View and leaves the other column as it is.
TEST(RaggedPlan, StridedStatusOfMap) {
  auto const plan = ragged_plan<1, 2>(RaggedSizes{1, {1, 2, 0, 1}}.view());
  Kokkos::View<double*, Space> const a("a", 16), l("l", 16);
  Kokkos::View<int*, Space> const begins("begins", 4);
  auto const b = Kokkos::create_mirror_view(begins);
  auto const x = Kokkos::create_mirror_view(a);
  for (std::size_t n = 0; n < 4; ++n) b(n) = int(4 * n);
  x(0) = 1, x(4) = 1, x(7) = -1, x(12) = -1;
  Kokkos::deep_copy(begins, b);
  Kokkos::deep_copy(a, x);
  Kokkos::View<int* [2], Kokkos::LayoutRight, Space> const codes("codes", 4);
  Kokkos::deep_copy(codes, -5);
  map(Identity{}, out(ragged<0, 0>(plan, l, begins)), in(ragged<0, 0>(plan, a, begins)),
      status(Kokkos::subview(codes, Kokkos::ALL, 1)));
  auto const c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
  int const want[] = {0, Status::code(Reason::not_positive_definite, 2), 0,
                      Status::code(Reason::not_positive_definite, 1)};
  for (std::size_t n = 0; n < 4; ++n) {
    EXPECT_EQ(c(n, 0), -5);
    EXPECT_EQ(c(n, 1), want[n]) << n;
  }
}

/// Operands are in place if they are copies of one, not if they come from one View of offsets.
TEST(RaggedPlan, OffsetsThatChanged) {
  Kokkos::View<double*, Space> const values("values", 20);
  Kokkos::deep_copy(values, 4.0);
  Kokkos::View<int*, Space> const offsets("offsets", 1);
  auto const plan = ragged_plan(RaggedSizes{1, {2}}.view());
  auto const a = ragged<0, 0>(plan, values, offsets);
  Kokkos::deep_copy(offsets, 1);
  auto const l = ragged<0, 0>(plan, values, offsets);
  expect_says(message_of([&] { Batchwork::cholesky(in(a), out(l)); }),
              {"operand 2, out(\"values\")", "shares numbers with operand 1"});
  auto const copy = a;
  EXPECT_NO_THROW(Batchwork::cholesky(in(a), out(copy)));
  Kokkos::fence();
}

/// Sizes (2, 3) and (3, 3) in one class: extents that do not agree are refused all the same.
TEST(RaggedPlan, PaddingHidesNoMismatch) {
  auto const plan = ragged_plan<3>(RaggedSizes{2, {3, 3, 2, 3, 3, 3}}.view());
  ASSERT_EQ(plan.classes().size(), 1u);
  Kokkos::View<int*, Space> const begins("begins", 3);
  auto const h = Kokkos::create_mirror_view(begins);
  for (int n = 0; n < 3; ++n) h(std::size_t(n)) = 9 * n;
  Kokkos::deep_copy(begins, h);
  Kokkos::View<double*, Space> const x("x", 27), y("y", 27), z("z", 27);
  Kokkos::deep_copy(x, -3.5);
  auto const says = [](auto const& call, std::initializer_list<char const*> parts) {
    expect_says(message_of(call), parts);
  };
  says([&] { solve_lu(in(ragged<0, 0>(plan, y, begins)), inout(ragged<1>(plan, x, begins))); },
       {"item 1", "solve_lu", "b(\"x\")", "has 3 rows", "operand 1, a(\"y\")", "has 2"});
  says([&] { Batchwork::cholesky(inout(ragged<0, 1>(plan, x, begins))); },
       {"item 1", "cholesky", "a(\"x\")", "square"});
  says(
      [&] {
        gemm(1, in(ragged<0, 1>(plan, y, begins)), in(ragged<0, 1>(plan, z, begins)), 0,
             out(ragged<0, 1>(plan, x, begins)));
      },
      {"item 1", "gemm"});
  auto const now = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (std::size_t k = 0; k < now.size(); ++k) EXPECT_EQ(now(k), -3.5);
  // Extents that need not agree may differ.
  EXPECT_NO_THROW(
      solve_lu(in(ragged<0, 0>(plan, y, begins)), inout(ragged<0, 1>(plan, x, begins))));
  EXPECT_NO_THROW(gemm(1, in(ragged<0, 0>(plan, y, begins)), in(ragged<0, 1>(plan, z, begins)), 0,
                       out(ragged<0, 1>(plan, x, begins))));
  Kokkos::fence();
}

}  // namespace
}  // namespace Batchwork::Test
