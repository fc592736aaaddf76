// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Sparse patterns for direct_lu(symbolic), and checks of the results. Tests run the verb, or
/// device kernels on threads of a host.
#ifndef BATCHWORK_TEST_SYMBOLIC_CASE_HPP
#define BATCHWORK_TEST_SYMBOLIC_CASE_HPP

#include <cmath>
#include <cstring>
#include <functional>

#include "krylov/Batchwork_SymbolicLu.hpp"
#include "krylov/DirectCase.hpp"

namespace Batchwork::Test {

/// The points of a grid and their neighbours.
inline Pattern grid_pattern(int across) {
  Pattern p{across * across, {}};
  for (int i = 0; i < p.rows; ++i) {
    std::vector<int> row;
    if (i >= across) row.push_back(i - across);
    if (i % across > 0) row.push_back(i - 1);
    row.push_back(i);
    if (i % across < across - 1) row.push_back(i + 1);
    if (i + across < p.rows) row.push_back(i + across);
    p.columns.push_back(row);
  }
  return p;
}
/// The diagonal, the next column in a ring, so that the diagonal can be zero, and `each` other
/// random entries in a row.
inline Pattern scattered_pattern(Random& random, int rows, int each) {
  Pattern p{rows, {}};
  for (int i = 0; i < rows; ++i) {
    std::vector<int> row{i, (i + 1) % rows};
    for (int k = 0; k < each; ++k) row.push_back(random.integer(0, rows - 1));
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    p.columns.push_back(row);
  }
  return p;
}
/// Like the species of a reaction mechanism: some rows and columns are full, the others have few
/// entries.
inline Pattern arrow_pattern(Random& random, int rows, int full) {
  Pattern p{rows, {}};
  for (int i = 0; i < rows; ++i) {
    std::vector<int> row;
    for (int j = 0; j < rows; ++j)
      if (i < full || j < full || i == j || j == (i + 1) % rows || random(0, 1) < 0.05)
        row.push_back(j);
    p.columns.push_back(row);
  }
  return p;
}

/// The diagonal, the entry before it, and the last column.
inline Pattern growing_pattern(int rows) {
  Pattern p{rows, {}};
  for (int i = 0; i < rows; ++i) {
    std::vector<int> row;
    for (int const j : {i - 1, i, rows - 1})
      if (j >= 0 && (row.empty() || j > row.back())) row.push_back(j);
    p.columns.push_back(row);
  }
  return p;
}

template <class T>
struct SymbolicBatch : DirectBatch<T> {
  SymbolicBatch(Pattern const& pattern, int columns, std::int64_t items, Arranged how)
      : DirectBatch<T>(pattern, columns, items, how) {
    this->log.dense_form =
        Kokkos::View<int*, Space::memory_space>("dense form", std::size_t(items));
  }
};

/// call(solver, format, b, x, log) solves.
///
/// \returns the items that were eliminated in their dense form
template <class T, class Solver, class A, class Call>
std::vector<int> check_by_pattern(Solver const& solver, SymbolicBatch<T> const& of, A const& format,
                                  Call const& call) {
  auto const& a = of.a;
  auto const &b = of.b, &x = of.x;
  std::int64_t const items = a.items;
  int const rows = a.pattern.rows;
  x.fill(poison<T>());
  Kokkos::deep_copy(of.log.dense_form, -1);
  call(solver, format, b, x, of.log);
  x.download();
  HostLog<T> const host(of.log);
  auto const growth = HostLog<T>::on_host(of.log.reciprocal_growth),
             condition = HostLog<T>::on_host(of.log.reciprocal_condition);
  auto const dense_form = HostLog<T>::on_host(of.log.dense_form);
  std::vector<int> by_dense_form;
  int cannot_be_met = 0;
  for (std::int64_t n = 0; n < items; ++n) {
    SCOPED_TRACE("item " + std::to_string(n));
    int const is_dense = dense_form(std::size_t(n));
    by_dense_form.push_back(is_dense);
    EXPECT_TRUE(is_dense == 0 || is_dense == 1);
    DirectKind const kind = direct_kind(n, items);
    if (!is_solvable(kind)) {
      EXPECT_EQ(is_dense, 1);
      EXPECT_EQ(host.reason(n),
                kind == DirectKind::singular ? Reason::singular : Reason::not_finite);
      if (kind == DirectKind::singular) {
        EXPECT_EQ(host.info(n), zero_column(n, rows) + 1);
      }
      for (int i = 0; i < rows; ++i)
        for (int c = 0; c < b.cols; ++c) EXPECT_TRUE(std::isnan(x.at(n, i, c)));
      EXPECT_EQ(condition(std::size_t(n)), T(0));
      continue;
    }
    if (kind == DirectKind::dominant) {
      EXPECT_EQ(is_dense, 0);
      EXPECT_GE(growth(std::size_t(n)), T(0.5));
    }
    EXPECT_GT(growth(std::size_t(n)), T(0));
    EXPECT_LE(growth(std::size_t(n)), T(2));
    Equilibrated<T> const e(a.full, n);
    long double const known = condition_of(e.a), found = 1 / condition(std::size_t(n)),
                      lost = rows * epsilon<T> / growth(std::size_t(n));
    if (known < 0.01L / lost) {
      EXPECT_LE(found, known * (1 + 4 * lost * known));
      EXPECT_GE(found, known / 10);
    }
    long double worst = 0, rounding = 0;
    bool can_be_met = true;
    for (int c = 0; c < b.cols; ++c) {
      auto const truth = residual_truth(a.full, n, column_of(x, c), column_of(b, c));
      if (truth.norm > worst) worst = truth.norm, rounding = truth.rounding;
      long double const limit = solver.stop.tolerance * truth.right_side;
      if (host.reason(n) == Reason::success) {
        EXPECT_LE(truth.norm, limit * (1 + 100 * epsilon<T>));
      }
      // The solution is so large that rounding errors exceed the tolerance for any elimination.
      can_be_met = can_be_met && rows * truth.rounding < limit;
    }
    EXPECT_EQ(host.reason(n),
              can_be_met || host.reason(n) == Reason::success ? Reason::success : Reason::stagnated)
        << double(host.residual(n));
    cannot_be_met += can_be_met ? 0 : 1;
    EXPECT_LE(std::fabs(host.residual(n) - worst), 3 * rounding + 200 * epsilon<T> * worst);
    EXPECT_LE(host.iterations(n), solver.refinements);
  }
  EXPECT_LE(cannot_be_met, 1 + items / 2);
  return by_dense_form;
}

/// The same batch in all formats with a pattern, and again without the items that have no solution.
/// The other items must have the same bits. call as above; symbolic(format) returns a SymbolicLu.
template <class T, class Symbolic, class Call>
std::vector<int> check_pattern_formats(Pattern const& pattern, int columns, std::int64_t items,
                                       Arranged how, Random& random, Symbolic const& symbolic,
                                       Call const& call, bool all_formats = true) {
  SCOPED_TRACE(std::to_string(items) + " items of " + std::to_string(pattern.rows) + " rows, " +
               std::to_string(columns) + " right-hand sides, arranged " + std::to_string(int(how)));
  SymbolicBatch<T> const of(pattern, columns, items, how);
  for (std::int64_t n = 0; n < items; ++n) put_direct(of.a, of.b, n, direct_kind(n, items), random);
  of.a.upload(), of.b.upload();
  auto const check_format = [&](char const* name, auto const& format) {
    SCOPED_TRACE(name);
    auto solver = direct_lu(symbolic(format), relative(usual_tolerance<T>));
    solver.refinements = 8;
    return check_by_pattern<T>(solver, of, format, call);
  };
  auto const by_dense_form = check_format("csr", of.a.csr());
  auto const x_of = [&](std::int64_t n) {
    std::vector<T> v;
    for (int i = 0; i < pattern.rows; ++i)
      for (int c = 0; c < columns; ++c) v.push_back(of.x.at(n, i, c));
    return v;
  };
  std::vector<std::vector<T>> first;
  for (std::int64_t n = 0; n < items; ++n) first.push_back(x_of(n));
  if (all_formats) {
    check_format("ell", of.a.ell());
    check_format("long csr", of.a.long_csr());
    DiaOf<T> const by_diagonals(of.a, how);
    check_format("dia", by_diagonals.dia());
  }
  if (items < 3) return by_dense_form;
  for (std::int64_t n = 0; n < items; ++n)
    if (!is_solvable(direct_kind(n, items)))
      put_direct(of.a, of.b, n, DirectKind::dominant, random);
  of.a.upload(), of.b.upload();
  auto solver = direct_lu(symbolic(of.a.csr()), relative(usual_tolerance<T>));
  solver.refinements = 8;
  call(solver, of.a.csr(), of.b, of.x, of.log);
  of.x.download();
  for (std::int64_t n = 0; n < items; ++n) {
    if (!is_solvable(direct_kind(n, items))) continue;
    auto const again = x_of(n);
    EXPECT_EQ(std::memcmp(again.data(), first[std::size_t(n)].data(), sizeof(T) * again.size()), 0)
        << "item " << n;
  }
  return by_dense_form;
}

/// In the natural order each pivot of some items is just large enough, and the last column grows a
/// hundredfold for each of them. These items are eliminated in their dense form. Others do not meet
/// such a tolerance in either form, and keep the sparse one.
template <class Symbolic, class Call>
void check_growth(int rows, Symbolic const& symbolic, Call const& call, bool equilibrate) {
  SCOPED_TRACE(equilibrate ? "equilibrated" : "as it is");
  SymbolicBatch<double> const of(growing_pattern(rows), 2, 7, Arranged::item_contiguous);
  Random random(10);
  auto const grows = [](std::int64_t n) { return n == 0 || n == 3 || n == 6; };
  for (std::int64_t n = 0; n < 7; ++n) {
    put_direct(of.a, of.b, n, DirectKind::dominant, random);
    for (int i = 0; i < rows && grows(n); ++i) {
      auto const& columns = of.a.pattern.columns[std::size_t(i)];
      for (std::size_t k = 0; k < columns.size(); ++k)
        of.a.put(n, i, int(k), columns[k] == i && i < rows - 1 ? 0.01 : 1.0 + 0.01 * i);
    }
  }
  of.a.upload(), of.b.upload();
  auto solver = direct_lu(symbolic(of.a.csr()), relative(1e-12));
  solver.equilibrate = equilibrate;
  for (double const tolerance : {1e-12, 1e-30}) {
    solver.stop = relative(tolerance);
    call(solver, of.a.csr(), of.b, of.x, of.log);
    of.x.download();
    auto const dense_form = HostLog<double>::on_host(of.log.dense_form);
    HostLog<double> const log(of.log);
    for (std::int64_t n = 0; n < 7; ++n) {
      EXPECT_EQ(dense_form(std::size_t(n)), grows(n) ? 1 : 0) << n;
      if (tolerance > 1e-20) {
        EXPECT_EQ(log.reason(n), Reason::success) << n;
      }
      for (int c = 0; c < 2; ++c) {
        auto const truth = residual_truth(of.a.full, n, column_of(of.x, c), column_of(of.b, c));
        EXPECT_LE(truth.norm, 1e-12 * truth.right_side) << n;
      }
    }
  }
}

/// The bound of the backward error of each row, plus the rounding errors of the comparison.
template <class T>
void expect_accurate_rows(SymbolicBatch<T> const& of, std::int64_t n) {
  for (int i = 0; i < of.a.pattern.rows; ++i) {
    auto const& columns = of.a.pattern.columns[std::size_t(i)];
    long double r = of.b.at(n, i, 0), size = std::fabs(r);
    for (int const j : columns) {
      long double const product =
          static_cast<long double>(of.a.full.at(n, i, j)) * of.x.at(n, j, 0);
      r -= product, size += std::fabs(product);
    }
    EXPECT_LE(std::fabs(r), 2 * static_cast<long double>(columns.size() + 64) * epsilon<T> * size)
        << "row " << i;
  }
}
/// Diagonal entries from 1 to 1e-16, and a loose tolerance. If pivots stay on the diagonal,
/// solutions must be as accurate as rounding allows, row by row. Small pivots that do no harm stay.
template <class T, class Make, class Run>
void check_planted_pivots(double tolerance, Make const& make, Run const& run) {
  SCOPED_TRACE("tolerance " + std::to_string(tolerance));
  Random random(21);
  int const rows = 30;
  std::int64_t const items = 17 * 8;
  SymbolicBatch<T> const of(scattered_pattern(random, rows, 4), 1, items,
                            Arranged::item_contiguous);
  for (std::int64_t n = 0; n < items; ++n)
    for (int i = 0; i < rows; ++i) {
      auto const& columns = of.a.pattern.columns[std::size_t(i)];
      bool const planted = i % 8 == int(n / 17);
      for (std::size_t k = 0; k < columns.size(); ++k)
        of.a.put(n, i, int(k),
                 columns[k] != i ? T(random())
                 : planted       ? T(std::pow(10.0, -double(n % 17)))
                                 : T(random(2, 4)));
      of.b.at(n, i, 0) = T(random());
    }
  of.a.upload(), of.b.upload();
  auto const solver = direct_lu(make(of.a.csr()), relative(tolerance));
  run(solver, of.a.csr(), of.b, of.x, of.log);
  of.x.download();
  auto const dense_form = HostLog<T>::on_host(of.log.dense_form);
  int dense = 0, small = 0;
  for (std::int64_t n = 0; n < items; ++n) {
    SCOPED_TRACE("item " + std::to_string(n));
    EXPECT_EQ(HostLog<T>(of.log).reason(n), Reason::success);
    dense += dense_form(std::size_t(n));
    if (dense_form(std::size_t(n)) != 0) continue;
    small += n % 17 >= 4 ? 1 : 0;
    expect_accurate_rows(of, n);
  }
  EXPECT_GT(dense, 0);
  EXPECT_GT(small, items / 40);
}
}  // namespace Batchwork::Test

#endif
