// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Bounded.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "Rounding.hpp"

namespace Batchwork::RandomSequences {

namespace {

/// c +- the sum of the products of a(k) and b(k), in any order.
template <class A, class B>
Entry sum_of_products(Entry const& c, int sign, int terms, A const& a, B const& b) {
  Real value = c.value, error = c.error, size = is_zero(c) ? 0 : reach(c);
  int count = is_zero(c) ? 0 : 1;
  for (int k = 0; k < terms; ++k) {
    Entry const &x = a(k), &y = b(k);
    if (is_zero(x) || is_zero(y)) continue;
    value += Real(sign) * x.value * y.value;
    error += std::fabs(x.value) * y.error + x.error * reach(y);
    size += reach(x) * reach(y);
    ++count;
  }
  return entry(value, error + gamma(count + 1) * size + Real(count) * smallest());
}

void require(bool holds, char const* what) {
  if (!holds)
    throw std::logic_error(std::string("interpreter of sequences: shapes of ") + what +
                           " do not fit");
}

/// Square matrices of plain numbers, with a few operations.
struct Square {
  int n;
  std::vector<Real> a;
  explicit Square(int size) : n(size), a(std::size_t(size) * std::size_t(size), 0) {}
  Real& operator()(int i, int j) { return a[std::size_t(i) * std::size_t(n) + std::size_t(j)]; }
  Real operator()(int i, int j) const {
    return a[std::size_t(i) * std::size_t(n) + std::size_t(j)];
  }
};
/// The magnitudes of the inverse of a lower triangle.
Square inverse_of_lower(BoundedTile const& l) {
  Square r(l.rows);
  for (int j = 0; j < r.n; ++j)
    for (int i = j; i < r.n; ++i) {
      Real sum = i == j ? 1 : 0;
      for (int k = j; k < i; ++k) sum -= l.at(i, k).value * r(k, j);
      r(i, j) = sum / l.at(i, i).value;
    }
  return r;
}
Square magnitudes(Square x) {
  for (Real& v : x.a) v = std::fabs(v);
  return x;
}

/// The least e with e >= inverse (matrix_error (size + e) + right_error), or slightly more. It
/// bounds the difference between the solution of a system with a perturbed matrix and right-hand
/// side and the exact solution. Returns false if the iteration does not converge.
bool bound_of_solution(Square const& inverse, Square const& matrix_error,
                       std::vector<Real> const& size, std::vector<Real> const& right_error,
                       std::vector<Real>& e) {
  int const n = inverse.n;
  auto const apply = [&](std::vector<Real> const& x) {
    std::vector<Real> residual(x.size()), r(x.size(), 0);
    for (int i = 0; i < n; ++i) {
      Real sum = right_error[std::size_t(i)];
      for (int k = 0; k < n; ++k)
        sum += matrix_error(i, k) * (size[std::size_t(k)] + x[std::size_t(k)]);
      residual[std::size_t(i)] = sum;
    }
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k) r[std::size_t(i)] += inverse(i, k) * residual[std::size_t(k)];
    return r;
  };
  e.assign(std::size_t(n), 0);
  for (int turn = 0; turn < 30; ++turn) {
    e = apply(e);
    // A bound of the values that the map does not increase.
    std::vector<Real> larger = e;
    for (Real& x : larger) x = 1.1L * x + smallest();
    std::vector<Real> const image = apply(larger);
    bool holds = true;
    for (int i = 0; i < n; ++i) holds = holds && image[std::size_t(i)] <= larger[std::size_t(i)];
    if (holds) {
      e = larger;
      return true;
    }
  }
  return false;
}

/// Column by column. x is the exact solution; its bounds are set here.
void bound_columns(BoundedTile& x, BoundedTile const& b, Square const& inverse,
                   Square const& matrix_error) {
  for (int j = 0; j < x.cols; ++j) {
    std::vector<Real> size, right, e;
    bool known = true;
    for (int i = 0; i < x.rows; ++i) {
      size.push_back(std::fabs(x.at(i, j).value));
      right.push_back(b.at(i, j).error);
      known = known && std::isfinite(size.back()) && std::isfinite(right.back());
    }
    known = known && bound_of_solution(inverse, matrix_error, size, right, e);
    for (int i = 0; i < x.rows; ++i)
      x.at(i, j) = entry(x.at(i, j).value, std::isnan(x.at(i, j).value) ? 0
                                           : known                      ? e[std::size_t(i)]
                                                                        : unknown);
  }
}

/// Forward substitution with exact numbers.
BoundedTile substitute(BoundedTile const& l, BoundedTile const& b) {
  BoundedTile x(b.rows, b.cols);
  for (int j = 0; j < b.cols; ++j)
    for (int i = 0; i < b.rows; ++i) {
      Real sum = b.at(i, j).value;
      for (int k = 0; k < i; ++k)
        if (!is_zero(l.at(i, k))) sum -= l.at(i, k).value * x.at(k, j).value;
      x.at(i, j).value = sum / l.at(i, i).value;
    }
  return x;
}
BoundedTile upside_down(BoundedTile const& x, bool columns_too) {
  return tile(x.rows, x.cols, x.info,
              [&](int i, int j) { return x.at(x.rows - 1 - i, columns_too ? x.cols - 1 - j : j); });
}

}  // namespace

Arithmetic& arithmetic() {
  static Arithmetic a = Arithmetic::of<double>();
  return a;
}

Info first_failure(Info const& a, Info const& b) {
  if (!a.certain) return a;
  return a.code != 0 ? a : b;
}

// ---- masks --------------------------------------------------------------------------------------

BoundedMask operator!(BoundedMask const& a) { return {!a.value, a.certain}; }
BoundedMask operator&&(BoundedMask const& a, BoundedMask const& b) {
  if ((a.certain && !a.value) || (b.certain && !b.value)) return {false, true};
  return {a.value && b.value, a.certain && b.certain};
}
BoundedMask operator||(BoundedMask const& a, BoundedMask const& b) { return !(!a && !b); }

// ---- scalars ------------------------------------------------------------------------------------

BoundedScalar operator-(BoundedScalar const& a) { return {negative(a.number), a.info}; }
BoundedScalar operator+(BoundedScalar const& a, BoundedScalar const& b) {
  return {add(a.number, b.number), first_failure(a.info, b.info)};
}
BoundedScalar operator-(BoundedScalar const& a, BoundedScalar const& b) { return a + -b; }
BoundedScalar operator*(BoundedScalar const& a, BoundedScalar const& b) {
  return {multiply(a.number, b.number), first_failure(a.info, b.info)};
}
BoundedScalar operator/(BoundedScalar const& a, BoundedScalar const& b) {
  return {divide(a.number, b.number), first_failure(a.info, b.info)};
}
BoundedScalar& operator+=(BoundedScalar& a, BoundedScalar const& b) { return a = a + b; }
BoundedScalar& operator-=(BoundedScalar& a, BoundedScalar const& b) { return a = a - b; }
BoundedScalar& operator*=(BoundedScalar& a, BoundedScalar const& b) { return a = a * b; }
BoundedScalar& operator/=(BoundedScalar& a, BoundedScalar const& b) { return a = a / b; }

BoundedMask operator<(BoundedScalar const& a, BoundedScalar const& b) {
  Entry const &x = a.number, &y = b.number;
  bool const nan = std::isnan(x.value) || std::isnan(y.value);
  Real const e = x.error + y.error;
  return {x.value < y.value, nan ? e == 0 : e == 0 || std::fabs(x.value - y.value) > e};
}
BoundedMask operator<=(BoundedScalar const& a, BoundedScalar const& b) {
  BoundedMask const less = a < b;
  return {a.number.value <= b.number.value, less.certain};
}
BoundedMask operator>(BoundedScalar const& a, BoundedScalar const& b) { return b < a; }
BoundedMask operator>=(BoundedScalar const& a, BoundedScalar const& b) { return b <= a; }
BoundedMask operator==(BoundedScalar const& a, BoundedScalar const& b) {
  BoundedMask const less = a < b;
  return {a.number.value == b.number.value, less.certain};
}
BoundedMask operator!=(BoundedScalar const& a, BoundedScalar const& b) { return !(a == b); }

// Functions of a number x + d, |d| <= error. Six roundings are added, because the libraries of
// devices may have errors of two units in the last place.
BoundedScalar sqrt(BoundedScalar const& a) {
  Entry const& x = a.number;
  Real const v = std::sqrt(x.value), least = x.value - x.error;
  if (std::isnan(v)) {
    // NaN for NaN and negative numbers, unless rounding can change the sign.
    bool const certain = std::isnan(x.value) || x.value + x.error < 0;
    return {entry(v, certain ? 0 : unknown), a.info};
  }
  if (is_zero(x)) return a;
  return {least < 0 ? Entry{v, unknown} : rounded(v, x.error / (v + std::sqrt(least)), 6), a.info};
}
// 4 ulp, by the vector library of hosts.
BoundedScalar log(BoundedScalar const& a) {
  Entry const& x = a.number;
  Real const v = std::log(x.value), least = x.value - x.error;
  if (std::isnan(v))
    return {entry(v, std::isnan(x.value) || x.value + x.error < 0 ? 0 : unknown), a.info};
  return {least > 0 ? rounded(v, std::log(x.value / least), 8) : Entry{v, unknown}, a.info};
}
BoundedScalar exp(BoundedScalar const& a) {
  Entry const& x = a.number;
  Real const v = std::exp(x.value);
  return {rounded(v, v * std::expm1(x.error), 8), a.info};
}
BoundedScalar abs(BoundedScalar const& a) {
  return {Entry{std::fabs(a.number.value), a.number.error}, a.info};
}
BoundedScalar select(BoundedMask const& m, BoundedScalar const& a, BoundedScalar const& b) {
  BoundedScalar r = m.value ? a : b;
  if (m.certain) return r;
  Entry const &x = a.number, &y = b.number;
  r.number = entry(x.value, std::max(x.error, y.error + std::fabs(x.value - y.value)));
  if (std::isnan(r.number.value)) r.number.error = unknown;
  if (a.info.code != b.info.code) r.info.certain = false;
  return r;
}
/// The error of a minimum is at most the larger error of its arguments.
static BoundedScalar extreme(BoundedMask const& second, BoundedScalar const& a,
                             BoundedScalar const& b) {
  BoundedScalar r = select(second, b, a);
  if (second.certain) return r;
  r.number = entry(second.value ? b.number.value : a.number.value,
                   std::max(a.number.error, b.number.error));
  return r;
}
BoundedScalar min(BoundedScalar const& a, BoundedScalar const& b) { return extreme(b < a, a, b); }
BoundedScalar max(BoundedScalar const& a, BoundedScalar const& b) { return extreme(a < b, a, b); }
BoundedMask isnan(BoundedScalar const& a) {
  return {std::isnan(a.number.value), std::isfinite(a.number.error)};
}
BoundedMask isfinite(BoundedScalar const& a) {
  return {std::isfinite(a.number.value), std::isfinite(a.number.error)};
}
BoundedScalar fail_where(BoundedMask const& m, Reason reason, BoundedScalar const& x) {
  BoundedScalar r = x;
  r.info = first_failure(r.info, {m.value ? Status::code(reason, 0) : 0, m.certain});
  return r;
}

// ---- sums of logarithms -------------------------------------------------------------------------

void BoundedLogSum::add_log(BoundedScalar const& x) {
  Entry const& e = x.number;
  Real const v = std::log(e.value), least = e.value - e.error;
  bool const known = std::isnan(v) ? std::isnan(e.value) || e.value + e.error < 0 : least > 0;
  ++terms;
  magnitude += std::fabs(v);
  sum = entry(
      sum.value + weight * v,
      !known ? unknown
             : sum.error + std::fabs(weight) * (std::isnan(v) ? 0 : std::log(e.value / least)));
  info = first_failure(info, x.info);
}
BoundedLogSum& BoundedLogSum::operator+=(BoundedScalar const& x) {
  sum = add(sum, x.number);
  info = first_failure(info, x.info);
  return *this;
}
BoundedScalar BoundedLogSum::value() const {
  // One rounding for the product of each term, and the roundings of the final sum.
  Real const e = std::fabs(weight) * gamma(terms + 4) +
                 gamma(6) * (std::fabs(sum.value) + std::fabs(weight) * (magnitude + 2));
  return {entry(sum.value, sum.error + e), info};
}

// ---- tiles --------------------------------------------------------------------------------------

BoundedTile& BoundedTile::operator=(BoundedTile const& x) {
  require(rows == x.rows && cols == x.cols, "an assignment");
  BoundedTile const from = x;  // a copy, because it can be a part of the assigned tile
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) {
      bool const above = j > i;
      if (structure == Structure::symmetric) at(i, j) = above ? from.at(j, i) : from.at(i, j);
      else if ((structure == Structure::lower && above) ||
               (structure == Structure::diagonal && i != j))
        at(i, j) = Entry{};
      else at(i, j) = from.at(i, j);
    }
  info = from.info;
  return *this;
}

BoundedScalar BoundedTile::operator()(int i, int j) const& {
  require(i >= 0 && i < rows && j >= 0 && j < cols, "an entry");
  return {at(i, j), info};
}
BoundedEntry BoundedTile::operator()(int i, int j) & {
  require(i >= 0 && i < rows && j >= 0 && j < cols, "an entry");
  return BoundedEntry(*this, i, j);
}
BoundedEntry::BoundedEntry(BoundedTile& t, int i, int j)
    : BoundedScalar(t.at(i, j), t.info), tile_(&t), row_(i), col_(j) {}
BoundedEntry& BoundedEntry::operator=(BoundedScalar const& x) & {
  BoundedScalar::operator=(x);
  return *this;
}
void BoundedEntry::operator=(BoundedScalar const& x) && {
  Structure const st = tile_->structure;
  require(row_ == col_ || st != Structure::diagonal, "the entry of a diagonal");
  require(row_ >= col_ || st != Structure::lower, "the entry of a triangle");
  tile_->at(row_, col_) = stored(x.number);
  if (st == Structure::symmetric) tile_->at(col_, row_) = tile_->at(row_, col_);
  tile_->info = first_failure(tile_->info, x.info);
}
void BoundedEntry::operator+=(BoundedScalar const& x) && {
  std::move(*this) = static_cast<BoundedScalar const&>(*this) + x;
}
void BoundedEntry::operator-=(BoundedScalar const& x) && {
  std::move(*this) = static_cast<BoundedScalar const&>(*this) - x;
}
void BoundedEntry::operator*=(BoundedScalar const& x) && {
  std::move(*this) = static_cast<BoundedScalar const&>(*this) * x;
}

BoundedTile operator-(BoundedTile const& a) {
  return tile(a.rows, a.cols, a.info, [&](int i, int j) { return negative(a.at(i, j)); });
}
BoundedTile operator+(BoundedTile const& a, BoundedTile const& b) {
  require(a.rows == b.rows && a.cols == b.cols, "a sum");
  return tile(a.rows, a.cols, first_failure(a.info, b.info),
              [&](int i, int j) { return add(a.at(i, j), b.at(i, j)); });
}
BoundedTile operator-(BoundedTile const& a, BoundedTile const& b) { return a + -b; }
BoundedTile operator*(BoundedTile const& a, BoundedTile const& b) {
  require(a.cols == b.rows, "a product");
  return tile(a.rows, b.cols, first_failure(a.info, b.info), [&](int i, int j) {
    return sum_of_products(
        Entry{}, 1, a.cols, [&](int k) -> Entry const& { return a.at(i, k); },
        [&](int k) -> Entry const& { return b.at(k, j); });
  });
}
// The failure of a scalar precedes the failure of the tile that it multiplies or divides.
BoundedTile operator*(BoundedScalar const& c, BoundedTile const& a) {
  return tile(a.rows, a.cols, first_failure(c.info, a.info), [&](int i, int j) {
    return is_zero(a.at(i, j)) ? Entry{} : multiply(c.number, a.at(i, j));
  });
}
BoundedTile operator*(BoundedTile const& a, BoundedScalar const& c) { return c * a; }
BoundedTile operator/(BoundedTile const& a, BoundedScalar const& c) {
  return (BoundedScalar(1) / c) * a;
}
BoundedTile& operator+=(BoundedTile& a, BoundedTile const& b) { return a = a + b; }
BoundedTile& operator-=(BoundedTile& a, BoundedTile const& b) { return a = a - b; }
BoundedTile& operator*=(BoundedTile& a, BoundedScalar const& c) { return a = a * c; }

BoundedTile transpose(BoundedTile const& x) {
  return tile(x.cols, x.rows, x.info, [&](int i, int j) { return x.at(j, i); });
}
BoundedTile symmetric(BoundedTile const& x) {
  require(x.rows == x.cols, "symmetric");
  return symmetric_tile(x.rows, x.info, [&](int i, int j) { return x.at(i, j); });
}

/// The lower triangle of c +- a b, in both triangles.
static BoundedTile triangle(BoundedTile const* c, int sign, BoundedTile const& a,
                            BoundedTile const& b, Info const& info) {
  require(a.cols == b.rows && a.rows == b.cols && (!c || (c->rows == a.rows && c->cols == a.rows)),
          "a symmetric product");
  return symmetric_tile(a.rows, info, [&](int i, int j) {
    return sum_of_products(
        c ? c->at(i, j) : Entry{}, sign, a.cols, [&](int k) -> Entry const& { return a.at(i, k); },
        [&](int k) -> Entry const& { return b.at(k, j); });
  });
}
BoundedTile symmetric_product(BoundedTile const& a, BoundedTile const& b) {
  return triangle(nullptr, 1, a, b, first_failure(a.info, b.info));
}
BoundedTile symmetric_product(BoundedTile const& a, BoundedTile const& b, BoundedTile const& c) {
  return triangle(&c, 1, a, b, first_failure(first_failure(a.info, b.info), c.info));
}
BoundedTile congruence(BoundedTile const& f, BoundedTile const& p) {
  return triangle(nullptr, 1, f * symmetric(p), transpose(f), first_failure(f.info, p.info));
}
BoundedTile congruence(BoundedTile const& f, BoundedTile const& p, BoundedTile const& q) {
  return triangle(&q, 1, f * symmetric(p), transpose(f),
                  first_failure(first_failure(f.info, p.info), q.info));
}
BoundedTile gram(BoundedTile const& y) { return triangle(nullptr, 1, transpose(y), y, y.info); }
BoundedTile downdate(BoundedTile const& p, BoundedTile const& y) {
  return triangle(&p, -1, transpose(y), y, first_failure(p.info, y.info));
}

// ---- factorisations and solves ------------------------------------------------------------------

/// |L| |L'|. Rounding errors in a factorisation and its solves are a small multiple of it. The
/// errors of L are added.
static Square product_of_factors(BoundedTile const& l) {
  Square r(l.rows);
  for (int i = 0; i < r.n; ++i)
    for (int j = 0; j < r.n; ++j)
      for (int k = 0; k <= std::min(i, j); ++k)
        r(i, j) += 1.1L * std::fabs(l.at(i, k).value) * std::fabs(l.at(j, k).value);
  return r;
}

BoundedFactor cholesky(BoundedTile const& given) {
  BoundedFactor r;
  int const n = given.rows;
  r.a.become(symmetric(given));
  r.l.become(BoundedTile(n, n));
  BoundedTile& l = r.l;
  Info found;
  Real size = 0, error = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (std::isnan(r.a.at(i, j).value)) continue;
      size = std::max(size, reach(r.a.at(i, j)));
      error = std::max(error, r.a.at(i, j).error);
    }
  // Failures are planted so that rounding cannot cause them. Values near the limit are not judged.
  Real const close = 1000 * (gamma(n + 12) * size + error);
  bool clear = true;
  constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
  for (int j = 0; j < n; ++j) {
    Real pivot = r.a.at(j, j).value;
    for (int k = 0; k < j; ++k) pivot -= l.at(j, k).value * l.at(j, k).value;
    if (!(pivot > 0) && found.certain && found.code == 0) {
      bool const is_nan = std::isnan(pivot);
      found.code = Status::code(is_nan ? Reason::not_finite : Reason::not_positive_definite, j + 1);
      found.certain = clear && (is_nan || (pivot < -0.01L * size && pivot < -close));
    }
    clear = clear && pivot > close;
    if (!(pivot > 0)) pivot = nan;
    l.at(j, j).value = std::sqrt(pivot);
    for (int i = j + 1; i < n; ++i) {
      Real sum = r.a.at(i, j).value;
      for (int k = 0; k < j; ++k) sum -= l.at(i, k).value * l.at(j, k).value;
      l.at(i, j).value = sum / l.at(j, j).value;
    }
  }
  r.info = first_failure(given.info, found);
  l.info = r.info;
  auto const nothing_known = [&] {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j)
        l.at(i, j).error =
            std::isnan(l.at(i, j).value) && found.certain && found.code ? 0 : unknown;
  };
  if (found.code != 0 || !is_known(r.a)) {
    nothing_known();
    if (found.code == 0) l.info.certain = r.info.certain = false;
    return r;
  }
  // (L + L X)(L + L X)' = A + D with |D| no more than `d`: X is the lower half of G - X X', G =
  // inverse(L) D inverse(L)'.
  Square const inverse = magnitudes(inverse_of_lower(l));
  Square d = product_of_factors(l);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      d(i, j) = r.a.at(i, j).error + gamma(n + 12) * d(i, j) + Real(n) * smallest();
  Square half(n), g(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k <= i; ++k) half(i, j) += inverse(i, k) * d(k, j);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k <= j; ++k) g(i, j) += half(i, k) * inverse(j, k);
  auto const apply = [&](Square const& x) {
    Square y(n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        Real sum = g(i, j);
        for (int k = 0; k <= j; ++k) sum += x(i, k) * x(j, k);
        y(i, j) = i == j ? sum / 2 : sum;
      }
    return y;
  };
  Square x(n);
  bool settled = false;
  for (int turn = 0; turn < 30 && !settled; ++turn) {
    x = apply(x);
    Square larger = x;
    for (Real& v : larger.a) v *= 1.1L;
    Square const image = apply(larger);
    settled = true;
    for (std::size_t k = 0; k < x.a.size(); ++k) settled = settled && image.a[k] <= larger.a[k];
    if (settled) x = larger;
  }
  if (!settled) {
    nothing_known();
    l.info.certain = r.info.certain = false;
    return r;
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      Real e = 0;
      for (int k = j; k <= i; ++k) e += std::fabs(l.at(i, k).value) * x(k, j);
      l.at(i, j) = entry(l.at(i, j).value, e);
    }
  return r;
}

BoundedTile BoundedFactor::solve(BoundedTile const& b) const {
  require(a.rows == b.rows, "a solve");
  int const n = a.rows;
  BoundedTile const y = substitute(l, b);
  BoundedTile const lt = upside_down(transpose(l), true);
  BoundedTile x = upside_down(substitute(lt, upside_down(y, false)), false);
  x.info = first_failure(info, b.info);
  if (!is_known(l)) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < b.cols; ++j)
        x.at(i, j).error = info.certain && std::isnan(x.at(i, j).value) ? 0 : unknown;
    return x;
  }
  Square const root = inverse_of_lower(l);
  Square inverse(n), error = product_of_factors(l);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      for (int k = std::max(i, j); k < n; ++k) inverse(i, j) += root(k, i) * root(k, j);
      error(i, j) = a.at(i, j).error + gamma(3 * n + 24) * error(i, j) + Real(n) * smallest();
    }
  bound_columns(x, b, magnitudes(inverse), error);
  return x;
}
BoundedTile solve(BoundedFactor const& a, BoundedTile const& b) { return a.solve(b); }

BoundedScalar BoundedFactor::log_det() const {
  Real value = 0, error = 0;
  for (int i = 0; i < l.rows; ++i) {
    Real const d = l.at(i, i).value, e = l.at(i, i).error;
    value += 2 * std::log(d);
    error += std::isnan(d) ? e : e < d ? -2 * std::log1p(-e / d) : unknown;
  }
  Real const own = gamma(2 * l.rows + 16) + gamma(8) * (std::fabs(value) + 4);
  return {entry(value, error + own), info};
}
BoundedScalar log_det(BoundedFactor const& a) { return a.log_det(); }

/// Of all ways to choose the pivots: |L| |U| <= n 2^(n-1) max |a| (Higham, section 9.3).
static Square error_of_elimination(BoundedTile const& a) {
  int const n = a.rows;
  Real size = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) size = std::max(size, reach(a.at(i, j)));
  Square error(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      error(i, j) = a.at(i, j).error +
                    gamma(3 * n + 24) * Real(n) * std::ldexp(1.1L, n - 1) * size +
                    Real(n) * smallest();
  return error;
}

/// The exact inverse by Gauss-Jordan elimination, and the determinant. Returns false if a pivot is
/// zero or NaN.
static bool invert(BoundedTile const& a, Square& inverse, Real& determinant) {
  int const n = a.rows;
  Square u(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) u(i, j) = a.at(i, j).value, inverse(i, j) = i == j ? 1 : 0;
  determinant = 1;
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (std::fabs(u(i, k)) > std::fabs(u(pivot, k))) pivot = i;
    for (int j = 0; j < n && pivot != k; ++j) {
      std::swap(u(k, j), u(pivot, j));
      std::swap(inverse(k, j), inverse(pivot, j));
    }
    Real const p = u(k, k);
    if (!(std::fabs(p) > 0)) return false;
    determinant *= pivot == k ? p : -p;
    for (int j = 0; j < n; ++j) u(k, j) /= p, inverse(k, j) /= p;
    for (int i = 0; i < n; ++i) {
      Real const f = u(i, k);
      for (int j = 0; j < n && i != k; ++j) {
        u(i, j) -= f * u(k, j);
        inverse(i, j) -= f * inverse(k, j);
      }
    }
  }
  return true;
}

BoundedLu lu(BoundedTile const& given) {
  require(given.rows == given.cols, "an elimination");
  BoundedLu r;
  int const n = given.rows;
  r.a.become(given);
  r.info = given.info;
  r.inverse_of_a.become(BoundedTile(n, n));
  Square inverse(n);
  Real determinant = 0;
  bool const known = is_known(given) && invert(given, inverse, determinant);
  // (A + E) is as far from A as to multiply the determinant by no more than (1 + r)^n, r being the
  // norm of inverse(A) E.
  Square const error = error_of_elimination(given);
  Real norm = 0;
  for (int i = 0; i < n && known; ++i) {
    Real sum = 0;
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) sum += std::fabs(inverse(i, k)) * error(k, j);
    norm = std::max(norm, sum);
  }
  // Nothing is known if a pivot could be zero.
  if (!known || !(norm < 0.5L)) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) r.inverse_of_a.at(i, j) = {0, unknown};
    r.determinant_of_a = {0, unknown};
    r.info = first_failure(given.info, Info{0, false});
    return r;
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) r.inverse_of_a.at(i, j).value = inverse(i, j);
  r.determinant_of_a =
      rounded(determinant, std::fabs(determinant) * std::expm1(Real(n) * std::log1p(norm)), n + 2);
  return r;
}
BoundedTile BoundedLu::solve(BoundedTile const& b) const {
  require(a.rows == b.rows, "a solve");
  int const n = a.rows;
  BoundedTile x = tile(n, b.cols, first_failure(info, b.info), [&](int i, int j) {
    Real sum = 0;
    for (int k = 0; k < n; ++k) sum += inverse_of_a.at(i, k).value * b.at(k, j).value;
    return Entry{sum, determinant_of_a.error == unknown ? unknown : 0};
  });
  if (determinant_of_a.error == unknown) return x;
  Square inverse(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) inverse(i, j) = std::fabs(inverse_of_a.at(i, j).value);
  bound_columns(x, b, inverse, error_of_elimination(a));
  return x;
}
BoundedTile BoundedLu::inverse() const { return solve(bounded_identity(a.rows)); }
BoundedScalar BoundedLu::determinant() const { return {determinant_of_a, info}; }
BoundedTile solve(BoundedLu const& a, BoundedTile const& b) { return a.solve(b); }
BoundedTile inverse(BoundedLu const& a) { return a.inverse(); }
BoundedScalar determinant(BoundedLu const& a) { return a.determinant(); }

BoundedLu ldlt(BoundedTile const& a) { return lu(a); }
BoundedLu qr(BoundedTile const& a) { return lu(a); }
BoundedLu pivoted_qr(BoundedTile const& a) { return lu(a); }
BoundedLu svd(BoundedTile const& a) { return lu(a); }

BoundedTile column(BoundedTile const& a, int j) {
  return tile(a.rows, 1, a.info, [&](int i, int) { return a.at(i, j); });
}
BoundedTile hadamard(BoundedTile const& a, BoundedTile const& b) {
  require(a.rows == b.rows && a.cols == b.cols, "products of entries");
  // Entries outside a diagonal are not multiplied, for any entries of the other tile.
  auto const is_diagonal = [](BoundedTile const& x) {
    bool all = x.rows == x.cols;
    for (int i = 0; i < x.rows; ++i)
      for (int j = 0; j < x.cols; ++j) all = all && (i == j || is_zero(x.at(i, j)));
    return all;
  };
  bool const diagonal = is_diagonal(a) || is_diagonal(b);
  return tile(a.rows, a.cols, first_failure(a.info, b.info), [&](int i, int j) {
    Entry const &x = a.at(i, j), &y = b.at(i, j);
    bool const none = (diagonal && i != j) || (is_zero(x) && is_zero(y));
    return none ? Entry{} : multiply(x, y);
  });
}

BoundedTile solve(BoundedTile const& t, BoundedTile const& b) {
  require(t.rows == t.cols && t.rows == b.rows, "a solve");
  int const n = t.rows;
  bool lower = true, upper = true;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (j > i) lower = lower && is_zero(t.at(i, j));
      if (j < i) upper = upper && is_zero(t.at(i, j));
    }
  Info const info = first_failure(t.info, b.info);
  if (lower && upper)
    return tile(n, b.cols, info,
                // A reciprocal and a product, or a division.
                [&](int i, int j) {
                  Entry const x = divide(b.at(i, j), t.at(i, i));
                  return is_zero(b.at(i, j)) ? Entry{} : rounded(x.value, x.error, 2);
                });
  require(lower || upper, "a triangular solve");
  if (!lower) {
    BoundedTile r = upside_down(solve(upside_down(t, true), upside_down(b, false)), false);
    r.info = info;
    return r;
  }
  BoundedTile x = substitute(t, b);
  x.info = info;
  if (!is_known(t)) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < b.cols; ++j)
        x.at(i, j).error = std::isnan(x.at(i, j).value) ? 0 : unknown;
    return x;
  }
  Square error(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      error(i, j) = t.at(i, j).error + gamma(n + 6) * reach(t.at(i, j)) +
                    (is_zero(t.at(i, j)) ? 0 : smallest());
  bound_columns(x, b, magnitudes(inverse_of_lower(t)), error);
  return x;
}

// ---- reductions, entries, choices ---------------------------------------------------------------

BoundedScalar dot(BoundedTile const& a, BoundedTile const& b) {
  require(a.rows == b.rows && a.cols == b.cols, "dot");
  return {sum_of_products(
              Entry{}, 1, a.rows * a.cols,
              [&](int k) -> Entry const& { return a.at(k / a.cols, k % a.cols); },
              [&](int k) -> Entry const& { return b.at(k / a.cols, k % a.cols); }),
          first_failure(a.info, b.info)};
}
BoundedScalar norm2(BoundedTile const& a) { return sqrt(dot(a, a)); }
BoundedScalar trace(BoundedTile const& a) {
  require(a.rows == a.cols, "trace");
  Entry const one{1, 0};
  return {sum_of_products(
              Entry{}, 1, a.rows, [&](int k) -> Entry const& { return a.at(k, k); },
              [&](int) -> Entry const& { return one; }),
          a.info};
}
BoundedScalar element(BoundedTile const& x, int i, int j) { return {x.at(i, j), x.info}; }

BoundedTile select(BoundedMask const& m, BoundedTile const& a, BoundedTile const& b) {
  require(a.rows == b.rows && a.cols == b.cols, "select");
  Info const info = select(m, BoundedScalar(Entry{}, a.info), BoundedScalar(Entry{}, b.info)).info;
  return tile(a.rows, a.cols, info, [&](int i, int j) {
    return select(m, BoundedScalar(a.at(i, j)), BoundedScalar(b.at(i, j))).number;
  });
}
BoundedTile fail_where(BoundedMask const& m, Reason reason, BoundedTile const& x) {
  Info const info = fail_where(m, reason, BoundedScalar(Entry{}, x.info)).info;
  return tile(x.rows, x.cols, info, [&](int i, int j) { return x.at(i, j); });
}
BoundedTile bounded_identity(int n) {
  return tile(n, n, {}, [&](int i, int j) { return Entry{i == j ? Real(1) : Real(0), 0}; });
}
BoundedTile bounded_entries(int m, int n, std::function<BoundedScalar(int, int)> const& f) {
  Info info;
  BoundedTile r = tile(m, n, {}, [&](int i, int j) {
    BoundedScalar const x = f(i, j);
    info = first_failure(info, x.info);
    return stored(x.number);
  });
  r.info = info;
  return r;
}

}  // namespace Batchwork::RandomSequences
