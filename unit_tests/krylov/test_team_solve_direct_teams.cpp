// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// team_solve with direct_lu in the code of devices, run on threads of a host. Compiled a second
// time with warps of 32 lanes.
#include "krylov/DirectTeamCase.hpp"
#include "support/Batchwork_Devices.hpp"
#include "support/Batchwork_Messages.hpp"
#include "support/HostTeams.hpp"

namespace Batchwork::Test {
namespace {

struct OnLanes {
  int size = 0;  ///< of teams, or 0

  template <class Solver, class A>
  auto make(Solver const& solver, A const& a) const {
    return Impl::make_team_solver<true, void>(solver, a, h200_with_kokkos_5().scratch_of_team);
  }
  template <class Team>
  void operator()(Team const& team, std::int64_t items, auto const& kernel) const {
    int const lanes = size > 0 ? size : team.team_size();
    ASSERT_LE(team.scratch_size(lanes), h200_with_kokkos_5().scratch_of_team);
    run_teams(kernel, int(items), lanes, team.scratch_size(lanes));
  }
};

TEST(TeamSolveDirectOnLanes, EveryFormat) {
  Random random(31);
  SolvesColumns<OnLanes> const call;
  check_direct_formats<double>(1, 1, 3, Arranged::interleaved, random, call, false);
  check_direct_formats<double>(7, 2, 7, Arranged::by_columns, random, call);
  check_direct_formats<float>(33, 2, 5, Arranged::strided, random, call);
  check_direct_formats<double>(65, 1, 3, Arranged::item_contiguous, random, call, false);
}
TEST(TeamSolveDirectOnLanes, OwnNumbers) {
  Random random(32);
  check_own_numbers<double>(OnLanes(), 22, 5, random);
  check_own_numbers<double>(OnLanes(), 1, 1, random);
}
TEST(TeamSolveDirectOnLanes, SolvesInTurn) {
  check_in_turn<double>(OnLanes(), 22);
  // With more lanes than rows, and fewer.
  check_in_turn<double>(OnLanes{256}, 7);
  check_in_turn<double>(OnLanes{96}, 33);
  check_in_turn<double>(OnLanes{32}, 54);
}
TEST(TeamSolveDirectOnLanes, FactorsOfFloat) {
  Random random(33);
  DirectBatch<double> const of(direct_pattern(random, 33), 2, 7, Arranged::item_contiguous);
  for (std::int64_t n = 0; n < 7; ++n) put_direct(of.a, of.b, n, direct_kind(n, 7), random);
  of.a.upload(), of.b.upload();
  check_direct<double>(direct_lu<float>(relative(1e-12)), of, of.a.csr(), SolvesColumns<OnLanes>{},
                       1e4);
  for (std::int64_t n = 0; n < 7; ++n)
    if (is_solvable(direct_kind(n, 7))) {
      EXPECT_EQ(HostLog<double>(of.log).reason(n), Reason::success);
    }
}

/// Solves a system with this many rows, with a team of this size and this much scratch memory.
void run_with(int rows, int size, std::size_t bytes) {
  DirectBatch<double> const of(full_pattern(rows), 1, 1, Arranged::item_contiguous);
  auto const team = OnLanes().make(direct_lu(), of.a.csr());
  run_teams(
      SolveColumns<double, std::remove_const_t<decltype(team)>, MatrixBy::item>{
          team, of.b.batch(), of.b.batch(), of.x.batch(), of.log},
      1, size, bytes);
}

TEST(TeamSolveDirectMisuseOnLanes, IsRefused) {
  auto const team = OnLanes().make(direct_lu(), dense_pattern<double>(40));
  EXPECT_EQ(team.team_size(), 64);
  for (int size : {0, 1, 31, 40, 65, 288})
    expect_says(message_of([&] { (void)team.scratch_size(size); }),
                {"Batchwork::team_solve: teams of ", std::to_string(size).c_str(),
                 " threads for direct_lu of systems of 40 rows",
                 "; give a multiple of 32 to 256, or team_size()"});
  EXPECT_EQ(OnLanes().make(direct_lu(), dense_pattern<double>(1)).team_size(), 32);
  EXPECT_EQ(OnLanes().make(direct_lu(), dense_pattern<double>(150)).team_size(), 160);
  // A number for each entry, the numbers of a column and of six vectors, 8 bytes each. The rest is
  // small.
  EXPECT_GE(team.scratch_size(64), std::size_t(40 * (41 + 7) * 8));
#if defined(BATCHWORK_VENDOR_WARPS)
  EXPECT_LE(team.scratch_size(256), std::size_t(40 * (41 + 7) * 8 + 1000));
#endif
  auto const limit = h200_with_kokkos_4().scratch_of_team;
  for (bool of_float : {false, true})
    expect_says(message_of([&] {
                  if (of_float)
                    (void)Impl::make_team_solver<true, void>(direct_lu<float>(),
                                                             dense_pattern<double>(120), limit);
                  else
                    (void)Impl::make_team_solver<true, void>(direct_lu(),
                                                             dense_pattern<double>(120), limit);
                }),
                {"Batchwork::team_solve: systems of 120 rows, more than the limit of ",
                 ", which team scratch has room for; give smaller systems or an iterative solver"});
}

TEST(TeamSolveDirectDeathTest, WrongSizesAbort) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(run_with(40, 40, 100000), "team_solve: a team of another size");
  EXPECT_DEATH(run_with(40, 64, 10000), "team_solve: too little team scratch");
}

}  // namespace
}  // namespace Batchwork::Test
