// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Configurations of solve chosen at run time: names, matrices of any format, the size of a
// workspace, and solve without matrices. test_configuration_double.cpp and
// test_configuration_float.cpp test solves with matrices.
#include "krylov/ConfigurationCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct Configuration : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Configuration, Numbers);

TEST(SolveNames, GoBothWays) {
  for (auto kind : {SolverKind::conjugate_gradients, SolverKind::bicgstab, SolverKind::gmres,
                    SolverKind::richardson, SolverKind::cgs})
    EXPECT_EQ(from_string<SolverKind>(to_string(kind)), kind);
  for (auto kind :
       {PreconditionerKind::none, PreconditionerKind::jacobi, PreconditionerKind::block_jacobi,
        PreconditionerKind::ilu, PreconditionerKind::isai, PreconditionerKind::spd_isai})
    EXPECT_EQ(from_string<PreconditionerKind>(to_string(kind)), kind);
  for (auto kind : {RelativeTo::right_side, RelativeTo::start, RelativeTo::nothing})
    EXPECT_EQ(from_string<RelativeTo>(to_string(kind)), kind);
  EXPECT_EQ(from_string<SolverKind>("bicgstab"), SolverKind::bicgstab);
  EXPECT_STREQ(to_string(PreconditionerKind::block_jacobi), "block_jacobi");
  EXPECT_STREQ(to_string(SolverKind(77)), "unknown");
  EXPECT_EQ(from_string<SolverKind>("BiCGSTAB"), SolverKind::bicgstab);
  EXPECT_EQ(from_string<PreconditionerKind>("Block_Jacobi"), PreconditionerKind::block_jacobi);
  expect_says(message_of([] { (void)from_string<SolverKind>("BiCGSTAB(2)"); }),
              {"Batchwork::from_string: \"BiCGSTAB(2)\" is no solver; give one of "
               "conjugate_gradients, bicgstab, gmres, richardson, cgs"});
  expect_says(
      message_of([] { (void)from_string<PreconditionerKind>(""); }),
      {"\"\" is no preconditioner; give one of none, jacobi, block_jacobi, ilu, isai, spd_isai"});
  expect_says(message_of([] { (void)from_string<RelativeTo>("b"); }),
              {"give one of right_side, start, nothing"});
}

/// AnyMatrices keep the Views, and multiply accepts them.
TYPED_TEST(Configuration, AnyMatricesAreMatrices) {
  using T = TypeParam;
  Random random(3);
  for (auto how : all_arranged) {
    Matrices<T> const a(random_pattern(random, 19), 5, how);
    a.randomise(random);
    ArrangedBatch<T> const x(5, 19, 1, how);
    x.randomise(random);
    AnyMatrices<T> any;
    for (int f = 0; f < 3; ++f) {
      SCOPED_TRACE("format " + std::to_string(f));
      if (f == 0) any = a.csr();
      else if (f == 1) any = a.ell();
      else any = a.dense();
      EXPECT_EQ(any.rows(), 19);
      EXPECT_EQ(any.items(), 5);
      EXPECT_EQ(any.nonzeros(), f == 0   ? a.pattern.nonzeros()
                                : f == 1 ? 19 * a.pattern.width()
                                         : 19 * 19);
      ArrangedBatch<T> const y(5, 19, 1, how);
      auto const outside = y.poisoned() - 5 * 19;
      multiply(any, vectors(x), vectors(y));
      y.download();
      EXPECT_EQ(y.poisoned(), outside);
      for (std::int64_t n = 0; n < 5; ++n)
        for (int i = 0; i < 19; ++i) {
          Truth const t = row_truth(a.full, n, i, x, 1);
          ASSERT_LE(std::fabs(y.at(n, i, 0) - t.value), 22 * epsilon<T> * t.size);
        }
    }
  }
  // These are the only owners of the Views.
  AnyMatrices<T> any;
  {
    Kokkos::View<T***, Kokkos::LayoutRight, Space> const values("values", 3, 2, 2);
    Kokkos::deep_copy(values, T(1));
    any = dense(values);
  }
  AnyMatrices<T> const copy = any;
  any = AnyMatrices<T>();
  ArrangedBatch<T> const x(3, 2, 1, Arranged::item_contiguous),
      y(3, 2, 1, Arranged::item_contiguous);
  x.fill(T(1.5));
  multiply(copy, vectors(x), vectors(y));
  y.download();
  for (std::int64_t n = 0; n < 3; ++n) EXPECT_EQ(y.at(n, 1, 0), T(3));
}

/// As with solver and preconditioner by type: no kernel is compiled for it.
TEST(ConfigurationWorkspace, Numbers) {
  Space const exec;
  SolveConfiguration c{.stop = relative(1e-8, 500), .basis = 40};
  auto const look = [&](std::int64_t rows, std::int64_t items, int block_rows) {
    c.block_rows = block_rows;
    AnyMatrices<double> const A = scaled_identity(rows);
    for_solvers(c, [&](SolverKind solver_kind, auto const& solver) {
      for_preconditioners(c, [&](PreconditionerKind kind, auto const& m) {
        SCOPED_TRACE(std::string(to_string(solver_kind)) + ", " + to_string(kind));
        c.solver = solver_kind;
        c.preconditioner = kind;
        std::int64_t const want = workspace_numbers(exec, solver, m, A, items);
        EXPECT_EQ(workspace_numbers(exec, c, A, items), want);
        EXPECT_EQ(workspace_numbers(c, A, items), want);
        EXPECT_EQ(workspace_numbers(c, scaled_identity(rows), items), want);
        // On devices: 2 x 2 blocks of 2000 rows, 32 x 32 blocks of 500 rows, and ILU(0) of 2000
        // rows do not fit into team scratch memory.
        bool const factors = Impl::runs_on_device<Space> && rows > 4 && items > 0 &&
                             (kind == PreconditionerKind::block_jacobi ||
                              (kind == PreconditionerKind::ilu && rows == 2000));
        bool const basis = solver_kind == SolverKind::gmres && rows > 4 && items > 0;
        if (!basis && !factors) {
          EXPECT_EQ(want, 0);
        } else {
          EXPECT_GE(want, (basis ? 40 * rows + 40 * 41 / 2 : 0) + (factors ? 2 * rows : 0));
        }
      });
    });
  };
  look(4, 1000, 1);
  look(2000, 0, 3);
  look(2000, 1, 2);
  look(500, 100000, 32);
  c.solver = SolverKind::gmres;
  c.preconditioner = PreconditionerKind::none;
  EXPECT_EQ(workspace_numbers<double>(c, matrix_free(2000, Neighbours<double>{2000}), 3),
            workspace_numbers(c, scaled_identity(2000), 3));
  EXPECT_EQ(workspace_numbers<float>(exec, c, matrix_free(2000, Neighbours<float>{2000}), 3),
            workspace_numbers(exec, c, scaled_identity(2000, 1.0f), 3));
  c.basis = -1;
  expect_says(message_of([&] { (void)workspace_numbers(c, scaled_identity(9), 3); }),
              {"Batchwork::workspace_numbers: gmres with a basis of -1 vectors; give from 1"});
  c.solver = SolverKind::bicgstab;
  EXPECT_EQ(workspace_numbers(c, scaled_identity(2000), 3), 0);
  c.solver = SolverKind(9);
  expect_says(message_of([&] { (void)workspace_numbers(c, scaled_identity(9), 3); }),
              {"Batchwork::workspace_numbers: there is no solver number 9; give one of "
               "conjugate_gradients, bicgstab, gmres, richardson, cgs"});
  c.solver = SolverKind::gmres;
  c.preconditioner = PreconditionerKind(-1);
  expect_says(
      message_of([&] { (void)workspace_numbers(c, scaled_identity(9), 3); }),
      {"Batchwork::workspace_numbers: there is no preconditioner number -1; give one of none, "
       "jacobi, block_jacobi, ilu, isai, spd_isai"});
}

/// A functor has no diagonal and no entries, and its type is not in the list of formats.
struct Fivefold {
  template <class Lanes, class X, class Y>
  KOKKOS_FUNCTION void operator()(Lanes const& lanes, std::int64_t, X const& x, Y const& y) const {
    lanes.for_each(70, [&](int i) { y(i) = 5 * x(i) - (i > 0 ? x(i - 1) : 0); });
  }
};
TEST(ConfigurationMatrixFree, WithoutPreconditioner) {
  ArrangedBatch<double> const b(3, 70, 1, Arranged::item_contiguous),
      x(3, 70, 1, Arranged::item_contiguous);
  Random random(8);
  b.randomise(random);
  auto const A = matrix_free(70, Fivefold());
  for (auto kind : {SolverKind::bicgstab, SolverKind::gmres, SolverKind::richardson}) {
    SolveConfiguration c{kind, PreconditionerKind::none, relative(1e-12, 200), 50, 0.2};
    FencedWorkspace<double> const memory(workspace_numbers<double>(c, A, 3));
    x.fill(0);
    solve(c, A, vectors(b), vectors(x), memory());
    x.download();
    for (std::int64_t n = 0; n < 3; ++n) {
      long double before = 0;
      for (int i = 0; i < 70; ++i) {
        before = (b.at(n, i, 0) + before) / 5;
        ASSERT_NEAR(double(x.at(n, i, 0) - before), 0, 1e-11) << to_string(kind);
      }
    }
    for (auto refused :
         {PreconditionerKind::jacobi, PreconditionerKind::block_jacobi, PreconditionerKind::ilu,
          PreconditionerKind::isai, PreconditionerKind::spd_isai}) {
      c.preconditioner = refused;
      expect_says(message_of([&] { solve(c, A, vectors(b), vectors(x), memory()); }),
                  {"Batchwork::solve: operand 2, ", to_string(refused), ": matrix_free has no ",
                   "; give no_preconditioner()"});
    }
  }
}

}  // namespace
}  // namespace Batchwork::Test
