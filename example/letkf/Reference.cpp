// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace Letkf {

namespace {

using Real = long double;
using Numbers = std::vector<Real>;

/// L of c = L L'.
Numbers cholesky_factor(Numbers c, std::size_t k) {
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t i = j; i < k; ++i) {
      for (std::size_t m = 0; m < j; ++m) c[i * k + j] -= c[i * k + m] * c[j * k + m];
      c[i * k + j] = i == j ? std::sqrt(c[j * k + j]) : c[i * k + j] / c[j * k + j];
    }
    for (std::size_t i = 0; i < j; ++i) c[i * k + j] = 0;
  }
  return c;
}

/// x of l l' x = b.
Numbers solved(Numbers const& l, Numbers b, std::size_t k) {
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t m = 0; m < i; ++m) b[i] -= l[i * k + m] * b[m];
    b[i] /= l[i * k + i];
  }
  for (std::size_t i = k; i-- > 0;) {
    for (std::size_t m = i + 1; m < k; ++m) b[i] -= l[m * k + i] * b[m];
    b[i] /= l[i * k + i];
  }
  return b;
}

Numbers inverse(Numbers const& c, std::size_t k) {
  Numbers const l = cholesky_factor(c, k);
  Numbers r(k * k);
  for (std::size_t j = 0; j < k; ++j) {
    Numbers e(k, 0);
    e[j] = 1;
    Numbers const x = solved(l, std::move(e), k);
    for (std::size_t i = 0; i < k; ++i) r[i * k + j] = x[i];
  }
  return r;
}

/// c^(-1/2), by Denman and Beavers, International Journal of Systems Science 8 (1976): y goes to
/// the root of c and z to its inverse.
Numbers inverse_root(Numbers y, std::size_t k) {
  Numbers z(k * k, 0);
  for (std::size_t i = 0; i < k; ++i) z[i * k + i] = 1;
  Real change = 1, size = 1;
  for (int round = 0; round < 50 && change > 1e-16L * size; ++round) {
    Numbers const yi = inverse(y, k), zi = inverse(z, k);
    change = size = 0;
    for (std::size_t n = 0; n < k * k; ++n) {
      Real const next = (y[n] + zi[n]) / 2;
      change = std::max(change, std::abs(next - y[n]));
      size = std::max(size, std::abs(next));
      y[n] = next;
      z[n] = (z[n] + yi[n]) / 2;
    }
  }
  return z;
}

}  // namespace

std::vector<long double> reference_analysis(Numbers const& a, Numbers const& s, Numbers const& d,
                                            int members, Real rho) {
  std::size_t const k = std::size_t(members), variables = a.size() / k;
  Numbers c(k * k, 0), t(k, 0);
  for (std::size_t i = 0; i < k; ++i) {
    c[i * k + i] = Real(members - 1) / rho;
    for (std::size_t l = 0; l < d.size(); ++l) {
      t[i] += s[l * k + i] * d[l];
      for (std::size_t j = 0; j < k; ++j) c[i * k + j] += s[l * k + i] * s[l * k + j];
    }
  }
  Numbers const w = solved(cholesky_factor(c, k), t, k), root = inverse_root(c, k);
  Numbers r(variables * (k + 1), 0);
  for (std::size_t v = 0; v < variables; ++v)
    for (std::size_t i = 0; i < k; ++i) {
      r[v * (k + 1)] += a[v * k + i] * w[i];
      for (std::size_t j = 0; j < k; ++j)
        r[v * (k + 1) + 1 + j] += std::sqrt(Real(members - 1)) * a[v * k + i] * root[i * k + j];
    }
  return r;
}

}  // namespace Letkf
