// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Mathematical functions in sequences (sin, atan2, pow, clamp, ...), for scalars and for the
/// entries of tiles.
///
/// Operands are scalars, tiles with the same extents, and plain numbers next to them: atan2(y,
/// 1.0), pow(v, 2), clamp(x, 0, 1). A function with f(0) = 0 keeps the structure of a tile; every
/// function keeps a Symmetric tile symmetric; other results are general tiles. The status of a
/// result is the first failure of its operands. Outside its domain a function returns NaN, as in C;
/// if a NaN is stored, the item is `not_finite`.
///
/// On hosts whole packs are computed by libmvec where glibc has it (2.35 or newer, x86-64), with
/// errors of at most 4 ulp; otherwise the C++ library is called for each lane. Devices use the
/// functions of their vendor. Errors and costs: docs/reference/functions.md.
#ifndef BATCHWORK_TILE_FUNCTIONS_HPP
#define BATCHWORK_TILE_FUNCTIONS_HPP

#include <cstdint>
#include <type_traits>

#include "tile/detail/Batchwork_EntryFunctions.hpp"

namespace Batchwork {

/// The sine of x in radians.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto sin(X const& x) {
  return Impl::real_function_of<Impl::Sin>(x);
}
/// The cosine of x in radians.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto cos(X const& x) {
  return Impl::real_function_of<Impl::Cos>(x);
}
/// The tangent of x in radians.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto tan(X const& x) {
  return Impl::real_function_of<Impl::Tan>(x);
}
/// The arc sine, from -pi/2 to pi/2.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto asin(X const& x) {
  return Impl::real_function_of<Impl::Asin>(x);
}
/// The arc cosine, from 0 to pi.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto acos(X const& x) {
  return Impl::real_function_of<Impl::Acos>(x);
}
/// The arc tangent, from -pi/2 to pi/2.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto atan(X const& x) {
  return Impl::real_function_of<Impl::Atan>(x);
}
/// The hyperbolic sine.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto sinh(X const& x) {
  return Impl::real_function_of<Impl::Sinh>(x);
}
/// The hyperbolic cosine.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto cosh(X const& x) {
  return Impl::real_function_of<Impl::Cosh>(x);
}
/// The hyperbolic tangent.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto tanh(X const& x) {
  return Impl::real_function_of<Impl::Tanh>(x);
}
/// The inverse hyperbolic sine.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto asinh(X const& x) {
  return Impl::real_function_of<Impl::Asinh>(x);
}
/// The inverse hyperbolic cosine.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto acosh(X const& x) {
  return Impl::real_function_of<Impl::Acosh>(x);
}
/// The inverse hyperbolic tangent.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto atanh(X const& x) {
  return Impl::real_function_of<Impl::Atanh>(x);
}
/// 2^x.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto exp2(X const& x) {
  return Impl::real_function_of<Impl::Exp2>(x);
}
/// e^x - 1, accurate near 0.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto expm1(X const& x) {
  return Impl::real_function_of<Impl::Expm1>(x);
}
/// The logarithm to base 2.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto log2(X const& x) {
  return Impl::real_function_of<Impl::Log2>(x);
}
/// The logarithm to base 10.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto log10(X const& x) {
  return Impl::real_function_of<Impl::Log10>(x);
}
/// log(1 + x), accurate near 0.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto log1p(X const& x) {
  return Impl::real_function_of<Impl::Log1p>(x);
}
/// The cube root.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto cbrt(X const& x) {
  return Impl::real_function_of<Impl::Cbrt>(x);
}
/// The error function.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto erf(X const& x) {
  return Impl::real_function_of<Impl::Erf>(x);
}
/// The complementary error function, 1 - erf(x).
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto erfc(X const& x) {
  return Impl::real_function_of<Impl::Erfc>(x);
}
/// The gamma function.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto tgamma(X const& x) {
  return Impl::real_function_of<Impl::Tgamma>(x);
}
/// The logarithm of the absolute value of the gamma function.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto lgamma(X const& x) {
  return Impl::real_function_of<Impl::Lgamma>(x);
}
/// The largest integer that is not above x.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto floor(X const& x) {
  return Impl::real_function_of<Impl::Floor>(x);
}
/// The smallest integer that is not below x.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto ceil(X const& x) {
  return Impl::real_function_of<Impl::Ceil>(x);
}
/// x rounded towards zero.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto trunc(X const& x) {
  return Impl::real_function_of<Impl::Trunc>(x);
}
/// x rounded to the nearest integer, halfway cases away from zero.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto round(X const& x) {
  return Impl::real_function_of<Impl::Round>(x);
}
/// The absolute value |x|, by its name in C.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto fabs(X const& x) {
  return Impl::real_function_of<Impl::Abs>(x);
}
/// The sign of x: -1, 0 or 1. A NaN stays NaN, and a zero keeps its sign.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto sign(X const& x) {
  return Impl::function_of(Impl::Sign{}, x);
}
/// x * x; for a tile, of each entry.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto square(X const& x) {
  return Impl::function_of(Impl::Square{}, x);
}

/// The square root of each entry of a tile. For the square root of a matrix see sqrt_spd.
template <Tile X>
BATCHWORK_INLINE auto sqrt(X const& x) {
  return Impl::real_function_of<Impl::Sqrt>(x);
}
/// The natural logarithm of each entry of a tile. For the logarithm of a matrix see log_spd.
template <Tile X>
BATCHWORK_INLINE auto log(X const& x) {
  return Impl::real_function_of<Impl::Log>(x);
}
/// The exponential of each entry of a tile. For the exponential of a matrix see expm.
template <Tile X>
BATCHWORK_INLINE auto exp(X const& x) {
  return Impl::real_function_of<Impl::Exp>(x);
}
/// The absolute value of each entry of a tile.
template <Tile X>
BATCHWORK_INLINE auto abs(X const& x) {
  using S = real_t<value_t<X>>;
  using R = Impl::function_tile_t<Impl::deal_together_t<S, X>, true, X>;
  R r = Impl::entrywise<R>(Impl::SizeOf{}, x);
  r.info = x.info;
  return r;
}

/// The angle of the point (x, y), from -pi to pi.
template <class Y, class X>
  requires Impl::FunctionOperands<Y, X>
BATCHWORK_INLINE auto atan2(Y const& y, X const& x) {
  return Impl::real_function_of<Impl::Atan2>(y, x);
}
/// sqrt(x^2 + y^2), without intermediate overflow.
template <class X, class Y>
  requires Impl::FunctionOperands<X, Y>
BATCHWORK_INLINE auto hypot(X const& x, Y const& y) {
  return Impl::real_function_of<Impl::Hypot>(x, y);
}
/// The remainder of x / y with the sign of x, as in C.
template <class X, class Y>
  requires Impl::FunctionOperands<X, Y>
BATCHWORK_INLINE auto fmod(X const& x, Y const& y) {
  return Impl::real_function_of<Impl::Fmod>(x, y);
}
/// x with the sign of y.
template <class X, class Y>
  requires Impl::FunctionOperands<X, Y>
BATCHWORK_INLINE auto copysign(X const& x, Y const& y) {
  return Impl::real_function_of<Impl::Copysign>(x, y);
}
/// x to the power y. If y is an integer from -8 to 8 it is computed by multiplications, with an
/// error of at most |y| ulp. A negative power is 1 / x^n, which is 0 if x^n overflows.
/// ```cpp
/// y = pow(x, 2) + pow(x, -3);
/// ```
template <class X, class Y>
  requires Impl::FunctionOperands<X, Y>
BATCHWORK_INLINE auto pow(X const& x, Y const& y) {
  if constexpr (std::is_integral_v<Y>) {
    constexpr std::int64_t most = 8;
    auto const n = static_cast<std::int64_t>(y);
    if (-most <= n && n <= most) return Impl::function_of(Impl::Power{{}, int(n)}, x);
  }
  return Impl::real_function_of<Impl::Pow>(x, y);
}

/// x limited to the range from low to high, with low <= high; a NaN stays NaN.
template <class X, class L, class H>
  requires Impl::FunctionOperands<X, L, H>
BATCHWORK_INLINE auto clamp(X const& x, L const& low, H const& high) {
  return Impl::function_of(Impl::Clamp{}, x, low, high);
}
/// Linear interpolation a + t (b - a); exactly a for t = 0 and exactly b for t = 1.
template <class A, class B, class T>
  requires Impl::FunctionOperands<A, B, T>
BATCHWORK_INLINE auto lerp(A const& a, B const& b, T const& t) {
  return Impl::function_of(Impl::Lerp{}, a, b, t);
}

}  // namespace Batchwork

#endif
