// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device kernel of solve with block Jacobi, ILU(0) and functors, run on the host by teams of
// threads.
#include "krylov/PreconditionersCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct PreconditionersOnTeams : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PreconditionersOnTeams, Numbers);

TEST(ChoosePreconditionedSolve, HasAllRows) {
  for (bool shuffles : {false, true})
    for (int rows = 1; rows <= Impl::most_rows_of_a_solve; ++rows)
      for (int width : {1, 7, 60, 2000}) {
        auto const by_functor = Impl::choose_preconditioned_solve(rows, width, shuffles, {});
        ASSERT_GE(by_functor.lanes * by_functor.rows, rows);
        ASSERT_EQ(by_functor.rows, rows <= 512 ? 2 : 8);
        ASSERT_EQ(by_functor.team(), by_functor.lanes);
        ASSERT_GE(by_functor.lanes, 64);
        for (Impl::LanesWanted const wanted :
             {Impl::LanesWanted{8, 128}, Impl::LanesWanted{8}, Impl::LanesWanted{32}}) {
          auto const how = Impl::choose_preconditioned_solve(rows, width, shuffles, wanted);
          ASSERT_GE(how.lanes * how.rows, rows);
          ASSERT_EQ(how.lanes & (how.lanes - 1), 0);
          ASSERT_GE(how.lanes, wanted.least);
          ASSERT_EQ(how.rows, rows <= std::min(wanted.rows_by_twos, 512) ? 2 : 8);
          ASSERT_EQ(how.team(), std::max(how.lanes, 32));
          ASSERT_EQ(how.systems() * how.lanes, how.team());
          ASSERT_LE(how.sharing, shuffles ? std::min(how.lanes, 32) : 1);
        }
      }
}

TYPED_TEST(PreconditionersOnTeams, IluIsTheFactorisation) {
  using T = TypeParam;
  Random random(1);
  for (int rows : {1, 7, 22, 30})
    for (int lanes : {4, 8}) {
      auto const how = mostly_rows(random);
      std::int64_t const items = 3;
      Matrices<T> const a(solvable_pattern(random, rows, 0.2, false), items, how);
      for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
      a.upload();
      for_formats(a, [&](char const* what, auto const& A, Pattern const& p) {
        SCOPED_TRACE(std::string(what) + ", " + std::to_string(rows) + " rows, " +
                     std::to_string(lanes) + " lanes");
        // Teams of one or two systems, which process one or several sets of systems, with scratch
        // memory or a workspace.
        for (auto const& by : {ByTeams{lanes}, ByTeams{lanes, 1}, ByTeams{lanes, 2, 2},
                               ByTeams{lanes, 0, 2}, ByTeams{lanes, 0, 1, 1}})
          expect_application<T>(
              by, ilu(), A, rows, items, how,
              [&](std::int64_t n, auto const& r) { return ilu_truth(p, a.full, n, r); }, 200,
              random);
      });
    }
}

TYPED_TEST(PreconditionersOnTeams, BlocksAreInverted) {
  using T = TypeParam;
  Random random(2);
  for (int rows : {1, 9, 30})
    for (int size : {1, 4, 32}) {
      auto const how = mostly_rows(random);
      auto const first = equal_blocks(rows, size);
      auto p = full_pattern(rows);
      if (rows > 5) p.columns[5].clear();
      Matrices<T> const a(p, 2, how);
      for (std::int64_t n = 0; n < 2; ++n) put_reversed_blocks(a, n, random, first);
      a.upload();
      for_formats(a, [&](char const* what, auto const& A, Pattern const&) {
        SCOPED_TRACE(std::string(what) + ", " + std::to_string(rows) + " rows by " +
                     std::to_string(size));
        auto const truth = [&](std::int64_t n, auto const& r) {
          return blocks_truth(first, a.full, n, r);
        };
        expect_application<T>(ByTeams{4}, block_jacobi(size), A, rows, 2, how, truth, 400, random);
        expect_application<T>(ByTeams{8, 1}, block_jacobi(indices_of<int>("first", first)), A, rows,
                              2, how, truth, 400, random);
      });
    }
}

/// Whole solves: the log must be correct, and exact preconditioners need one or two iterations.
TYPED_TEST(PreconditionersOnTeams, Solve) {
  using T = TypeParam;
  Random random(3);
  std::int64_t const items = 3;
  int const rows = 20;
  auto const stop = relative(usual_tolerance<T>, 50);
  auto const look = [&](Pattern const& p, auto const& solver, auto const& m, int most) {
    Matrices<T> const a(p, items, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, true);
    a.upload();
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
        x(items, rows, 1, Arranged::item_contiguous);
    b.randomise(random);
    x.randomise(random);
    auto const log = SolveLog<T>::allocated(items);
    ByTeams{8}(solver, m, a.csr(), b, x, log);
    x.download();
    HostLog<T> const said(log);
    for (std::int64_t n = 0; n < items; ++n) {
      EXPECT_EQ(said.reason(n), Reason::success) << to_string(said.reason(n));
      EXPECT_LE(said.iterations(n), most);
      expect_honest(said, n, residual_truth(a.full, n, x, b), stop.tolerance);
    }
  };
  auto const some = solvable_pattern(random, rows, 0.1, true);
  look(tridiagonal(rows), richardson(stop), ilu(), 2);
  look(tridiagonal(rows), bicgstab(stop), block_jacobi(32), 2);
  look(some, bicgstab(stop), ilu(), 50);
  look(some, conjugate_gradients(stop), ilu(), 50);
  look(some, conjugate_gradients(stop), block_jacobi(3), 50);
}

TYPED_TEST(PreconditionersOnTeams, ByFunctor) {
  using T = TypeParam;
  Random random(4);
  for (int rows : {1, 30}) {
    Matrices<T> const a(tridiagonal(rows), 2, Arranged::item_contiguous);
    a.randomise(random);
    auto const truth = [&](std::int64_t n, std::vector<long double> const& r) {
      std::vector<long double> z = r;
      for (std::size_t i = 0; i < z.size(); ++i) {
        if (i > 0) z[i] += 0.1L * r[i - 1];
        if (i + 1 < r.size()) z[i] += 0.1L * r[i + 1];
        z[i] /= 3 + n % 5;
      }
      return z;
    };
    auto const m = preconditioner(Neighbours<T>{rows});
    expect_application<T>(ByTeams{8}, m, a.csr(), rows, 2, Arranged::item_contiguous, truth, 20,
                          random);
    expect_application<T>(ByTeams{4}, m, matrix_free(rows, Neighbours<T>{rows}), rows, 2,
                          Arranged::item_contiguous, truth, 20, random);
  }
}

/// Items must report patterns that cannot be used, equally in all lanes.
TYPED_TEST(PreconditionersOnTeams, InvalidPatterns) {
  Random random(5);
  expect_invalid_patterns<TypeParam>(ByTeams{4}, 2, random);
}

}  // namespace
}  // namespace Batchwork::Test
