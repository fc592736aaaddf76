// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BoundedDual.hpp"

#include <algorithm>
#include <cmath>

#include "Rounding.hpp"

namespace Batchwork::RandomSequences {

namespace {

/// Sums of derivatives can be computed in another order, with more roundings.
Entry loosened(Entry const& e) {
  return entry(e.value, 2 * e.error + gamma(4) * reach(e) + 4 * smallest());
}
BoundedScalar loosened(BoundedScalar const& x) {
  return is_zero(x.number) ? x : BoundedScalar(loosened(x.number), x.info);
}
BoundedTile loosened(BoundedTile const& x) {
  return tile(x.rows, x.cols, x.info, [&](int i, int j) {
    return is_zero(x.at(i, j)) ? x.at(i, j) : loosened(x.at(i, j));
  });
}

/// Derivative k of a number that can be a constant.
BoundedScalar part(BoundedDual const& a, std::size_t k) {
  return k < a.d.size() ? a.d[k] : BoundedScalar(0);
}
BoundedTile part(BoundedDualTile const& a, std::size_t k) {
  return k < a.d.size() ? a.d[k] : BoundedTile(a.value.rows, a.value.cols);
}
/// value, and f(k) as derivative number k.
template <class R, class V, class A, class B, class F>
R with_derivatives(V const& value, A const& a, B const& b, F const& f) {
  R r(value);
  for (std::size_t k = 0; k < std::max(a.d.size(), b.d.size()); ++k) {
    r.d.push_back(loosened(f(k)));
    r.d.back().info = {};
  }
  return r;
}
template <class F>
BoundedDual scalar_result(BoundedScalar const& value, BoundedDual const& a, BoundedDual const& b,
                          F const& f) {
  return with_derivatives<BoundedDual>(value, a, b, f);
}
template <class A, class B, class F>
BoundedDualTile tile_result(BoundedTile const& value, A const& a, B const& b, F const& f) {
  BoundedDualTile r(value);
  for (std::size_t k = 0; k < std::max(a.d.size(), b.d.size()); ++k) {
    BoundedTile d;
    d.become(loosened(f(k)));
    d.info = {};
    r.d.push_back(d);
  }
  return r;
}
/// A function and its derivative, which is bounded by its own derivative. Directions in which x is
/// constant are not changed.
BoundedDual chain(BoundedDual const& x, BoundedScalar const& y, Real slope, Real bend) {
  Real const e = x.value.number.error;
  BoundedScalar const s(e == unknown ? Entry{slope, unknown} : rounded(slope, bend * e, 24));
  return scalar_result(y, x, x, [&](std::size_t k) {
    return is_zero(x.d[k].number) ? BoundedScalar(0) : s * x.d[k];
  });
}

}  // namespace

BoundedDual operator-(BoundedDual const& a) {
  return scalar_result(-a.value, a, a, [&](std::size_t k) { return -a.d[k]; });
}
BoundedDual operator+(BoundedDual const& a, BoundedDual const& b) {
  return scalar_result(a.value + b.value, a, b,
                       [&](std::size_t k) { return part(a, k) + part(b, k); });
}
BoundedDual operator-(BoundedDual const& a, BoundedDual const& b) {
  return scalar_result(a.value - b.value, a, b,
                       [&](std::size_t k) { return part(a, k) - part(b, k); });
}
BoundedDual operator*(BoundedDual const& a, BoundedDual const& b) {
  return scalar_result(a.value * b.value, a, b,
                       [&](std::size_t k) { return part(a, k) * b.value + a.value * part(b, k); });
}
BoundedDual operator/(BoundedDual const& a, BoundedDual const& b) {
  BoundedScalar const q = a.value / b.value;
  return scalar_result(q, a, b,
                       [&](std::size_t k) { return (part(a, k) - q * part(b, k)) / b.value; });
}
BoundedDual sin(BoundedDual const& x) {
  return chain(x, sin(x.value), std::cos(x.value.number.value), 1);
}
BoundedDual cos(BoundedDual const& x) {
  return chain(x, cos(x.value), -std::sin(x.value.number.value), 1);
}
BoundedDual atan(BoundedDual const& x) {
  Real const v = x.value.number.value;
  return chain(x, atan(x.value), 1 / (1 + v * v), 1);
}
BoundedDual tanh(BoundedDual const& x) {
  Real const c = std::cosh(x.value.number.value);
  return chain(x, tanh(x.value), 1 / (c * c), 1);
}
BoundedDual exp(BoundedDual const& x) {
  Real const v = x.value.number.value;
  return chain(x, exp(x.value), std::exp(v), std::exp(v + x.value.number.error));
}
BoundedDual sqrt(BoundedDual const& x) {
  Real const v = x.value.number.value, least = v - x.value.number.error;
  return chain(x, sqrt(x.value), 0.5L / std::sqrt(v),
               least > 0 ? 0.25L / (least * std::sqrt(least)) : unknown);
}

BoundedDual BoundedDualTile::operator()(int i, int j) const {
  BoundedDual r(BoundedScalar(value.at(i, j), value.info));
  for (BoundedTile const& t : d) r.d.push_back(BoundedScalar(t.at(i, j)));
  return r;
}
BoundedDualTile operator+(BoundedDualTile const& a, BoundedDualTile const& b) {
  return tile_result(a.value + b.value, a, b,
                     [&](std::size_t k) { return part(a, k) + part(b, k); });
}
BoundedDualTile operator-(BoundedDualTile const& a, BoundedDualTile const& b) {
  return tile_result(a.value - b.value, a, b,
                     [&](std::size_t k) { return part(a, k) - part(b, k); });
}
BoundedDualTile operator*(BoundedDualTile const& a, BoundedDualTile const& b) {
  return tile_result(a.value * b.value, a, b,
                     [&](std::size_t k) { return part(a, k) * b.value + a.value * part(b, k); });
}
BoundedDualTile operator*(BoundedDual const& a, BoundedDualTile const& b) {
  return tile_result(a.value * b.value, a, b,
                     [&](std::size_t k) { return part(a, k) * b.value + a.value * part(b, k); });
}
BoundedDual dot(BoundedDualTile const& a, BoundedDualTile const& b) {
  BoundedDual r(dot(a.value, b.value));
  for (std::size_t k = 0; k < std::max(a.d.size(), b.d.size()); ++k) {
    r.d.push_back(loosened(dot(part(a, k), b.value) + dot(a.value, part(b, k))));
    r.d.back().info = {};
  }
  return r;
}
BoundedDualLu lu(BoundedDualTile const& a) { return {a}; }
BoundedDualTile BoundedDualLu::solve(BoundedDualTile const& b) const {
  BoundedLu const factors = lu(a.value);
  BoundedTile const x = factors.solve(b.value);
  return tile_result(x, a, b,
                     [&](std::size_t k) { return factors.solve(part(b, k) - part(a, k) * x); });
}
BoundedDualTile bounded_dual_entries(int m, int n, std::function<BoundedDual(int, int)> const& f) {
  BoundedDualTile r(BoundedTile(m, n));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      BoundedDual const x = f(i, j);
      r.value.at(i, j) = stored(x.value.number);
      r.value.info = first_failure(r.value.info, x.value.info);
      while (r.d.size() < x.d.size()) r.d.push_back(BoundedTile(m, n));
      for (std::size_t k = 0; k < x.d.size(); ++k) r.d[k].at(i, j) = x.d[k].number;
    }
  return r;
}
BoundedDualTile bounded_variables(BoundedTile const& x) {
  BoundedDualTile r(x);
  for (int k = 0; k < x.rows; ++k) {
    r.d.push_back(BoundedTile(x.rows, 1));
    r.d.back().at(k, 0) = {1, 0};
  }
  return r;
}
BoundedTile bounded_derivatives(BoundedDual const& y, bool as_column) {
  int const n = int(y.d.size());
  return tile(as_column ? n : 1, as_column ? 1 : n, y.value.info,
              [&](int i, int j) { return stored(y.d[std::size_t(as_column ? i : j)].number); });
}
BoundedTile bounded_derivatives(BoundedDualTile const& y, bool) {
  return tile(y.value.rows, int(y.d.size()), y.value.info,
              [&](int i, int j) { return stored(y.d[std::size_t(j)].at(i, 0)); });
}
BoundedTile bounded_triangle(int n, Structure st, std::function<BoundedScalar(int, int)> const& f) {
  BoundedTile r(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      BoundedScalar const x = f(i, j);
      r.at(i, j) = stored(x.number);
      if (st == Structure::symmetric) r.at(j, i) = r.at(i, j);
      r.info = first_failure(r.info, x.info);
    }
  return r;
}

}  // namespace Batchwork::RandomSequences
