// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The address of a random number, and numbers from the bits at it.
///
/// A block is 128 random bits: 4 floats, 2 doubles, 4 or 2 integers. Its counter is
///
///   word 0  block of the item and step (24 bits), and above it bits 32 to 39 of the item
///   word 1  bits 0 to 31 of the item
///   word 2  step of a scan
///   word 3  stream
///
/// and its key is the seed. So no two blocks of a seed share a counter.
#ifndef BATCHWORK_RANDOMBLOCK_HPP
#define BATCHWORK_RANDOMBLOCK_HPP

#include <cstdint>
#include <type_traits>

#include "core/Batchwork_Distributed.hpp"
#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_Philox.hpp"

namespace Batchwork::Impl {

/// Bits of the number of a block and of an item.
inline constexpr int block_bits = 24, item_bits = 40;

/// Numbers of type T in one block.
template <class T>
inline constexpr int numbers_in_block = 16 / int(sizeof(T));

/// The counters of the next blocks of W items.
template <int W>
struct RandomCounter {
  std::uint32_t block[W];  ///< of the item and step
  std::uint32_t item_low[W], item_high[W];
  std::uint32_t step[W];
  std::uint32_t stream;
  PhiloxKey key;

  BATCHWORK_INLINE void set_item(int l, std::int64_t item) {
    item_low[l] = static_cast<std::uint32_t>(item);
    item_high[l] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(item) >> 32 << block_bits);
  }
  BATCHWORK_INLINE void set_step(int l, std::int64_t t) {
    step[l] = static_cast<std::uint32_t>(t);
    block[l] = 0;
  }
  /// The bits of the block that is `ahead` blocks from the next.
  BATCHWORK_INLINE PhiloxWords<W> bits(std::uint32_t ahead) const {
    PhiloxWords<W> x;
    for (int l = 0; l < W; ++l) {
      x.w[0][l] = ((block[l] + ahead) & ((1u << block_bits) - 1)) | item_high[l];
      x.w[1][l] = item_low[l];
      x.w[2][l] = step[l];
      x.w[3][l] = stream;
    }
    philox(x, key);
    return x;
  }
};

/// V, a number or a pack, with f(l) in its lanes.
template <class V, class F>
BATCHWORK_INLINE V value_of_lanes(F const& f) {
  if constexpr (Number<V>) {
    return f(0);
  } else {
    scalar_t<V> lanes[V::width];
    for (int l = 0; l < V::width; ++l) lanes[l] = f(l);
    return V::load(lanes);
  }
}

/// The numbers of one block in [0, 1): the multiples of 2^-24 in float, of 2^-53 in double.
template <class V, int W>
BATCHWORK_INLINE void uniform_numbers(PhiloxWords<W> const& x,
                                      V (&r)[numbers_in_block<scalar_t<V>>]) {
  using T = scalar_t<V>;
  BATCHWORK_UNROLL
  for (int k = 0; k < numbers_in_block<T>; ++k) {
    // Converted as signed numbers, for which all processors have an instruction.
    if constexpr (sizeof(T) == 4) {
      r[k] = value_of_lanes<V>(
          [&](int l) { return T(static_cast<std::int32_t>(x.w[k][l] >> 8)) * T(0x1p-24); });
    } else {
      r[k] = value_of_lanes<V>([&](int l) {
        return (T(static_cast<std::int32_t>(x.w[2 * k][l] >> 5)) * T(0x1p26) +
                T(static_cast<std::int32_t>(x.w[2 * k + 1][l] >> 6))) *
               T(0x1p-53);
      });
    }
  }
}

/// sin(t) and cos(t) for |t| <= pi/4 by their Taylor series, to the rounding of T.
template <class V>
BATCHWORK_INLINE void sin_cos_of_eighth(V const& t, V& sine, V& cosine) {
  using T = scalar_t<V>;
  constexpr int terms = sizeof(T) == 4 ? 5 : 8;
  V const z = t * t;
  V s(T(1)), c(T(1));
  // Horner's rule, whose last terms are x^(2 terms + 1) and x^(2 terms).
  BATCHWORK_UNROLL
  for (int n = terms; n > 0; --n) {
    s = V(T(1)) - z * V(T(1) / T(2 * n * (2 * n + 1))) * s;
    c = V(T(1)) - z * V(T(1) / T(2 * n * (2 * n - 1))) * c;
  }
  sine = t * s;
  cosine = c;
}

/// 1, or -1 where the highest bit is set.
template <class T>
BATCHWORK_INLINE T one_with_sign(std::uint32_t bits) {
  std::uint32_t const sign = bits & 0x80000000;
  if constexpr (sizeof(T) == 4) return Kokkos::bit_cast<T>(0x3F800000 | sign);
  else return Kokkos::bit_cast<T>(std::uint64_t(0x3FF00000 | sign) << 32);
}

/// The numbers of one block with the standard normal distribution, by Box and Muller (1958): two
/// from a radius and an angle. The angle is reduced to an eighth of a turn as an integer.
template <class V, int W>
BATCHWORK_INLINE void normal_numbers(PhiloxWords<W> const& x,
                                     V (&r)[numbers_in_block<scalar_t<V>>]) {
  using T = scalar_t<V>;
  constexpr int words = sizeof(T) == 4 ? 1 : 2;
  BATCHWORK_UNROLL
  for (int k = 0; k < numbers_in_block<T>; k += 2) {
    auto const& a = x.w[k * words];              // the radius
    auto const& angle = x.w[k * words + words];  // the angle
    auto const& b = x.w[k * words + words - 1];  // less significant bits, in double
    auto const& low = x.w[k * words + 2 * words - 1];
    // In (0, 1]: down to 2^-32 in float, to 2^-53 in double.
    V const u = value_of_lanes<V>([&](int l) {
      if constexpr (words == 1)
        return T(static_cast<std::int32_t>(a[l] >> 8)) * T(0x1p-24) +
               T(static_cast<std::int32_t>(a[l] & 255) + 1) * T(0x1p-32);
      else
        return (T(static_cast<std::int32_t>(a[l] >> 5)) * T(0x1p26) +
                T(static_cast<std::int32_t>(b[l] >> 6) + 1)) *
               T(0x1p-53);
    });
    V const radius = sqrt(V(T(-2)) * log(u));
    // Two bits are the quarter of the turn, the others the angle from its middle.
    constexpr T half_pi = T(1.57079632679489661923);
    V const t = value_of_lanes<V>([&](int l) {
      T const upper = T(static_cast<std::int32_t>(angle[l] << 2)) * T(half_pi * 0x1p-32);
      if constexpr (words == 1) return upper;
      else return upper + T(static_cast<std::int32_t>(low[l] >> 11)) * T(half_pi * 0x1p-51);
    });
    V sine, cosine;
    sin_cos_of_eighth(t, sine, cosine);
    // The cosine is negative in the second and third quarter, the sine in the third and fourth; in
    // the second and fourth they change places.
    auto const signs = [&](std::uint32_t turn, int shift) {
      return value_of_lanes<V>([&](int l) { return one_with_sign<T>((angle[l] + turn) << shift); });
    };
    V const sign_of_cosine = signs(1u << 30, 0), sign_of_sine = signs(0, 0);
    auto const is_turned = signs(0, 1) < V(T(0));
    r[k] = radius * sign_of_cosine * select(is_turned, sine, cosine);
    r[k + 1] = radius * sign_of_sine * select(is_turned, cosine, sine);
  }
}

/// The upper half of the product of two numbers of 64 bits.
BATCHWORK_INLINE std::uint64_t upper_product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t half = 0xFFFFFFFF;
  std::uint64_t const a0 = a & half, a1 = a >> 32, b0 = b & half, b1 = b >> 32;
  std::uint64_t const middle = a1 * b0 + (a0 * b0 >> 32);
  return a1 * b1 + (middle >> 32) + (((middle & half) + a0 * b1) >> 32);
}

/// The integers of one block in 0 .. n - 1, each with the same probability: Lemire, "Fast random
/// integer generation in an interval", ACM TOMACS 29 (2019). A rejected number is replaced by the
/// number in the same place of the next attempt. The generator makes its bits from the bits of the
/// attempt before. n > 0 for each item.
template <class V, int W>
BATCHWORK_INLINE void integer_numbers(PhiloxWords<W> x, PhiloxKey const& key, V const& n,
                                      V (&r)[numbers_in_block<scalar_t<V>>]) {
  using I = scalar_t<V>;
  using U = std::make_unsigned_t<I>;
  constexpr int count = numbers_in_block<I>;
  U upper[count][W], lower[count][W];
  auto const multiply = [&](int k, int l) {
    U const range = static_cast<U>(entry_of_pack(n, l));
    if constexpr (sizeof(I) == 4) {
      std::uint64_t const p = std::uint64_t(x.w[k][l]) * range;
      upper[k][l] = static_cast<U>(p >> 32);
      lower[k][l] = static_cast<U>(p);
    } else {
      std::uint64_t const bits = std::uint64_t(x.w[2 * k][l]) << 32 | x.w[2 * k + 1][l];
      upper[k][l] = upper_product(bits, range);
      lower[k][l] = bits * range;
    }
  };
  bool suspect = false;
  BATCHWORK_UNROLL
  for (int k = 0; k < count; ++k)
    for (int l = 0; l < W; ++l) {
      multiply(k, l);
      suspect = suspect || lower[k][l] < static_cast<U>(entry_of_pack(n, l));
    }
  while (suspect) {
    philox(x, key);
    suspect = false;
    BATCHWORK_UNROLL
    for (int k = 0; k < count; ++k)
      for (int l = 0; l < W; ++l) {
        U const range = static_cast<U>(entry_of_pack(n, l)), least = (U(0) - range) % range;
        if (lower[k][l] < least) {
          multiply(k, l);
          suspect = suspect || lower[k][l] < least;
        }
      }
  }
  BATCHWORK_UNROLL
  for (int k = 0; k < count; ++k)
    r[k] = value_of_lanes<V>([&](int l) { return static_cast<I>(upper[k][l]); });
}

}  // namespace Batchwork::Impl

#endif
