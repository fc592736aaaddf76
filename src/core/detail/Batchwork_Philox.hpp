// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Philox4x32-10, the counter-based generator of random bits of Salmon, Moraes, Dror and Shaw,
/// "Parallel random numbers: as easy as 1, 2, 3", SC 2011: a bijection of 128 bits that a key of 64
/// bits selects. Here W of them side by side, one for each item of a pack.
#ifndef BATCHWORK_PHILOX_HPP
#define BATCHWORK_PHILOX_HPP

#include <cstdint>

#include "core/Batchwork_Pack.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_VectorMath.hpp"

namespace Batchwork::Impl {

/// A key, as two words.
struct PhiloxKey {
  std::uint32_t low = 0, high = 0;

  PhiloxKey() = default;
  BATCHWORK_INLINE explicit PhiloxKey(std::uint64_t seed)
      : low(static_cast<std::uint32_t>(seed)), high(static_cast<std::uint32_t>(seed >> 32)) {}
  /// The key of the next round.
  BATCHWORK_INLINE void bump() {
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  }
};

/// Four words for each of W items: counters, and after the rounds random bits.
template <int W>
struct PhiloxWords {
  alignas(W >= 4 ? 16 : 4) std::uint32_t w[4][W];
};

/// One round of the words c; wide(a) are the products of 64 bits, upper(p) the upper half of one.
template <class C, class K, class Wide, class Upper>
BATCHWORK_INLINE void philox_round(C& c0, C& c1, C& c2, C& c3, K const& low, K const& high,
                                   Wide const& wide, Upper const& upper) {
  auto const p = wide(c0, std::uint32_t(0xD2511F53)), q = wide(c2, std::uint32_t(0xCD9E8D57));
  c0 = upper(q) ^ c1 ^ low;
  c1 = C(q);
  c2 = upper(p) ^ c3 ^ high;
  c3 = C(p);
}

#if !defined(__CUDACC__)
/// The words in registers of a host: in the lower half of each number of 64 bits. The upper halves
/// have no meaning.
template <int W>
BATCHWORK_INLINE void philox_by_vectors(PhiloxWords<W>& x, PhiloxKey key) {
  constexpr int lanes = Vendor::simd_product_lanes, parts = W / lanes;
  using Vector = typename NativeVector<std::uint64_t, lanes>::type;
  using Words = typename NativeVector<std::uint32_t, lanes>::type;
  Vector c[4][parts];
  for (int k = 0; k < 4; ++k)
    for (int n = 0; n < parts; ++n) {
      Words words;
      __builtin_memcpy(&words, &x.w[k][n * lanes], sizeof(words));
      c[k][n] = __builtin_convertvector(words, Vector);
    }
  BATCHWORK_LOOP_ON_HOST
  for (int round = 0; round < 10; ++round, key.bump()) {
    Vector const low = Vector{} + std::uint64_t(key.low), high = Vector{} + std::uint64_t(key.high);
    BATCHWORK_UNROLL
    for (int n = 0; n < parts; ++n)
      philox_round(
          c[0][n], c[1][n], c[2][n], c[3][n], low, high,
          [](Vector const& a, std::uint32_t factor) {
            return Vendor::simd_products_of_halves(a, Vector{} + std::uint64_t(factor));
          },
          [](Vector const& p) { return p >> 32; });
  }
  for (int k = 0; k < 4; ++k)
    for (int n = 0; n < parts; ++n) {
      Words const words = __builtin_convertvector(c[k][n], Words);
      __builtin_memcpy(&x.w[k][n * lanes], &words, sizeof(words));
    }
}
#endif

/// Replaces counters by random bits.
template <int W>
BATCHWORK_INLINE void philox(PhiloxWords<W>& x, PhiloxKey key) {
#if !defined(__CUDACC__)
  if constexpr (constexpr int lanes = Vendor::simd_product_lanes; lanes > 0 && W >= 4) {
    if constexpr (W % lanes == 0) return philox_by_vectors(x, key);
  }
#endif
  BATCHWORK_LOOP_ON_HOST
  for (int round = 0; round < 10; ++round, key.bump())
    for (int l = 0; l < W; ++l)
      philox_round(
          x.w[0][l], x.w[1][l], x.w[2][l], x.w[3][l], key.low, key.high,
          [](std::uint32_t a, std::uint32_t factor) { return std::uint64_t(a) * factor; },
          [](std::uint64_t p) { return static_cast<std::uint32_t>(p >> 32); });
}

}  // namespace Batchwork::Impl

#endif
