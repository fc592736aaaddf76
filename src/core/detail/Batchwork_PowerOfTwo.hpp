// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Powers of two that scale numbers before they are squared.
#ifndef BATCHWORK_POWEROFTWO_HPP
#define BATCHWORK_POWEROFTWO_HPP

#include <limits>
#include <type_traits>

// The functions below call select and bits, which must be declared for all types of numbers.
#include "core/Batchwork_Distributed.hpp"
#include "core/Batchwork_Value.hpp"

namespace Batchwork::Impl {

/// 2^n. Never a loop at run time, also where the compiler does not optimise.
template <class T>
consteval T power_of_two(int n) {
  T x = 1;
  for (int i = 0; i < (n < 0 ? -n : n); ++i) x *= n < 0 ? T(0.5) : T(2);
  return x;
}

/// A power of two that scales numbers up to `largest` so that the squares of all relevant ones are
/// normal numbers; and its reciprocal.
template <class S>
struct SafeScale {
  using T = scalar_t<S>;
  S down, up;

  BATCHWORK_INLINE explicit SafeScale(S const& largest) {
    constexpr bool narrow = sizeof(T) == 4;
    auto const large = largest > S(power_of_two<T>(narrow ? 60 : 500)),
               small = largest < S(power_of_two<T>(narrow ? -30 : -300));
    constexpr int of_large = narrow ? 70 : 600, of_small = narrow ? 90 : 800;
    down = select(large, S(power_of_two<T>(-of_large)),
                  select(small, S(power_of_two<T>(of_small)), S(T(1))));
    up = select(large, S(power_of_two<T>(of_large)),
                select(small, S(power_of_two<T>(-of_small)), S(T(1))));
  }
};

/// Powers of two that scale a positive number to between 4 and 8, x * first * second, and back.
/// Zero and numbers that are not finite stay unchanged.
template <class S>
struct UnitScale {
  using T = scalar_t<S>;
  S first, second, first_back, second_back;

  BATCHWORK_INLINE explicit UnitScale(S const& x) {
    using Limits = std::numeric_limits<T>;
    using Integer = integer_of_t<T>;
    constexpr bool narrow = sizeof(T) == 4;
    constexpr int up = narrow ? 90 : 600, mantissa = Limits::digits - 1;
    constexpr Integer bias = Limits::max_exponent - 1, one = Integer(1) << mantissa;
    constexpr Integer exponents = (2 * bias + 1) << mantissa;
    auto const small = x < S(power_of_two<T>(narrow ? -60 : -500));
    first = select(small, S(power_of_two<T>(up)), S(T(1)));
    first_back = select(small, S(power_of_two<T>(-up)), S(T(1)));
    S const normal = select(x > S(T(0)) && x <= S(Limits::max()), S(x * first), S(T(4)));
    auto const e = bit_and(bits(normal), exponents);
    using Bits = std::remove_cvref_t<decltype(e)>;
    second = from_bits<T>(Bits(Bits(Bits(Integer(2 * bias * one)) - e) + Bits(Integer(2 * one))));
    second_back = from_bits<T>(Bits(e - Bits(Integer(2) * one)));
  }
  /// e with first_back * second_back = 2^e; zero for numbers between 4 and 8.
  BATCHWORK_INLINE auto exponent() const {
    using Integer = integer_of_t<T>;
    constexpr int mantissa = std::numeric_limits<T>::digits - 1;
    constexpr Integer bias = std::numeric_limits<T>::max_exponent - 1;
    auto const e = [](S const& power) { return shift_right(bits(power), mantissa); };
    using Bits = std::remove_cvref_t<decltype(e(first_back))>;
    return Bits(e(first_back) + e(second_back) - Bits(Integer(2 * bias)));
  }
};

}  // namespace Batchwork::Impl

#endif
