// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Checks of qr and least_squares on matrices with extents known at run time. Tests run the verbs,
/// or the device kernels on threads of a host.
#ifndef BATCHWORK_TEST_QR_VERBS_CASE_HPP
#define BATCHWORK_TEST_QR_VERBS_CASE_HPP

#include "dense/lu/LuVerbsCase.hpp"
#include "tile/QrCase.hpp"

namespace Batchwork::Test {

inline std::string shape_of_call(int m, int n, std::int64_t items, Arranged how) {
  return std::to_string(items) + " items of " + std::to_string(m) + " x " + std::to_string(n) +
         ", arranged " + std::to_string(int(how));
}
template <class T>
void put_qr_matrices(ArrangedBatch<T> const& a, Random& random) {
  for (std::int64_t k = 0; k < a.items; ++k) put(a, k, qr_matrix<T>(random, a.rows, a.cols, k));
  a.upload();
}
/// Replaces matrices that contain NaN, so that no item fails.
template <class T>
void replace_failing(ArrangedBatch<T> const& a, Random& random) {
  for (std::int64_t k = 0; k < a.items; ++k)
    if (qr_kind(k) == QrKind::not_a_number) put(a, k, random_dense<T>(random, a.rows, a.cols));
  a.upload();
}

/// factor(a, q, r, codes) runs a call with this number of columns of Q. Error bounds as in
/// expect_qr.
template <class T, class Factor>
void check_qr(int m, int n, int columns_of_q, std::int64_t items, Arranged how, Random& random,
              Factor const& factor) {
  SCOPED_TRACE(shape_of_call(m, n, items, how));
  int const least = std::min(m, n);
  ArrangedBatch<T> const a(items, m, n, how), q(items, m, columns_of_q, how),
      r(items, least, n, how), clean(items, m, columns_of_q, how);
  ArrangedBatch<int> const codes(items, 1, 1, Arranged::item_contiguous);
  put_qr_matrices(a, random);
  factor(a, q, r, codes);
  q.download(), r.download(), codes.download();
  expect_only_items(q), expect_only_items(r);
  long double const few = 10 * std::max(m, n) * epsilon<T>,
                    step = std::numeric_limits<T>::denorm_min();
  for (std::int64_t k = 0; k < items; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    Dense const ak = item(a, k), qk = item(q, k), rk = item(r, k);
    if (qr_kind(k) == QrKind::not_a_number) {
      ASSERT_EQ(codes.at(k, 0, 0), Status::code(Reason::not_finite, int(k / 10) % n + 1));
      for (int i = 0; i < m; ++i) ASSERT_TRUE(std::isnan(q.at(k, i, 0)));
      for (int j = 0; j < n; ++j) ASSERT_TRUE(std::isnan(r.at(k, 0, j)));
      continue;
    }
    ASSERT_EQ(codes.at(k, 0, 0), 0);
    for (int i = 0; i < least; ++i)
      for (int j = 0; j < i; ++j) ASSERT_EQ(rk(i, j), 0) << i << ", " << j;
    ASSERT_TRUE(
        near(transpose(qk) * qk, eye(columns_of_q), Dense(columns_of_q, columns_of_q, few)));
    Dense const thin = make_dense(m, least, [&](int i, int j) { return qk(i, j); });
    Dense allowed(m, n, 0);
    for (int j = 0; j < n; ++j) {
      long double const few_of_column = few * column_norm(ak, j) + m * step;
      for (int i = 0; i < m; ++i) allowed(i, j) = few_of_column;
    }
    ASSERT_TRUE(near(thin * rk, ak, allowed));
    bool below = false;
    for (int i = 1; i < m; ++i) below = below || ak(i, 0) != 0;
    if (!below) {
      ASSERT_EQ(rk(0, 0), ak(0, 0));
    } else if (ak(0, 0) != 0) {
      ASSERT_EQ(rk(0, 0) < 0, ak(0, 0) > 0);
    }
  }
  // Neighbours of failed items must be bitwise the same as without failures.
  replace_failing(a, random);
  factor(a, clean, r, codes);
  clean.download(), codes.download();
  for (std::int64_t k = 0; k < items; ++k) {
    ASSERT_EQ(codes.at(k, 0, 0), 0);
    for (int i = 0; i < m && qr_kind(k) != QrKind::not_a_number; ++i)
      for (int j = 0; j < columns_of_q; ++j)
        ASSERT_TRUE(same_bits(clean.at(k, i, j), q.at(k, i, j))) << k;
  }
}

inline long double frobenius(Dense const& z) {
  long double s = 0;
  for (int j = 0; j < z.cols; ++j) s = std::hypot(s, column_norm(z, j));
  return s;
}

/// solve(a, b, x, codes) runs a call. A' (b - A x) must be as small as for a matrix and a
/// right-hand side that differ by c M eps. With more unknowns than equations, the residual must be
/// as small, and x must be in the range of A', which is orthogonal to the null space of A.
template <class T, class Solve>
void check_least_squares(int m, int n, int columns, std::int64_t items, Arranged how,
                         Random& random, Solve const& solve) {
  SCOPED_TRACE(shape_of_call(m, n, items, how));
  ArrangedBatch<T> const a(items, m, n, how), b(items, m, columns, how), x(items, n, columns, how);
  ArrangedBatch<int> const codes(items, 1, 1, Arranged::interleaved);
  put_qr_matrices(a, random);
  b.randomise(random);
  solve(a, b, x, codes);
  x.download(), codes.download();
  expect_only_items(x);
  for (std::int64_t k = 0; k < items; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    QrKind const kind = qr_kind(k);
    auto const code = codes.at(k, 0, 0);
    if (kind == QrKind::not_a_number || kind == QrKind::zero ||
        (kind == QrKind::zero_column && m >= n)) {
      ASSERT_EQ(Status::reason(code),
                kind == QrKind::not_a_number ? Reason::not_finite : Reason::singular);
      if (kind == QrKind::zero_column) {
        ASSERT_EQ(Status::info(code), int(k / 10) % n + 1);
      }
      for (int i = 0; i < n; ++i)
        for (int c = 0; c < columns; ++c) ASSERT_TRUE(std::isnan(x.at(k, i, c)));
      continue;
    }
    // The solutions of these overflow or are inaccurate, because their columns and the right-hand
    // sides have very different sizes.
    if (kind == QrKind::tiny || kind == QrKind::huge) continue;
    // For these, rounding can leave only zeros in a column.
    if (kind == QrKind::graded_rows && Status::reason(code) == Reason::singular) continue;
    ASSERT_EQ(code, 0);
    Dense const ak = item(a, k), xk = item(x, k), bk = item(b, k);
    long double const size = frobenius(ak), few = 20 * std::max(m, n) * epsilon<T>;
    Dense const residual = bk - ak * xk, gradient = transpose(ak) * residual;
    for (int c = 0; c < columns; ++c) {
      long double const near_b = few * (size * column_norm(xk, c) + column_norm(bk, c));
      if (m < n && kind != QrKind::zero_column) {
        ASSERT_LE(column_norm(residual, c), near_b);
      }
      ASSERT_LE(column_norm(gradient, c), size * near_b);
    }
    if (m >= n || kind != QrKind::random) continue;
    // x = A' y with y from the normal equations in long double.
    Dense const square = ak * transpose(ak), shortest = transpose(ak) * solve_spd(square, bk),
                l = cholesky(square);
    long double condition = 0;
    for (int i = 0; i < m; ++i) condition = std::max(condition, size / l(i, i));
    for (int c = 0; c < columns; ++c)
      ASSERT_LE(column_norm(xk - shortest, c),
                few * condition * condition * (1 + column_norm(shortest, c)));
  }
}

}  // namespace Batchwork::Test

#endif
