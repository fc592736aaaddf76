// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Parts of the interpreter of sequences (Bounded.hpp) other than matrices: functions, reductions
/// over entries, control, integers, tables. Also the functions that sequences call by the same name
/// for tiles of the library and of the interpreter.
#ifndef BATCHWORK_TEST_BOUNDED_LANGUAGE_HPP
#define BATCHWORK_TEST_BOUNDED_LANGUAGE_HPP

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "Bounded.hpp"

namespace Batchwork::RandomSequences {

// ---- integers -----------------------------------------------------------------------------------

/// An integer, which is exact unless it depends on rounding.
struct BoundedInteger {
  std::int64_t value = 0;
  bool certain = true;
  Info info;
  BoundedInteger() = default;
  BoundedInteger(std::int64_t v, bool is_certain, Info const& i)
      : value(v), certain(is_certain), info(i) {}
  template <std::integral I>
  BoundedInteger(I v) : value(static_cast<std::int64_t>(v)) {}
  /// Converted to a real number in expressions with real numbers.
  operator BoundedScalar() const;
};
BoundedInteger operator-(BoundedInteger const& a);
BoundedInteger operator+(BoundedInteger const& a, BoundedInteger const& b);
BoundedInteger operator-(BoundedInteger const& a, BoundedInteger const& b);
BoundedInteger operator*(BoundedInteger const& a, BoundedInteger const& b);
BoundedInteger operator/(BoundedInteger const& a, BoundedInteger const& b);
BoundedInteger operator%(BoundedInteger const& a, BoundedInteger const& b);
BoundedInteger operator&(BoundedInteger const& a, BoundedInteger const& b);
BoundedMask operator<(BoundedInteger const& a, BoundedInteger const& b);
BoundedMask operator<=(BoundedInteger const& a, BoundedInteger const& b);
BoundedMask operator>(BoundedInteger const& a, BoundedInteger const& b);
BoundedMask operator>=(BoundedInteger const& a, BoundedInteger const& b);
BoundedMask operator==(BoundedInteger const& a, BoundedInteger const& b);
BoundedMask operator!=(BoundedInteger const& a, BoundedInteger const& b);
BoundedInteger abs(BoundedInteger const& a);
BoundedInteger min(BoundedInteger const& a, BoundedInteger const& b);
BoundedInteger max(BoundedInteger const& a, BoundedInteger const& b);
BoundedInteger select(BoundedMask const& m, BoundedInteger const& a, BoundedInteger const& b);
BoundedInteger bounded_integer(BoundedScalar const& x, int bytes);
template <class I>
BoundedInteger to_integer(BoundedScalar const& x) {
  return bounded_integer(x, int(sizeof(I)));
}
template <class T>
BoundedScalar as(BoundedInteger const& k) {
  return k;
}

/// A table of numbers, or of vectors.
struct BoundedTable {
  int count = 0;
  std::function<Real(int)> number;
  BoundedScalar operator()(BoundedInteger const& k) const;
};
struct BoundedTableOfVectors {
  int count = 0, rows = 0;
  std::function<Real(int, int)> number;
  BoundedTile operator()(BoundedInteger const& k) const;
};

// ---- functions ----------------------------------------------------------------------------------

BoundedScalar sin(BoundedScalar const& x);
BoundedScalar cos(BoundedScalar const& x);
BoundedScalar tan(BoundedScalar const& x);
BoundedScalar asin(BoundedScalar const& x);
BoundedScalar acos(BoundedScalar const& x);
BoundedScalar atan(BoundedScalar const& x);
BoundedScalar sinh(BoundedScalar const& x);
BoundedScalar cosh(BoundedScalar const& x);
BoundedScalar tanh(BoundedScalar const& x);
BoundedScalar asinh(BoundedScalar const& x);
BoundedScalar exp2(BoundedScalar const& x);
BoundedScalar expm1(BoundedScalar const& x);
BoundedScalar log2(BoundedScalar const& x);
BoundedScalar log10(BoundedScalar const& x);
BoundedScalar log1p(BoundedScalar const& x);
BoundedScalar cbrt(BoundedScalar const& x);
BoundedScalar erf(BoundedScalar const& x);
BoundedScalar floor(BoundedScalar const& x);
BoundedScalar ceil(BoundedScalar const& x);
BoundedScalar trunc(BoundedScalar const& x);
BoundedScalar round(BoundedScalar const& x);
BoundedScalar fabs(BoundedScalar const& x);
BoundedScalar sign(BoundedScalar const& x);
BoundedScalar square(BoundedScalar const& x);
BoundedScalar atan2(BoundedScalar const& y, BoundedScalar const& x);
BoundedScalar hypot(BoundedScalar const& x, BoundedScalar const& y);
BoundedScalar fmod(BoundedScalar const& x, BoundedScalar const& y);
BoundedScalar copysign(BoundedScalar const& x, BoundedScalar const& y);
BoundedScalar pow(BoundedScalar const& x, BoundedScalar const& y);
BoundedScalar power(BoundedScalar const& x, int n);
template <std::integral I>
BoundedScalar pow(BoundedScalar const& x, I n) {
  return power(x, int(n));
}
BoundedScalar clamp(BoundedScalar const& x, BoundedScalar const& low, BoundedScalar const& high);
BoundedScalar lerp(BoundedScalar const& a, BoundedScalar const& b, BoundedScalar const& t);

template <class X>
inline constexpr bool is_bounded_tile = std::is_same_v<X, BoundedTile>;
template <class X>
inline constexpr bool is_bounded =
    is_bounded_tile<X> || std::is_base_of_v<BoundedScalar, X> || std::is_same_v<X, BoundedInteger>;

namespace Inner {

inline BoundedScalar entry_of(BoundedTile const& x, int i, int j) { return x.at(i, j); }
inline BoundedScalar entry_of(BoundedScalar const& x, int, int) { return x.number; }
inline Info info_of(BoundedTile const& x) { return x.info; }
inline Info info_of(BoundedScalar const& x) { return x.info; }
inline BoundedTile const* first_tile() { return nullptr; }
template <class X, class... More>
BoundedTile const* first_tile(X const& x, More const&... more) {
  if constexpr (is_bounded_tile<X>) return &x;
  else return first_tile(more...);
}
template <class... X>
Info info_of_all(X const&... x) {
  Info r;
  ((r = first_failure(r, info_of(x))), ...);
  return r;
}
/// Structural zeros stay structural zeros if the function of zero is zero.
void keep_zero(BoundedTile const& from, BoundedTile& to);
void keep_stored(BoundedTile& x);

}  // namespace Inner

/// f of entries. Scalars next to tiles are the same for each entry.
template <class F, class... X>
BoundedTile of_entries(F const& f, X const&... x) {
  BoundedTile const& shape = *Inner::first_tile(x...);
  BoundedTile r(shape.rows, shape.cols);
  for (int i = 0; i < r.rows; ++i)
    for (int j = 0; j < r.cols; ++j) r.at(i, j) = f(Inner::entry_of(x, i, j)...).number;
  if constexpr (sizeof...(X) == 1) Inner::keep_zero(shape, r);
  else Inner::keep_stored(r);
  r.info = Inner::info_of_all(x...);
  return r;
}
using Function = BoundedScalar (*)(BoundedScalar const&);
inline BoundedTile entry_by_entry(Function f, BoundedTile const& x) { return of_entries(f, x); }

inline BoundedTile sin(BoundedTile const& x) { return entry_by_entry(sin, x); }
inline BoundedTile cos(BoundedTile const& x) { return entry_by_entry(cos, x); }
inline BoundedTile atan(BoundedTile const& x) { return entry_by_entry(atan, x); }
inline BoundedTile tanh(BoundedTile const& x) { return entry_by_entry(tanh, x); }
inline BoundedTile asinh(BoundedTile const& x) { return entry_by_entry(asinh, x); }
inline BoundedTile cbrt(BoundedTile const& x) { return entry_by_entry(cbrt, x); }
inline BoundedTile erf(BoundedTile const& x) { return entry_by_entry(erf, x); }
inline BoundedTile floor(BoundedTile const& x) { return entry_by_entry(floor, x); }
inline BoundedTile round(BoundedTile const& x) { return entry_by_entry(round, x); }
inline BoundedTile sign(BoundedTile const& x) { return entry_by_entry(sign, x); }
inline BoundedTile square(BoundedTile const& x) { return entry_by_entry(square, x); }
inline BoundedTile exp(BoundedTile const& x) { return entry_by_entry(exp, x); }
inline BoundedTile log1p(BoundedTile const& x) { return entry_by_entry(log1p, x); }
inline BoundedTile abs(BoundedTile const& x) { return entry_by_entry(abs, x); }
inline BoundedTile sqrt(BoundedTile const& x) { return entry_by_entry(sqrt, x); }
BoundedTile power(BoundedTile const& x, int n);
template <std::integral I>
BoundedTile pow(BoundedTile const& x, I n) {
  return power(x, int(n));
}
template <class X, class L, class H>
  requires is_bounded_tile<X>
BoundedTile clamp(X const& x, L const& low, H const& high) {
  return of_entries([](BoundedScalar const& a, BoundedScalar const& b,
                       BoundedScalar const& c) { return clamp(a, b, c); },
                    x, BoundedScalar(low), BoundedScalar(high));
}
inline BoundedTile hypot(BoundedTile const& x, BoundedTile const& y) {
  return of_entries([](BoundedScalar const& a, BoundedScalar const& b) { return hypot(a, b); }, x,
                    y);
}
inline BoundedTile lerp(BoundedTile const& x, BoundedTile const& y, BoundedScalar const& t) {
  return of_entries([](BoundedScalar const& a, BoundedScalar const& b,
                       BoundedScalar const& c) { return lerp(a, b, c); },
                    x, y, t);
}

// ---- functions of a test's own ------------------------------------------------------------------

template <class A>
struct Two {
  A first, second;
};
/// For apply: functions of plain numbers and of numbers of the interpreter, for hosts only.
struct Wave {
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  template <class A>
  KOKKOS_FUNCTION A operator()(A const& a) const {
    using Kokkos::sin;
    return sin(a) + a;
  }
};
struct Mix {
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(A const& a, B const& b) const {
    using C = decltype(a * b);
    // An integer beside a real: the conversion is meant.
    if constexpr (std::is_arithmetic_v<C>) return C(a) * C(b) - C(a);
    else return a * b - a;
  }
};
struct SumAndProduct {
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  template <class A>
  KOKKOS_FUNCTION Two<A> operator()(A const& a, A const& b) const {
    return {a + b, a * b};
  }
};

namespace Inner {

inline BoundedScalar without_info(BoundedScalar const& x) { return x.number; }

}  // namespace Inner

template <class F, class... X>
  requires(is_bounded<X> || ...)
auto apply(F const& f, X const&... x) {
  if constexpr ((is_bounded_tile<X> || ...)) {
    using R = decltype(f(Inner::entry_of(x, 0, 0)...));
    if constexpr (std::is_same_v<R, BoundedScalar>) {
      BoundedTile r = of_entries(f, x...);
      Inner::keep_stored(r);
      return r;
    } else {
      return Two<BoundedTile>{of_entries([&](auto const&... e) { return f(e...).first; }, x...),
                              of_entries([&](auto const&... e) { return f(e...).second; }, x...)};
    }
  } else {
    auto r = f(Inner::without_info(x)...);
    Info const info = Inner::info_of_all(BoundedScalar(x)...);
    if constexpr (std::is_same_v<decltype(r), BoundedScalar>) r.info = info;
    else r.first.info = r.second.info = info;
    return r;
  }
}

// ---- entries together ---------------------------------------------------------------------------

BoundedScalar sum(BoundedTile const& a);
BoundedScalar prod(BoundedTile const& a);
BoundedScalar minimum(BoundedTile const& a);
BoundedScalar maximum(BoundedTile const& a);
BoundedScalar minimum_index(BoundedTile const& a);
BoundedScalar maximum_index(BoundedTile const& a);
BoundedTile stack(BoundedTile const& a, BoundedTile const& b);
BoundedTile beside(BoundedTile const& a, BoundedTile const& b);
template <class F>
BoundedMask all_of(BoundedTile const& a, F const& f) {
  BoundedMask r{true, true};
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.cols; ++j) r = r && f(BoundedScalar(a.at(i, j), a.info));
  return r;
}
template <class F>
BoundedMask any_of(BoundedTile const& a, F const& f) {
  return !all_of(a, [&](BoundedScalar const& x) { return !f(x); });
}

BoundedTile bounded_constant(int m, int n, BoundedScalar const& c);
template <int M, int N, class X>
  requires is_bounded<X>
BoundedTile zero(X const&) {
  return bounded_constant(M, N, 0);
}
template <int N, class X>
  requires is_bounded<X>
BoundedTile zero(X const&) {
  return bounded_constant(N, 1, 0);
}
template <class X>
  requires is_bounded<X>
BoundedScalar zero(X const&) {
  return 0;
}
template <int M, int N, class X>
  requires is_bounded<X>
BoundedTile ones(X const&) {
  return bounded_constant(M, N, 1);
}
template <int N, class X>
  requires is_bounded<X>
BoundedTile ones(X const&) {
  return bounded_constant(N, 1, 1);
}
template <int M, int N, class X>
  requires is_bounded<X>
BoundedTile constant(BoundedScalar const& c, X const&) {
  return bounded_constant(M, N, c);
}
template <int N, class X>
  requires is_bounded<X>
BoundedTile constant(BoundedScalar const& c, X const&) {
  return bounded_constant(N, 1, c);
}

// ---- control ------------------------------------------------------------------------------------

struct BoundedIterated {
  BoundedMask open;
  BoundedScalar rounds;
};
namespace Inner {
inline void keep_where_not(BoundedMask const& open, BoundedScalar& x, BoundedScalar const& before) {
  x = select(open, x, before);
}
inline void keep_where_not(BoundedMask const& open, BoundedTile& x, BoundedTile const& before) {
  // Its own structure remains.
  Structure const st = x.structure;
  x.become(select(open, x, before));
  x.structure = st;
}
}  // namespace Inner
/// If rounding decides whether a round runs, the bounds include both results.
template <class F, class... X>
  requires(sizeof...(X) == 1 && (is_bounded<X> && ...))
BoundedIterated iterate(int most, F&& f, X&... x) {
  BoundedIterated r{{true, true}, 0};
  for (int k = 0; k < most && (r.open.value || !r.open.certain); ++k) {
    auto const before = [](auto const& y) { return y; }(x...);
    BoundedMask const goes_on = f(x...);
    (Inner::keep_where_not(r.open, x, before), ...);
    r.rounds = select(r.open, r.rounds + 1, r.rounds);
    r.open = r.open && goes_on;
  }
  return r;
}
template <class F, class B>
auto where(BoundedMask const& mask, F&& f, B const& otherwise) {
  return select(mask, f(), otherwise);
}

}  // namespace Batchwork::RandomSequences

#endif
