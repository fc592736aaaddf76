// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// `LogSum<S>`: a sum of many logarithms, stored as a product with a separate exponent, so that one
/// logarithm at the end replaces one for each term.
#ifndef BATCHWORK_LOG_SUM_HPP
#define BATCHWORK_LOG_SUM_HPP

#include <cstdint>
#include <limits>

#include "tile/types/Batchwork_Scalar.hpp"

namespace Batchwork {

/// The number sum + weight * (log(product) + exponent log 2). As a carry of a scan it is loaded
/// from and stored as this number; see log_sum(view, weight). Adding a logarithm costs one
/// multiplication and a few integer operations; n of them have an absolute error of about n eps.
/// ```cpp
/// // in a step, with carry(log_sum(likelihood, -0.5)):
/// loglik.add_log(s);    // adds -0.5 log(s)
/// loglik -= 0.5 * e * e / s;
/// ```
/// \tparam S  the value type
template <class S>
struct LogSum {
  using value_type = S;  ///< the type of the number
  using T = scalar_t<S>;
  using integer = decltype(Impl::bits(S()));

  S sum;
  S product;
  integer exponent;
  T weight;        ///< the factor of every logarithm
  info_t<S> info;  ///< the status of the item

  LogSum() = default;
  /// The number `start`; logarithms are added with the weight w.
  BATCHWORK_INLINE LogSum(Scalar<S> const& start, T w)
      : sum(start.value), product(T(1)), exponent(0), weight(w), info(start.info) {}

  /// Adds weight * log(x) for a positive normal x, at least twice the smallest normal number. Any
  /// other x (zero, subnormal, negative, infinite, NaN) makes the value NaN permanently.
  template <class X>
  BATCHWORK_INLINE void add_log(X const& x) {
    using lane = Impl::integer_of_t<T>;
    constexpr int mantissa_bits = std::numeric_limits<T>::digits - 1;
    constexpr lane exponents = (lane(1) << (int(sizeof(T)) * 8 - 1 - mantissa_bits)) - 1;
    // The product is kept in [1/2, 1), so that no x makes it overflow.
    constexpr lane bias = std::numeric_limits<T>::max_exponent - 2;
    Scalar<S> const y(x);
    product *= y.value;
    info = Impl::first_failure(info, y.info);

    integer const pattern = Impl::bits(product);
    // With the sign bit on top, so that a negative product also lies above the exponents.
    integer const e = Impl::bit_and(Impl::shift_right(pattern, mantissa_bits),
                                    static_cast<lane>(2 * exponents + 1));
    auto const regular = (e != integer(0)) && (e < integer(exponents));
    integer const scaled =
        Impl::bit_or(Impl::bit_and(pattern, static_cast<lane>(~(exponents << mantissa_bits))),
                     static_cast<lane>(bias << mantissa_bits));
    product = Impl::select(regular, Impl::with_lanes_of(product, Impl::from_bits<T>(scaled)),
                           S(std::numeric_limits<T>::quiet_NaN()));
    exponent = exponent + Impl::select(regular, integer(e - integer(bias)), integer(0));
  }

  /// Adds a plain number or a scalar.
  template <class X>
  BATCHWORK_INLINE LogSum& operator+=(X const& x) {
    Scalar<S> const y(x);
    sum += y.value;
    info = Impl::first_failure(info, y.info);
    return *this;
  }
  /// Subtracts a plain number or a scalar.
  template <class X>
  BATCHWORK_INLINE LogSum& operator-=(X const& x) {
    Scalar<S> const y(x);
    sum -= y.value;
    info = Impl::first_failure(info, y.info);
    return *this;
  }

  /// The number it represents; costs one logarithm.
  BATCHWORK_INLINE Scalar<S> value() const {
    constexpr T log_two = T(0.69314718055994530942);
    return {sum + S(weight) * (Impl::log(product) + Impl::to_number<T>(exponent) * S(log_two)),
            info};
  }
};

template <class S>
struct Impl::TileTraits<LogSum<S>> : Impl::NoSpecialTile {
  static constexpr bool is_log_sum = true;
};

}  // namespace Batchwork

#endif
