// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve: every solver, format and arrangement against the residual in long double; sizes of batches; the same bits again.
#include "krylov/SolveCase.hpp"
#if defined(BATCHWORK_DRM19_DIR)
#include "krylov/Batchwork_ReadSystems.hpp"
#endif

namespace Batchwork::Test {
namespace {

template <class T>
struct Solve : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Solve, Numbers);

/// Solves and looks at every item; all of them converge.
template <class T, class Solver, class M, class A>
void run(Solver const& solver, M const& m, A const& a, GemmMatrices<T> const& full,
         GemmMatrices<T> const& b, Arranged how, Random& random, char const* what) {
  SCOPED_TRACE(what);
  std::int64_t const items = full.items;
  GemmMatrices<T> const x(items, full.rows, 1, how);
  x.randomise(random);
  auto const outside = x.poisoned();
  auto const log = SolveLog<T>::allocated(items);
  solve(solver, m, a, vectors(b), vectors(x), log);
  x.download();
  EXPECT_EQ(x.poisoned(), outside);
  HostLog<T> const said(log);
  for (std::int64_t n = 0; n < items; ++n) {
    ASSERT_EQ(said.reason(n), Reason::success)
        << "item " << n << ": " << to_string(said.reason(n)) << ", info " << said.info(n) << ", "
        << said.iterations(n) << " iterations, " << said.residual(n);
    expect_honest(said, n, residual_truth(full, n, x, b), solver.stop.tolerance);
    ASSERT_GT(said.iterations(n), 0);
    ASSERT_LE(said.iterations(n), solver.stop.most_iterations);
  }
}

/// Every way of holding a system: rows and shares of entries for all variants.
struct Size {
  int rows;
  double share;
};
inline constexpr Size sizes[] = {{1, 0},     {2, 1},     {3, 0.3},   {5, 1},    {8, 1},
                                 {9, 0.2},   {16, 0.1},  {22, 0.9},  {24, 1},   {25, 0.5},
                                 {33, 0.9},  {54, 0.8},  {56, 1},    {57, 0.5}, {64, 0.03},
                                 {65, 0.08}, {128, 0.01}, {144, 0.3}, {200, 0.005}};

TYPED_TEST(Solve, Bicgstab) {
  using T = TypeParam;
  Random random(1);
  for (auto const& size : sizes)
    for (auto how : all_arranged) {
      std::int64_t const items = size.rows < 30 ? 37 : 5;
      SCOPED_TRACE(std::to_string(size.rows) + " rows, arranged " + std::to_string(int(how)));
      Matrices<T> const a(solvable_pattern(random, size.rows, size.share, false), items, how);
      GemmMatrices<T> const b(items, size.rows, 1, how);
      for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
      a.upload();
      b.randomise(random);
      auto const solver = bicgstab(relative(usual_tolerance<T>, 200));
      run(solver, jacobi(), a.csr(), a.full, b, how, random, "csr");
      if (how == Arranged::strided) continue;
      run(solver, no_preconditioner(), a.long_csr(), a.full, b, how, random, "csr of 64 bits");
      run(solver, jacobi(), a.ell(), a.full, b, how, random, "ell");
      run(solver, jacobi(), a.dense(), a.full, b, how, random, "dense");
    }
}

TYPED_TEST(Solve, ConjugateGradients) {
  using T = TypeParam;
  Random random(2);
  for (auto const& size : sizes)
    for (auto how : {Arranged::rows, Arranged::planes}) {
      std::int64_t const items = size.rows < 30 ? 37 : 5;
      SCOPED_TRACE(std::to_string(size.rows) + " rows, arranged " + std::to_string(int(how)));
      Matrices<T> const a(solvable_pattern(random, size.rows, size.share / 2, true), items, how);
      GemmMatrices<T> const b(items, size.rows, 1, how);
      for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, true);
      a.upload();
      b.randomise(random);
      auto const solver = conjugate_gradients(relative(usual_tolerance<T>, 300));
      run(solver, jacobi(), a.csr(), a.full, b, how, random, "csr");
      run(solver, no_preconditioner(), a.ell(), a.full, b, how, random, "ell");
      run(solver, no_preconditioner(), a.dense(), a.full, b, how, random, "dense");
    }
}

TYPED_TEST(Solve, Richardson) {
  using T = TypeParam;
  Random random(3);
  for (int rows : {1, 4, 17, 60, 150}) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    Matrices<T> const a(solvable_pattern(random, rows, 0.2, false), 9, Arranged::rows);
    GemmMatrices<T> const b(9, rows, 1, Arranged::rows);
    for (std::int64_t n = 0; n < 9; ++n) put_dominant(a, n, random, false, 2.5);
    a.upload();
    b.randomise(random);
    run(richardson(relative(usual_tolerance<T>, 200), 0.9), jacobi(), a.csr(), a.full, b,
        Arranged::rows, random, "csr");
  }
}

template <class T>
struct SecondDifference {
  int rows;
  template <class Lanes, class X, class Y>
  KOKKOS_FUNCTION void operator()(Lanes const& lanes, std::int64_t item, X const& x,
                                  Y const& y) const {
    lanes.for_each(rows, [&](int i) {
      T sum = T(3 + item % 5) * x(i);
      if (i > 0) sum -= x(i - 1);
      if (i + 1 < rows) sum -= x(i + 1);
      y(i) = sum;
    });
  }
};

TYPED_TEST(Solve, MatrixFreeAndIdentity) {
  using T = TypeParam;
  Random random(4);
  for (int rows : {1, 6, 40, 300, 2048})
    for (auto how : {Arranged::rows, Arranged::planes}) {
      SCOPED_TRACE(std::to_string(rows) + " rows");
      std::int64_t const items = rows > 1000 ? 2 : 11;
      Matrices<T> const a(tridiagonal(rows), items, how);
      for (std::int64_t n = 0; n < items; ++n)
        for (int i = 0; i < rows; ++i)
          for (int j = std::max(i - 1, 0); j <= std::min(i + 1, rows - 1); ++j)
            a.full.at(n, i, j) = i == j ? T(3 + n % 5) : T(-1);
      GemmMatrices<T> const b(items, rows, 1, how);
      b.randomise(random);
      auto const A = matrix_free(rows, SecondDifference<T>{rows});
      auto const stop = relative(usual_tolerance<T>, 300);
      run(conjugate_gradients(stop), no_preconditioner(), A, a.full, b, how, random, "functor");
      run(bicgstab(stop), no_preconditioner(), A, a.full, b, how, random, "functor");
      a.full.fill(T(0));
      for (std::int64_t n = 0; n < items; ++n)
        for (int i = 0; i < rows; ++i) a.full.at(n, i, i) = T(3);
      run(bicgstab(stop), jacobi(), identity<T>(rows, T(3)), a.full, b, how, random, "identity");
    }
}

/// Large systems of few entries: beyond the registers of a variant they are read where they are.
TYPED_TEST(Solve, ManyRows) {
  using T = TypeParam;
  Random random(5);
  for (int rows : {511, 512, 513, 1000, 2048}) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    Matrices<T> const a(tridiagonal(rows), 3, Arranged::rows);
    GemmMatrices<T> const b(3, rows, 1, Arranged::rows);
    for (std::int64_t n = 0; n < 3; ++n) {
      int entry = 0;
      for (int i = 0; i < rows; ++i)
        for (int j = std::max(i - 1, 0); j <= std::min(i + 1, rows - 1); ++j) {
          T const v = i == j ? T(4) : T(random());
          a.values.at(n, entry++, 0) = v;
          a.full.at(n, i, j) = v;
        }
    }
    a.values.upload();
    b.randomise(random);
    run(bicgstab(relative(usual_tolerance<T>, 200)), jacobi(), a.csr(), a.full, b, Arranged::rows,
        random, "csr");
  }
}

/// Rows with more entries than a variant holds.
TYPED_TEST(Solve, UnevenRows) {
  using T = TypeParam;
  Random random(6);
  for (int rows : {30, 100, 140}) {
    auto p = tridiagonal(rows);
    // An arrow: the first row and column are full.
    p.columns[0].clear();
    for (int j = 0; j < rows; ++j) p.columns[0].push_back(j);
    for (int i = 2; i < rows; ++i)
      p.columns[std::size_t(i)].insert(p.columns[std::size_t(i)].begin(), 0);
    p.columns[2].erase(p.columns[2].begin() + 1, p.columns[2].begin() + 1);
    for (auto& row : p.columns) {
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
    }
    Matrices<T> const a(p, 7, Arranged::rows);
    GemmMatrices<T> const b(7, rows, 1, Arranged::rows);
    for (std::int64_t n = 0; n < 7; ++n) put_dominant(a, n, random, false);
    a.upload();
    b.randomise(random);
    auto const solver = bicgstab(relative(usual_tolerance<T>, 200));
    run(solver, jacobi(), a.csr(), a.full, b, Arranged::rows, random, "csr");
    run(solver, jacobi(), a.ell(), a.full, b, Arranged::rows, random, "ell");
  }
}

TYPED_TEST(Solve, Batches) {
  using T = TypeParam;
  Random random(7);
  for (std::int64_t items : {0, 1, 7, 31, 32, 33, 65537}) {
    SCOPED_TRACE(std::to_string(items) + " items");
    Matrices<T> const a(tridiagonal(3), items, Arranged::rows);
    GemmMatrices<T> const b(items, 3, 1, Arranged::rows);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
    a.upload();
    b.randomise(random);
    run(bicgstab(relative(usual_tolerance<T>, 50)), jacobi(), a.csr(), a.full, b, Arranged::rows,
        random, "csr");
  }
}

/// Another run gives the same bits; so does one without a log, and the items of a batch do not depend on each other.
TYPED_TEST(Solve, SameBitsAgain) {
  using T = TypeParam;
  Random random(8);
  for (int rows : {7, 22, 40, 130}) {
    std::int64_t const items = 19;
    Matrices<T> const a(solvable_pattern(random, rows, 0.4, false), items, Arranged::rows);
    GemmMatrices<T> const b(items, rows, 1, Arranged::rows);
    // Iterations differ from item to item.
    for (std::int64_t n = 0; n < items; ++n)
      put_dominant(a, n, random, false, n % 3 == 0 ? 20 : 1.1);
    a.upload();
    b.randomise(random);
    GemmMatrices<T> const x(items, rows, 1, Arranged::rows), y(items, rows, 1, Arranged::rows),
        z(1, rows, 1, Arranged::rows);
    auto const solver = bicgstab(relative(usual_tolerance<T>, 200));
    auto const log = SolveLog<T>::allocated(items);
    x.fill(T(0));
    y.fill(T(0));
    solve(solver, jacobi(), a.csr(), vectors(b), vectors(x), log);
    solve(Space(), solver, jacobi(), a.csr(), vectors(b), vectors(y));
    x.download();
    y.download();
    HostLog<T> const said(log);
    int least = 1000, most = 0;
    for (std::int64_t n = 0; n < items; ++n) {
      least = std::min(least, said.iterations(n));
      most = std::max(most, said.iterations(n));
      for (int i = 0; i < rows; ++i) ASSERT_EQ(x.at(n, i, 0), y.at(n, i, 0));
    }
    EXPECT_LT(least, most);
    // The item alone, in a batch of one.
    for (std::int64_t n : {std::int64_t(0), items / 2, items - 1}) {
      Matrices<T> const one(a.pattern, 1, Arranged::rows);
      GemmMatrices<T> const c(1, rows, 1, Arranged::rows);
      for (int i = 0; i < rows; ++i) {
        for (int k = 0; k < int(a.pattern.columns[std::size_t(i)].size()); ++k)
          one.put(0, i, k, a.full.at(n, i, a.pattern.columns[std::size_t(i)][std::size_t(k)]));
        c.at(0, i, 0) = b.at(n, i, 0);
      }
      one.upload();
      c.upload();
      z.fill(T(0));
      solve(solver, jacobi(), one.csr(), vectors(c), vectors(z));
      z.download();
      for (int i = 0; i < rows; ++i) ASSERT_EQ(z.at(0, i, 0), x.at(n, i, 0)) << n << ' ' << i;
    }
  }
}

/// Badly scaled matrices of combustion, of which the recurrence alone would claim too much.
TEST(SolveFlame, MeetsTheTrueResidual) {
#if defined(BATCHWORK_DRM19_DIR)
  auto const s = read_systems(BATCHWORK_DRM19_DIR);
  auto const there = s.template in<Space::memory_space>();
  int const items = int(s.items()), rows = int(s.rows());
  GemmMatrices<double> const full(items, rows, rows, Arranged::rows),
      b(items, rows, 1, Arranged::rows), x(items, rows, 1, Arranged::rows);
  full.fill(0);
  for (int n = 0; n < items; ++n)
    for (int i = 0; i < rows; ++i)
      for (auto k = s.row_offsets(std::size_t(i)); k < s.row_offsets(std::size_t(i) + 1); ++k)
        full.at(n, i, s.columns(std::size_t(k))) = s.values(std::size_t(n), std::size_t(k));
  b.fill(1);
  for (double tolerance : {1e-6, 1e-12}) {
    x.fill(0);
    auto const log = SolveLog<double>::allocated(items);
    solve(bicgstab(relative(tolerance, 500)), jacobi(), there.csr(), vectors(b), vectors(x), log);
    x.download();
    HostLog<double> const said(log);
    int met = 0;
    for (int n = 0; n < items; ++n) {
      bool const success = said.reason(n) == Reason::success;
      met += success;
      auto const t = residual_truth(full, n, x, b);
      expect_honest(said, n, t, tolerance);
      if (!success) {
        ASSERT_TRUE(said.reason(n) == Reason::stagnated ||
                    said.reason(n) == Reason::iteration_limit ||
                    said.reason(n) == Reason::breakdown);
        ASSERT_GT(said.residual(n), tolerance * double(t.right_side) * (1 - 1e-12));
      }
    }
    if (tolerance == 1e-6) {
      EXPECT_EQ(met, items);
    }
  }
#else
  GTEST_SKIP() << "the matrices are not there; configure with Batchwork_DRM19_DIR";
#endif
}

}  // namespace
}  // namespace Batchwork::Test
