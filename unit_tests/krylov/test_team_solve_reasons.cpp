// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// team_solve: systems without a solution, sizes of teams and of scratch memory, misuse.
#include "krylov/TeamSolveCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct TeamSolveReasons : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TeamSolveReasons, Numbers);

/// Items without a solution must report the same as with solve. A zero or missing diagonal entry is
/// a factor of 1.
TYPED_TEST(TeamSolveReasons, AreSaid) {
  using T = TypeParam;
  int const items = 6;
  ArrangedBatch<T> const full(items, 3, 3, Arranged::item_contiguous),
      b(items, 3, 1, Arranged::item_contiguous), x(items, 3, 1, Arranged::item_contiguous);
  full.fill(T(0));
  b.fill(T(1));
  for (int n = 0; n < items; ++n)
    for (int i = 0; i < 3; ++i) full.at(n, i, i) = T(2 + i);
  full.at(1, 0, 0) = std::numeric_limits<T>::quiet_NaN();
  full.at(2, 1, 1) = T(-2);
  for (int i = 0; i < 3; ++i) b.at(3, i, 0) = T(0);
  // It has no diagonal, and its square is the identity.
  full.at(4, 0, 0) = full.at(4, 1, 1) = T(0);
  full.at(4, 0, 1) = full.at(4, 1, 0) = full.at(4, 2, 2) = T(1);
  full.upload();
  b.upload();
  auto const solved_by = [&](auto const& solver) {
    auto const team = team_solve<Space>(solver, jacobi(), dense(full.batch()));
    using Solver = std::remove_const_t<decltype(team)>;
    auto const log = SolveLog<T>::allocated(items);
    x.fill(T(0.5));
    launch_user_kernel<Solver, T>(team, items, team.team_size(), 0,
                                  ByItem<T, Solver>{team, vectors(b), vectors(x), log});
    x.download();
    return HostLog<T>(log);
  };
  auto const run = [&](auto const& solver, Reason second) {
    auto const said = solved_by(solver);
    for (int n : {0, 3, 4, 5}) {
      EXPECT_EQ(said.reason(n), Reason::success) << n;
      expect_honest(said, n, residual_truth(full, n, x, b), 1e-5);
    }
    EXPECT_EQ(said.reason(1), Reason::not_finite);
    EXPECT_EQ(said.reason(2), second);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(x.at(3, i, 0), T(0));
    EXPECT_EQ(said.iterations(3), 0);
  };
  run(bicgstab(relative(1e-5, 50)), Reason::success);
  // Limits apply to each call.
  EXPECT_EQ(solved_by(bicgstab(relative(1e-5, 0))).reason(0), Reason::iteration_limit);
  EXPECT_EQ(x.at(0, 0, 0), T(0.5));
}

/// Teams on hosts can have more than one thread, if there are more threads.
TEST(TeamSolveHost, TeamsOfSeveralThreads) {
  if (Impl::runs_on_device<Space>) GTEST_SKIP() << "a device has its own sizes";
  TeamCase<double> const c(20, 0.3, Arranged::item_contiguous, false);
  auto const team = team_solve<Space>(bicgstab(relative(1e-10, 100)), jacobi(), c.a.csr());
  using Solver = std::remove_const_t<decltype(team)>;
  auto const log = SolveLog<double>::allocated(c.items);
  ByItem<double, Solver> const kernel{team, vectors(c.b), vectors(c.x), log};
  Kokkos::TeamPolicy<Space> const any(int(c.items), 1);
  int const most = any.team_size_max(kernel, Kokkos::ParallelForTag());
  for (int size = 1; size <= std::min(most, 3); ++size) {
    c.begin();
    launch_user_kernel<Solver, double>(team, int(c.items), size, 0, kernel);
    c.check(log, 1e-10);
  }
}

TEST(TeamSolveSizes, AreKnownOnTheHost) {
  using View = Kokkos::View<double***, Kokkos::LayoutRight, Space>;
  auto const solver = bicgstab(relative(1e-8, 100));
  auto const small = team_solve<Space>(solver, jacobi(), dense(View("a", 2, 12, 12)));
  auto const large = team_solve<Space, 8>(solver, no_preconditioner(), dense_pattern<double>(2048));
  static_assert(std::is_trivially_copyable_v<std::remove_const_t<decltype(small)>>);
  EXPECT_EQ(small.scratch_size(), small.scratch_size(small.team_size()));
  if (Impl::runs_on_device<Space>) {
    EXPECT_EQ(small.team_size(), 32);
    EXPECT_EQ(large.team_size(), 256);
    EXPECT_LE(small.scratch_size(), 1024u * 4);
    EXPECT_LE(large.scratch_size(), 40000u);
  } else {
    EXPECT_EQ(small.team_size(), 1);
    EXPECT_EQ(large.team_size(), 1);
    EXPECT_EQ(small.scratch_size(7), 0u);
    EXPECT_EQ(large.scratch_size(), 0u);
  }
}

TEST(TeamSolveMisuse, IsNamed) {
  using View = Kokkos::View<double***, Kokkos::LayoutRight, Space>;
  Kokkos::View<int*, Space> const offsets("offsets", 5), columns("columns", 9), none;
  auto const solver = bicgstab(relative(1e-8, 100));
  auto const team = team_solve<Space>(solver, jacobi(), dense(View("a", 2, 12, 12)));
  for (int size : {0, -32}) {
    expect_says(message_of([&] { (void)team.scratch_size(size); }),
                {"Batchwork::team_solve: teams of ", std::to_string(size).c_str(),
                 " threads for systems of 12 rows", "; give a multiple of 32 to 256"});
  }
  expect_says(
      message_of([&] { (void)team_solve<Space>(solver, jacobi(), dense(View("a", 2, 3, 4))); }),
      {"Batchwork::team_solve: operand 3, dense values(\"a\")", "; give square matrices"});
  expect_says(message_of([&] {
                (void)team_solve<Space>(bicgstab(relative(-1, 100)), jacobi(),
                                        dense_pattern<float>(3));
              }),
              {"a tolerance of -1", "; give zero or more"});
  expect_says(message_of([&] {
                (void)team_solve<Space>(bicgstab(relative(1, -1)), jacobi(),
                                        dense_pattern<float>(3));
              }),
              {"at most -1 iterations", "; give zero or more"});
  expect_says(
      message_of([&] { (void)team_solve<Space, 8>(solver, jacobi(), dense_pattern<float>(2049)); }),
      {"systems of 2049 rows, more than the limit of 2048", "; use a solver"});
  expect_says(
      message_of([&] { (void)team_solve<Space>(solver, jacobi(), dense_pattern<float>(-1)); }),
      {"dense_pattern of -1 rows; give"});
  expect_says(message_of([&] {
                (void)team_solve<Space>(solver, jacobi(),
                                        matrix_free(3, Difference<double>{3, 1.0}));
              }),
              {"jacobi: matrix_free has no diagonal; give no_preconditioner()"});
  expect_says(message_of([&] {
                (void)team_solve<Space>(solver, jacobi(), csr_pattern<double>(none, columns));
              }),
              {"csr_pattern row offsets"});
  if (Impl::runs_on_device<Space>) {
    for (int size : {1, 31, 33, 512})
      expect_says(message_of([&] { (void)team.scratch_size(size); }), {"give a multiple of 32"});
    auto const wide = team_solve<Space, 1>(solver, jacobi(), dense_pattern<double>(100));
    EXPECT_EQ(wide.team_size(), 128);
    expect_says(message_of([&] { (void)wide.scratch_size(96); }),
                {"teams of 96 threads for systems of 100 rows"});
    expect_says(
        message_of([&] { (void)team_solve<Space>(solver, jacobi(), dense_pattern<float>(513)); }),
        {"more than the limit of 512; give more rows a lane"});
  }
}

}  // namespace
}  // namespace Batchwork::Test
