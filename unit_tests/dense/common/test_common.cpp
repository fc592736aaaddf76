// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve_lu, solve_cholesky, solve_lower and solve_upper with common(A).
#include <Batchwork_Dense.hpp>

#include "CommonCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

/// By the verbs.
struct ByVerbs {
  template <class T>
  void operator()(CommonData<T> const& d, bool in_place) const {
    auto const a = d.a.single();
    auto const b = d.b.batch(), x = d.x.batch();
    Kokkos::View<int*, Space> const codes(d.codes.data(), std::size_t(d.items));
    using enum CommonMatrix;
    auto const call = [&](auto const&... x_or_b) {
      if (d.kind == general) solve_lu(common(a), x_or_b..., status(codes));
      else if (d.kind == symmetric) solve_cholesky(common(a), x_or_b..., status(codes));
      else if (d.kind == lower) Batchwork::solve_lower(common(a), x_or_b..., status(codes));
      else solve_upper(common(a), x_or_b..., status(codes));
    };
    if (in_place) call(inout(b));
    else call(in(b), out(x));
  }
};

template <class T>
void check_sizes() {
  using enum CommonMatrix;
  Random random(1);
  int turn = 0;
  for (int n : {1, 2, 5, 8, 9, 17, 31, 33, 64})
    for (CommonMatrix kind : {general, symmetric, lower, upper}) {
      Arranged const how = all_arranged[turn % 4], how_x = all_arranged[turn / 4 % 4];
      ++turn;
      int const columns = turn % 3 == 0 ? 1 + turn % 5 : 1;
      check_common<T>(kind, n, 1 + (turn * 7) % 45, columns, how, how_x, 10, random, ByVerbs());
    }
}
TEST(Common, SolvesInDouble) { check_sizes<double>(); }
TEST(Common, SolvesInFloat) { check_sizes<float>(); }

TEST(Common, SolvesLargeAndBadlyConditioned) {
  using enum CommonMatrix;
  Random random(2);
  for (double condition : {1e2, 1e10})
    for (CommonMatrix kind : {general, symmetric, lower, upper})
      for (int n : {7, 40, 128})
        check_common<double>(kind, n, 21, 1, Arranged::interleaved, Arranged::item_contiguous,
                             condition, random, ByVerbs());
  check_common<float>(general, 20, 9, 2, Arranged::by_columns, Arranged::strided, 1e3, random,
                      ByVerbs());
}

TEST(Common, GivesTheStatusOfTheMatrixToAllItems) {
  Random random(3);
  for (int n : {1, 6, 20, 33}) {
    check_common_failures<double>(n, 37, random, ByVerbs());
    check_common_failures<float>(n, 5, random, ByVerbs());
  }
}

TEST(Common, ManyItemsInEachLayout) {
  constexpr int n = 12;
  constexpr std::int64_t items = 20011;
  Kokkos::View<double**, Kokkos::LayoutLeft, Space> const left("left", items, n);
  Kokkos::View<double**, Kokkos::LayoutRight, Space> const right("right", items, n);
  // One column in the memory of two, so that it is not aligned for both.
  Kokkos::View<double * [n + 1], Kokkos::LayoutRight, Space> const wide("wide", items);
  auto const odd = Kokkos::subview(wide, Kokkos::ALL, Kokkos::make_pair(1, n + 1));
  Kokkos::View<double**, Space> const a("a", n, n);
  auto const ha = Kokkos::create_mirror_view(a);
  // Twice the cyclic shift, and a little more: rows must be exchanged.
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) ha(i, j) = (j == (i + 1) % n ? 2 : 0) + 0.01 * std::sin(i + 2 * j);
  Kokkos::deep_copy(a, ha);
  auto const hb = Kokkos::create_mirror_view(right);
  Random random(4);
  for (std::int64_t q = 0; q < items; ++q)
    for (int i = 0; i < n; ++i) hb(q, i) = random();
  Kokkos::deep_copy(right, hb);
  solve_lu(common(a), in(right), out(left));
  solve_lu(common(a), in(right), out(odd));
  // Groups of eight items, the last one not full.
  Kokkos::View<double* [n][8], Kokkos::LayoutRight, Space> const groups("groups", (items + 7) / 8);
  copy(compact(groups, items), right);
  solve_lu(common(a), inout(compact(groups, items)));
  solve_lu(common(transposed(a)), inout(right));
  auto const hl = Kokkos::create_mirror_view(left);
  auto const hw = Kokkos::create_mirror_view(wide);
  auto const hg = Kokkos::create_mirror_view(groups);
  Kokkos::deep_copy(hg, groups);
  auto const ht = Kokkos::create_mirror(right);
  Kokkos::deep_copy(hl, left), Kokkos::deep_copy(hw, wide), Kokkos::deep_copy(ht, right);
  double worst = 0, turned = 0, difference = 0;
  for (std::int64_t q = 0; q < items; ++q)
    for (int i = 0; i < n; ++i) {
      // With create_mirror_view a host's b is its own mirror, which the last call has overwritten.
      double of_x = 0, of_t = 0;
      for (int j = 0; j < n; ++j) of_x += ha(i, j) * hl(q, j), of_t += ha(j, i) * ht(q, j);
      worst = std::max(worst, std::fabs(of_x - of_t));
      turned = std::max(turned, std::fabs(of_t));
      difference = std::max(difference, std::fabs(hl(q, i) - hw(q, i + 1)) +
                                            std::fabs(hl(q, i) - hg(q / 8, i, int(q % 8))));
    }
  EXPECT_LE(worst, 1e-13);
  EXPECT_GT(turned, 0.99);
  EXPECT_EQ(difference, 0);
  // A triangle that is read from the other side.
  Kokkos::View<double**, Space> const l("l", n, n);
  auto const hc = Kokkos::create_mirror_view(l);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) hc(i, j) = i == j ? 2 : j < i ? 0.25 : std::nan("");
  Kokkos::deep_copy(l, hc);
  Kokkos::deep_copy(right, 1.0);
  Batchwork::solve_lower(common(transposed(l)), inout(right));
  Kokkos::deep_copy(ht, right);
  double x[n];
  for (int i = n - 1; i >= 0; --i) {
    x[i] = 1;
    for (int j = i + 1; j < n; ++j) x[i] -= 0.25 * x[j];
    x[i] /= 2;
  }
  for (int i = 0; i < n; ++i) EXPECT_NEAR(ht(items - 1, i), x[i], 1e-15);
}

TEST(Common, TakesEmptyExtents) {
  Kokkos::View<double**, Space> const a("a", 3, 3), none("none", 0, 0);
  Kokkos::View<int*, Space> const codes("codes", 4), no_codes("no codes", 0);
  auto const host = Kokkos::create_mirror_view(codes);
  auto const expect_codes = [&](int code) {
    Kokkos::deep_copy(host, codes);
    for (int q = 0; q < 4; ++q) EXPECT_EQ(host(q), code);
    Kokkos::deep_copy(codes, -1);
  };
  Kokkos::deep_copy(codes, -1);
  Kokkos::View<double**, Space> const b("b", 4, 3), no_rows("no rows", 4, 0), no_items("", 0, 3);
  solve_lu(common(none), inout(no_rows), status(codes));
  expect_codes(0);
  solve_lu(common(a), inout(no_items), status(no_codes));
  // Without right-hand sides the matrix still gives the status.
  Kokkos::View<double***, Space> const no_columns("no columns", 4, 3, 0);
  solve_lu(common(a), inout(no_columns), status(codes));
  expect_codes(Status::code(Reason::singular, 1));
  EXPECT_EQ(workspace_numbers<Verb::solve_lu>(common(a), inout(b)), 0);
}

TEST(Common, RefusesWhatDoesNotFit) {
  Kokkos::View<double**, Space> const a("a", 3, 3), wide("wide", 3, 4), c("c", 5, 2),
      large("large", 400, 400), of_large("of large", 2, 400);
  // Some of its items are one run of numbers, so an overlap is certain.
  Kokkos::View<double**, Kokkos::LayoutRight, Space> const b("b", 5, 3);
  expect_says(
      message_of([&] { solve_lu(common(wide), inout(b)); }),
      {"Batchwork::solve_lu: operand 1, common(\"wide\")", "does not hold square matrices"});
  expect_says(message_of([&] { Batchwork::solve_lower(common(a), inout(c)); }),
              {"has 2 rows, but operand 1, common(\"a\")", "has 3; give right-hand sides"});
  expect_says(message_of([&] { solve_cholesky(common(a), in(b), out(c)); }),
              {"does not hold the solutions"});
  expect_says(message_of([&] { solve_upper(common(large), inout(of_large)); }), {"400 rows"});
  auto const items = [&](int first) {
    return Kokkos::subview(b, Kokkos::make_pair(first, first + 4), Kokkos::ALL);
  };
  expect_says(message_of([&] { solve_upper(common(a), in(items(0)), out(items(1))); }),
              {"give inout(view)"});
}

}  // namespace
}  // namespace Batchwork::Test
