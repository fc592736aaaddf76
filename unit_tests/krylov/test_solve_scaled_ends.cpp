// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Systems from chemistry, how scaled solves end, and misuse.
#include "krylov/ScaledCase.hpp"
#if defined(BATCHWORK_DRM19_DIR)
#include "krylov/formats/Batchwork_ReadSystems.hpp"
#endif

namespace Batchwork::Test {
namespace {

/// Jacobians of a flame with the weights of an integrator. A textbook BiCGSTAB needs 13 iterations
/// to 1e-6 (median) for the weighted systems, and 7 with Jacobi.
TEST(SolveScaled, Chemistry) {
#if defined(BATCHWORK_DRM19_DIR)
  std::string const folder = BATCHWORK_DRM19_DIR;
  auto const s = read_systems(folder);
  auto const items = std::int64_t(s.values.extent(0));
  int const rows = int(s.rows());
  ArrangedBatch<double> const a(items, rows, rows, Arranged::item_contiguous),
      b(items, rows, 1, Arranged::item_contiguous), w(items, rows, 1, Arranged::item_contiguous),
      ones(items, rows, 1, Arranged::item_contiguous);
  auto const fill = [&](ArrangedBatch<double> const& to, char const* file) {
    auto const from = read_vectors(folder + file, s.rows());
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i) to.at(n, i, 0) = from(std::size_t(n), std::size_t(i));
    to.upload();
  };
  fill(b, "/rhs.f64");
  fill(w, "/weights.f64");
  fill(ones, "/rhs_ones.f64");
  a.fill(0);
  for (std::int64_t n = 0; n < items; ++n)
    for (int i = 0; i < rows; ++i)
      for (auto k = s.row_offsets(std::size_t(i)); k < s.row_offsets(std::size_t(i) + 1); ++k)
        a.at(n, i, s.columns(std::size_t(k))) = s.values(std::size_t(n), std::size_t(k));
  a.upload();
  auto const A = dense(a.batch());
  auto const stop = relative(1e-6, 500);
  auto const weight = [&](std::int64_t n, int i) { return w.at(n, i, 0); };
  auto const iterations = [&](auto const& m) {
    ArrangedBatch<double> const x(items, rows, 1, Arranged::item_contiguous);
    x.fill(0);
    auto const log = whole_log<double>(items);
    solve(weighted(bicgstab(stop), vectors(w)), m, A, vectors(b), vectors(x), log);
    double sum = 0;
    for (auto const& outcome : outcomes(log)) sum += outcome.iterations;
    return sum / double(items);
  };
  EXPECT_LE(iterations(no_preconditioner()), 15);
  EXPECT_LE(iterations(jacobi()), 9);
  FencedWorkspace<double> const none(0);
  EXPECT_EQ(expect_true(weighted(bicgstab(stop), vectors(w)), none, jacobi(), A, a, b, false,
                        weight, 0.0, "weighted")
                .converged,
            int(items));
  RowFactors<double> const factors(a, Scaling::both);
  auto const factor = [&](std::int64_t n, int i) { return factors.left.at(n, i, 0); };
  for (double const tolerance : {1e-6, 1e-10})
    for (auto const norm : {TestNorm::scaled, TestNorm::unscaled}) {
      bool const unscaled = norm == TestNorm::unscaled;
      auto const solver = scaled(bicgstab(relative(tolerance, 500)), Scaling::both, norm);
      Tally const t =
          expect_true(solver, none, jacobi(), A, a, ones, unscaled, factor, 0.0, "ones");
      if (unscaled) {
        EXPECT_EQ(t.converged + t.at_rounding, t.all);
      } else {
        EXPECT_EQ(t.converged, t.all);
      }
    }
#else
  GTEST_SKIP() << "Batchwork_DRM19_DIR is not given to CMake";
#endif
}

/// Absolute tolerances, no iterations, zero right-hand sides, numbers that are not finite:
/// independently for each item.
TEST(SolveScaled, Ends) {
  int const rows = 3;
  std::int64_t const items = 6;
  ArrangedBatch<double> const a(items, rows, rows, Arranged::item_contiguous),
      b(items, rows, 1, Arranged::item_contiguous), w(items, rows, 1, Arranged::item_contiguous);
  Random random(4);
  put_badly_scaled(a, b, random, 6, 6);
  for (int i = 0; i < rows; ++i) b.at(1, i, 0) = 0;
  a.at(2, 1, 1) = std::nan("");
  b.at(3, 0, 0) = INFINITY;
  w.fill(1);
  w.at(4, 2, 0) = std::nan("");
  a.upload();
  b.upload();
  w.upload();
  auto const reasons = [&](auto const& solver, double start) {
    ArrangedBatch<double> const x(items, rows, 1, Arranged::item_contiguous);
    x.fill(start);
    auto const log = whole_log<double>(items);
    solve(solver, no_preconditioner(), dense(a.batch()), vectors(b), vectors(x), log);
    x.download();
    std::vector<Reason> all;
    for (auto const& outcome : outcomes(log)) {
      std::size_t const n = all.size();
      all.push_back(outcome.reason());
      for (int i = 0; i < rows; ++i) {
        EXPECT_TRUE(std::isfinite(x.at(std::int64_t(n), i, 0)));
        if (!outcome.converged() && outcome.iterations == 0) {
          EXPECT_EQ(x.at(std::int64_t(n), i, 0), start);
        }
      }
    }
    for (int i = 0; i < rows; ++i) {
      EXPECT_EQ(x.at(1, i, 0), 0);
    }
    return all;
  };
  using enum Reason;
  auto const both = scaled(bicgstab(relative(1e-8, 50)), Scaling::both, TestNorm::scaled);
  EXPECT_EQ(reasons(both, 0.5),
            (std::vector{success, success, not_finite, not_finite, success, success}));
  EXPECT_EQ(reasons(weighted(bicgstab(relative(1e-3, 50)), vectors(w)), 0.5),
            (std::vector{success, success, not_finite, not_finite, not_finite, success}));
  EXPECT_EQ(reasons(scaled(bicgstab(relative(1e-8, 0))), 0.5),
            (std::vector{iteration_limit, success, not_finite, not_finite, iteration_limit,
                         iteration_limit}));
  // Every item meets it without an iteration.
  ArrangedBatch<double> const x(items, rows, 1, Arranged::item_contiguous);
  x.fill(0);
  auto const log = whole_log<double>(items);
  solve(scaled(bicgstab(absolute(1e9, 50))), no_preconditioner(), dense(a.batch()), vectors(b),
        vectors(x), log);
  auto const said = outcomes(log);
  EXPECT_TRUE(said[0].converged() && said[0].iterations == 0);
  EXPECT_FALSE(said[2].converged() || said[3].converged());
}

/// For every reason, `residual` is the norm of b - A x for the given, not for the scaled matrices.
TEST(SolveScaled, ResidualsAreThoseOfTheUser) {
  Kokkos::View<int*, Space> const offsets("offsets", 3), columns("columns", 4);
  Kokkos::View<double**, Kokkos::LayoutRight, Space> const values("values", 1, 4), b("b", 1, 2),
      x("x", 1, 2);
  auto const fill = [](auto const& view, std::vector<double> const& numbers) {
    auto const host = Kokkos::create_mirror_view(view);
    for (std::size_t k = 0; k < numbers.size(); ++k)
      host.data()[k] = typename decltype(host)::value_type(numbers[k]);
    Kokkos::deep_copy(view, host);
  };
  fill(offsets, {0, 2, 4});
  fill(values, {0, 1024, 0, 1});
  fill(b, {1024, 0});
  auto const log = whole_log<double>(1);
  auto const residuals = [&](auto const& solver) {
    solve(solver, ilu(), csr(offsets, columns, values), b, x, log);
    return outcomes(log)[0];
  };
  auto const scaled_residual = [&] {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), log.scaled_residual)(0);
  };
  // ILU(0) needs increasing columns.
  fill(columns, {1, 0, 0, 1});
  auto const stop = relative(1e-8, 50);
  for (auto const norm : {TestNorm::unscaled, TestNorm::scaled}) {
    auto const said = residuals(scaled(bicgstab(stop), Scaling::both, norm));
    EXPECT_EQ(said.reason(), Reason::invalid_pattern);
    EXPECT_EQ(said.residual, 1024);
    EXPECT_EQ(scaled_residual(), 1);
  }
  // No iterations are allowed, and a right-hand side that is not in the range of the matrix.
  fill(columns, {0, 1, 0, 1});
  EXPECT_EQ(residuals(scaled(bicgstab(relative(1e-8, 0)))).residual, 1024);
  fill(values, {0, 1024, 0, 0});
  fill(b, {0, 512});
  auto const singular = residuals(scaled(bicgstab(stop)));
  EXPECT_FALSE(singular.converged());
  EXPECT_EQ(singular.residual, 512);
}

/// An item must have the same bits as in a batch of one, whatever the other items do.
TEST(SolveScaled, NeighboursDoNotMatter) {
  int const rows = 7;
  std::int64_t const items = 11;
  Random random(5);
  ArrangedBatch<double> const a(items, rows, rows, Arranged::item_contiguous),
      b(items, rows, 1, Arranged::item_contiguous), x(items, rows, 1, Arranged::item_contiguous);
  put_badly_scaled(a, b, random, 5, 5);
  a.at(3, 2, 2) = std::nan("");
  for (int i = 0; i < rows; ++i) b.at(5, i, 0) = 0;
  a.upload();
  b.upload();
  auto const same = [&](auto const& solver) {
    x.fill(0);
    solve(solver, jacobi(), dense(a.batch()), vectors(b), vectors(x));
    x.download();
    for (std::int64_t n = 0; n < items; ++n) {
      ArrangedBatch<double> const a1(1, rows, rows, Arranged::item_contiguous),
          b1(1, rows, 1, Arranged::item_contiguous), x1(1, rows, 1, Arranged::item_contiguous);
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < rows; ++j) a1.at(0, i, j) = a.at(n, i, j);
        b1.at(0, i, 0) = b.at(n, i, 0);
      }
      a1.upload();
      b1.upload();
      x1.fill(0);
      solve(solver, jacobi(), dense(a1.batch()), vectors(b1), vectors(x1));
      x1.download();
      for (int i = 0; i < rows; ++i) EXPECT_EQ(x.at(n, i, 0), x1.at(0, i, 0)) << n << ", " << i;
    }
  };
  same(scaled(bicgstab(relative(1e-11, 60))));
  same(scaled(bicgstab(relative(1e-3, 60)), Scaling::rows, TestNorm::scaled));
}

/// Columns far out of range: nothing outside may be read or written, and x must not change.
TEST(SolveScaled, InvalidPattern) {
  Kokkos::View<double**, Kokkos::LayoutRight, Space> const values("values", 3, 4), b("b", 3, 2),
      x("x", 3, 2);
  Kokkos::deep_copy(values, 1.0);
  Kokkos::deep_copy(b, 1.0);
  Kokkos::deep_copy(x, 7.0);
  auto const a = csr(indices_of<int>("offsets", {0, 2, 4}),
                     indices_of<int>("columns", {0, 500000000, 0, 1}), values);
  auto const log = whole_log<double>(3);
  solve(scaled(bicgstab(relative(1e-8, 50))), ilu(), a, b, x, log);
  for (auto const& outcome : outcomes(log)) EXPECT_EQ(outcome.reason(), Reason::invalid_pattern);
  auto const after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (int n = 0; n < 3; ++n)
    for (int i = 0; i < 2; ++i) EXPECT_EQ(after(n, i), 7.0);
}

/// An initial guess that meets the tolerance does not change, also if scaling it by the factors of
/// columns would round.
TEST(SolveScaled, StartsThatDo) {
  ArrangedBatch<float> const a(1, 2, 2, Arranged::item_contiguous),
      b(1, 2, 1, Arranged::item_contiguous), x(1, 2, 1, Arranged::item_contiguous);
  a.at(0, 0, 0) = 1e-30F;
  a.at(0, 0, 1) = 0;
  a.at(0, 1, 0) = 0;
  a.at(0, 1, 1) = 1;
  b.at(0, 0, 0) = 0;
  b.at(0, 1, 0) = 1;
  x.at(0, 0, 0) = 1e-20F;
  x.at(0, 1, 0) = 1;
  a.upload();
  b.upload();
  x.upload();
  auto const log = whole_log<float>(1);
  solve(scaled(bicgstab(relative(1e-3, 5))), no_preconditioner(), dense(a.batch()), vectors(b),
        vectors(x), log);
  x.download();
  EXPECT_TRUE(outcomes(log)[0].converged());
  EXPECT_EQ(x.at(0, 0, 0), 1e-20F);
  EXPECT_EQ(x.at(0, 1, 0), 1);
}

TEST(SolveScaled, Misuse) {
  Kokkos::View<double**> const x("x", 4, 3), b("b", 4, 3), w("w", 4, 2), few("few", 3, 3);
  Kokkos::View<double***> const a("a", 4, 3, 3);
  Kokkos::View<double*> const one("one", 2);
  auto const message = [&](auto const& solver) -> std::string {
    try {
      solve(solver, no_preconditioner(), dense(a), b, x);
    } catch (std::invalid_argument const& e) {
      return e.what();
    }
    return "";
  };
  auto const expect = [](std::string const& said, std::string const& part) {
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  expect(message(weighted(bicgstab(), w)), "operand 1, weights(\"w\")");
  expect(message(weighted(bicgstab(), few)), "has 3 items, but operand 5");
  expect(message(weighted(bicgstab(), common(one))), "holds 2 numbers an item");
  expect(message(weighted(bicgstab(), x)), "shares elements with");
  expect(message(scaled(bicgstab(), Scaling(7))), "give rows, columns or both");
  expect(message(scaled(bicgstab(), Scaling::both, TestNorm(7))), "give unscaled or scaled");
  expect(message(scaled(conjugate_gradients(), Scaling::columns)), "give Scaling::both");
  expect(message(scaled(bicgstab(absolute(-1)))), "a tolerance of -1");
  SolveLog<double> log;
  log.scaled_residual = Kokkos::View<double*>("short", 2);
  EXPECT_THROW(solve(scaled(bicgstab()), no_preconditioner(), dense(a), b, x, log),
               std::invalid_argument);
  EXPECT_THROW(
      solve(scaled(bicgstab()), no_preconditioner(), matrix_free(3, Applied<double>{{}, 3}), b, x),
      std::invalid_argument);
}

}  // namespace
}  // namespace Batchwork::Test
