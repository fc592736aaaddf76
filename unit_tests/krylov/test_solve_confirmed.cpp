// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The reports of solve for badly scaled systems, compared with residuals without rounding errors: a
// system reported as converged must have converged, and no solution may become worse. Also a solver
// that is not part of the library.

#include <Kokkos_Core.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "krylov/ExactResidual.hpp"
#if defined(BATCHWORK_DRM19_DIR)
#include "krylov/formats/Batchwork_ReadSystems.hpp"
#endif

namespace Batchwork::Test {
namespace {

TEST(CompensatedSum, IsWithinItsBound) {
  Random random(3);
  double worst = 0;
  for (int test = 0; test < 2000; ++test) {
    Impl::CompensatedSum<double> sum;
    ExactSum exact;
    int const terms = random.integer(1, 60);
    double const orders = random(0, 30);
    auto const number = [&] { return random() * std::pow(10.0, random(-orders, orders) / 2); };
    double left = 0;
    for (int k = 0; k < terms; ++k) {
      double const a = number(), x = number();
      sum.add(a, x);
      exact.add_product(a, x);
      left += a * x;
    }
    // Most of it cancels.
    sum.add(-left);
    exact.add(-left);
    long double const error = std::fabs(sum.value() - exact.value());
    long double const bound =
        epsilon<double> / 2 * std::fabs(sum.value()) + sum.rounding(terms + 1);
    ASSERT_LE(error, bound) << "test " << test;
    // In single precision most of it would be lost.
    if (exact.value() != 0) worst = std::max(worst, double(error / std::fabs(exact.value())));
  }
  EXPECT_LE(worst, 1e-6);
}
TEST(CompensatedSum, OfExactNumbersHasNoRounding) {
  Impl::CompensatedSum<double> sum;
  for (int k = 1; k < 40; ++k) sum.add(k, 1.0 / 1024);
  EXPECT_EQ(sum.rounding(39), 0);
  EXPECT_EQ(sum.value(), 780.0 / 1024);
}

struct Tally {
  int converged = 0, all = 0;
};

/// The log must be correct: if it reports convergence, the exact residual must meet the tolerance,
/// and no x may be worse than zero.
template <class T, class Solver, class M>
Tally expect_true(Solver const& solver, M const& m, ArrangedBatch<T> const& a,
                  ArrangedBatch<T> const& b, std::string const& what) {
  SCOPED_TRACE(what);
  ArrangedBatch<T> const x(a.items, a.rows, 1, Arranged::item_contiguous);
  x.fill(T(0));
  auto const log = SolveLog<T>::allocated(a.items);
  auto const A = dense(a.batch());
  FencedWorkspace<T> const memory(workspace_numbers(Space(), solver, m, A, a.items));
  solve(solver, m, A, vectors(b), vectors(x), log, memory());
  x.download();
  Tally tally;
  for (auto const& outcome : outcomes(log)) {
    auto const t = exact_norms(a, b, x, tally.all);
    if (outcome.converged()) {
      ++tally.converged;
      EXPECT_LE(t.residual, solver.stop.tolerance * t.right_side) << "item " << tally.all;
      // The logged norm must bound the exact residual and meet the tolerance, up to the rounding of
      // sums of squares.
      long double const slack = (a.rows + 16) * epsilon<T>;
      EXPECT_LE(t.residual, outcome.residual * (1 + slack)) << "item " << tally.all;
      EXPECT_LE(outcome.residual, solver.stop.tolerance * t.right_side * (1 + slack))
          << "item " << tally.all;
    }
    EXPECT_LE(t.residual, t.right_side * (1 + 4 * epsilon<T>))
        << "item " << tally.all << ": " << outcome.text();
    for (int i = 0; i < a.rows; ++i)
      EXPECT_TRUE(std::isfinite(x.at(tally.all, i, 0))) << "item " << tally.all;
    ++tally.all;
  }
  return tally;
}
template <class T>
Tally all_solvers(double tolerance, ArrangedBatch<T> const& a, ArrangedBatch<T> const& b,
                  std::string const& what) {
  Tally sum;
  auto const stop = relative(tolerance, 200);
  for (Tally const t : {expect_true(bicgstab(stop), no_preconditioner(), a, b, what + ", bicgstab"),
                        expect_true(bicgstab(stop), jacobi(), a, b, what + ", bicgstab, jacobi"),
                        expect_true(gmres(30, stop), no_preconditioner(), a, b, what + ", gmres"),
                        expect_true(gmres(30, stop), jacobi(), a, b, what + ", gmres, jacobi")}) {
    sum.converged += t.converged;
    sum.all += t.all;
  }
  return sum;
}

TEST(SolveConfirmed, SmallestCase) {
  auto const look = [](auto number, double tolerance) {
    using T = decltype(number);
    ArrangedBatch<T> const a(1, 3, 3, Arranged::item_contiguous),
        b(1, 3, 1, Arranged::item_contiguous);
    double const entries[] = {1, 0.5, 0, 0, 1, 0.5, 1e12, 1e12, -1e12}, right[] = {1, 2, 1};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) a.at(0, i, j) = T(entries[3 * i + j]);
      b.at(0, i, 0) = T(right[i]);
    }
    a.upload();
    b.upload();
    all_solvers(tolerance, a, b, "1e12");
  };
  look(1.0, 1e-8);
  look(1.0F, 1e-3);
}

TEST(SolveConfirmed, EntriesOverTwelveOrders) {
  Random random(5);
  std::int64_t const items = 67;
  Tally all;
  for (int const rows : {3, 8, 21})
    for (double const rows_by : {0.0, 6.0, 12.0}) {
      ArrangedBatch<double> const a(items, rows, rows, Arranged::item_contiguous),
          b(items, rows, 1, Arranged::item_contiguous);
      put_badly_scaled(a, b, random, rows_by, 12 - rows_by);
      Tally const t =
          all_solvers(1e-8, a, b, std::to_string(rows) + " rows, " + std::to_string(rows_by));
      all.converged += t.converged;
      all.all += t.all;
    }
  // Some items but not all, because the tolerance is near the rounding errors.
  EXPECT_GT(all.converged, all.all / 3);
  EXPECT_LT(all.converged, all.all);
}

/// Columns over 17 orders of magnitude, for which an earlier version of GMRES stopped because it
/// considered the matrix singular.
TEST(SolveConfirmed, GmresOfColumnsOfManySizes) {
  Random random(6);
  std::int64_t const items = 100;
  for (int const rows : {3, 8, 20}) {
    ArrangedBatch<double> const a(items, rows, rows, Arranged::item_contiguous),
        b(items, rows, 1, Arranged::item_contiguous);
    put_badly_scaled(a, b, random, 0, 17);
    Tally const t = expect_true(gmres(30, relative(1e-8, 500)), no_preconditioner(), a, b,
                                std::to_string(rows) + " rows");
    // A textbook GMRES(30) solves 97 to 100 of them.
    EXPECT_GE(t.converged, 95);
  }
}

/// A singular matrix and a right-hand side that is orthogonal to its range: zero is the best x.
TEST(SolveConfirmed, GmresDoesNoHarm) {
  int const rows = 8;
  ArrangedBatch<double> const a(3, rows, rows, Arranged::item_contiguous),
      b(3, rows, 1, Arranged::item_contiguous);
  a.fill(0);
  for (std::int64_t n = 0; n < 3; ++n)
    for (int i = 0; i < rows; ++i) {
      a.at(n, i, i) = i == 0 || i + 1 == rows ? 1 : 2;
      if (i > 0) a.at(n, i, i - 1) = -1;
      if (i + 1 < rows) a.at(n, i, i + 1) = -1;
      b.at(n, i, 0) = 1;
    }
  a.upload();
  b.upload();
  EXPECT_EQ(expect_true(gmres(30, relative(1e-8, 100)), ilu(), a, b, "Neumann").converged, 0);
}

/// An initial guess that seems to meet the tolerance because of rounding is checked with more
/// digits. If it does meet the tolerance, it does not change.
TEST(SolveConfirmed, Starts) {
  ArrangedBatch<double> const a(2, 3, 3, Arranged::item_contiguous),
      b(2, 3, 1, Arranged::item_contiguous), x(2, 3, 1, Arranged::item_contiguous);
  double const entries[] = {1, 0.5, 0, 0, 1, 0.5, 1e12, 1e12, -1e12}, right[] = {1, 2, 1};
  // For the first item the rounded residual is 0 and the exact one is 3e-5 of b. The second is
  // exact.
  double const starts[] = {-1.0 / 7, 16.0 / 7, 15.0 / 7, 0.5, 1, 1.5};
  for (std::int64_t n = 0; n < 2; ++n)
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) a.at(n, i, j) = entries[3 * i + j];
      x.at(n, i, 0) = starts[3 * n + i];
      b.at(n, i, 0) = n == 0 ? right[i] : i == 0 ? 1 : i == 1 ? 1.75 : 0;
    }
  a.upload();
  b.upload();
  x.upload();
  auto const log = SolveLog<double>::allocated(2);
  solve(bicgstab(relative(1e-8, 50)), no_preconditioner(), dense(a.batch()), vectors(b), vectors(x),
        log);
  x.download();
  auto const said = outcomes(log);
  for (std::int64_t n = 0; n < 2; ++n) {
    auto const t = exact_norms(a, b, x, n);
    if (said[std::size_t(n)].converged()) {
      EXPECT_LE(t.residual, 1e-8 * t.right_side) << n;
    }
  }
  EXPECT_FALSE(said[0].converged());
  EXPECT_EQ(said[0].text().find("stagnated after "), 0U) << said[0].text();
  EXPECT_TRUE(said[1].converged());
  EXPECT_EQ(said[1].iterations, 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(x.at(1, i, 0), starts[3 + i]);
}

/// An item that diverges keeps its initial guess, bit for bit.
TEST(SolveConfirmed, DivergedKeepsTheStart) {
  ArrangedBatch<double> const a(2, 2, 2, Arranged::item_contiguous),
      b(2, 2, 1, Arranged::item_contiguous), x(2, 2, 1, Arranged::item_contiguous);
  for (std::int64_t n = 0; n < 2; ++n)
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) a.at(n, i, j) = i == j ? (n == 0 ? 30 : 1) : 0.25;
      b.at(n, i, 0) = 1;
      x.at(n, i, 0) = 0.1;
    }
  a.upload();
  b.upload();
  x.upload();
  auto const log = SolveLog<double>::allocated(2);
  solve(richardson(relative(1e-8, 300)), no_preconditioner(), dense(a.batch()), vectors(b),
        vectors(x), log);
  x.download();
  auto const said = outcomes(log);
  EXPECT_EQ(said[0].reason(), Reason::diverged);
  EXPECT_LT(said[0].iterations, 10);
  EXPECT_EQ(x.at(0, 0, 0), 0.1);
  EXPECT_EQ(x.at(0, 1, 0), 0.1);
  EXPECT_NEAR(said[0].residual, std::sqrt(2.0) * 2.025, 1e-14);
  EXPECT_TRUE(said[1].converged());
}

TEST(SolveConfirmed, OutcomesNeedReasons) {
  SolveLog<double> log;
  EXPECT_TRUE(outcomes(log).empty());
  log.iterations = Kokkos::View<int*, Space::memory_space>("iterations", 2);
  EXPECT_THROW(outcomes(log), std::invalid_argument);
  EXPECT_EQ(explain_solve(Status::code(Reason::breakdown, Breakdown::omega)),
            "breakdown: omega vanished; begin from another x, or use gmres(...) or direct_lu()");
  EXPECT_EQ(explain_solve(Status::code(Reason::iteration_limit, 0)),
            "iteration limit: most_iterations were made and the tolerance is not met; allow more, "
            "or use another preconditioner or direct_lu()");
  EXPECT_EQ(explain_solve(Status::code(Reason::singular, 3)),
            "singular: pivot 3 is exactly zero; check the matrix");
  EXPECT_EQ(explain_solve(Status::code(Reason::out_of_range, 0)),
            "out of range: gathered(b, index) has no item of this index; call check_indices(...)");
  EXPECT_EQ(explain_solve(0), "success");
}

TEST(SolveConfirmed, Chemistry) {
#if defined(BATCHWORK_DRM19_DIR)
  auto const s = read_systems(BATCHWORK_DRM19_DIR);
  auto const ones = read_vectors(std::string(BATCHWORK_DRM19_DIR) + "/rhs_ones.f64", s.rows());
  auto const items = std::int64_t(s.values.extent(0));
  int const rows = int(s.rows());
  ArrangedBatch<double> const a(items, rows, rows, Arranged::item_contiguous),
      b(items, rows, 1, Arranged::item_contiguous);
  a.fill(0);
  for (std::int64_t n = 0; n < items; ++n)
    for (int i = 0; i < rows; ++i) {
      for (auto k = s.row_offsets(std::size_t(i)); k < s.row_offsets(std::size_t(i) + 1); ++k)
        a.at(n, i, s.columns(std::size_t(k))) = s.values(std::size_t(n), std::size_t(k));
      b.at(n, i, 0) = ones(std::size_t(n), std::size_t(i));
    }
  a.upload();
  b.upload();
  // At the second tolerance nearly all items are limited by rounding.
  EXPECT_GE(all_solvers(1e-6, a, b, "1e-6").converged, 4 * items * 95 / 100);
  all_solvers(1e-10, a, b, "1e-10");
#else
  GTEST_SKIP() << "the matrices are not there; configure with Batchwork_DRM19_DIR";
#endif
}

/// CGS (P. Sonneveld, CGS, a fast Lanczos-type solver for nonsymmetric linear systems, SIAM J. Sci.
/// Stat. Comput. 10 (1989)), as a user could write it, with seven vectors.
struct Cgs {
  static constexpr int vectors = 8;
  static constexpr int own_vectors = 7;
  static constexpr int short_rows = 4;
  StoppingCriteria stop{};
};
template <class At>
struct CgsMethod {
  static constexpr bool right = true;
  using T = typename At::Scalar;
  using N = typename At::Number;
  using V = typename At::Value;
  typename At::Vector shadow, p, q, w, v, s, z;
  N rho = N(T(1));
  bool is_first = true;

  template <int Count>
  BATCHWORK_INLINE explicit CgsMethod(Impl::SolverVectors<typename At::Vector, Count> const& own)
      : shadow(own[0]), p(own[1]), q(own[2]), w(own[3]), v(own[4]), s(own[5]), z(own[6]) {}
  template <class R>
  BATCHWORK_INLINE N sum_of(At& at, R const& a, R const& b) {
    V part[1] = {V(T(0))};
    at.for_each([&](int i) { part[0] += a(i) * b(i); });
    N x[1];
    at.sum(part, x);
    return x[0];
  }
  template <class M, class R>
  BATCHWORK_INLINE void restart(At& at, M const&, R const& r, N const& squared,
                                Impl::Progress<N> const&) {
    at.for_each([&](int i) {
      shadow.set(i, r(i));
      p.set(i, r(i));
      w.set(i, r(i));
    });
    rho = squared;
  }
  template <class M, class R>
  BATCHWORK_INLINE void step(At& at, M const& m, R& r, R& u, Impl::Progress<N>& is) {
    auto const on = is.running;
    m.apply(at, z, p);
    at.multiply(v, z);
    N const alpha = rho / sum_of(at, shadow, v);
    at.for_each([&](int i) {
      q.set(i, w(i) - V(alpha) * v(i));
      s.set(i, w(i) + q(i));
    });
    m.apply(at, z, s);
    at.multiply(v, z);
    if (Impl::any(on)) {
      at.for_each([&](int i) {
        u.set(i, Impl::select_some(on, u(i) + V(alpha) * s(i), u(i)));
        r.set(i, Impl::select_some(on, r(i) - V(alpha) * v(i), r(i)));
      });
    }
    N const next = sum_of(at, shadow, r), beta = next / rho, norm = sum_of(at, r, r);
    rho = next;
    at.for_each([&](int i) {
      w.set(i, r(i) + V(beta) * q(i));
      p.set(i, w(i) + V(beta) * (q(i) + V(beta) * p(i)));
    });
    if (Impl::any(on)) is.judge(on, norm);
  }
};
template <class At>
BATCHWORK_INLINE auto method_of(At& at, Cgs const&) {
  return CgsMethod<At>(at.template vectors<Cgs::own_vectors>());
}

TEST(SolverOfAUser, ConjugateGradientsSquared) {
  Random random(8);
  for (int const rows : {1, 5, 40}) {
    std::int64_t const items = 19;
    ArrangedBatch<double> const a(items, rows, rows, Arranged::item_contiguous),
        b(items, rows, 1, Arranged::item_contiguous);
    put_badly_scaled(a, b, random, 0, 0);
    EXPECT_EQ(
        expect_true(Cgs{relative(1e-10, 200)}, jacobi(), a, b, std::to_string(rows)).converged,
        items);
  }
}

}  // namespace
}  // namespace Batchwork::Test
