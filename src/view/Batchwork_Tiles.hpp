// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Tiles: several matrices of one item in a sequence.
#ifndef BATCHWORK_TILES_HPP
#define BATCHWORK_TILES_HPP

#include "core/detail/Batchwork_Macros.hpp"

namespace Batchwork {

/// The K tiles that `in(gathered(view, index))` picks if the View holds matrices and the index View
/// has K indices for each item.
/// ```cpp
/// auto s = a[0];
/// for (int k = 1; k < a.size; ++k) s += a[k];
/// ```
/// \tparam X  the type of one tile
/// \tparam K  the number of tiles
template <class X, int K>
struct Tiles {
  static constexpr int size = K;
  X tiles[K];

  /// Tile k. On devices k must be a constant, or the index of a loop over a constant range.
  BATCHWORK_INLINE X const& operator[](int k) const { return tiles[k]; }
};

}  // namespace Batchwork

#endif
