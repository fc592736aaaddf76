// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ScaledProduct<S>: a product of many numbers, such as a determinant, whose partial products may
/// exceed the range of the type.
#ifndef BATCHWORK_SCALEDPRODUCT_HPP
#define BATCHWORK_SCALEDPRODUCT_HPP

#include <limits>
#include <type_traits>

#include "core/Batchwork_Complex.hpp"
#include "core/detail/Batchwork_PowerOfTwo.hpp"

namespace Batchwork::Impl {

/// The product is factor * 2^exponent. The power of two of each number is separated, so that the
/// error is that of the multiplications alone, whatever the size of partial products. About 15
/// operations for each number. As LINPACK's gedi, in powers of two.
template <class S>
struct ScaledProduct {
  using R = real_t<S>;
  using T = scalar_t<S>;
  using Integer = std::remove_cvref_t<decltype(bits(R()))>;
  using Limits = std::numeric_limits<T>;
  /// The number of multiplications allowed between two calls of normalise().
  static constexpr int between = 32;

  S factor;
  Integer exponent{0};

  /// \param start  of size one
  BATCHWORK_INLINE explicit ScaledProduct(S const& start) : factor(start) {}

  BATCHWORK_INLINE void multiply(S const& x) {
    UnitScale<R> const unit(largest_part(x));
    factor = factor * quarter(x, unit);
    exponent = exponent + unit.exponent() + Integer(2);
  }
  /// The value is unchanged; only its division into factor and exponent changes.
  BATCHWORK_INLINE void normalise() {
    UnitScale<R> const unit(largest_part(factor));
    factor = quarter(factor, unit);
    exponent = exponent + unit.exponent() + Integer(2);
  }
  /// One more rounding if the product is subnormal; infinite if it is too large.
  BATCHWORK_INLINE S value() const {
    using I = integer_of_t<T>;
    constexpr int mantissa = Limits::digits - 1;
    constexpr I bias = Limits::max_exponent - 1, one = I(1) << mantissa;
    // Two powers, each a normal number, as is the first product.
    Integer const least(I(2)), most(I(4 * bias)), sum = exponent + Integer(I(2 * bias));
    Integer const both = select(sum < least, least, select(sum > most, most, sum));
    Integer const half = shift_right(both, 1);
    auto const power = [&](Integer const& e) {
      return with_lanes_of(real(factor), from_bits<T>(Integer(e * Integer(one))));
    };
    return factor * power(half) * power(Integer(both - half));
  }
  /// log |product|; minus infinity of zero.
  BATCHWORK_INLINE R log_size() const {
    constexpr T log_two = T(0.69314718055994530942);
    return log(R(abs(factor))) + with_lanes_of(real(factor), to_number<T>(exponent)) * R(log_two);
  }
  /// product / |product|: 1 or -1 for real numbers, zero for zero, NaN for NaN.
  BATCHWORK_INLINE S sign() const {
    S const zero(T(0));
    if constexpr (is_complex<S>) {
      return select(factor == zero, zero, S(factor / abs(factor)));
    } else {
      S const one(T(1));
      return select(factor > zero, one, select(factor < zero, S(-one), factor));
    }
  }

 private:
  /// x brought between 1 and 2.
  static BATCHWORK_INLINE S quarter(S const& x, UnitScale<R> const& unit) {
    return x * unit.first * R(unit.second * R(T(0.25)));
  }
};

/// The product of start, which has size one, and of(0) to of(N - 1).
template <int N, class S, class Of>
BATCHWORK_INLINE ScaledProduct<S> scaled_product(S const& start, Of const& of) {
  ScaledProduct<S> r(start);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    r.multiply(of(i));
    if (i % r.between == r.between - 1) r.normalise();
  }
  return r;
}
/// The value of the product. Packs are multiplied directly, unless a partial product leaves the
/// range of numbers: one that is too large stays so, one that is too small is found at once, and an
/// overflow of the last product is an overflow of the value.
template <int N, class S, class Of>
BATCHWORK_INLINE S product_of(S const& start, Of const& of) {
  if constexpr (are_packs<S> && !is_complex<S>) {
    constexpr scalar_t<S> least = std::numeric_limits<scalar_t<S>>::min();
    S plain = start * of(0);
    mask_t<S> in_range(true);
    for (int i = 1; i < N; ++i) {
      plain = plain * of(i);
      if (i + 1 < N) in_range = in_range && abs(plain) >= S(least);
    }
    if (N <= 2 || all(in_range && is_finite(plain))) return plain;
    return select(in_range && is_finite(plain), plain, scaled_product<N>(start, of).value());
  } else {
    return scaled_product<N>(start, of).value();
  }
}
/// The status of a result: Reason::not_finite with info 0 if it is not finite.
template <class S>
BATCHWORK_INLINE info_t<S> status_of_result(S const& x) {
  return select(is_finite(x), info_t<S>(0), make_info<S>(Reason::not_finite, 0));
}

}  // namespace Batchwork::Impl

#endif
