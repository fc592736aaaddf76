// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BoundedLanguage.hpp"

#include <algorithm>
#include <cmath>

#include "Rounding.hpp"

namespace Batchwork::RandomSequences {

namespace {

/// The largest error of a library function, in roundings: four units in the last place.
constexpr int of_library = 8;

/// A function of x that is monotone, or convex and even, on the interval of possible values of x.
/// Its domain is least <= x <= most.
template <class F>
BoundedScalar by_ends(BoundedScalar const& a, F const& f, int roundings = of_library,
                      Real least = -unknown, Real most = unknown) {
  Entry const& x = a.number;
  Real const v = f(x.value);
  if (x.error == unknown) return {Entry{v, unknown}, a.info};
  if (std::isnan(x.value)) return {Entry{v, 0}, a.info};
  Real const low = x.value - x.error, high = x.value + x.error;
  if (low < least || high > most) {
    // Outside the domain the result is NaN, unless rounding can change that.
    bool const certain = high < least || low > most;
    return {Entry{v, certain ? 0 : unknown}, a.info};
  }
  Real const error = std::max(std::fabs(f(high) - v), std::fabs(f(low) - v));
  return {roundings == 0 ? entry(v, error) : rounded(v, error, roundings), a.info};
}
/// A function with a slope there, and a bound of its second derivative.
BoundedScalar by_slope(BoundedScalar const& a, Real value, Real slope, Real bend) {
  Real const e = a.number.error;
  if (e == unknown) return {Entry{value, unknown}, a.info};
  return {rounded(value, std::fabs(slope) * e + bend * e * e / 2, of_library), a.info};
}
Info merged(BoundedScalar const& a, BoundedScalar const& b) {
  return first_failure(a.info, b.info);
}
bool any_unknown(Entry const& a, Entry const& b) {
  return a.error == unknown || b.error == unknown;
}
BoundedMask mask_of(bool value, BoundedInteger const& a, BoundedInteger const& b) {
  return {value, a.certain && b.certain};
}
BoundedInteger integer_of(std::int64_t v, BoundedInteger const& a, BoundedInteger const& b) {
  return {v, a.certain && b.certain, first_failure(a.info, b.info)};
}

}  // namespace

// ---- functions ----------------------------------------------------------------------------------

BoundedScalar sin(BoundedScalar const& x) {
  if (is_zero(x.number)) return x;
  return by_slope(x, std::sin(x.number.value), std::cos(x.number.value), 1);
}
BoundedScalar cos(BoundedScalar const& x) {
  return by_slope(x, std::cos(x.number.value), std::sin(x.number.value), 1);
}
BoundedScalar tan(BoundedScalar const& x) {
  // From one pole to the next it is monotone.
  Real const v = x.number.value, e = x.number.error, half = std::acos(-1.0L) / 2;
  bool const one_branch = std::isnan(v) || std::floor((v - e) / half / 2 + 0.5L) ==
                                               std::floor((v + e) / half / 2 + 0.5L);
  BoundedScalar r = by_ends(x, [](Real y) { return std::tan(y); });
  if (!one_branch) r.number.error = unknown;
  return r;
}
BoundedScalar asin(BoundedScalar const& x) {
  return by_ends(x, [](Real y) { return std::asin(y); }, of_library, -1, 1);
}
BoundedScalar acos(BoundedScalar const& x) {
  return by_ends(x, [](Real y) { return std::acos(y); }, of_library, -1, 1);
}
BoundedScalar atan(BoundedScalar const& x) {
  return by_ends(x, [](Real y) { return std::atan(y); });
}
BoundedScalar sinh(BoundedScalar const& x) {
  return by_ends(x, [](Real y) { return std::sinh(y); });
}
BoundedScalar cosh(BoundedScalar const& x) {
  return by_ends(x, [](Real y) { return std::cosh(y); });
}
BoundedScalar tanh(BoundedScalar const& x) {
  return by_ends(x, [](Real y) { return std::tanh(y); });
}
BoundedScalar asinh(BoundedScalar const& x) {
  return by_ends(x, [](Real y) { return std::asinh(y); });
}
BoundedScalar exp2(BoundedScalar const& x) {
  return by_ends(x, [](Real y) { return std::exp2(y); });
}
BoundedScalar expm1(BoundedScalar const& x) {
  return by_ends(x, [](Real y) { return std::expm1(y); });
}
BoundedScalar log2(BoundedScalar const& x) {
  return by_ends(x, [](Real y) { return std::log2(y); }, of_library, 0);
}
BoundedScalar log10(BoundedScalar const& x) {
  return by_ends(x, [](Real y) { return std::log10(y); }, of_library, 0);
}
BoundedScalar log1p(BoundedScalar const& x) {
  return by_ends(x, [](Real y) { return std::log1p(y); }, of_library, -1);
}
BoundedScalar cbrt(BoundedScalar const& x) {
  return by_ends(x, [](Real y) { return std::cbrt(y); });
}
BoundedScalar erf(BoundedScalar const& x) {
  return by_ends(x, [](Real y) { return std::erf(y); });
}
BoundedScalar floor(BoundedScalar const& x) {
  return by_ends(x, [](Real y) { return std::floor(y); }, 0);
}
BoundedScalar ceil(BoundedScalar const& x) {
  return by_ends(x, [](Real y) { return std::ceil(y); }, 0);
}
BoundedScalar trunc(BoundedScalar const& x) {
  return by_ends(x, [](Real y) { return std::trunc(y); }, 0);
}
BoundedScalar round(BoundedScalar const& x) {
  return by_ends(x, [](Real y) { return std::round(y); }, 0);
}
BoundedScalar fabs(BoundedScalar const& x) { return abs(x); }
BoundedScalar sign(BoundedScalar const& x) {
  return by_ends(x, [](Real y) { return y > 0 ? 1.0L : y < 0 ? -1.0L : y; }, 0);
}
BoundedScalar square(BoundedScalar const& x) { return x * x; }
BoundedScalar atan2(BoundedScalar const& a, BoundedScalar const& b) {
  Entry const &y = a.number, &x = b.number;
  Real const v = std::atan2(y.value, x.value);
  Info const info = merged(a, b);
  if (any_unknown(y, x)) return {Entry{v, unknown}, info};
  if (std::isnan(v)) return {Entry{v, 0}, info};
  // The smallest distance from the origin, and whether the half-line where the angle jumps can be
  // crossed.
  Real const distance = std::hypot(std::max(std::fabs(x.value) - x.error, 0.0L),
                                   std::max(std::fabs(y.value) - y.error, 0.0L));
  bool const jumps = x.value - x.error <= 0 && std::fabs(y.value) <= y.error + smallest();
  if (jumps || !(distance > 0)) return {Entry{v, unknown}, info};
  return {rounded(v, std::hypot(x.error, y.error) / distance, of_library), info};
}
BoundedScalar hypot(BoundedScalar const& a, BoundedScalar const& b) {
  return {rounded(std::hypot(a.number.value, b.number.value), a.number.error + b.number.error,
                  of_library),
          merged(a, b)};
}
BoundedScalar fmod(BoundedScalar const& a, BoundedScalar const& b) {
  Entry const &x = a.number, &y = b.number;
  Real const v = std::fmod(x.value, y.value);
  Info const info = merged(a, b);
  if (any_unknown(x, y)) return {Entry{v, unknown}, info};
  if (std::isnan(v)) return {Entry{v, 0}, info};
  Real const size = std::fabs(x.value), by = std::fabs(y.value);
  Real const q = std::trunc(size / by), least = std::trunc((size - x.error) / (by + y.error)),
             most = std::trunc((size + x.error) / (by - y.error));
  bool const certain = by > y.error && least == q && most == q && size >= x.error;
  return {entry(v, certain ? x.error + q * y.error : by + y.error + std::fabs(v)), info};
}
BoundedScalar copysign(BoundedScalar const& a, BoundedScalar const& b) {
  Entry const &x = a.number, &y = b.number;
  Info const info = merged(a, b);
  Real const v = std::copysign(x.value, y.value);
  bool const certain = std::fabs(y.value) > y.error;
  if (any_unknown(x, y) || std::isnan(y.value)) return {Entry{v, unknown}, info};
  return {entry(v, certain ? x.error : 2 * std::fabs(x.value) + x.error), info};
}
BoundedScalar pow(BoundedScalar const& a, BoundedScalar const& b) {
  Entry const &x = a.number, &y = b.number;
  Real const v = std::pow(x.value, y.value);
  Info const info = merged(a, b);
  if (any_unknown(x, y)) return {Entry{v, unknown}, info};
  if (std::isnan(v))
    return {Entry{v, std::isnan(x.value) || std::isnan(y.value) ? 0 : unknown}, info};
  if (!(x.value - x.error > 0)) return {Entry{v, unknown}, info};
  Real error = 0;
  for (Real const p : {x.value - x.error, x.value + x.error})
    for (Real const q : {y.value - y.error, y.value + y.error})
      error = std::max(error, std::fabs(std::pow(p, q) - v));
  return {rounded(v, error, of_library), info};
}
BoundedScalar power(BoundedScalar const& a, int n) {
  Entry const& x = a.number;
  Real const v = std::pow(x.value, n), size = std::fabs(x.value);
  if (x.error == unknown || (n < 0 && !std::isnan(v) && !(size > x.error)))
    return {Entry{v, unknown}, a.info};
  Real const far = std::pow(n < 0 ? size - x.error : size + x.error, n);
  return {rounded(v, far - std::fabs(v), of_library + 2 * std::abs(n)), a.info};
}
BoundedScalar clamp(BoundedScalar const& x, BoundedScalar const& low, BoundedScalar const& high) {
  Entry const &v = x.number, &l = low.number, &h = high.number;
  BoundedScalar r(v, first_failure(first_failure(x.info, low.info), high.info));
  if (v.value < l.value) r.number.value = l.value;
  if (v.value > h.value) r.number.value = h.value;
  bool const inside =
      v.value - v.error > l.value + l.error && v.value + v.error < h.value - h.error;
  if (!inside) r.number.error = std::max({v.error, l.error, h.error});
  // Far beyond an end it is the end.
  if (v.value + v.error < l.value - l.error) r.number.error = l.error;
  if (v.value - v.error > h.value + h.error) r.number.error = h.error;
  return r;
}
BoundedScalar lerp(BoundedScalar const& a, BoundedScalar const& b, BoundedScalar const& t) {
  Entry const &x = a.number, &y = b.number, &s = t.number;
  Real const v = x.value + s.value * (y.value - x.value);
  Real const error = (std::fabs(1 - s.value) + s.error) * x.error + reach(s) * y.error +
                     std::fabs(y.value - x.value) * s.error;
  Real const size = (1 + reach(s)) * (reach(x) + reach(y));
  return {rounded(v, error + gamma(6) * size), first_failure(merged(a, b), t.info)};
}

BoundedTile power(BoundedTile const& x, int n) {
  return of_entries([n](BoundedScalar const& e) { return power(e, n); }, x);
}
namespace Inner {
void keep_zero(BoundedTile const& from, BoundedTile& to) {
  for (int i = 0; i < to.rows; ++i)
    for (int j = 0; j < to.cols; ++j) {
      bool const kept = is_zero(from.at(i, j)) && to.at(i, j).value == 0;
      to.at(i, j) = kept ? Entry{} : stored(to.at(i, j));
    }
}
void keep_stored(BoundedTile& x) {
  for (int i = 0; i < x.rows; ++i)
    for (int j = 0; j < x.cols; ++j) x.at(i, j) = stored(x.at(i, j));
}
}  // namespace Inner

// ---- entries together ---------------------------------------------------------------------------

BoundedScalar sum(BoundedTile const& a) {
  BoundedTile one(a.rows, a.cols);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.cols; ++j) one.at(i, j) = {1, 0};
  BoundedScalar r = dot(a, one);
  r.info = a.info;
  return r;
}
BoundedScalar prod(BoundedTile const& a) {
  Real value = 1, size = 1;
  bool known = true;
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.cols; ++j) {
      Entry const& e = a.at(i, j);
      value *= e.value;
      size *= reach(e);
      known = known && e.error != unknown;
    }
  int const n = a.rows * a.cols;
  // Intermediate results that become very small, in any order, lose digits.
  Real const lost = size < std::sqrt(smallest()) ? std::sqrt(smallest()) : 0;
  return {known ? rounded(value, size - std::fabs(value) + gamma(n) * size + lost, n)
                : Entry{value, unknown},
          a.info};
}
/// The smallest entry after multiplication by `sign`, its index, and whether rounding decides it.
struct Extreme {
  Entry entry;
  int index = 0;
  bool certain = true;
};
static Extreme extreme_of(BoundedTile const& a, Real sign) {
  Extreme r{a.at(0, 0), 0, true};
  auto const at = [&](int k) -> Entry const& { return a.at(k / a.cols, k % a.cols); };
  int const n = a.rows * a.cols;
  for (int k = 1; k < n; ++k) {
    Entry const& e = at(k);
    if (std::isnan(r.entry.value)) break;
    if (std::isnan(e.value) || sign * e.value < sign * r.entry.value) r.entry = e, r.index = k;
  }
  for (int k = 0; k < n; ++k) {
    Entry const& e = at(k);
    if (e.error == unknown) r.certain = false, r.entry.error = unknown;
    if (k == r.index || std::isnan(r.entry.value)) continue;
    Real const apart = sign * (e.value - r.entry.value), both = e.error + r.entry.error;
    // Equal exact numbers are ordered by their index.
    if (apart > both || (both == 0 && apart >= 0)) continue;
    r.certain = false;
    r.entry.error = std::max(r.entry.error, e.error);
  }
  return r;
}
BoundedScalar minimum(BoundedTile const& a) { return {extreme_of(a, 1).entry, a.info}; }
BoundedScalar maximum(BoundedTile const& a) { return {extreme_of(a, -1).entry, a.info}; }
static BoundedScalar index_of(Extreme const& e, BoundedTile const& a) {
  return {Entry{Real(e.index), e.certain ? 0 : Real(a.rows * a.cols)}, a.info};
}
BoundedScalar minimum_index(BoundedTile const& a) { return index_of(extreme_of(a, 1), a); }
BoundedScalar maximum_index(BoundedTile const& a) { return index_of(extreme_of(a, -1), a); }

BoundedTile stack(BoundedTile const& a, BoundedTile const& b) {
  return tile(a.rows + b.rows, a.cols, first_failure(a.info, b.info),
              [&](int i, int j) { return stored(i < a.rows ? a.at(i, j) : b.at(i - a.rows, j)); });
}
BoundedTile beside(BoundedTile const& a, BoundedTile const& b) {
  return tile(a.rows, a.cols + b.cols, first_failure(a.info, b.info),
              [&](int i, int j) { return stored(j < a.cols ? a.at(i, j) : b.at(i, j - a.cols)); });
}
BoundedTile bounded_constant(int m, int n, BoundedScalar const& c) {
  return tile(m, n, c.info, [&](int, int) { return stored(c.number); });
}

// ---- integers -----------------------------------------------------------------------------------

BoundedInteger::operator BoundedScalar() const {
  Real const v = Real(value);
  // Values that float and double represent exactly.
  bool const exact = std::fabs(v) * roundoff() < 1;
  Entry const e{v, !certain ? unknown : exact ? 0 : std::fabs(v) * roundoff()};
  return {e, info};
}
BoundedInteger operator-(BoundedInteger const& a) { return {-a.value, a.certain, a.info}; }
BoundedInteger operator+(BoundedInteger const& a, BoundedInteger const& b) {
  return integer_of(a.value + b.value, a, b);
}
BoundedInteger operator-(BoundedInteger const& a, BoundedInteger const& b) {
  return integer_of(a.value - b.value, a, b);
}
BoundedInteger operator*(BoundedInteger const& a, BoundedInteger const& b) {
  return integer_of(a.value * b.value, a, b);
}
/// A division by zero gives 0 and a failure.
static BoundedInteger divided(BoundedInteger const& a, BoundedInteger const& b, bool remainder) {
  bool const zero = b.value == 0;
  BoundedInteger r = integer_of(zero ? 0 : remainder ? a.value % b.value : a.value / b.value, a, b);
  r.info = first_failure(r.info, {zero ? Status::code(Reason::division_by_zero, 0) : 0, b.certain});
  return r;
}
BoundedInteger operator/(BoundedInteger const& a, BoundedInteger const& b) {
  return divided(a, b, false);
}
BoundedInteger operator%(BoundedInteger const& a, BoundedInteger const& b) {
  return divided(a, b, true);
}
BoundedInteger operator&(BoundedInteger const& a, BoundedInteger const& b) {
  return integer_of(a.value & b.value, a, b);
}
BoundedMask operator<(BoundedInteger const& a, BoundedInteger const& b) {
  return mask_of(a.value < b.value, a, b);
}
BoundedMask operator<=(BoundedInteger const& a, BoundedInteger const& b) {
  return mask_of(a.value <= b.value, a, b);
}
BoundedMask operator>(BoundedInteger const& a, BoundedInteger const& b) { return b < a; }
BoundedMask operator>=(BoundedInteger const& a, BoundedInteger const& b) { return b <= a; }
BoundedMask operator==(BoundedInteger const& a, BoundedInteger const& b) {
  return mask_of(a.value == b.value, a, b);
}
BoundedMask operator!=(BoundedInteger const& a, BoundedInteger const& b) { return !(a == b); }
BoundedInteger abs(BoundedInteger const& a) {
  return {a.value < 0 ? -a.value : a.value, a.certain, a.info};
}
BoundedInteger select(BoundedMask const& m, BoundedInteger const& a, BoundedInteger const& b) {
  BoundedInteger r = m.value ? a : b;
  if (m.certain) return r;
  r.certain = r.certain && a.certain && b.certain && a.value == b.value;
  if (a.info.code != b.info.code) r.info.certain = false;
  return r;
}
BoundedInteger min(BoundedInteger const& a, BoundedInteger const& b) { return select(b < a, b, a); }
BoundedInteger max(BoundedInteger const& a, BoundedInteger const& b) { return select(a < b, b, a); }
BoundedInteger bounded_integer(BoundedScalar const& x, int bytes) {
  Entry const& e = x.number;
  Real const end = std::ldexp(1.0L, 8 * bytes - 1), v = std::trunc(e.value);
  bool const certain =
      e.error != unknown &&
      (std::isnan(v) || (std::trunc(e.value - e.error) == v && std::trunc(e.value + e.error) == v));
  bool const beyond = std::isnan(v) || v < -end || v >= end;
  std::int64_t const inside = std::isnan(v) ? 0
                              : v < -end    ? (bytes == 4 ? INT32_MIN : INT64_MIN)
                              : v >= end    ? (bytes == 4 ? INT32_MAX : INT64_MAX)
                                            : std::int64_t(v);
  Info const failure{beyond ? Status::code(Reason::out_of_range, 0) : 0,
                     certain || std::fabs(v) < end / 2};
  return {inside, certain, first_failure(x.info, failure)};
}

static Info info_of_index(BoundedInteger const& k, int count) {
  bool const there = k.value >= 0 && k.value < count;
  return first_failure(k.info, {there ? 0 : Status::code(Reason::out_of_range, 0), k.certain});
}
static Entry found(BoundedInteger const& k, int count, std::function<Real(int)> const& number) {
  constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
  bool const there = k.value >= 0 && k.value < count;
  return {there ? number(int(k.value)) : nan, k.certain ? 0 : unknown};
}
BoundedScalar BoundedTable::operator()(BoundedInteger const& k) const {
  return {stored(found(k, count, number)), info_of_index(k, count)};
}
BoundedTile BoundedTableOfVectors::operator()(BoundedInteger const& k) const {
  return tile(rows, 1, info_of_index(k, count), [&](int i, int) {
    return stored(found(k, count, [&](int n) { return number(n, i); }));
  });
}

}  // namespace Batchwork::RandomSequences
