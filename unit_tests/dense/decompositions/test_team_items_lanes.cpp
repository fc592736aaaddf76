// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// team_cholesky, team_solve_cholesky, team_eigh, team_svd, team_qr, team_least_squares, team_lu and
// team_solve_lu as devices run them,
// by teams of threads. Compiled with and without warps of 32 lanes.
#include "TeamItemCase.hpp"
#include "support/HostTeams.hpp"

namespace Batchwork::Test {
namespace {

/// Fewer teams than items; the last round has not an item for each team.
struct OnThreads {
  int size;
  template <class Item>
  void operator()(Item const& item, std::int64_t items) const {
    run_teams(KernelOfUser<Item>{item, items}, int(items > 2 ? items * 2 / 3 : items), size,
              item.scratch_size(size));
  }
};
template <class T>
void check_all(int n, int size) {
  SCOPED_TRACE("teams of " + std::to_string(size));
  Random random(n);
  OnThreads const run{size};
  TeamItems<true, T, OnThreads> const check{run};
  check.all(n, 7, n % 2 == 0 ? Arranged::item_contiguous : Arranged::interleaved, random);
}

TEST(TeamItemsOfLanes, SmallSizes) {
  for (int n : {1, 2, 3, 5, 8, 9}) check_all<float>(n, 32), check_all<double>(n, 64);
}
TEST(TeamItemsOfLanes, TeamSizes) {
  if constexpr (Impl::Vendor::has_shuffles) {
    for (int size : {32, 96, 256}) check_all<float>(13, size), check_all<double>(18, size);
  } else {
    // cholesky needs warps.
    for (int size : {1, 3, 32}) {
      Random random(size);
      OnThreads const run{size};
      TeamItems<true, double, OnThreads> const check{run};
      check.eigh(13, 7, Arranged::item_contiguous, random);
      check.lu(13, 2, 7, Arranged::interleaved, random);
      check.svd(13, 9, 7, Arranged::interleaved, random);
      check.qr(13, 9, 9, 7, Arranged::interleaved, random);
      check.least_squares(13, 9, 2, 7, Arranged::interleaved, random);
    }
  }
}
/// Divide and conquer, for which the size of the team is known at compile time, and what it leaves
/// to rotations.
template <class T, int TeamSize>
void check_known_size(std::initializer_list<int> sizes) {
  Random random(TeamSize);
  OnThreads const run{TeamSize};
  TeamItems<true, T, OnThreads> const check{run};
  for (int n : sizes)
    check.template eigh<TeamSize>(
        n, 4, n % 2 == 0 ? Arranged::item_contiguous : Arranged::interleaved, random);
}
TEST(TeamItemsOfLanes, KnownTeamSize) {
  check_known_size<float, 128>({5, 32, 33, 65});
  check_known_size<double, 128>({33, 49, 97});
  check_known_size<double, 256>({40, 66});
}
/// As many right-hand sides at a time as leave room for what the largest team needs.
TEST(TeamItemsOfLanes, RightHandSidesFitScratch) {
  using Teams = Impl::LuTeams<double, false>;
  constexpr int lanes = Impl::most_lanes_of_team;
  std::size_t const scratch = 206824;
  auto const bytes = [&](int n, int columns) {
    Impl::LuProblem<double> p;
    p.n = n, p.columns = columns, p.items = 1;
    return Teams::of_one_item(p, lanes, scratch).bytes_of_item(lanes) + 16;
  };
  for (int n = 130; bytes(n, 1) <= scratch; ++n) ASSERT_LE(bytes(n, 8), scratch) << n;
}
/// Calls of different functions, one after the other, in the same scratch.
template <class Pairs, class Solve>
struct PairsAndSolutions {
  Pairs pairs;
  Solve solve;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::int64_t const item = member.league_rank();
    solve(member, item);
    pairs(member, item);
    solve(member, item);
  }
};
TEST(TeamItemsOfLanes, DifferentCallsShareScratch) {
  int const n = 9, items = 3, size = 64;
  auto const how = Arranged::interleaved;
  Random random(n);
  ArrangedBatch<double> const a(items, n, n, how), b(items, n, 1, how), x(items, n, 1, how),
      values(items, n, 1, how), x_alone(items, n, 1, how), values_alone(items, n, 1, how);
  a.randomise(random), b.randomise(random);
  auto const pairs = [&](auto const& to) {
    return Impl::TeamEighForms<true>::template make<Space>(in(a.batch()), out(vectors(to)));
  };
  auto const solve = [&](auto const& to) {
    return Impl::TeamSolveLuForms<true>::template make<Space>(in(a.batch()), in(b.batch()),
                                                              out(to.batch()));
  };
  OnThreads const run{size};
  run(pairs(values_alone), items), run(solve(x_alone), items);
  PairsAndSolutions const both{pairs(values), solve(x)};
  run_teams(both, items, size,
            std::max(both.pairs.scratch_size(size), both.solve.scratch_size(size)));
  for (auto const* of : {&x, &x_alone, &values, &values_alone}) of->download();
  for (int k = 0; k < items; ++k)
    for (int i = 0; i < n; ++i) {
      ASSERT_TRUE(std::isfinite(x.at(k, i, 0)) && std::isfinite(values.at(k, i, 0)));
      EXPECT_TRUE(same_bits(x.at(k, i, 0), x_alone.at(k, i, 0)));
      EXPECT_TRUE(same_bits(values.at(k, i, 0), values_alone.at(k, i, 0)));
    }
}
TEST(TeamItemsOfLanes, LargeSizes) { check_all<float>(36, 64), check_all<double>(33, 128); }

}  // namespace
}  // namespace Batchwork::Test
