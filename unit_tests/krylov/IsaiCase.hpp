// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The expected results of isai and spd_isai. The local systems are solved by LAPACK if it was
/// found, otherwise in long double.
#ifndef BATCHWORK_TEST_ISAI_CASE_HPP
#define BATCHWORK_TEST_ISAI_CASE_HPP

#include <cmath>
#include <vector>

#include "krylov/PreconditionersCase.hpp"

#if defined(BATCHWORK_HAVE_LAPACK)
extern "C" void dgesv_(int const*, int const*, double*, int const*, int*, double*, int const*,
                       int*);
#endif

namespace Batchwork::Test {

/// The solution of a' x = b.
inline std::vector<long double> transposed_solution(std::vector<std::vector<long double>> const& a,
                                                    std::vector<long double> const& b) {
  std::size_t const n = b.size();
#if defined(BATCHWORK_HAVE_LAPACK)
  // By columns, because the local systems have the rows of a as their columns.
  std::vector<double> matrix, x(b.begin(), b.end());
  for (auto const& row : a) matrix.insert(matrix.end(), row.begin(), row.end());
  std::vector<int> pivots(n);
  int const order = int(n), one = 1;
  int info = 0;
  dgesv_(&order, &one, matrix.data(), &order, pivots.data(), x.data(), &order, &info);
  EXPECT_EQ(info, 0);
  return {x.begin(), x.end()};
#else
  std::vector<std::vector<long double>> t(n, std::vector<long double>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) t[j][i] = a[i][j];
  return dense_solution(t, b);
#endif
}

/// z = M r of the item, or L' L r, row by row: M(i, J) A(J, J) = e_i(J).
template <class T>
std::vector<long double> isai_truth(bool is_spd, Pattern const& p, ArrangedBatch<T> const& full,
                                    std::int64_t n, std::vector<long double> const& r) {
  auto const rows = std::size_t(p.rows);
  std::vector<std::vector<long double>> m(rows, std::vector<long double>(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<int> J;
    for (int j : p.columns[i])
      if (!is_spd || j <= int(i)) J.push_back(j);
    std::vector<std::vector<long double>> a;
    std::vector<long double> unit;
    for (int row : J) {
      a.emplace_back();
      for (int column : J) a.back().push_back(full.at(n, row, column));
      unit.push_back(row == int(i) ? 1 : 0);
    }
    auto const y = transposed_solution(a, unit);
    for (std::size_t k = 0; k < J.size(); ++k)
      m[i][std::size_t(J[k])] = is_spd ? y[k] / std::sqrt(y.back()) : y[k];
  }
  std::vector<long double> z(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    long double t = 0;
    for (std::size_t j = 0; j < rows; ++j) t += m[i][j] * r[j];
    if (!is_spd) z[i] = t;
    else
      for (std::size_t j = 0; j < rows; ++j) z[j] += m[i][j] * t;
  }
  return z;
}

/// Tests isai and spd_isai for items of a pattern, with such a call. Rows are dominant, so that the
/// condition numbers of local systems are less than 20.
template <class T, class Run, class A>
void expect_isai(Run const& run, Matrices<T> const& a, A const& systems, Pattern const& p,
                 bool symmetric, Arranged how, Random& random) {
  for (bool is_spd : {false, true}) {
    if (is_spd && !symmetric) continue;
    SCOPED_TRACE(is_spd ? "spd_isai" : "isai");
    expect_application<T>(
        run, is_spd ? spd_isai() : isai(), systems, p.rows, a.items, how,
        [&](std::int64_t n, auto const& r) { return isai_truth(is_spd, p, a.full, n, r); }, 400,
        random);
  }
}

/// A symmetric pattern whose rows have at most this many entries, or slightly fewer.
inline Pattern narrow_pattern(Random& random, int rows, int entries) {
  Pattern p{rows, {}};
  auto const n = static_cast<std::size_t>(rows);
  std::vector<std::vector<bool>> there(n, std::vector<bool>(n));
  std::vector<int> count(n, 1);
  for (int i = 0; i < rows; ++i) there[std::size_t(i)][std::size_t(i)] = true;
  for (int trial = 0; trial < 4 * rows * entries; ++trial) {
    auto const i = std::size_t(random.integer(0, rows - 1)),
               j = std::size_t(random.integer(0, rows - 1));
    if (there[i][j] || count[i] >= entries || count[j] >= entries) continue;
    there[i][j] = there[j][i] = true;
    ++count[i];
    ++count[j];
  }
  for (std::size_t i = 0; i < n; ++i) {
    p.columns.emplace_back();
    for (int j = 0; j < rows; ++j)
      if (there[i][std::size_t(j)]) p.columns.back().push_back(j);
  }
  return p;
}

/// An item whose local systems have no solution ends with a breakdown of its preconditioner and
/// keeps its initial guess. Its neighbours must be bitwise the same as without it.
template <class T, class Run>
void expect_singular_alone(Run const& run, Random& random) {
  int const rows = 14;
  std::int64_t const items = 5, bad = 2;
  for (int fault = 0; fault < 4; ++fault) {
    bool const is_spd = fault == 3;
    SCOPED_TRACE("fault " + std::to_string(fault));
    Matrices<T> const a(tridiagonal(rows), items, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, true);
    a.upload();
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
        x(items, rows, 1, Arranged::item_contiguous),
        good(items, rows, 1, Arranged::item_contiguous);
    b.randomise(random);
    auto const log = SolveLog<T>::allocated(items);
    auto const m = is_spd ? spd_isai() : isai();
    auto const stop = relative(usual_tolerance<T>, 60);
    good.fill(T(0.25));
    run(bicgstab(stop), m, a.csr(), b, good, log);
    good.download();
    // Rows 0 and 1 are equal, with numbers that elimination does not round; a row of zeros; NaN; a
    // negative diagonal, which is not definite.
    if (fault == 0)
      for (int row = 0; row < 2; ++row)
        for (int k = 0; k < 2; ++k) a.put(bad, row, k, k == 0 ? T(4) : T(1));
    if (fault == 1)
      for (int k = 0; k < 3; ++k) a.put(bad, 7, k, T(0));
    if (fault == 2) a.put(bad, rows - 1, 0, std::numeric_limits<T>::quiet_NaN());
    if (fault == 3) a.put(bad, 5, 1, T(-1));
    a.upload();
    x.fill(T(0.25));
    run(bicgstab(stop), m, a.csr(), b, x, log);
    x.download();
    HostLog<T> const said(log);
    for (std::int64_t n = 0; n < items; ++n) {
      if (n == bad) {
        EXPECT_EQ(said.reason(n), Reason::breakdown) << to_string(said.reason(n));
        EXPECT_EQ(said.info(n), Breakdown::preconditioner);
      } else {
        EXPECT_EQ(said.reason(n), Reason::success) << to_string(said.reason(n));
      }
      for (int i = 0; i < rows; ++i)
        ASSERT_EQ(x.at(n, i, 0), n == bad ? T(0.25) : good.at(n, i, 0)) << n << ", " << i;
    }
  }
}

/// Rows that are too long, and patterns that are not symmetric but must be.
template <class T, class Run>
void expect_isai_invalid(Run const& run, Random& random) {
  auto const look = [&](Pattern const& p, Isai const& m) {
    Matrices<T> const a(p, 3, Arranged::item_contiguous);
    a.randomise(random);
    ArrangedBatch<T> const b(3, p.rows, 1, Arranged::item_contiguous),
        x(3, p.rows, 1, Arranged::item_contiguous);
    b.randomise(random);
    x.fill(T(0.5));
    auto const log = SolveLog<T>::allocated(3);
    run(bicgstab(), m, a.csr(), b, x, log);
    x.download();
    HostLog<T> const said(log);
    for (std::int64_t n = 0; n < 3; ++n) {
      EXPECT_EQ(said.reason(n), Reason::invalid_pattern);
      for (int i = 0; i < p.rows; ++i) ASSERT_EQ(x.at(n, i, 0), T(0.5));
    }
  };
  Pattern wide = tridiagonal(40);
  wide.columns[17].clear();
  for (int j = 2; j < 35; ++j) wide.columns[17].push_back(j);
  look(wide, isai());
  Pattern one_sided = tridiagonal(9);
  one_sided.columns[3] = {3, 4};
  look(one_sided, spd_isai());
}

}  // namespace Batchwork::Test

#endif
