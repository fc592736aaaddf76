// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A textbook GMRES in long double, and systems that are hard for its orthogonalisation.
#ifndef BATCHWORK_TEST_GMRES_CASE_HPP
#define BATCHWORK_TEST_GMRES_CASE_HPP

#include <cmath>
#include <vector>

#include "krylov/SolveCase.hpp"

namespace Batchwork::Test {

/// The norms of the residuals of GMRES(m) from x = 0, at the start and after each iteration: Saad
/// (2003), algorithm 6.9 with modified Gram-Schmidt, applied twice.
template <class T>
std::vector<long double> textbook_gmres(ArrangedBatch<T> const& a, ArrangedBatch<T> const& b,
                                        std::int64_t item, int m, double tolerance, int most) {
  using Vector = std::vector<long double>;
  auto const n = std::size_t(a.rows);
  auto const dot = [&](Vector const& x, Vector const& y) {
    long double s = 0;
    for (std::size_t i = 0; i < n; ++i) s += x[i] * y[i];
    return s;
  };
  auto const product = [&](Vector const& x) {
    Vector y(n);
    for (int i = 0; i < a.rows; ++i)
      for (int j = 0; j < a.rows; ++j) y[std::size_t(i)] += a.at(item, i, j) * x[std::size_t(j)];
    return y;
  };
  Vector r(n);
  for (int i = 0; i < a.rows; ++i) r[std::size_t(i)] = b.at(item, i, 0);
  std::vector<long double> norms{std::sqrt(dot(r, r))};
  long double const threshold = tolerance * norms[0];
  while (norms.back() > threshold && int(norms.size()) <= most) {
    std::vector<Vector> v, columns;
    Vector c, s, g{std::sqrt(dot(r, r))};
    auto const add = [&](Vector w, long double norm) {
      for (auto& x : w) x /= norm;
      v.push_back(w);
    };
    add(r, g[0]);
    for (int j = 0; j < m && norms.back() > threshold && int(norms.size()) <= most; ++j) {
      Vector w = product(v[std::size_t(j)]), h(std::size_t(j) + 1);
      for (int pass = 0; pass < 2; ++pass)
        for (std::size_t k = 0; k < v.size(); ++k) {
          long double const x = dot(v[k], w);
          h[k] += x;
          for (std::size_t i = 0; i < n; ++i) w[i] -= x * v[k][i];
        }
      long double const next = std::sqrt(dot(w, w));
      for (std::size_t k = 0; k + 1 < h.size(); ++k) {
        long double const x = c[k] * h[k] + s[k] * h[k + 1];
        h[k + 1] = c[k] * h[k + 1] - s[k] * h[k];
        h[k] = x;
      }
      long double const d = std::hypot(h.back(), next);
      c.push_back(h.back() / d);
      s.push_back(next / d);
      h.back() = d;
      g.push_back(-s.back() * g.back());
      g[std::size_t(j)] *= c.back();
      columns.push_back(h);
      norms.push_back(std::fabs(g.back()));
      add(w, next);
    }
    Vector y(columns.size()), x(n);
    for (std::size_t k = columns.size(); k-- > 0;) {
      y[k] = g[k];
      for (std::size_t j = k + 1; j < columns.size(); ++j) y[k] -= columns[j][k] * y[j];
      y[k] /= columns[k][k];
      for (std::size_t i = 0; i < n; ++i) x[i] += y[k] * v[k][i];
    }
    Vector const made = product(x);
    for (std::size_t i = 0; i < n; ++i) r[i] -= made[i];
  }
  return norms;
}

/// Random numbers plus a diagonal. The larger the diagonal is, the less each product differs from
/// the previous direction.
template <class T>
void put_with_diagonal(Matrices<T> const& a, std::int64_t n, Random& random, double diagonal) {
  for (int i = 0; i < a.pattern.rows; ++i) {
    auto const& row = a.pattern.columns[std::size_t(i)];
    for (int k = 0; k < int(row.size()); ++k)
      a.put(
          n, i, k,
          T(random() / std::sqrt(double(row.size())) + (row[std::size_t(k)] == i ? diagonal : 0)));
  }
}
/// The same with decreasing columns, by `orders` powers of ten in total. Products depend on the
/// previous ones, except for the small contributions of the small columns.
template <class T>
void put_graded(Matrices<T> const& a, std::int64_t n, Random& random, double orders) {
  int const rows = a.pattern.rows;
  for (int i = 0; i < rows; ++i) {
    auto const& row = a.pattern.columns[std::size_t(i)];
    for (int k = 0; k < int(row.size()); ++k) {
      int const j = row[std::size_t(k)];
      double const size = std::pow(10.0, -orders * j / (rows - 1));
      a.put(n, i, k, T(size * (random() / std::sqrt(double(row.size())) + (j == i ? 2 : 0))));
    }
  }
}

}  // namespace Batchwork::Test

#endif
