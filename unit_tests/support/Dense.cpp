// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/Dense.hpp"

#include <algorithm>
#include <cmath>

namespace Batchwork::Test {

Dense eye(int n) {
  return make_dense(n, n, [](int i, int j) { return i == j ? 1.0L : 0.0L; });
}
Dense transpose(Dense const& x) {
  return make_dense(x.cols, x.rows, [&](int i, int j) { return x(j, i); });
}
Dense abs(Dense const& x) {
  return make_dense(x.rows, x.cols, [&](int i, int j) { return std::fabs(x(i, j)); });
}
Dense operator+(Dense const& x, Dense const& y) {
  return make_dense(x.rows, x.cols, [&](int i, int j) { return x(i, j) + y(i, j); });
}
Dense operator-(Dense const& x, Dense const& y) {
  return make_dense(x.rows, x.cols, [&](int i, int j) { return x(i, j) - y(i, j); });
}
Dense operator*(long double c, Dense const& x) {
  return make_dense(x.rows, x.cols, [&](int i, int j) { return c * x(i, j); });
}
Dense operator*(Dense const& x, Dense const& y) {
  return make_dense(x.rows, y.cols, [&](int i, int j) {
    long double sum = 0;
    for (int k = 0; k < x.cols; ++k) sum += x(i, k) * y(k, j);
    return sum;
  });
}
Dense lower_triangle(Dense const& x) {
  return make_dense(x.rows, x.cols, [&](int i, int j) { return j <= i ? x(i, j) : 0.0L; });
}
Dense diagonal_part(Dense const& x) {
  return make_dense(x.rows, x.cols, [&](int i, int j) { return i == j ? x(i, j) : 0.0L; });
}
Dense mirrored(Dense const& x) {
  return make_dense(x.rows, x.cols, [&](int i, int j) { return j <= i ? x(i, j) : x(j, i); });
}
long double dot(Dense const& x, Dense const& y) {
  long double sum = 0;
  for (std::size_t k = 0; k < x.a.size(); ++k) sum += x.a[k] * y.a[k];
  return sum;
}
long double trace(Dense const& x) {
  long double sum = 0;
  for (int i = 0; i < x.rows; ++i) sum += x(i, i);
  return sum;
}
long double norm1(Dense const& x) {
  long double best = 0;
  for (int j = 0; j < x.cols; ++j) {
    long double sum = 0;
    for (int i = 0; i < x.rows; ++i) sum += std::fabs(x(i, j));
    best = std::max(best, sum);
  }
  return best;
}
Dense cholesky(Dense const& x, int* info) {
  int const n = x.rows;
  Dense l(n, n);
  if (info) *info = 0;
  for (int j = 0; j < n; ++j) {
    long double pivot = x(j, j);
    for (int k = 0; k < j; ++k) pivot -= l(j, k) * l(j, k);
    if (!(pivot > 0)) {
      if (info) *info = j + 1;
      return l;
    }
    l(j, j) = std::sqrt(pivot);
    for (int i = j + 1; i < n; ++i) {
      long double sum = x(i, j);
      for (int k = 0; k < j; ++k) sum -= l(i, k) * l(j, k);
      l(i, j) = sum / l(j, j);
    }
  }
  return l;
}
Dense solve_lower(Dense const& l, Dense const& b) {
  Dense x = b;
  for (int j = 0; j < b.cols; ++j)
    for (int i = 0; i < l.rows; ++i) {
      for (int k = 0; k < i; ++k) x(i, j) -= l(i, k) * x(k, j);
      x(i, j) /= l(i, i);
    }
  return x;
}
Dense solve_lower_transposed(Dense const& l, Dense const& b) {
  Dense x = b;
  for (int j = 0; j < b.cols; ++j)
    for (int i = l.rows - 1; i >= 0; --i) {
      for (int k = i + 1; k < l.rows; ++k) x(i, j) -= l(k, i) * x(k, j);
      x(i, j) /= l(i, i);
    }
  return x;
}
Dense solve_spd(Dense const& a, Dense const& b) {
  Dense const l = cholesky(a);
  return solve_lower_transposed(l, solve_lower(l, b));
}
long double condition_spd(Dense const& a) { return norm1(a) * norm1(solve_spd(a, eye(a.rows))); }
long double condition_lower(Dense const& l) {
  return norm1(l) * norm1(solve_lower(l, eye(l.rows)));
}

}  // namespace Batchwork::Test
