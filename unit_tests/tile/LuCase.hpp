// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// lu in a sequence, and checks of its results item by item. Tests run map, or device kernels on
/// threads of a host.
#ifndef BATCHWORK_TEST_LU_CASE_HPP
#define BATCHWORK_TEST_LU_CASE_HPP

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

struct FactorAndSolveByLu {
  template <class L, class U, class P, class X, class Y, class V, class D, class A, class B,
            class W>
  KOKKOS_FUNCTION void operator()(L& l, U& u, P& permuted, X& x, Y& y, V& inverted, D& det,
                                  A const& a, B const& b, W const& w) const {
    auto const f = lu(a);
    l = f.lower();
    u = f.upper();
    permuted = f.permute(a);
    x = solve(f, b);
    y = f.solve(w);
    inverted = inverse(f);
    det = determinant(f);
  }
};

/// The same without factors.
struct SolveAndInvert {
  template <class Y, class V, class A, class W>
  KOKKOS_FUNCTION void operator()(Y& y, V& inverted, A const& a, W const& w) const {
    y = solve(a, w);
    inverted = inverse(a);
  }
};

/// The kinds of items.
enum class LuKind { random, graded, zero_diagonal, zero_column, tiny, not_a_number };
inline LuKind lu_kind(std::int64_t k) { return LuKind(k % 6); }

template <class T>
Dense lu_matrix(Random& random, int n, std::int64_t k) {
  Dense a = random_dense<T>(random, n, n);
  int const at = int(k / 6) % n;
  switch (lu_kind(k)) {
    case LuKind::random: break;
    case LuKind::graded:
      // The determinant is a finite number.
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          a(i, j) = std::ldexp(a(i, j), ((i + at) % n - n / 2) * (sizeof(T) == 4 ? 12 : 60) / n);
      break;
    case LuKind::zero_diagonal:
      for (int i = 0; i < n && n > 1; ++i) a(i, i) = 0;
      break;
    case LuKind::zero_column:
      for (int i = 0; i < n; ++i) a(i, at) = 0;
      break;
    // Pivots whose reciprocals are not finite numbers.
    case LuKind::tiny:
      a = make_dense(n, n, [&](int i, int j) {
        return static_cast<T>(a(i, j) * static_cast<long double>(std::numeric_limits<T>::min()) /
                              2);
      });
      break;
    case LuKind::not_a_number: a((at + n / 2) % n, at) = std::numeric_limits<T>::quiet_NaN(); break;
  }
  return a;
}

/// The determinant, and the condition number in the 1-norm, in long double by complete pivoting.
inline long double determinant(Dense a) {
  int const n = a.rows;
  long double det = 1;
  for (int k = 0; k < n; ++k) {
    int p = k, q = k;
    for (int i = k; i < n; ++i)
      for (int j = k; j < n; ++j)
        if (std::fabs(a(i, j)) > std::fabs(a(p, q))) p = i, q = j;
    if (a(p, q) == 0) return 0;
    for (int j = 0; j < n; ++j) std::swap(a(k, j), a(p, j));
    for (int i = 0; i < n; ++i) std::swap(a(i, k), a(i, q));
    if ((p != k) != (q != k)) det = -det;
    det *= a(k, k);
    for (int i = k + 1; i < n; ++i)
      for (int j = n - 1; j >= k; --j) a(i, j) -= a(i, k) / a(k, k) * a(k, j);
  }
  return det;
}

/// run(sequence, operands...) is a call of map. Errors are bounded as in Higham, Accuracy and
/// Stability of Numerical Algorithms, 2nd edition, theorem 9.4: by 3 n eps |L| |U| of the returned
/// factors.
template <class T, class Layout, int N, int C, class Run>
void expect_lu(std::int64_t n, Run const& run) {
  Random random(91);
  BatchIn<T, Layout, N, N> a(n), l(n), u(n), permuted(n), inverted(n);
  BatchIn<T, Layout, N, C> b(n), x(n);
  BatchIn<T, Layout, N> w(n), y(n);
  BatchIn<T, Left> det(n);
  BatchIn<int, Left> codes(n);
  auto const scale = [](std::int64_t k) {
    return lu_kind(k) == LuKind::tiny ? std::numeric_limits<T>::min() : T(1);
  };
  a.fill([&](std::int64_t k) { return lu_matrix<T>(random, N, k); });
  b.fill([&](std::int64_t k) {
    return make_dense(N, C, [&](int, int) { return static_cast<T>(random()) * scale(k); });
  });
  w.fill([&](std::int64_t k) {
    return make_dense(N, 1, [&](int, int) { return static_cast<T>(random()) * scale(k); });
  });
  run(FactorAndSolveByLu{}, out(l.view()), out(u.view()), out(permuted.view()), out(x.view()),
      out(y.view()), out(inverted.view()), out(det.view()), in(a.const_view()), in(b.const_view()),
      in(w.const_view()), status(codes.view()));
  l.download(), u.download(), permuted.download(), x.download(), y.download();
  inverted.download(), det.download(), codes.download();
  BatchIn<T, Layout, N, N> inverted_alone(n);
  BatchIn<T, Layout, N> y_alone(n);
  BatchIn<int, Left> codes_alone(n);
  run(SolveAndInvert{}, out(y_alone.view()), out(inverted_alone.view()), in(a.const_view()),
      in(w.const_view()), status(codes_alone.view()));
  y_alone.download(), inverted_alone.download(), codes_alone.download();

  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(N) + " rows");
    Dense const ak = a.dense(k), pk = permuted.dense(k), lk = l.dense(k), uk = u.dense(k);
    LuKind const kind = lu_kind(k);
    if (kind != LuKind::tiny) {
      EXPECT_EQ(codes_alone.at(k), codes.at(k));
    }
    if (kind == LuKind::not_a_number) {
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::not_finite);
      EXPECT_GE(Status::info(codes.at(k)), 1);
      EXPECT_FALSE(std::isfinite(det.at(k)));
      EXPECT_FALSE(std::isfinite(y.at(k, 0)));
      continue;
    }
    int const zero = kind == LuKind::zero_column ? int(k / 6) % N + 1 : 0;
    ASSERT_EQ(Status::info(codes.at(k)), zero);
    // The inverse of tiny numbers overflows, and map reports this.
    if (kind != LuKind::tiny) {
      ASSERT_EQ(Status::reason(codes.at(k)), zero > 0 ? Reason::singular : Reason::success);
    }
#if defined(BATCHWORK_HAVE_LAPACK)
    EXPECT_EQ(Lapack::getrf_info<T>(ak), zero);
#endif
    // P a contains each row of a once.
    std::vector<int> row(N, -1);
    for (int i = 0; i < N; ++i)
      for (int r = 0; r < N && row[std::size_t(i)] < 0; ++r) {
        bool same = true;
        for (int j = 0; j < N; ++j) same = same && pk(i, j) == ak(r, j);
        for (int q = 0; q < i; ++q) same = same && row[std::size_t(q)] != r;
        if (same) row[std::size_t(i)] = r;
      }
    for (int i = 0; i < N; ++i) ASSERT_GE(row[std::size_t(i)], 0) << "row " << i;
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) {
        if (j >= i) EXPECT_EQ(lk(i, j), i == j ? 1 : 0);
        else EXPECT_EQ(uk(i, j), 0);
        // Lanes that share an item compare pivots by 20 bits.
        EXPECT_LE(std::fabs(lk(i, j)), 1 + std::max(4 * epsilon<T>, std::ldexp(1.0L, -19)))
            << i << j;
      }
    // Subnormal numbers are rounded to multiples of the smallest one.
    long double const step = std::numeric_limits<T>::denorm_min();
    Dense const size = abs(lk) * abs(uk);
    EXPECT_TRUE(near(lk * uk, pk, tolerance<T>(N, 1) * size + Dense(N, N, 4 * N * step)));
    auto const in_order = [&](Dense const& z) {
      return make_dense(N, z.cols, [&](int i, int j) { return z(row[std::size_t(i)], j); });
    };
    if (zero > 0) {
      EXPECT_EQ(det.at(k), T(0));
      EXPECT_FALSE(std::isfinite(y.at(k, zero - 1)));
      continue;
    }
    auto const solves = [&](Dense const& z, Dense const& right, char const* what) {
      Dense const allowed = tolerance<T>(3 * N, 1) * (size * abs(z)) +
                            4 * N * step * (Dense(N, N, 1) * abs(z) + Dense(N, z.cols, 1));
      EXPECT_TRUE(near(pk * z, in_order(right), allowed)) << what;
    };
    solves(x.dense(k), b.dense(k), "columns");
    solves(y.dense(k), w.dense(k), "one column");
    solves(y_alone.dense(k), w.dense(k), "one column without factors");
    if (kind == LuKind::tiny) continue;
    solves(inverted.dense(k), eye(N), "inverse");
    solves(inverted_alone.dense(k), eye(N), "inverse without factors");
    long double product = 1;
    for (int i = 0; i < N; ++i) product *= uk(i, i);
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < i; ++j)
        if (row[std::size_t(j)] > row[std::size_t(i)]) product = -product;
    EXPECT_NEAR(double(det.at(k)), double(product), double(tolerance<T>(N, product)));
    // The difference of the determinants of a and of the factors: the sum over i, j of |a^-1|
    // |error of a|.
    Dense const inverse = inverted.dense(k);
    EXPECT_NEAR(double(det.at(k)), double(determinant(ak)),
                double(tolerance<T>(2 * N, product, 1 + norm1(abs(inverse)) * norm1(size))));
  }
  EXPECT_EQ(x.poisoned(), x.outside());
  EXPECT_EQ(inverted.poisoned(), inverted.outside());
  EXPECT_EQ(inverted_alone.poisoned(), inverted_alone.outside());

  // Neighbours of a failed item must be bitwise the same as without the failure.
  for (std::int64_t k = 0; k < n; ++k)
    if (lu_kind(k) == LuKind::not_a_number || lu_kind(k) == LuKind::zero_column)
      a.put(k, random_dense<T>(random, N, N));
  a.upload();
  BatchIn<T, Layout, N, C> clean(n);
  run(FactorAndSolveByLu{}, out(l.view()), out(u.view()), out(permuted.view()), out(clean.view()),
      out(y.view()), out(inverted.view()), out(det.view()), in(a.const_view()), in(b.const_view()),
      in(w.const_view()), status(codes.view()));
  clean.download(), codes.download();
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(Status::info(codes.at(k)), 0) << k;
    if (lu_kind(k) == LuKind::not_a_number || lu_kind(k) == LuKind::zero_column) continue;
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < C; ++j) EXPECT_TRUE(same_bits(clean.at(k, i, j), x.at(k, i, j))) << k;
  }
}

}  // namespace Batchwork::Test

#endif
