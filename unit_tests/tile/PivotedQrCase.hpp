// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// pivoted_qr in a sequence, and checks of its results item by item. Tests run map, or device
/// kernels on threads of a host.
#ifndef BATCHWORK_TEST_PIVOTEDQR_CASE_HPP
#define BATCHWORK_TEST_PIVOTEDQR_CASE_HPP

#include "tile/QrCase.hpp"

namespace Batchwork::Test {

struct FactorByPivotedQr {
  template <class R, class F, class P, class X, class K, class A, class V, class W>
  KOKKOS_FUNCTION void operator()(R& r, F& full, P& order, X& turned_back, K& rank, A const& a,
                                  V const& numbers, W const& w) const {
    auto const f = pivoted_qr(a);
    r = f.r();
    full = f.full_q();
    order = f.permute(numbers);
    turned_back = f.apply_qt(w);
    rank = f.rank();
  }
};
struct SolveByPivotedQr {
  template <class X, class Y, class Z, class A, class B, class W>
  KOKKOS_FUNCTION void operator()(X& x, Y& y, Z& by_svd, A const& a, B const& b, W const& w) const {
    auto const f = pivoted_qr(a);
    x = solve(f, b);
    y = f.solve(w, scalar_t<value_t<A>>(0.001));
    by_svd = svd(a).solve(b);
  }
};

/// The matrices for qr, and matrices with rows or columns so tiny that their squares are lost.
template <class T>
Dense pivoted_qr_matrix(Random& random, int m, int n, std::int64_t k) {
  Dense a = qr_matrix<T>(random, m, n, k);
  // Some bits of their squares are left.
  long double const lost =
      std::sqrt(static_cast<long double>(std::numeric_limits<T>::denorm_min()));
  if (qr_kind(k) == QrKind::triangular)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        if (k / 10 % 2 == 0 ? i > 0 : j > 0) a(i, j) = static_cast<T>(random() * lost);
  // The last column is a multiple of the first.
  if (qr_kind(k) == QrKind::random && k / 10 % 2 == 1)
    for (int i = 0; i < m; ++i) a(i, n - 1) = 2 * a(i, 0);
  return a;
}

template <class T, class Layout, int M, int N, class Run>
void expect_pivoted_qr(std::int64_t n, Run const& run) {
  constexpr int K = M < N ? M : N;
  Random random(211);
  BatchIn<T, Layout, M, N> a(n);
  BatchIn<T, Layout, K, N> r(n), clean(n);
  BatchIn<T, Layout, M, M> full(n);
  BatchIn<T, Layout, N> order(n), numbers(n);
  BatchIn<T, Layout, M> w(n), turned_back(n);
  BatchIn<T, Left> rank(n);
  BatchIn<int, Left> codes(n);
  a.fill([&](std::int64_t k) { return pivoted_qr_matrix<T>(random, M, N, k); });
  numbers.fill([](std::int64_t) { return make_dense(N, 1, [](int i, int) { return i; }); });
  w.randomise(random);
  auto const factor = [&](auto& of_r) {
    run(FactorByPivotedQr{}, out(of_r.view()), out(full.view()), out(order.view()),
        out(turned_back.view()), out(rank.view()), in(a.const_view()), in(numbers.const_view()),
        in(w.const_view()), status(codes.view()));
    of_r.download(), full.download(), order.download(), turned_back.download(), rank.download();
    codes.download();
  };
  factor(r);
  long double const few = 10 * std::max(M, N) * epsilon<T>,
                    step = std::numeric_limits<T>::denorm_min();
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(M) + " x " +
                 std::to_string(N));
    QrKind const kind = qr_kind(k);
    if (kind == QrKind::not_a_number) {
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::not_finite);
      EXPECT_EQ(Status::info(codes.at(k)), int(k / 10) % N + 1);
      continue;
    }
    ASSERT_EQ(codes.at(k), 0);
    Dense const ak = a.dense(k), rk = r.dense(k), qk = full.dense(k), ok = order.dense(k);
    std::vector<bool> seen(static_cast<std::size_t>(N), false);
    for (int j = 0; j < N; ++j) {
      ASSERT_TRUE(ok(j) >= 0 && ok(j) < N && !seen[std::size_t(ok(j))]) << j;
      seen[std::size_t(ok(j))] = true;
    }
    Dense const permuted = make_dense(M, N, [&](int i, int j) { return ak(i, int(ok(j))); });
    EXPECT_TRUE(near(transpose(qk) * qk, eye(M), Dense(M, M, few)));
    for (int i = 0; i < K; ++i)
      for (int j = 0; j < i; ++j) ASSERT_EQ(rk(i, j), 0) << i << ", " << j;
    long double const largest = column_norm(permuted, 0), slack = few * largest + M * step;
    Dense const q = make_dense(M, K, [&](int i, int j) { return qk(i, j); });
    EXPECT_TRUE(near(q * rk, permuted, Dense(M, N, slack)));
    // The remainder of each column is not longer than the diagonal entry (Golub and Van Loan, 4th
    // edition, section 5.4.2).
    for (int i = 0; i < K; ++i)
      for (int j = i; j < N; ++j) {
        long double left = 0;
        for (int p = i; p <= std::min(j, K - 1); ++p) left = std::hypot(left, rk(p, j));
        EXPECT_LE(left, std::fabs(rk(i, i)) * (1 + few) + few * epsilon<T> * largest + M * step)
            << i << ", " << j;
      }
    EXPECT_TRUE(near(turned_back.dense(k), transpose(qk) * w.dense(k),
                     Dense(M, 1, few * std::sqrt((long double)(M)))));
    bool const twice = kind == QrKind::random && k / 10 % 2 == 1 && N > 1;
    if (kind == QrKind::zero) {
      EXPECT_EQ(rank.at(k), T(0));
    } else if ((kind == QrKind::zero_column || twice) && M >= N) {
      EXPECT_EQ(rank.at(k), T(N - 1));
    } else if (kind == QrKind::random && !twice) {
      EXPECT_EQ(rank.at(k), T(K));
    }
#if defined(BATCHWORK_HAVE_LAPACK)
    if (kind == QrKind::random && !twice) {
      Dense const truth = Lapack::geqp3(ak, ok);
      EXPECT_TRUE(near(rk, truth, Dense(K, N, 10 * slack)));
    }
#endif
  }
  EXPECT_EQ(r.poisoned(), r.outside());
  EXPECT_EQ(order.poisoned(), order.outside());

  // Neighbours are bitwise the same, for any column exchanges of an item.
  auto const changed = [](std::int64_t k) {
    return qr_kind(k) == QrKind::not_a_number || qr_kind(k) == QrKind::hilbert;
  };
  for (std::int64_t k = 0; k < n; ++k)
    if (changed(k)) a.put(k, random_dense<T>(random, M, N));
  a.upload();
  factor(clean);
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(codes.at(k), 0) << k;
    if (changed(k)) continue;
    for (int i = 0; i < K; ++i)
      for (int j = 0; j < N; ++j) EXPECT_TRUE(same_bits(clean.at(k, i, j), r.at(k, i, j))) << k;
  }
}

/// Matrices of every rank from 0 to K, each the product of two random ones. The reference is
/// computed in long double from the product: x = R' (R R')^-1 (L' L)^-1 L' b for a = L R. It is
/// also compared with svd.
template <class T, class Layout, int M, int N, int C, class Run>
void expect_shortest_solutions(std::int64_t n, Run const& run) {
  constexpr int K = M < N ? M : N;
  Random random(223);
  BatchIn<T, Layout, M, N> a(n);
  BatchIn<T, Layout, M, C> b(n);
  BatchIn<T, Layout, N, C> x(n), by_svd(n);
  BatchIn<T, Layout, M> w(n);
  BatchIn<T, Layout, N> y(n);
  BatchIn<int, Left> codes(n);
  std::vector<Dense> left, right;
  a.fill([&](std::int64_t k) {
    int const rank = int(k % (K + 1));
    // Whole numbers, so that the product has exactly its rank. Large diagonals keep the condition
    // number small.
    auto const some = [&](int i, int j) { return random.integer(-2, 2) + (i == j ? 4 * K : 0); };
    left.push_back(make_dense(M, rank, some));
    right.push_back(make_dense(rank, N, some));
    return left.back() * right.back();
  });
  b.randomise(random), w.randomise(random);
  run(SolveByPivotedQr{}, out(x.view()), out(y.view()), out(by_svd.view()), in(a.const_view()),
      in(b.const_view()), in(w.const_view()), status(codes.view()));
  x.download(), y.download(), by_svd.download(), codes.download();
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(M) + " x " +
                 std::to_string(N) + ", rank " + std::to_string(k % (K + 1)));
    ASSERT_EQ(codes.at(k), 0);
    Dense const &l = left[std::size_t(k)], &r = right[std::size_t(k)];
    Dense const ll = transpose(l) * l, rr = r * transpose(r);
    auto const truth = [&](Dense const& of) {
      if (l.cols == 0) return Dense(N, of.cols, 0);
      return transpose(r) * solve_spd(rr, solve_spd(ll, transpose(l) * of));
    };
    // The condition number of a is at most the product of those of its factors.
    long double const cond = l.cols == 0 ? 1 : std::sqrt(condition_spd(ll) * condition_spd(rr));
    auto const solves = [&](auto const& got, Dense const& of) {
      Dense const want = truth(of);
      // (Golub and Van Loan, 4th edition, theorem 5.3.1.)
      long double const size = norm1(want) + norm1(of) / std::max(1.0L, norm1(a.dense(k)));
      EXPECT_TRUE(near(got, want, tolerance<T>(M + N, size, cond * cond)));
    };
    solves(x.dense(k), b.dense(k));
    solves(y.dense(k), w.dense(k));
    solves(by_svd.dense(k), b.dense(k));
  }
  EXPECT_EQ(x.poisoned(), x.outside());
}

}  // namespace Batchwork::Test

#endif
