// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// How a device's lanes share tridiagonal systems: which kernel, how many lanes of an item, how
/// many rows of a lane.
#ifndef BATCHWORK_TRIDIAGONALCHOICE_HPP
#define BATCHWORK_TRIDIAGONALCHOICE_HPP

#include <algorithm>
#include <cstddef>

#include "core/detail/backend/Batchwork_DeviceLimits.hpp"

namespace Batchwork::Impl {

enum class TridiagonalKernel {
  alone,         ///< a lane holds an item in registers
  in_registers,  ///< lanes hold parts of an item in registers
  staged,        ///< parts of an item are in team scratch
};
struct TridiagonalChoice {
  TridiagonalKernel kernel;
  int parts;           ///< lanes of an item, a power of two
  int rows;            ///< of a part
  int items_per_team;  ///< a power of two

  constexpr int team() const { return parts * items_per_team; }
};
/// Lanes of a team where lanes hold parts of items: usually, and where rows would be read in short
/// pieces.
inline constexpr int lanes_of_parts = 256, lanes_of_many_parts = 512;

/// Rows that a lane holds of an item of its own at most, and of a part: what fits into its
/// registers.
template <class T>
inline constexpr int most_rows_alone = sizeof(T) == 4 ? 64 : 32;
template <class T>
inline constexpr int most_rows_in_registers = 128 / int(sizeof(T));

/// \param side_by_side  the same number of neighbouring items is nearer in memory than the next
/// number of an item
/// \param n             rows, 1 to 4096
/// \param scratch       bytes that a team may have for staging
template <class T>
constexpr TridiagonalChoice choose_tridiagonal(bool side_by_side, int n, std::size_t scratch) {
  if (side_by_side && n <= most_rows_alone<T>) return {TridiagonalKernel::alone, 1, n, 128};
  if (!side_by_side) {
    // Parts of 72 bytes: a reduction costs as much as some rows, and longer ones leave lanes idle
    // while they wait for memory. Of small items in float half as much, which 16 bytes can be
    // copied to at once. A team has 128 lanes; larger items have longer parts.
    constexpr int team = 128;
    int const wanted = sizeof(T) == 4 && n > 32 ? 17 : 9;
    int parts = 1;
    auto const rows = [&] { return (n + parts - 1) / parts | 1; };
    while (parts < team && rows() > wanted) parts *= 2;
    if (4 * std::size_t(team) * std::size_t(rows()) * sizeof(T) + 16 <= scratch)
      return {TridiagonalKernel::staged, parts, rows(), team / parts};
  }
  int parts = 2;
  while (parts * most_rows_in_registers<T> < n) parts *= 2;
  // A warp's worth of neighbouring items while there is room for them. Short pieces use less of the
  // memory's bandwidth. A team with fewer than 16 items therefore has twice as many lanes, so that
  // a multiprocessor holds one team instead of two.
  int most = (side_by_side ? lanes_of_parts : 128) / parts;
  if (side_by_side && most < 16) most = lanes_of_many_parts / parts;
  return {TridiagonalKernel::in_registers, parts, (n + parts - 1) / parts,
          std::clamp(most, 1, lanes_of_warp)};
}

/// The same with partial pivoting: a lane has as many rows as it holds.
template <class T>
constexpr TridiagonalChoice choose_pivoted(bool side_by_side, int n) {
  int parts = 1;
  while (parts * most_rows_in_registers<T> < n) parts *= 2;
  int const items =
      std::clamp(lanes_of_parts / parts, 1, side_by_side && parts > 1 ? lanes_of_warp : 128);
  return {TridiagonalKernel::in_registers, parts, (n + parts - 1) / parts, items};
}

}  // namespace Batchwork::Impl

#endif
