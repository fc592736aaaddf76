// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Solver and preconditioner chosen at run time, in double. Also the ways to call solve, and misuse.
#include "krylov/ConfigurationCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

TEST(ConfigurationDouble, EveryPair) { expect_every_pair<double>(); }
TEST(ConfigurationDouble, SameBitsOfFormats) { expect_same_bits_of_formats<double>(); }
TEST(ConfigurationDouble, Parameters) { expect_what_parameters_say<double>(); }
TEST(ConfigurationDouble, Basis) { expect_the_basis<double>(); }

/// With and without an execution space, a log and a workspace.
TEST(ConfigurationDouble, Overloads) {
  ConfigurationCase<double> const of(150, Arranged::item_contiguous);
  AnyMatrices<double> const A = of.a.csr();
  auto const b = vectors(of.b);
  for (auto kind : {SolverKind::bicgstab, SolverKind::gmres}) {
    SCOPED_TRACE(to_string(kind));
    SolveConfiguration c{.solver = kind, .stop = relative(1e-10, 300)};
    auto const want = of.solved(A, c);
    of.expect_solved(want, 1e-10);
    FencedWorkspace<double> const fenced(workspace_numbers(c, A, of.items));
    auto const memory = fenced();
    auto const look = [&](bool logged, auto const& call) {
      auto const got = of.run(call);
      if (logged) {
        EXPECT_TRUE(got == want);
      }
      for (std::int64_t n = 0; n < of.items; ++n) EXPECT_TRUE(got.same_x(want, n));
    };
    look(true, [&](auto const& x, auto const& log) { solve(Space(), c, A, b, x, log, memory); });
    look(true, [&](auto const& x, auto const& log) { solve(c, A, b, x, log, memory); });
    look(false, [&](auto const& x, auto const&) { solve(Space(), c, A, b, x, memory); });
    look(false, [&](auto const& x, auto const&) { solve(c, A, b, x, memory); });
    EXPECT_TRUE(fenced.fenced());
    // A basis that fits for a small system, or a solver without a basis.
    c.basis = 2;
    ASSERT_EQ(workspace_numbers(c, A, of.items), 0);
    auto const small = of.solved(A, c);
    of.expect_solved(small, 1e-10);
    auto const look_small = [&](bool logged, auto const& call) {
      auto const got = of.run(call);
      if (logged) {
        EXPECT_TRUE(got == small);
      }
      for (std::int64_t n = 0; n < of.items; ++n) EXPECT_TRUE(got.same_x(small, n));
    };
    look_small(true, [&](auto const& x, auto const& log) { solve(Space(), c, A, b, x, log); });
    look_small(true, [&](auto const& x, auto const& log) { solve(c, A, b, x, log); });
    look_small(false, [&](auto const& x, auto const&) { solve(Space(), c, A, b, x); });
    look_small(false, [&](auto const& x, auto const&) { solve(c, A, b, x); });
  }
}

/// direct_lu uses no preconditioner, even if the configuration names one.
TEST(ConfigurationDouble, DirectLu) {
  ConfigurationCase<double> const of(22, Arranged::interleaved);
  SolveConfiguration c{.solver = from_string<SolverKind>("direct_lu"), .stop = relative(1e-13)};
  auto const want = of.solved(of.a.csr(), direct_lu(relative(1e-13)));
  for (std::int64_t n = 0; n < of.items; ++n) {
    EXPECT_EQ(want.log.reason(n), Reason::success);
    expect_honest(want.log, n, residual_truth(of.a.full, n, want.x, of.b), 1e-13);
  }
  EXPECT_TRUE(of.solved(of.a.csr(), c) == want);
  c.preconditioner = PreconditionerKind::ilu;
  EXPECT_TRUE(of.solved(AnyMatrices<double>(of.a.csr()), c) == want);
  EXPECT_STREQ(to_string(SolverKind::direct_lu), "direct_lu");
}

TEST(ConfigurationMisuse, IsNamed) {
  using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
  Vectors const x("x", 7, 4), b("b", 7, 4), b8("b8", 8, 4), values("values", 7, 9),
      few("few", 7, 8);
  Kokkos::deep_copy(x, 7.25);
  Kokkos::View<int*, Space> const offsets("offsets", 5), columns("columns", 9);
  AnyMatrices<double> a = csr(offsets, columns, values);
  SolveConfiguration c;
  c.solver = SolverKind(9);
  expect_says(message_of([&] { solve(c, a, b, x); }),
              {"Batchwork::solve: there is no solver number 9; give one of conjugate_gradients, "
               "bicgstab, gmres, richardson, cgs"});
  c.solver = SolverKind::direct_lu;
  c.refinements = -1;
  expect_says(message_of([&] { solve(c, a, b, x); }), {"-1 steps of refinement"});
  expect_says(message_of([&] { solve(scaled(c), a, b, x); }),
              {"direct_lu, of the configuration, scales", "leave scaled(...)"});
  c.solver = SolverKind::richardson;
  c.preconditioner = PreconditionerKind(6);
  expect_says(message_of([&] { solve(c, a, b, x); }),
              {"Batchwork::solve: there is no preconditioner number 6; give one of none, jacobi, "
               "block_jacobi, ilu, isai, spd_isai"});
  c.preconditioner = PreconditionerKind::jacobi;
  expect_says(message_of([&] { solve(c, a, b8, x); }),
              {"Batchwork::solve: operand 4, b(\"b8\") [View (8, 4)] has 8 items", "; give"});
  c.stop.tolerance = -1;
  expect_says(message_of([&] { solve(c, a, b, x); }), {"a tolerance of -1", "; give"});
  c.stop.tolerance = 1;
  expect_says(message_of([&] { solve(c, a, x, x); }), {"is written and shares elements"});
  expect_says(message_of([&] { solve(c, a, x, Vectors("y", 6, 4)); }),
              {"operand 4, b(\"x\") [View (7, 4)] has 7 items"});
  c.preconditioner = PreconditionerKind::block_jacobi;
  for (int size : {0, -1, 33}) {
    c.block_rows = size;
    std::string const said = "blocks of " + std::to_string(size) + " rows; give from 1 to 32";
    for (auto kind : all_solvers) {
      c.solver = kind;
      expect_says(message_of([&] { solve(c, a, b, x); }),
                  {"Batchwork::solve: operand 2, block_jacobi: ", said.c_str()});
    }
  }
  c.solver = SolverKind::gmres;
  for (auto kind : all_preconditioners) {
    c.preconditioner = kind;
    c.block_rows = 2;
    c.basis = -1;
    expect_says(message_of([&] { solve(c, a, b, x); }),
                {"Batchwork::solve: gmres with a basis of -1 vectors; give from 1"});
    c.basis = 30;
  }
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (std::size_t n = 0; n < 7; ++n)
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(host(n, i), 7.25);
  a = csr(offsets, columns, few);
  expect_says(message_of([&] { solve(c, a, b, x); }),
              {"operand 3, csr values(\"few\") [View (7, 8)] holds 8 numbers an item", "; give"});
  expect_says(message_of([&] { solve(c, AnyMatrices<double>(), b, x); }),
              {"operand 5, x(\"x\")", "the matrices have 0 rows"});
}

/// The work of a device is divided as in calls that give solver and preconditioner by type.
TEST(ConfigurationDouble, Division) {
  Random random(2);
  int const rows = 30;
  std::int64_t const items = 9;
  Matrices<double> const a(solvable_pattern(random, rows, 0.3, false), items,
                           Arranged::item_contiguous);
  ArrangedBatch<double> const b(items, rows, 1, Arranged::item_contiguous),
      x(items, rows, 1, Arranged::item_contiguous), y(items, rows, 1, Arranged::item_contiguous);
  for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
  a.upload();
  b.randomise(random);
  SolveConfiguration const c{.stop = relative(1e-10, 100), .division = {Placement::in_place, 128}};
  x.fill(0);
  y.fill(0);
  auto const log = SolveLog<double>::allocated(items);
  solve(c, a.csr(), vectors(b), vectors(x), log);
  solve(c.division, bicgstab(c.stop), jacobi(), a.csr(), vectors(b), vectors(y));
  x.download();
  y.download();
  HostLog<double> const said(log);
  for (std::int64_t n = 0; n < items; ++n) {
    EXPECT_EQ(said.reason(n), Reason::success);
    for (int i = 0; i < rows; ++i) ASSERT_EQ(x.at(n, i, 0), y.at(n, i, 0));
  }
  SolveConfiguration wrong = c;
  wrong.division.lanes = 80;
  expect_says(message_of([&] { solve(wrong, a.csr(), vectors(b), vectors(x)); }),
              {"Batchwork::solve: division: 80 lanes"});
}

/// A workspace that is missing, too small, or of another type. Calls that need no workspace do not
/// check it.
TEST(ConfigurationMisuse, Workspaces) {
  using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
  Vectors const x("x", 3, 900), b("b", 3, 900);
  Kokkos::deep_copy(x, 7.25);
  Kokkos::deep_copy(b, 1);
  AnyMatrices<double> const a = scaled_identity(900);
  // More vectors than the scratch memory of a device can hold.
  SolveConfiguration c{.solver = SolverKind::gmres, .basis = 60, .block_rows = 2};
  Kokkos::View<double*, Space> const none;
  auto const untouched = [&] {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    for (std::size_t n = 0; n < 3; ++n)
      for (std::size_t i = 0; i < 900; ++i) ASSERT_EQ(host(n, i), 7.25);
  };
  for (auto kind : all_preconditioners) {
    SCOPED_TRACE(to_string(kind));
    c.preconditioner = kind;
    std::int64_t const needed = workspace_numbers(c, a, 3);
    ASSERT_GT(needed, 0);
    std::string const number = std::to_string(needed), less = std::to_string(needed - 1);
    // On devices the factors of systems with this many rows are also in the workspace.
    bool const factors = Impl::runs_on_device<Space> && (kind == PreconditionerKind::block_jacobi ||
                                                         kind == PreconditionerKind::ilu);
    expect_says(message_of([&] { solve(c, a, b, x); }),
                {factors ? "Batchwork::solve: solver and preconditioner need a workspace of "
                         : "Batchwork::solve: the solver needs a workspace of ",
                 number.c_str(), " numbers, but none is given; give workspace(view)"});
    Kokkos::View<double*, Space> const small("small", std::size_t(needed - 1)),
        all("all", std::size_t(needed));
    expect_says(message_of([&] { solve(c, a, b, x, workspace(small)); }),
                {number.c_str(), "operand 7, workspace(\"small\")", "has ", less.c_str()});
    expect_says(message_of([&] { solve(c, a, b, x, workspace(none)); }), {number.c_str()});
    Vectors const inside(all.data(), 3, 900);
    for (auto solver : all_solvers) {
      c.solver = solver;
      expect_says(
          message_of([&] { solve(c, a, b, inside, workspace(all)); }),
          {"operand 5, x", "is written and shares elements with operand 7, workspace(\"all\")"});
    }
    c.solver = SolverKind::gmres;
  }
  untouched();
  // Parameters of other solvers and preconditioners are ignored, and an empty workspace is accepted
  // if none is needed.
  auto const expect_ones = [&](SolveConfiguration const& how) {
    Kokkos::deep_copy(x, 7.25);
    solve(how, a, b, x, workspace(none));
    Kokkos::fence();
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    for (std::size_t n = 0; n < 3; ++n)
      for (std::size_t i = 0; i < 900; ++i) ASSERT_NEAR(host(n, i), 1, 1e-12);
  };
  expect_ones({.solver = SolverKind::bicgstab, .basis = -1, .block_rows = 99});
  expect_ones({.solver = SolverKind::gmres, .basis = 1, .block_rows = 0});
}

}  // namespace
}  // namespace Batchwork::Test
