// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Dense: linear algebra in long double on the host, the independent reference of tests. Dense.cpp
/// is compiled once and optimised; without optimisation it would take longer than the tested code.
#ifndef BATCHWORK_TEST_DENSE_HPP
#define BATCHWORK_TEST_DENSE_HPP

#include <cmath>
#include <cstddef>
#include <vector>

namespace Batchwork::Test {

/// A host matrix; vectors have one column, scalars are 1 x 1.
struct Dense {
  int rows = 0, cols = 0;
  std::vector<long double> a;

  Dense() = default;
  Dense(int m, int n, long double x = 0)
      : rows(m), cols(n), a(std::size_t(m) * std::size_t(n), x) {}
  long double& operator()(int i, int j = 0) {
    return a[std::size_t(i) * std::size_t(cols) + std::size_t(j)];
  }
  long double operator()(int i, int j = 0) const {
    return a[std::size_t(i) * std::size_t(cols) + std::size_t(j)];
  }
};

template <class F>
Dense make_dense(int m, int n, F const& f) {
  Dense r(m, n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) r(i, j) = static_cast<long double>(f(i, j));
  return r;
}
Dense eye(int n);
Dense transpose(Dense const& x);
Dense abs(Dense const& x);
Dense operator+(Dense const& x, Dense const& y);
Dense operator-(Dense const& x, Dense const& y);
Dense operator*(long double c, Dense const& x);
Dense operator*(Dense const& x, Dense const& y);
Dense lower_triangle(Dense const& x);
Dense diagonal_part(Dense const& x);
/// The symmetric matrix with the lower triangle of x.
Dense mirrored(Dense const& x);
/// x x'.
Dense times_transpose(Dense const& x);
long double dot(Dense const& x, Dense const& y);
long double trace(Dense const& x);
/// The largest column sum of magnitudes.
long double norm1(Dense const& x);
/// The lower factor of x. Only the lower triangle of x is read. `info` is 0 or the 1-based index of
/// the first pivot that is not positive.
Dense cholesky(Dense const& x, int* info = nullptr);
/// l x = b, forward.
Dense solve_lower(Dense const& l, Dense const& b);
/// l' x = b, backward.
Dense solve_lower_transposed(Dense const& l, Dense const& b);
/// x with a x = b for a symmetric positive definite.
Dense solve_spd(Dense const& a, Dense const& b);
/// The condition number of a symmetric positive definite matrix, in the 1-norm.
long double condition_spd(Dense const& a);
/// The condition number of a lower triangular matrix, in the 1-norm.
long double condition_lower(Dense const& l);

/// The condition number of a matrix in the infinity norm, by its inverse.
long double condition_of(Dense const& a);
/// 1 / x, or 1 if x or 1 / x is not finite.
long double reciprocal_or_one(long double x);
/// ILU(0) of a, applied to z (Saad, Iterative Methods for Sparse Linear Systems, algorithm 10.4).
/// The pattern is given by the columns of each row.
std::vector<long double> ilu_solution(std::vector<std::vector<int>> const& columns, Dense a,
                                      std::vector<long double> z);
/// The solution with a dense matrix, by elimination with pivoting. Returns the right-hand side if
/// the matrix is singular.
std::vector<long double> dense_solution(std::vector<std::vector<long double>> a,
                                        std::vector<long double> b);

/// The exact value of a sum, and the sum of the magnitudes of its terms.
struct Truth {
  long double value = 0, size = 0;
  void add(long double x) {
    value += x;
    size += std::fabs(x);
  }
};
/// factor times the dot product of two strided lists of numbers; T is float or double.
template <class T>
Truth sum_of_products(T factor, T const* x, std::ptrdiff_t x_step, T const* y,
                      std::ptrdiff_t y_step, int count);

}  // namespace Batchwork::Test

#endif
