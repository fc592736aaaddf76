// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A generator of random numbers that computes number by number from the documented address,
/// without the library's code.
#ifndef BATCHWORK_TEST_RANDOMREFERENCE_HPP
#define BATCHWORK_TEST_RANDOMREFERENCE_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace Batchwork::Test {

using Words = std::array<std::uint32_t, 4>;

/// Philox4x32-10 as in the paper, without the library's code.
inline Words philox_of_paper(Words c, std::uint32_t k0, std::uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    std::uint64_t const p = 0xD2511F53ull * c[0], q = 0xCD9E8D57ull * c[2];
    c = {std::uint32_t(q >> 32) ^ c[1] ^ k0, std::uint32_t(q), std::uint32_t(p >> 32) ^ c[3] ^ k1,
         std::uint32_t(p)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

/// The numbers of an item in a step.
struct Expected {
  std::uint64_t seed;
  std::uint32_t stream;
  std::uint64_t item;
  std::uint32_t step = 0;

  Words again(Words const& c) const {
    return philox_of_paper(c, std::uint32_t(seed), std::uint32_t(seed >> 32));
  }
  Words block(std::uint32_t b) const {
    return again({b | std::uint32_t(item >> 32 << 24), std::uint32_t(item), step, stream});
  }
  template <class T>
  static constexpr int per = 16 / int(sizeof(T));

  /// Number n of a call whose first block is b.
  template <class T>
  T uniform(std::uint32_t b, int n) const {
    Words const w = block(b + std::uint32_t(n / per<T>));
    int const k = n % per<T>;
    if constexpr (sizeof(T) == 4) return T(std::ldexp(double(w[std::size_t(k)] >> 8), -24));
    std::size_t const at = std::size_t(2 * k);
    return T(std::ldexp(double((std::uint64_t(w[at]) << 21 & ~((1ull << 26) - 1)) | w[at + 1] >> 6),
                        -53));
  }
  /// The number in long double, and the radius, to which its error is proportional.
  struct Normal {
    long double value, radius;
  };
  template <class T>
  Normal normal(std::uint32_t b, int n) const {
    Words const w = block(b + std::uint32_t(n / per<T>));
    int const k = n % per<T>;
    constexpr long double quarter = 1.57079632679489661923132169163975144L;
    T u;
    long double turn;
    if constexpr (sizeof(T) == 4) {
      std::size_t const at = std::size_t(k / 2 * 2);
      u = T(std::ldexp(double(w[at]) + 1, -32));  // rounded once
      turn = std::ldexp((long double)(std::int32_t(w[at + 1] << 2)), -32) + (w[at + 1] >> 30);
    } else {
      u = T(std::ldexp((long double)((std::uint64_t(w[0] >> 5) << 26 | w[1] >> 6) + 1), -53));
      turn = std::ldexp((long double)(std::int32_t(w[2] << 2)), -32) +
             std::ldexp((long double)(w[3] >> 11), -51) + (w[2] >> 30);
    }
    long double const radius = std::sqrt(-2 * std::log((long double)(u)));
    return {radius * (k % 2 == 0 ? std::cos(quarter * turn) : std::sin(quarter * turn)), radius};
  }
  template <class I>
  I integer(std::uint32_t b, int n, I range) const {
    Words w = block(b + std::uint32_t(n / per<I>));
    std::size_t const k = std::size_t(n % per<I>);
    using Wide = unsigned __int128;
    constexpr int bits = 8 * sizeof(I);
    for (;;) {
      Wide x = w[k];
      if constexpr (bits == 64) x = Wide(w[2 * k]) << 32 | w[2 * k + 1];
      Wide const all = Wide(1) << bits, least = all % Wide(range), p = x * Wide(range);
      if (p % all >= least) return I(p / all);
      w = again(w);
    }
  }
};

}  // namespace Batchwork::Test

#endif
