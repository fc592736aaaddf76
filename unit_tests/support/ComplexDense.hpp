// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Matrices of complex numbers in long double as the independent reference, LAPACK's routines for
/// them, and batches of them.
#ifndef BATCHWORK_TEST_COMPLEX_DENSE_HPP
#define BATCHWORK_TEST_COMPLEX_DENSE_HPP

#include <complex>

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

using LongComplex = std::complex<long double>;

/// A small matrix of complex numbers, row by row.
struct ComplexDense {
  int rows = 0, cols = 0;
  std::vector<LongComplex> a;

  ComplexDense() = default;
  ComplexDense(int m, int n) : rows(m), cols(n), a(std::size_t(m) * std::size_t(n)) {}
  LongComplex& operator()(int i, int j = 0) {
    return a[std::size_t(i) * std::size_t(cols) + std::size_t(j)];
  }
  LongComplex operator()(int i, int j = 0) const {
    return a[std::size_t(i) * std::size_t(cols) + std::size_t(j)];
  }
};

template <class F>
ComplexDense make_complex(int m, int n, F const& f) {
  ComplexDense x(m, n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) x(i, j) = LongComplex(f(i, j));
  return x;
}
inline ComplexDense complex_eye(int n) {
  return make_complex(n, n, [](int i, int j) { return i == j ? 1.0L : 0.0L; });
}
inline ComplexDense adjoint(ComplexDense const& x) {
  return make_complex(x.cols, x.rows, [&](int i, int j) { return std::conj(x(j, i)); });
}
inline ComplexDense transpose(ComplexDense const& x) {
  return make_complex(x.cols, x.rows, [&](int i, int j) { return x(j, i); });
}
inline Dense sizes(ComplexDense const& x) {
  return make_dense(x.rows, x.cols, [&](int i, int j) { return std::abs(x(i, j)); });
}
inline ComplexDense operator+(ComplexDense const& x, ComplexDense const& y) {
  return make_complex(x.rows, x.cols, [&](int i, int j) { return x(i, j) + y(i, j); });
}
inline ComplexDense operator-(ComplexDense const& x, ComplexDense const& y) {
  return make_complex(x.rows, x.cols, [&](int i, int j) { return x(i, j) - y(i, j); });
}
inline ComplexDense operator*(LongComplex c, ComplexDense const& x) {
  return make_complex(x.rows, x.cols, [&](int i, int j) { return c * x(i, j); });
}
inline ComplexDense operator*(ComplexDense const& x, ComplexDense const& y) {
  return make_complex(x.rows, y.cols, [&](int i, int j) {
    LongComplex s = 0;
    for (int k = 0; k < x.cols; ++k) s += x(i, k) * y(k, j);
    return s;
  });
}

/// Entry by entry |x - want| <= tol; NaN never passes.
inline ::testing::AssertionResult near(ComplexDense const& x, ComplexDense const& want,
                                       Dense const& tol) {
  for (int i = 0; i < want.rows; ++i)
    for (int j = 0; j < want.cols; ++j)
      if (!(std::abs(x(i, j) - want(i, j)) <= tol(i, j)))
        return ::testing::AssertionFailure()
               << "entry (" << i << ", " << j << ") is " << std::complex<double>(x(i, j))
               << ", should be " << std::complex<double>(want(i, j)) << ", error "
               << double(std::abs(x(i, j) - want(i, j))) << " over " << double(tol(i, j));
  return ::testing::AssertionSuccess();
}
inline ::testing::AssertionResult near(ComplexDense const& x, ComplexDense const& want,
                                       long double tol) {
  return near(x, want, Dense(want.rows, want.cols, tol));
}

/// Rounded to T.
template <class T>
ComplexDense random_complex(Random& random, int m, int n) {
  return make_complex(m, n, [&](int, int) {
    long double const re = static_cast<T>(random()), im = static_cast<T>(random());
    return LongComplex(re, im);
  });
}

template <class T, class Layout, int... E>
using ComplexBatchIn = BatchIn<Kokkos::complex<T>, Layout, E...>;

template <class Batch>
ComplexDense complex_dense(Batch const& batch, std::int64_t k, std::int64_t t = 0) {
  return make_complex(Batch::rows, Batch::cols, [&](int i, int j) {
    auto const x = batch.at_time(k, t, i, j);
    return LongComplex(x.real(), x.imag());
  });
}
template <class Batch>
void put_complex(Batch const& batch, std::int64_t k, ComplexDense const& x, std::int64_t t = 0) {
  for (int i = 0; i < Batch::rows; ++i)
    for (int j = 0; j < Batch::cols; ++j) {
      using C = std::remove_cvref_t<decltype(batch.at(0))>;
      using T = typename C::value_type;
      batch.at_time(k, t, i, j) = C(static_cast<T>(x(i, j).real()), static_cast<T>(x(i, j).imag()));
    }
}
/// Fills a batch item by item, and step by step, with f(item).
template <class Batch, class F>
void fill_complex(Batch const& batch, F const& f) {
  for (std::int64_t k = 0; k < batch.items(); ++k)
    for (std::int64_t t = 0; t < batch.steps(); ++t) put_complex(batch, k, f(k), t);
  batch.upload();
}
/// Whether items k of two batches have the same bits.
template <class Batch>
::testing::AssertionResult same_item(Batch const& x, Batch const& y, std::int64_t k) {
  for (int i = 0; i < Batch::rows; ++i)
    for (int j = 0; j < Batch::cols; ++j)
      if (!same_bits(x.at(k, i, j), y.at(k, i, j)))
        return ::testing::AssertionFailure() << "item " << k << ", " << i << ", " << j;
  return ::testing::AssertionSuccess();
}

#if defined(BATCHWORK_HAVE_LAPACK)
extern "C" {
void cgetrf_(int const*, int const*, void*, int const*, int*, int*);
void zgetrf_(int const*, int const*, void*, int const*, int*, int*);
void cpotrf_(char const*, int const*, void*, int const*, int*);
void zpotrf_(char const*, int const*, void*, int const*, int*);
void cgeqrf_(int const*, int const*, void*, int const*, void*, void*, int const*, int*);
void zgeqrf_(int const*, int const*, void*, int const*, void*, void*, int const*, int*);
}
namespace Lapack {

template <class T>
std::vector<std::complex<T>> complex_columns(ComplexDense const& x) {
  std::vector<std::complex<T>> r;
  for (int j = 0; j < x.cols; ++j)
    for (int i = 0; i < x.rows; ++i) r.emplace_back(T(x(i, j).real()), T(x(i, j).imag()));
  return r;
}
template <class T>
ComplexDense from_complex_columns(int m, int n, std::vector<std::complex<T>> const& v) {
  return make_complex(m, n, [&](int i, int j) {
    return LongComplex(v[std::size_t(j) * std::size_t(m) + std::size_t(i)]);
  });
}
/// The factors of getrf in precision T, both in one matrix, its info, and the order of the rows
/// after pivoting.
template <class T>
ComplexDense complex_getrf(ComplexDense const& a, int* info, std::vector<int>* order) {
  int const n = a.rows;
  auto v = complex_columns<T>(a);
  std::vector<int> pivots(std::size_t(n), 0);
  if constexpr (std::is_same_v<T, float>) cgetrf_(&n, &n, v.data(), &n, pivots.data(), info);
  else zgetrf_(&n, &n, v.data(), &n, pivots.data(), info);
  order->resize(std::size_t(n));
  for (int i = 0; i < n; ++i) (*order)[std::size_t(i)] = i;
  for (int i = 0; i < n; ++i)
    std::swap((*order)[std::size_t(i)],
              (*order)[std::size_t(pivots[std::size_t(i)]) - std::size_t(1)]);
  return from_complex_columns(n, n, v);
}
/// The lower factor from potrf.
template <class T>
ComplexDense complex_potrf(ComplexDense const& a, int* info) {
  int const n = a.rows;
  auto v = complex_columns<T>(a);
  if constexpr (std::is_same_v<T, float>) cpotrf_("L", &n, v.data(), &n, info);
  else zpotrf_("L", &n, v.data(), &n, info);
  ComplexDense const l = from_complex_columns(n, n, v);
  return make_complex(n, n, [&](int i, int j) { return j <= i ? l(i, j) : LongComplex(0); });
}
/// R from geqrf.
template <class T>
ComplexDense complex_geqrf(ComplexDense const& a) {
  int const m = a.rows, n = a.cols, least = std::min(m, n), work = 64 * std::max(m, n);
  int info = 0;
  auto v = complex_columns<T>(a);
  std::vector<std::complex<T>> tau(std::size_t(least), 0), space(std::size_t(work), 0);
  if constexpr (std::is_same_v<T, float>)
    cgeqrf_(&m, &n, v.data(), &m, tau.data(), space.data(), &work, &info);
  else zgeqrf_(&m, &n, v.data(), &m, tau.data(), space.data(), &work, &info);
  EXPECT_EQ(info, 0);
  ComplexDense const r = from_complex_columns(m, n, v);
  return make_complex(least, n, [&](int i, int j) { return j >= i ? r(i, j) : LongComplex(0); });
}

}  // namespace Lapack
#endif

}  // namespace Batchwork::Test

#endif
