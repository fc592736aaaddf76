// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Exponents of numbers and powers of two, for factors that scale without rounding.
#ifndef BATCHWORK_EXPONENTS_HPP
#define BATCHWORK_EXPONENTS_HPP

#include <cstdint>
#include <limits>

#include "core/detail/Batchwork_Lanes.hpp"

namespace Batchwork::Impl {

/// Exponents of T, which are whole numbers held as T: so packs have them too.
template <class T>
struct Exponents {
  using I = integer_of_t<T>;
  static constexpr int digits = std::numeric_limits<T>::digits - 1;  ///< stored ones
  static constexpr int bias = std::numeric_limits<T>::max_exponent - 1;
  /// Of a factor: its inverse is a normal number as well.
  static constexpr T most = T(bias - 1);

  static constexpr T infinite() { return std::numeric_limits<T>::infinity(); }

  /// e where |x| is from 3/4 to 3/2 of 2^e; minus infinity for zero and what is not finite.
  template <class S>
  static BATCHWORK_INLINE S of(S const& x) {
    S const size = abs(x);
    auto const counts = size > S(T(0)) && size < S(infinite());
    auto const subnormal = size < S(std::numeric_limits<T>::min());
    constexpr T lift = T(std::int64_t(1) << (digits + 1));
    S const normal = select(counts, select(subnormal, size * S(lift), size), S(T(1)));
    // Half of the last exponent added to the bits goes over into the exponent from 3/2 on.
    S const e = to_number<T>(shift_right(bits(normal) + (I(1) << (digits - 1)), digits)) -
                select(subnormal, S(T(bias + digits + 1)), S(T(bias)));
    return select(counts, e, S(-infinite()));
  }
  /// 2^e for |e| up to most.
  static BATCHWORK_INLINE T power(T e) {
    return from_bits<T>(static_cast<I>(static_cast<I>(e) + bias) << digits);
  }
  template <int W>
  static BATCHWORK_INLINE Pack<T, W> power(Pack<T, W> const& e) {
    Pack<T, W> r;
    for (int l = 0; l < W; ++l) r.set_lane(l, power(e.lane(l)));
    return r;
  }
  /// The nearest whole number, below half of what T counts: added to this one nothing behind the
  /// point is left.
  template <class S>
  static BATCHWORK_INLINE S nearest(S const& x) {
    constexpr T big = T(3) * T(std::int64_t(1) << (digits - 1));
    return (x + S(big)) - S(big);
  }
  /// e - trunc(t / 2), kept within `most`. Towards zero, so that what is near to one stays where it
  /// is.
  template <class S>
  static BATCHWORK_INLINE S less_half(S const& e, S const& t) {
    S const half = nearest(abs(t) * S(T(0.5)) - S(T(0.25)));
    return within_most(e - select(t < S(T(0)), -half, half));
  }
  template <class S>
  static BATCHWORK_INLINE S within_most(S const& e) {
    S const low = select(e < S(-most), S(-most), e);
    return select(low > S(most), S(most), low);
  }
};

}  // namespace Batchwork::Impl

#endif
