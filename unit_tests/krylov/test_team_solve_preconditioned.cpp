// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// team_solve with methods that need scratch memory (GMRES, ILU(0), block Jacobi), and with a
// functor.
#include "krylov/PreconditionersCase.hpp"
#include "krylov/TeamSolveCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct TeamSolvePreconditioned : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TeamSolvePreconditioned, Numbers);

TYPED_TEST(TeamSolvePreconditioned, Converges) {
  using T = TypeParam;
  auto const stop = relative(usual_tolerance<T>, 200);
  for (auto const& [rows, share] : {std::pair(1, 1.0), {2, 1.0}, {12, 0.4}, {33, 0.7}, {70, 0.1}})
    for (auto how : {Arranged::item_contiguous, Arranged::interleaved}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, arranged " + std::to_string(int(how)));
      TeamCase<T> const c(rows, share, how, true);
      c.template by_item<2>(bicgstab(stop), ilu(), c.a.csr(), "ilu");
      c.template by_item<2>(bicgstab(stop), block_jacobi(3), c.a.ell(), "blocks");
      c.template by_item<2>(gmres(5, stop), no_preconditioner(), c.a.dense(), "gmres");
      c.template by_item<2>(gmres(7, stop), ilu(), c.a.csr(), "gmres with ilu");
      c.template by_item<2>(bicgstab(stop), preconditioner(Neighbours<T>{rows}), c.a.csr(),
                            "functor");
    }
}

/// A system without entries, with GMRES and a functor as the preconditioner.
TYPED_TEST(TeamSolvePreconditioned, MatrixFree) {
  using T = TypeParam;
  int const rows = 40;
  std::int64_t const items = 5;
  ArrangedBatch<T> const full(items, rows, rows, Arranged::item_contiguous),
      b(items, rows, 1, Arranged::item_contiguous), x(items, rows, 1, Arranged::item_contiguous);
  full.fill(T(0));
  for (std::int64_t n = 0; n < items; ++n)
    for (int i = 0; i < rows; ++i) {
      full.at(n, i, i) = T(3) + T(n);
      if (i > 0) full.at(n, i, i - 1) = full.at(n, i - 1, i) = T(-1);
    }
  Random random(3);
  b.randomise(random);
  auto const a = matrix_free(rows, Difference<T>{rows, T(3)});
  auto const look = [&](auto const& solver, auto const& m) {
    auto const team = team_solve<Space, 2, T>(solver, m, a);
    auto const log = SolveLog<T>::allocated(items);
    x.fill(T(0));
    launch_user_kernel<decltype(team), T>(
        team, int(items), team.team_size(), 0,
        ByItem<T, std::remove_const_t<decltype(team)>>{team, vectors(b), vectors(x), log});
    x.download();
    HostLog<T> const said(log);
    for (std::int64_t n = 0; n < items; ++n) {
      ASSERT_EQ(said.reason(n), Reason::success) << to_string(said.reason(n));
      expect_honest(said, n, residual_truth(full, n, x, b), solver.stop.tolerance);
    }
  };
  auto const stop = relative(usual_tolerance<T>, 200);
  look(gmres(8, stop), no_preconditioner());
  look(bicgstab(stop), preconditioner(Neighbours<T>{rows}));
}

/// Twice in one kernel, with the same initial guess and the same scratch memory.
template <class T, class Solver>
struct Twice {
  Solver solver;
  StridedVectors<T> b, x;
  SolveLog<T> first, second;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const n = member.league_rank();
    auto const& from = b;
    auto const& to = x;
    for (int turn = 0; turn < 2; ++turn) {
      auto const& log = turn == 0 ? first : second;
      for (int i = member.team_rank(); i < int(to.extent(1)); i += member.team_size())
        to(n, i) = T(1);
      auto const result = solver.solve(
          member, n, [&](int i) { return from(n, i); }, [&](int i) -> T& { return to(n, i); });
      note(member, log, n, result);
    }
  }
};

TYPED_TEST(TeamSolvePreconditioned, AgainAndAgain) {
  using T = TypeParam;
  TeamCase<T> const c(33, 0.4, Arranged::item_contiguous, false);
  auto const look = [&](auto const& solver, auto const& m) {
    auto const team = team_solve<Space>(solver, m, c.a.csr());
    using Team = std::remove_const_t<decltype(team)>;
    auto const first = SolveLog<T>::allocated(c.items), second = SolveLog<T>::allocated(c.items);
    launch_user_kernel<Team, T>(team, int(c.items), team.team_size(), 0,
                                Twice<T, Team>{team, vectors(c.b), vectors(c.x), first, second});
    c.check(second, solver.stop.tolerance);
    HostLog<T> const one(first), two(second);
    for (std::int64_t n = 0; n < c.items; ++n) {
      EXPECT_EQ(one.iterations(n), two.iterations(n));
      EXPECT_TRUE(same_bits(one.residual(n), two.residual(n)));
    }
  };
  auto const stop = relative(usual_tolerance<T>, 200);
  look(gmres(6, stop), ilu());
  look(bicgstab(stop), block_jacobi(5));
}

/// An exact factorisation takes one iteration.
TYPED_TEST(TeamSolvePreconditioned, ExactOnesConvergeAtOnce) {
  using T = TypeParam;
  TeamCase<T> const c(20, 1, Arranged::item_contiguous, false);
  auto const team = team_solve<Space>(bicgstab(relative(usual_tolerance<T>, 50)), ilu(), c.a.csr());
  auto const log = SolveLog<T>::allocated(c.items);
  launch_user_kernel<decltype(team), T>(
      team, int(c.items), team.team_size(), 0,
      ByItem<T, std::remove_const_t<decltype(team)>>{team, vectors(c.b), vectors(c.x), log});
  c.check(log, usual_tolerance<T>);
  HostLog<T> const said(log);
  for (std::int64_t n = 0; n < c.items; ++n) EXPECT_EQ(said.iterations(n), 1);
}

TEST(TeamSolvePreconditionedMisuse, IsNamed) {
  Matrices<double> const a(full_pattern(6), 2, Arranged::item_contiguous);
  expect_says(
      message_of([&] { (void)team_solve<Space>(gmres(-1), no_preconditioner(), a.dense()); }),
      {"Batchwork::team_solve: gmres with a basis of -1", "; give"});
  expect_says(message_of([&] { (void)team_solve<Space>(bicgstab(), block_jacobi(40), a.dense()); }),
              {"Batchwork::team_solve: operand 2, block_jacobi", "; give"});
}

}  // namespace
}  // namespace Batchwork::Test
