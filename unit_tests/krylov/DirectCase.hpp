// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Systems for direct_lu, some badly scaled and some without a solution, and checks of the results.
/// Tests run the verb, or device kernels on threads of a host.
#ifndef BATCHWORK_TEST_DIRECT_CASE_HPP
#define BATCHWORK_TEST_DIRECT_CASE_HPP

#include <cmath>
#include <cstring>
#include <limits>

#include "krylov/Batchwork_DirectLu.hpp"
#include "krylov/DiaCase.hpp"
#include "krylov/SolveCase.hpp"
#include "krylov/formats/Batchwork_AnyMatrices.hpp"
#include "support/FencedWorkspace.hpp"

namespace Batchwork::Test {

enum class DirectKind { general, dominant, zero_diagonal, graded, far, singular, not_a_number };
inline bool is_solvable(DirectKind k) {
  return k != DirectKind::singular && k != DirectKind::not_a_number;
}
/// The kinds of items in a batch. Items without a solution are first, in the middle, and last.
inline DirectKind direct_kind(std::int64_t n, std::int64_t items) {
  if (items > 2 && n == 0) return DirectKind::singular;
  if (items > 4 && n == items / 2) return DirectKind::not_a_number;
  if (items > 6 && n == items - 1) return DirectKind::singular;
  return DirectKind(n % 5);
}
/// The column of zeros in a singular matrix.
inline int zero_column(std::int64_t n, int rows) { return int((n + rows / 2) % rows); }

/// Rows that contain most columns; all columns if a matrix with few of them could be singular.
inline Pattern direct_pattern(Random& random, int rows) {
  return rows < 12 ? full_pattern(rows) : solvable_pattern(random, rows, 0.75, false);
}

/// Powers of two that multiply a row or column, for each kind.
template <class T>
int far_power(DirectKind kind, int k, int rows, bool is_row) {
  int const most = sizeof(T) == 8 ? 490 : 55;
  if (kind == DirectKind::far) return (k * 7 + (is_row ? 0 : 3)) % 11 * most / 5 - most;
  if (kind == DirectKind::graded) return (is_row ? -1 : 1) * most * k / (2 * rows);
  return 0;
}

template <class T>
void put_direct(Matrices<T> const& a, ArrangedBatch<T> const& b, std::int64_t n, DirectKind kind,
                Random& random) {
  int const rows = a.pattern.rows;
  for (int i = 0; i < rows; ++i) {
    auto const& row = a.pattern.columns[std::size_t(i)];
    int const left = far_power<T>(kind, i, rows, true);
    for (int k = 0; k < int(row.size()); ++k) {
      int const j = row[std::size_t(k)];
      double x = random() + (random() > 0 ? 0.25 : -0.25);
      if (i == j && kind == DirectKind::dominant) x = rows * (x > 0 ? 1 : -1);
      if (i == j && kind == DirectKind::zero_diagonal && rows > 1) x = 0;
      if (kind == DirectKind::singular && j == zero_column(n, rows)) x = 0;
      if (kind == DirectKind::not_a_number && i == rows / 2 && k == int(row.size()) / 2)
        x = std::numeric_limits<double>::quiet_NaN();
      a.put(n, i, k, T(std::ldexp(x, left + far_power<T>(kind, j, rows, false))));
    }
    for (int c = 0; c < b.cols; ++c) b.at(n, i, c) = T(std::ldexp(random() + 1.5, left));
  }
}

/// The same in compact groups, or in other Views: b and x of a case.
template <class T>
struct DirectBatch {
  Matrices<T> a;
  ArrangedBatch<T> b, x;
  SolveLog<T> log;

  DirectBatch(Pattern const& pattern, int columns, std::int64_t items, Arranged how)
      : a(pattern, items, how),
        b(items, pattern.rows, columns, how),
        x(items, pattern.rows, columns, how),
        log(SolveLog<T>::allocated(items)) {
    log.reciprocal_growth = Kokkos::View<T*, Space::memory_space>("growth", std::size_t(items));
    log.reciprocal_condition =
        Kokkos::View<T*, Space::memory_space>("condition", std::size_t(items));
  }
};

/// Runs the verb, with a workspace if it needs one.
struct DirectVerb {
  template <class T, class Solver, class A>
  void operator()(Solver const& solver, A const& a, ArrangedBatch<T> const& b,
                  ArrangedBatch<T> const& x, SolveLog<T> const& log) const {
    FencedWorkspace<T> const memory(workspace_numbers(Space(), solver, a, x.items));
    if (b.cols == 1) solve(Space(), solver, a, vectors(b), vectors(x), log, memory());
    else solve(Space(), solver, a, b.batch(), x.batch(), log, memory());
    EXPECT_TRUE(memory.fenced());
  }
};

/// The same without growth and condition, which can run other kernels.
struct DirectVerbAlone {
  using without_condition = void;
  template <class T, class Solver, class A>
  void operator()(Solver const& solver, A const& a, ArrangedBatch<T> const& b,
                  ArrangedBatch<T> const& x, SolveLog<T> log) const {
    log.reciprocal_growth = {}, log.reciprocal_condition = {};
    DirectVerb()(solver, a, b, x, log);
  }
};

/// [3 2; 5 -4] x = [7; -3] with the solution [1; 2], for every item, and multiplied by n + 1 for
/// item n. x is NaN before the call. The entries are given.
struct TwoRows {
  Kokkos::View<int*, Space> offsets, columns;
  ArrangedBatch<double> values, b, x;
  SolveLog<double> log;

  TwoRows(std::vector<int> const& of_rows, std::vector<int> const& of_columns,
          std::vector<double> const& numbers, std::int64_t items, Arranged how)
      : offsets(indices_of<int>("offsets", of_rows)),
        columns(indices_of<int>("columns", of_columns)),
        values(items, int(numbers.size()), 1, how),
        b(items, 2, 1, how),
        x(items, 2, 1, how),
        log(SolveLog<double>::allocated(items)) {
    x.fill(std::numeric_limits<double>::quiet_NaN());
    for (std::int64_t n = 0; n < items; ++n) {
      double const times = double(n + 1);
      for (int k = 0; k < int(numbers.size()); ++k)
        values.at(n, k, 0) = times * numbers[std::size_t(k)];
      b.at(n, 0, 0) = 7 * times, b.at(n, 1, 0) = -3 * times;
    }
    values.upload(), b.upload(), x.upload();
  }
  auto a() const { return csr(offsets, columns, vectors(values)); }
  void expect_solution(double tolerance) const {
    x.download();
    HostLog<double> const found(log);
    for (std::int64_t n = 0; n < x.items; ++n) {
      EXPECT_EQ(found.reason(std::size_t(n)), Reason::success) << n;
      EXPECT_NEAR(x.at(n, 0, 0), 1, tolerance) << n;
      EXPECT_NEAR(x.at(n, 1, 0), 2, tolerance) << n;
    }
  }
  void expect_invalid() const {
    x.download();
    HostLog<double> const found(log);
    for (std::int64_t n = 0; n < x.items; ++n) {
      EXPECT_EQ(found.reason(std::size_t(n)), Reason::invalid_pattern) << n;
      EXPECT_TRUE(std::isnan(x.at(n, 0, 0)) && std::isnan(x.at(n, 1, 0))) << n;
    }
  }
};
/// With entries in parts: columns in any order, and some of them twice. Their numbers are added.
struct RepeatedColumns : TwoRows {
  explicit RepeatedColumns(std::int64_t items = 1, Arranged how = Arranged::item_contiguous)
      : TwoRows({0, 3, 6}, {0, 1, 0, 1, 0, 1}, {1, 2, 2, -5, 5, 1}, items, how) {}
};

/// One column of a batch, as an ArrangedBatch.
template <class T>
ArrangedBatch<T> column_of(ArrangedBatch<T> const& m, int c) {
  ArrangedBatch<T> v(m.items, m.rows, 1, Arranged::item_contiguous);
  for (std::int64_t n = 0; n < m.items; ++n)
    for (int i = 0; i < m.rows; ++i) v.at(n, i, 0) = m.at(n, i, c);
  return v;
}

/// The row and column factors of geequb in long double, and results computed with them.
template <class T>
struct Equilibrated {
  Dense a;
  std::vector<long double> l, c;

  Equilibrated(ArrangedBatch<T> const& full, std::int64_t n) : a(item(full, n)) {
    int const rows = a.rows;
    l.assign(std::size_t(rows), 1), c.assign(std::size_t(rows), 1);
    auto const power = [](long double x) {
      return x > 0 ? std::ldexp(1.0L, -std::ilogb(x)) : 1.0L;
    };
    for (int i = 0; i < rows; ++i) {
      long double most = 0;
      for (int j = 0; j < rows; ++j) most = std::max(most, std::fabs(a(i, j)));
      l[std::size_t(i)] = power(most);
      for (int j = 0; j < rows; ++j) a(i, j) *= l[std::size_t(i)];
    }
    for (int j = 0; j < rows; ++j) {
      long double most = 0;
      for (int i = 0; i < rows; ++i) most = std::max(most, std::fabs(a(i, j)));
      c[std::size_t(j)] = power(most);
      for (int i = 0; i < rows; ++i) a(i, j) *= c[std::size_t(j)];
    }
  }
};

/// Whether a call reports growth and condition.
template <class Call>
inline constexpr bool tells_condition = true;
template <class Call>
  requires requires { typename Call::without_condition; }
inline constexpr bool tells_condition<Call> = false;

/// call(solver, format, b, x, log) solves. Residuals in the equilibrated system are bounded row by
/// row, as for elimination with partial pivoting (Higham, theorem 9.5): by the largest entries of
/// the matrix and the solution and by the observed growth, which must be small.
template <class T, class Solver, class A, class Call>
void check_direct(Solver const& solver, DirectBatch<T> const& of, A const& format, Call const& call,
                  double accuracy = 1) {
  auto const& [a, b, x, log] = of;
  std::int64_t const items = a.items;
  int const rows = a.pattern.rows;
  x.fill(poison<T>());
  call(solver, format, b, x, log);
  x.download();
  HostLog<T> const host(log);
  auto const growth = HostLog<T>::on_host(log.reciprocal_growth),
             condition = HostLog<T>::on_host(log.reciprocal_condition);
  for (std::int64_t n = 0; n < items; ++n) {
    SCOPED_TRACE("item " + std::to_string(n));
    DirectKind const kind = direct_kind(n, items);
    if (!is_solvable(kind)) {
      ASSERT_EQ(host.reason(n),
                kind == DirectKind::singular ? Reason::singular : Reason::not_finite);
      if (kind == DirectKind::singular) {
        ASSERT_EQ(host.info(n), zero_column(n, rows) + 1);
      } else {
        ASSERT_GE(host.info(n), 1);
      }
      for (int i = 0; i < rows; ++i)
        for (int c = 0; c < b.cols; ++c) ASSERT_TRUE(std::isnan(x.at(n, i, c)));
      if constexpr (tells_condition<Call>) {
        ASSERT_EQ(condition(std::size_t(n)), T(0));
      }
      continue;
    }
    Equilibrated<T> const e(a.full, n);
    if constexpr (tells_condition<Call>) {
      ASSERT_GT(growth(std::size_t(n)), T(0.01));
      ASSERT_LE(growth(std::size_t(n)), T(2));
      // A lower estimate of the norm of the inverse. It is rarely too small by more than a factor
      // of 3.
      using Factor = typename Impl::FactorOf<T, Solver>::type;
      long double const known = condition_of(solver.equilibrate ? e.a : item(a.full, n)),
                        found = 1 / condition(std::size_t(n));
      if (known < 0.01L / (rows * epsilon<Factor>)) {
        ASSERT_LE(found, known * (1 + 4 * rows * epsilon<Factor> * known));
        ASSERT_GE(found, known / 10);
      }
    }
    long double worst = 0, rounding = 0;
    for (int c = 0; c < b.cols; ++c) {
      long double size = 1;
      for (int j = 0; j < rows; ++j)
        size = std::max(size,
                        std::fabs(static_cast<long double>(x.at(n, j, c))) / e.c[std::size_t(j)]);
      for (int i = 0; i < rows; ++i) {
        long double r = e.l[std::size_t(i)] * b.at(n, i, c);
        for (int j = 0; j < rows; ++j) r -= e.a(i, j) * (x.at(n, j, c) / e.c[std::size_t(j)]);
        ASSERT_LE(std::fabs(r), accuracy * (4 * rows + 10) * epsilon<T> * size)
            << "row " << i << ", column " << c;
      }
      auto const truth = residual_truth(a.full, n, column_of(x, c), column_of(b, c));
      if (truth.norm > worst) worst = truth.norm, rounding = truth.rounding;
      if (host.reason(n) == Reason::success) {
        ASSERT_LE(truth.norm, solver.stop.tolerance * truth.right_side * (1 + 100 * epsilon<T>));
      } else {
        ASSERT_EQ(host.reason(n), Reason::stagnated);
      }
    }
    ASSERT_LE(std::fabs(host.residual(n) - worst), 3 * rounding + 200 * epsilon<T> * worst);
    // The tolerances of these tests are met, except in badly conditioned systems.
    if (accuracy == 1 && solver.stop.tolerance >= usual_tolerance<T> &&
        host.reason(n) != Reason::success) {
      ASSERT_GT((4 * rows + 10) * epsilon<T> * condition_of(e.a), solver.stop.tolerance)
          << double(host.residual(n));
    }
    ASSERT_LE(host.iterations(n), solver.refinements);
  }
}

/// The same batch in all formats, and again without the items that have no solution. The other
/// items must have the same bits.
template <class T, class Call>
void check_direct_formats(int rows, int columns, std::int64_t items, Arranged how, Random& random,
                          Call const& call, bool all_formats = true) {
  SCOPED_TRACE(std::to_string(items) + " items of " + std::to_string(rows) + " rows, " +
               std::to_string(columns) + " right-hand sides, arranged " + std::to_string(int(how)));
  DirectBatch<T> const of(direct_pattern(random, rows), columns, items, how);
  for (std::int64_t n = 0; n < items; ++n) put_direct(of.a, of.b, n, direct_kind(n, items), random);
  of.a.upload(), of.b.upload();
  auto const solver = direct_lu(relative(usual_tolerance<T>));
  {
    SCOPED_TRACE("csr");
    check_direct<T>(solver, of, of.a.csr(), call);
  }
  auto const x_of = [&](std::int64_t n) {
    std::vector<T> v;
    for (int i = 0; i < rows; ++i)
      for (int c = 0; c < columns; ++c) v.push_back(of.x.at(n, i, c));
    return v;
  };
  std::vector<std::vector<T>> first;
  for (std::int64_t n = 0; n < items; ++n) first.push_back(x_of(n));
  if (all_formats) {
    {
      SCOPED_TRACE("ell");
      check_direct<T>(solver, of, of.a.ell(), call);
    }
    {
      SCOPED_TRACE("dense");
      check_direct<T>(solver, of, of.a.dense(), call);
    }
    {
      SCOPED_TRACE("dia");
      DiaOf<T> const by_diagonals(of.a, how);
      check_direct<T>(solver, of, by_diagonals.dia(), call);
    }
    {
      SCOPED_TRACE("any");
      check_direct<T>(solver, of, AnyMatrices<T, Space::memory_space>(of.a.long_csr()), call);
    }
  }
  if (items < 3) return;
  for (std::int64_t n = 0; n < items; ++n)
    if (!is_solvable(direct_kind(n, items))) put_direct(of.a, of.b, n, DirectKind::general, random);
  of.a.upload(), of.b.upload();
  call(solver, of.a.csr(), of.b, of.x, of.log);
  of.x.download();
  for (std::int64_t n = 0; n < items; ++n) {
    if (!is_solvable(direct_kind(n, items))) continue;
    auto const again = x_of(n);
    ASSERT_EQ(std::memcmp(again.data(), first[std::size_t(n)].data(), sizeof(T) * again.size()), 0)
        << "item " << n;
  }
}

}  // namespace Batchwork::Test

#endif
