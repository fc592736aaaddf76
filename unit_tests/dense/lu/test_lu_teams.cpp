// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device's kernels of lu, solve_lu, inverse and determinant, run on the host by teams of threads; compiled a second time for warps of
// 32 lanes.
#include "LuVerbsCase.hpp"
#include "support/Batchwork_Devices.hpp"
#include "support/HostTeams.hpp"
#include "support/SlotsOfTest.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
Impl::Storage<T> storage(ArrangedBatch<T> const& m) {
  return {m.data(), 1, m.item, 0, m.row, m.col};
}

/// run(p) runs a problem.
template <class T, class Run>
void check_calls(int n, int columns, std::int64_t items, Arranged how, Random& random,
                 Run const& run_problem) {
  auto const run = [&](Impl::LuProblem<T> p, auto const& a, auto const& codes) {
    p.a = storage(a).as_const();
    p.status.narrow = codes.data();
    p.status.group = codes.item;
    p.items = items;
    p.n = n;
    run_problem(p);
  };
  check_inverse<T>(
      n, items, how, random,
      [&](auto const& a, auto const& x, auto const& codes) {
        Impl::LuProblem<T> p;
        p.x = storage(x);
        p.columns = n;
        run(p, a, codes);
      },
      [&](auto const& a, auto const& d, auto const& codes) {
        Impl::LuProblem<T> p;
        p.x = storage(d);
        p.result = Impl::LuResult::determinant;
        run(p, a, codes);
      },
      [&](auto const& a, auto const& logs, auto const& signs, auto const& codes) {
        Impl::LuProblem<T> p;
        p.x = storage(signs), p.log_size = storage(logs);
        p.result = Impl::LuResult::determinant;
        run(p, a, codes);
      });
  check_lu<T>(
      n, columns, items, how, random,
      [&](auto const& a, auto const& lu, auto const& rows, auto const& codes) {
        Impl::LuProblem<T> p;
        p.lu = storage(lu);
        p.order = storage(rows);
        p.result = Impl::LuResult::factors;
        run(p, a, codes);
      },
      [&](auto const& a, auto const& b, auto const& x, auto const& codes) {
        Impl::LuProblem<T> p;
        p.b = storage(b).as_const();
        p.x = storage(x);
        p.columns = columns;
        run(p, a, codes);
      });
}

template <class Kernel, class T>
void check_kernel(int n, int columns, std::int64_t items, Arranged how, Random& random,
                  Impl::DeviceLimits const& limits = h200_with_kokkos_4()) {
  check_calls<T>(n, columns, items, how, random, [&](Impl::LuProblem<T> const& p) {
    Kernel const kernel(p, limits);
    ASSERT_LE(kernel.bytes(), limits.scratch_of_team);
    ASSERT_LE(kernel.team(), kernel.largest_team);
    run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
  });
}
/// In a workspace of so many slots.
template <class T>
void check_workspace(int n, int columns, std::int64_t items, std::int64_t slots, Arranged how,
                     Random& random) {
  SCOPED_TRACE(std::to_string(slots) + " slots");
  check_calls<T>(n, columns, items, how, random, [&](Impl::LuProblem<T> const& p) {
    SlotsOfTest<T> const memory(slots, Impl::LuSlot::of(p).bytes(sizeof(T)));
    Impl::LuTeamsInWorkspace<T> const kernel(p, memory.slots);
    ASSERT_EQ(kernel.teams(), std::min(slots, items));
    run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
    ASSERT_TRUE(memory.fenced());
  });
}

template <class T, bool Large>
void check_teams(int n, int columns, std::int64_t items, Arranged how, Random& random) {
  check_kernel<Impl::LuTeams<T, Large>, T>(n, columns, items, how, random);
}

TEST(LuTeams, ItemsOfAWarp) {
  Random random(4);
  check_teams<double, false>(1, 1, 7, Arranged::item_contiguous, random);
  check_teams<double, false>(5, 3, 13, Arranged::interleaved, random);
  check_teams<float, false>(9, 10, 7, Arranged::by_columns, random);
  check_teams<float, false>(Impl::Vendor::has_shuffles ? 17 : 33, 2, 2, Arranged::interleaved,
                            random);
  check_teams<double, false>(12, 1, 6, Arranged::strided, random);
}
TEST(LuTeams, ItemsOfATeam) {
  Random random(5);
  check_teams<float, true>(21, 2, 4, Arranged::item_contiguous, random);
}

/// In registers, where lanes have shuffles.
template <class T, int Tiles>
void check_tiles(int n, int columns, std::int64_t items, Arranged how, Random& random) {
  if constexpr (Impl::Vendor::has_shuffles)
    check_kernel<Impl::LuTiles<T, Tiles>, T>(n, columns, items, how, random, h200_with_kokkos_5());
}
TEST(LuTiles, ItemsOfAWarp) {
  Random random(6);
  check_tiles<double, 2>(1, 1, 7, Arranged::item_contiguous, random);
  check_tiles<double, 2>(5, 3, 13, Arranged::interleaved, random);
  check_tiles<float, 2>(16, 18, 4, Arranged::by_columns, random);
  check_tiles<float, 3>(23, 1, 5, Arranged::interleaved, random);
  check_tiles<double, 3>(20, 2, 4, Arranged::strided, random);
  check_tiles<float, 5>(36, 1, 3, Arranged::item_contiguous, random);
}
TEST(LuTiles, ItemsOfTwoWarps) {
  Random random(7);
  check_tiles<double, 7>(51, 1, 2, Arranged::interleaved, random);
}

/// Fewer slots than items, a last round that is not full, more slots than items; pivots that fail among the items of a team.
TEST(LuTeams, ItemsInAWorkspace) {
  Random random(6);
  check_workspace<double>(5, 3, 7, 3, Arranged::interleaved, random);
  check_workspace<float>(5, 10, 3, 2, Arranged::by_columns, random);
  check_workspace<float>(9, 1, 2, 1, Arranged::strided, random);
  check_workspace<double>(1, 1, 2, 5, Arranged::item_contiguous, random);
}
/// More columns than are asked for at once, and more rows than lanes.
TEST(LuTeams, LargeItemsInAWorkspace) {
  if (!Impl::Vendor::has_shuffles) return;
  Random random(7);
  check_workspace<double>(33, 2, 1, 1, Arranged::item_contiguous, random);
  constexpr int n = 259;
  ArrangedBatch<double> const a(1, n, n, Arranged::by_columns), x(1, n, 1, Arranged::interleaved),
      b(1, n, 1, Arranged::interleaved);
  a.randomise(random), b.randomise(random);
  Impl::LuProblem<double> p;
  p.a = storage(a).as_const(), p.b = storage(b).as_const(), p.x = storage(x);
  p.items = p.columns = 1;
  p.n = n;
  SlotsOfTest<double> const memory(1, Impl::LuSlot::of(p).bytes(sizeof(double)));
  Impl::LuTeamsInWorkspace<double> const kernel(p, memory.slots);
  run_teams(kernel, 1, kernel.team(), kernel.bytes());
  x.download();
  Dense const ak = item(a, 0), xk = item(x, 0);
  // |L| |U| of a random matrix stays below 8 n.
  long double const few = tolerance<double>(3 * n, 8 * n);
  long double largest = 0;
  for (int i = 0; i < n; ++i) largest = std::max(largest, std::fabs(xk(i)));
  ASSERT_TRUE(near(ak * xk, item(b, 0), Dense(n, 1, few * n * largest)));
}

/// On every device all rows that are taken fit.
TEST(LuTeams, FitEveryDevice) {
  for (auto const& device : devices()) {
    SCOPED_TRACE(device.name);
    auto const check = [&]<class T, bool Large>(int n, int columns) {
      Impl::LuProblem<T> p;
      p.n = n;
      p.columns = columns;
      p.items = 1000;
      p.result = columns == 0 ? Impl::LuResult::factors : Impl::LuResult::solutions;
      p.a = {nullptr, 1, 1, 0, 1000, 1000 * n};
      Impl::LuTeams<T, Large> const kernel(p, device.limits);
      EXPECT_LE(kernel.bytes(), device.limits.scratch_of_team) << n;
      EXPECT_LE(kernel.team(), kernel.largest_team) << n;
    };
    auto const most = Impl::LuTeams<double, true>::most_rows(device.limits.scratch_of_team, true);
    for (int columns : {0, 1, 8}) {
      for (int n : {1, 7, 32, 64})
        if (n <= most) check.template operator()<double, false>(n, columns);
      check.template operator()<double, true>(most, columns);
    }
  }
  if (!Impl::Vendor::has_shuffles) return;
  EXPECT_EQ((Impl::LuTeams<float, true>::most_rows(206824, false)), 226);
  EXPECT_EQ((Impl::LuTeams<double, true>::most_rows(206824, false)), 159);
}

}  // namespace
}  // namespace Batchwork::Test
