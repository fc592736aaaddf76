// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Functions of plain numbers on every real `S`: sin(S), atan2(S, S), ... in namespace Impl, beside sqrt, log, exp and abs.
///
/// A function is a function object of numbers. `lanewise` runs it on an S; Lanewise<S> says how. A new S specialises Lanewise, or
/// overloads a function: both must be seen before the functions of tiles are.
#ifndef BATCHWORK_FUNCTIONS_HPP
#define BATCHWORK_FUNCTIONS_HPP

#include <concepts>
#include <limits>

#include "core/Batchwork_Distributed.hpp"

namespace Batchwork::Impl {

// ---- how a function acts on an S ----------------------------------------------------------------------------------

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

/// Packs: by registers where f has a form for them, else lane by lane.
template <class T, int W>
struct Lanewise<Pack<T, W>> {
  template <class F, class... X>
  static BATCHWORK_INLINE Pack<T, W> call(F const& f, X const&... x) {
    if constexpr (requires { f.of_pack(x...); }) return f.of_pack(x...);
    else return function_of_packs<F>(f, x...);
  }
};

template <class F, class S, class... More>
BATCHWORK_INLINE S lanewise(F const& f, S const& x, More const&... more) {
  return Lanewise<S>::call(f, x, more...);
}

// ---- functions of numbers -----------------------------------------------------------------------------------------

struct Exp2 {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::exp2(x);
  }
};
struct Expm1 {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::expm1(x);
  }
};
struct Log2 {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::log2(x);
  }
};
struct Log10 {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::log10(x);
  }
};
struct Log1p {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::log1p(x);
  }
};
struct Sin {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::sin(x);
  }
};
struct Cos {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::cos(x);
  }
};
struct Tan {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::tan(x);
  }
};
struct Asin {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::asin(x);
  }
};
struct Acos {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::acos(x);
  }
};
struct Atan {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::atan(x);
  }
};
struct Sinh {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::sinh(x);
  }
};
struct Cosh {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::cosh(x);
  }
};
struct Tanh {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::tanh(x);
  }
};
struct Asinh {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::asinh(x);
  }
};
struct Acosh {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::acosh(x);
  }
};
struct Atanh {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::atanh(x);
  }
};
struct Cbrt {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::cbrt(x);
  }
};
struct Erf {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::erf(x);
  }
};
struct Erfc {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::erfc(x);
  }
};
struct Tgamma {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::tgamma(x);
  }
};
struct Lgamma {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::lgamma(x);
  }
};
struct Floor {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::floor(x);
  }
};
struct Ceil {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::ceil(x);
  }
};
struct Trunc {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::trunc(x);
  }
};
/// To the nearest integer, halves away from zero.
struct Round {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    return Kokkos::round(x);
  }
  /// By the number before 1/2: with 1/2 itself the sum of the number before 1/2 is rounded to 1.
  template <class T, int W>
  BATCHWORK_INLINE Pack<T, W> of_pack(Pack<T, W> const& x) const;
};
/// x with the sign of y, also of zeros and NaN.
struct Copysign {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x, T y) const {
    return Kokkos::copysign(x, y);
  }
  template <class T, int W>
  BATCHWORK_INLINE Pack<T, W> of_pack(Pack<T, W> const& x, Pack<T, W> const& y) const {
    using I = integer_of_t<T>;
    Pack<T, W> const size = abs(x);
    return select(bits(y) < Pack<I, W>(I(0)), -size, size);
  }
};
struct Atan2 {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x, T y) const {
    return Kokkos::atan2(x, y);
  }
};
struct Pow {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x, T y) const {
    return Kokkos::pow(x, y);
  }
};
struct Hypot {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x, T y) const {
    return Kokkos::hypot(x, y);
  }
};
struct Fmod {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x, T y) const {
    return Kokkos::fmod(x, y);
  }
};

// ---- of every S ---------------------------------------------------------------------------------------------------

template <class S>
BATCHWORK_INLINE S exp2(S const& x) {
  return lanewise(Exp2{}, x);
}
template <class S>
BATCHWORK_INLINE S expm1(S const& x) {
  return lanewise(Expm1{}, x);
}
template <class S>
BATCHWORK_INLINE S log2(S const& x) {
  return lanewise(Log2{}, x);
}
template <class S>
BATCHWORK_INLINE S log10(S const& x) {
  return lanewise(Log10{}, x);
}
template <class S>
BATCHWORK_INLINE S log1p(S const& x) {
  return lanewise(Log1p{}, x);
}
template <class S>
BATCHWORK_INLINE S sin(S const& x) {
  return lanewise(Sin{}, x);
}
template <class S>
BATCHWORK_INLINE S cos(S const& x) {
  return lanewise(Cos{}, x);
}
template <class S>
BATCHWORK_INLINE S tan(S const& x) {
  return lanewise(Tan{}, x);
}
template <class S>
BATCHWORK_INLINE S asin(S const& x) {
  return lanewise(Asin{}, x);
}
template <class S>
BATCHWORK_INLINE S acos(S const& x) {
  return lanewise(Acos{}, x);
}
template <class S>
BATCHWORK_INLINE S atan(S const& x) {
  return lanewise(Atan{}, x);
}
template <class S>
BATCHWORK_INLINE S sinh(S const& x) {
  return lanewise(Sinh{}, x);
}
template <class S>
BATCHWORK_INLINE S cosh(S const& x) {
  return lanewise(Cosh{}, x);
}
template <class S>
BATCHWORK_INLINE S tanh(S const& x) {
  return lanewise(Tanh{}, x);
}
template <class S>
BATCHWORK_INLINE S asinh(S const& x) {
  return lanewise(Asinh{}, x);
}
template <class S>
BATCHWORK_INLINE S acosh(S const& x) {
  return lanewise(Acosh{}, x);
}
template <class S>
BATCHWORK_INLINE S atanh(S const& x) {
  return lanewise(Atanh{}, x);
}
template <class S>
BATCHWORK_INLINE S cbrt(S const& x) {
  return lanewise(Cbrt{}, x);
}
template <class S>
BATCHWORK_INLINE S erf(S const& x) {
  return lanewise(Erf{}, x);
}
template <class S>
BATCHWORK_INLINE S erfc(S const& x) {
  return lanewise(Erfc{}, x);
}
template <class S>
BATCHWORK_INLINE S tgamma(S const& x) {
  return lanewise(Tgamma{}, x);
}
template <class S>
BATCHWORK_INLINE S lgamma(S const& x) {
  return lanewise(Lgamma{}, x);
}
template <class S>
BATCHWORK_INLINE S floor(S const& x) {
  return lanewise(Floor{}, x);
}
template <class S>
BATCHWORK_INLINE S ceil(S const& x) {
  return lanewise(Ceil{}, x);
}
template <class S>
BATCHWORK_INLINE S trunc(S const& x) {
  return lanewise(Trunc{}, x);
}
template <class S>
BATCHWORK_INLINE S round(S const& x) {
  return lanewise(Round{}, x);
}
template <class S>
BATCHWORK_INLINE S atan2(S const& x, S const& y) {
  return lanewise(Atan2{}, x, y);
}
template <class S>
BATCHWORK_INLINE S pow(S const& x, S const& y) {
  return lanewise(Pow{}, x, y);
}
template <class S>
BATCHWORK_INLINE S hypot(S const& x, S const& y) {
  return lanewise(Hypot{}, x, y);
}
template <class S>
BATCHWORK_INLINE S fmod(S const& x, S const& y) {
  return lanewise(Fmod{}, x, y);
}
template <class S>
BATCHWORK_INLINE S copysign(S const& x, S const& y) {
  return lanewise(Copysign{}, x, y);
}
template <class S>
BATCHWORK_INLINE S fabs(S const& x) {
  return abs(x);
}
template <class S>
BATCHWORK_INLINE S square(S const& x) {
  return x * x;
}
/// -1, 0 or 1; NaN of NaN, and a zero keeps its sign.
template <class S>
BATCHWORK_INLINE S sign(S const& x) {
  using T = scalar_t<S>;
  S const zero(T(0));
  return select(x > zero, S(T(1)), select(x < zero, S(T(-1)), x));
}
/// x between low and high, for low <= high; NaN of NaN.
template <class S>
BATCHWORK_INLINE S clamp(S const& x, S const& low, S const& high) {
  return select(x < low, low, select(high < x, high, x));
}
/// a where t is 0, b where it is 1, exactly so; linear in between and beyond.
template <class S>
BATCHWORK_INLINE S lerp(S const& a, S const& b, S const& t) {
  return (S(scalar_t<S>(1)) - t) * a + t * b;
}
/// x to a power that is known on the host or by the compiler, by at most 2 log2(n) products.
template <class S>
BATCHWORK_INLINE S power(S const& base, int n) {
  S r(scalar_t<S>(1)), x(base);
  for (unsigned m = n < 0 ? 0u - unsigned(n) : unsigned(n); m != 0; m /= 2) {
    if (m % 2 != 0) r = r * x;
    if (m > 1) x = x * x;
  }
  return n < 0 ? S(S(scalar_t<S>(1)) / r) : r;
}

template <class T, int W>
BATCHWORK_INLINE Pack<T, W> Round::of_pack(Pack<T, W> const& x) const {
  constexpr T before_half = T(0.5) - std::numeric_limits<T>::epsilon() / 4;
  return lanewise(Copysign{}, lanewise(Trunc{}, abs(x) + Pack<T, W>(before_half)), x);
}

}  // namespace Batchwork::Impl

#endif
