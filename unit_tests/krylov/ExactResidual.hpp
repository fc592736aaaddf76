// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Residuals without rounding errors, and badly scaled systems that need them.
#ifndef BATCHWORK_TEST_EXACT_RESIDUAL_HPP
#define BATCHWORK_TEST_EXACT_RESIDUAL_HPP

#include <cmath>
#include <utility>
#include <vector>

#include "krylov/SolveCase.hpp"

namespace Batchwork::Test {

/// A sum without rounding errors: J. R. Shewchuk, Adaptive precision floating-point arithmetic and
/// fast robust geometric predicates, Discrete Comput. Geom. 18 (1997), section 2.4. Volatile, so
/// that the compiler does not fuse operations.
class ExactSum {
 public:
  void add(double x) {
    std::size_t kept = 0;
    for (double y : parts_) {
      if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
      double volatile const high = x + y;
      double volatile const back = high - x;
      double volatile const low = y - back;
      if (low != 0) parts_[kept++] = low;
      x = high;
    }
    parts_.resize(kept);
    parts_.push_back(x);
  }
  void add_product(double a, double b) {
    double volatile const product = a * b;
    add(product);
    add(std::fma(a, b, -product));
  }
  long double value() const {
    long double sum = 0;
    for (double const x : parts_) sum += x;
    return sum;
  }

 private:
  std::vector<double> parts_;
};

/// |b - A x| and |b| of an item, up to the rounding of long double, with rows multiplied by
/// weights(row). T can be float, because its products are exact in double.
struct ExactNorms {
  long double residual = 0, right_side = 0;
};
template <class T, class Weights>
ExactNorms exact_norms(ArrangedBatch<T> const& a, ArrangedBatch<T> const& b,
                       ArrangedBatch<T> const& x, std::int64_t n, Weights const& weights) {
  ExactNorms t;
  for (int i = 0; i < a.rows; ++i) {
    ExactSum sum;
    sum.add(double(b.at(n, i, 0)));
    for (int j = 0; j < a.rows; ++j) sum.add_product(-double(a.at(n, i, j)), double(x.at(n, j, 0)));
    long double const w = weights(i), right = w * b.at(n, i, 0);
    t.residual += w * sum.value() * w * sum.value();
    t.right_side += right * right;
  }
  return {std::sqrt(t.residual), std::sqrt(t.right_side)};
}
template <class T>
ExactNorms exact_norms(ArrangedBatch<T> const& a, ArrangedBatch<T> const& b,
                       ArrangedBatch<T> const& x, std::int64_t n) {
  return exact_norms(a, b, x, n, [](int) { return 1; });
}

/// Systems whose rows and columns differ by this many powers of ten.
template <class T>
void put_badly_scaled(ArrangedBatch<T> const& a, ArrangedBatch<T> const& b, Random& random,
                      double rows_by, double columns_by) {
  std::vector<double> column(static_cast<std::size_t>(a.rows));
  for (std::int64_t n = 0; n < a.items; ++n) {
    for (double& c : column) c = std::pow(10.0, columns_by * random(-0.5, 0.5));
    for (int i = 0; i < a.rows; ++i) {
      double const row = std::pow(10.0, rows_by * random(-0.5, 0.5));
      double sum = 1;
      for (int j = 0; j < a.rows; ++j) {
        double const entry = random();
        sum += std::fabs(entry);
        a.at(n, i, j) = T(entry * row * column[std::size_t(j)]);
      }
      a.at(n, i, i) = T(0.7 * sum * row * column[std::size_t(i)]);
      b.at(n, i, 0) = T(random());
    }
  }
  a.upload();
  b.upload();
}

}  // namespace Batchwork::Test

#endif
