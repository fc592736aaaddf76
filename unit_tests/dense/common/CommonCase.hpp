// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// One matrix with the right-hand sides of all items, in any arrangement chosen at run time:
/// solutions in long double, bounds from the condition of the matrix, and failures that must not
/// touch other right-hand sides.
#ifndef BATCHWORK_TEST_COMMON_CASE_HPP
#define BATCHWORK_TEST_COMMON_CASE_HPP

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "dense/common/detail/Batchwork_CommonProblem.hpp"
#include "dense/gemm/GemmCase.hpp"

namespace Batchwork::Test {

using Impl::CommonMatrix;

/// The inverse in long double, by Gauss-Jordan elimination with complete pivoting.
inline std::vector<long double> inverse_of(std::vector<long double> a, int n) {
  std::vector<long double> x(std::size_t(n) * std::size_t(n));
  auto const at = [n](int i, int j) { return std::size_t(i) * std::size_t(n) + std::size_t(j); };
  for (int i = 0; i < n; ++i) x[at(i, i)] = 1;
  std::vector<int> order;
  for (int i = 0; i < n; ++i) order.push_back(i);
  for (int k = 0; k < n; ++k) {
    int r = k, c = k;
    for (int i = k; i < n; ++i)
      for (int j = k; j < n; ++j)
        if (std::fabs(a[at(i, j)]) > std::fabs(a[at(r, c)])) r = i, c = j;
    for (int j = 0; j < n; ++j)
      std::swap(a[at(k, j)], a[at(r, j)]), std::swap(x[at(k, j)], x[at(r, j)]);
    for (int i = 0; i < n; ++i) std::swap(a[at(i, k)], a[at(i, c)]);
    std::swap(order[std::size_t(k)], order[std::size_t(c)]);
    long double const d = a[at(k, k)];
    for (int j = 0; j < n; ++j) a[at(k, j)] /= d, x[at(k, j)] /= d;
    for (int i = 0; i < n; ++i) {
      long double const f = a[at(i, k)];
      if (i == k || f == 0) continue;
      for (int j = 0; j < n; ++j) a[at(i, j)] -= f * a[at(k, j)], x[at(i, j)] -= f * x[at(k, j)];
    }
  }
  std::vector<long double> y(x.size());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) y[at(order[std::size_t(i)], j)] = x[at(i, j)];
  return y;
}

template <class T>
struct CommonData {
  CommonMatrix kind;
  int n, columns;
  std::int64_t items;
  ArrangedBatch<T> a, b, x;
  ArrangedBatch<int> codes;

  CommonData(CommonMatrix matrix, int rows, std::int64_t many, int sides, Arranged how,
             Arranged how_x)
      : kind(matrix),
        n(rows),
        columns(sides),
        items(many),
        a(1, rows, rows, how == Arranged::interleaved ? Arranged::by_columns : how),
        b(many, rows, sides, how),
        x(many, rows, sides, how_x),
        codes(many, 1, 1, Arranged::item_contiguous) {}

  bool reads(int i, int j) const {
    return kind == CommonMatrix::general || (kind == CommonMatrix::upper   ? j >= i
                                             : kind == CommonMatrix::lower ? j <= i
                                                                           : j <= i);
  }
  /// condition: roughly, by graded singular values, eigenvalues or diagonals. What is not to be
  /// read is NaN.
  void randomise(Random& random, double condition) const {
    auto const grade = [&](int k) {
      return n == 1 ? 1 : std::pow(condition, -double(k) / double(n - 1));
    };
    std::vector<double> m(std::size_t(n) * std::size_t(n));
    auto const at = [this](int i, int j) {
      return std::size_t(i) * std::size_t(n) + std::size_t(j);
    };
    for (int i = 0; i < n; ++i) m[at(i, i)] = grade(i);
    // Two reflections I - 2 v v' / v' v from the left and the right mix the rows and columns.
    auto const reflect = [&](std::vector<double> const& v, bool left) {
      double vv = 0;
      for (double y : v) vv += y * y;
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int i = 0; i < n; ++i) sum += v[std::size_t(i)] * m[left ? at(i, j) : at(j, i)];
        for (int i = 0; i < n; ++i)
          m[left ? at(i, j) : at(j, i)] -= 2 * sum / vv * v[std::size_t(i)];
      }
    };
    std::vector<double> v, w;
    v.resize(std::size_t(n)), w.resize(std::size_t(n));
    for (double& y : v) y = random.normal();
    for (double& y : w) y = random.normal();
    bool const triangle = kind == CommonMatrix::lower || kind == CommonMatrix::upper;
    if (!triangle) reflect(v, true), reflect(kind == CommonMatrix::symmetric ? v : w, false);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double y = m[at(i, j)];
        if (triangle && i != j) y = 0.5 * random() * grade(std::max(i, j)) / std::sqrt(double(n));
        a.at(0, i, j) = reads(i, j) ? T(y) : std::numeric_limits<T>::quiet_NaN();
      }
    a.upload();
    b.randomise(random);
  }
  std::vector<long double> matrix() const {
    std::vector<long double> m;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        bool const mirrored = kind == CommonMatrix::symmetric && j > i;
        m.push_back(!mirrored && !reads(i, j)
                        ? 0
                        : (long double)(a.at(0, mirrored ? j : i, mirrored ? i : j)));
      }
    return m;
  }
  Impl::CommonProblem<T> problem(bool in_place = false) const {
    auto const storage = [](auto const& m) {
      using U = std::remove_reference_t<decltype(*m.data())>;
      return Impl::Storage<U>{m.data(), 1, m.item, 0, m.row, m.col};
    };
    Impl::CommonProblem<T> p;
    p.a = {a.data(), 1, 0, 0, a.row, a.col};
    p.b = storage(b).as_const();
    p.x = storage(in_place ? b : x);
    p.status.narrow = codes.data();
    p.status.group = codes.item;
    p.items = items, p.columns = columns, p.n = n, p.matrix = kind;
    return p;
  }

  /// Errors are at most a modest multiple of n eps times the condition, which is that of
  /// |A^-1| |A|: substitution with inverted blocks is as stable as the blocks allow (Higham,
  /// section 8.2).
  void expect_solutions(ArrangedBatch<T> const& result, ArrangedBatch<T> const& sides,
                        int bad_column = -1) const {
    auto const m = matrix(), inverse = inverse_of(m, n);
    auto const at = [this](int i, int j) {
      return std::size_t(i) * std::size_t(n) + std::size_t(j);
    };
    long double condition = 0, size = 0;
    for (int i = 0; i < n; ++i) {
      long double row = 0, of_a = 0;
      for (int j = 0; j < n; ++j)
        row += std::fabs(inverse[at(i, j)]), of_a += std::fabs(m[at(i, j)]);
      condition = std::max(condition, row), size = std::max(size, of_a);
    }
    condition *= size;
    long double const eps = std::numeric_limits<T>::epsilon();
    for (std::int64_t q = 0; q < items; ++q)
      for (int c = 0; c < columns; ++c) {
        if (q * columns + c == bad_column) continue;
        std::vector<long double> want;
        want.resize(std::size_t(n));
        long double largest = 0, error = 0;
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j)
            want[std::size_t(i)] += inverse[at(i, j)] * (long double)(sides.at(q, j, c));
          largest = std::max(largest, std::fabs(want[std::size_t(i)]));
          error =
              std::max(error, std::fabs(want[std::size_t(i)] - (long double)(result.at(q, i, c))));
        }
        // Not so for NaN.
        ASSERT_TRUE(error <= (4 + n) * eps * condition * largest)
            << "item " << q << ", column " << c << ": error " << double(error) << " of "
            << double(largest) << ", condition " << double(condition);
      }
  }
  void expect_codes(int wanted, std::int64_t bad_item = -1, int bad_code = 0) const {
    codes.download();
    for (std::int64_t q = 0; q < items; ++q)
      ASSERT_EQ(codes.at(q, 0, 0), q == bad_item ? bad_code : wanted) << "item " << q;
  }
};

/// solve(data, in_place) solves by the code to be tested.
template <class T, class Solve>
void check_common(CommonMatrix kind, int n, std::int64_t items, int columns, Arranged how,
                  Arranged how_x, double condition, Random& random, Solve const& solve) {
  SCOPED_TRACE("kind " + std::to_string(int(kind)) + ", " + std::to_string(n) + " rows, " +
               std::to_string(items) + " items of " + std::to_string(columns) + " columns, " +
               std::to_string(int(how)) + " to " + std::to_string(int(how_x)));
  CommonData<T> const d(kind, n, items, columns, how, how_x);
  d.randomise(random, condition);
  std::size_t const around = d.x.poisoned() - std::size_t(items * n * columns);
  solve(d, false);
  d.x.download();
  EXPECT_EQ(d.x.poisoned(), around);
  d.expect_solutions(d.x, d.b);
  d.expect_codes(0);
  if (::testing::Test::HasFatalFailure()) return;

  // A number that is not finite in the first, a middle and the last column, and nothing else moves.
  std::vector<T> const good(d.x.numbers, d.x.numbers + d.x.host.extent(0));
  std::int64_t const all = items * columns;
  for (std::int64_t bad : {std::int64_t(0), all / 2, all - 1}) {
    T& number = d.b.at(bad / columns, n / 2, int(bad % columns));
    T const old = number;
    number =
        bad % 2 == 0 ? std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::infinity();
    d.b.upload();
    solve(d, false);
    d.x.download();
    for (std::int64_t q = 0; q < all; ++q)
      for (int i = 0; i < n && q != bad; ++i) {
        T const& now = d.x.at(q / columns, i, int(q % columns));
        ASSERT_EQ(std::memcmp(&now, &good[std::size_t(&now - d.x.numbers)], sizeof(T)), 0)
            << "column " << q << " beside the bad one " << bad;
      }
    EXPECT_FALSE(std::isfinite(d.x.at(bad / columns, n / 2, int(bad % columns))));
    d.expect_codes(0, bad / columns, Status::code(Reason::not_finite, 0));
    number = old;
    d.b.upload();
  }

  // Both times a power of two: the same solutions, bit for bit.
  int const k = sizeof(T) == 4 ? 20 : 200;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) d.a.at(0, i, j) = std::ldexp(d.a.at(0, i, j), k);
  d.a.upload();
  for (std::int64_t q = 0; q < all; ++q)
    for (int i = 0; i < n; ++i) {
      T& y = d.b.at(q / columns, i, int(q % columns));
      y = std::ldexp(y, k);
    }
  d.b.upload();
  solve(d, true);
  d.b.download();
  for (std::int64_t q = 0; q < all; ++q)
    for (int i = 0; i < n; ++i) {
      T const& want = d.x.at(q / columns, i, int(q % columns));
      ASSERT_EQ(d.b.at(q / columns, i, int(q % columns)), good[std::size_t(&want - d.x.numbers)])
          << "in place, times 2^" << k << ", column " << q << ", row " << i;
    }
  d.expect_codes(0);
}

/// The matrix has no solution: each item gets the status.
template <class T, class Solve>
void check_common_failures(int n, std::int64_t items, Random& random, Solve const& solve) {
  using enum CommonMatrix;
  T const nan = std::numeric_limits<T>::quiet_NaN();
  for (CommonMatrix kind : {general, symmetric, lower, upper})
    for (int place : {0, n / 2, n - 1})
      for (bool is_nan : {false, true}) {
        SCOPED_TRACE("kind " + std::to_string(int(kind)) + ", " + std::to_string(n) +
                     " rows, bad place " + std::to_string(place));
        CommonData<T> const d(kind, n, items, 1, Arranged::interleaved, Arranged::interleaved);
        d.randomise(random, 4);
        if (kind == general)
          for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) d.a.at(0, i, j) = i == j ? T(2) : T(0);
        // Zero in a diagonal matrix; a diagonal that is too small in a positive definite one.
        d.a.at(0, place, place) = is_nan ? nan : kind == symmetric ? T(-100) : T(0);
        d.a.upload();
        solve(d, false);
        d.x.download();
        d.expect_codes(Status::code(is_nan              ? Reason::not_finite
                                    : kind == general   ? Reason::singular
                                    : kind == symmetric ? Reason::not_positive_definite
                                                        : Reason::breakdown,
                                    place + 1));
        bool const all = kind == general || kind == symmetric;
        for (std::int64_t q = 0; q < items; ++q)
          for (int i = 0; i < n; ++i) {
            T const y = d.x.at(q, i, 0);
            bool const before = !all && (kind == lower ? i < place : i > place),
                       fails = all || i == place;
            ASSERT_TRUE((!fails || std::isnan(y)) && (!before || std::isfinite(y)))
                << "row " << i << ": " << y;
          }
      }
}

}  // namespace Batchwork::Test

#endif
