// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// team_solve in the code of devices, run on the host by teams of threads, and kernels with a wrong
// size.
#include "krylov/Batchwork_TeamSolve.hpp"

#include "krylov/SolveCase.hpp"
#include "support/Batchwork_Messages.hpp"
#include "support/HostTeams.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct TeamSolveOnTeams : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TeamSolveOnTeams, Numbers);

/// The item's own numbers, if there are any.
template <class Solver, class T>
struct Kernel {
  Solver solver;
  ArrangedBatch<T> const* own;
  ArrangedBatch<T> const& b;
  ArrangedBatch<T> const& x;
  SolveResult<T>* said;  ///< (item, thread)

  void operator()(HostMember const& member) const {
    int const n = member.league_rank();
    auto const right = [&](int i) { return b.at(n, i, 0); };
    auto const solution = [&](int i) -> T& { return x.at(n, i, 0); };
    // One thread writes the initial guess. The others must see it without a barrier in the kernel.
    if (member.team_rank() == member.team_size() / 2)
      for (int i = 0; i < x.rows; ++i) solution(i) = T(i % 3);
    auto& result = said[n * member.team_size() + member.team_rank()];
    if constexpr (Solver::numbers_rank > 0) {
      if (own != nullptr) {
        result = solver.solve(member, &own->at(n, 0, 0), right, solution);
        return;
      }
    }
    result = solver.solve(member, n, right, solution);
  }
};

template <class T>
struct Case {
  static constexpr int items = 2;
  Random random{5};
  Matrices<T> a;
  ArrangedBatch<T> b, x;
  Case(int rows, double share, Arranged how)
      : a(solvable_pattern(random, rows, share, true), items, how),
        b(items, rows, 1, how),
        x(items, rows, 1, how) {
    for (std::int64_t k = 0; k < items; ++k) put_dominant(a, k, random, true, 2.5);
    a.upload();
    b.randomise(random);
  }
  template <int R, class Solver, class M, class A>
  void run(Solver const& solver, M const& m, A const& A_, ArrangedBatch<T> const* own, int size,
           char const* what) const {
    SCOPED_TRACE(std::string(what) + ", " + std::to_string(b.rows) + " rows, teams of " +
                 std::to_string(size));
    auto const team = Impl::make_team_solver<true, R, T>(solver, m, A_);
    using Team = std::remove_const_t<decltype(team)>;
    if (size == 0) size = team.team_size();
    std::vector<SolveResult<T>> said(std::size_t(items * size));
    run_teams(Kernel<Team, T>{team, own, b, x, said.data()}, items, size, team.scratch_size(size));
    EXPECT_EQ(x.poisoned(), x.host.extent(0) - std::size_t(items) * std::size_t(x.rows));
    for (int n = 0; n < items; ++n) {
      auto const& r = said[std::size_t(n * size)];
      ASSERT_EQ(Status::reason(r.code), Reason::success) << to_string(Status::reason(r.code));
      auto const t = residual_truth(a.full, n, x, b);
      long double const slack = t.rounding + (2 * 40 + 3) * epsilon<T> * t.norm;
      ASSERT_NEAR(double(r.residual), double(t.norm), double(slack));
      ASSERT_LE(t.norm, solver.stop.tolerance * t.right_side * (1 + 100 * epsilon<T>)+slack);
      ASSERT_GT(r.iterations, 0);
      for (int rank = 1; rank < size; ++rank) {
        auto const& other = said[std::size_t(n * size + rank)];
        ASSERT_EQ(other.iterations, r.iterations);
        ASSERT_EQ(other.code, r.code);
        ASSERT_TRUE(same_bits(other.residual, r.residual));
      }
    }
  }
};

TYPED_TEST(TeamSolveOnTeams, EveryFormat) {
  using T = TypeParam;
  auto const stop = relative(usual_tolerance<T>, 100);
  for (auto how : {Arranged::item_contiguous, Arranged::interleaved}) {
    Case<T> const small(12, 0.3, how), odd(33, 0.2, how);
    small.template run<2>(bicgstab(stop), jacobi(), small.a.csr(), nullptr, 0, "csr");
    small.template run<2>(bicgstab(stop), no_preconditioner(), small.a.ell(), nullptr, 64, "ell");
    odd.template run<2>(bicgstab(stop), jacobi(), odd.a.dense(), nullptr, 0, "dense");
    odd.template run<2>(conjugate_gradients(stop), jacobi(), odd.a.long_csr(), nullptr, 32,
                        "64 bits");
    odd.template run<8>(richardson(stop, 0.9), jacobi(), AnyMatrices<T>(odd.a.csr()), nullptr, 0,
                        "any");
  }
}

TYPED_TEST(TeamSolveOnTeams, OwnNumbers) {
  using T = TypeParam;
  auto const solver = bicgstab(relative(usual_tolerance<T>, 100));
  Case<T> const c(12, 0.3, Arranged::item_contiguous), large(70, 0.05, Arranged::item_contiguous);
  c.template run<2>(solver, jacobi(), csr_pattern<T>(c.a.row_offsets, c.a.columns), &c.a.values, 0,
                    "csr");
  c.template run<2>(solver, jacobi(), ell_pattern<T>(c.a.place_columns), &c.a.places, 0, "ell");
  c.template run<1>(solver, jacobi(), dense_pattern<T>(12), &c.a.full, 32, "dense");
  large.template run<4>(solver, jacobi(), csr_pattern<T>(large.a.row_offsets, large.a.columns),
                        &large.a.values, 32, "more rows a lane");
}

TYPED_TEST(TeamSolveOnTeams, ScratchOfTheirOwn) {
  using T = TypeParam;
  auto const stop = relative(usual_tolerance<T>, 100);
  Case<T> const small(12, 0.3, Arranged::item_contiguous), odd(70, 0.1, Arranged::interleaved);
  small.template run<2>(gmres(4, stop), ilu(), small.a.csr(), nullptr, 0, "gmres with ilu");
  small.template run<2>(gmres(4, stop), no_preconditioner(), dense_pattern<T>(12), &small.a.full, 0,
                        "gmres, own numbers");
  small.template run<2>(bicgstab(stop), ilu(), csr_pattern<T>(small.a.row_offsets, small.a.columns),
                        &small.a.values, 64, "ilu, own numbers");
  odd.template run<2>(bicgstab(stop), block_jacobi(5), odd.a.ell(), nullptr, 128, "blocks");
  odd.template run<2>(gmres(9, stop), jacobi(), odd.a.csr(), nullptr, 0, "gmres");
}

/// Runs a solver with a team of this size and this much scratch memory.
void run_with(int rows, int size, std::size_t bytes) {
  auto const team = Impl::make_team_solver<true, 1, double>(bicgstab(), jacobi(),
                                                            scaled_identity<double>(rows, 2.0));
  ArrangedBatch<double> const b(1, rows, 1, Arranged::item_contiguous),
      x(1, rows, 1, Arranged::item_contiguous);
  std::vector<SolveResult<double>> said(std::size_t(size), SolveResult<double>{});
  run_teams(Kernel<std::remove_const_t<decltype(team)>, double>{team, nullptr, b, x, said.data()},
            1, size, bytes);
}

TEST(TeamSolveMisuseOnTeams, IsRefused) {
  auto const team = Impl::make_team_solver<true, 1, double>(bicgstab(), jacobi(),
                                                            scaled_identity<double>(40, 2.0));
  EXPECT_EQ(team.team_size(), 64);
  for (int size : {0, 1, 32, 40, 65, 288})
    expect_says(message_of([&] { (void)team.scratch_size(size); }),
                {"Batchwork::team_solve: teams of ", " threads for systems of 40 rows",
                 "; give a multiple of 32 to 256 that has 1 rows for each thread at most"});
  EXPECT_NO_THROW((void)team.scratch_size(96));
  auto const with_basis =
      Impl::make_team_solver<true, 2, double>(gmres(5), jacobi(), scaled_identity<double>(40, 2.0));
  for (int size : {32, 96, 192, 512})
    expect_says(message_of([&] { (void)with_basis.scratch_size(size); }),
                {"give a power of two from 64 to 256"});
  // Five vectors of 64 entries, a triangle, rotations, and sums of four values in two sets.
  EXPECT_GE(with_basis.scratch_size(64),
            team.scratch_size(64) + (5 * 64 + 15 + 20) * sizeof(double));
  run_with(40, 64, team.scratch_size(64));
  run_with(40, 96, team.scratch_size(96));
  expect_says(message_of([&] {
                (void)Impl::make_team_solver<true, 1, double>(bicgstab(), jacobi(),
                                                              scaled_identity<double>(257));
              }),
              {"systems of 257 rows, more than the limit of 256", "; give more rows a lane"});
}

TEST(TeamSolveDeathTest, WrongSizesAbort) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(run_with(40, 32, 100000), "team_solve: a team of another size");
  EXPECT_DEATH(run_with(40, 65, 100000), "team_solve: a team of another size");
  EXPECT_DEATH(run_with(40, 64, 1000), "team_solve: too little team scratch");
}

}  // namespace
}  // namespace Batchwork::Test
