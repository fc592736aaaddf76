// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Products of tiles that are distributed over the lanes of an item, by the matrix instructions of
/// a device: a whole warp multiplies for one of its items after the other, and each lane takes its
/// own rows or columns of the result from the exchange. Each number read from scratch is used in as
/// many multiply-adds as a block of results has rows, 8 or 16, instead of as many as a lane has
/// rows or columns.
#ifndef BATCHWORK_DISTRIBUTEDBYMATRIX_HPP
#define BATCHWORK_DISTRIBUTEDBYMATRIX_HPP

#include "core/detail/backend/Batchwork_MatrixInstructions.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "tile/types/detail/Batchwork_LocalLines.hpp"

namespace Batchwork::Impl {

/// Whether a product of M x K by K x N numbers pays off: the blocks are mostly full.
template <class T>
constexpr bool by_matrix_instructions(int M, int N, int K) {
  return Vendor::has_mma<T> && M > 16 && N > 16 && K > 8;
}

/// acc = start + a b, or start - a b, for a lane's own lines of a and acc. put() writes the lines
/// of a to the exchange (number k of line l at A::index(l, k)). The entries of b are b.at(k, j,
/// offset); if b is a tile of the item, it is in the exchange already and offset leads to the
/// exchange of another item. start(l, j) is the addend, also above the diagonal. On return lanes
/// may still read from the exchange, so a writer must wait first. Half: as in lines_block.
template <int Count, int N, int K, int Half, bool BOfItem, bool Subtract, class S, class A,
          class Put, class B, class T, class Start>
BATCHWORK_INLINE void lines_by_matrix(T (&acc)[(Count + S::lanes - 1) / S::lanes * N],
                                      Put const& put, B const& b, Start const& start,
                                      LaneGrid const& grid) {
  using Ex = typename S::exchange;
  constexpr int L = S::lanes, tall = Vendor::blocks_at_once, steps = (K + 3) / 4;
  constexpr int down = (Count + 8 * tall - 1) / (8 * tall), across = (N + 7) / 8;
  int const lane = Vendor::lane_id(), row = lane / 4, col = lane % 4, place = lane / L;
  T* const base = grid.template numbers<T>();
  // The last line is repeated beyond the end; terms beyond the last one are zero.
  auto const line = [&](int block, int count) {
    int const l = block * 8 + row;
    return block * 8 + 8 <= count || l < count ? l : count - 1;
  };
  auto const read_right = [&](T(&y)[across], int step, int offset) {
    int const k = step * 4 + col;
    BATCHWORK_UNROLL
    for (int j = 0; j < across; ++j)
      y[j] = step * 4 + 4 <= K || k < K ? b.at(k, line(j, N), offset) : T(0);
  };
  // The first terms of a right factor that all items share are read while lines are written to the
  // exchange.
  T first[across];
  if constexpr (!BOfItem) read_right(first, 0, 0);
  put();
  BATCHWORK_KEEP_LOOP
  for (int g = 0; g < lanes_of_warp / L; ++g) {
    int const offset = (g - place) * Ex::stride;
    T* const own = base + offset;
    T c[down][across][tall][2];
    BATCHWORK_UNROLL
    for (int i = 0; i < down * tall; ++i) {
      BATCHWORK_UNROLL
      for (int j = 0; j < across; ++j) {
        BATCHWORK_UNROLL
        for (int m = 0; m < 2; ++m) {
          int const n = j * 8 + 2 * col + m;
          bool const beyond = i * 8 >= Count || (Half > 0 && j > i);
          c[i / tall][j][i % tall][m] =
              beyond ? T(0) : start(line(i, Count), N % 8 == 0 || n < N ? n : N - 1);
        }
      }
    }
    BATCHWORK_UNROLL
    for (int step = 0; step < steps; ++step) {
      T y[across];
      if (BOfItem || step > 0) {
        read_right(y, step, BOfItem ? offset : 0);
      } else {
        BATCHWORK_UNROLL
        for (int j = 0; j < across; ++j) y[j] = first[j];
      }
      int const k = step * 4 + col;
      BATCHWORK_UNROLL
      for (int i = 0; i < down; ++i) {
        T x[tall];
        BATCHWORK_UNROLL
        for (int t = 0; t < tall; ++t) {
          T const number =
              step * 4 + 4 <= K || k < K ? own[A::index(line(i * tall + t, Count), k)] : T(0);
          x[t] = Subtract ? -number : number;
        }
        BATCHWORK_UNROLL
        for (int j = 0; j < across; ++j)
          if (Half == 0 || j < (i + 1) * tall) Vendor::mma(c[i][j], x, y[j]);
      }
    }
    grid.sync();
    BATCHWORK_UNROLL
    for (int i = 0; i < down * tall; ++i) {
      int const l = i * 8 + row;
      if (i * 8 + 8 > Count && l >= Count) continue;
      BATCHWORK_UNROLL
      for (int j = 0; j < across; ++j) {
        int const n = j * 8 + 2 * col;
        if ((Half > 0 && j > i) || (N % 8 != 0 && n >= N)) continue;
        T const(&two)[2] = c[i / tall][j][i % tall];
        *reinterpret_cast<Unit<T>*>(own + l * Ex::leading + n) = {{two[0], two[1]}};
      }
    }
  }
  grid.sync();
  take_own_lines<Count, N, Half, S>(acc, grid);
}

}  // namespace Batchwork::Impl

#endif
