// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device's kernels of solve with direct_lu, run on the host by teams of threads; compiled a second time for warps of 32 lanes.
#include "krylov/DirectCase.hpp"
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

TEST(DirectLuTeams, AnItemOfATeam) {
  Random random(3);
  check_direct_formats<double>(1, 1, 3, Arranged::interleaved, random, teams<double>());
  check_direct_formats<double>(7, 2, 7, Arranged::by_columns, random, teams<double>());
  check_direct_formats<float>(31, 1, 3, Arranged::strided, random, teams<float>());
  check_direct_formats<double>(65, 1, 3, Arranged::item_contiguous, random, teams<double>(), false);
  check_direct_formats<float>(100, 3, 1, Arranged::interleaved, random, teams<float>(), false);
}
TEST(DirectLuTeams, ItemsOfAWorkspace) {
  Random random(4);
  check_direct_formats<double>(9, 1, 5, Arranged::item_contiguous, random, in_workspace<double>(2));
  check_direct_formats<float>(70, 2, 3, Arranged::interleaved, random, in_workspace<float>(1),
                              false);
}

#if defined(BATCHWORK_VENDOR_WARPS)
template <class T, int Tiles, class F = T>
auto tiles() {
  auto const run = [](Impl::DirectProblem<T> const& p) {
    auto const limits = h200_with_kokkos_5();
    run_kernel(Impl::DirectTiles<T, F, Tiles>(p, limits), limits);
  };
  return OnTeams<decltype(run)>{run};
}

TEST(DirectLuTeams, AnItemOfAWarp) {
  Random random(5);
  check_direct_formats<double>(22, 1, 7, Arranged::item_contiguous, random, tiles<double, 3>());
  check_direct_formats<float>(13, 1, 9, Arranged::interleaved, random, tiles<float, 2>());
  check_direct_formats<double>(22, 1, 5, Arranged::strided, random, tiles<double, 3>(), false);
  check_direct_formats<double>(22, 2, 9, Arranged::interleaved, random, tiles<double, 3>(), false);
  for (int rows : {1, 2, 3, 4, 5, 6, 7, 8, 16})
    check_direct_formats<double>(rows, rows % 3 + 1, 3, all_arranged[rows % 4], random,
                                 tiles<double, 2>(), false);
  check_direct_formats<double>(33, 1, 5, Arranged::by_columns, random, tiles<double, 5>(), false);
  check_direct_formats<float>(33, 2, 5, Arranged::interleaved, random, tiles<float, 5>(), false);
}
TEST(DirectLuTeams, AnItemOfSomeWarps) {
  Random random(6);
  check_direct_formats<double>(54, 2, 3, Arranged::interleaved, random, tiles<double, 7>(), false);
  check_direct_formats<double>(64, 1, 1, Arranged::by_columns, random, tiles<double, 8>(), false);
  check_direct_formats<float>(64, 1, 3, Arranged::strided, random, tiles<float, 8>(), false);
  check_direct_formats<double>(65, 1, 1, Arranged::item_contiguous, random, tiles<double, 10>(),
                               false);
  check_direct_formats<float>(100, 1, 1, Arranged::interleaved, random, tiles<float, 15>(), false);
  check_direct_formats<double>(144, 1, 1, Arranged::item_contiguous, random, tiles<double, 18>(),
                               false);
}
#endif

}  // namespace
}  // namespace Batchwork::Test
