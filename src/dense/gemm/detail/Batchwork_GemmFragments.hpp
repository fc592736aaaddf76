// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Some terms of a product by matrix instructions. Each lane of a warp holds a fragment of the
/// operands.
#ifndef BATCHWORK_GEMMFRAGMENTS_HPP
#define BATCHWORK_GEMMFRAGMENTS_HPP

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_MatrixInstructions.hpp"

namespace Batchwork::Impl {

/// Terms that multiply_fragments adds.
inline constexpr int terms_of_fragments = 4 * Vendor::fours_at_once;

/// A lane's fragments of a product of 8 Rows x 4 Cols: sums[r][c] is in row 8 r + lane / 4 and
/// column 8 (c / 2) + 2 (lane % 4) + c % 2. It gives a(r, f) of row 8 r + lane / 4 and b(c, f) of
/// column 8 c + lane / 4, both of term 4 f + lane % 4.
template <int Fours = Vendor::fours_at_once, class T, int Rows, int Cols, class A, class B>
BATCHWORK_INLINE void multiply_fragments(T (&sums)[Rows][Cols], A const& a, B const& b) {
  constexpr int blocks = Vendor::blocks_at_once, fours = Fours;
  static_assert(Rows % blocks == 0 && Cols % 2 == 0);
  T x[Rows / blocks][fours][blocks], y[Cols / 2][fours];
  BATCHWORK_UNROLL
  for (int f = 0; f < fours; ++f) {
    BATCHWORK_UNROLL
    for (int r = 0; r < Rows; ++r) x[r / blocks][f][r % blocks] = a(r, f);
    BATCHWORK_UNROLL
    for (int c = 0; c < Cols / 2; ++c) y[c][f] = b(c, f);
  }
  BATCHWORK_UNROLL
  for (int r = 0; r < Rows; r += blocks) {
    BATCHWORK_UNROLL
    for (int c = 0; c < Cols; c += 2) {
      T twos[blocks][2];
      BATCHWORK_UNROLL
      for (int i = 0; i < 2 * blocks; ++i) twos[i / 2][i % 2] = sums[r + i / 2][c + i % 2];
      if constexpr (fours == 1) Vendor::mma(twos, x[r / blocks][0], y[c / 2][0]);
      else Vendor::mma(twos, x[r / blocks], y[c / 2]);
      BATCHWORK_UNROLL
      for (int i = 0; i < 2 * blocks; ++i) sums[r + i / 2][c + i % 2] = twos[i / 2][i % 2];
    }
  }
}

}  // namespace Batchwork::Impl

#endif
