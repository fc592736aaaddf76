// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Gaussian elimination with partial pivoting, written once for a matrix with distributed rows: one
/// lane or pack holds all rows, or the lanes that share an item, or the lanes of a team.
#ifndef BATCHWORK_ELIMINATION_HPP
#define BATCHWORK_ELIMINATION_HPP

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/Batchwork_Complex.hpp"
#include "core/Batchwork_Dual.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_UnrollInParts.hpp"
#include "core/detail/backend/Batchwork_Quotients.hpp"

namespace Batchwork::Impl {

/// A matrix with distributed rows, which `eliminate` replaces by its factors. `value_type` is a
/// number that all callers know, or a pack of numbers.
/// - extent(): rows and columns; if it is a constant, every k below is a constant, too
/// - choose_pivot(k): moves the row with the largest entry in column k, among the rows without a
///   place, to place k, and shows it to all lanes with rows. A NaN is larger than any number.
/// - subtract(k): for each row without a place, divides entry k by the pivot and subtracts that
///   multiple of the pivot's row from the entries to the right
/// - finish(): moves the rows to their places, if they are not there yet
/// - status(): the status of the first pivot, in the order of places, whose pivot_status is not 0
///
/// Cost on devices: one search over lanes, one published row and one wait for each step; N^3 / 3
/// multiply-adds.
template <class A>
concept EliminatedRows = requires(A a, A const c, int k) {
  typename A::value_type;
  { c.extent() } -> std::convertible_to<int>;
  a.choose_pivot(k);
  a.subtract(k);
  a.finish();
  { c.status() } -> std::convertible_to<info_t<typename A::value_type>>;
};

/// A key of the size of an entry, its bits without the sign: the larger entry has the larger key.
/// NaN has the largest.
template <class S>
BATCHWORK_INLINE auto size_key(S const& x) {
  using T = scalar_t<S>;
  return bit_and(bits(x), std::numeric_limits<integer_of_t<T>>::max());
}
/// For complex entries the size is |real part| + |imaginary part|, as in LAPACK's izamax.
template <class R>
BATCHWORK_INLINE auto size_key(Complex<R> const& x) {
  return size_key(R(abs(x.re) + abs(x.im)));
}
/// The larger of two sizes; NaN is larger than any number.
template <class S>
BATCHWORK_INLINE S larger_size(S const& a, S const& b) {
  return select(size_key(b) > size_key(a), b, a);
}

/// The bits that distinguish pivots: the entry with the larger key is larger. For float the key has
/// all bits. For double it is a word with the exponent and 20 bits; the last bit is set by any bit
/// behind it. Entries with the same key differ by less than 2^-19 of the smaller one if that is a
/// normal number; below 2^-1041 all keys are the same. Only zero has the key 0, and NaN has the
/// largest key.
BATCHWORK_INLINE std::int32_t pivot_key(float x) { return size_key(x); }
BATCHWORK_INLINE std::int32_t pivot_key(double x) {
  std::int64_t const key = size_key(x);
  return static_cast<std::int32_t>(key >> 32) | ((key & 0xffffffff) != 0 ? 1 : 0);
}

/// The size of an entry to those 20 bits.
template <class T>
BATCHWORK_INLINE T size_of_pivot_key(std::int32_t key) {
  using Integer = integer_of_t<T>;
  return from_bits<T>(static_cast<Integer>(static_cast<Integer>(key) << (8 * sizeof(T) - 32)));
}

/// The divisor for a pivot: x * scale * inverse is x / pivot to two roundings, even if the
/// reciprocal of the pivot overflows. NaN if the pivot is infinite; not finite if it is zero.
template <class S>
struct PivotReciprocal {
  S scale, inverse;

  PivotReciprocal() = default;
  BATCHWORK_INLINE explicit PivotReciprocal(S const& pivot) {
    using T = scalar_t<S>;
    // Compared as whole numbers, which is faster.
    auto const key = size_key(pivot);
    using Key = std::remove_cvref_t<decltype(key)>;
    auto const small = size_key(T(4 * std::numeric_limits<T>::min())),
               infinite = size_key(std::numeric_limits<T>::infinity());
    scale = select(key < Key(small), S(up<T>), S(T(1)));
    inverse = select(key < Key(infinite), S(Vendor::reciprocal(S(pivot * scale))),
                     S(std::numeric_limits<T>::quiet_NaN()));
  }
  template <class X>
  friend BATCHWORK_INLINE auto operator*(PivotReciprocal const& p, X const& x) {
    return x * p.scale * p.inverse;
  }
  /// The scale of a pivot whose reciprocal overflows.
  template <class T>
  static constexpr T up =
      T(1) / (std::numeric_limits<T>::epsilon() * std::numeric_limits<T>::epsilon());
};
template <class R>
struct PivotReciprocal<Complex<R>> : ComplexReciprocal<R> {
  PivotReciprocal() = default;
  BATCHWORK_INLINE explicit PivotReciprocal(Complex<R> const& pivot)
      : ComplexReciprocal<R>(pivot) {}
};

/// The divisor for a pivot in an elimination; zero for a pivot of zero, where the whole column is
/// zero.
template <class S>
BATCHWORK_INLINE PivotReciprocal<S> pivot_divisor(S const& pivot) {
  PivotReciprocal<S> r(pivot);
  r.inverse = select(pivot == S(scalar_t<S>(0)), S(scalar_t<S>(0)), r.inverse);
  return r;
}
/// The scale of the real pivot with this pivot_key, for pivot_divisor. It is small for a large
/// pivot and the reverse, so that the scaled pivot is not far from one.
template <class T>
BATCHWORK_INLINE T scale_of_pivot(std::int32_t key) {
  constexpr T large = [] {
    if constexpr (sizeof(T) == 4) return 0x1p100f;
    else return 0x1p1000;
  }();
  return key < pivot_key(T(4 * std::numeric_limits<T>::min())) ? PivotReciprocal<T>::template up<T>
         : key > pivot_key(large)                              ? T(0x1p-64)
                                                               : T(1);
}
/// The same if the key of the pivot is known: by integers of 32 bits.
template <class T>
BATCHWORK_INLINE PivotReciprocal<T> pivot_divisor(T pivot, std::int32_t key) {
  PivotReciprocal<T> r;
  r.scale = scale_of_pivot<T>(key);
  T const inverse = Vendor::middle_reciprocal(pivot * r.scale);
  r.inverse = key < pivot_key(std::numeric_limits<T>::infinity())
                  ? key == 0 ? T(0) : inverse
                  : std::numeric_limits<T>::quiet_NaN();
  return r;
}
/// 0, or why pivot k cannot be divided by.
template <class S>
BATCHWORK_INLINE info_t<S> pivot_status(S const& pivot, int k) {
  auto const zero = pivot == S(scalar_t<S>(0));
  return select(is_finite(pivot), select(zero, make_info<S>(Reason::singular, k + 1), info_t<S>(0)),
                make_info<S>(Reason::not_finite, k + 1));
}

/// With derivatives: x / pivot is q = x / p and dq = (dx - q dp) / p. For a zero pivot q is zero
/// and dq is NaN, because it is not known.
template <class S, int N>
struct PivotReciprocal<Dual<S, N>> {
  PivotReciprocal<S> of_value;
  S d[N];

  PivotReciprocal() = default;
  BATCHWORK_INLINE PivotReciprocal(PivotReciprocal<S> const& of, Dual<S, N> const& pivot)
      : of_value(of) {
    BATCHWORK_UNROLL
    for (int k = 0; k < N; ++k) d[k] = pivot.d[k];
  }
  BATCHWORK_INLINE explicit PivotReciprocal(Dual<S, N> const& pivot)
      : PivotReciprocal(PivotReciprocal<S>(pivot.value), pivot) {}

  template <class X>
  friend BATCHWORK_INLINE auto operator*(PivotReciprocal const& p, X const& x) {
    using R = promote_t<S, std::remove_cvref_t<decltype(constant_of(x))>>;
    R const ratio = p.of_value * R(constant_of(x));
    return make_dual<R, N>(ratio, [&](int k) {
      if constexpr (is_dual<X>) return R(p.of_value * R(R(x.d[k]) - ratio * R(p.d[k])));
      else return R(p.of_value * R(-(ratio * R(p.d[k]))));
    });
  }
};
template <class S, int N>
BATCHWORK_INLINE PivotReciprocal<Dual<S, N>> pivot_divisor(Dual<S, N> const& pivot) {
  using T = scalar_t<S>;
  PivotReciprocal<Dual<S, N>> r(pivot_divisor(pivot.value), pivot);
  auto const zero = pivot.value == S(T(0));
  BATCHWORK_UNROLL
  for (int k = 0; k < N; ++k) r.d[k] = select(zero, S(std::numeric_limits<T>::quiet_NaN()), r.d[k]);
  return r;
}

/// The reciprocals of a unit diagonal.
struct UnitReciprocal {
  template <class X>
  friend BATCHWORK_INLINE X operator*(UnitReciprocal, X const& x) {
    return x;
  }
};

/// Replaces a by L and U of P a = L U: U on and above the diagonal, L below it, without its
/// diagonal of ones. Returns 0, or the status of the first pivot that is zero (Reason::singular;
/// LAPACK's info of getrf) or not finite. The elimination continues after a zero. (Golub and Van
/// Loan, Matrix Computations, 4th edition, algorithm 3.4.1, outer products.)
template <EliminatedRows Rows>
BATCHWORK_INLINE auto eliminate(Rows& a) {
  // choose_pivot shows u(k, j), j >= k; subtract: l(i, k) = a(i, k) / u(k, k), a(i, j) -= l(i, k)
  // u(k, j).
  if constexpr (requires { requires Rows::steps_in_parts; }) {
    unroll_in_parts<Rows::extent()>([&](int k) {
      a.choose_pivot(k);
      a.subtract(k);
    });
  } else if constexpr (requires { typename std::integral_constant<int, Rows::extent()>; }) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < Rows::extent(); ++k) {
      a.choose_pivot(k);
      a.subtract(k);
    }
  } else {
    for (int k = 0; k < a.extent(); ++k) {
      a.choose_pivot(k);
      a.subtract(k);
    }
  }
  a.finish();
  return a.status();
}

}  // namespace Batchwork::Impl

#endif
