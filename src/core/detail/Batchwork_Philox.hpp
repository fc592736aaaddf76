// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Philox4x32-10, the counter-based generator of random bits of Salmon, Moraes, Dror and Shaw,
/// "Parallel random numbers: as easy as 1, 2, 3", SC 2011: a bijection of 128 bits that a key of 64
/// bits selects. Here W of them side by side, one for each item of a pack.
#ifndef BATCHWORK_PHILOX_HPP
#define BATCHWORK_PHILOX_HPP

#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"

namespace Batchwork::Impl {

/// A key, as two words.
struct PhiloxKey {
  std::uint32_t low = 0, high = 0;
};

/// Four words for each of W items: counters, and after the rounds random bits.
template <int W>
struct PhiloxWords {
  alignas(W >= 4 ? 16 : 4) std::uint32_t w[4][W];
};

/// Replaces counters by random bits.
template <int W>
BATCHWORK_INLINE void philox(PhiloxWords<W>& x, PhiloxKey key) {
  constexpr std::uint64_t factor0 = 0xD2511F53, factor1 = 0xCD9E8D57;
  constexpr std::uint32_t weyl0 = 0x9E3779B9, weyl1 = 0xBB67AE85;
  BATCHWORK_UNROLL
  for (int round = 0; round < 10; ++round) {
    for (int l = 0; l < W; ++l) {
      std::uint64_t const p = factor0 * x.w[0][l], q = factor1 * x.w[2][l];
      x.w[0][l] = static_cast<std::uint32_t>(q >> 32) ^ x.w[1][l] ^ key.low;
      x.w[1][l] = static_cast<std::uint32_t>(q);
      x.w[2][l] = static_cast<std::uint32_t>(p >> 32) ^ x.w[3][l] ^ key.high;
      x.w[3][l] = static_cast<std::uint32_t>(p);
    }
    key.low += weyl0;
    key.high += weyl1;
  }
}

}  // namespace Batchwork::Impl

#endif
