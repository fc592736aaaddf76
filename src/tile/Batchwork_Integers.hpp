// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Operations of integer scalars that real ones do not have: remainders, bit operations,
/// conversions. + - * of integer scalars wrap around at the ends of their range, so no lane has
/// undefined behaviour.
#ifndef BATCHWORK_INTEGERS_HPP
#define BATCHWORK_INTEGERS_HPP

#include <limits>

#include "tile/types/Batchwork_Sum.hpp"

namespace Batchwork {

namespace Impl {

/// Whether the numbers of S are integers; otherwise a compile-time error says which operations real
/// numbers lack.
template <class S>
constexpr bool require_integers() {
  static_assert(holds_integers<S>,
                "Batchwork: % & | ^ ~ << >> take integers; convert a real scalar with "
                "to_integer<std::int32_t>(x)");
  return holds_integers<S>;
}

template <BitOperation Op, class A, class B>
BATCHWORK_INLINE auto operation_on_bits(A const& a, B const& b) {
  using S = scalar_pair_t<A, B>;
  if constexpr (require_integers<S>()) {
    Scalar<S> const x(a), y(b);
    return Scalar<S>(by_bits<Op>(x.value, y.value), first_failure(x.info, y.info));
  } else {
    return Scalar<S>(a);
  }
}
/// The number of bits by which S is shifted, modulo its width.
template <class S, class B>
BATCHWORK_INLINE Scalar<S> shift_count(B const& b) {
  using I = scalar_t<S>;
  Scalar<S> const n = [&] {
    if constexpr (Number<B>) return Scalar<S>(static_cast<I>(b));
    else return Scalar<S>(b);
  }();
  return {by_bits<BitOperation::both>(n.value, S(I(8 * sizeof(I) - 1))), n.info};
}

/// Converts one number to another type.
template <class T>
struct AsNumber {
  template <class A>
  BATCHWORK_INLINE auto operator()(A const& a) const {
    return to_value<with_number_t<A, T>>(a);
  }
};

}  // namespace Impl

/// The remainder of a / b with the sign of a, as in C++. Division by zero gives 0 and the failure
/// Reason::division_by_zero.
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator%(A const& a, B const& b) {
  using S = Impl::scalar_pair_t<A, B>;
  if constexpr (Impl::require_integers<S>())
    return Impl::divided(Impl::IntegerRemainder{}, Scalar<S>(a), Scalar<S>(b));
  else return Scalar<S>(a);
}

/// Bitwise and of integers.
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator&(A const& a, B const& b) {
  return Impl::operation_on_bits<Impl::BitOperation::both>(a, b);
}
/// Bitwise or of integers.
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator|(A const& a, B const& b) {
  return Impl::operation_on_bits<Impl::BitOperation::either>(a, b);
}
/// Bitwise exclusive or of integers.
template <class A, class B>
  requires ScalarOperands<A, B>
BATCHWORK_INLINE auto operator^(A const& a, B const& b) {
  return Impl::operation_on_bits<Impl::BitOperation::differ>(a, b);
}
/// Bitwise complement of an integer.
template <class S>
BATCHWORK_INLINE auto operator~(Scalar<S> const& a) {
  return a ^ -1;
}
/// a 2^n; n is taken modulo the width of a.
template <class S, Impl::ScalarLike B>
BATCHWORK_INLINE Scalar<S> operator<<(Scalar<S> const& a, B const& n) {
  if constexpr (Impl::require_integers<S>()) {
    Scalar<S> const by = Impl::shift_count<S>(n);
    return {Impl::by_bits<Impl::BitOperation::shift_left>(a.value, by.value),
            Impl::first_failure(a.info, by.info)};
  } else {
    return a;
  }
}
/// a / 2^n, rounded down; n is taken modulo the width of a.
template <class S, Impl::ScalarLike B>
BATCHWORK_INLINE Scalar<S> operator>>(Scalar<S> const& a, B const& n) {
  if constexpr (Impl::require_integers<S>()) {
    Scalar<S> const by = Impl::shift_count<S>(n);
    return {Impl::shifted_right(a.value, by.value), Impl::first_failure(a.info, by.info)};
  } else {
    return a;
  }
}

/// a = a % x; see operator%.
template <class S, class X>
BATCHWORK_INLINE Scalar<S>& operator%=(Scalar<S>& a, X const& x) {
  return a = a % x;
}
/// a = a & x.
template <class S, class X>
BATCHWORK_INLINE Scalar<S>& operator&=(Scalar<S>& a, X const& x) {
  return a = a & x;
}
/// a = a | x.
template <class S, class X>
BATCHWORK_INLINE Scalar<S>& operator|=(Scalar<S>& a, X const& x) {
  return a = a | x;
}
/// a = a ^ x.
template <class S, class X>
BATCHWORK_INLINE Scalar<S>& operator^=(Scalar<S>& a, X const& x) {
  return a = a ^ x;
}
/// a = a << x.
template <class S, class X>
BATCHWORK_INLINE Scalar<S>& operator<<=(Scalar<S>& a, X const& x) {
  return a = a << x;
}
/// a = a >> x.
template <class S, class X>
BATCHWORK_INLINE Scalar<S>& operator>>=(Scalar<S>& a, X const& x) {
  return a = a >> x;
}

/// Converts a scalar to numbers of type T; the status is kept. Integers become the nearest real
/// number, doubles the nearest float. To convert a real number to an integer use to_integer.
/// ```cpp
/// y = sqrt(as<double>(k));
/// ```
/// \tparam T  float, double, std::int32_t or std::int64_t
/// \param x  a scalar
/// \returns a scalar of type T
template <class T, class S>
BATCHWORK_INLINE auto as(Scalar<S> const& x) {
  using R = Impl::with_number_t<S, T>;
  if constexpr (Impl::require_no_narrowing<!Impl::Narrowing<R, scalar_t<S>>, T, S>())
    return Scalar<R>(Impl::to_value<R>(x.value), Impl::info_in_lanes_of<R>(x.info));
  else return x;
}
/// Converts the numbers of a tile; see as(Scalar).
template <class T, Tile X>
BATCHWORK_INLINE auto as(X const& x) {
  using S = Impl::deal_together_t<value_t<X>, X>;
  using SR = Impl::with_number_t<S, T>;
  using R = Impl::tile_of_t<SR, X::rows, X::cols, X::structure, X::is_vector>;
  R r = Impl::entrywise<R>(Impl::AsNumber<T>{}, x);
  r.info = Impl::info_in_lanes_of<SR>(x.info);
  return r;
}

/// Converts a scalar to an integer. Real numbers are rounded towards zero, as by static_cast. A
/// number outside the range of I becomes the nearest I and a NaN becomes 0; such an item fails with
/// Reason::out_of_range.
/// ```cpp
/// y = rates(to_integer<std::int32_t>(t / width));  // rates is a table
/// ```
/// \tparam I  std::int32_t or std::int64_t
/// \param x  a scalar
/// \returns a scalar of type I
template <class I, class S>
BATCHWORK_INLINE auto to_integer(Scalar<S> const& x) {
  static_assert(Impl::is_integer_number<I>,
                "Batchwork::to_integer<I>: I must be std::int32_t or std::int64_t");
  // A step function has derivative zero.
  if constexpr (Impl::is_dual<S>) {
    return to_integer<I>(Scalar<typename S::constant>(x.value.value, x.info));
  } else {
    using R = Impl::with_number_t<S, I>;
    auto const marked = [&](R const& value, auto const& beyond) {
      info_t<R> const failure =
          Impl::select(beyond, Impl::make_info<R>(Reason::out_of_range, 0), info_t<R>(0));
      return Scalar<R>(value, Impl::first_failure(Impl::info_in_lanes_of<R>(x.info), failure));
    };
    if constexpr (!Impl::holds_integers<S>) {
      Impl::IntegerOfReal<I, S> const r(x.value);
      return marked(r.value, r.beyond);
    } else if constexpr (sizeof(I) < sizeof(scalar_t<S>)) {
      using Wide = scalar_t<S>;
      auto const least = S(static_cast<Wide>(std::numeric_limits<I>::min()));
      auto const most = S(static_cast<Wide>(std::numeric_limits<I>::max()));
      auto const small = x.value < least;
      auto const large = most < x.value;
      S const inside = Impl::select(small, least, Impl::select(large, most, x.value));
      return marked(Impl::to_value<R>(inside), small || large);
    } else {
      return as<I>(x);
    }
  }
}

}  // namespace Batchwork

#endif
