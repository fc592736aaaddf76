// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Scalar<S>: one number per item, with the item's status; what sequences compute with instead of plain numbers.
#ifndef BATCHWORK_SCALAR_HPP
#define BATCHWORK_SCALAR_HPP

#include "core/Batchwork_Complex.hpp"
#include "core/detail/Batchwork_IntegerArithmetic.hpp"
#include "tile/detail/Batchwork_TileTraits.hpp"

namespace Batchwork {

namespace Impl {

/// Whether an integer S would lose something of numbers of type T, which are real or larger.
template <class S, class T>
concept Narrowing =
    is_integer_number<scalar_t<S>> &&
    (std::is_floating_point_v<T> || (is_integer_number<T> && sizeof(T) > sizeof(scalar_t<S>)));

/// What the assignment of a real number to an integer says.
template <bool Good, class To, class From>
constexpr bool require_no_narrowing() {
  static_assert(Good,
                "Batchwork: an integer is not assigned from a real number, nor from a larger "
                "integer; write to_integer<std::int32_t>(x) or to_integer<std::int64_t>(x)");
  return Good;
}

/// The value of a scalar as one of another type; an integer through the real number next to it.
template <class S, class X>
BATCHWORK_INLINE S value_as(X const& x) {
  if constexpr (holds_integers<X> && !holds_integers<S>)
    return S(to_value<with_number_t<X, scalar_t<S>>>(x));
  else return to_value<S>(x);
}

}  // namespace Impl

template <class S>
struct Scalar {
  using value_type = S;
  S value;
  info_t<S> info;

  Scalar() = default;
  BATCHWORK_INLINE Scalar(S const& v) : value(v), info(0) {}
  BATCHWORK_INLINE Scalar(S const& v, info_t<S> const& i) : value(v), info(i) {}
  /// From a number, or from a scalar common to the lanes.
  template <Impl::Number U>
    requires(!std::is_same_v<U, S>)
  BATCHWORK_INLINE Scalar(U u) : value(static_cast<scalar_t<S>>(u)), info(0) {
    [[maybe_unused]] constexpr bool good =
        Impl::require_no_narrowing<!(Impl::holds_integers<S> && std::is_floating_point_v<U>), S,
                                   U>();
  }
  template <class U>
    requires(Impl::is_complex<S> && Impl::is_kokkos_complex<U>)
  BATCHWORK_INLINE Scalar(U const& u)
      : value(Kokkos::complex<scalar_t<S>>(static_cast<scalar_t<S>>(u.real()),
                                           static_cast<scalar_t<S>>(u.imag()))),
        info(0) {}
  template <class S2>
    requires(!std::is_same_v<S2, S> && std::is_same_v<promote_t<S, S2>, S>)
  BATCHWORK_INLINE Scalar(Scalar<S2> const& o)
      : value(Impl::value_as<S>(o.value)), info(Impl::info_in_lanes_of<S>(o.info)) {}
  /// Does not compile, and says what to write instead.
  template <class S2>
    requires Impl::Narrowing<S, scalar_t<S2>>
  BATCHWORK_INLINE Scalar(Scalar<S2> const&) {
    [[maybe_unused]] constexpr bool good = Impl::require_no_narrowing<false, S, S2>();
  }

  template <class X>
  BATCHWORK_INLINE Scalar& operator+=(X const& x) {
    return *this = *this + x;
  }
  template <class X>
  BATCHWORK_INLINE Scalar& operator-=(X const& x) {
    return *this = *this - x;
  }
  template <class X>
  BATCHWORK_INLINE Scalar& operator*=(X const& x) {
    return *this = *this * x;
  }
  template <class X>
  BATCHWORK_INLINE Scalar& operator/=(X const& x) {
    return *this = *this / x;
  }
};

namespace Impl {

template <class S>
struct TileTraits<Scalar<S>> : NoSpecialTile {
  static constexpr bool is_scalar = true;
};

/// A number, real or complex, that is not of tiles.
template <class X>
concept PlainNumber = Number<X> || is_kokkos_complex<X>;

/// A Scalar tile, or something that one can be made of.
template <class X>
concept ScalarLike = is_scalar_tile<std::remove_cvref_t<X>> || PlainNumber<std::remove_cvref_t<X>>;

template <class X>
concept ScalarTile = is_scalar_tile<std::remove_cvref_t<X>>;

template <class A, class B>
struct ScalarPair;
template <class SA, class SB>
struct ScalarPair<Scalar<SA>, Scalar<SB>> {
  using S = promote_t<SA, SB>;
};
/// The `S` of a scalar beside a plain number: of a real one its own, of an integer as in C++.
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

/// The `S` of something scalar: its own, or for a plain number that of `Fallback`.
template <class X, class Fallback>
struct ScalarOf {
  using type = scalar_t<Fallback>;
};
template <class X, class Fallback>
  requires is_kokkos_complex<X>
struct ScalarOf<X, Fallback> {
  using type = Complex<scalar_t<Fallback>>;
};
template <class S, class Fallback>
struct ScalarOf<Scalar<S>, Fallback> {
  using type = S;
};

/// Whether numbers of S have an order, or the compiler says that they have none.
template <class S>
constexpr bool require_order() {
  static_assert(!is_complex<S>,
                "Batchwork: complex numbers have no order; compare abs(x), real(x) or imag(x)");
  return !is_complex<S>;
}

template <class A, class B>
using scalar_pair_t = typename ScalarPair<std::remove_cvref_t<A>, std::remove_cvref_t<B>>::S;

/// A quotient or a remainder of integers, which fails where b is zero.
template <class F, class S>
BATCHWORK_INLINE Scalar<S> divided(F const& f, Scalar<S> const& a, Scalar<S> const& b) {
  auto const by_zero = b.value == S(scalar_t<S>(0));
  info_t<S> const failure =
      select(by_zero, make_info<S>(Reason::division_by_zero, 0), info_t<S>(0));
  return {lane_by_lane(f, a.value, b.value), first_failure(first_failure(a.info, b.info), failure)};
}

/// Whether numbers of S are real, or the compiler says how they become so.
template <class S>
constexpr bool require_real_number() {
  static_assert(!holds_integers<S>,
                "Batchwork: functions such as sqrt, log and exp are of real numbers; of an integer "
                "write sqrt(as<double>(k)), or as<float>(k)");
  return !holds_integers<S>;
}

}  // namespace Impl

template <class A, class B>
concept ScalarOperands =
    Impl::ScalarLike<A> && Impl::ScalarLike<B> && (Impl::ScalarTile<A> || Impl::ScalarTile<B>);

template <class S>
BATCHWORK_INLINE Scalar<S> operator-(Scalar<S> const& a) {
  return {Impl::negated(a.value), a.info};
}
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
/// Of integers rounded towards zero, as in C++; by zero it gives 0 and the failure Reason::division_by_zero.
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator/(A const& a, B const& b) {
  using S = Impl::scalar_pair_t<A, B>;
  Scalar<S> const x(a), y(b);
  if constexpr (Impl::holds_integers<S>) return Impl::divided(Impl::IntegerQuotient{}, x, y);
  else return Scalar<S>(x.value / y.value, Impl::first_failure(x.info, y.info));
}

/// Comparisons give a mask, one truth per item; they drop the status.
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator<(A const& a, B const& b) {
  using S = Impl::scalar_pair_t<A, B>;
  if constexpr (Impl::holds_integers<S>)
    return Impl::mask_of_integers(Scalar<S>(a).value < Scalar<S>(b).value);
  else if constexpr (Impl::require_order<S>()) return Scalar<S>(a).value < Scalar<S>(b).value;
  else return false;
}
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator<=(A const& a, B const& b) {
  using S = Impl::scalar_pair_t<A, B>;
  if constexpr (Impl::holds_integers<S>)
    return Impl::mask_of_integers(Scalar<S>(a).value <= Scalar<S>(b).value);
  else if constexpr (Impl::require_order<S>()) return Scalar<S>(a).value <= Scalar<S>(b).value;
  else return false;
}
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator>(A const& a, B const& b) {
  return b < a;
}
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator>=(A const& a, B const& b) {
  return b <= a;
}
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator==(A const& a, B const& b) {
  using S = Impl::scalar_pair_t<A, B>;
  if constexpr (Impl::holds_integers<S>)
    return Impl::mask_of_integers(Scalar<S>(a).value == Scalar<S>(b).value);
  else return Scalar<S>(a).value == Scalar<S>(b).value;
}
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator!=(A const& a, B const& b) {
  using S = Impl::scalar_pair_t<A, B>;
  if constexpr (Impl::holds_integers<S>)
    return Impl::mask_of_integers(Scalar<S>(a).value != Scalar<S>(b).value);
  else return Scalar<S>(a).value != Scalar<S>(b).value;
}

template <class S>
BATCHWORK_INLINE auto sqrt(Scalar<S> const& a) {
  if constexpr (Impl::require_real_number<S>())
    return Scalar<real_t<S>>(Impl::sqrt(a.value), a.info);
  else return a;
}
template <class S>
BATCHWORK_INLINE auto log(Scalar<S> const& a) {
  if constexpr (Impl::require_real_number<S>())
    return Scalar<real_t<S>>(Impl::log(a.value), a.info);
  else return a;
}
template <class S>
BATCHWORK_INLINE auto exp(Scalar<S> const& a) {
  if constexpr (Impl::require_real_number<S>())
    return Scalar<real_t<S>>(Impl::exp(a.value), a.info);
  else return a;
}
template <class S>
BATCHWORK_INLINE Scalar<real_t<S>> abs(Scalar<S> const& a) {
  if constexpr (Impl::holds_integers<S>) return {Impl::integer_size(a.value), a.info};
  else return {Impl::abs(a.value), a.info};
}
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto min(A const& a, B const& b) {
  return select(b < a, b, a);
}
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto max(A const& a, B const& b) {
  return select(a < b, b, a);
}
/// True where the number is a NaN: how a missing observation is marked.
template <class S>
BATCHWORK_INLINE mask_t<S> isnan(Scalar<S> const& a) {
  return Impl::is_nan(a.value);
}
template <class S>
BATCHWORK_INLINE mask_t<S> isfinite(Scalar<S> const& a) {
  return Impl::is_finite(a.value);
}

/// `a` where the mask holds, else `b`, status included; both are computed.
template <class M, class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto select(M const& mask, A const& a, B const& b) {
  using S0 = Impl::scalar_pair_t<A, B>;
  using S = typename Impl::ValueForMask<S0, M>::type;
  Scalar<S> const x(a), y(b);
  return Scalar<S>(Impl::select(mask, x.value, y.value), Impl::select(mask, x.info, y.info));
}

}  // namespace Batchwork

#endif
