// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// team_eigh, team_svd, team_qr, team_least_squares, team_lu and team_solve_lu in a TeamPolicy
// kernel: team sizes, several items a team, items without rows, in place; misuse.
#include "TeamItemCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

constexpr bool by_lanes = Impl::runs_on_device<Space>;

template <class Item>
void run_kernel(Item const& item, std::int64_t items, int teams, int size, int vector_length = 1) {
  KernelOfUser<Item> const kernel{item, items};
  Kokkos::TeamPolicy<Space> policy(teams, size / vector_length, vector_length);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(item.scratch_size(size))));
  Kokkos::parallel_for("user", policy, kernel);
  Kokkos::fence();
}
/// Fewer teams than items; the last round has not an item for each team.
struct InKernel {
  int size, vector_length = 1;
  template <class Item>
  void operator()(Item const& item, std::int64_t items) const {
    run_kernel(item, items, int(items > 2 ? items * 2 / 3 : items), size, vector_length);
  }
};
/// Whether a team has scratch for so many matrices.
template <class T>
bool has_scratch(int matrices, int n) {
  if (!by_lanes) return true;
  return std::size_t(matrices * n * (n + 12)) * sizeof(T) <=
         Impl::Vendor::device_limits(Space()).scratch_of_team;
}
std::vector<int> team_sizes() {
  if (by_lanes) return {32, 64, 96, 128, 256};
  return {1, std::min(2, Space().concurrency())};
}

template <class T>
struct TeamItem : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TeamItem, Numbers);

TYPED_TEST(TeamItem, SmallSizes) {
  Random random(1);
  InKernel const run{team_sizes().back()};
  TeamItems<by_lanes, TypeParam, InKernel> const check{run};
  for (int n : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17}) {
    check.all(n, 13, Arranged::item_contiguous, random);
    check.all(n, 29, Arranged::interleaved, random);
  }
}
TYPED_TEST(TeamItem, LargeSizes) {
  Random random(2);
  InKernel const run{team_sizes().back()};
  TeamItems<by_lanes, TypeParam, InKernel> const check{run};
  for (int n : {31, 32, 33, 48, 64, 65, 79, 100}) {
    if (!has_scratch<TypeParam>(2, n)) continue;
    check.eigh(n, 7, Arranged::item_contiguous, random);
    check.lu(n, 3, 7, Arranged::item_contiguous, random);
    check.cholesky(n, 3, 7, Arranged::item_contiguous, random);
    check.qr(n, n, n, 7, Arranged::item_contiguous, random);
    check.least_squares(n, n / 2, 2, 7, Arranged::item_contiguous, random);
    check.svd(n, n, 7, Arranged::item_contiguous, random);
  }
}
TYPED_TEST(TeamItem, TeamSizes) {
  Random random(3);
  for (int size : team_sizes()) {
    SCOPED_TRACE("teams of " + std::to_string(size));
    InKernel const run{size};
    TeamItems<by_lanes, TypeParam, InKernel> const check{run};
    for (int n : {6, 21, 40})
      if (has_scratch<TypeParam>(4, n)) check.all(n, 13, Arranged::item_contiguous, random);
  }
}
TYPED_TEST(TeamItem, VectorLengths) {
  if (!by_lanes) GTEST_SKIP() << "hosts have a vector length of 1";
  Random random(5);
  for (int length : {2, 8, 32}) {
    SCOPED_TRACE("vector length " + std::to_string(length));
    InKernel const run{64, length};
    TeamItems<by_lanes, TypeParam, InKernel> const check{run};
    for (int n : {6, 21}) check.all(n, 7, Arranged::item_contiguous, random);
  }
}

TYPED_TEST(TeamItem, KnownTeamSize) {
  Random random(4);
  for (int n : {7, 32, 33, 64, 80, 100}) {
    if (!has_scratch<TypeParam>(1, n)) continue;
    InKernel const small{by_lanes ? 128 : 1}, large{by_lanes ? 256 : 1};
    TeamItems<by_lanes, TypeParam, InKernel> const check{small}, check_large{large};
    check.template eigh<128>(n, 7, Arranged::item_contiguous, random);
    check_large.template eigh<256>(n, 7, Arranged::interleaved, random);
  }
}

/// The factors of a matrix that the same team has written, and a solution that it reads.
template <class Solve>
struct Chain {
  Solve solve;
  Kokkos::View<double***, Space> a;
  Kokkos::View<double**, Space> b, x, y;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const item = member.league_rank(), n = int(a.extent(1));
    // In reverse order, so that other lanes write numbers than those that read them.
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, n), [&](int k) {
      int const i = n - 1 - k;
      for (int j = 0; j < n; ++j) a(item, i, j) = i == j ? 4 : j == i + 1 ? 1 : 0;
      b(item, i) = i + 1 < n ? 4 * (i + item) + i + 1 + item : 4 * (i + item);
    });
    solve(member, item);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, n), [&](int k) {
      int const i = n - 1 - k;
      y(item, i) = 2 * x(item, i);
    });
  }
};
TEST(TeamItems, SeesWhatTheTeamWrote) {
  constexpr int items = 9, n = 37;
  Kokkos::View<double***, Space> const a("a", items, n, n);
  Kokkos::View<double**, Space> const b("b", items, n), x("x", items, n), y("y", items, n);
  int const size = team_sizes().back();
  auto const solve = team_solve_lu<Space>(in(a), in(b), out(x));
  Chain<decltype(solve)> const kernel{solve, a, b, x, y};
  Kokkos::TeamPolicy<Space> policy(items, size);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(solve.scratch_size(size))));
  Kokkos::parallel_for("user", policy, kernel);
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  for (int k = 0; k < items; ++k)
    for (int i = 0; i < n; ++i) ASSERT_NEAR(found(k, i), 2.0 * (i + k), 1e-12) << k << ", " << i;
}

/// In place, without vectors and transposed: the same bits as with operands of their own.
TEST(TeamItems, FormsOfOperands) {
  constexpr std::size_t items = 5, n = 12;
  using Batch = Kokkos::View<double***, Kokkos::LayoutRight, Space>;
  int const size = team_sizes().back();
  auto const run = [&](auto const& item) { run_kernel(item, items, 3, size); };
  Batch const a("a", items, n, n), v("v", items, n, n), other("other", items, n, n);
  Kokkos::View<double**, Space> const w("w", items, n), w2("w2", items, n);
  Kokkos::View<int**, Space> const rows("rows", items, n), rows2("rows2", items, n);
  fill_random(random(7), uniform(-1.0, 1.0), a);
  auto const expect_same = [](auto const& x, auto const& y, char const* what) {
    auto const want = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    auto const got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    for (std::size_t k = 0; k < want.size(); ++k)
      ASSERT_TRUE(same_bits(want.data()[k], got.data()[k])) << what << k;
  };
  run(team_eigh<Space>(in(a), out(w), out(v)));
  Kokkos::deep_copy(other, a);
  run(team_eigh<Space>(inout(other), out(w2)));
  expect_same(v, other, "eigh in place");
  run(team_eigh<Space>(in(a), out(w2)));
  expect_same(w, w2, "values");
  Batch const turned("turned", items, n, n);
  copy(turned, transposed(a));
  run(team_eigh<Space>(in(transposed(turned)), out(w2), out(other)));
  expect_same(v, other, "eigh of the transpose");

  run(team_lu<Space>(in(a), out(v), out(rows)));
  Kokkos::deep_copy(other, a);
  run(team_lu<Space>(inout(other), out(rows2)));
  expect_same(v, other, "lu in place");
  expect_same(rows, rows2, "order of rows");

  Batch const q("q", items, n, n), r("r", items, n, n), r2("r2", items, n, n);
  run(team_qr<Space>(in(a), out(q), out(r)));
  Kokkos::deep_copy(other, a);
  run(team_qr<Space>(inout(other), out(r2)));
  expect_same(q, other, "q in place");
  expect_same(r, r2, "r beside q");
  run(team_qr<Space>(in(a), out(r2)));
  expect_same(r, r2, "r alone");

  Kokkos::View<double**, Space> const b("b", items, n), x("x", items, n);
  Kokkos::deep_copy(b, 3.0);
  run(team_solve_lu<Space>(in(a), in(b), out(x)));
  run(team_solve_lu<Space>(in(a), inout(b)));
  expect_same(x, b, "solution in place");

  gemm(1, in(a), in(transposed(a)), 0, out(r));
  run(team_cholesky<Space>(in(r), out(v)));
  Kokkos::deep_copy(other, r);
  run(team_cholesky<Space>(inout(other)));
  expect_same(v, other, "cholesky in place");
}

TEST(TeamItems, NothingToDo) {
  Kokkos::View<double***, Space> const empty("empty", 3, 0, 0), flat("flat", 3, 4, 0),
      q("q", 3, 4, 4), no_rows("no_rows", 3, 0, 0), x("x", 3, 0, 2), sides("sides", 3, 4, 2);
  Kokkos::View<double**, Space> const none("w", 3, 0);
  Kokkos::View<int**, Space> const order("order", 3, 0);
  Kokkos::View<int*, Space> const codes("codes", 3);
  int const size = team_sizes().back();
  auto const run = [&](auto const& item) {
    Kokkos::deep_copy(codes, 7);
    run_kernel(item, 3, 2, size);
    auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
    for (std::size_t k = 0; k < 3; ++k) ASSERT_EQ(found(k), 0);
  };
  run(team_eigh<Space>(in(empty), out(none), status(codes)));
  run(team_svd<Space>(in(flat), out(none), status(codes)));
  run(team_lu<Space>(in(empty), out(no_rows), out(order), status(codes)));
  run(team_cholesky<Space>(in(empty), out(no_rows), status(codes)));
  run(team_solve_lu<Space>(in(empty), in(x), out(x), status(codes)));
}
TEST(TeamItems, NoColumns) {
  Kokkos::View<double***, Space> const flat("flat", 3, 4, 0), q("q", 3, 4, 4), r("r", 3, 0, 0);
  Kokkos::deep_copy(q, 7.0);
  run_kernel(team_qr<Space>(in(flat), out(q), out(r)), 3, 2, team_sizes().back());
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), q);
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) ASSERT_EQ(found(k, i, j), i == j ? 1.0 : 0.0);
}

TEST(TeamItems, Misuse) {
  using Batch = Kokkos::View<double***, Kokkos::LayoutRight, Space>;
  Batch const a("a", 3, 4, 4), wide("wide", 3, 4, 5), few("few", 2, 4, 4);
  Kokkos::View<double**, Space> const w("w", 3, 4), b("b", 3, 5), x("x", 3, 4);
  Kokkos::View<int**, Space> const rows("rows", 3, 4);
  expect_says(message_of([&] { team_eigh<Space>(in(wide), out(w)); }),
              {"Batchwork::team_eigh: operand 1, a(\"wide\")", "does not hold square matrices"});
  expect_says(message_of([&] { team_svd<Space>(in(a), out(few), out(w), out(a)); }),
              {"Batchwork::team_svd:"});
  expect_says(message_of([&] { team_qr<Space>(inout(wide), out(a)); }),
              {"Batchwork::team_qr: operand 1, a(\"wide\")", "more columns than rows"});
  expect_says(message_of([&] { team_least_squares<Space>(in(a), in(b), out(x)); }),
              {"Batchwork::team_least_squares: operand 2, b(\"b\")", "has 5 rows"});
  expect_says(message_of([&] { team_lu<Space>(in(a), out(few), out(rows)); }),
              {"Batchwork::team_lu: operand 2, lu(\"few\")", "has 2 items"});
  expect_says(message_of([&] { team_solve_lu<Space>(in(a), in(b), out(x)); }),
              {"Batchwork::team_solve_lu: operand 2, b(\"b\")", "as many rows"});
  expect_says(message_of([&] { team_cholesky<Space>(in(wide), out(a)); }),
              {"Batchwork::team_cholesky: operand 1, a(\"wide\")", "square matrices"});
  expect_says(message_of([&] { team_solve_cholesky<Space>(in(a), in(b), out(x)); }),
              {"Batchwork::team_solve_cholesky: operand 2, b(\"b\")", "as many rows"});
  auto const solve = team_solve_lu<Space>(in(a), in(x), out(w));
  expect_says(message_of([&] { (void)solve.scratch_size(0); }),
              {"Batchwork::team_solve_lu: teams of 0 lanes", "give teams of "});
  if (by_lanes) {
    auto const pairs = team_eigh<Space, 128>(in(a), out(w));
    expect_says(message_of([&] { (void)pairs.scratch_size(64); }),
                {"Batchwork::team_eigh: teams of 64 lanes", "give teams of 128 threads"});
    expect_says(message_of([&] { (void)solve.scratch_size(48); }),
                {"Batchwork::team_solve_lu: teams of 48 lanes", "a multiple of 32 threads"});
    Batch const large("large", 1, 700, 700);
    Kokkos::View<double**, Space> const values("values", 1, 700);
    expect_says(message_of([&] { team_eigh<Space>(in(large), out(values)); }),
                {"an item of operand 1, a(\"large\")", "bytes, more than the",
                 "device's team scratch", "workspace(view)"});
  }
}

}  // namespace
}  // namespace Batchwork::Test
