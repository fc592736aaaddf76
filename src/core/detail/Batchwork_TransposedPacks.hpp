// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// W packs of W numbers as a matrix, transposed in registers: items stored one after the other
/// become packs, and the reverse.
#ifndef BATCHWORK_TRANSPOSEDPACKS_HPP
#define BATCHWORK_TRANSPOSEDPACKS_HPP

#include <cstddef>
#include <utility>

#include "core/Batchwork_Pack.hpp"

namespace Batchwork::Impl {

/// Whether packs are vectors of the compiler, to which its shuffles apply.
template <class S>
inline constexpr bool packs_are_shuffled = false;
#if !defined(__CUDACC__)
template <class T, int W>
inline constexpr bool packs_are_shuffled<Pack<T, W>> = W > 1;

/// Exchanges blocks of D numbers between two rows whose indices differ by D.
template <int D, class V, std::size_t... L>
BATCHWORK_INLINE void exchange_blocks(V& a, V& b, std::index_sequence<L...>) {
  constexpr std::size_t W = sizeof...(L);
#if defined(__clang__)
  V const x = __builtin_shufflevector(a, b, int((L & D) == 0 ? L : W + L - D)...);
  V const y = __builtin_shufflevector(a, b, int((L & D) == 0 ? L + D : W + L)...);
#else
  typename NativeVector<integer_of_t<std::remove_cvref_t<decltype(a[0])>>, int(W)>::type const
      first = {((L & D) == 0 ? L : W + L - D)...},
      second = {((L & D) == 0 ? L + D : W + L)...};
  V const x = __builtin_shuffle(a, b, first), y = __builtin_shuffle(a, b, second);
#endif
  a = x;
  b = y;
}
/// Lane l of row m becomes lane m of row l. By log2 W rounds of exchanges between rows at a
/// distance.
template <int D = 1, class T, int W>
BATCHWORK_INLINE void transpose_packs(Pack<T, W> (&row)[W]) {
  if constexpr (D < W) {
    BATCHWORK_UNROLL
    for (int m = 0; m < W; ++m) {
      if ((m & D) == 0)
        exchange_blocks<D>(row[m].v, row[m + D].v, std::make_index_sequence<std::size_t(W)>());
    }
    transpose_packs<2 * D>(row);
  }
}
#endif

}  // namespace Batchwork::Impl

#endif
