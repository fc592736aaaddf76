// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The layout of the lower triangle and the right-hand sides of an item in team scratch.
#ifndef BATCHWORK_TRIANGLESCRATCH_HPP
#define BATCHWORK_TRIANGLESCRATCH_HPP

#include <cstddef>

#include "core/detail/Batchwork_Macros.hpp"

namespace Batchwork::Impl {

/// A triangle of `tiles` tiles of 8 x 8 numbers down, in groups of four columns. A group holds,
/// from the tile on the diagonal downwards, row after row of four numbers, so that a lane reads a
/// row at once. Four numbers are left out between groups: lanes that read a row of the triangle
/// number by number then find different banks, and so do lanes that read a group.
struct TriangleScratch {
  int tiles;

  BATCHWORK_INLINE constexpr int rows() const { return 8 * tiles; }
  /// Numbers of a triangle.
  BATCHWORK_INLINE constexpr int numbers() const { return 32 * tiles * (tiles + 1) + 8 * tiles; }
  /// Place of row 0 of group g, were it there: row i follows 4 i numbers further on.
  BATCHWORK_INLINE constexpr int group(int g) const {
    return 4 * g * (8 * tiles + 1) - 32 * (g * g / 4);
  }
  BATCHWORK_INLINE constexpr int place(int i, int j) const { return group(j / 4) + 4 * i + j % 4; }
  /// The numbers of an item with so many right-hand sides. Each is stored twice: before a
  /// substitution and after.
  BATCHWORK_INLINE constexpr int item_numbers(int columns) const {
    return numbers() + 2 * columns * rows();
  }
};

}  // namespace Batchwork::Impl

#endif
