// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Batches for cholesky, solve_cholesky and solve_lower in any arrangement, chosen at run time, and
/// error bounds for the results.
#ifndef BATCHWORK_TEST_TRIANGLE_CASE_HPP
#define BATCHWORK_TEST_TRIANGLE_CASE_HPP

#include "dense/gemm/GemmCase.hpp"

namespace Batchwork::Test {

inline constexpr int triangle_sizes[] = {1,  2,  3,  5,  8,  15, 16, 17, 24, 31,
                                         32, 33, 40, 48, 54, 63, 64, 65, 80};

/// Right-hand sides with one column, as vectors.
template <class T>
auto vectors(ArrangedBatch<T> const& m) {
  using View = Kokkos::View<T**, Kokkos::LayoutStride, Space, Kokkos::MemoryUnmanaged>;
  return View(m.data(), Kokkos::LayoutStride(std::size_t(m.items), std::size_t(m.item),
                                             std::size_t(m.rows), std::size_t(m.row)));
}

template <class T>
Dense item(ArrangedBatch<T> const& m, std::int64_t n) {
  return make_dense(m.rows, m.cols, [&](int i, int j) { return m.at(n, i, j); });
}
/// Replaces item n by x. If only a triangle is read, the entries above the diagonal are NaN.
template <class T>
void put(ArrangedBatch<T> const& m, std::int64_t n, Dense const& x, bool triangle = false) {
  for (int i = 0; i < m.rows; ++i)
    for (int j = 0; j < m.cols; ++j)
      m.at(n, i, j) =
          triangle && j > i ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(x(i, j));
}
template <class T>
void put_spd(ArrangedBatch<T> const& m, Random& random) {
  for (std::int64_t n = 0; n < m.items; ++n) put(m, n, random_spd<T>(random, m.rows), true);
  m.upload();
}
template <class T>
void put_lower(ArrangedBatch<T> const& m, Random& random) {
  for (std::int64_t n = 0; n < m.items; ++n) {
    // Entries below the diagonal are small, otherwise solutions grow without bounds.
    Dense l = random_lower<T>(random, m.rows);
    for (int i = 0; i < m.rows; ++i)
      for (int j = 0; j < i; ++j) l(i, j) = static_cast<T>(l(i, j) / std::sqrt(m.rows));
    put(m, n, l, true);
  }
  m.upload();
}

/// |A - L L'| <= c (N + 1) eps |L| |L'| entry by entry (Higham, Accuracy and Stability of Numerical
/// Algorithms, theorem 10.3), and zeros above the diagonal of L.
template <class T>
::testing::AssertionResult is_factor(Dense const& l, Dense const& a) {
  for (int i = 0; i < l.rows; ++i)
    for (int j = i + 1; j < l.cols; ++j)
      if (l(i, j) != 0) return ::testing::AssertionFailure() << "above the diagonal " << l(i, j);
  long double const c = 2 * (l.rows + 3) * epsilon<T>;
  return near(times_transpose(l), mirrored(a), c * times_transpose(abs(l)));
}
/// |b - A x| <= c (3 N + 1) eps |L| |L'| |x| (theorem 10.4).
template <class T>
::testing::AssertionResult solves_spd(Dense const& x, Dense const& a, Dense const& b) {
  Dense const l = abs(cholesky(a));
  long double const c = (3 * a.rows + 10) * epsilon<T>;
  return near(mirrored(a) * x, b, c * (l * (transpose(l) * abs(x))));
}
/// |b - L x| <= c N eps |L| |x| (theorem 8.5).
template <class T>
::testing::AssertionResult solves_triangle(Dense const& x, Dense const& t, Dense const& b) {
  long double const c = (t.rows + 5) * epsilon<T>;
  return near(t * x, b, c * (abs(t) * abs(x)));
}

}  // namespace Batchwork::Test

#endif
