// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/Dense.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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
  Dense r(x.rows, y.cols);
  for (int i = 0; i < x.rows; ++i) {
    // Four independent sums at a time.
    int j = 0;
    for (; j + 4 <= y.cols; j += 4) {
      long double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
      for (int k = 0; k < x.cols; ++k) {
        long double const f = x(i, k), *const row = &y.a[std::size_t(k * y.cols + j)];
        s0 += f * row[0];
        s1 += f * row[1];
        s2 += f * row[2];
        s3 += f * row[3];
      }
      r(i, j) = s0;
      r(i, j + 1) = s1;
      r(i, j + 2) = s2;
      r(i, j + 3) = s3;
    }
    for (; j < y.cols; ++j) {
      long double s = 0;
      for (int k = 0; k < x.cols; ++k) s += x(i, k) * y(k, j);
      r(i, j) = s;
    }
  }
  return r;
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
Dense times_transpose(Dense const& x) {
  Dense r(x.rows, x.rows);
  for (int i = 0; i < x.rows; ++i)
    for (int j = 0; j <= i; ++j) {
      long double even = 0, odd = 0;
      int k = 0;
      for (; k + 1 < x.cols; k += 2) {
        even += x(i, k) * x(j, k);
        odd += x(i, k + 1) * x(j, k + 1);
      }
      if (k < x.cols) even += x(i, k) * x(j, k);
      r(i, j) = r(j, i) = even + odd;
    }
  return r;
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

long double condition_of(Dense const& a) {
  int const n = a.rows;
  Dense left = a, inverse = eye(n);
  for (int k = 0; k < n; ++k) {
    int p = k;
    for (int i = k + 1; i < n; ++i)
      if (std::fabs(left(i, k)) > std::fabs(left(p, k))) p = i;
    for (int j = 0; j < n; ++j)
      std::swap(left(p, j), left(k, j)), std::swap(inverse(p, j), inverse(k, j));
    long double const pivot = left(k, k);
    for (int j = 0; j < n; ++j) left(k, j) /= pivot, inverse(k, j) /= pivot;
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      long double const l = left(i, k);
      for (int j = 0; j < n; ++j) left(i, j) -= l * left(k, j), inverse(i, j) -= l * inverse(k, j);
    }
  }
  return norm1(transpose(a)) * norm1(transpose(inverse));
}
long double reciprocal_or_one(long double x) { return x == 0 || !std::isfinite(x) ? 1 : 1 / x; }
std::vector<long double> ilu_solution(std::vector<std::vector<int>> const& columns, Dense a,
                                      std::vector<long double> z) {
  int const n = a.rows;
  Dense there(n, n);
  std::vector<long double> inverse(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    for (int j : columns[std::size_t(i)]) there(i, j) = 1;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (there(i, j) == 0) a(i, j) = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) {
      if (there(i, k) == 0) continue;
      a(i, k) *= inverse[std::size_t(k)];
      for (int j = k + 1; j < n; ++j)
        if (there(i, j) != 0 && there(k, j) != 0) a(i, j) -= a(i, k) * a(k, j);
    }
    inverse[std::size_t(i)] = there(i, i) != 0 ? reciprocal_or_one(a(i, i)) : 1;
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) z[std::size_t(i)] -= a(i, j) * z[std::size_t(j)];
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) z[std::size_t(i)] -= a(i, j) * z[std::size_t(j)];
    z[std::size_t(i)] *= inverse[std::size_t(i)];
  }
  return z;
}
std::vector<long double> dense_solution(std::vector<std::vector<long double>> a,
                                        std::vector<long double> b) {
  auto const before = b;
  std::size_t const n = b.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t p = c;
    for (std::size_t i = c; i < n; ++i)
      if (std::fabs(a[i][c]) > std::fabs(a[p][c])) p = i;
    std::swap(a[c], a[p]);
    std::swap(b[c], b[p]);
    if (a[c][c] == 0) return before;
    for (std::size_t i = c + 1; i < n; ++i) {
      long double const f = a[i][c] / a[c][c];
      for (std::size_t j = c; j < n; ++j) a[i][j] -= f * a[c][j];
      b[i] -= f * b[c];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) b[i] -= a[i][j] * b[j];
    b[i] /= a[i][i];
  }
  return b;
}

template <class T>
Truth sum_of_products(T factor, T const* x, std::ptrdiff_t x_step, T const* y,
                      std::ptrdiff_t y_step, int count) {
  Truth even, odd;
  int k = 0;
  for (; k + 1 < count; k += 2, x += 2 * x_step, y += 2 * y_step) {
    even.add(static_cast<long double>(*x) * *y);
    odd.add(static_cast<long double>(x[x_step]) * y[y_step]);
  }
  if (k < count) even.add(static_cast<long double>(*x) * *y);
  return {factor * (even.value + odd.value), std::fabs(factor) * (even.size + odd.size)};
}
template Truth sum_of_products(float, float const*, std::ptrdiff_t, float const*, std::ptrdiff_t,
                               int);
template Truth sum_of_products(double, double const*, std::ptrdiff_t, double const*, std::ptrdiff_t,
                               int);

}  // namespace Batchwork::Test
