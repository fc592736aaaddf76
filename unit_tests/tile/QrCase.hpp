// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// qr in a sequence, and checks of its results item by item. Tests run map, or device kernels on
/// threads of a host.
#ifndef BATCHWORK_TEST_QR_CASE_HPP
#define BATCHWORK_TEST_QR_CASE_HPP

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

struct FactorByQr {
  template <class R, class Q, class F, class X, class Y, class A, class B, class W>
  KOKKOS_FUNCTION void operator()(R& r, Q& q, F& full, X& turned, Y& turned_back, A const& a,
                                  B const& b, W const& w) const {
    auto const f = qr(a);
    r = f.r();
    q = f.q();
    full = f.full_q();
    turned = f.apply_q(b);
    turned_back = f.apply_qt(w);
  }
};
struct LeastSquaresByQr {
  template <class X, class Y, class A, class B, class W>
  KOKKOS_FUNCTION void operator()(X& x, Y& y, A const& a, B const& b, W const& w) const {
    auto const f = qr(a);
    x = solve(f, b);
    y = f.solve(w);
  }
};

/// The kinds of items.
enum class QrKind {
  random,
  graded_rows,
  graded_columns,
  hilbert,
  zero_column,
  zero,
  huge,
  tiny,
  triangular,
  not_a_number
};
inline QrKind qr_kind(std::int64_t k) { return QrKind(k % 10); }

template <class T>
Dense qr_matrix(Random& random, int m, int n, std::int64_t k) {
  Dense a = random_dense<T>(random, m, n);
  int const at = int(k / 10) % n, most = std::max(m, n);
  auto const graded = [&](int i) { return std::ldexp(1.0L, 53 * i / most - 26); };
  auto const made = [&](auto entry) {
    return make_dense(m, n, [&](int i, int j) { return static_cast<T>(entry(i, j)); });
  };
  switch (qr_kind(k)) {
    case QrKind::random: return a;
    case QrKind::graded_rows: return made([&](int i, int j) { return a(i, j) * graded(i); });
    case QrKind::graded_columns: return made([&](int i, int j) { return a(i, j) * graded(j); });
    case QrKind::hilbert: return made([&](int i, int j) { return 1.0L / (i + j + 1); });
    case QrKind::zero_column: return made([&](int i, int j) { return j == at ? 0 : a(i, j); });
    case QrKind::zero: return made([&](int, int) { return 0; });
    case QrKind::huge:
      return made([&](int i, int j) {
        return a(i, j) * static_cast<long double>(std::numeric_limits<T>::max()) / (4 * most);
      });
    case QrKind::tiny:
      return made([&](int i, int j) {
        return a(i, j) * static_cast<long double>(std::numeric_limits<T>::min());
      });
    case QrKind::triangular: return made([&](int i, int j) { return i > j ? 0 : a(i, j); });
    case QrKind::not_a_number: a((at + m / 2) % m, at) = std::numeric_limits<T>::quiet_NaN();
  }
  return a;
}

/// The 2-norm of column j.
inline long double column_norm(Dense const& a, int j) {
  long double s = 0;
  for (int i = 0; i < a.rows; ++i) s = std::hypot(s, a(i, j));
  return s;
}

/// run(sequence, operands...) is a call of map. Error bounds by columns as in Higham, Accuracy and
/// Stability of Numerical Algorithms, 2nd edition, theorem 19.4: a constant times M N eps. Observed
/// errors are at most c M eps.
template <class T, class Layout, int M, int N, int C, class Run>
void expect_qr(std::int64_t n, Run const& run) {
  constexpr int K = M < N ? M : N;
  Random random(97);
  BatchIn<T, Layout, M, N> a(n);
  BatchIn<T, Layout, K, N> r(n);
  BatchIn<T, Layout, M, K> q(n);
  BatchIn<T, Layout, M, M> full(n);
  BatchIn<T, Layout, M, C> b(n), turned(n), clean(n);
  BatchIn<T, Layout, M> w(n), turned_back(n);
  BatchIn<int, Left> codes(n);
  a.fill([&](std::int64_t k) { return qr_matrix<T>(random, M, N, k); });
  b.randomise(random), w.randomise(random);
  auto const factor = [&](auto& of_b) {
    run(FactorByQr{}, out(r.view()), out(q.view()), out(full.view()), out(of_b.view()),
        out(turned_back.view()), in(a.const_view()), in(b.const_view()), in(w.const_view()),
        status(codes.view()));
    r.download(), q.download(), full.download(), of_b.download(), turned_back.download();
    codes.download();
  };
  factor(turned);
  long double const few = 10 * std::max(M, N) * epsilon<T>,
                    step = std::numeric_limits<T>::denorm_min();
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(M) + " x " +
                 std::to_string(N));
    Dense const ak = a.dense(k), rk = r.dense(k), qk = full.dense(k), bk = b.dense(k),
                wk = w.dense(k);
    if (qr_kind(k) == QrKind::not_a_number) {
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::not_finite);
      EXPECT_EQ(Status::info(codes.at(k)), int(k / 10) % N + 1);
      continue;
    }
    ASSERT_EQ(codes.at(k), 0);
    for (int i = 0; i < K; ++i)
      for (int j = 0; j < i; ++j) ASSERT_EQ(rk(i, j), 0) << i << ", " << j;
    EXPECT_TRUE(near(transpose(qk) * qk, eye(M), Dense(M, M, few)));
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < K; ++j) ASSERT_TRUE(same_bits(q.at(k, i, j), full.at(k, i, j)));
    Dense allowed(M, N, 0);
    for (int j = 0; j < N; ++j)
      for (int i = 0; i < M; ++i) allowed(i, j) = few * column_norm(ak, j) + M * step;
    EXPECT_TRUE(near(q.dense(k) * rk, ak, allowed));
    // The sign of LAPACK's larfg: opposite to a(0, 0), unless all entries below are zero.
    bool below = false;
    for (int i = 1; i < M; ++i) below = below || ak(i, 0) != 0;
    if (!below) {
      EXPECT_EQ(rk(0, 0), ak(0, 0));
    } else if (ak(0, 0) != 0) {
      EXPECT_EQ(rk(0, 0) < 0, ak(0, 0) > 0);
    }
    EXPECT_TRUE(near(turned.dense(k), qk * bk, Dense(M, C, few * std::sqrt((long double)(M)))));
    EXPECT_TRUE(near(turned_back.dense(k), transpose(qk) * wk,
                     Dense(M, 1, few * std::sqrt((long double)(M)))));
  }
  EXPECT_EQ(r.poisoned(), r.outside());
  EXPECT_EQ(full.poisoned(), full.outside());

  // Neighbours of a failed item must be bitwise the same as without the failure.
  for (std::int64_t k = 0; k < n; ++k)
    if (qr_kind(k) == QrKind::not_a_number) a.put(k, random_dense<T>(random, M, N));
  a.upload();
  factor(clean);
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(codes.at(k), 0) << k;
    if (qr_kind(k) == QrKind::not_a_number) continue;
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < C; ++j)
        EXPECT_TRUE(same_bits(clean.at(k, i, j), turned.at(k, i, j))) << k;
  }
}

/// The size of the last diagonal entry of R: the part of the last column that is orthogonal to the
/// others, by Gram-Schmidt, applied twice.
inline long double last_of_r(Dense a) {
  for (int j = 0; j < a.cols; ++j) {
    for (int k = 0; k < 2 * j; ++k) {
      long double dot = 0;
      for (int i = 0; i < a.rows; ++i) dot += a(i, k % j) * a(i, j);
      for (int i = 0; i < a.rows; ++i) a(i, j) -= dot * a(i, k % j);
    }
    if (j + 1 == a.cols) break;
    long double const norm = column_norm(a, j);
    for (int i = 0; i < a.rows; ++i) a(i, j) /= norm;
  }
  return column_norm(a, a.cols - 1);
}

/// Least squares: A' (b - A x) must be as small as for a matrix and a right-hand side that differ
/// by c M eps.
template <class T, class Layout, int M, int N, int C, class Run>
void expect_least_squares(std::int64_t n, Run const& run) {
  Random random(101);
  BatchIn<T, Layout, M, N> a(n);
  BatchIn<T, Layout, M, C> b(n);
  BatchIn<T, Layout, N, C> x(n);
  BatchIn<T, Layout, M> w(n);
  BatchIn<T, Layout, N> y(n);
  BatchIn<int, Left> codes(n);
  a.fill([&](std::int64_t k) { return qr_matrix<T>(random, M, N, k); });
  b.randomise(random), w.randomise(random);
  run(LeastSquaresByQr{}, out(x.view()), out(y.view()), in(a.const_view()), in(b.const_view()),
      in(w.const_view()), status(codes.view()));
  x.download(), y.download(), codes.download();
  auto const frobenius = [](Dense const& z) {
    long double s = 0;
    for (int j = 0; j < z.cols; ++j) s = std::hypot(s, column_norm(z, j));
    return s;
  };
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(M) + " x " +
                 std::to_string(N));
    QrKind const kind = qr_kind(k);
    if (kind == QrKind::not_a_number) {
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::not_finite);
      continue;
    }
    if (kind == QrKind::zero || kind == QrKind::zero_column) {
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::singular);
      EXPECT_EQ(Status::info(codes.at(k)), kind == QrKind::zero ? 1 : int(k / 10) % N + 1);
      continue;
    }
    // The solutions of these overflow or are inaccurate, because their columns and the right-hand
    // sides have very different sizes.
    if (kind == QrKind::tiny || kind == QrKind::huge) continue;
    Dense const ak = a.dense(k);
    long double const size = frobenius(ak);
    // If the matrix is singular to rounding, the last diagonal entry of R can be zero.
    if (kind == QrKind::graded_rows && codes.at(k) == Status::code(Reason::singular, N)) {
      ASSERT_LE(last_of_r(ak), 10 * M * epsilon<T> * size);
      continue;
    }
    ASSERT_EQ(codes.at(k), 0);
    auto const solves = [&](Dense const& z, Dense const& right, char const* what) {
      Dense const gradient = transpose(ak) * (right - ak * z);
      for (int c = 0; c < z.cols; ++c)
        EXPECT_LE(column_norm(gradient, c),
                  20 * M * epsilon<T> * size * (size * column_norm(z, c) + column_norm(right, c)))
            << what;
    };
    solves(x.dense(k), b.dense(k), "columns");
    solves(y.dense(k), w.dense(k), "one column");
  }
  EXPECT_EQ(x.poisoned(), x.outside());
}

}  // namespace Batchwork::Test

#endif
