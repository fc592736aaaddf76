// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Ordinary functions in sequences: sin, atan2, pow, clamp, ... of scalars, and of tiles entry by
/// entry.
///
/// Operands are scalars, tiles of one extent, and plain numbers beside these: atan2(y, 1.0), pow(v,
/// 2), clamp(x, 0, 1). A tile of a function with f(0) = 0 keeps its structure, a Symmetric one by
/// any function; else the result is general. The status of a result is the first failure of its
/// operands. Outside its domain a function is NaN, as in C; where that is stored the item is
/// `not_finite`.
///
/// Hosts compute whole packs at once by libmvec where glibc has it (2.35 or newer, x86-64): at most
/// 4 ulp off. Else lanes go one by one by the C++ library. Devices have the functions of their
/// vendor. docs/reference/functions.md has errors and costs of each.
#ifndef BATCHWORK_TILE_FUNCTIONS_HPP
#define BATCHWORK_TILE_FUNCTIONS_HPP

#include <cstdint>
#include <type_traits>

#include "tile/detail/Batchwork_EntryFunctions.hpp"

namespace Batchwork {

/// Sine, cosine, tangent of x in radians, and their inverses.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto sin(X const& x) {
  return Impl::real_function_of<Impl::Sin>(x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto cos(X const& x) {
  return Impl::real_function_of<Impl::Cos>(x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto tan(X const& x) {
  return Impl::real_function_of<Impl::Tan>(x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto asin(X const& x) {
  return Impl::real_function_of<Impl::Asin>(x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto acos(X const& x) {
  return Impl::real_function_of<Impl::Acos>(x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto atan(X const& x) {
  return Impl::real_function_of<Impl::Atan>(x);
}
/// Hyperbolic functions and their inverses.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto sinh(X const& x) {
  return Impl::real_function_of<Impl::Sinh>(x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto cosh(X const& x) {
  return Impl::real_function_of<Impl::Cosh>(x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto tanh(X const& x) {
  return Impl::real_function_of<Impl::Tanh>(x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto asinh(X const& x) {
  return Impl::real_function_of<Impl::Asinh>(x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto acosh(X const& x) {
  return Impl::real_function_of<Impl::Acosh>(x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto atanh(X const& x) {
  return Impl::real_function_of<Impl::Atanh>(x);
}
/// 2^x, e^x - 1, which is accurate near 0, and logarithms: of base 2, of base 10, and log(1 + x),
/// accurate near 0.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto exp2(X const& x) {
  return Impl::real_function_of<Impl::Exp2>(x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto expm1(X const& x) {
  return Impl::real_function_of<Impl::Expm1>(x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto log2(X const& x) {
  return Impl::real_function_of<Impl::Log2>(x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto log10(X const& x) {
  return Impl::real_function_of<Impl::Log10>(x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto log1p(X const& x) {
  return Impl::real_function_of<Impl::Log1p>(x);
}
/// The cube root.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto cbrt(X const& x) {
  return Impl::real_function_of<Impl::Cbrt>(x);
}
/// The error function, 1 - erf(x), and the gamma function and the logarithm of its size.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto erf(X const& x) {
  return Impl::real_function_of<Impl::Erf>(x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto erfc(X const& x) {
  return Impl::real_function_of<Impl::Erfc>(x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto tgamma(X const& x) {
  return Impl::real_function_of<Impl::Tgamma>(x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto lgamma(X const& x) {
  return Impl::real_function_of<Impl::Lgamma>(x);
}
/// To integers: down, up, towards zero, and to the nearest one, halves away from zero.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto floor(X const& x) {
  return Impl::real_function_of<Impl::Floor>(x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto ceil(X const& x) {
  return Impl::real_function_of<Impl::Ceil>(x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto trunc(X const& x) {
  return Impl::real_function_of<Impl::Trunc>(x);
}
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto round(X const& x) {
  return Impl::real_function_of<Impl::Round>(x);
}
/// |x|, by its name in C.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto fabs(X const& x) {
  return Impl::real_function_of<Impl::Abs>(x);
}
/// -1, 0 or 1; NaN of NaN, and a zero keeps its sign.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto sign(X const& x) {
  return Impl::function_of(Impl::Sign{}, x);
}
/// x * x, entry by entry.
template <Impl::ScalarOrTile X>
BATCHWORK_INLINE auto square(X const& x) {
  return Impl::function_of(Impl::Square{}, x);
}

/// sqrt, log, exp and abs of the entries of a tile; those of scalars are with Scalar. The functions
/// of a matrix are expm, sqrt_spd and log_spd.
template <Tile X>
BATCHWORK_INLINE auto sqrt(X const& x) {
  return Impl::real_function_of<Impl::Sqrt>(x);
}
template <Tile X>
BATCHWORK_INLINE auto log(X const& x) {
  return Impl::real_function_of<Impl::Log>(x);
}
template <Tile X>
BATCHWORK_INLINE auto exp(X const& x) {
  return Impl::real_function_of<Impl::Exp>(x);
}
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
/// sqrt(x^2 + y^2), without overflow on the way.
template <class X, class Y>
  requires Impl::FunctionOperands<X, Y>
BATCHWORK_INLINE auto hypot(X const& x, Y const& y) {
  return Impl::real_function_of<Impl::Hypot>(x, y);
}
/// The rest of x / y, with the sign of x, as in C.
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
/// x to the power y. By an integer y from -8 to 8 it is a product, at most |y| ulp off: pow(x, 2),
/// pow(x, -3). One of 1 / x^n that overflows is 0.
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

/// x between low and high, which are in this order; NaN of NaN.
template <class X, class L, class H>
  requires Impl::FunctionOperands<X, L, H>
BATCHWORK_INLINE auto clamp(X const& x, L const& low, H const& high) {
  return Impl::function_of(Impl::Clamp{}, x, low, high);
}
/// a + t (b - a): a where t is 0 and b where it is 1, exactly so.
template <class A, class B, class T>
  requires Impl::FunctionOperands<A, B, T>
BATCHWORK_INLINE auto lerp(A const& a, B const& b, T const& t) {
  return Impl::function_of(Impl::Lerp{}, a, b, t);
}

}  // namespace Batchwork

#endif
