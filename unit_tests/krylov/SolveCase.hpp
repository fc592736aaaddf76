// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Systems for which solvers converge, the results of solve, and error bounds in long double.
#ifndef BATCHWORK_TEST_SOLVE_CASE_HPP
#define BATCHWORK_TEST_SOLVE_CASE_HPP

#include <cstring>
#include <limits>

#include "krylov/Batchwork_Solve.hpp"
#include "krylov/SystemsCase.hpp"
#include "support/FencedWorkspace.hpp"

namespace Batchwork::Test {

/// A pattern with its whole diagonal, and a symmetric one if requested.
inline Pattern solvable_pattern(Random& random, int rows, double share, bool symmetric) {
  auto const n = static_cast<std::size_t>(rows);
  std::vector<std::vector<bool>> there(n, std::vector<bool>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i == j || random(0, 1) < share) {
        there[i][j] = true;
        if (symmetric) there[j][i] = true;
      }
  Pattern p{rows, {}};
  for (int i = 0; i < rows; ++i) {
    std::vector<int> row;
    for (int j = 0; j < rows; ++j)
      if (there[std::size_t(i)][std::size_t(j)]) row.push_back(j);
    p.columns.push_back(row);
  }
  return p;
}

/// Off-diagonal numbers in [-1, 1], mirrored if symmetric, and diagonals `dominance` times as large
/// as the sum of their row.
template <class T>
void put_dominant(Matrices<T> const& a, std::int64_t n, Random& random, bool symmetric,
                  double dominance = 1.3) {
  for (int i = 0; i < a.pattern.rows; ++i) {
    auto const& row = a.pattern.columns[std::size_t(i)];
    double sum = 1;
    int diagonal = -1;
    for (int k = 0; k < int(row.size()); ++k) {
      int const j = row[std::size_t(k)];
      if (j == i) {
        diagonal = k;
        continue;
      }
      T const x = symmetric && j < i ? a.full.at(n, j, i) : T(random());
      a.put(n, i, k, x);
      sum += std::fabs(double(x));
    }
    a.put(n, i, diagonal, T(dominance * sum));
  }
}

/// A copy of a log on the host, also if the log is there: later solves do not change it.
template <class T>
struct HostLog {
  using Log = SolveLog<T, Space::memory_space>;
  template <class View>
  static auto on_host(View const& view) {
    auto const copy = Kokkos::create_mirror(view);
    Kokkos::deep_copy(copy, view);
    return copy;
  }
  template <class View>
  using Mirror = decltype(on_host(std::declval<View const&>()));
  struct {
    Mirror<decltype(Log::iterations)> iterations;
    Mirror<decltype(Log::recurrence)> recurrence;
    Mirror<decltype(Log::residual)> residual;
    Mirror<decltype(Log::reason)> reason;
    Mirror<decltype(Log::history)> history;
  } log;
  explicit HostLog(Log const& from)
      : log{on_host(from.iterations), on_host(from.recurrence), on_host(from.residual),
            on_host(from.reason), on_host(from.history)} {}
  Reason reason(std::int64_t n) const { return Status::reason(log.reason(std::size_t(n))); }
  int info(std::int64_t n) const { return Status::info(log.reason(std::size_t(n))); }
  int iterations(std::int64_t n) const { return log.iterations(std::size_t(n)); }
  T residual(std::int64_t n) const { return log.residual(std::size_t(n)); }
  T recurrence(std::int64_t n) const { return log.recurrence(std::size_t(n)); }
};

/// |b - A x|, and a bound of the rounding errors of the products and of the sum of their squares.
struct ResidualTruth {
  long double norm = 0, rounding = 0, right_side = 0;
};
template <class T>
ResidualTruth residual_truth(ArrangedBatch<T> const& full, std::int64_t n,
                             ArrangedBatch<T> const& x, ArrangedBatch<T> const& b) {
  ResidualTruth t;
  for (int i = 0; i < full.rows; ++i) {
    Truth row = row_truth(full, n, i, x, -1);
    row.add(b.at(n, i, 0));
    t.norm += row.value * row.value;
    long double const e = (full.rows + 3) * epsilon<T> * row.size;
    t.rounding += e * e;
    t.right_side += static_cast<long double>(b.at(n, i, 0)) * b.at(n, i, 0);
  }
  t.norm = std::sqrt(t.norm);
  t.rounding = std::sqrt(t.rounding);
  t.right_side = std::sqrt(t.right_side);
  return t;
}

/// The log of an item must contain its true residual. If it reports success, the residual must meet
/// the tolerance relative to b.
template <class T>
void expect_honest(HostLog<T> const& log, std::int64_t n, ResidualTruth const& t,
                   double tolerance) {
  long double const slack = t.rounding + (2 * 40 + 3) * epsilon<T> * t.norm;
  ASSERT_GE(double(log.residual(n)), double(t.norm - slack)) << "item " << n;
  // For converged items it is a bound, which includes the partial sums of the lanes of a pack.
  bool const converged = log.reason(n) == Reason::success;
  ASSERT_LE(double(log.residual(n)), double(t.norm + (converged ? 8 : 1) * slack)) << "item " << n;
  if (converged) {
    ASSERT_LE(t.norm, tolerance * t.right_side * (1 + 100 * epsilon<T>)+slack) << "item " << n;
  }
}

template <class T>
inline constexpr double usual_tolerance = sizeof(T) == 4 ? 1e-4 : 1e-10;

/// A call of solve and its outputs, with x on the host.
struct PlainSolve {
  template <class T, class Solver, class M, class A>
  HostLog<T> operator()(Solver const& solver, M const& m, A const& a, ArrangedBatch<T> const& b,
                        ArrangedBatch<T> const& x, SolveLog<T> const& log) const {
    solve(solver, m, a, vectors(b), vectors(x), log);
    x.download();
    return HostLog<T>(log);
  }
};

/// solve with this division, and with the workspace that it needs.
struct Divided {
  WorkDivision how;
  template <class T, class Solver, class M, class A>
  HostLog<T> operator()(Solver const& solver, M const& m, A const& a, ArrangedBatch<T> const& b,
                        ArrangedBatch<T> const& x, SolveLog<T> const& log) const {
    FencedWorkspace<T> const memory(workspace_numbers(Space(), how, solver, m, a, x.items));
    solve(how, solver, m, a, vectors(b), vectors(x), log, memory());
    x.download();
    EXPECT_TRUE(memory.fenced());
    return HostLog<T>(log);
  }
};

/// Solves with such a call and checks every item. All of them must converge.
template <class T, class Solver, class M, class A, class Call = PlainSolve>
void run_solve(Solver const& solver, M const& m, A const& a, ArrangedBatch<T> const& full,
               ArrangedBatch<T> const& b, Arranged how, Random& random, char const* what,
               Call const& call = {}) {
  SCOPED_TRACE(what);
  std::int64_t const items = full.items;
  ArrangedBatch<T> const x(items, full.rows, 1, how);
  x.randomise(random);
  auto const outside = x.poisoned();
  HostLog<T> const said = call(solver, m, a, b, x, SolveLog<T>::allocated(items));
  EXPECT_EQ(x.poisoned(), outside);
  for (std::int64_t n = 0; n < items; ++n) {
    ASSERT_EQ(said.reason(n), Reason::success)
        << "item " << n << ": " << to_string(said.reason(n)) << ", info " << said.info(n) << ", "
        << said.iterations(n) << " iterations, " << said.residual(n);
    expect_honest(said, n, residual_truth(full, n, x, b), solver.stop.tolerance);
    ASSERT_GT(said.iterations(n), 0);
    ASSERT_LE(said.iterations(n), solver.stop.most_iterations);
  }
}

/// Every way to store a system: rows and densities for all variants.
struct Size {
  int rows;
  double share;
};
inline constexpr Size system_sizes[] = {
    {1, 0},     {2, 1},     {3, 0.3},    {5, 1},     {8, 1},      {9, 0.2}, {16, 0.1},
    {22, 0.9},  {24, 1},    {25, 0.5},   {33, 0.9},  {54, 0.8},   {56, 1},  {57, 0.5},
    {64, 0.03}, {65, 0.08}, {128, 0.01}, {144, 0.3}, {200, 0.005}};

/// 3 x 3 matrices by rows: the matrices of ordinary items, and the matrix of a planted one.
struct Three {
  double a[9];
  double b[3];
};
inline constexpr Three ordinary{{4, 1, 0.5, 1, 5, 1, 0.5, 1, 6}, {1, -2, 0.5}};

/// Solves a batch with a planted item, and compares the other items with a batch without it.
template <class T, class Solver, class Call = PlainSolve, class M = NoPreconditioner>
void plant(Three const& planted, Solver const& solver, Reason reason, int info,
           Call const& call = {}, M const& m = {}) {
  std::int64_t const items = 21;
  ArrangedBatch<T> const full(items, 3, 3, Arranged::item_contiguous),
      b(items, 3, 1, Arranged::item_contiguous), x(items, 3, 1, Arranged::item_contiguous),
      clean(items, 3, 1, Arranged::item_contiguous);
  auto const set = [&](std::int64_t n, Three const& to) {
    for (int i = 0; i < 3; ++i) {
      b.at(n, i, 0) = T(to.b[i]);
      for (int j = 0; j < 3; ++j) full.at(n, i, j) = T(to.a[3 * i + j]);
    }
  };
  for (std::int64_t n = 0; n < items; ++n) set(n, ordinary);
  full.upload();
  b.upload();
  clean.fill(T(0));
  auto const A = dense(full.batch());
  auto const log = SolveLog<T>::allocated(items);
  HostLog<T> const before = call(solver, m, A, b, clean, log);
  for (std::int64_t at : {std::int64_t(0), items / 2, items - 1}) {
    SCOPED_TRACE(at);
    for (std::int64_t n = 0; n < items; ++n) set(n, n == at ? planted : ordinary);
    full.upload();
    b.upload();
    x.fill(T(0));
    HostLog<T> const said = call(solver, m, A, b, x, log);
    for (std::int64_t n = 0; n < items; ++n) {
      if (n == at) {
        EXPECT_EQ(said.reason(n), reason) << to_string(said.reason(n));
        EXPECT_EQ(said.info(n), info);
      } else {
        EXPECT_EQ(said.reason(n), before.reason(n));
        EXPECT_EQ(said.iterations(n), before.iterations(n));
        for (int i = 0; i < 3; ++i) ASSERT_EQ(x.at(n, i, 0), clean.at(n, i, 0));
      }
    }
    if (reason != Reason::not_finite)
      expect_honest(said, at, residual_truth(full, at, x, b), solver.stop.tolerance);
  }
}

/// Item n of a batch, as a batch of one.
template <class T>
struct SingleItem {
  Matrices<T> a;
  ArrangedBatch<T> b;

  SingleItem(Matrices<T> const& of, ArrangedBatch<T> const& sides, std::int64_t n)
      : a(of.pattern, 1, Arranged::item_contiguous),
        b(1, of.pattern.rows, 1, Arranged::item_contiguous) {
    for (int i = 0; i < of.pattern.rows; ++i) {
      auto const& columns = of.pattern.columns[std::size_t(i)];
      for (int k = 0; k < int(columns.size()); ++k)
        a.put(0, i, k, of.full.at(n, i, columns[std::size_t(k)]));
      b.at(0, i, 0) = sides.at(n, i, 0);
    }
    a.upload();
    b.upload();
  }
};

/// Full systems as in flames: the last row, for the temperature, is larger by a factor; b = 1.
/// Relative to b that row needs more digits than the others.
template <class T>
struct LargeLastRow {
  Random random{7};
  Matrices<T> a;
  ArrangedBatch<T> b, x;

  LargeLastRow(std::int64_t items, int rows, T factor)
      : a(solvable_pattern(random, rows, 1, false), items, Arranged::item_contiguous),
        b(items, rows, 1, Arranged::item_contiguous),
        x(items, rows, 1, Arranged::item_contiguous) {
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i) {
        auto const& columns = a.pattern.columns[std::size_t(i)];
        for (int k = 0; k < int(columns.size()); ++k) {
          T v = T(random());
          if (columns[std::size_t(k)] == i) v = T(v > 0 ? 10 : -10) * (1 + std::abs(v));
          a.put(n, i, k, i + 1 == rows ? factor * v : v);
        }
      }
    a.upload();
    b.fill(T(1));
    x.fill(T(0));
  }
};

/// Matrices that shift every entry by one row, and b = 2 e_1. GMRES does not reduce the residual
/// until it has all directions.
template <class T>
struct CyclicShift {
  ArrangedBatch<T> full, b, x;

  CyclicShift(std::int64_t items, int rows)
      : full(items, rows, rows, Arranged::item_contiguous),
        b(items, rows, 1, Arranged::item_contiguous),
        x(items, rows, 1, Arranged::item_contiguous) {
    full.fill(T(0));
    b.fill(T(0));
    for (std::int64_t n = 0; n < items; ++n) {
      b.at(n, 0, 0) = T(2);
      for (int i = 0; i < rows; ++i) full.at(n, (i + 1) % rows, i) = T(1);
    }
    full.upload();
    b.upload();
  }
};

/// Very different items in one batch. Each must have the same bits as in a batch of one: x, log and
/// history. get(matrices) returns the operand A for Matrices<T>.
template <class T, class Solver, class M, class Get>
void expect_as_alone(Solver const& solver, M const& m, Get const& get, Random& random) {
  enum Kind {
    zero_start,
    random_start,
    far_start,
    no_b,
    nan_b,
    nan_a,
    negated_a,
    infinite_start,
    quick,
    kinds
  };
  for (int rows : {3, 13, 40}) {
    std::int64_t const items = 29;
    SCOPED_TRACE(std::to_string(rows) + " rows");
    Matrices<T> const a(solvable_pattern(random, rows, 0.3, true), items,
                        Arranged::item_contiguous);
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
        start(items, rows, 1, Arranged::item_contiguous),
        x(items, rows, 1, Arranged::item_contiguous), alone(1, rows, 1, Arranged::item_contiguous);
    b.randomise(random);
    start.fill(T(0));
    auto const infinite = std::numeric_limits<T>::infinity();
    for (std::int64_t n = 0; n < items; ++n) {
      auto const kind = Kind(random.integer(0, kinds - 1));
      put_dominant(a, n, random, true, kind == quick ? 20 : 1.1);
      int const at = random.integer(0, rows - 1);
      if (kind == nan_b) b.at(n, at, 0) = std::numeric_limits<T>::quiet_NaN();
      if (kind == nan_a) a.put(n, at, 0, std::numeric_limits<T>::quiet_NaN());
      for (int i = 0; i < rows; ++i) {
        if (kind == random_start || kind == quick) start.at(n, i, 0) = T(random());
        if (kind == far_start) start.at(n, i, 0) = T(1000 * random());
        if (kind == infinite_start) start.at(n, i, 0) = infinite;
        if (kind == no_b) b.at(n, i, 0) = T(0);
        if (kind == negated_a)
          for (int k = 0; k < int(a.pattern.columns[std::size_t(i)].size()); ++k) {
            int const j = a.pattern.columns[std::size_t(i)][std::size_t(k)];
            a.put(n, i, k, -a.full.at(n, i, j));
          }
      }
    }
    a.upload();
    b.upload();
    int const length = solver.stop.most_iterations;
    auto const solved = [&](auto const& A, auto const& side, auto const& from, auto const& to,
                            std::int64_t first) {
      for (std::int64_t n = 0; n < to.items; ++n)
        for (int i = 0; i < rows; ++i) to.at(n, i, 0) = from.at(first + n, i, 0);
      to.upload();
      auto log = SolveLog<T>::allocated(to.items);
      log.history = Kokkos::View<T**, Space::memory_space>("history", std::size_t(to.items),
                                                           std::size_t(length));
      Kokkos::deep_copy(log.history, poison<T>());
      solve(solver, m, A, vectors(side), vectors(to), log);
      to.download();
      return HostLog<T>(log);
    };
    auto const together = solved(get(a), b, start, x, 0);
    auto const same = [](T one, T other) { return std::memcmp(&one, &other, sizeof(T)) == 0; };
    for (std::int64_t n = 0; n < items; ++n) {
      SingleItem<T> const one(a, b, n);
      auto const by_itself = solved(get(one.a), one.b, start, alone, n);
      ASSERT_EQ(together.reason(n), by_itself.reason(0)) << n;
      ASSERT_EQ(together.info(n), by_itself.info(0)) << n;
      ASSERT_EQ(together.iterations(n), by_itself.iterations(0)) << n;
      ASSERT_TRUE(same(together.residual(n), by_itself.residual(0))) << n;
      ASSERT_TRUE(same(together.recurrence(n), by_itself.recurrence(0))) << n;
      for (int i = 0; i < rows; ++i)
        ASSERT_TRUE(same(x.at(n, i, 0), alone.at(0, i, 0))) << "item " << n << ", row " << i;
      for (std::size_t k = 0; k < std::size_t(length); ++k)
        ASSERT_TRUE(same(together.log.history(std::size_t(n), k), by_itself.log.history(0, k)))
            << "item " << n << ", iteration " << k + 1;
    }
  }
}

/// Systems of all sizes, arrangements and formats, with and without the Jacobi preconditioner, with
/// a solver for regular matrices.
template <class T, class Solver>
void solve_every_way(Solver const& solver) {
  Random random(1);
  for (auto const& size : system_sizes)
    for (auto how : all_arranged) {
      std::int64_t const items = size.rows < 30 ? 37 : 5;
      SCOPED_TRACE(std::to_string(size.rows) + " rows, arranged " + std::to_string(int(how)));
      Matrices<T> const a(solvable_pattern(random, size.rows, size.share, false), items, how);
      ArrangedBatch<T> const b(items, size.rows, 1, how);
      for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
      a.upload();
      b.randomise(random);
      run_solve(solver, jacobi(), a.csr(), a.full, b, how, random, "csr");
      if (how == Arranged::strided) continue;
      run_solve(solver, no_preconditioner(), a.long_csr(), a.full, b, how, random,
                "csr of 64 bits");
      run_solve(solver, jacobi(), a.ell(), a.full, b, how, random, "ell");
      run_solve(solver, jacobi(), a.dense(), a.full, b, how, random, "dense");
    }
}
/// Items that are solved together must be the same as each item separately, with the solver that
/// make(criteria) returns.
template <class T, class Make>
void solve_alone_and_together(Make const& make) {
  Random random(20);
  expect_as_alone<T>(
      make(relative(usual_tolerance<T>, 60)), jacobi(), [](auto const& a) { return a.csr(); },
      random);
  expect_as_alone<T>(
      make(relative_to_start(usual_tolerance<T>, 60)), no_preconditioner(),
      [](auto const& a) { return a.long_csr(); }, random);
  expect_as_alone<T>(
      make(absolute(0, 25)), jacobi(), [](auto const& a) { return a.dense(); }, random);
}

}  // namespace Batchwork::Test

#endif
