// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Functions of numbers with derivatives: the slope of each function of
/// core/detail/Batchwork_Functions.hpp. A derivative of zero stays zero, even if the slope is
/// infinite. The relative errors of slopes are those of the functions from which they are computed.
#ifndef BATCHWORK_DUALFUNCTIONS_HPP
#define BATCHWORK_DUALFUNCTIONS_HPP

#include <limits>
#include <type_traits>

#include "core/Batchwork_Dual.hpp"
#include "core/detail/Batchwork_Functions.hpp"

namespace Batchwork::Impl {

/// The logarithmic derivative of the gamma function, by its asymptotic series from 10 on (float:
/// 6). Smaller arguments are raised to that range by recurrence; negative ones are reflected first.
/// NaN at the poles. (Abramowitz and Stegun, 6.3.5, 6.3.7, 6.3.18.)
struct Digamma {
  template <std::floating_point T>
  BATCHWORK_INLINE T operator()(T x) const {
    constexpr T pi = T(3.14159265358979323846);
    T sum = 0;
    if (!(x > T(0))) {
      // psi(x) = psi(1 - x) - pi / tan(pi x); the tangent is taken of the difference from the
      // nearest integer.
      T const part = x - Kokkos::round(x);
      if (part == T(0)) return std::numeric_limits<T>::quiet_NaN();
      sum = -pi / Kokkos::tan(pi * part);
      x = T(1) - x;
    }
    constexpr T from = sizeof(T) == 4 ? T(6) : T(10);
    for (int k = 0; k < 10 && x < from; ++k) {
      sum -= T(1) / x;
      x += T(1);
    }
    T const inverse = T(1) / x, s = inverse * inverse;
    T const series =
        s * (T(1.0 / 12) -
             s * (T(1.0 / 120) -
                  s * (T(1.0 / 252) -
                       s * (T(1.0 / 240) -
                            s * (T(1.0 / 132) - s * (T(691.0 / 32760) - s * T(1.0 / 12)))))));
    return sum + (Kokkos::log(x) - inverse / 2 - series);
  }
};

/// f'(x), where y is f(x).
template <class F>
struct SlopeOf {
  template <class S>
  BATCHWORK_INLINE S operator()(S const&, S const& y) const {
    static_assert(std::is_same_v<F, void>,
                  "Batchwork: the derivative of this function is not known; write the function "
                  "with sin, pow and other functions of scalars, or apply it to value_of(x)");
    return y;
  }
};
template <>
struct SlopeOf<Exp2> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const&, S const& y) const {
    return y * S(scalar_t<S>(0.69314718055994530942));
  }
};
template <>
struct SlopeOf<Expm1> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const&) const {
    return exp(x);
  }
};
template <>
struct SlopeOf<Log2> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const&) const {
    return S(scalar_t<S>(1.44269504088896340736)) / x;
  }
};
template <>
struct SlopeOf<Log10> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const&) const {
    return S(scalar_t<S>(0.43429448190325182765)) / x;
  }
};
template <>
struct SlopeOf<Log1p> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const&) const {
    S const one(scalar_t<S>(1));
    return one / (one + x);
  }
};
template <>
struct SlopeOf<Sin> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const&) const {
    return cos(x);
  }
};
template <>
struct SlopeOf<Cos> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const&) const {
    return -sin(x);
  }
};
template <>
struct SlopeOf<Tan> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const&, S const& y) const {
    return S(scalar_t<S>(1)) + y * y;
  }
};
template <>
struct SlopeOf<Asin> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const&) const {
    S const one(scalar_t<S>(1));
    return one / sqrt(S((one - x) * (one + x)));
  }
};
template <>
struct SlopeOf<Acos> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const& y) const {
    return -SlopeOf<Asin>{}(x, y);
  }
};
template <>
struct SlopeOf<Atan> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const&) const {
    S const one(scalar_t<S>(1));
    return one / (one + x * x);
  }
};
template <>
struct SlopeOf<Sinh> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const&) const {
    return cosh(x);
  }
};
template <>
struct SlopeOf<Cosh> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const&) const {
    return sinh(x);
  }
};
template <>
struct SlopeOf<Tanh> {
  /// 1 - tanh(x)^2 would have no correct digits if tanh(x) is close to one.
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const&) const {
    using T = scalar_t<S>;
    S const e = exp(S(S(T(-2)) * abs(x))), inverse = S(T(1)) / (S(T(1)) + e);
    return S(T(4)) * e * inverse * inverse;
  }
};
template <>
struct SlopeOf<Asinh> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const&) const {
    S const one(scalar_t<S>(1));
    return one / hypot(one, x);
  }
};
template <>
struct SlopeOf<Acosh> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const&) const {
    S const one(scalar_t<S>(1));
    return one / (sqrt(S(x - one)) * sqrt(S(x + one)));
  }
};
template <>
struct SlopeOf<Atanh> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const&) const {
    S const one(scalar_t<S>(1));
    return one / ((one - x) * (one + x));
  }
};
template <>
struct SlopeOf<Cbrt> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const&, S const& y) const {
    return S(scalar_t<S>(1.0 / 3)) / (y * y);
  }
};
template <>
struct SlopeOf<Erf> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const&) const {
    return S(scalar_t<S>(1.12837916709551257390)) * exp(S(-(x * x)));
  }
};
template <>
struct SlopeOf<Erfc> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const& y) const {
    return -SlopeOf<Erf>{}(x, y);
  }
};
template <>
struct SlopeOf<Lgamma> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const&) const {
    return lanewise<Digamma>(x);
  }
};
template <>
struct SlopeOf<Tgamma> {
  template <class S>
  BATCHWORK_INLINE S operator()(S const& x, S const& y) const {
    return y * lanewise<Digamma>(x);
  }
};

/// Step functions have slope zero between their jumps.
template <class F>
inline constexpr bool is_step = std::is_same_v<F, Floor> || std::is_same_v<F, Ceil> ||
                                std::is_same_v<F, Trunc> || std::is_same_v<F, Round>;

/// Both slopes of a function of two arguments, where z is f(x, y).
template <class S>
struct Slopes {
  S of_x, of_y;
};
template <class F>
struct SlopesOf {
  template <class S>
  BATCHWORK_INLINE Slopes<S> operator()(S const&, S const&, S const& z) const {
    static_assert(std::is_same_v<F, void>,
                  "Batchwork: the derivative of this function is not known; write the function "
                  "with sin, pow and other functions of scalars, or apply it to value_of(x)");
    return {z, z};
  }
};
template <>
struct SlopesOf<Atan2> {
  /// The slope of atan2(x, y), the angle of the point (y, x); infinite at the origin.
  template <class S>
  BATCHWORK_INLINE Slopes<S> operator()(S const& x, S const& y, S const&) const {
    using T = scalar_t<S>;
    // In this order a range that is computed together with the bearing is computed once.
    S const h = hypot(y, x), inverse = S(T(1)) / h;
    auto const origin = h == S(T(0));
    S const infinite(std::numeric_limits<T>::infinity());
    return {select(origin, infinite, S(y / h * inverse)),
            select(origin, infinite, S(-(x / h * inverse)))};
  }
};
template <>
struct SlopesOf<Hypot> {
  /// At the origin zero.
  template <class S>
  BATCHWORK_INLINE Slopes<S> operator()(S const& x, S const& y, S const& z) const {
    S const zero(scalar_t<S>(0)), h = select(z == zero, S(scalar_t<S>(1)), z);
    return {x / h, y / h};
  }
};
template <>
struct SlopesOf<Fmod> {
  template <class S>
  BATCHWORK_INLINE Slopes<S> operator()(S const& x, S const& y, S const& z) const {
    return {S(scalar_t<S>(1)), -lanewise<Round>(S((x - z) / y))};
  }
};
template <>
struct SlopesOf<Copysign> {
  template <class S>
  BATCHWORK_INLINE Slopes<S> operator()(S const& x, S const& y, S const&) const {
    S const one(scalar_t<S>(1));
    return {copysign(one, x) * copysign(one, y), S(scalar_t<S>(0))};
  }
};
template <>
struct SlopesOf<Pow> {
  /// y x^(y - 1) is y z / x unless that is out of range. At x = 0 the limits from above are used:
  /// x^y log x is zero.
  template <class S>
  BATCHWORK_INLINE Slopes<S> operator()(S const& x, S const& y, S const& z) const {
    using T = scalar_t<S>;
    S const zero(T(0)), one(T(1)), ratio = z / x, size = abs(z);
    auto const plain = size > S(8 * std::numeric_limits<T>::min()) &&
                       abs(x) <= S(std::numeric_limits<T>::max()) && is_finite(ratio);
    S of_x = y * ratio;
    if (Batchwork::any(!plain)) of_x = select(plain, of_x, S(y * pow(x, S(y - one))));
    return {select(y == zero, zero, of_x), select(size == zero, zero, S(z * log(x)))};
  }
};

/// slope times d, but zero where nothing moves.
template <class S>
BATCHWORK_INLINE S moved(S const& slope, S const& d) {
  S const zero(scalar_t<S>(0));
  return select(d == zero, zero, S(slope * d));
}

template <class S, int N>
struct Lanewise<Dual<S, N>> {
  using D = Dual<S, N>;

  template <class F>
  static BATCHWORK_INLINE D call(F const&, D const& x) {
    S const y = lanewise<F>(x.value);
    if constexpr (is_step<F>) return D(y);
    else return chain_steep(y, S(SlopeOf<F>{}(x.value, y)), x);
  }
  template <class F>
  static BATCHWORK_INLINE D call(F const&, D const& x, D const& y) {
    S const z = lanewise<F>(x.value, y.value);
    auto const slopes = SlopesOf<F>{}(x.value, y.value, z);
    return make_dual<S, N>(
        z, [&](int k) { return moved(slopes.of_x, x.d[k]) + moved(slopes.of_y, y.d[k]); });
  }
  /// No function with more arguments has a known derivative.
  template <class F>
  static BATCHWORK_INLINE D call(F const&, D const& x, D const& y, D const&, auto const&...) {
    SlopesOf<F>{}(x.value, y.value, x.value);
    return x;
  }
};

namespace OfDuals {
/// -1, 0 or 1, which do not move.
template <class S, int N>
BATCHWORK_INLINE Dual<S, N> sign(Dual<S, N> const& x) {
  return Dual<S, N>(Impl::sign(x.value));
}
}  // namespace OfDuals
using OfDuals::sign;

}  // namespace Batchwork::Impl

#endif
