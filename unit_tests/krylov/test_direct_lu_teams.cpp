// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device kernels of solve with direct_lu, run on the host by teams of threads. Compiled a
// second time with warps of 32 lanes.
#include "krylov/DirectCase.hpp"
#include "krylov/direct/detail/Batchwork_DirectOfSharedLanes.hpp"
#include "krylov/direct/detail/Batchwork_DirectRows.hpp"
#include "krylov/direct/detail/Batchwork_DirectTiles.hpp"
#include "support/Batchwork_Devices.hpp"
#include "support/HostTeams.hpp"
#include "support/SlotsOfTest.hpp"

namespace Batchwork::Test {
namespace {

/// run(problem) launches a kernel.
template <class Run>
struct OnTeams {
  Run run;
  template <class T, class Solver, class A>
  void operator()(Solver const& solver, A const& a, ArrangedBatch<T> const& b,
                  ArrangedBatch<T> const& x, SolveLog<T> const& log) const {
    auto const of = Impl::stored(b.batch()), to = Impl::stored(x.batch());
    run(Impl::direct_problem<T>(solver, a, of, to, log, x.items));
  }
};
template <class Kernel>
void run_kernel(Kernel const& kernel, Impl::DeviceLimits const& limits) {
  ASSERT_LE(kernel.bytes(), limits.scratch_of_team);
  ASSERT_LE(kernel.team(), kernel.largest_team);
  run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
}
template <class T, class F = T>
auto teams() {
  auto const run = [](Impl::DirectProblem<T> const& p) {
    run_kernel(Impl::DirectTeams<T, F>(p), h200_with_kokkos_5());
  };
  return OnTeams<decltype(run)>{run};
}
template <class T, class F = T>
auto in_workspace(std::int64_t slots) {
  auto const run = [slots](Impl::DirectProblem<T> const& p) {
    using Kernel = Impl::DirectTeamsInWorkspace<T, F>;
    SlotsOfTest<T> const memory(slots, Kernel::room_of(p.n).bytes());
    Kernel const kernel(p, memory.slots);
    ASSERT_EQ(kernel.teams(), std::min(slots, p.items));
    run_kernel(kernel, h200_with_kokkos_4());
    ASSERT_TRUE(memory.fenced());
  };
  return OnTeams<decltype(run)>{run};
}

/// One kernel stores the factors, and another kernel uses them.
template <class T, class Make>
auto in_two_kernels(std::size_t (*bytes)(int), Make const& make) {
  auto const run = [bytes, make](Impl::DirectProblem<T> p) {
    SlotsOfTest<T> const memory(p.items, bytes(p.n));
    p.kept = memory.slots;
    auto first = p;
    first.b = {}, first.x = {};
    make.template operator()<Impl::DirectTask::factorise>(first);
    p.growth = p.condition = nullptr;
    make.template operator()<Impl::DirectTask::substitute>(p);
    ASSERT_TRUE(memory.fenced());
  };
  return OnTeams<decltype(run)>{run};
}
template <class T, class F = T>
auto kept_by_teams() {
  return in_two_kernels<T>([](int n) { return Impl::DirectTeams<T, F>::room_of(n).kept_bytes(); },
                           []<Impl::DirectTask Task>(Impl::DirectProblem<T> const& p) {
                             run_kernel(Impl::DirectTeams<T, F, Task>(p), h200_with_kokkos_5());
                           });
}
template <class T, class F = T>
auto kept_in_place() {
  return in_two_kernels<T>(
      [](int n) { return Impl::DirectTeamsInWorkspace<T, F>::room_of(n).kept_bytes(); },
      []<Impl::DirectTask Task>(Impl::DirectProblem<T> const& p) {
        run_kernel(Impl::DirectTeamsInWorkspace<T, F, Task>(p, p.kept), h200_with_kokkos_5());
      });
}

TEST(DirectLuTeams, KeptFactors) {
  Random random(8);
  check_direct_formats<double>(7, 2, 7, Arranged::by_columns, random, kept_by_teams<double>(),
                               false);
  check_direct_formats<float>(20, 1, 3, Arranged::strided, random, kept_in_place<float>(), false);
}
TEST(DirectLuTeams, AnItemOfATeam) {
  Random random(3);
  check_direct_formats<double>(1, 1, 3, Arranged::interleaved, random, teams<double>());
  check_direct_formats<double>(7, 2, 7, Arranged::by_columns, random, teams<double>());
  check_direct_formats<float>(20, 3, 3, Arranged::strided, random, teams<float>());
  check_direct_formats<double>(65, 1, 3, Arranged::item_contiguous, random, teams<double>(), false);
}
TEST(DirectLuTeams, ItemsOfAWorkspace) {
  Random random(4);
  check_direct_formats<double>(9, 1, 5, Arranged::item_contiguous, random, in_workspace<double>(2));
  check_direct_formats<float>(34, 2, 1, Arranged::interleaved, random, in_workspace<float>(1),
                              false);
}

#if defined(BATCHWORK_VENDOR_WARPS)
template <class T, int Tiles>
auto tiles() {
  auto const run = [](Impl::DirectProblem<T> const& p) {
    auto const limits = h200_with_kokkos_5();
    run_kernel(Impl::DirectTiles<T, Tiles>(p, limits), limits);
  };
  return OnTeams<decltype(run)>{run};
}

/// With a list of the pattern, for several groups of items of a team.
template <class T, int Tiles>
auto listed(int groups) {
  auto const run = [groups](Impl::DirectProblem<T> const& p) {
    auto const limits = h200_with_kokkos_5();
    Impl::DirectTiles<T, Tiles, Impl::DirectTask::whole, true> kernel(p, limits);
    if (p.compressed_entries == 0)
      return run_kernel(Impl::DirectTiles<T, Tiles>(p, limits), limits);
    kernel.groups = groups;
    run_kernel(kernel, limits);
  };
  return OnTeams<decltype(run)>{run};
}

template <class T, int Tiles>
auto kept_by_tiles() {
  return in_two_kernels<T>([](int) { return Impl::DirectTiles<T, Tiles>::kept_bytes; },
                           []<Impl::DirectTask Task>(Impl::DirectProblem<T> const& p) {
                             auto const limits = h200_with_kokkos_5();
                             run_kernel(Impl::DirectTiles<T, Tiles, Task>(p, limits), limits);
                           });
}

/// Some lanes of a warp have an item. Teams have several groups of items, on a device with a given
/// number of multiprocessors.
template <class Run>
struct OnSharedLanes : OnTeams<Run> {
  using without_condition = void;
};
template <class T, int N>
auto shared_lanes(int groups = 1, int multiprocessors = 1) {
  auto const run = [groups, multiprocessors](Impl::DirectProblem<T> const& p) {
    auto limits = h200_with_kokkos_5();
    limits.multiprocessors = multiprocessors;
    Impl::DirectOfSharedLanes<T, N> kernel(p, limits);
    // Full teams, also for few items.
    if (multiprocessors == 1) kernel.items_per_team = kernel.most_items;
    else ASSERT_EQ(kernel.team(), 32);
    kernel.groups = groups;
    run_kernel(kernel, limits);
  };
  return OnSharedLanes<decltype(run)>{{run}};
}

TEST(DirectLuTeams, KeptFactorsOfWarps) {
  Random random(9);
  check_direct_formats<double>(22, 1, 7, Arranged::interleaved, random, kept_by_tiles<double, 3>(),
                               false);
  check_direct_formats<float>(13, 2, 9, Arranged::item_contiguous, random,
                              kept_by_tiles<float, 2>(), false);
  check_direct_formats<double>(50, 2, 3, Arranged::by_columns, random, kept_by_tiles<double, 7>(),
                               false);
  check_direct_formats<float>(60, 1, 3, Arranged::item_contiguous, random,
                              kept_by_tiles<float, 8>(), false);
  check_direct_formats<double>(66, 1, 3, Arranged::item_contiguous, random,
                               kept_by_tiles<double, 10>(), false);
}

TEST(DirectLuTeams, AnItemOfAWarp) {
  Random random(5);
  check_direct_formats<double>(22, 1, 7, Arranged::item_contiguous, random, tiles<double, 3>());
  check_direct_formats<float>(13, 1, 9, Arranged::interleaved, random, tiles<float, 2>());
  check_direct_formats<double>(22, 1, 5, Arranged::strided, random, tiles<double, 3>(), false);
  check_direct_formats<double>(22, 2, 9, Arranged::interleaved, random, tiles<double, 3>(), false);
  for (int rows : {1, 2, 4, 5, 8, 16})
    check_direct_formats<double>(rows, rows % 3 + 1, 3, all_arranged[rows % 4], random,
                                 tiles<double, 2>(), false);
  check_direct_formats<double>(33, 1, 5, Arranged::by_columns, random, tiles<double, 5>(), false);
  check_direct_formats<float>(33, 2, 5, Arranged::interleaved, random, tiles<float, 5>(), false);
}
TEST(DirectLuTeams, ItemsThatShareAWarp) {
  Random random(21);
  check_direct_formats<double>(22, 1, 19, Arranged::item_contiguous, random,
                               shared_lanes<double, 24>());
  check_direct_formats<double>(24, 1, 35, Arranged::interleaved, random,
                               shared_lanes<double, 24>(2), false);
  check_direct_formats<double>(20, 1, 35, Arranged::interleaved, random,
                               shared_lanes<double, 24>(2, 132), false);
  for (int rows : {1, 2, 5, 8})
    check_direct_formats<double>(rows, 1, 35, all_arranged[rows % 4], random,
                                 shared_lanes<double, 8>(), false);
  check_direct_formats<float>(7, 1, 70, Arranged::interleaved, random, shared_lanes<float, 8>(2),
                              false);
  check_direct_formats<double>(11, 1, 9, Arranged::by_columns, random, shared_lanes<double, 12>(),
                               false);
  check_direct_formats<float>(12, 1, 33, Arranged::strided, random, shared_lanes<float, 12>());
  check_direct_formats<double>(13, 1, 9, Arranged::interleaved, random, shared_lanes<double, 16>(),
                               false);
  check_direct_formats<float>(16, 1, 70, Arranged::interleaved, random, shared_lanes<float, 16>(3),
                              false);
  check_direct_formats<float>(23, 1, 18, Arranged::by_columns, random, shared_lanes<float, 24>(),
                              false);
  check_direct_formats<double>(31, 1, 9, Arranged::strided, random, shared_lanes<double, 32>());
  check_direct_formats<float>(32, 1, 17, Arranged::item_contiguous, random,
                              shared_lanes<float, 32>(2), false);
}
/// Some items meet the tolerance immediately, some after refinement, some never, and some have no
/// solution. Each must be the same as if it were alone.
TEST(DirectLuTeams, ItemsOfAWarpRefineAsIfAlone) {
  constexpr std::int64_t items = 23;
  Random random(24);
  int const rows = 22;
  auto const pattern = direct_pattern(random, rows);
  DirectBatch<double> const of(pattern, 1, items, Arranged::interleaved);
  for (std::int64_t n = 0; n < items; ++n) put_direct(of.a, of.b, n, direct_kind(n, items), random);
  of.a.upload(), of.b.upload();
  struct Case {
    double tolerance;
    int refinements;
    bool has_both;  ///< items with and without refinement
  };
  for (auto const& [tolerance, refinements, has_both] :
       {Case{1e-15, 5, true}, Case{1e-16, 1, false}, Case{0, 3, false}, Case{1e-15, 0, false}}) {
    SCOPED_TRACE(tolerance);
    auto solver = direct_lu(relative(tolerance));
    solver.refinements = refinements;
    solver.stop.most_iterations = 10;
    shared_lanes<double, 24>()(solver, of.a.csr(), of.b, of.x, of.log);
    of.x.download();
    HostLog<double> const all(of.log);
    int most = 0, least = 10;
    for (std::int64_t n = 0; n < items; ++n) {
      SCOPED_TRACE("item " + std::to_string(n));
      DirectBatch<double> const one(pattern, 1, 1, Arranged::item_contiguous);
      for (int i = 0; i < rows; ++i) {
        one.b.at(0, i, 0) = of.b.at(n, i, 0);
        for (int k = 0; k < int(pattern.columns[std::size_t(i)].size()); ++k)
          one.a.put(0, i, k, of.a.full.at(n, i, pattern.columns[std::size_t(i)][std::size_t(k)]));
      }
      one.a.upload(), one.b.upload();
      shared_lanes<double, 24>()(solver, one.a.csr(), one.b, one.x, one.log);
      one.x.download();
      HostLog<double> const alone(one.log);
      EXPECT_EQ(all.reason(n), alone.reason(0));
      EXPECT_EQ(all.info(n), alone.info(0));
      EXPECT_EQ(all.iterations(n), alone.iterations(0));
      EXPECT_TRUE(same_bits(all.residual(n), alone.residual(0)));
      EXPECT_TRUE(same_bits(all.recurrence(n), alone.recurrence(0)));
      for (int i = 0; i < rows; ++i)
        EXPECT_TRUE(same_bits(of.x.at(n, i, 0), one.x.at(0, i, 0))) << i;
      if (!is_solvable(direct_kind(n, items))) continue;
      most = std::max(most, all.iterations(n)), least = std::min(least, all.iterations(n));
      if (all.reason(n) == Reason::success)
        expect_honest(all, n, residual_truth(of.a.full, n, of.x, of.b), tolerance);
    }
    if (has_both) {
      EXPECT_EQ(least, 0);
      EXPECT_GT(most, 0);
    }
    EXPECT_LE(most, refinements);
  }
}
TEST(DirectLuTeams, AListOfThePattern) {
  Random random(11);
  check_direct_formats<double>(22, 1, 11, Arranged::item_contiguous, random, listed<double, 3>(1));
  check_direct_formats<double>(22, 2, 9, Arranged::interleaved, random, listed<double, 3>(2));
  check_direct_formats<float>(13, 1, 19, Arranged::by_columns, random, listed<float, 2>(3));
  check_direct_formats<double>(35, 2, 7, Arranged::strided, random, listed<double, 5>(2), false);
  check_direct_formats<float>(41, 1, 5, Arranged::interleaved, random, listed<float, 6>(2), false);
  check_direct_formats<double>(50, 1, 7, Arranged::item_contiguous, random, listed<double, 7>(3),
                               false);
  check_direct_formats<double>(61, 1, 3, Arranged::by_columns, random, listed<double, 8>(2), false);
}
/// Patterns for which the list cannot be used, with seven items in teams of four or two, and a
/// partial last team.
TEST(DirectLuTeams, AListOfAFlawedPattern) {
  for (Arranged how : {Arranged::item_contiguous, Arranged::interleaved}) {
    auto const check = [&](auto const& call) {
      RepeatedColumns of(7, how);
      call(direct_lu(relative(1e-14)), of.a(), of.b, of.x, of.log);
      of.expect_solution(1e-15);
      of.columns = indices_of<int>("columns", {0, 1, 2, 1, 0, 1});
      call(direct_lu(), of.a(), of.b, of.x, of.log);
      of.expect_invalid();
    };
    check(listed<double, 2>(2));
    check(shared_lanes<double, 16>(2));
    check(shared_lanes<double, 8>());
  }
}
/// Offsets that do not begin at zero, and entries before the first row and after the last one, with
/// columns that are out of range.
TEST(DirectLuTeams, AListOfAPartOfTheEntries) {
  double const none = std::numeric_limits<double>::quiet_NaN();
  for (Arranged how : {Arranged::item_contiguous, Arranged::interleaved}) {
    TwoRows const sorted({2, 4, 6}, {9, -1, 0, 1, 0, 1, 200, 7, -5},
                         {none, none, 3, 2, 5, -4, none, none, none}, 7, how);
    TwoRows const repeated({1, 4, 6}, {9, 1, 0, 0, 0, 1, 7}, {none, 2, 1, 2, 5, -4, none}, 7, how);
    auto const check = [&](auto const& call) {
      for (TwoRows const* of : {&sorted, &repeated}) {
        of->x.fill(poison<double>());
        call(direct_lu(relative(1e-14)), of->a(), of->b, of->x, of->log);
        of->expect_solution(1e-15);
      }
    };
    check(listed<double, 2>(2));
    check(shared_lanes<double, 16>(2));
  }
}
/// This kernel is used for compressed rows only, and if a multiprocessor does not hold fewer items
/// with it.
TEST(DirectLuTeams, AListIsWorthIt) {
  using With = Impl::DirectTiles<double, 7, Impl::DirectTask::whole, true>;
  using Without = Impl::DirectTiles<double, 7>;
  auto const limits = h200_with_kokkos_5();
  Impl::DirectProblem<double> p;
  p.n = 54, p.items = 100000;
  auto const worth = [&](std::int64_t entries) {
    p.compressed_entries = entries;
    return With(p, limits).is_worth_it(Without(p, limits), limits);
  };
  EXPECT_FALSE(worth(0));
  EXPECT_TRUE(worth(2600));
  EXPECT_FALSE(worth(56 * 56 + 1));
  // Exactly enough memory for three teams with two items each and their lists; then one byte less.
  Impl::DeviceLimits small = limits;
  auto const worth_there = [&] { return With(p, small).is_worth_it(Without(p, small), small); };
  p.compressed_entries = 2600;
  small.scratch_of_multiprocessor =
      3 * (With(p, limits).bytes() + limits.reserved_of_team +
           limits.reserved_of_lane * std::size_t(With(p, limits).team()));
  EXPECT_TRUE(worth_there());
  small.scratch_of_multiprocessor -= 1;
  EXPECT_FALSE(worth_there());
  With interleaved(p, limits);
  interleaved.by_items = true;
  EXPECT_FALSE(interleaved.is_worth_it(Without(p, limits), limits));
  EXPECT_EQ(With(p, limits).groups, 8);
  p.items = 1000;
  EXPECT_EQ(With(p, limits).groups, 1);
  EXPECT_FALSE(worth(2600));
}
/// A kernel also accepts fewer rows than its maximum.
TEST(DirectLuTeams, AnItemOfSomeWarps) {
  Random random(6);
  check_direct_formats<double>(50, 2, 3, Arranged::interleaved, random, tiles<double, 7>(), false);
  check_direct_formats<double>(30, 1, 5, Arranged::by_columns, random, tiles<double, 8>(), false);
  check_direct_formats<float>(57, 1, 3, Arranged::strided, random, tiles<float, 8>(), false);
  check_direct_formats<double>(66, 1, 3, Arranged::item_contiguous, random, tiles<double, 10>(),
                               false);
  check_direct_formats<float>(73, 1, 1, Arranged::interleaved, random, tiles<float, 10>(), false);
  check_direct_formats<double>(21, 2, 5, Arranged::item_contiguous, random, tiles<double, 18>(),
                               false);
}
/// A row and a column whose factors are both large: their product overflows.
TEST(DirectLuTeams, LargeFactorsOfARowAndAColumn) {
  auto const solver = direct_lu(relative(1e-12));
  auto const expect_exactly = [&](int rows, auto const& call) {
    DirectBatch<double> const of(full_pattern(rows), 1, 3, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < 3; ++n) {
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < rows; ++j) of.a.put(n, i, j, i == j ? 1 : 0);
        of.b.at(n, i, 0) = i + 1;
      }
      of.a.put(n, 0, 0, 1e-300), of.b.at(n, 0, 0) = 1e-300;
      of.a.put(n, 1, 1, 1e-10), of.a.put(n, 1, 2, 1);
    }
    of.a.upload(), of.b.upload();
    of.x.fill(poison<double>());
    call(solver, of.a.csr(), of.b, of.x, of.log);
    of.x.download();
    for (std::int64_t n = 0; n < 3; ++n) {
      EXPECT_EQ(HostLog<double>(of.log).reason(n), Reason::success);
      for (int i = 0; i < rows; ++i) {
        double const x = i == 0 ? 1 : i == 1 ? -1e10 : i + 1;
        EXPECT_NEAR(of.x.at(n, i, 0), x, 1e-14 * std::fabs(x)) << "row " << i;
      }
    }
  };
  expect_exactly(40, tiles<double, 5>());
  expect_exactly(40, tiles<double, 8>());
  expect_exactly(30, shared_lanes<double, 32>());
}
/// Factors in float, with refinement steps in double.
TEST(DirectLuTeams, FactorsOfFloat) {
  Random random(7);
  for (int rows : {9, 22}) {
    DirectBatch<double> const of(direct_pattern(random, rows), 2, 7, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < 7; ++n) put_direct(of.a, of.b, n, direct_kind(n, 7), random);
    of.a.upload(), of.b.upload();
    auto const solver = direct_lu<float>(relative(1e-12));
    auto const expect_all = [&](auto const& call) {
      check_direct<double>(solver, of, of.a.csr(), call, 1e4);
      for (std::int64_t n = 0; n < 7; ++n)
        if (is_solvable(direct_kind(n, 7))) {
          EXPECT_EQ(HostLog<double>(of.log).reason(n), Reason::success);
        }
    };
    // In tiles, factors have the type of the numbers.
    expect_all(tiles<double, 3>());
    if (rows == 9) expect_all(teams<double, float>());
    if (rows == 22) expect_all(kept_by_teams<double, float>());
  }
}
/// Teams process enough groups of items one after the other that a device can hold half of the
/// groups at the same time.
TEST(DirectLuTeams, GroupsOfATeam) {
  auto limits = h200_with_kokkos_5();
  limits.multiprocessors = 132;
  Impl::DirectProblem<double> p;
  p.n = 22, p.compressed_entries = 434;
  auto const expect = [&](std::int64_t items, int team, int groups) {
    p.items = items;
    Impl::DirectOfSharedLanes<double, 24> const kernel(p, limits);
    EXPECT_EQ(kernel.team(), team) << items;
    EXPECT_EQ(kernel.groups, groups) << items;
    std::int64_t const of_team = team / 8 * groups;
    EXPECT_EQ(kernel.teams(), (items + of_team - 1) / of_team);
  };
  expect(1000, 32, 1), expect(264 * 16, 128, 1), expect(2 * 264 * 16, 128, 1);
  expect(2 * 264 * 16 + 1, 128, 2), expect(131072, 128, 16), expect(1 << 20, 128, 16);
  p.compressed_entries = 0;
  expect(131072, 128, 1);
}
/// Every kernel can be launched on every device with enough memory, and a multiprocessor holds the
/// number of teams in its launch bounds.
TEST(DirectLuTeams, FitDevices) {
  auto const limits = h200_with_kokkos_5();
  Impl::DirectProblem<double> p;
  p.items = 1000, p.columns = 1;
  auto const check = [&]<int Tiles>() {
    p.n = 8 * Tiles;
    Impl::DirectTiles<double, Tiles> const kernel(p, limits);
    EXPECT_TRUE(kernel.fits(limits)) << Tiles << " tiles: " << kernel.bytes() << " bytes";
    EXPECT_LE(kernel.team(), kernel.largest_team);
  };
  check.template operator()<2>(), check.template operator()<3>(), check.template operator()<4>();
  check.template operator()<5>(), check.template operator()<6>(), check.template operator()<7>();
  check.template operator()<8>(), check.template operator()<10>(), check.template operator()<12>();
  check.template operator()<15>(), check.template operator()<18>();
  auto const check_lanes = [&]<class T, int N>(Impl::DirectProblem<T> q) {
    q.n = N, q.items = 1000, q.compressed_entries = N * N;
    Impl::DirectOfSharedLanes<T, N> const kernel(q, limits);
    EXPECT_TRUE(kernel.fits(limits)) << N << " rows: " << kernel.bytes() << " bytes";
    EXPECT_LE(kernel.team(), kernel.largest_team);
  };
  auto const check_type = [&]<class T>(Impl::DirectProblem<T> const& q) {
    check_lanes.template operator()<T, 8>(q), check_lanes.template operator()<T, 12>(q);
    check_lanes.template operator()<T, 16>(q), check_lanes.template operator()<T, 24>(q);
    check_lanes.template operator()<T, 32>(q);
  };
  check_type(Impl::DirectProblem<float>());
  check_type(Impl::DirectProblem<double>());
  EXPECT_GE((Impl::DirectTeams<double, double>::most_rows(limits.scratch_of_team)), 150);
}
#endif

}  // namespace
}  // namespace Batchwork::Test
