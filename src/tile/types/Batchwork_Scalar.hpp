// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// `Scalar<S>`: one number for each item, with the status of the item. Sequences compute with
/// scalars instead of plain numbers.
#ifndef BATCHWORK_SCALAR_HPP
#define BATCHWORK_SCALAR_HPP

#include "core/Batchwork_Complex.hpp"
#include "core/detail/Batchwork_DualFunctions.hpp"
#include "core/detail/Batchwork_IntegerArithmetic.hpp"
#include "tile/types/detail/Batchwork_Refused.hpp"
#include "tile/types/detail/Batchwork_TileTraits.hpp"

namespace Batchwork {

namespace Impl {

/// Whether an integer S would lose information from numbers of type T, which are real or larger.
template <class S, class T>
concept Narrowing =
    is_integer_number<scalar_t<S>> &&
    (std::is_floating_point_v<T> || (is_integer_number<T> && sizeof(T) > sizeof(scalar_t<S>)));

/// The compile-time error for the assignment of a real number to an integer.
template <bool Good, class To, class From>
constexpr bool require_no_narrowing() {
  static_assert(Good,
                "Batchwork: an integer is not assigned from a real number, nor from a larger "
                "integer; write to_integer<std::int32_t>(x) or to_integer<std::int64_t>(x)");
  return Good;
}

/// The value of a scalar as another type; an integer through the nearest real number.
template <class S, class X>
BATCHWORK_INLINE S value_as(X const& x) {
  if constexpr (holds_integers<X> && !holds_integers<S>)
    return S(to_value<with_number_t<X, scalar_t<S>>>(x));
  else return to_value<S>(x);
}

}  // namespace Impl

template <class S>
struct Scalar;

namespace Impl {

/// Whether a scalar of type A can hold the result of an operation with an X; otherwise a
/// compile-time error says what to start from.
template <class A, class X>
constexpr bool require_room();

}  // namespace Impl

/// A number of an item, with the status of the item. Scalar(1.5) and Scalar(0) are common to all
/// items; zero(x) has the type of x. Only named scalars can be assigned; an assignment to a
/// temporary does not compile.
/// \tparam S  the value type: float, double, an integer, or a type that the library passes to
/// sequences
template <class S>
struct BATCHWORK_NODISCARD Scalar : Impl::ByAdl::OfScalars {
  /// The type of the number.
  using value_type = S;
  S value;         ///< the number of each item
  info_t<S> info;  ///< the status of each item

  /// Not initialised.
  Scalar() = default;
  /// From a number of each item, with status 0.
  BATCHWORK_INLINE Scalar(S const& v) : value(v), info(0) {}
  /// From a number and a status of each item.
  BATCHWORK_INLINE Scalar(S const& v, info_t<S> const& i) : value(v), info(i) {}
  /// From a number, or from a scalar that is common to the lanes.
  template <Impl::Number U>
    requires(!std::is_same_v<U, S>)
  BATCHWORK_INLINE Scalar(U u) : value(static_cast<scalar_t<S>>(u)), info(0) {
    [[maybe_unused]] constexpr bool good =
        Impl::require_no_narrowing<!(Impl::holds_integers<S> && std::is_floating_point_v<U>), S,
                                   U>();
  }
  /// From a Kokkos::complex, common to all items.
  template <class U>
    requires(Impl::is_complex<S> && Impl::is_kokkos_complex<U>)
  BATCHWORK_INLINE Scalar(U const& u)
      : value(Kokkos::complex<scalar_t<S>>(static_cast<scalar_t<S>>(u.real()),
                                           static_cast<scalar_t<S>>(u.imag()))),
        info(0) {}
  /// From a scalar of another type, without loss of range or derivatives.
  template <class S2>
    requires(!std::is_same_v<S2, S> && Impl::takes_value<S, S2>())
  BATCHWORK_INLINE Scalar(Scalar<S2> const& o)
      : value(Impl::value_as<S>(o.value)), info(Impl::info_in_lanes_of<S>(o.info)) {}
  /// Does not compile; the message says what to write instead.
  template <class S2>
    requires Impl::Narrowing<S, scalar_t<S2>>
  BATCHWORK_INLINE Scalar(Scalar<S2> const&) {
    [[maybe_unused]] constexpr bool good = Impl::require_no_narrowing<false, S, S2>();
  }

  Scalar(Scalar const&) = default;
  Scalar& operator=(Scalar const&) & = default;
  template <class X>
  BATCHWORK_INLINE void operator=(X const&) && {
    Impl::refuse_lost_entry<X>();
  }

  /// Adds a number or a scalar; merges its status.
  template <class X>
  BATCHWORK_INLINE Scalar& operator+=(X const& x) & {
    if constexpr (Impl::require_room<Scalar, X>()) *this = *this + x;
    return *this;
  }
  template <class X>
  BATCHWORK_INLINE void operator+=(X const&) && {
    Impl::refuse_lost_entry<X>();
  }
  /// Subtracts a number or a scalar; merges its status.
  template <class X>
  BATCHWORK_INLINE Scalar& operator-=(X const& x) & {
    if constexpr (Impl::require_room<Scalar, X>()) *this = *this - x;
    return *this;
  }
  template <class X>
  BATCHWORK_INLINE void operator-=(X const&) && {
    Impl::refuse_lost_entry<X>();
  }
  /// Multiplies by a number or a scalar; merges its status.
  template <class X>
  BATCHWORK_INLINE Scalar& operator*=(X const& x) & {
    if constexpr (Impl::require_room<Scalar, X>()) *this = *this * x;
    return *this;
  }
  template <class X>
  BATCHWORK_INLINE void operator*=(X const&) && {
    Impl::refuse_lost_entry<X>();
  }
  /// Divides by a number or a scalar; merges its status.
  template <class X>
  BATCHWORK_INLINE Scalar& operator/=(X const& x) & {
    if constexpr (Impl::require_room<Scalar, X>()) *this = *this / x;
    return *this;
  }
  template <class X>
  BATCHWORK_INLINE void operator/=(X const&) && {
    Impl::refuse_lost_entry<X>();
  }

  /// These conversions do not compile; the message says what to write instead. The implicit one
  /// catches std::sqrt(x) and similar calls. It is to long double, because with an implicit
  /// conversion to double `c ? x : 0.0` would be ambiguous.
  template <std::same_as<long double> T>
  BATCHWORK_INLINE operator T() const {
    Impl::refuse_number<Scalar, T>();
    return {};
  }
  template <Impl::Number T>
    requires(!std::same_as<T, long double>)
  BATCHWORK_INLINE explicit operator T() const {
    Impl::refuse_number<Scalar, T>();
    return {};
  }
};

template <Impl::Number U>
Scalar(U) -> Scalar<std::conditional_t<std::is_floating_point_v<U>, U, double>>;

namespace Impl {

template <class S>
struct TileTraits<Scalar<S>> : NoSpecialTile {
  static constexpr bool is_scalar = true;
};

/// A number, real or complex, that does not belong to a tile.
template <class X>
concept PlainNumber = Number<X> || is_kokkos_complex<X>;

/// A Scalar, or a number from which one can be made.
template <class X>
concept ScalarLike = is_scalar_tile<std::remove_cvref_t<X>> || PlainNumber<std::remove_cvref_t<X>>;

template <class X>
concept ScalarTile = is_scalar_tile<std::remove_cvref_t<X>>;

}  // namespace Impl

template <Impl::ScalarTile X>
Scalar(X const&) -> Scalar<typename X::value_type>;

namespace Impl {

/// The Scalar for an entry of a tile; other types unchanged.
template <class X>
struct AsScalar {
  using type = X;
};
template <ScalarTile X>
struct AsScalar<X> {
  using type = Scalar<typename X::value_type>;
};
template <class X>
using as_scalar_t = typename AsScalar<std::remove_cvref_t<X>>::type;

template <class A, class B>
struct ScalarPair;
template <class SA, class SB>
struct ScalarPair<Scalar<SA>, Scalar<SB>> {
  using S = promote_t<SA, SB>;
};
/// The `S` of a scalar combined with a plain number: a real scalar keeps its type, an integer
/// follows the rules of C++.
template <class S, class B>
struct BesideNumber {
  using type = S;
};
template <class S, class B>
  requires is_integer_number<scalar_t<S>>
struct BesideNumber<S, B> {
  using number = std::conditional_t<std::is_floating_point_v<B>, B,
                                    std::conditional_t<sizeof(B) == 8, std::int64_t, std::int32_t>>;
  using type = promote_t<S, number>;
};
template <class SA, Number B>
struct ScalarPair<Scalar<SA>, B> {
  using S = typename BesideNumber<SA, B>::type;
};
template <Number A, class SB>
struct ScalarPair<A, Scalar<SB>> {
  using S = typename BesideNumber<SB, A>::type;
};

template <class SA, class B>
  requires is_kokkos_complex<B>
struct ScalarPair<Scalar<SA>, B> {
  using S = promote_t<SA, Complex<scalar_t<SA>>>;
};
template <class A, class SB>
  requires is_kokkos_complex<A>
struct ScalarPair<A, Scalar<SB>> {
  using S = promote_t<SB, Complex<scalar_t<SB>>>;
};

/// The `S` of a scalar; for a plain number that of `Fallback`.
template <class X, class Fallback>
struct ScalarOf {
  using type = scalar_t<Fallback>;
};
template <class X, class Fallback>
  requires is_kokkos_complex<X>
struct ScalarOf<X, Fallback> {
  using type = Complex<scalar_t<Fallback>>;
};
template <ScalarTile X, class Fallback>
struct ScalarOf<X, Fallback> {
  using type = typename X::value_type;
};

/// Whether numbers of S are ordered; otherwise a compile-time error says that complex numbers are
/// not.
template <class S>
constexpr bool require_order() {
  static_assert(!is_complex<S>,
                "Batchwork: complex numbers have no order; compare abs(x), real(x) or imag(x)");
  return !is_complex<S>;
}

template <class A, class B>
using scalar_pair_t = typename ScalarPair<as_scalar_t<A>, as_scalar_t<B>>::S;

/// A complex number as a scalar that is common to all items.
template <class X, class C>
BATCHWORK_INLINE auto complex_beside(C const& c) {
  return Scalar<Complex<scalar_t<typename X::value_type>>>(c);
}

/// The type of a choice between two plain numbers.
template <class A, class B>
struct PlainPair {
  using type =
      std::conditional_t<std::is_same_v<A, float> && std::is_same_v<B, float>, float, double>;
};
template <class A, class B>
  requires(is_kokkos_complex<A> || is_kokkos_complex<B>)
struct PlainPair<A, B> {
  static constexpr bool in_float =
      (std::is_same_v<A, float> || std::is_same_v<A, Kokkos::complex<float>>) &&
      (std::is_same_v<B, float> || std::is_same_v<B, Kokkos::complex<float>>);
  using type = Kokkos::complex<std::conditional_t<in_float, float, double>>;
};

/// float or double, as the compared numbers of a mask; double for integers.
template <class M>
struct NumberForMask {
  using type = double;
};
template <class I, int W>
struct NumberForMask<PackMask<I, W>> {
  using type = std::conditional_t<sizeof(I) == 4, float, double>;
};
template <class M>
  requires(requires { typename M::of; } && std::is_floating_point_v<scalar_t<typename M::of>>)
struct NumberForMask<M> {
  using type = scalar_t<typename M::of>;
};
/// A number in the lanes that know a mask.
template <class S, class M>
BATCHWORK_INLINE S value_for_mask([[maybe_unused]] M const& mask, S const& x) {
  if constexpr (requires { mask.grid; }) return S(x.v, mask.grid);
  else return x;
}

template <class A, class X>
constexpr bool require_room() {
  if constexpr (ScalarLike<X>) {
    constexpr bool good = std::is_same_v<scalar_pair_t<A, X>, typename A::value_type>;
    static_assert(good,
                  "Batchwork: this scalar cannot hold the result: it is common to all items (or "
                  "real) and the result differs between items (or is complex); start it as auto s "
                  "= zero(x), with x the scalar that is added to it");
    return good;
  } else {
    return true;
  }
}

/// A quotient or a remainder of integers, which fails if b is zero.
template <class F, class S>
BATCHWORK_INLINE Scalar<S> divided(F const& f, Scalar<S> const& a, Scalar<S> const& b) {
  auto const by_zero = b.value == S(scalar_t<S>(0));
  info_t<S> const failure =
      select(by_zero, make_info<S>(Reason::division_by_zero, 0), info_t<S>(0));
  return {lane_by_lane(f, a.value, b.value), first_failure(first_failure(a.info, b.info), failure)};
}

/// Whether numbers of S are real; otherwise a compile-time error says how to convert them.
template <class S>
constexpr bool require_real_number() {
  static_assert(!holds_integers<S>,
                "Batchwork: functions such as sqrt, log and exp take real numbers; for an integer "
                "write sqrt(as<double>(k)) or sqrt(as<float>(k))");
  return !holds_integers<S>;
}

}  // namespace Impl

template <class A, class B>
concept ScalarOperands =
    Impl::ScalarLike<A> && Impl::ScalarLike<B> && (Impl::ScalarTile<A> || Impl::ScalarTile<B>);

/// The negative of a scalar.
template <class S>
BATCHWORK_INLINE Scalar<S> operator-(Scalar<S> const& a) {
  return {Impl::negated(a.value), a.info};
}
/// The sum of two scalars, or of a scalar and a number.
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator+(A const& a, B const& b) {
  using S = Impl::scalar_pair_t<A, B>;
  Scalar<S> const x(a), y(b);
  if constexpr (Impl::holds_integers<S>)
    return Scalar<S>(Impl::by_bits<Impl::BitOperation::plus>(x.value, y.value),
                     Impl::first_failure(x.info, y.info));
  else return Scalar<S>(x.value + y.value, Impl::first_failure(x.info, y.info));
}
/// The difference of two scalars, or of a scalar and a number.
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator-(A const& a, B const& b) {
  using S = Impl::scalar_pair_t<A, B>;
  Scalar<S> const x(a), y(b);
  if constexpr (Impl::holds_integers<S>)
    return Scalar<S>(Impl::by_bits<Impl::BitOperation::minus>(x.value, y.value),
                     Impl::first_failure(x.info, y.info));
  else return Scalar<S>(x.value - y.value, Impl::first_failure(x.info, y.info));
}
/// The product of two scalars, or of a scalar and a number.
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator*(A const& a, B const& b) {
  using S = Impl::scalar_pair_t<A, B>;
  Scalar<S> const x(a), y(b);
  if constexpr (Impl::holds_integers<S>)
    return Scalar<S>(Impl::by_bits<Impl::BitOperation::times>(x.value, y.value),
                     Impl::first_failure(x.info, y.info));
  else return Scalar<S>(x.value * y.value, Impl::first_failure(x.info, y.info));
}
/// The quotient of two scalars, or of a scalar and a number. Integer quotients are rounded towards
/// zero, as in C++; division by zero gives 0 and the failure Reason::division_by_zero.
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator/(A const& a, B const& b) {
  using S = Impl::scalar_pair_t<A, B>;
  Scalar<S> const x(a), y(b);
  if constexpr (Impl::holds_integers<S>) return Impl::divided(Impl::IntegerQuotient{}, x, y);
  else return Scalar<S>(x.value / y.value, Impl::first_failure(x.info, y.info));
}

/// The sum with a Kokkos::complex. Without these overloads, those of Kokkos would be the better
/// match.
template <Impl::ScalarTile X, class T>
BATCHWORK_INLINE auto operator+(X const& x, Kokkos::complex<T> const& c) {
  return x + Impl::complex_beside<X>(c);
}
/// The sum with a Kokkos::complex.
template <class T, Impl::ScalarTile X>
BATCHWORK_INLINE auto operator+(Kokkos::complex<T> const& c, X const& x) {
  return Impl::complex_beside<X>(c) + x;
}
/// The difference with a Kokkos::complex.
template <Impl::ScalarTile X, class T>
BATCHWORK_INLINE auto operator-(X const& x, Kokkos::complex<T> const& c) {
  return x - Impl::complex_beside<X>(c);
}
/// The difference with a Kokkos::complex.
template <class T, Impl::ScalarTile X>
BATCHWORK_INLINE auto operator-(Kokkos::complex<T> const& c, X const& x) {
  return Impl::complex_beside<X>(c) - x;
}
/// The product with a Kokkos::complex.
template <Impl::ScalarTile X, class T>
BATCHWORK_INLINE auto operator*(X const& x, Kokkos::complex<T> const& c) {
  return x * Impl::complex_beside<X>(c);
}
/// The product with a Kokkos::complex.
template <class T, Impl::ScalarTile X>
BATCHWORK_INLINE auto operator*(Kokkos::complex<T> const& c, X const& x) {
  return Impl::complex_beside<X>(c) * x;
}
/// The quotient with a Kokkos::complex.
template <Impl::ScalarTile X, class T>
BATCHWORK_INLINE auto operator/(X const& x, Kokkos::complex<T> const& c) {
  return x / Impl::complex_beside<X>(c);
}
/// The quotient with a Kokkos::complex.
template <class T, Impl::ScalarTile X>
BATCHWORK_INLINE auto operator/(Kokkos::complex<T> const& c, X const& x) {
  return Impl::complex_beside<X>(c) / x;
}

/// Comparisons return a mask with a condition for each item; they drop the status.
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator<(A const& a, B const& b) {
  using S = Impl::scalar_pair_t<A, B>;
  if constexpr (Impl::holds_integers<S>)
    return Impl::mask_of_integers(Scalar<S>(a).value < Scalar<S>(b).value);
  else if constexpr (Impl::require_order<S>()) return Scalar<S>(a).value < Scalar<S>(b).value;
  else return false;
}
/// Less or equal, for each item.
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator<=(A const& a, B const& b) {
  using S = Impl::scalar_pair_t<A, B>;
  if constexpr (Impl::holds_integers<S>)
    return Impl::mask_of_integers(Scalar<S>(a).value <= Scalar<S>(b).value);
  else if constexpr (Impl::require_order<S>()) return Scalar<S>(a).value <= Scalar<S>(b).value;
  else return false;
}
/// Greater, for each item.
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator>(A const& a, B const& b) {
  return b < a;
}
/// Greater or equal, for each item.
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator>=(A const& a, B const& b) {
  return b <= a;
}
/// Equal, for each item.
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator==(A const& a, B const& b) {
  using S = Impl::scalar_pair_t<A, B>;
  if constexpr (Impl::holds_integers<S>)
    return Impl::mask_of_integers(Scalar<S>(a).value == Scalar<S>(b).value);
  else return Scalar<S>(a).value == Scalar<S>(b).value;
}
/// Not equal, for each item; true for NaN.
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator!=(A const& a, B const& b) {
  using S = Impl::scalar_pair_t<A, B>;
  if constexpr (Impl::holds_integers<S>)
    return Impl::mask_of_integers(Scalar<S>(a).value != Scalar<S>(b).value);
  else return Scalar<S>(a).value != Scalar<S>(b).value;
}

/// The square root.
template <class S>
BATCHWORK_INLINE auto sqrt(Scalar<S> const& a) {
  if constexpr (Impl::require_real_number<S>())
    return Scalar<real_t<S>>(Impl::sqrt(a.value), a.info);
  else return a;
}
/// The natural logarithm.
template <class S>
BATCHWORK_INLINE auto log(Scalar<S> const& a) {
  if constexpr (Impl::require_real_number<S>())
    return Scalar<real_t<S>>(Impl::log(a.value), a.info);
  else return a;
}
/// The exponential.
template <class S>
BATCHWORK_INLINE auto exp(Scalar<S> const& a) {
  if constexpr (Impl::require_real_number<S>())
    return Scalar<real_t<S>>(Impl::exp(a.value), a.info);
  else return a;
}
/// The absolute value; for a complex number its size, without intermediate overflow.
template <class S>
BATCHWORK_INLINE Scalar<real_t<S>> abs(Scalar<S> const& a) {
  if constexpr (Impl::holds_integers<S>) return {Impl::integer_size(a.value), a.info};
  else return {Impl::abs(a.value), a.info};
}
/// The smaller of two scalars, or of a scalar and a number.
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto min(A const& a, B const& b) {
  return select(b < a, b, a);
}
/// The larger of two scalars, or of a scalar and a number.
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto max(A const& a, B const& b) {
  return select(a < b, b, a);
}
/// True for each item whose number is NaN, for example a missing observation.
template <class S>
BATCHWORK_INLINE mask_t<S> isnan(Scalar<S> const& a) {
  return Impl::is_nan(a.value);
}
/// True for each item whose number is neither NaN nor infinite.
template <class S>
BATCHWORK_INLINE mask_t<S> isfinite(Scalar<S> const& a) {
  return Impl::is_finite(a.value);
}

/// `a` where the mask is true, else `b`, for each item and including the status. Both are computed;
/// see where to avoid that.
/// ```cpp
/// auto const step = select(abs(d) > 1e-30, n / d, zero(n));
/// ```
/// \param mask  a comparison of scalars
/// \param a  a scalar or a number
/// \param b  a scalar or a number
/// \returns a scalar
template <class M, class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto select(M const& mask, A const& a, B const& b) {
  using S0 = Impl::scalar_pair_t<A, B>;
  using S = typename Impl::ValueForMask<S0, M>::type;
  Scalar<S> const x(a), y(b);
  return Scalar<S>(Impl::select(mask, x.value, y.value), Impl::select(mask, x.info, y.info));
}
/// The same for two plain numbers: a scalar with a number for each item. If the mask is a plain
/// bool, as on devices where a lane holds an item, the result is a plain number: float if both are
/// float, else double, or complex.
template <class M, Impl::PlainNumber A, Impl::PlainNumber B>
BATCHWORK_INLINE auto select(M const& mask, A const& a, B const& b) {
  if constexpr (std::is_same_v<M, bool>) {
    using T = typename Impl::PlainPair<A, B>::type;
    return mask ? T(a) : T(b);
  } else {
    using T = typename Impl::NumberForMask<M>::type;
    using S0 = promote_t<typename Impl::ScalarOf<A, T>::type, typename Impl::ScalarOf<B, T>::type>;
    using S = typename Impl::ValueForMask<S0, M>::type;
    S const x = Impl::value_for_mask<S>(mask, Scalar<S>(a).value),
            y = Impl::value_for_mask<S>(mask, Scalar<S>(b).value);
    return Scalar<S>(Impl::select(mask, x, y));
  }
}

/// Does not compile, because a plain number cannot hold a number for each item; the message says
/// what to write instead.
template <Impl::Number N, Impl::ScalarTile X>
BATCHWORK_INLINE void operator+=(N&, X const&) {
  Impl::refuse_sum_in_number<X>();
}
/// Does not compile; see operator+=.
template <Impl::Number N, Impl::ScalarTile X>
BATCHWORK_INLINE void operator-=(N&, X const&) {
  Impl::refuse_sum_in_number<X>();
}
/// Does not compile; see operator+=.
template <Impl::Number N, Impl::ScalarTile X>
BATCHWORK_INLINE void operator*=(N&, X const&) {
  Impl::refuse_sum_in_number<X>();
}
/// Does not compile; see operator+=.
template <Impl::Number N, Impl::ScalarTile X>
BATCHWORK_INLINE void operator/=(N&, X const&) {
  Impl::refuse_sum_in_number<X>();
}
/// Does not compile, for `std::cout << x` with scalars and tiles; the message says what to write
/// instead.
template <class Stream, class X>
  requires(Impl::ByAdl::OfSequences<X> && requires(Stream& s) { s.rdbuf(); })
BATCHWORK_INLINE Stream& operator<<(Stream& s, X const&) {
  Impl::refuse_print<X>();
  return s;
}

}  // namespace Batchwork

#endif
