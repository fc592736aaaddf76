// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Products of tiles that are spread over the lanes of an item, by the matrix instructions of a device: a whole warp
/// multiplies for one of its items after the other, and each lane takes its own lines of the result from the exchange. A
/// number that is read from scratch feeds as many multiply-adds as a block of 8 x 8 results has rows, instead of as many
/// as a lane has lines.
#ifndef BATCHWORK_LINES_BY_MATRIX_HPP
#define BATCHWORK_LINES_BY_MATRIX_HPP

#include "tile/Batchwork_Lines.hpp"

namespace Batchwork::Impl {

/// Whether a product of M x K by K x N numbers is worth it: blocks that are mostly full.
template <class T>
constexpr bool by_matrix_instructions(int M, int N, int K) {
  return Vendor::multiplies_matrices<T> && M > 16 && N > 16 && K > 8;
}

/// acc = a b for a lane's own lines of a and acc, a's in the exchange (number k of line l at A::index(l, k)), b's entries as
/// b.at(k, j, offset), offset leading to the exchange of another item if b is one of the item's tiles. On return nobody reads
/// from the exchange any more. Half: as in lines_block.
template <int Count, int N, int K, int Half, bool BOfItem, class S, class A, class B, class T>
BATCHWORK_INLINE void lines_by_matrix(T (&acc)[(Count + S::lanes - 1) / S::lanes * N], B const& b,
                                      LaneGrid const& grid) {
  using Ex = typename S::exchange;
  constexpr int L = S::lanes, down = (Count + 7) / 8, across = (N + 7) / 8;
  int const lane = Vendor::rank_in_warp(), row = lane / 4, col = lane % 4, place = lane / L;
  T* const base = grid.template numbers<T>();
  BATCHWORK_KEEP_LOOP
  for (int g = 0; g < 32 / L; ++g) {
    int const offset = (g - place) * Ex::stride;
    T* const own = base + offset;
    T c[down][across][2] = {};
    BATCHWORK_KEEP_LOOP
    for (int k0 = 0; k0 < K; k0 += 4) {
      int const k = k0 + col;
      bool const there = K % 4 == 0 || k < K;
      T x[down], y[across];
      BATCHWORK_UNROLL
      for (int i = 0; i < down; ++i) {
        int const l = Count % 8 == 0 || i * 8 + row < Count ? i * 8 + row : Count - 1;
        x[i] = there ? own[A::index(l, k)] : T(0);
      }
      BATCHWORK_UNROLL
      for (int j = 0; j < across; ++j) {
        int const n = N % 8 == 0 || j * 8 + row < N ? j * 8 + row : N - 1;
        y[j] = there ? b.at(k, n, BOfItem ? offset : 0) : T(0);
      }
      BATCHWORK_UNROLL
      for (int i = 0; i < down; ++i) {
        BATCHWORK_UNROLL
        for (int j = 0; j < across; ++j)
          if (Half == 0 || j <= i) Vendor::multiply_matrices(c[i][j], x[i], y[j]);
      }
    }
    grid.sync();
    BATCHWORK_UNROLL
    for (int i = 0; i < down; ++i) {
      int const l = i * 8 + row;
      if (Count % 8 != 0 && l >= Count) continue;
      BATCHWORK_UNROLL
      for (int j = 0; j < across; ++j) {
        int const n = j * 8 + 2 * col;
        if ((Half > 0 && j > i) || (N % 8 != 0 && n >= N)) continue;
        *reinterpret_cast<Unit<T>*>(own + l * Ex::leading + n) = {{c[i][j][0], c[i][j][1]}};
      }
    }
  }
  grid.sync();
  take_own_lines<Count, N, Half, S>(acc, grid);
}

}  // namespace Batchwork::Impl

#endif
