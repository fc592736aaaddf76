// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Sequences over tiles of complex numbers, and checks of their results item by item. Tests run
/// map, or device kernels on threads of a host. run(sequence, operands...) is a call of map.
#ifndef BATCHWORK_TEST_COMPLEX_CASE_HPP
#define BATCHWORK_TEST_COMPLEX_CASE_HPP

#include "support/ComplexDense.hpp"

namespace Batchwork::Test {

// ---- sums and products --------------------------------------------------------------------------

/// a, b: M x N; c common M x N; r common and real N x M; f fixed.
struct ComplexProducts {
  template <class O0, class O1, class O2, class O3, class O4, class O5, class V, class D, class A,
            class B, class C, class R, class F>
  KOKKOS_FUNCTION void operator()(O0& abh, O1& ahb, O2& atb, O3& sum, O4& ra, O5& cbh, V& column,
                                  D& scalars, A const& a, B const& b, C const& c, R const& r,
                                  F const& f) const {
    constexpr int N = A::cols;
    abh = a * conjugate_transpose(b);
    ahb = conjugate_transpose(a) * b;
    atb = transpose(a) * b;
    sum = a * f - conj(b) + Kokkos::complex<double>(0, 2) * c;
    ra = r * a;
    cbh = c * conjugate_transpose(b) + conjugate_transpose(b * conjugate_transpose(c)) -
          transpose(conjugate_transpose(a)) * transpose(c);
    auto const v = generate<N>([&](int j) { return element(a, 0, j) / element(b, 0, j); });
    column = as_complex(real(a), imag(b)) * v;
    scalars = generate<7>([&](int k) {
      return k == 0   ? dot(a, b)
             : k == 1 ? as_complex(norm1(a), norm_inf(a))
             : k == 2 ? as_complex(norm2(a), max_abs(a))
             : k == 3 ? as_complex(abs(element(a, 0, 0)), real(element(b, 0, 0)))
             : k == 4 ? conj(element(a, 0, 0)) * imag(element(b, 0, 0))
             : k == 5 ? 2 / element(a, 0, 0) - element(b, 0, 0) / 4
                      : select(abs(element(a, 0, 0)) < abs(element(b, 0, 0)), element(a, 0, 0),
                               element(b, 0, 0));
    });
  }
};

template <class T, class Layout, int M, int N, class Run>
void expect_complex_products(std::int64_t n, Run const& run) {
  Random random(31);
  ComplexBatchIn<T, Layout, M, N> a(n), b(n), sum(n);
  ComplexBatchIn<T, Layout, M, M> abh(n), cbh(n);
  ComplexBatchIn<T, Layout, N, N> ahb(n), atb(n), ra(n);
  ComplexBatchIn<T, Layout, M> column(n);
  ComplexBatchIn<T, Layout, 7> scalars(n);
  auto const filled = [&](std::int64_t) { return random_complex<T>(random, M, N); };
  fill_complex(a, filled), fill_complex(b, filled);
  // Common tiles: a complex one and a real one.
  ComplexDense const c = random_complex<T>(random, M, N);
  Kokkos::View<Kokkos::complex<T>[M][N], Kokkos::LayoutRight, Space> common_c("c");
  auto const host_c = Kokkos::create_mirror(Kokkos::HostSpace(), common_c);
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j)
      host_c(std::size_t(i), std::size_t(j)) =
          Kokkos::complex<T>(T(c(i, j).real()), T(c(i, j).imag()));
  Kokkos::deep_copy(common_c, host_c);
  Common<T, N, M> const r(random_dense<T>(random, N, M));
  LongComplex const f(0.5L, -0.25L);
  run(ComplexProducts{}, out(abh.view()), out(ahb.view()), out(atb.view()), out(sum.view()),
      out(ra.view()), out(cbh.view()), out(column.view()), out(scalars.view()), in(a.const_view()),
      in(b.view()), common(common_c), common(r.view),
      common(fixed(Kokkos::complex<T>(T(0.5), T(-0.25)))));
  abh.download(), ahb.download(), atb.download(), sum.download(), ra.download(), cbh.download();
  column.download(), scalars.download();
  Dense const rd = r.dense();
  ComplexDense const rc = make_complex(N, M, [&](int i, int j) { return rd(i, j); });
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(n));
    ComplexDense const x = complex_dense(a, k), y = complex_dense(b, k);
    Dense const sx = sizes(x), sy = sizes(y), sc = sizes(c);
    // Each part of a complex product is two multiply-adds.
    auto const bound = [](int terms, Dense const& size) {
      return tolerance<T>(2 * terms, 1) * size;
    };
    EXPECT_TRUE(near(complex_dense(abh, k), x * adjoint(y), bound(N, sx * transpose(sy))));
    EXPECT_TRUE(near(complex_dense(ahb, k), adjoint(x) * y, bound(M, transpose(sx) * sy)));
    EXPECT_TRUE(near(complex_dense(atb, k), transpose(x) * y, bound(M, transpose(sx) * sy)));
    EXPECT_TRUE(near(complex_dense(ra, k), rc * x, bound(M, abs(rd) * sx)));
    ComplexDense const conj_y = transpose(adjoint(y)), conj_x = transpose(adjoint(x));
    EXPECT_TRUE(near(complex_dense(sum, k), f * x - conj_y + LongComplex(0, 2) * c,
                     bound(3, sx + sy + 2 * sc)));
    EXPECT_TRUE(near(complex_dense(cbh, k),
                     LongComplex(2) * (c * adjoint(y)) - conj_x * transpose(c),
                     bound(3 * N, 2 * (sc * transpose(sy)) + sx * transpose(sc))));
    ComplexDense const v = make_complex(N, 1, [&](int j, int) { return x(0, j) / y(0, j); });
    ComplexDense const parts = make_complex(
        M, N, [&](int i, int j) { return LongComplex(x(i, j).real(), y(i, j).imag()); });
    EXPECT_TRUE(near(complex_dense(column, k), parts * v, bound(N + 4, sizes(parts) * sizes(v))));
    ComplexDense const s = complex_dense(scalars, k);
    LongComplex dot = 0;
    long double dot_size = 0, squares = 0, largest = 0;
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        dot += std::conj(x(i, j)) * y(i, j);
        dot_size += sx(i, j) * sy(i, j);
        squares += sx(i, j) * sx(i, j);
        largest = std::max(largest, sx(i, j));
      }
    long double const few = tolerance<T>(2 * (M * N + 4), 1);
    long double const one = norm1(sx), inf = norm1(transpose(sx)), two = std::sqrt(squares);
    EXPECT_LE(std::abs(s(0) - dot), few * dot_size);
    EXPECT_LE(std::abs(s(1) - LongComplex(one, inf)), few * (one + inf));
    EXPECT_LE(std::abs(s(2) - LongComplex(two, largest)), few * (two + largest));
    EXPECT_LE(std::abs(s(3) - LongComplex(sx(0, 0), y(0, 0).real())), few * (sx(0, 0) + sy(0, 0)));
    EXPECT_LE(std::abs(s(4) - std::conj(x(0, 0)) * y(0, 0).imag()), few * sx(0, 0) * sy(0, 0));
    EXPECT_LE(std::abs(s(5) - (2.0L / x(0, 0) - y(0, 0) / 4.0L)),
              few * (2 / sx(0, 0) + sy(0, 0) / 4));
    EXPECT_EQ(s(6), sx(0, 0) < sy(0, 0) ? x(0, 0) : y(0, 0));
  }
  EXPECT_EQ(abh.poisoned(), abh.outside());
  EXPECT_EQ(atb.poisoned(), atb.outside());
  EXPECT_EQ(column.poisoned(), column.outside());
}

// ---- lu -----------------------------------------------------------------------------------------

struct ComplexLu {
  template <class P, class L, class U, class X, class Y, class I, class D, class A, class B,
            class V>
  KOKKOS_FUNCTION void operator()(P& permuted, L& l, U& u, X& x, Y& y, I& inverted, D& dets,
                                  A const& a, B const& b, V const& v) const {
    auto const f = lu(a);
    permuted = f.permute(a);
    l = f.lower();
    u = f.upper();
    x = f.solve(b);
    y = solve(a, v);
    inverted = f.inverse();
    dets = generate<3>([&](int k) {
      return k == 0 ? f.determinant() : k == 1 ? f.sign() : as_complex(f.log_abs_determinant(), 0);
    });
  }
};

enum class ComplexKind {
  random,
  real,
  imaginary,
  singular,
  not_a_number,
  huge,
  tiny,
  ties,
  triangular
};
inline ComplexKind complex_kind(std::int64_t k) { return ComplexKind(k % 9); }

template <class T>
ComplexDense complex_matrix(Random& random, int m, int n, std::int64_t k) {
  ComplexDense a = random_complex<T>(random, m, n);
  int const at = int(k / 9) % n;
  auto const scaled = [&](long double s) { return LongComplex(s) * a; };
  switch (complex_kind(k)) {
    case ComplexKind::random: break;
    case ComplexKind::real: return make_complex(m, n, [&](int i, int j) { return a(i, j).real(); });
    case ComplexKind::imaginary:
      return make_complex(m, n, [&](int i, int j) { return LongComplex(0, a(i, j).imag()); });
    case ComplexKind::singular:
      for (int i = 0; i < m; ++i) a(i, at) = 0;
      break;
    case ComplexKind::not_a_number:
      a((at + m / 2) % m, at) = {1, std::numeric_limits<T>::quiet_NaN()};
      break;
    case ComplexKind::huge:
      return scaled(static_cast<long double>(std::numeric_limits<T>::max()) / (8 * std::max(m, n)));
    case ComplexKind::tiny:
      return scaled(std::ldexp(static_cast<long double>(std::numeric_limits<T>::min()), 8));
    case ComplexKind::triangular:
      // No rounding errors below a diagonal entry that is not real.
      return make_complex(m, n, [&](int i, int j) { return j < i ? LongComplex(0) : a(i, j); });
    case ComplexKind::ties:
      // 3 + 3 i has the larger |re| + |im|, 5 has the larger modulus.
      if (m > 1) a(0, 0) = 5, a(m - 1, 0) = {3, 3};
      break;
  }
  return a;
}

template <class T, class Layout, int N, int C, class Run>
void expect_complex_lu(std::int64_t n, Run const& run) {
  Random random(37);
  ComplexBatchIn<T, Layout, N, N> a(n), permuted(n), l(n), u(n), inverted(n), clean(n);
  ComplexBatchIn<T, Layout, N, C> b(n), x(n);
  ComplexBatchIn<T, Layout, N> v(n), y(n);
  ComplexBatchIn<T, Layout, 3> dets(n);
  BatchIn<int, Left> codes(n);
  fill_complex(a, [&](std::int64_t k) { return complex_matrix<T>(random, N, N, k); });
  // As large as the matrix, so that solutions are finite.
  auto const scale = [](std::int64_t k) {
    return complex_kind(k) == ComplexKind::huge
               ? static_cast<long double>(std::numeric_limits<T>::max()) / 1024
           : complex_kind(k) == ComplexKind::tiny
               ? static_cast<long double>(std::numeric_limits<T>::min()) * 1024
               : 1.0L;
  };
  fill_complex(
      b, [&](std::int64_t k) { return LongComplex(scale(k)) * random_complex<T>(random, N, C); });
  fill_complex(
      v, [&](std::int64_t k) { return LongComplex(scale(k)) * random_complex<T>(random, N, 1); });
  auto const factor = [&](auto const& inverses) {
    run(ComplexLu{}, out(permuted.view()), out(lower(l.view())), out(u.view()), out(x.view()),
        out(y.view()), out(inverses.view()), out(dets.view()), in(a.const_view()), in(b.view()),
        in(v.view()), status(codes.view()));
    permuted.download(), l.download(), u.download(), x.download(), y.download();
    inverses.download(), dets.download(), codes.download();
  };
  factor(inverted);
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(N) + " rows");
    ComplexKind const kind = complex_kind(k);
    ComplexDense const ak = complex_dense(a, k), pk = complex_dense(permuted, k),
                       lk = complex_dense(l, k), uk = complex_dense(u, k);
    ComplexDense const det = complex_dense(dets, k);
    if (kind == ComplexKind::not_a_number) {
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::not_finite);
      EXPECT_FALSE(std::isfinite(std::abs(det(0))));
      EXPECT_FALSE(std::isfinite(std::abs(complex_dense(y, k)(0))));
      continue;
    }
    int const zero = kind == ComplexKind::singular ? int(k / 9) % N + 1 : 0;
    EXPECT_EQ(Status::info(codes.at(k)), zero);
#if defined(BATCHWORK_HAVE_LAPACK)
    int info = 0;
    std::vector<int> order;
    Lapack::complex_getrf<T>(ak, &info, &order);
    EXPECT_EQ(info, zero);
    // The same rows in the same order.
    if (kind != ComplexKind::singular) {
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) EXPECT_EQ(pk(i, j), ak(order[std::size_t(i)], j)) << i << j;
    }
#endif
    Dense const size = sizes(lk) * sizes(uk);
    long double const step = 8 * N * static_cast<long double>(std::numeric_limits<T>::denorm_min());
    auto const in_order = [&](ComplexDense const& z) {
      return make_complex(N, z.cols, [&](int i, int j) {
        for (int r = 0; r < N; ++r) {
          bool same = true;
          for (int q = 0; q < N; ++q) same = same && pk(i, q) == ak(r, q);
          if (same) return z(r, j);
        }
        ADD_FAILURE() << "P a has a row that a has not";
        return LongComplex(0);
      });
    };
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) {
        if (j >= i) {
          EXPECT_EQ(lk(i, j), LongComplex(i == j ? 1 : 0));
        } else {
          EXPECT_EQ(uk(i, j), LongComplex(0));
        }
        // The pivot has the largest |re| + |im|, so entries of L are at most sqrt(2).
        EXPECT_LE(std::abs(lk(i, j)), std::sqrt(2.0L) + 8 * epsilon<T>);
      }
    EXPECT_TRUE(near(lk * uk, pk, tolerance<T>(3 * N, 1) * size + Dense(N, N, step)));
    if (zero > 0) {
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::singular);
      EXPECT_EQ(det(0), LongComplex(0));
      EXPECT_EQ(det(1), LongComplex(0));
      EXPECT_FALSE(std::isfinite(std::abs(complex_dense(y, k)(zero - 1))));
      continue;
    }
    auto const solves = [&](ComplexDense const& z, ComplexDense const& right, char const* what) {
      Dense const allowed = tolerance<T>(6 * N, 1) * (size * sizes(z)) +
                            step * (Dense(N, N, 1) * sizes(z) + Dense(N, z.cols, 1));
      EXPECT_TRUE(near(pk * z, in_order(right), allowed)) << what;
    };
    solves(complex_dense(x, k), complex_dense(b, k), "columns");
    solves(complex_dense(y, k), complex_dense(v, k), "one column");
    if (kind == ComplexKind::tiny || kind == ComplexKind::huge) continue;
    EXPECT_EQ(codes.at(k), 0);
    solves(complex_dense(inverted, k), complex_eye(N), "inverse");
    // The determinant of a from the factors. It has their error.
    LongComplex product = 1;
    std::vector<int> places;
    for (int i = 0; i < N; ++i) {
      product *= uk(i, i);
      for (int r = 0; r < N; ++r) {
        bool same = true;
        for (int q = 0; q < N; ++q) same = same && pk(i, q) == ak(r, q);
        if (same) places.push_back(r);
      }
    }
    for (std::size_t i = 0; i < places.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (places[j] > places[i]) product = -product;
    EXPECT_LE(std::abs(det(0) - product), tolerance<T>(3 * N, std::abs(product)));
    EXPECT_LE(std::abs(det(1) - product / std::abs(product)), tolerance<T>(6 * N, 1));
    long double logs = 0;
    for (int i = 0; i < N; ++i) logs += std::fabs(std::log(std::abs(uk(i, i))));
    EXPECT_LE(std::abs(det(2) - std::log(std::abs(product))), tolerance<T>(2 * N, 1 + logs));
  }
  EXPECT_EQ(x.poisoned(), x.outside());
  EXPECT_EQ(inverted.poisoned(), inverted.outside());

  // Neighbours of a failed item must be bitwise the same as without the failure.
  for (std::int64_t k = 0; k < n; ++k)
    if (complex_kind(k) == ComplexKind::not_a_number || complex_kind(k) == ComplexKind::singular)
      put_complex(a, k, random_complex<T>(random, N, N));
  a.upload();
  factor(clean);
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(Status::info(codes.at(k)), 0) << k;
    if (complex_kind(k) != ComplexKind::not_a_number && complex_kind(k) != ComplexKind::singular) {
      EXPECT_TRUE(same_item(inverted, clean, k));
    }
  }
}

// ---- cholesky -----------------------------------------------------------------------------------

struct ComplexCholesky {
  template <class L, class X, class Y, class F, class G, class D, class A, class B, class V>
  KOKKOS_FUNCTION void operator()(L& l, X& x, Y& y, F& forward, G& backward, D& log_of_det,
                                  A const& a, B const& b, V const& v) const {
    auto const c = cholesky(a);
    l = c.lower();
    x = solve(c, b);
    y = c.solve(v);
    forward = solve(c.lower(), b);
    backward = solve(conjugate_transpose(c.lower()), b) + solve(transpose(c.lower()), b);
    log_of_det = log_det(c);
  }
};

template <class T, class Layout, int N, int C, class Run>
void expect_complex_cholesky(std::int64_t n, Run const& run) {
  Random random(41);
  ComplexBatchIn<T, Layout, N, N> a(n), l(n), clean(n);
  ComplexBatchIn<T, Layout, N, C> b(n), x(n), forward(n), backward(n);
  ComplexBatchIn<T, Layout, N> v(n), y(n);
  BatchIn<T, Layout> d(n);
  BatchIn<int, Left> codes(n);
  auto const bad = [](std::int64_t k) { return k % 3 == 1; };
  auto const hermitian = [&] {
    ComplexDense const g = random_complex<T>(random, N, N);
    ComplexDense const h = g * adjoint(g) + complex_eye(N);
    // The imaginary parts of the diagonal and the entries above it are not read.
    return make_complex(N, N, [&](int i, int j) {
      return j < i    ? LongComplex(T(h(i, j).real()), T(h(i, j).imag()))
             : j == i ? LongComplex(T(h(i, i).real()), 77)
                      : LongComplex(poison<T>(), poison<T>());
    });
  };
  fill_complex(a, [&](std::int64_t k) {
    ComplexDense h = hermitian();
    int const at = int(k / 3) % N;
    if (bad(k))
      h(at, at) = k % 2 ? LongComplex(-3, 77) : LongComplex(std::numeric_limits<T>::quiet_NaN(), 0);
    return h;
  });
  fill_complex(b, [&](std::int64_t) { return random_complex<T>(random, N, C); });
  fill_complex(v, [&](std::int64_t) { return random_complex<T>(random, N, 1); });
  auto const factor = [&](auto const& of) {
    run(ComplexCholesky{}, out(lower(of.view())), out(x.view()), out(y.view()), out(forward.view()),
        out(backward.view()), out(d.view()), in(a.const_view()), in(b.view()), in(v.view()),
        status(codes.view()));
    of.download(), x.download(), y.download(), forward.download(), backward.download();
    d.download(), codes.download();
  };
  factor(l);
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(N) + " rows");
    ComplexDense const lk = complex_dense(l, k), stored = complex_dense(a, k);
    if (bad(k)) {
      int const at = int(k / 3) % N;
      EXPECT_EQ(Status::reason(codes.at(k)),
                k % 2 ? Reason::not_positive_definite : Reason::not_finite);
      EXPECT_EQ(Status::info(codes.at(k)), at + 1);
      for (int i = 0; i < N; ++i)
        for (int j = 0; j <= i; ++j) EXPECT_EQ(std::isfinite(std::abs(lk(i, j))), j < at) << i << j;
      EXPECT_TRUE(std::isnan(d.at(k)));
      EXPECT_FALSE(std::isfinite(std::abs(complex_dense(y, k)(N - 1))));
      continue;
    }
    EXPECT_EQ(codes.at(k), 0);
    ComplexDense const ak = make_complex(N, N, [&](int i, int j) {
      return j < i    ? stored(i, j)
             : j == i ? LongComplex(stored(i, i).real())
                      : std::conj(stored(j, i));
    });
    for (int i = 0; i < N; ++i) {
      EXPECT_EQ(lk(i, i).imag(), 0);
      EXPECT_GT(lk(i, i).real(), 0);
    }
    Dense const sl = sizes(lk), size = sl * transpose(sl);
    EXPECT_TRUE(near(lk * adjoint(lk), ak, tolerance<T>(3 * N, 1) * size));
#if defined(BATCHWORK_HAVE_LAPACK)
    // a = g g' + I: its condition number is at most the norm of a.
    int info = 0;
    ComplexDense const by_lapack = Lapack::complex_potrf<T>(ak, &info);
    EXPECT_EQ(info, 0);
    EXPECT_TRUE(near(lk, by_lapack, tolerance<T>(2 * N, norm1(sl), norm1(sizes(ak)))));
#endif
    auto const solves = [&](ComplexDense const& m, Dense const& m_size, ComplexDense const& z,
                            ComplexDense const& right, char const* what) {
      EXPECT_TRUE(near(m * z, right, tolerance<T>(6 * N, 1) * (m_size * sizes(z)))) << what;
    };
    solves(ak, size, complex_dense(x, k), complex_dense(b, k), "columns");
    solves(ak, size, complex_dense(y, k), complex_dense(v, k), "one column");
    solves(lk, sl, complex_dense(forward, k), complex_dense(b, k), "forward");
    // Backward substitution with both transposes, in long double.
    ComplexDense const bk = complex_dense(b, k);
    ComplexDense expected(N, C);
    long double condition = 1;
    for (int which = 0; which < 2; ++which) {
      ComplexDense z = bk;
      for (int c = 0; c < C; ++c)
        for (int i = N - 1; i >= 0; --i) {
          for (int j = i + 1; j < N; ++j)
            z(i, c) -= (which == 0 ? std::conj(lk(j, i)) : lk(j, i)) * z(j, c);
          z(i, c) /= lk(i, i);
        }
      expected = expected + z;
    }
    for (int i = 0; i < N; ++i) condition = std::max(condition, norm1(size) / std::norm(lk(i, i)));
    EXPECT_TRUE(near(complex_dense(backward, k), expected,
                     tolerance<T>(4 * N, 1 + norm1(sizes(expected)), condition)));
    long double log_of_det = 0;
    for (int i = 0; i < N; ++i) log_of_det += 2 * std::log(lk(i, i).real());
    EXPECT_NEAR(double(d.at(k)), double(log_of_det), double(tolerance<T>(4 * N, 1 + log_of_det)));
  }
  EXPECT_EQ(x.poisoned(), x.outside());
  EXPECT_EQ(l.poisoned(), l.outside());

  for (std::int64_t k = 0; k < n; ++k)
    if (bad(k)) put_complex(a, k, hermitian());
  a.upload();
  factor(clean);
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(codes.at(k), 0) << k;
    if (!bad(k)) {
      EXPECT_TRUE(same_item(l, clean, k));
    }
  }
}

// ---- qr -----------------------------------------------------------------------------------------

struct ComplexQr {
  template <class R, class Q, class F, class X, class Y, class A, class B>
  KOKKOS_FUNCTION void operator()(R& r, Q& q, F& full, X& turned, Y& turned_back, A const& a,
                                  B const& b) const {
    auto const f = qr(a);
    r = f.r();
    q = f.q();
    full = f.full_q();
    turned = f.apply_q(b);
    turned_back = f.apply_qt(b);
  }
};
struct ComplexLeastSquares {
  template <class X, class A, class B>
  KOKKOS_FUNCTION void operator()(X& x, A const& a, B const& b) const {
    x = solve(qr(a), b);
  }
};

inline long double column_size(ComplexDense const& a, int j) {
  long double s = 0;
  for (int i = 0; i < a.rows; ++i) s = std::hypot(s, std::abs(a(i, j)));
  return s;
}

template <class T, class Layout, int M, int N, int C, class Run>
void expect_complex_qr(std::int64_t n, Run const& run) {
  constexpr int K = M < N ? M : N, most = M < N ? N : M;
  Random random(43);
  ComplexBatchIn<T, Layout, M, N> a(n);
  ComplexBatchIn<T, Layout, K, N> r(n), clean(n);
  ComplexBatchIn<T, Layout, M, K> q(n);
  ComplexBatchIn<T, Layout, M, M> full(n);
  ComplexBatchIn<T, Layout, M, C> b(n), turned(n), turned_back(n);
  BatchIn<int, Left> codes(n);
  fill_complex(a, [&](std::int64_t k) { return complex_matrix<T>(random, M, N, k); });
  fill_complex(b, [&](std::int64_t) { return random_complex<T>(random, M, C); });
  auto const factor = [&](auto const& of) {
    run(ComplexQr{}, out(of.view()), out(q.view()), out(full.view()), out(turned.view()),
        out(turned_back.view()), in(a.const_view()), in(b.view()), status(codes.view()));
    of.download(), q.download(), full.download(), turned.download(), turned_back.download();
    codes.download();
  };
  factor(r);
  long double const few = 20 * most * epsilon<T>,
                    step = static_cast<long double>(std::numeric_limits<T>::denorm_min());
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(M) + " x " +
                 std::to_string(N));
    ComplexKind const kind = complex_kind(k);
    ComplexDense const ak = complex_dense(a, k), rk = complex_dense(r, k),
                       qk = complex_dense(full, k);
    if (kind == ComplexKind::not_a_number) {
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::not_finite);
      EXPECT_EQ(Status::info(codes.at(k)), int(k / 9) % N + 1);
      continue;
    }
    ASSERT_EQ(codes.at(k), 0);
    for (int i = 0; i < K; ++i) {
      EXPECT_EQ(rk(i, i).imag(), 0);
      for (int j = 0; j < i; ++j) EXPECT_EQ(rk(i, j), LongComplex(0)) << i << ", " << j;
    }
    EXPECT_TRUE(near(adjoint(qk) * qk, complex_eye(M), few));
    Dense allowed(M, N, 0);
    for (int j = 0; j < N; ++j)
      for (int i = 0; i < M; ++i) allowed(i, j) = few * column_size(ak, j) + 4 * M * step;
    EXPECT_TRUE(near(complex_dense(q, k) * rk, ak, allowed));
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < K; ++j) EXPECT_TRUE(same_bits(q.at(k, i, j), full.at(k, i, j)));
    EXPECT_TRUE(near(complex_dense(turned, k), qk * complex_dense(b, k),
                     few * std::sqrt((long double)(2 * M))));
    EXPECT_TRUE(near(complex_dense(turned_back, k), adjoint(qk) * complex_dense(b, k),
                     few * std::sqrt((long double)(2 * M))));
#if defined(BATCHWORK_HAVE_LAPACK)
    // R with the same signs. The difference is bounded by the condition number of the leading
    // columns.
    if (kind != ComplexKind::singular) {
      long double condition = 1;
      for (int i = 0; i < K; ++i)
        condition = std::max(condition, norm1(sizes(rk)) / (std::abs(rk(i, i)) + step));
      long double const size = norm1(sizes(ak));
      EXPECT_TRUE(near(rk, Lapack::complex_geqrf<T>(ak), few * size * condition + 4 * M * step));
    }
#endif
  }
  EXPECT_EQ(r.poisoned(), r.outside());
  EXPECT_EQ(full.poisoned(), full.outside());

  for (std::int64_t k = 0; k < n; ++k)
    if (complex_kind(k) == ComplexKind::not_a_number)
      put_complex(a, k, random_complex<T>(random, M, N));
  a.upload();
  factor(clean);
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(codes.at(k), 0) << k;
    if (complex_kind(k) != ComplexKind::not_a_number) {
      EXPECT_TRUE(same_item(r, clean, k));
    }
  }

  if constexpr (M >= N) {
    ComplexBatchIn<T, Layout, N, C> x(n);
    run(ComplexLeastSquares{}, out(x.view()), in(a.const_view()), in(b.view()),
        status(codes.view()));
    x.download(), codes.download();
    for (std::int64_t k = 0; k < n; ++k) {
      ComplexKind const kind = complex_kind(k);
      ComplexDense const ak = complex_dense(a, k), xk = complex_dense(x, k),
                         bk = complex_dense(b, k);
      if (kind == ComplexKind::singular) {
        EXPECT_EQ(Status::reason(codes.at(k)), Reason::singular);
        EXPECT_EQ(Status::info(codes.at(k)), int(k / 9) % N + 1);
        continue;
      }
      if (kind == ComplexKind::tiny || kind == ComplexKind::huge) continue;
      ASSERT_EQ(codes.at(k), 0);
      long double size = 0;
      for (int j = 0; j < N; ++j) size = std::hypot(size, column_size(ak, j));
      ComplexDense const gradient = adjoint(ak) * (bk - ak * xk);
      for (int c = 0; c < C; ++c)
        EXPECT_LE(column_size(gradient, c),
                  40 * M * epsilon<T> * size * (size * column_size(xk, c) + column_size(bk, c)))
            << "item " << k;
    }
  }
}

}  // namespace Batchwork::Test

#endif
