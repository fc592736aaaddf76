// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Checks of lu and solve_lu on matrices with extents known at run time. Tests run the verbs, or
/// the device kernels on threads of a host.
#ifndef BATCHWORK_TEST_LU_VERBS_CASE_HPP
#define BATCHWORK_TEST_LU_VERBS_CASE_HPP

#include "dense/cholesky/TriangleCase.hpp"
#include "tile/DeterminantCase.hpp"
#include "tile/LuCase.hpp"

namespace Batchwork::Test {

template <class T>
void expect_only_items(ArrangedBatch<T> const& m) {
  EXPECT_EQ(m.poisoned(),
            m.host.extent(0) - std::size_t(m.items) * std::size_t(m.rows) * std::size_t(m.cols));
}

struct LogDeterminant {
  long double log_size;
  int sign;
};
/// Elimination with partial pivoting in long double.
inline LogDeterminant log_determinant(Dense a) {
  int const n = a.rows;
  LogDeterminant r{0, 1};
  for (int k = 0; k < n; ++k) {
    int p = k;
    for (int i = k + 1; i < n; ++i)
      if (std::fabs(a(i, k)) > std::fabs(a(p, k))) p = i;
    if (p != k) r.sign = -r.sign;
    for (int j = k; j < n; ++j) std::swap(a(p, j), a(k, j));
    if (a(k, k) < 0) r.sign = -r.sign;
    r.log_size += std::log(std::fabs(a(k, k)));
    for (int i = k + 1; i < n; ++i) {
      long double const l = a(i, k) / a(k, k);
      for (int j = k; j < n; ++j) a(i, j) -= l * a(k, j);
    }
  }
  return r;
}

/// The bound of |L|: sizes of pivots are compared by all bits, or by 20 bits of double.
template <class T>
long double largest_of_l(bool all_bits) {
  return (1 + 2 * epsilon<T>)*(1 + (all_bits || sizeof(T) == 4 ? 0 : std::ldexp(1.0L, -19)));
}
/// Columns with two numbers that differ as much as numbers with the same 20 bits can. The smaller
/// one is first.
template <class T, class Factor>
void check_near_pivots(int n, Factor const& factor, bool all_bits) {
  SCOPED_TRACE("near pivots, " + std::to_string(n) + " rows");
  ArrangedBatch<T> const a(3, n, n, Arranged::item_contiguous),
      lu(3, n, n, Arranged::item_contiguous);
  ArrangedBatch<int> const rows(3, n, 1, Arranged::item_contiguous),
      codes(3, 1, 1, Arranged::item_contiguous);
  T const eps = std::numeric_limits<T>::epsilon();
  for (int k = 0; k < 3; ++k) {
    Dense m(n, n, 0);
    for (int i = 0; i < n; ++i) {
      bool const first = i % 2 == 0;
      m(i, i) = first ? 1 + eps : -1;
      if (first && i + 1 < n) {
        m(i, i + 1) = 1;
        m(i + 1, i) = k == 2 ? 1 + 2 * eps : 1 + std::ldexp(T(1), -19) - (k == 0 ? eps : 0);
      }
    }
    put(a, k, m);
  }
  a.upload();
  factor(a, lu, rows, codes);
  lu.download(), codes.download();
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(codes.at(k, 0, 0), 0);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j)
        ASSERT_LE(std::fabs(static_cast<long double>(lu.at(k, i, j))), largest_of_l<T>(all_bits));
  }
}

/// factor(a, lu, rows, codes) and solve(a, b, x, codes) run a call. Errors are bounded as in
/// expect_lu.
/// \param all_bits whether sizes of pivots are compared by all bits
template <class T, class Factor, class Solve>
void check_lu(int n, int columns, std::int64_t items, Arranged how, Random& random,
              Factor const& factor, Solve const& solve, bool all_bits) {
  check_near_pivots<T>(n, factor, all_bits);
  SCOPED_TRACE(std::to_string(items) + " items of " + std::to_string(n) + " rows, arranged " +
               std::to_string(int(how)));
  ArrangedBatch<T> const a(items, n, n, how), lu(items, n, n, how), b(items, n, columns, how),
      x(items, n, columns, how);
  ArrangedBatch<int> const rows(items, n, 1, Arranged::item_contiguous),
      codes(items, 1, 1, Arranged::item_contiguous), codes_of_x(items, 1, 1, Arranged::interleaved);
  for (std::int64_t k = 0; k < items; ++k) put(a, k, lu_matrix<T>(random, n, k));
  a.upload();
  for (std::int64_t k = 0; k < items; ++k)
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < columns; ++c)
        b.at(k, i, c) =
            T(random()) * (lu_kind(k) == LuKind::tiny ? std::numeric_limits<T>::min() : T(1));
  b.upload();
  factor(a, lu, rows, codes);
  solve(a, b, x, codes_of_x);
  lu.download(), rows.download(), codes.download(), x.download(), codes_of_x.download();
  expect_only_items(lu), expect_only_items(x);
  for (std::int64_t k = 0; k < items; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    auto const code = codes.at(k, 0, 0);
    Dense const ak = item(a, k), f = item(lu, k);
    LuKind const kind = lu_kind(k);
    int const zero = kind == LuKind::zero_column ? int(k / 6) % n + 1 : 0;
    if (kind == LuKind::not_a_number) {
      ASSERT_EQ(Status::reason(code), Reason::not_finite);
      ASSERT_GE(Status::info(code), 1);
    } else {
      ASSERT_EQ(code, zero > 0 ? Status::code(Reason::singular, zero) : 0);
    }
    ASSERT_EQ(codes_of_x.at(k, 0, 0), code);
    if (code != 0) {
      for (int i = 0; i < n; ++i)
        for (int c = 0; c < columns; ++c) ASSERT_TRUE(std::isnan(x.at(k, i, c)));
    }
    if (kind == LuKind::not_a_number) continue;
    std::vector<bool> there(std::size_t(n), false);
    for (int i = 0; i < n; ++i) {
      int const r = rows.at(k, i, 0);
      ASSERT_TRUE(r >= 0 && r < n && !there[std::size_t(r)]) << "place " << i;
      there[std::size_t(r)] = true;
    }
    auto const in_order = [&](Dense const& z) {
      return make_dense(n, z.cols, [&](int i, int j) { return z(rows.at(k, i, 0), j); });
    };
    Dense const l = make_dense(n, n, [&](int i, int j) {
      return j < i ? f(i, j) : i == j ? 1.0L : 0.0L;
    });
    Dense const u = make_dense(n, n, [&](int i, int j) { return j >= i ? f(i, j) : 0.0L; });
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) ASSERT_LE(std::fabs(l(i, j)), largest_of_l<T>(all_bits));
    long double const step = std::numeric_limits<T>::denorm_min();
    Dense const size = abs(l) * abs(u), pa = in_order(ak);
    ASSERT_TRUE(near(l * u, pa, tolerance<T>(n, 1) * size + Dense(n, n, 4 * n * step)));
    if (code != 0) continue;
    Dense const xk = item(x, k);
    Dense const allowed = tolerance<T>(3 * n, 1) * (size * abs(xk)) +
                          4 * n * step * (Dense(n, n, 1) * abs(xk) + Dense(n, columns, 1));
    ASSERT_TRUE(near(pa * xk, in_order(item(b, k)), allowed));
  }
}

/// Determinants in closed form, with partial products beyond the range of numbers. find and
/// find_log as in check_inverse.
template <class T, class Find, class FindLog>
void check_known_determinants(int n, std::int64_t items, Arranged how, Random& random,
                              Find const& find, FindLog const& find_log) {
  ArrangedBatch<T> const a(items, n, n, how), d(items, 1, 1, how), logs(items, 1, 1, how),
      signs(items, 1, 1, how);
  ArrangedBatch<int> const codes(items, 1, 1, Arranged::item_contiguous),
      codes_of_log(items, 1, 1, Arranged::item_contiguous);
  std::vector<KnownProduct> want;
  for (std::int64_t k = 0; k < items; ++k) {
    auto const factors = known_factors<T>(random, n, ProductKind(k % product_kinds));
    auto const order = random_order(random, n);
    want.push_back(known_product(factors));
    want.back().multiply(sign_of_order(order));
    Dense m(n, n, 0);
    for (int i = 0; i < n; ++i)
      m(order[static_cast<std::size_t>(i)], i) = factors[static_cast<std::size_t>(i)];
    put(a, k, m);
  }
  a.upload();
  find(a, d, codes), find_log(a, logs, signs, codes_of_log);
  d.download(), logs.download(), signs.download(), codes.download(), codes_of_log.download();
  for (std::int64_t k = 0; k < items; ++k) {
    SCOPED_TRACE("known determinant " + std::to_string(k));
    KnownProduct const& known = want[static_cast<std::size_t>(k)];
    expect_known<T>(n, d.at(k, 0, 0), known, codes.at(k, 0, 0));
    expect_known_log<T>(n, logs.at(k, 0, 0), signs.at(k, 0, 0), known);
    EXPECT_EQ(codes_of_log.at(k, 0, 0), 0);
  }
}

/// invert(a, x, codes), find(a, d, codes) and find_log(a, logs, signs, codes) run a call. Residuals
/// of inverses and determinants are bounded by the condition number of the matrix, computed by LU
/// in long double.
template <class T, class Invert, class Find, class FindLog>
void check_inverse(int n, std::int64_t items, Arranged how, Random& random, Invert const& invert,
                   Find const& find, FindLog const& find_log) {
  SCOPED_TRACE(std::to_string(items) + " items of " + std::to_string(n) + " rows, arranged " +
               std::to_string(int(how)));
  ArrangedBatch<T> const a(items, n, n, how), x(items, n, n, how), d(items, 1, 1, how),
      logs(items, 1, 1, how), signs(items, 1, 1, how);
  auto const codes_of = [&] { return ArrangedBatch<int>(items, 1, 1, Arranged::item_contiguous); };
  auto const codes = codes_of(), codes_of_d = codes_of(), codes_of_log = codes_of();
  for (std::int64_t k = 0; k < items; ++k) put(a, k, lu_matrix<T>(random, n, k));
  a.upload();
  invert(a, x, codes), find(a, d, codes_of_d), find_log(a, logs, signs, codes_of_log);
  x.download(), d.download(), logs.download(), signs.download();
  codes.download(), codes_of_d.download(), codes_of_log.download();
  expect_only_items(x);
  for (std::int64_t k = 0; k < items; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    LuKind const kind = lu_kind(k);
    if (kind == LuKind::not_a_number) {
      ASSERT_EQ(Status::reason(codes.at(k, 0, 0)), Reason::not_finite);
      ASSERT_EQ(codes_of_log.at(k, 0, 0), codes_of_d.at(k, 0, 0));
      ASSERT_EQ(codes_of_d.at(k, 0, 0), codes.at(k, 0, 0));
      ASSERT_TRUE(std::isnan(d.at(k, 0, 0)) && std::isnan(logs.at(k, 0, 0)) &&
                  std::isnan(signs.at(k, 0, 0)) && std::isnan(x.at(k, n - 1, n - 1)));
      continue;
    }
    // With many rows it can be too large.
    ASSERT_EQ(codes_of_d.at(k, 0, 0),
              std::isfinite(d.at(k, 0, 0)) ? 0 : Status::code(Reason::not_finite, 0));
    ASSERT_EQ(codes_of_log.at(k, 0, 0), 0);
    if (kind == LuKind::zero_column) {
      ASSERT_EQ(Status::reason(codes.at(k, 0, 0)), Reason::singular);
      ASSERT_EQ(d.at(k, 0, 0), 0);
      ASSERT_EQ(signs.at(k, 0, 0), 0);
      ASSERT_EQ(logs.at(k, 0, 0), -std::numeric_limits<T>::infinity());
      for (int i = 0; i < n; ++i) ASSERT_TRUE(std::isnan(x.at(k, i, i)));
      continue;
    }
    if (kind == LuKind::tiny) continue;  // inverses overflow
    Dense const ak = item(a, k), xk = item(x, k);
    ASSERT_EQ(codes.at(k, 0, 0), 0);
    // a x - 1 row by row: |P' L| |U| |x| is at most the growth, here less than 8 n, times |a| |x|.
    Dense const size = abs(ak) * abs(xk);
    long double largest = 0;
    for (int j = 0; j < n; ++j) {
      long double sum = 0;
      for (int i = 0; i < n; ++i) sum += size(i, j);
      largest = std::max(largest, sum);
    }
    ASSERT_TRUE(near(ak * xk, eye(n), Dense(n, n, tolerance<T>(3 * n, 8 * n * largest))));
    auto const [log_size, sign] = log_determinant(ak);
    long double const few = tolerance<T>(3 * n, 8 * n * largest);
    if (few > 0.1L) continue;  // the sign is not certain
    ASSERT_EQ(signs.at(k, 0, 0), T(sign));
    ASSERT_NEAR(double(logs.at(k, 0, 0)), double(log_size),
                double(few + tolerance<T>(n, n + std::fabs(log_size))));
    if (std::fabs(log_size) < 80) {
      ASSERT_NEAR(double(d.at(k, 0, 0) / std::exp(log_size)), double(sign), double(2 * few));
    }
  }
  check_known_determinants<T>(n, std::min<std::int64_t>(items, 31), how, random, find, find_log);
}

/// Each column of the item has one non-zero entry, and one of these is among the smallest numbers.
/// No zero may be chosen as its pivot. In item k it is in row k. The other columns have a one in
/// another row.
template <class T, class Solve>
void check_smallest_number(int n, Solve const& solve) {
  SCOPED_TRACE(std::to_string(n) + " rows");
  T const tiny = 3 * std::numeric_limits<T>::denorm_min();
  ArrangedBatch<T> const a(n, n, n, Arranged::item_contiguous),
      x(n, n, 1, Arranged::item_contiguous);
  ArrangedBatch<int> const codes(n, 1, 1, Arranged::item_contiguous);
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i) {
      int const own = i < k ? i + 1 : i > k ? i : 0;
      for (int j = 0; j < n; ++j) a.at(k, i, j) = T(0);
      a.at(k, i, own) = i == k ? tiny : T(1);
      x.at(k, i, 0) = i == k ? 5 * tiny : T(own + 1);
    }
  a.upload(), x.upload();
  solve(a, x, codes);
  x.download(), codes.download();
  for (int k = 0; k < n; ++k) {
    EXPECT_EQ(codes.at(k, 0, 0), 0) << "item " << k;
    for (int j = 0; j < n; ++j) {
      T const want = j == 0 ? T(5) : T(j + 1);
      EXPECT_NEAR(x.at(k, j, 0), want, 4 * want * std::numeric_limits<T>::epsilon())
          << "item " << k;
    }
  }
}

}  // namespace Batchwork::Test

#endif
