// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Powers of two that bring the largest of some numbers near to one.
#ifndef BATCHWORK_DIRECTSCALING_HPP
#define BATCHWORK_DIRECTSCALING_HPP

#include <cstdint>
#include <limits>

#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_Lanes.hpp"

namespace Batchwork::Impl {

/// 2^-e where the largest of the numbers is from 1 to 2 times 2^e. `key` is its pivot_key;
/// as near to that as can be so that the factor and its inverse are normal. One for zeros, and
/// where the largest is not finite.
template <class T>
BATCHWORK_INLINE T scale_to_one(std::int32_t key) {
  using I = integer_of_t<T>;
  constexpr int digits = std::numeric_limits<T>::digits - 1,
                bias = std::numeric_limits<T>::max_exponent - 1,
                of_key = sizeof(T) == 8 ? 20 : digits;  // pivot_key has the upper half of a double
  int const e = key >> of_key;
  int const wanted = 2 * bias - (e < 1 ? 1 : e);
  return key == 0 || e > 2 * bias ? T(1) : from_bits<T>(I(wanted < 1 ? 1 : wanted) << digits);
}

/// The pivot_key of the largest of some numbers, as far as scale_to_one asks for it: its exponent,
/// and whether it is zero.
template <class T>
struct LargestExponent {
  std::int32_t most = 0;
  std::uint32_t rest = 0;  ///< the lower halves of doubles, all together

  BATCHWORK_INLINE void add(T x) {
    auto const all = size_key(x);
    std::int32_t upper;
    if constexpr (sizeof(T) == 8) {
      upper = static_cast<std::int32_t>(all >> 32);
      rest |= static_cast<std::uint32_t>(all);
    } else {
      upper = all;
    }
    most = upper > most ? upper : most;
  }
  BATCHWORK_INLINE std::int32_t key() const { return most == 0 && rest != 0 ? 1 : most; }
};

}  // namespace Batchwork::Impl

#endif
