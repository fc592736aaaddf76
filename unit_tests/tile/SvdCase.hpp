// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// svd in a sequence, and checks of its results item by item. Tests run map, or device kernels on
/// threads of a host.
#ifndef BATCHWORK_TEST_SVD_CASE_HPP
#define BATCHWORK_TEST_SVD_CASE_HPP

#include "tile/QrCase.hpp"

namespace Batchwork::Test {

struct FactorBySvd {
  template <class U, class W, class V, class R, class A>
  KOKKOS_FUNCTION void operator()(U& u, W& values, V& v, R& rank, A const& a) const {
    auto const f = svd(a);
    u = f.u();
    values = f.singular_values();
    v = f.v();
    rank = f.rank();
  }
};
struct UseSvd {
  template <class W, class P, class X, class C, class R, class A, class B>
  KOKKOS_FUNCTION void operator()(W& values, P& inverse, X& x, C& of_values, R& counted, A const& a,
                                  B const& b) const {
    values = singular_values(a);
    inverse = pinv(a);
    x = svd(a).solve(b);
    of_values = condition(a);
    counted = rank(a);
  }
};

/// The residual and the loss of orthogonality are within 10 n eps, which bounds the error of all
/// singular values (Golub and Van Loan, 4th edition, corollary 8.6.2).
template <class T>
void expect_singular_triplets(QrKind kind, Dense const& a, Dense const& u, Dense const& w,
                              Dense const& v) {
  int const m = a.rows, n = a.cols, count = std::min(m, n);
  long double const few = 10 * std::max(m, n) * epsilon<T>,
                    step = std::numeric_limits<T>::denorm_min();
  EXPECT_GE(w(count - 1), 0);
  for (int i = 1; i < count; ++i) EXPECT_GE(w(i - 1), w(i));
  EXPECT_TRUE(near(transpose(u) * u, eye(count), Dense(count, count, few)));
  EXPECT_TRUE(near(transpose(v) * v, eye(count), Dense(count, count, few)));
  Dense const scaled = make_dense(m, count, [&](int i, int j) { return u(i, j) * w(j); });
  EXPECT_TRUE(near(scaled * transpose(v), a, Dense(m, n, few * w(0) + m * step)));
#if defined(BATCHWORK_HAVE_LAPACK)
  if (kind != QrKind::huge && kind != QrKind::tiny) {
    auto const values = Lapack::singular_values(a);
    for (int i = 0; i < count; ++i)
      EXPECT_NEAR(double(w(i)), values[std::size_t(i)], double(few * w(0))) << i;
  }
#else
  (void)kind;
#endif
}

/// run(sequence, operands...) is a call of map.
template <class T, class Layout, int M, int N, class Run>
void expect_svd(std::int64_t n, Run const& run) {
  constexpr int K = M < N ? M : N;
  Random random(127);
  BatchIn<T, Layout, M, N> a(n);
  BatchIn<T, Layout, M, K> u(n), clean(n);
  BatchIn<T, Layout, N, K> v(n);
  BatchIn<T, Layout, K> w(n);
  BatchIn<T, Left> rank(n);
  BatchIn<int, Left> codes(n);
  a.fill([&](std::int64_t k) {
    Dense x = qr_matrix<T>(random, M, N, k);
    // The last column is a multiple of the first.
    if (qr_kind(k) == QrKind::triangular)
      for (int i = 0; i < M; ++i) x(i, N - 1) = 2 * x(i, 0);
    return x;
  });
  auto const factor = [&](auto& left) {
    run(FactorBySvd{}, out(left.view()), out(w.view()), out(v.view()), out(rank.view()),
        in(a.const_view()), status(codes.view()));
    left.download(), w.download(), v.download(), rank.download(), codes.download();
  };
  factor(u);
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(M) + " x " +
                 std::to_string(N));
    QrKind const kind = qr_kind(k);
    if (kind == QrKind::not_a_number) {
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::not_finite);
      continue;
    }
    ASSERT_EQ(codes.at(k), 0);
    expect_singular_triplets<T>(kind, a.dense(k), u.dense(k), w.dense(k), v.dense(k));
    if (kind == QrKind::zero) {
      EXPECT_EQ(rank.at(k), T(0));
    } else if (kind == QrKind::zero_column && M >= N) {
      EXPECT_EQ(rank.at(k), T(N - 1));
    }
  }
  EXPECT_EQ(u.poisoned(), u.outside());
  EXPECT_EQ(v.poisoned(), v.outside());

  // Neighbours are bitwise the same, for any number of sweeps of an item.
  for (std::int64_t k = 0; k < n; ++k)
    if (qr_kind(k) == QrKind::not_a_number || qr_kind(k) == QrKind::random)
      a.put(k, Dense(M, N, 0));
  a.upload();
  factor(clean);
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(codes.at(k), 0) << k;
    if (qr_kind(k) == QrKind::not_a_number || qr_kind(k) == QrKind::random) continue;
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < K; ++j) EXPECT_TRUE(same_bits(clean.at(k, i, j), u.at(k, i, j))) << k;
  }
}

/// Results computed from the decomposition, for random matrices. In every third one the last column
/// is a multiple of the first.
template <class T, class Layout, int M, int N, class Run>
void expect_use_of_svd(std::int64_t n, Run const& run) {
  constexpr int K = M < N ? M : N;
  Random random(131);
  BatchIn<T, Layout, M, N> a(n);
  BatchIn<T, Layout, N, M> inverse(n);
  BatchIn<T, Layout, M> b(n);
  BatchIn<T, Layout, N> x(n);
  BatchIn<T, Layout, K> w(n);
  BatchIn<T, Left> of_values(n), counted(n);
  BatchIn<int, Left> codes(n);
  a.fill([&](std::int64_t k) {
    Dense m = random_dense<T>(random, M, N);
    for (int i = 0; i < M && k % 3 == 2; ++i) m(i, N - 1) = 2 * m(i, 0);
    return m;
  });
  constexpr std::int64_t zero = 4;
  a.put(zero, Dense(M, N)), a.upload();
  b.randomise(random);
  run(UseSvd{}, out(w.view()), out(inverse.view()), out(x.view()), out(of_values.view()),
      out(counted.view()), in(a.view()), in(b.view()), status(codes.view()));
  w.download(), inverse.download(), x.download(), of_values.download(), counted.download();
  codes.download();
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(M) + " x " +
                 std::to_string(N));
    if (k == zero) {
      // As in NumPy. The infinite result is reported as a failure.
      EXPECT_EQ(of_values.at(k), std::numeric_limits<T>::infinity());
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::not_finite);
      EXPECT_EQ(counted.at(k), T(0));
      EXPECT_TRUE(equal(inverse.dense(k), Dense(N, M)));
      EXPECT_TRUE(equal(x.dense(k), Dense(N, 1)));
      continue;
    }
    bool const deficient = k % 3 == 2 && N > 1 && N <= M;
    Dense const ak = a.dense(k), pk = inverse.dense(k), xk = x.dense(k), bk = b.dense(k);
    ASSERT_EQ(counted.at(k), T(deficient ? K - 1 : K));
    long double const largest = w.at(k, 0), least = w.at(k, int(counted.at(k)) - 1),
                      kappa = largest / least;
    if (deficient) {
      EXPECT_GE(of_values.at(k), 0.01 / std::numeric_limits<T>::epsilon());
    } else {
      EXPECT_NEAR(double(of_values.at(k)), double(kappa), double(tolerance<T>(4, kappa)));
    }
    // The four Moore-Penrose equations.
    long double const few = 40 * (M + N) * epsilon<T>;
    auto const all = [](Dense const& like, long double x_) {
      return Dense(like.rows, like.cols, x_);
    };
    Dense const apa = ak * pk * ak, pap = pk * ak * pk, ap = ak * pk, pa = pk * ak;
    EXPECT_TRUE(near(apa, ak, all(ak, few * kappa * largest)));
    EXPECT_TRUE(near(pap, pk, all(pk, few * kappa / least)));
    EXPECT_TRUE(near(ap, transpose(ap), all(ap, few * kappa)));
    EXPECT_TRUE(near(pa, transpose(pa), all(pa, few * kappa)));
    EXPECT_TRUE(near(xk, pk * bk, all(xk, few * kappa / least * (1 + norm1(bk)))));
  }
}

}  // namespace Batchwork::Test

#endif
