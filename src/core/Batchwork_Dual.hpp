// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Dual<S, N>: a number with its derivatives in N directions, as the value type of tiles and
/// scalars. S is float or double (one lane holds an item), a Pack of them, or a Distributed.
/// Derivatives are computed together with the values, direction by direction (forward mode:
/// Griewank and Walther, Evaluating Derivatives, 2nd edition, chapter 3).
///
/// Comparisons, pivots, masks and status codes use the values only. A number of type S is a
/// constant.
#ifndef BATCHWORK_DUAL_HPP
#define BATCHWORK_DUAL_HPP

#include <concepts>
#include <limits>
#include <type_traits>

#include "core/Batchwork_Complex.hpp"
#include "core/Batchwork_Distributed.hpp"

namespace Batchwork {

template <class S, int N>
struct Dual;

namespace Impl {

template <class S>
inline constexpr bool is_dual = false;
template <class S, int N>
inline constexpr bool is_dual<Dual<S, N>> = true;

/// The types from which a Dual can be made: neither derivatives of derivatives nor complex numbers.
template <class X>
inline constexpr bool is_constant_value = is_real_value<X> || is_distributed<X>;

template <class A, class B>
concept DualOperands =
    (is_dual<A> && (is_dual<B> || is_constant_value<B>)) || (is_constant_value<A> && is_dual<B>);

/// The S of a Dual, else the type itself.
template <class S>
struct ConstantOf {
  using type = S;
};
template <class S, int N>
struct ConstantOf<Dual<S, N>> {
  using type = S;
};
template <class S>
using constant_t = typename ConstantOf<S>::type;

template <class S, int N>
struct ValueTraits<Dual<S, N>> : ValueTraits<S> {};

template <class A, int N, class B, int M>
struct Promote<Dual<A, N>, Dual<B, M>> {
  static_assert(N == M,
                "Batchwork: numbers with derivatives in different numbers of directions are "
                "combined; give variable<N>(x, i) and variables<N>(x, first) the same N");
  using type = Dual<typename Promote<A, B>::type, N>;
};
template <class A, int N, class B>
struct Promote<Dual<A, N>, B> {
  using type = Dual<typename Promote<A, B>::type, N>;
};
template <class A, class B, int N>
struct Promote<A, Dual<B, N>> {
  using type = Dual<typename Promote<A, B>::type, N>;
};
template <class A, class B, int N>
struct Promote<Complex<A>, Dual<B, N>> {
  static_assert(!std::is_same_v<A, A>,
                "Batchwork: derivatives exist for real numbers only; compute the real and the "
                "imaginary part separately");
  using type = Dual<B, N>;
};
template <class A, int N, class B>
struct Promote<Dual<A, N>, Complex<B>> : Promote<Complex<B>, Dual<A, N>> {};

/// Whether the underlying values are packs.
template <class S, int N>
inline constexpr bool are_packs<Dual<S, N>> = !std::is_floating_point_v<S> && !is_distributed<S>;

template <class S, int N, class M>
struct ValueForMask<Dual<S, N>, M> {
  using type = Dual<typename ValueForMask<S, M>::type, N>;
};

/// Functions that templates call for any S, for the case of a Dual. They are found through a base
/// class. They are not in Impl itself, where scalars and tiles of Duals would find other functions
/// as well.
namespace OfDuals {
struct Found {};
}  // namespace OfDuals

}  // namespace Impl

/// A number and its derivatives in N directions. variable(x) and variables(x) make scalars and
/// vectors of them.
/// \tparam S  the type of the value
/// \tparam N  the number of directions
template <class S, int N>
struct Dual : Impl::OfDuals::Found {
  static_assert(N > 0, "Batchwork::Dual<S, N>: N, the number of directions, must be at least 1");
  static_assert(Impl::is_constant_value<S>,
                "Batchwork::Dual<S, N>: S must be a real number or a pack of real numbers; "
                "derivatives of derivatives are not supported");
  /// The type of a plain number: float or double.
  using scalar = scalar_t<S>;
  /// The value type without derivatives.
  using constant = S;

  /// The number of items in a value.
  static constexpr int width = Impl::ValueTraits<S>::width;
  /// The number of directions.
  static constexpr int directions = N;

  /// The value.
  S value;
  /// The derivatives, one for each direction.
  S d[N];

  /// Not initialised.
  Dual() = default;
  /// A constant. By value, because a reference to a constant of a class is undefined in device
  /// code.
  BATCHWORK_INLINE Dual(S v) : value(v) {
    BATCHWORK_UNROLL
    for (int k = 0; k < N; ++k) d[k] = S(scalar(0));
  }
  /// A constant of another type.
  template <class X>
    requires(!std::is_same_v<X, S> && Impl::is_constant_value<X> && std::is_convertible_v<X, S>)
  BATCHWORK_INLINE Dual(X x) : Dual(S(x)) {}
  /// From a number with derivatives of another type.
  template <class X>
    requires(!std::is_same_v<X, S> && std::is_convertible_v<X, S>)
  BATCHWORK_INLINE Dual(Dual<X, N> const& x) : value(x.value) {
    BATCHWORK_UNROLL
    for (int k = 0; k < N; ++k) d[k] = S(x.d[k]);
  }

  // ---- of packs ----
  /// The number in lane l of a pack.
  BATCHWORK_INLINE Dual<scalar, N> lane(int l) const {
    Dual<scalar, N> r;
    r.value = value.lane(l);
    for (int k = 0; k < N; ++k) r.d[k] = d[k].lane(l);
    return r;
  }
  /// Sets the number in lane l of a pack.
  BATCHWORK_INLINE void set_lane(int l, Dual<scalar, N> const& x) {
    value.set_lane(l, x.value);
    for (int k = 0; k < N; ++k) d[k].set_lane(l, x.d[k]);
  }

  friend BATCHWORK_INLINE Dual operator-(Dual const& a) {
    Dual r;
    r.value = -a.value;
    BATCHWORK_UNROLL
    for (int k = 0; k < N; ++k) r.d[k] = -a.d[k];
    return r;
  }
  /// Adds a number, with its derivatives.
  template <class X>
  BATCHWORK_INLINE Dual& operator+=(X const& x) {
    return *this = *this + x;
  }
  /// Subtracts a number, with its derivatives.
  template <class X>
  BATCHWORK_INLINE Dual& operator-=(X const& x) {
    return *this = *this - x;
  }
  /// Multiplies by a number, with its derivatives.
  template <class X>
  BATCHWORK_INLINE Dual& operator*=(X const& x) {
    return *this = *this * x;
  }
  /// Divides by a number, with its derivatives.
  template <class X>
  BATCHWORK_INLINE Dual& operator/=(X const& x) {
    return *this = *this / x;
  }
};

namespace Impl {

/// Whether To can hold a value of type From: the same type, or a number common to the lanes.
/// Otherwise a compile-time error says that derivatives would be lost.
template <class To, class From>
constexpr bool takes_value() {
  static_assert(is_dual<To> || !is_dual<From>,
                "Batchwork: a scalar or tile without derivatives is assigned one that has them; "
                "start it as zero(x), where x has derivatives, or drop them with value_of(y)");
  return std::is_same_v<promote_t<To, From>, To>;
}

/// The value of a number; for a Dual, without its derivatives.
template <class S>
BATCHWORK_INLINE S const& constant_of(S const& x) {
  return x;
}
template <class S, int N>
BATCHWORK_INLINE S const& constant_of(Dual<S, N> const& x) {
  return x.value;
}

/// A Dual with the given value and the derivative f(k) in direction k.
template <class S, int N, class F>
BATCHWORK_INLINE Dual<S, N> make_dual(S const& value, F const& f) {
  Dual<S, N> r;
  r.value = value;
  BATCHWORK_UNROLL
  for (int k = 0; k < N; ++k) r.d[k] = f(k);
  return r;
}

/// a b, where one factor may be a constant, with as few operations as possible.
template <class S, class A, class B>
BATCHWORK_INLINE S times(A const& a, B const& b) {
  if constexpr (is_dual<S>) return S(a * b);
  else return S(a) * S(b);
}

/// f(a) to first order, f'(a) being `slope`.
template <class S, int N>
BATCHWORK_INLINE Dual<S, N> chain(S const& value, S const& slope, Dual<S, N> const& a) {
  return make_dual<S, N>(value, [&](int k) { return slope * a.d[k]; });
}
/// The same for a slope that may be infinite: a derivative of zero stays zero.
template <class S, int N>
BATCHWORK_INLINE Dual<S, N> chain_steep(S const& value, S const& slope, Dual<S, N> const& a) {
  S const zero(scalar_t<S>(0));
  return make_dual<S, N>(value,
                         [&](int k) { return select(a.d[k] == zero, zero, S(slope * a.d[k])); });
}

namespace OfDuals {

template <class M, class S, int N>
BATCHWORK_INLINE Dual<S, N> select(M const& m, Dual<S, N> const& a, Dual<S, N> const& b) {
  return make_dual<S, N>(Impl::select(m, a.value, b.value),
                         [&](int k) { return Impl::select(m, a.d[k], b.d[k]); });
}
template <class D, class S, int N>
BATCHWORK_INLINE Dual<S, N> select(DistributedMask<D> const& m, Dual<S, N> const& a,
                                   Dual<S, N> const& b) {
  return select(m.v, a, b);
}

/// The bits of the value, by which pivots are chosen and numbers scaled.
template <class S, int N>
BATCHWORK_INLINE auto bits(Dual<S, N> const& a) {
  return Impl::bits(a.value);
}
template <class S, int N, class X>
BATCHWORK_INLINE auto with_lanes_of(Dual<S, N> const& like, X const& x) {
  return Impl::with_lanes_of(like.value, x);
}

template <class S, int N>
BATCHWORK_INLINE Dual<S, N> sqrt(Dual<S, N> const& a) {
  S const root = Impl::sqrt(a.value);
  return chain_steep(root, S(S(scalar_t<S>(0.5)) / root), a);
}
/// For a positive a.
template <class S, int N>
BATCHWORK_INLINE Dual<S, N> rsqrt(Dual<S, N> const& a) {
  S inverse;
  if constexpr (is_distributed<S>) inverse = S(Impl::rsqrt(a.value.v), a.value.grid);
  else inverse = Impl::rsqrt(a.value);
  // -a^(-3/2) / 2 in parts, because the product alone may be out of range.
  S const half = S(scalar_t<S>(-0.5)) * inverse;
  return make_dual<S, N>(inverse, [&](int k) { return inverse * a.d[k] * inverse * half; });
}
template <class S, int N>
BATCHWORK_INLINE Dual<S, N> log(Dual<S, N> const& a) {
  return chain_steep(S(Impl::log(a.value)), S(S(scalar_t<S>(1)) / a.value), a);
}
template <class S, int N>
BATCHWORK_INLINE Dual<S, N> exp(Dual<S, N> const& a) {
  S const value = Impl::exp(a.value);
  return chain(value, value, a);
}
/// At zero the derivative is zero, between the derivatives of both sides.
template <class S, int N>
BATCHWORK_INLINE Dual<S, N> abs(Dual<S, N> const& a) {
  S const zero(scalar_t<S>(0)), one(scalar_t<S>(1));
  S const slope = Impl::select(a.value < zero, S(-one), Impl::select(a.value > zero, one, zero));
  return chain(S(Impl::abs(a.value)), slope, a);
}

/// acc += a b and acc -= a b, with as few multiply-adds as possible.
template <class S, int N, class A, class B>
BATCHWORK_INLINE void add_product(Dual<S, N>& acc, A const& a, B const& b) {
  S const x(constant_of(a)), y(constant_of(b));
  acc.value += x * y;
  BATCHWORK_UNROLL
  for (int k = 0; k < N; ++k) {
    if constexpr (is_dual<B>) acc.d[k] += x * S(b.d[k]);
    if constexpr (is_dual<A>) acc.d[k] += S(a.d[k]) * y;
  }
}
template <class S, int N, class A, class B>
BATCHWORK_INLINE void subtract_product(Dual<S, N>& acc, A const& a, B const& b) {
  S const x(constant_of(a)), y(constant_of(b));
  acc.value -= x * y;
  BATCHWORK_UNROLL
  for (int k = 0; k < N; ++k) {
    if constexpr (is_dual<B>) acc.d[k] -= x * S(b.d[k]);
    if constexpr (is_dual<A>) acc.d[k] -= S(a.d[k]) * y;
  }
}

}  // namespace OfDuals

using OfDuals::abs;
using OfDuals::add_product;
using OfDuals::bits;
using OfDuals::exp;
using OfDuals::log;
using OfDuals::rsqrt;
using OfDuals::select;
using OfDuals::sqrt;
using OfDuals::subtract_product;
using OfDuals::with_lanes_of;

}  // namespace Impl

// ---- arithmetic, of numbers with derivatives with one another and with constants ----

/// The sum, with derivatives; one operand may be a constant.
template <class A, class B>
  requires Impl::DualOperands<A, B>
BATCHWORK_INLINE auto operator+(A const& a, B const& b) {
  using D = promote_t<A, B>;
  using S = typename D::constant;
  return Impl::make_dual<S, D::directions>(S(S(Impl::constant_of(a)) + S(Impl::constant_of(b))),
                                           [&](int k) {
                                             if constexpr (!Impl::is_dual<A>) return S(b.d[k]);
                                             else if constexpr (!Impl::is_dual<B>) return S(a.d[k]);
                                             else return S(S(a.d[k]) + S(b.d[k]));
                                           });
}
/// The difference, with derivatives; one operand may be a constant.
template <class A, class B>
  requires Impl::DualOperands<A, B>
BATCHWORK_INLINE auto operator-(A const& a, B const& b) {
  using D = promote_t<A, B>;
  using S = typename D::constant;
  return Impl::make_dual<S, D::directions>(S(S(Impl::constant_of(a)) - S(Impl::constant_of(b))),
                                           [&](int k) {
                                             if constexpr (!Impl::is_dual<A>) return S(-b.d[k]);
                                             else if constexpr (!Impl::is_dual<B>) return S(a.d[k]);
                                             else return S(S(a.d[k]) - S(b.d[k]));
                                           });
}
/// The product, with derivatives; one operand may be a constant.
template <class A, class B>
  requires Impl::DualOperands<A, B>
BATCHWORK_INLINE auto operator*(A const& a, B const& b) {
  using D = promote_t<A, B>;
  using S = typename D::constant;
  S const x(Impl::constant_of(a)), y(Impl::constant_of(b));
  return Impl::make_dual<S, D::directions>(S(x * y), [&](int k) {
    if constexpr (!Impl::is_dual<A>) return S(x * S(b.d[k]));
    else if constexpr (!Impl::is_dual<B>) return S(S(a.d[k]) * y);
    else return S(S(a.d[k]) * y + x * S(b.d[k]));
  });
}
/// The quotient, with derivatives; one operand may be a constant. It uses d(a / b) = (da - (a / b)
/// db) / b, without the square of b, so that numbers may be large or small.
template <class A, class B>
  requires Impl::DualOperands<A, B>
BATCHWORK_INLINE auto operator/(A const& a, B const& b) {
  using D = promote_t<A, B>;
  using S = typename D::constant;
  S const y(Impl::constant_of(b)), reciprocal = S(scalar_t<S>(1)) / y,
                                   ratio = S(Impl::constant_of(a)) / y;
  return Impl::make_dual<S, D::directions>(ratio, [&](int k) {
    if constexpr (!Impl::is_dual<A>) return S(-(ratio * S(b.d[k])) * reciprocal);
    else if constexpr (!Impl::is_dual<B>) return S(S(a.d[k]) * reciprocal);
    else return S((S(a.d[k]) - ratio * S(b.d[k])) * reciprocal);
  });
}

// ---- comparisons, by the values ----

/// Compares the values.
template <class A, class B>
  requires Impl::DualOperands<A, B>
BATCHWORK_INLINE auto operator<(A const& a, B const& b) {
  using S = Impl::constant_t<promote_t<A, B>>;
  return S(Impl::constant_of(a)) < S(Impl::constant_of(b));
}
/// Compares the values.
template <class A, class B>
  requires Impl::DualOperands<A, B>
BATCHWORK_INLINE auto operator<=(A const& a, B const& b) {
  using S = Impl::constant_t<promote_t<A, B>>;
  return S(Impl::constant_of(a)) <= S(Impl::constant_of(b));
}
/// Compares the values.
template <class A, class B>
  requires Impl::DualOperands<A, B>
BATCHWORK_INLINE auto operator>(A const& a, B const& b) {
  return b < a;
}
/// Compares the values.
template <class A, class B>
  requires Impl::DualOperands<A, B>
BATCHWORK_INLINE auto operator>=(A const& a, B const& b) {
  return b <= a;
}
/// Compares the values.
template <class A, class B>
  requires Impl::DualOperands<A, B>
BATCHWORK_INLINE auto operator==(A const& a, B const& b) {
  using S = Impl::constant_t<promote_t<A, B>>;
  return S(Impl::constant_of(a)) == S(Impl::constant_of(b));
}
/// Compares the values.
template <class A, class B>
  requires Impl::DualOperands<A, B>
BATCHWORK_INLINE auto operator!=(A const& a, B const& b) {
  using S = Impl::constant_t<promote_t<A, B>>;
  return S(Impl::constant_of(a)) != S(Impl::constant_of(b));
}

}  // namespace Batchwork

#endif
