// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Mathematical functions for every real `S`: sin(S), atan2(S, S), ... in namespace Impl, in
/// addition to sqrt, log, exp and abs.
///
/// Each has a function object, Sin, Atan2, ...: for plain numbers it calls the function of Kokkos,
/// for any other S the function of this namespace. Lanewise<S> runs it in all lanes of an S. An S
/// that computes differently, such as one with derivatives, overloads the functions and has a base
/// class in this namespace, so that its overloads are found.
#ifndef BATCHWORK_FUNCTIONS_HPP
#define BATCHWORK_FUNCTIONS_HPP

#include <limits>
#include <type_traits>

#include "core/Batchwork_Distributed.hpp"

namespace Batchwork::Impl {

// ---- how a function acts on an S
// ---------------------------------------------------------------------------------------------

/// The function f of numbers, on values of one type S: f(x, y, ...) in every lane.
template <class S>
struct Lanewise;

template <Number T>
struct Lanewise<T> {
  template <class F, class... X>
  static BATCHWORK_INLINE T call(F const& f, X const&... x) {
    return f(x...);
  }
};

template <class T, int R, int C, int E, bool Whole>
struct Lanewise<Distributed<T, R, C, E, Whole>> {
  using S = Distributed<T, R, C, E, Whole>;
  static BATCHWORK_INLINE LaneGrid grid(S const& x) { return x.grid; }
  template <class... Y>
  static BATCHWORK_INLINE LaneGrid grid(S const& x, Y const&... y) {
    return merge_grids(x.grid, grid(y...));
  }
  template <class F, class... X>
  static BATCHWORK_INLINE S call(F const& f, X const&... x) {
    return {f(x.v...), grid(x...)};
  }
};

/// Packs: by whole registers if f has a version for them, else lane by lane.
template <class T, int W>
struct Lanewise<Pack<T, W>> {
  template <class F, class... X>
  static BATCHWORK_INLINE Pack<T, W> call(F const& f, X const&... x) {
    if constexpr (requires { f.of_pack(x...); }) return f.of_pack(x...);
    else return function_of_packs<F>(f, x...);
  }
};

/// The function object F of plain numbers, in all lanes of some S.
template <class F, class S, class... More>
BATCHWORK_INLINE S lanewise(S const& x, More const&... more) {
  return Lanewise<S>::call(F{}, x, more...);
}

// ---- of every S
// ---------------------------------------------------------------------------------------------

struct Exp2;
struct Expm1;
struct Log2;
struct Log10;
struct Log1p;
struct Sin;
struct Cos;
struct Tan;
struct Asin;
struct Acos;
struct Atan;
struct Sinh;
struct Cosh;
struct Tanh;
struct Asinh;
struct Acosh;
struct Atanh;
struct Cbrt;
struct Erf;
struct Erfc;
struct Tgamma;
struct Lgamma;
struct Floor;
struct Ceil;
struct Trunc;
struct Round;
struct Atan2;
struct Pow;
struct Hypot;
struct Fmod;
struct Copysign;

template <Value S>
BATCHWORK_INLINE S exp2(S const& x) {
  return lanewise<Exp2>(x);
}
template <Value S>
BATCHWORK_INLINE S expm1(S const& x) {
  return lanewise<Expm1>(x);
}
template <Value S>
BATCHWORK_INLINE S log2(S const& x) {
  return lanewise<Log2>(x);
}
template <Value S>
BATCHWORK_INLINE S log10(S const& x) {
  return lanewise<Log10>(x);
}
template <Value S>
BATCHWORK_INLINE S log1p(S const& x) {
  return lanewise<Log1p>(x);
}
template <Value S>
BATCHWORK_INLINE S sin(S const& x) {
  return lanewise<Sin>(x);
}
template <Value S>
BATCHWORK_INLINE S cos(S const& x) {
  return lanewise<Cos>(x);
}
template <Value S>
BATCHWORK_INLINE S tan(S const& x) {
  return lanewise<Tan>(x);
}
template <Value S>
BATCHWORK_INLINE S asin(S const& x) {
  return lanewise<Asin>(x);
}
template <Value S>
BATCHWORK_INLINE S acos(S const& x) {
  return lanewise<Acos>(x);
}
template <Value S>
BATCHWORK_INLINE S atan(S const& x) {
  return lanewise<Atan>(x);
}
template <Value S>
BATCHWORK_INLINE S sinh(S const& x) {
  return lanewise<Sinh>(x);
}
template <Value S>
BATCHWORK_INLINE S cosh(S const& x) {
  return lanewise<Cosh>(x);
}
template <Value S>
BATCHWORK_INLINE S tanh(S const& x) {
  return lanewise<Tanh>(x);
}
template <Value S>
BATCHWORK_INLINE S asinh(S const& x) {
  return lanewise<Asinh>(x);
}
template <Value S>
BATCHWORK_INLINE S acosh(S const& x) {
  return lanewise<Acosh>(x);
}
template <Value S>
BATCHWORK_INLINE S atanh(S const& x) {
  return lanewise<Atanh>(x);
}
template <Value S>
BATCHWORK_INLINE S cbrt(S const& x) {
  return lanewise<Cbrt>(x);
}
template <Value S>
BATCHWORK_INLINE S erf(S const& x) {
  return lanewise<Erf>(x);
}
template <Value S>
BATCHWORK_INLINE S erfc(S const& x) {
  return lanewise<Erfc>(x);
}
template <Value S>
BATCHWORK_INLINE S tgamma(S const& x) {
  return lanewise<Tgamma>(x);
}
template <Value S>
BATCHWORK_INLINE S lgamma(S const& x) {
  return lanewise<Lgamma>(x);
}
template <Value S>
BATCHWORK_INLINE S floor(S const& x) {
  return lanewise<Floor>(x);
}
template <Value S>
BATCHWORK_INLINE S ceil(S const& x) {
  return lanewise<Ceil>(x);
}
template <Value S>
BATCHWORK_INLINE S trunc(S const& x) {
  return lanewise<Trunc>(x);
}
template <Value S>
BATCHWORK_INLINE S round(S const& x) {
  return lanewise<Round>(x);
}
template <Value S>
BATCHWORK_INLINE S atan2(S const& x, S const& y) {
  return lanewise<Atan2>(x, y);
}
template <Value S>
BATCHWORK_INLINE S pow(S const& x, S const& y) {
  return lanewise<Pow>(x, y);
}
template <Value S>
BATCHWORK_INLINE S hypot(S const& x, S const& y) {
  return lanewise<Hypot>(x, y);
}
template <Value S>
BATCHWORK_INLINE S fmod(S const& x, S const& y) {
  return lanewise<Fmod>(x, y);
}
template <Value S>
BATCHWORK_INLINE S copysign(S const& x, S const& y) {
  return lanewise<Copysign>(x, y);
}
template <Value S>
BATCHWORK_INLINE S fabs(S const& x) {
  return abs(x);
}
template <Value S>
BATCHWORK_INLINE S square(S const& x) {
  return x * x;
}
/// -1, 0 or 1; NaN stays NaN, and a zero keeps its sign.
template <Value S>
BATCHWORK_INLINE S sign(S const& x) {
  using T = scalar_t<S>;
  S const zero(T(0));
  return select(x > zero, S(T(1)), select(x < zero, S(T(-1)), x));
}
/// x limited to the range from low to high, low <= high; NaN stays NaN.
template <Value S>
BATCHWORK_INLINE S clamp(S const& x, S const& low, S const& high) {
  return select(x < low, low, select(high < x, high, x));
}
/// Linear interpolation: exactly a for t = 0 and exactly b for t = 1.
template <Value S>
BATCHWORK_INLINE S lerp(S const& a, S const& b, S const& t) {
  return (S(scalar_t<S>(1)) - t) * a + t * b;
}
/// x to a power known on the host or by the compiler, by at most 2 log2(n) products.
template <Value S>
BATCHWORK_INLINE S power(S const& base, int n) {
  S r(scalar_t<S>(1)), x(base);
  for (unsigned m = n < 0 ? 0u - unsigned(n) : unsigned(n); m != 0; m /= 2) {
    if (m % 2 != 0) r = r * x;
    if (m > 1) x = x * x;
  }
  return n < 0 ? S(S(scalar_t<S>(1)) / r) : r;
}

// ---- function objects
// ---------------------------------------------------------------------------------------------

/// keeps_zero: f(0) = 0, so that tiles keep their structure.
struct KeepsZero {
  static constexpr bool keeps_zero = true;
};
struct MovesZero {
  static constexpr bool keeps_zero = false;
};

struct Exp2 : MovesZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::exp2(x);
    else return exp2(x);
  }
};
struct Expm1 : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::expm1(x);
    else return expm1(x);
  }
};
struct Log2 : MovesZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::log2(x);
    else return log2(x);
  }
};
struct Log10 : MovesZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::log10(x);
    else return log10(x);
  }
};
struct Log1p : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::log1p(x);
    else return log1p(x);
  }
};
struct Sin : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::sin(x);
    else return sin(x);
  }
};
struct Cos : MovesZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::cos(x);
    else return cos(x);
  }
};
struct Tan : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::tan(x);
    else return tan(x);
  }
};
struct Asin : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::asin(x);
    else return asin(x);
  }
};
struct Acos : MovesZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::acos(x);
    else return acos(x);
  }
};
struct Atan : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::atan(x);
    else return atan(x);
  }
};
struct Sinh : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::sinh(x);
    else return sinh(x);
  }
};
struct Cosh : MovesZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::cosh(x);
    else return cosh(x);
  }
};
struct Tanh : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::tanh(x);
    else return tanh(x);
  }
};
struct Asinh : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::asinh(x);
    else return asinh(x);
  }
};
struct Acosh : MovesZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::acosh(x);
    else return acosh(x);
  }
};
struct Atanh : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::atanh(x);
    else return atanh(x);
  }
};
struct Cbrt : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::cbrt(x);
    else return cbrt(x);
  }
};
struct Erf : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::erf(x);
    else return erf(x);
  }
};
struct Erfc : MovesZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::erfc(x);
    else return erfc(x);
  }
};
struct Tgamma : MovesZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::tgamma(x);
    else return tgamma(x);
  }
};
struct Lgamma : MovesZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::lgamma(x);
    else return lgamma(x);
  }
};
struct Floor : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::floor(x);
    else return floor(x);
  }
};
struct Ceil : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::ceil(x);
    else return ceil(x);
  }
};
struct Trunc : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::trunc(x);
    else return trunc(x);
  }
};
/// Rounds to the nearest integer, halfway cases away from zero.
struct Round : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::round(x);
    else return round(x);
  }
  /// Adds the largest number below 1/2 rather than 1/2: with 1/2, the number below 1/2 would be
  /// rounded to 1.
  template <class T, int W>
  BATCHWORK_INLINE Pack<T, W> of_pack(Pack<T, W> const& x) const {
    constexpr T before_half = T(0.5) - std::numeric_limits<T>::epsilon() / 4;
    return copysign(trunc(abs(x) + Pack<T, W>(before_half)), x);
  }
};
/// x with the sign of y, also of zeros and NaN.
struct Copysign : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const& y) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::copysign(x, y);
    else return copysign(x, y);
  }
  template <class T, int W>
  BATCHWORK_INLINE Pack<T, W> of_pack(Pack<T, W> const& x, Pack<T, W> const& y) const {
    Pack<T, W> const size = abs(x);
    return select(bits(y) < Pack<integer_of_t<T>, W>(integer_of_t<T>(0)), -size, size);
  }
};
struct Atan2 : MovesZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const& y) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::atan2(x, y);
    else return atan2(x, y);
  }
};
struct Pow : MovesZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const& y) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::pow(x, y);
    else return pow(x, y);
  }
};
struct Hypot : MovesZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const& y) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::hypot(x, y);
    else return hypot(x, y);
  }
};
struct Fmod : MovesZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const& y) const {
    if constexpr (std::is_floating_point_v<S>) return Kokkos::fmod(x, y);
    else return fmod(x, y);
  }
};
// Functions that need no function of plain numbers.
struct Sqrt : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    return sqrt(x);
  }
};
struct Exp : MovesZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    return exp(x);
  }
};
struct Log : MovesZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    return log(x);
  }
};
struct Abs : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    return abs(x);
  }
};
struct Square : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    return square(x);
  }
};
struct Sign : KeepsZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    return sign(x);
  }
};
struct Clamp : MovesZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const& low, S const& high) const {
    return clamp(x, low, high);
  }
};
struct Lerp : MovesZero {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& a, S const& b, S const& t) const {
    return lerp(a, b, t);
  }
};
/// x^n.
struct Power : MovesZero {
  int n;
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x) const {
    return power(x, n);
  }
};

}  // namespace Batchwork::Impl

#endif
