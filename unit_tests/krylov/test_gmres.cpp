// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// gmres: formats and sizes against the residual in long double, the residual of every iteration
// against the smallest possible one, restarts, reasons, workspaces.
#include "krylov/GmresCase.hpp"
#if defined(BATCHWORK_DRM19_DIR)
#include "krylov/formats/Batchwork_ReadSystems.hpp"
#endif
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct GmresOf : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GmresOf, Numbers);

template <class T, class M, class A>
HostLog<T> solve_with_workspace(Gmres const& solver, M const& m, A const& a,
                                ArrangedBatch<T> const& b, ArrangedBatch<T> const& x,
                                SolveLog<T> const& log,
                                T holds = std::numeric_limits<T>::quiet_NaN()) {
  std::int64_t const needed = workspace_numbers<T>(solver, m, a, b.items);
  if (needed == 0) {
    solve(solver, m, a, vectors(b), vectors(x), log);
  } else {
    FencedWorkspace<T> const memory(needed, holds);
    solve(solver, m, a, vectors(b), vectors(x), log, memory());
    EXPECT_TRUE(memory.fenced());
  }
  x.download();
  return HostLog<T>(log);
}

/// The same in the form that the cases of all solvers call.
struct SolveWithWorkspace {
  template <class T, class M, class A>
  HostLog<T> operator()(Gmres const& solver, M const& m, A const& a, ArrangedBatch<T> const& b,
                        ArrangedBatch<T> const& x, SolveLog<T> const& log) const {
    return solve_with_workspace(solver, m, a, b, x, log);
  }
};
template <class T, class M, class A>
void run(Gmres const& solver, M const& m, A const& a, ArrangedBatch<T> const& full,
         ArrangedBatch<T> const& b, Arranged how, Random& random, char const* what) {
  run_solve(solver, m, a, full, b, how, random, what, SolveWithWorkspace());
}

/// Sizes of the basis below and above the limit of the memory on the chip.
inline constexpr int bases[] = {1, 2, 5, 30, 10000};

TYPED_TEST(GmresOf, AllFormats) {
  using T = TypeParam;
  Random random(1);
  std::size_t turn = 0;
  for (auto const& size : system_sizes)
    for (auto how : all_arranged) {
      std::int64_t const items = size.rows < 30 ? 37 : 5;
      SCOPED_TRACE(std::to_string(size.rows) + " rows, arranged " + std::to_string(int(how)));
      Matrices<T> const a(solvable_pattern(random, size.rows, size.share, false), items, how);
      ArrangedBatch<T> const b(items, size.rows, 1, how);
      for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
      a.upload();
      b.randomise(random);
      auto const solver = [&] {
        return gmres(bases[turn++ % 5], relative(usual_tolerance<T>, 300));
      };
      run(solver(), jacobi(), a.csr(), a.full, b, how, random, "csr");
      run(solver(), no_preconditioner(), a.long_csr(), a.full, b, how, random, "csr of 64 bits");
      if (how == Arranged::strided) continue;
      run(solver(), jacobi(), a.ell(), a.full, b, how, random, "ell");
      run(solver(), jacobi(), a.dense(), a.full, b, how, random, "dense");
    }
}

template <class T>
struct Convection {
  int rows;
  template <class Lanes, class X, class Y>
  KOKKOS_FUNCTION void operator()(Lanes const& lanes, std::int64_t item, X const& x,
                                  Y const& y) const {
    lanes.for_each(rows, [&](int i) {
      T sum = T(4 + item % 5) * x(i);
      if (i > 0) sum -= T(2) * x(i - 1);
      if (i + 1 < rows) sum += T(0.5) * x(i + 1);
      y(i) = sum;
    });
  }
};

TYPED_TEST(GmresOf, MatrixFreeAndIdentity) {
  using T = TypeParam;
  Random random(2);
  for (int rows : {1, 6, 40, 300, 2048}) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    std::int64_t const items = rows > 1000 ? 2 : 11;
    auto const how = rows == 40 ? Arranged::interleaved : Arranged::item_contiguous;
    ArrangedBatch<T> const full(items, rows, rows, how), b(items, rows, 1, how);
    full.fill(T(0));
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i) {
        full.at(n, i, i) = T(4 + n % 5);
        if (i > 0) full.at(n, i, i - 1) = T(-2);
        if (i + 1 < rows) full.at(n, i, i + 1) = T(0.5);
      }
    b.randomise(random);
    for (int m : {1, 7, 30})
      run(gmres(m, relative(usual_tolerance<T>, 300)), no_preconditioner(),
          matrix_free(rows, Convection<T>{rows}), full, b, how, random, "functor");
    full.fill(T(0));
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i) full.at(n, i, i) = T(3);
    // The first direction is the only one.
    run(gmres(5, relative(usual_tolerance<T>, 1)), no_preconditioner(),
        scaled_identity<T>(rows, T(3)), full, b, how, random, "identity");
  }
}

TYPED_TEST(GmresOf, Batches) {
  using T = TypeParam;
  Random random(3);
  for (int items : {0, 1, 7, 33, beyond_a_grid}) {
    SCOPED_TRACE(std::to_string(items) + " items");
    Matrices<T> const a(tridiagonal(3), items, Arranged::item_contiguous);
    ArrangedBatch<T> const b(items, 3, 1, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
    a.upload();
    b.randomise(random);
    run(gmres(3, relative(usual_tolerance<T>, 50)), jacobi(), a.csr(), a.full, b,
        Arranged::item_contiguous, random, "csr");
  }
}

/// The smallest residuals of r minus combinations of A r, A A r, ..., in long double. The first is
/// |r|.
std::vector<long double> smallest_residuals(std::vector<std::vector<long double>> const& a,
                                            std::vector<long double> r, int steps) {
  std::size_t const rows = r.size();
  using Vector = std::vector<long double>;
  auto const dot = [&](Vector const& x, Vector const& y) {
    long double s = 0;
    for (std::size_t i = 0; i < rows; ++i) s += x[i] * y[i];
    return s;
  };
  /// Orthogonalises x against the other vectors, normalises it, and stores it.
  auto const add = [&](std::vector<Vector>& to, Vector x) {
    for (int pass = 0; pass < 2; ++pass)
      for (auto const& q : to) {
        long double const h = dot(q, x);
        for (std::size_t i = 0; i < rows; ++i) x[i] -= h * q[i];
      }
    long double const norm = std::sqrt(dot(x, x));
    for (auto& v : x) v /= norm;
    to.push_back(x);
  };
  std::vector<Vector> directions, images;
  std::vector<long double> norms{std::sqrt(dot(r, r))};
  add(directions, r);
  for (int k = 0; k < steps; ++k) {
    Vector w(rows);
    for (std::size_t i = 0; i < rows; ++i) w[i] = dot(a[i], directions.back());
    add(images, w);
    add(directions, w);
    long double const h = dot(images.back(), r);
    for (std::size_t i = 0; i < rows; ++i) r[i] -= h * images.back()[i];
    norms.push_back(std::sqrt(dot(r, r)));
  }
  return norms;
}

/// In the first cycle the residual of each iteration is the smallest possible one. Later residuals
/// do not grow. Full cycles end after as many iterations as there are rows.
TYPED_TEST(GmresOf, SmallestResiduals) {
  using T = TypeParam;
  Random random(4);
  for (int rows : {4, 9, 18, 60}) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    std::int64_t const items = 3;
    Matrices<T> const a(solvable_pattern(random, rows, 1, false), items, Arranged::item_contiguous);
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
        x(items, rows, 1, Arranged::item_contiguous);
    // Not dominant: well conditioned, but with slow convergence.
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i)
        for (int k = 0; k < rows; ++k)
          a.put(n, i, k, T((i + 1) % rows == k ? 3 : i == k ? 1.5 : random() / std::sqrt(rows)));
    a.upload();
    b.randomise(random);
    for (int m : {3, rows / 2, rows}) {
      SCOPED_TRACE("basis " + std::to_string(m));
      auto log = SolveLog<T>::allocated(items);
      log.history = Kokkos::View<T**, Space::memory_space>("history", std::size_t(items), 600);
      x.fill(T(0));
      double const tolerance = sizeof(T) == 4 ? 1e-5 : 1e-12;
      auto const said = solve_with_workspace(gmres(m, relative(tolerance, 600)),
                                             no_preconditioner(), a.dense(), b, x, log);
      for (std::int64_t n = 0; n < items; ++n) {
        auto const t = residual_truth(a.full, n, x, b);
        expect_honest(said, n, t, tolerance);
        if (m == rows) {
          EXPECT_EQ(said.reason(n), Reason::success) << to_string(said.reason(n));
          EXPECT_LE(said.iterations(n), rows);
        }
        std::vector<std::vector<long double>> matrix;
        std::vector<long double> right;
        for (int i = 0; i < rows; ++i) {
          right.push_back(b.at(n, i, 0));
          matrix.emplace_back();
          for (int j = 0; j < rows; ++j) matrix.back().push_back(a.full.at(n, i, j));
        }
        int const cycle = std::min(m, said.iterations(n));
        auto const smallest = smallest_residuals(matrix, right, cycle);
        T before = T(smallest[0]);
        for (int k = 1; k <= said.iterations(n); ++k) {
          T const v = said.log.history(std::size_t(n), std::size_t(k - 1));
          if (k <= cycle) {
            ASSERT_NEAR(double(v), double(smallest[std::size_t(k)]),
                        double(50 * rows * epsilon<T> * smallest[0]))
                << k;
          }
          // The residual never grows within a cycle. A new cycle starts from the rounded residual.
          bool const begins = (k - 1) % m == 0;
          ASSERT_LE(v, before + (begins ? T(50 * rows) * epsilon<T> * T(smallest[0]) : T(0))) << k;
          before = v;
        }
        EXPECT_EQ(before, said.recurrence(n));
      }
    }
  }
}

/// Over several cycles the residuals agree with those of a textbook GMRES, to all digits of the
/// type, for default and given sizes of the basis. Without a second orthogonalisation all digits
/// would be lost, because the diagonals multiply the common part of the directions by 3 to 100 in
/// each iteration.
TYPED_TEST(GmresOf, AsOfATextbook) {
  using T = TypeParam;
  Random random(8);
  double const tolerance = sizeof(T) == 4 ? 1e-5 : 1e-12;
  for (int rows : {6, 24, 45, 90})
    for (double diagonal : {1.5, 5.0, 100.0}) {
      std::int64_t const items = 3;
      Matrices<T> const a(solvable_pattern(random, rows, rows > 60 ? 0.1 : 1, false), items,
                          Arranged::item_contiguous);
      ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
          x(items, rows, 1, Arranged::item_contiguous);
      for (std::int64_t n = 0; n < items; ++n) put_with_diagonal(a, n, random, diagonal);
      a.upload();
      b.randomise(random);
      for (int m : {0, 3, 8, 20}) {
        SCOPED_TRACE(std::to_string(rows) + " rows, diagonal " + std::to_string(diagonal) +
                     ", basis " + std::to_string(m));
        auto const solver = gmres(m, relative(tolerance, 200));
        auto log = SolveLog<T>::allocated(items);
        log.history = Kokkos::View<T**, Space::memory_space>("history", std::size_t(items), 200);
        x.fill(T(0));
        auto const said = solve_with_workspace(solver, no_preconditioner(), a.csr(), b, x, log);
        for (std::int64_t n = 0; n < items; ++n) {
          ASSERT_EQ(said.reason(n), Reason::success) << to_string(said.reason(n));
          expect_honest(said, n, residual_truth(a.full, n, x, b), tolerance);
          auto const truth = textbook_gmres(a.full, b, n, m == 0 ? rows : m, 0.5 * tolerance, 200);
          // The default depends on the device. It is at least 10, and then a cycle is the same as
          // with more.
          int const taken = m == 0 ? std::min(said.iterations(n), 10) : said.iterations(n);
          ASSERT_LE(taken, int(truth.size()) + 1);
          for (int k = 1; k <= taken && k < int(truth.size()); ++k) {
            auto const here = double(said.log.history(std::size_t(n), std::size_t(k - 1))),
                       there = double(truth[std::size_t(k)]);
            ASSERT_NEAR(here, there,
                        1e-3 * there + double(50 * rows * epsilon<T>) * double(truth[0]))
                << k;
            // It must end at the same iteration as the textbook method, or one later.
            if (there <= tolerance * double(truth[0]) * (1 - 1e-2)) {
              ASSERT_LE(taken, k + 1);
            }
          }
        }
      }
    }
}

/// Columns over many orders of magnitude, whose products have almost no new part. Orthogonalised
/// only once, the directions would not be a basis.
TYPED_TEST(GmresOf, NearlyDependentDirections) {
  using T = TypeParam;
  Random random(9);
  bool const wide = sizeof(T) == 8;
  for (int rows : {8, 20, 40, 70}) {
    std::int64_t const items = 9;
    Matrices<T> const a(solvable_pattern(random, rows, 1, false), items, Arranged::item_contiguous);
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) put_graded(a, n, random, wide ? 8 : 3);
    a.upload();
    b.randomise(random);
    run(gmres(rows, relative(wide ? 1e-6 : 1e-3, 3 * rows)), no_preconditioner(), a.dense(), a.full,
        b, Arranged::item_contiguous, random, "graded");
  }
}

/// Matrices with only two eigenvalues: two directions for any size of the basis.
TYPED_TEST(GmresOf, DirectionsAreExhausted) {
  using T = TypeParam;
  Random random(5);
  for (int rows : {7, 30, 70}) {
    std::int64_t const items = 9;
    Matrices<T> const a(tridiagonal(rows), items, Arranged::item_contiguous);
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
        x(items, rows, 1, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i)
        for (int k = 0; k < int(a.pattern.columns[std::size_t(i)].size()); ++k)
          a.put(n, i, k, T(a.pattern.columns[std::size_t(i)][std::size_t(k)] != i ? 0 : 1 + i % 2));
    a.upload();
    b.randomise(random);
    for (double tolerance : {usual_tolerance<T>, 0.0}) {
      x.fill(T(0));
      auto const said =
          solve_with_workspace(gmres(20, relative(tolerance, 100)), no_preconditioner(), a.csr(), b,
                               x, SolveLog<T>::allocated(items));
      for (std::int64_t n = 0; n < items; ++n) {
        auto const t = residual_truth(a.full, n, x, b);
        expect_honest(said, n, t, tolerance);
        EXPECT_LE(t.norm, 20 * epsilon<T> * t.right_side);
        if (tolerance > 0) {
          EXPECT_EQ(said.reason(n), Reason::success);
          EXPECT_EQ(said.iterations(n), 2);
        }
      }
    }
  }
}

/// A textbook GMRES(22) with tolerance 1e-6 solves all but a few of these systems. Several cycles
/// in sequence make the residual worse.
TEST(GmresInDouble, CyclesThatDoHarm) {
  std::int64_t const items = 200;
  LargeLastRow<double> const s(items, 22, 1e10);
  auto const converged = [&](StoppingCriteria const& stop, auto const& a, auto const& m) {
    s.x.fill(0);
    auto const said =
        solve_with_workspace(gmres(0, stop), m, a, s.b, s.x, SolveLog<double>::allocated(items));
    int met = 0;
    for (std::int64_t n = 0; n < items; ++n) {
      if (said.reason(n) != Reason::success) continue;
      ++met;
      auto const t = residual_truth(s.a.full, n, s.x, s.b);
      EXPECT_LE(t.norm, stop.tolerance * t.right_side);
    }
    return met;
  };
  auto stop = relative(1e-6, 500);
  EXPECT_EQ(converged(stop, s.a.csr(), jacobi()), items);
  EXPECT_EQ(converged(stop, s.a.csr(), no_preconditioner()), items);
  stop.most_restarts = 3;
  EXPECT_LT(converged(stop, s.a.csr(), jacobi()), items);
}

/// Systems from flames: a textbook GMRES solves all of them.
TEST(GmresInDouble, Flame) {
#if defined(BATCHWORK_DRM19_DIR)
  auto const systems = read_systems(BATCHWORK_DRM19_DIR);
  auto const there = systems.template in<Space::memory_space>();
  ArrangedBatch<double> const b(systems.items(), int(systems.rows()), 1, Arranged::item_contiguous),
      x(systems.items(), int(systems.rows()), 1, Arranged::item_contiguous);
  b.fill(1);
  auto const all_converge = [&](auto const& m) {
    x.fill(0);
    auto const log = SolveLog<double>::allocated(systems.items());
    solve_with_workspace(gmres(0, relative(1e-6, 500)), m, there.csr(), b, x, log);
    for (auto const& outcome : outcomes(log)) EXPECT_TRUE(outcome.converged()) << outcome.text();
  };
  all_converge(no_preconditioner());
  all_converge(jacobi());
  all_converge(block_jacobi(4));
  all_converge(ilu());
#else
  GTEST_SKIP() << "the matrices are not there; configure with Batchwork_DRM19_DIR";
#endif
}

TYPED_TEST(GmresOf, CyclicShift) {
  using T = TypeParam;
  for (int rows : {5, 16, 40, 80}) {
    std::int64_t const items = 5;
    CyclicShift<T> const shift(items, rows);
    auto const& [full, b, x] = shift;
    for (int m : {1, 3, rows - 1, rows, rows + 1}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, basis " + std::to_string(m));
      x.fill(T(0));
      auto const said =
          solve_with_workspace(gmres(m, relative(usual_tolerance<T>, 500)), no_preconditioner(),
                               dense(full.batch()), b, x, SolveLog<T>::allocated(items));
      for (std::int64_t n = 0; n < items; ++n) {
        EXPECT_EQ(said.reason(n), m < rows ? Reason::stagnated : Reason::success)
            << to_string(said.reason(n));
        EXPECT_EQ(said.iterations(n), std::min(m, rows));
        EXPECT_EQ(said.info(n), 0);
        expect_honest(said, n, residual_truth(full, n, x, b), usual_tolerance<T>);
      }
    }
  }
}

TYPED_TEST(GmresOf, Reasons) {
  using T = TypeParam;
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const stop = relative(sizeof(T) == 4 ? 1e-5 : 1e-12, 50);
  Three t = ordinary;
  t.a[4] = nan;
  for (int m : {1, 2, 3}) plant<T>(t, gmres(m, stop), Reason::not_finite, 0, SolveWithWorkspace());
  t = ordinary;
  t.b[0] = std::numeric_limits<double>::infinity();
  plant<T>(t, gmres(2, stop), Reason::not_finite, 0, SolveWithWorkspace());
  t = ordinary;
  t.b[2] = nan;
  plant<T>(t, gmres(3, stop), Reason::not_finite, 0, SolveWithWorkspace());
  {
    SCOPED_TRACE("limit");
    plant<T>({{0, 0, 1, 1, 0, 0, 0, 1, 0}, {1, 0, 0}}, gmres(3, relative(0.9, 2)),
             Reason::iteration_limit, 0, SolveWithWorkspace());
  }
  {
    SCOPED_TRACE("stagnated");
    Three const shift{{0, 0, 1, 1, 0, 0, 0, 1, 0}, {1, 0, 0}};
    plant<T>(shift, gmres(1, stop), Reason::stagnated, 0, SolveWithWorkspace());
    plant<T>(shift, gmres(2, stop), Reason::stagnated, 0, SolveWithWorkspace());
    plant<T>(shift, gmres(3, stop), Reason::success, 0, SolveWithWorkspace());
  }
  {
    SCOPED_TRACE("singular");
    plant<T>({{0, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 2, 3}}, gmres(3, stop), Reason::breakdown,
             Breakdown::singular, SolveWithWorkspace());
    // A b is not zero, A A b is, and b is not a combination of them.
    plant<T>({{0, 0, 0, 1, 0, 0, 0, 0, 1}, {1, 0, 0}}, gmres(3, stop), Reason::breakdown,
             Breakdown::singular, SolveWithWorkspace());
    // Singular, but b is in the range of the matrix.
    plant<T>({{1, 0, 0, 0, 2, 0, 0, 0, 0}, {1, 1, 0}}, gmres(3, stop), Reason::success, 0,
             SolveWithWorkspace());
  }
}

TYPED_TEST(GmresOf, StartsAndCriteria) {
  using T = TypeParam;
  Random random(6);
  std::int64_t const items = 7;
  for (int rows : {3, 70}) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    Matrices<T> const a(solvable_pattern(random, rows, 0.3, false), items,
                        Arranged::item_contiguous);
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
        x(items, rows, 1, Arranged::item_contiguous),
        zeros(items, rows, 1, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
    a.upload();
    b.randomise(random);
    zeros.fill(T(0));
    auto const log = SolveLog<T>::allocated(items);
    auto const go = [&](ArrangedBatch<T> const& right, StoppingCriteria const& stop) {
      return solve_with_workspace(gmres(4, stop), jacobi(), a.csr(), right, x, log);
    };
    // b = 0: x = 0 without iterations; with an absolute tolerance the iteration goes towards it.
    x.randomise(random);
    {
      auto const said = go(zeros, relative(1e-3, 9));
      EXPECT_EQ(said.reason(0), Reason::success);
      EXPECT_EQ(said.iterations(items - 1), 0);
      for (int i = 0; i < rows; ++i) ASSERT_EQ(x.at(1, i, 0), T(0));
    }
    x.randomise(random);
    {
      auto const said = go(zeros, absolute(usual_tolerance<T>, 100));
      for (std::int64_t n = 0; n < items; ++n) {
        EXPECT_EQ(said.reason(n), Reason::success) << to_string(said.reason(n));
        EXPECT_LE(said.residual(n), T(usual_tolerance<T>));
      }
    }
    // No iterations: the initial guess does not change.
    x.fill(T(0.5));
    EXPECT_EQ(go(b, relative(1e-3, 0)).reason(3), Reason::iteration_limit);
    for (int i = 0; i < rows; ++i) ASSERT_EQ(x.at(3, i, 0), T(0.5));
    // Limits inside a cycle and at its end: x must have the residual of the last iteration.
    for (int limit : {1, 3, 4, 5}) {
      x.fill(T(0));
      auto const said = go(b, relative(0, limit));
      for (std::int64_t n = 0; n < items; ++n) {
        auto const t = residual_truth(a.full, n, x, b);
        expect_honest(said, n, t, 0);
        if (rows == 70) {
          EXPECT_EQ(said.reason(n), Reason::iteration_limit);
          EXPECT_EQ(said.iterations(n), limit);
          EXPECT_NEAR(double(said.recurrence(n)), double(t.norm),
                      double(50 * rows * epsilon<T> * t.right_side));
        }
      }
    }
    // With a tolerance of zero the iteration continues as far as possible.
    x.fill(T(0));
    auto const said = go(b, relative(0, 300));
    for (std::int64_t n = 0; n < items; ++n) {
      EXPECT_NE(said.reason(n), Reason::not_finite);
      auto const t = residual_truth(a.full, n, x, b);
      EXPECT_LE(t.norm, 1e3 * t.rounding);
    }
  }
}

/// The results have the same bits for any contents of the workspace, and for a single item.
TYPED_TEST(GmresOf, SameBitsAgain) {
  using T = TypeParam;
  Random random(7);
  for (int rows : {7, 22, 40, 130})
    for (int m : {4, 200}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, basis " + std::to_string(m));
      std::int64_t const items = 19;
      Matrices<T> const a(solvable_pattern(random, rows, 0.4, false), items,
                          Arranged::item_contiguous);
      ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
          x(items, rows, 1, Arranged::item_contiguous),
          y(items, rows, 1, Arranged::item_contiguous), z(1, rows, 1, Arranged::item_contiguous);
      for (std::int64_t n = 0; n < items; ++n)
        put_dominant(a, n, random, false, n % 3 == 0 ? 20 : 1.1);
      a.upload();
      b.randomise(random);
      auto const solver = gmres(m, relative(usual_tolerance<T>, 200));
      x.fill(T(0));
      y.fill(T(0));
      auto const log = SolveLog<T>::allocated(items);
      auto const said = solve_with_workspace(solver, jacobi(), a.csr(), b, x, log);
      solve_with_workspace(solver, jacobi(), a.csr(), b, y, log, T(1e30));
      int least = 1000, most = 0;
      for (std::int64_t n = 0; n < items; ++n) {
        least = std::min(least, said.iterations(n));
        most = std::max(most, said.iterations(n));
        for (int i = 0; i < rows; ++i) ASSERT_EQ(x.at(n, i, 0), y.at(n, i, 0));
      }
      EXPECT_LT(least, most);
      for (std::int64_t n : {std::int64_t(0), items / 2, items - 1}) {
        SingleItem<T> const one(a, b, n);
        z.fill(T(0));
        solve_with_workspace(solver, jacobi(), one.a.csr(), one.b, z, SolveLog<T>::allocated(1));
        for (int i = 0; i < rows; ++i) ASSERT_EQ(z.at(0, i, 0), x.at(n, i, 0)) << n << ' ' << i;
      }
    }
}

/// With another division of the work of a device, and with a workspace for the teams that result.
TYPED_TEST(GmresOf, Divided) {
  using T = TypeParam;
  Random random(21);
  std::int64_t const items = 70;
  for (int rows : {13, 20}) {
    Matrices<T> const a(rows == 13 ? tridiagonal(rows) : solvable_pattern(random, rows, 0.5, false),
                        items, Arranged::item_contiguous);
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
    a.upload();
    b.randomise(random);
    for (WorkDivision const how : {WorkDivision{},
                                   {Placement::entries, rows == 13 ? 4 : 96},
                                   {Placement::columns, 32, 2},
                                   {Placement::in_place, 224}}) {
      SCOPED_TRACE(std::to_string(int(how.matrix)) + ", " + std::to_string(how.lanes) + " lanes");
      run_solve(gmres(9, relative(usual_tolerance<T>, 200)), jacobi(), a.csr(), a.full, b,
                Arranged::item_contiguous, random, "csr", Divided{how});
    }
  }
}

TEST(GmresWorkspace, Numbers) {
  auto const stop = relative(1e-8, 500);
  Space const exec;
  auto const none = no_preconditioner();
  // Other solvers need no workspace, and neither do small systems.
  EXPECT_EQ(workspace_numbers(bicgstab(stop), none, scaled_identity(2000), 1000), 0);
  EXPECT_EQ(workspace_numbers(gmres(30, stop), none, scaled_identity(4), 1000), 0);
  EXPECT_EQ(workspace_numbers(gmres(30, stop), none, scaled_identity(2000), 0), 0);
  EXPECT_EQ(workspace_numbers(gmres(30, stop), none, scaled_identity(0), 7), 0);
  auto const of = [&](Gmres const& solver, std::int64_t rows, std::int64_t items) {
    return workspace_numbers(exec, solver, none, scaled_identity(rows), items);
  };
  std::int64_t const one = of(gmres(30, stop), 2000, 1);
  EXPECT_GE(one, 30 * 2000 + 30 * 31 / 2);
  EXPECT_LE(one, 31 * 2100 + 30 * 40);
  // The basis is not larger than the number of rows or of iterations.
  EXPECT_EQ(of(gmres(5000, stop), 200, 1), of(gmres(200, stop), 200, 1));
  EXPECT_EQ(of(gmres(400, relative(1e-8, 30)), 2000, 1), one);
  // Space for the teams that run at the same time.
  EXPECT_EQ(of(gmres(30, stop), 2000, 1000000), of(gmres(30, stop), 2000, 100000000));
  EXPECT_EQ(of(gmres(30, stop), 2000, 100000000) % one, 0);
  // The type of the numbers.
  // Storage of fewer bytes begin further apart, in whole rows of the banks.
  EXPECT_LE(workspace_numbers(exec, gmres(100, stop), none, scaled_identity(64, 1.0f), 7),
            of(gmres(100, stop), 64, 7) + 7 * 64);
  EXPECT_EQ(workspace_numbers<double>(gmres(30, stop), none,
                                      matrix_free(2000, Convection<double>{2000}), 1),
            one);
}

TEST(GmresMisuse, IsNamed) {
  using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
  Vectors const x("x", 3, 900), b("b", 3, 900);
  Kokkos::deep_copy(x, 7.25);
  Kokkos::deep_copy(b, 1);
  auto const a = scaled_identity(900);
  auto const s = gmres(30, relative(1e-8, 100));
  auto const none = no_preconditioner();
  std::int64_t const needed = workspace_numbers(s, none, a, 3);
  ASSERT_GT(needed, 0);
  std::string const number = std::to_string(needed);
  expect_says(message_of([&] { solve(s, none, a, b, x); }),
              {"Batchwork::solve: the solver needs a workspace of ", number.c_str(),
               " numbers, but none is given; give workspace(view)"});
  Kokkos::View<double*, Space> const small("small", std::size_t(needed - 1));
  expect_says(message_of([&] { solve(s, none, a, b, x, workspace(small)); }),
              {number.c_str(), "operand 7, workspace(\"small\")", "has ",
               std::to_string(needed - 1).c_str()});
  expect_says(
      message_of([&] { solve(s, none, a, b, x, workspace(Kokkos::View<double*, Space>())); }),
      {number.c_str()});
  Kokkos::View<double*, Space> const all("all", std::size_t(needed));
  Vectors const inside(all.data(), 3, 900);
  expect_says(
      message_of([&] { solve(s, none, a, b, inside, workspace(all)); }),
      {"operand 5, x", "is written and shares elements with operand 7, workspace(\"all\")"});
  expect_says(message_of([&] { solve(s, none, a, inside, x, workspace(all)); }),
              {"operand 7, workspace(\"all\")", "shares elements with operand 4, b"});
  for (int m : {-1, -3}) {
    expect_says(message_of([&] { solve(gmres(m, s.stop), none, a, b, x, workspace(all)); }),
                {"Batchwork::solve: gmres with a basis of ", std::to_string(m).c_str(),
                 " vectors; give from 1 to the number of rows"});
    expect_says(message_of([&] { workspace_numbers(gmres(m, s.stop), none, a, 3); }),
                {"Batchwork::workspace_numbers: gmres with a basis of "});
  }
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (std::size_t n = 0; n < 3; ++n) EXPECT_EQ(host(n, 5), 7.25);
  // A larger workspace and an unneeded one are accepted, with and without an instance, with and
  // without a log.
  Kokkos::View<double*, Space> const large("large", std::size_t(needed + 100));
  solve(Space(), s, none, a, b, x, workspace(large));
  solve(Space(), s, none, a, b, x, SolveLog<double>::allocated(3), workspace(large));
  solve(bicgstab(s.stop), none, a, b, x, workspace(large));
  Kokkos::fence();
  auto const done = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (std::size_t n = 0; n < 3; ++n) EXPECT_NEAR(done(n, 5), 1, 1e-7);
}

}  // namespace
}  // namespace Batchwork::Test
