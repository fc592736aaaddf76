// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// team_solve with direct_lu inside kernels.
#include "krylov/DirectTeamCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

/// A kernel that is used only to find the sizes of its teams.
struct NoWork {
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const&) const {}
};

struct InAKernel {
  int size = 0;  ///< of teams, or 0

  template <class Solver, class A>
  auto make(Solver const& solver, A const& a) const {
    return team_solve<Space>(solver, a);
  }
  template <class Team>
  void operator()(Team const& team, std::int64_t items, auto const& kernel) const {
    launch_user_kernel<Team, typename Team::value_type>(
        team, int(items), size > 0 ? size : team.team_size(), 0, kernel);
  }
};

template <class T>
void check_sizes(std::initializer_list<int> sizes, int columns, std::int64_t items) {
  Random random(21);
  int k = 0;
  for (int rows : sizes) {
    check_direct_formats<T>(rows, columns, items, all_arranged[k % 4], random,
                            SolvesColumns<InAKernel>{}, k % 3 == 1);
    ++k;
  }
}

TEST(TeamSolveDirect, EveryFormat) {
  check_sizes<double>({1, 2, 7, 22, 33, 54}, 1, 8);
  check_sizes<float>({54, 7, 33, 22, 1, 2}, 1, 8);
}
TEST(TeamSolveDirect, SeveralRightHandSides) {
  check_sizes<double>({7, 22, 33}, 3, 5);
  check_sizes<float>({22, 2}, 2, 7);
}
/// More than fits into the scratch memory of a team with Kokkos 4.
TEST(TeamSolveDirect, LargeSystems) {
  if (Impl::runs_on_device<Space> &&
      Impl::Vendor::device_limits(Space()).scratch_of_team < std::size_t(100000))
    GTEST_SKIP() << "a team has too little scratch";
  check_sizes<double>({100}, 2, 3);
  check_sizes<float>({144}, 1, 3);
}
TEST(TeamSolveDirect, OwnNumbers) {
  Random random(22);
  for (int rows : {1, 7, 33}) check_own_numbers<double>(InAKernel(), rows, 7, random);
  check_own_numbers<float>(InAKernel(), 22, 3, random);
}
TEST(TeamSolveDirect, SolvesInTurn) {
  for (int rows : {2, 22, 54}) check_in_turn<double>(InAKernel(), rows);
  check_in_turn<float>(InAKernel(), 33);
}
/// With refinement in double.
TEST(TeamSolveDirect, FactorsOfFloat) {
  Random random(23);
  for (int rows : {9, 54}) {
    DirectBatch<double> const of(direct_pattern(random, rows), 2, 7, Arranged::interleaved);
    for (std::int64_t n = 0; n < 7; ++n) put_direct(of.a, of.b, n, direct_kind(n, 7), random);
    of.a.upload(), of.b.upload();
    auto const solver = direct_lu<float>(relative(1e-12));
    check_direct<double>(solver, of, of.a.csr(), SolvesColumns<InAKernel>{}, 1e4);
    for (std::int64_t n = 0; n < 7; ++n)
      if (is_solvable(direct_kind(n, 7))) {
        EXPECT_EQ(HostLog<double>(of.log).reason(n), Reason::success);
      }
  }
}
/// On devices any number of whole warps, on hosts any number of threads.
TEST(TeamSolveDirect, OtherTeams) {
  if (Impl::runs_on_device<Space>) {
    for (int size : {32, 96, 256}) check_in_turn<double>(InAKernel{size}, 40);
    return;
  }
  Kokkos::TeamPolicy<Space> const any(9, 1);
  int const most = any.team_size_max(NoWork{}, Kokkos::ParallelForTag());
  for (int size = 1; size <= std::min(most, 3); ++size) check_in_turn<double>(InAKernel{size}, 40);
}
/// Systems without rows are solved.
TEST(TeamSolveDirect, NoRows) {
  DirectBatch<double> const of(Pattern{0, {}}, 1, 3, Arranged::item_contiguous);
  SolvesColumns<InAKernel>{}(direct_lu(), of.a.csr(), of.b, of.x, of.log);
  HostLog<double> const log(of.log);
  for (std::int64_t n = 0; n < 3; ++n) {
    EXPECT_EQ(log.reason(n), Reason::success);
    EXPECT_EQ(log.residual(n), 0);
  }
}

TEST(TeamSolveDirectMisuse, IsNamed) {
  using View = Kokkos::View<double***, Kokkos::LayoutRight, Space>;
  auto const team =
      team_solve<Space>(direct_lu(), no_preconditioner(), dense(View("a", 2, 12, 12)));
  static_assert(std::is_trivially_copyable_v<std::remove_const_t<decltype(team)>>);
  EXPECT_EQ(team.scratch_size(), team.scratch_size(team.team_size()));
  for (int size : {0, -32})
    expect_says(message_of([&] { (void)team.scratch_size(size); }),
                {"Batchwork::team_solve: teams of ", std::to_string(size).c_str(),
                 " threads for direct_lu of systems of 12 rows",
                 "; give a multiple of 32 to 256, or team_size()"});
  expect_says(message_of([&] { (void)team_solve<Space>(direct_lu(), dense(View("a", 2, 3, 4))); }),
              {"Batchwork::team_solve: operand 2, dense values(\"a\")", "; give square matrices"});
  expect_says(message_of([&] {
                (void)team_solve<Space>(direct_lu(relative(-1)), dense_pattern<float>(3));
              }),
              {"Batchwork::team_solve: a tolerance of -1", "; give zero or more"});
  expect_says(message_of([&] {
                auto solver = direct_lu();
                solver.refinements = -1;
                (void)team_solve<Space>(solver, dense_pattern<float>(3));
              }),
              {"at most -1 steps of refinement; give zero or more"});
  expect_says(
      message_of([&] { (void)team_solve<Space>(direct_lu(), dense_pattern<double>(2049)); }),
      {"systems of 2049 rows, more than the limit of "});
  if (Impl::runs_on_device<Space>)
    for (int size : {1, 31, 33, 288})
      expect_says(message_of([&] { (void)team.scratch_size(size); }), {"give a multiple of 32"});
  else EXPECT_EQ(team.scratch_size(3), 0u);
}

}  // namespace
}  // namespace Batchwork::Test
