// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The value type `S` of an entry: T (one lane holds an item) or Pack<T, W> (W items side by side).
/// This file defines the same names for every `S` (scalar_t, mask_t, info_t, select, sqrt, ...), so
/// that operations are written once.
#ifndef BATCHWORK_VALUE_HPP
#define BATCHWORK_VALUE_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/Batchwork_Pack.hpp"
#include "core/Batchwork_Status.hpp"

namespace Batchwork {

namespace Impl {

template <class S>
struct ValueTraits;

/// The value types of tiles. A function for any of them that has the same name as a function of
/// scalars and tiles is constrained by this concept. Without it, it would be the better match for
/// an entry of a tile, which is derived from Scalar.
template <class S>
concept Value = requires { sizeof(ValueTraits<S>); };

/// The integers of scalars and tiles.
template <class T>
inline constexpr bool is_integer_number =
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>;

template <class T>
  requires(std::is_floating_point_v<T> || is_integer_number<T>)
struct ValueTraits<T> {
  using scalar = T;
  using mask = bool;
  using info = std::int32_t;
  static constexpr int width = 1;
};

template <class T, int W>
struct ValueTraits<Pack<T, W>> {
  using scalar = T;
  using mask = typename Pack<T, W>::mask;
  using info = Pack<integer_of_t<T>, W>;
  static constexpr int width = W;
};

/// `S` with numbers of type T in its lanes.
template <class S, class T>
struct WithNumber {
  using type = T;
};
template <class U, int W, class T>
struct WithNumber<Pack<U, W>, T> {
  using type = Pack<T, W>;
};
template <class S, class T>
using with_number_t = typename WithNumber<S, T>::type;

/// The `S` of a result whose operands have values of types A and B: a pack if one of them is a
/// pack.
template <class A, class B>
struct Promote {
  static_assert(std::is_same_v<typename ValueTraits<A>::scalar, typename ValueTraits<B>::scalar>,
                "Batchwork: operands of one operation must have the same scalar type (float or "
                "double); convert one with as<double>(x) or as<float>(x)");
  static_assert(
      ValueTraits<A>::width == 1 || ValueTraits<B>::width == 1 || std::is_same_v<A, B>,
      "Batchwork: packs of different widths cannot be combined; use one width, launch(width<N>)");
  using type = std::conditional_t<std::is_arithmetic_v<A>, B, A>;
};

/// Two different number types, one or both of them integers.
template <class A, class B>
concept MixesIntegers =
    !std::is_same_v<typename ValueTraits<A>::scalar, typename ValueTraits<B>::scalar> &&
    (is_integer_number<typename ValueTraits<A>::scalar> ||
     is_integer_number<typename ValueTraits<B>::scalar>);

/// As in C++: the real type of the two, or the larger integer type.
template <class A, class B>
using number_beside_t =
    std::conditional_t<!is_integer_number<A>, A,
                       std::conditional_t<!is_integer_number<B> || (sizeof(B) > sizeof(A)), B, A>>;

template <class A, class B>
  requires MixesIntegers<A, B>
struct Promote<A, B> {
  using number = number_beside_t<typename ValueTraits<A>::scalar, typename ValueTraits<B>::scalar>;
  using type = typename Promote<with_number_t<A, number>, with_number_t<B, number>>::type;
};

/// The `S` that belongs to a mask M: packs for a mask of packs.
template <class S, class M>
struct ValueForMask {
  using type = S;
};
template <class T, class I, int W>
  requires std::is_arithmetic_v<T>
struct ValueForMask<T, PackMask<I, W>> {
  using type = Pack<T, W>;
};

}  // namespace Impl

/// The type of the numbers behind `S`: float, double, std::int32_t or std::int64_t.
template <class S>
using scalar_t = typename Impl::ValueTraits<S>::scalar;
/// The type of a comparison of two `S`: bool, PackMask or DistributedMask.
template <class S>
using mask_t = typename Impl::ValueTraits<S>::mask;
/// The type of the status codes that a tile of `S` carries, one for each item.
template <class S>
using info_t = typename Impl::ValueTraits<S>::info;
/// The value type of a result whose operands have the value types A and B.
template <class A, class B>
using promote_t = typename Impl::Promote<A, B>::type;

namespace Impl {

/// Whether numbers of S are integers.
template <class S>
inline constexpr bool holds_integers = is_integer_number<scalar_t<S>>;

template <class T>
concept Number = std::is_arithmetic_v<T>;

/// Converts x to an S, lane by lane.
template <class S, class X>
BATCHWORK_INLINE S to_value(X const& x) {
  if constexpr (std::is_same_v<S, X>) return x;
  else if constexpr (Number<X> && Number<S>) return static_cast<S>(x);
  else if constexpr (Number<X>) return S(static_cast<scalar_t<S>>(x));
  else return S(x);
}

template <Number T>
BATCHWORK_INLINE T select(bool m, T a, T b) {
  return m ? a : b;
}
template <class T, int W>
BATCHWORK_INLINE Pack<T, W> select(bool m, Pack<T, W> const& a, Pack<T, W> const& b) {
  return m ? a : b;
}
BATCHWORK_INLINE bool any(bool m) { return m; }

/// select(m, a, b) where any(m) is known to hold. For a single number that decides the choice,
/// which compilers do not always see.
template <class M, class X>
BATCHWORK_INLINE X select_some(M const& m, X const& a, X const& b) {
  if constexpr (std::is_same_v<M, bool>) return a;
  else return select(m, a, b);
}

template <Number T>
BATCHWORK_INLINE T sqrt(T a) {
  return Kokkos::sqrt(a);
}
template <Number T>
BATCHWORK_INLINE T rsqrt(T a) {
#if defined(BATCHWORK_DEVICE_PASS)
  return Kokkos::rsqrt(a);
#else
  return T(1) / Kokkos::sqrt(a);
#endif
}
template <Number T>
BATCHWORK_INLINE T log(T a) {
  return Kokkos::log(a);
}
template <Number T>
BATCHWORK_INLINE T exp(T a) {
  return Kokkos::exp(a);
}
template <Number T>
BATCHWORK_INLINE T abs(T a) {
  if constexpr (std::is_floating_point_v<T>) return Kokkos::fabs(a);
  else return a < T(0) ? -a : a;
}

template <Number T>
BATCHWORK_INLINE integer_of_t<T> bits(T a) {
  return Kokkos::bit_cast<integer_of_t<T>>(a);
}
template <class T, Number I>
BATCHWORK_INLINE T from_bits(I a) {
  return Kokkos::bit_cast<T>(a);
}
template <Number I>
BATCHWORK_INLINE I bit_and(I a, I mask) {
  return a & mask;
}
template <Number I>
BATCHWORK_INLINE I bit_or(I a, I mask) {
  return a | mask;
}
template <Number I>
BATCHWORK_INLINE I shift_right(I a, int n) {
  return a >> n;
}
template <class T, Number I>
BATCHWORK_INLINE T to_number(I a) {
  return static_cast<T>(a);
}

/// Lane l of a pack or of its mask; a plain number is returned unchanged.
template <class S>
BATCHWORK_INLINE auto entry_of_pack(S const& x, [[maybe_unused]] int l) {
  if constexpr (Number<S>) return x;
  else return x.lane(l);
}
template <class S>
BATCHWORK_INLINE void set_entry_of_pack(S& x, [[maybe_unused]] int l, scalar_t<S> y) {
  if constexpr (Number<S>) x = y;
  else x.set_lane(l, y);
}

/// Written as comparisons, so that they work for every `S`. They fail only if the compiler is told
/// to assume finite arithmetic.
template <class S>
BATCHWORK_INLINE mask_t<S> is_nan(S const& a) {
  return a != a;
}
template <class S>
BATCHWORK_INLINE mask_t<S> is_finite(S const& a) {
  return (a - a) == S(scalar_t<S>(0));
}

/// The number x in the lanes of `like`.
template <class S, class X>
BATCHWORK_INLINE X with_lanes_of(S const&, X const& x) {
  return x;
}

/// One status code in every lane.
template <class S>
BATCHWORK_INLINE info_t<S> make_info(Reason reason, int info) {
  return info_t<S>(Status::code(reason, info));
}
/// The first of two failures; `a` is the earlier one.
template <class I>
BATCHWORK_INLINE I first_failure(I const& a, I const& b) {
  return select(a != I(0), a, b);
}
/// The status of an item where nothing but a result may be what is not finite; a number of the
/// right-hand side may be the reason.
template <class I, class M>
BATCHWORK_INLINE I status_with_result(I const& code, M const& failed) {
  return first_failure(code, I(select(failed, I(Status::code(Reason::not_finite, 0)), I(0))));
}
/// A status code of type `I`, in the lanes of `S`.
template <class S, class I>
BATCHWORK_INLINE info_t<S> info_in_lanes_of(I const& a) {
  if constexpr (std::is_same_v<I, info_t<S>>) {
    return a;
  } else if constexpr (!std::is_arithmetic_v<I>) {
    return info_t<S>(a);  // of numbers of another size
  } else {
    return info_t<S>(static_cast<integer_of_t<scalar_t<S>>>(a));
  }
}
template <class S, class IA, class IB>
BATCHWORK_INLINE info_t<S> merge_info(IA const& a, IB const& b) {
  return first_failure(info_in_lanes_of<S>(a), info_in_lanes_of<S>(b));
}

}  // namespace Impl

/// True if the mask holds for any item that runs together: the items of a pack on hosts; on devices
/// the items of a warp if lanes share items, else the one item of the lane.
/// ```cpp
/// if (any(x < 0.0)) x = select(x < 0.0, zero(x), x);
/// ```
/// \param m  the result of a comparison of scalars
template <class M>
BATCHWORK_INLINE bool any(M const& m) {
  if constexpr (requires { m.holds_for_any(); }) return m.holds_for_any();
  else return Impl::any(m);
}
/// True if the mask holds for all items that run together; see any.
/// \param m  the result of a comparison of scalars
template <class M>
BATCHWORK_INLINE bool all(M const& m) {
  return !any(!m);
}

}  // namespace Batchwork

#endif
