// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Which kernel runs eigh on a device, and how many lanes share an item.
#ifndef BATCHWORK_EIGHCHOICE_HPP
#define BATCHWORK_EIGHCHOICE_HPP

#include "dense/decompositions/detail/Batchwork_ColumnsChoice.hpp"

namespace Batchwork::Impl {

/// The largest extent of EighOfSharedLanes. In double two columns of more rows do not fit into the
/// registers of a lane.
///
/// ns, in scratch and so (H100, 2026-11-26): 12 rows float 8.7 and 2.9, double 12.7 and 6.1; 32
/// rows 74.0 and 45.6, 150 and 106; 64 rows float 575 and 355.
template <class T>
constexpr int eigh_rows_of_lanes() {
  return sizeof(T) == 4 ? 64 : 32;
}

/// The columns of a lane in EighByReflections and SvdByReflections, and the lanes of an item.
inline constexpr int columns_by_reflections[] = {2, 4};
constexpr int rows_by_reflections(int columns) { return 32 * columns; }
constexpr int lanes_by_reflections(int columns, int n) {
  int lanes = columns > 2 ? 32 : 8;
  while (lanes * columns < n) lanes *= 2;
  return lanes;
}

/// Up to so many rows, one warp an item takes less time than EighOfTeams, and the most rows of the
/// latter (H200, 2026-11-27, ns: 48 rows in double 545 by a warp and 509 by a team).
template <class T>
constexpr int eigh_rows_of_warps() {
  return sizeof(T) == 8 ? 44 : 64;
}
inline constexpr int eigh_rows_of_teams = 224;

/// The kernels for matrices of n rows, 1 or more, the fastest first. by_panels is EighOfTeams, with
/// the matrix in scratch or in a workspace; by_warps is EighByReflections, in_scratch are rotations
/// by DecompositionTeams.
/// \param shuffles  lanes of a warp read each other's registers
template <class T>
constexpr Candidates<> choose_eigh(int n, bool shuffles) {
  using enum KernelKind;
  Candidates<> c;
  if (n <= extent_of_lane) c.add({by_lane, n, 1});
  if (shuffles && n <= eigh_rows_of_lanes<T>()) {
    int const extent = extent_from(extents_of_columns, n);
    c.add({by_lanes, extent, lanes_of_columns<T>(extent)});
  }
  if (shuffles && n > eigh_rows_of_warps<T>() && n <= eigh_rows_of_teams) c.add({by_panels});
  if (n > 2 && n <= rows_by_reflections(4)) {
    int const columns = n <= rows_by_reflections(2) ? 2 : 4;
    c.add({by_warps, rows_by_reflections(columns), lanes_by_reflections(columns, n)});
  }
  c.add({in_scratch});
  c.add({in_workspace});
  return c;
}

}  // namespace Batchwork::Impl

#endif
