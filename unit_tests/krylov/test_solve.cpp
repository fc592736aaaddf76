// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve: sizes of systems and batches, bitwise repeatable results, real matrices.
#include "krylov/SolveCase.hpp"
#if defined(BATCHWORK_DRM19_DIR)
#include "krylov/formats/Batchwork_ReadSystems.hpp"
#endif

namespace Batchwork::Test {
namespace {

template <class T>
struct Solve : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Solve, Numbers);

TYPED_TEST(Solve, ManyRows) {
  using T = TypeParam;
  Random random(5);
  for (int rows : {511, 512, 513, 1000, 2048}) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    Matrices<T> const a(tridiagonal(rows), 3, Arranged::item_contiguous);
    ArrangedBatch<T> const b(3, rows, 1, Arranged::item_contiguous);
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
    run_solve(bicgstab(relative(usual_tolerance<T>, 200)), jacobi(), a.csr(), a.full, b,
              Arranged::item_contiguous, random, "csr");
  }
}

TYPED_TEST(Solve, UnevenRows) {
  using T = TypeParam;
  Random random(6);
  for (int rows : {30, 100, 140}) {
    auto p = tridiagonal(rows);
    // An arrow matrix: the first row and column are full.
    p.columns[0].clear();
    for (int j = 0; j < rows; ++j) p.columns[0].push_back(j);
    for (int i = 2; i < rows; ++i)
      p.columns[std::size_t(i)].insert(p.columns[std::size_t(i)].begin(), 0);
    p.columns[2].erase(p.columns[2].begin() + 1, p.columns[2].begin() + 1);
    for (auto& row : p.columns) {
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
    }
    Matrices<T> const a(p, 7, Arranged::item_contiguous);
    ArrangedBatch<T> const b(7, rows, 1, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < 7; ++n) put_dominant(a, n, random, false);
    a.upload();
    b.randomise(random);
    auto const solver = bicgstab(relative(usual_tolerance<T>, 200));
    run_solve(solver, jacobi(), a.csr(), a.full, b, Arranged::item_contiguous, random, "csr");
    run_solve(solver, jacobi(), a.ell(), a.full, b, Arranged::item_contiguous, random, "ell");
  }
}

TYPED_TEST(Solve, Batches) {
  using T = TypeParam;
  Random random(7);
  for (int items : {0, 1, 7, 31, 32, 33, beyond_a_grid}) {
    SCOPED_TRACE(std::to_string(items) + " items");
    Matrices<T> const a(tridiagonal(3), items, Arranged::item_contiguous);
    ArrangedBatch<T> const b(items, 3, 1, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
    a.upload();
    b.randomise(random);
    run_solve(bicgstab(relative(usual_tolerance<T>, 50)), jacobi(), a.csr(), a.full, b,
              Arranged::item_contiguous, random, "csr");
  }
}

/// Full systems that hosts solve one after the other, because a pack of them does not fit into
/// caches.
TYPED_TEST(Solve, LargeMatrices) {
  using T = TypeParam;
  Random random(9);
  std::int64_t const most = 8 * 1024 * 1024 / Impl::native_width<T> / std::int64_t(sizeof(T));
  EXPECT_TRUE(Impl::solves_by_packs<T>(most));
  EXPECT_FALSE(Impl::solves_by_packs<T>(most + 1));
  std::int64_t const items = 3;
  int rows = 1;
  while (Impl::solves_by_packs<T>(std::int64_t(rows) * rows)) ++rows;
  Matrices<T> const a(full_pattern(rows), items, Arranged::item_contiguous);
  for (std::int64_t n = 0; n < items; ++n)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < rows; ++j)
        a.values.at(n, i * rows + j, 0) = a.full.at(n, i, j) = i == j ? T(rows) : T(random());
  a.values.upload();
  a.full.upload();
  ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous);
  b.randomise(random);
  auto const solver = bicgstab(relative(usual_tolerance<T>, 50));
  run_solve(solver, jacobi(), a.csr(), a.full, b, Arranged::item_contiguous, random, "csr");
  run_solve(solver, jacobi(), a.dense(), a.full, b, Arranged::item_contiguous, random, "dense");
}

/// All numbers of rows that lanes or vectors of hosts divide in different ways.
TYPED_TEST(Solve, EveryExtent) {
  using T = TypeParam;
  Random random(10);
  std::int64_t const items = 5;
  for (int rows = 1; rows <= 33; ++rows) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    for (double share : {0.1, 0.9}) {
      Matrices<T> const a(solvable_pattern(random, rows, share, false), items,
                          Arranged::item_contiguous);
      ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous);
      for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
      a.upload();
      b.randomise(random);
      auto const solver = bicgstab(relative(usual_tolerance<T>, 200));
      run_solve(solver, jacobi(), a.csr(), a.full, b, Arranged::item_contiguous, random, "csr");
      run_solve(solver, jacobi(), a.ell(), a.full, b, Arranged::item_contiguous, random, "ell");
    }
  }
}

TYPED_TEST(Solve, SameBitsAgain) {
  using T = TypeParam;
  Random random(8);
  for (int rows : {7, 22, 40, 130}) {
    std::int64_t const items = 19;
    Matrices<T> const a(solvable_pattern(random, rows, 0.4, false), items,
                        Arranged::item_contiguous);
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous);
    // The number of iterations differs between items.
    for (std::int64_t n = 0; n < items; ++n)
      put_dominant(a, n, random, false, n % 3 == 0 ? 20 : 1.1);
    a.upload();
    b.randomise(random);
    ArrangedBatch<T> const x(items, rows, 1, Arranged::item_contiguous),
        y(items, rows, 1, Arranged::item_contiguous), z(1, rows, 1, Arranged::item_contiguous);
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
      SingleItem<T> const one(a, b, n);
      z.fill(T(0));
      solve(solver, jacobi(), one.a.csr(), vectors(one.b), vectors(z));
      z.download();
      for (int i = 0; i < rows; ++i) ASSERT_EQ(z.at(0, i, 0), x.at(n, i, 0)) << n << ' ' << i;
    }
  }
}

TEST(SolveFlame, MeetsTheTrueResidual) {
#if defined(BATCHWORK_DRM19_DIR)
  auto const s = read_systems(BATCHWORK_DRM19_DIR);
  auto const there = s.template in<Space::memory_space>();
  int const items = int(s.items()), rows = int(s.rows());
  ArrangedBatch<double> const full(items, rows, rows, Arranged::item_contiguous),
      b(items, rows, 1, Arranged::item_contiguous), x(items, rows, 1, Arranged::item_contiguous);
  full.fill(0);
  for (int n = 0; n < items; ++n)
    for (int i = 0; i < rows; ++i)
      for (auto k = s.row_offsets(std::size_t(i)); k < s.row_offsets(std::size_t(i) + 1); ++k)
        full.at(n, i, s.columns(std::size_t(k))) = s.values(std::size_t(n), std::size_t(k));
  b.fill(1);
  // How many items meet the tolerance, and how many meet it only according to the recurrence.
  auto const solved = [&](double tolerance, auto const& m, int restarts = 3) {
    auto stop = relative(tolerance, 500);
    stop.most_restarts = restarts;
    x.fill(0);
    auto const log = SolveLog<double>::allocated(items);
    solve(bicgstab(stop), m, there.csr(), vectors(b), vectors(x), log);
    x.download();
    HostLog<double> const said(log);
    std::pair<int, int> met(0, 0);
    for (int n = 0; n < items; ++n) {
      auto const t = residual_truth(full, n, x, b);
      expect_honest(said, n, t, tolerance);
      if (said.reason(n) == Reason::success) {
        ++met.first;
        continue;
      }
      EXPECT_TRUE(said.reason(n) == Reason::stagnated ||
                  said.reason(n) == Reason::iteration_limit || said.reason(n) == Reason::breakdown);
      EXPECT_GT(said.residual(n), tolerance * double(t.right_side) * (1 - 1e-12));
      if (said.reason(n) == Reason::stagnated) {
        EXPECT_LE(said.recurrence(n), tolerance * double(t.right_side) * (1 + 1e-12));
        ++met.second;
      }
    }
    return met;
  };
  EXPECT_EQ(solved(1e-6, jacobi()).first, items);
  // For most items rounding prevents this, even if the recurrence says otherwise.
  EXPECT_GT(solved(1e-12, jacobi()).second, 0);
  // Without a preconditioner the recurrence is wrong for some items at a usual tolerance. A restart
  // corrects it.
  auto const once = solved(1e-6, no_preconditioner(), 0);
  EXPECT_GT(once.second, 0);
  EXPECT_LT(once.first, items);
  EXPECT_EQ(solved(1e-6, no_preconditioner()).first, items);
#else
  GTEST_SKIP() << "the matrices are not there; configure with Batchwork_DRM19_DIR";
#endif
}

}  // namespace
}  // namespace Batchwork::Test
