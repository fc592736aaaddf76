// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Products of small matrices by all lanes of a warp, with the instructions of devices that have
/// them.
#ifndef BATCHWORK_MATRIX_INSTRUCTIONS_HPP
#define BATCHWORK_MATRIX_INSTRUCTIONS_HPP

#include <type_traits>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"

namespace Batchwork::Impl::Vendor {

/// Whether devices with this compute capability, times ten, multiply matrices of double fast
/// enough.
constexpr bool multiplies_doubles(int architecture) {
  return architecture == 800 || architecture == 900;
}
/// Whether a warp multiplies matrices of T by instructions that round like multiply-adds: in double
/// on devices with compute capability 8.0 and 9.0; on others they are slow or missing.
template <class T>
inline constexpr bool has_mma =
#if defined(BATCHWORK_VENDOR_CUDA)
    multiplies_doubles(__CUDA_ARCH__) && std::is_same_v<T, double>;
#else
    false;
#endif

/// The same, and in tests with threads for lanes.
template <class T>
inline constexpr bool multiplies_by_warps =
#if defined(BATCHWORK_VENDOR_THREADS)
    std::is_same_v<T, double>;
#else
    has_mma<T>;
#endif

/// Whether the results of such products stay in registers as the factors of the next ones. The
/// layout of tiles and of staged data depends on it, so all passes of a compiler must agree: it is
/// true if every compiled architecture has the instructions. Tests run it with threads as lanes.
template <class T>
inline constexpr bool chains_matrices = [] {
#if defined(BATCHWORK_THREADS_AS_LANES)
  return has_shuffles && std::is_same_v<T, double>;
#elif !defined(BATCHWORK_DISABLE_VENDOR) && defined(__CUDACC__) && defined(__CUDA_ARCH_LIST__)
  for (int const architecture : {__CUDA_ARCH_LIST__})
    if (!multiplies_doubles(architecture)) return false;
  return std::is_same_v<T, double>;
#else
      return false;
#endif
}();

/// c += a b for an 8 x 4 and a 4 x 8 matrix, by all lanes of a warp: lane l holds a(l / 4, l % 4),
/// b(l % 4, l / 4) and c(l / 4, 2 (l % 4)) with its right neighbour (PTX ISA, mma.m8n8k4 with f64).
BATCHWORK_INLINE void mma([[maybe_unused]] double (&c)[2], [[maybe_unused]] double a,
                          [[maybe_unused]] double b) {
#if defined(BATCHWORK_VENDOR_CUDA) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900)
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(c[0]), "+d"(c[1])
               : "d"(a), "d"(b));
#elif defined(BATCHWORK_THREADS_AS_LANES)
  int const lane = ThreadAsLane::rank() % 32, row = lane / 4, col = lane % 4;
  for (int k = 0; k < 4; ++k) {
    double const left = shuffle<32>(a, 4 * row + k);
    for (int j = 0; j < 2; ++j) c[j] += left * shuffle<32>(b, 4 * (2 * col + j) + k);
  }
#endif
}
/// There are none for other numbers.
template <class T>
BATCHWORK_INLINE void mma(T (&)[2], T, T) {}

/// The number of blocks of 8 rows, one below the other, that a warp multiplies at once: a device of
/// compute capability 9.0 needs it for its full rate.
inline constexpr int blocks_at_once =
#if defined(BATCHWORK_VENDOR_CUDA) && __CUDA_ARCH__ == 900
    2;
#else
    1;
#endif

/// The same for several such blocks of a and c (PTX ISA, mma.m16n8k4 with f64).
template <class T, int Blocks>
BATCHWORK_INLINE void mma([[maybe_unused]] T (&c)[Blocks][2], [[maybe_unused]] T const (&a)[Blocks],
                          [[maybe_unused]] T b) {
  static_assert(Blocks == blocks_at_once);
  if constexpr (Blocks == 1) {
    mma(c[0], a[0], b);
  } else {
#if defined(BATCHWORK_VENDOR_CUDA) && __CUDA_ARCH__ == 900
    asm volatile(
        "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+d"(c[0][0]), "+d"(c[0][1]), "+d"(c[1][0]), "+d"(c[1][1])
        : "d"(a[0]), "d"(a[1]), "d"(b));
#endif
  }
}

/// The number of groups of four terms that it adds at once: fewer instructions for the same
/// products.
inline constexpr int fours_at_once = blocks_at_once;

/// The same for two groups of four terms: a[f] and b[f] are terms 4 f and the following ones (PTX
/// ISA, mma.m16n8k8 with f64).
template <class T, int Blocks, int Fours>
BATCHWORK_INLINE void mma(T (&c)[Blocks][2], T const (&a)[Fours][Blocks], T const (&b)[Fours]) {
  static_assert(Blocks == blocks_at_once && Fours == fours_at_once);
  if constexpr (Fours == 1) {
    mma(c, a[0], b[0]);
  } else {
#if defined(BATCHWORK_VENDOR_CUDA) && __CUDA_ARCH__ == 900
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+d"(c[0][0]), "+d"(c[0][1]), "+d"(c[1][0]), "+d"(c[1][1])
        : "d"(a[0][0]), "d"(a[0][1]), "d"(a[1][0]), "d"(a[1][1]), "d"(b[0]), "d"(b[1]));
#endif
  }
}

}  // namespace Batchwork::Impl::Vendor

#endif
