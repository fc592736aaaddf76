// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Which kernel runs qr and least_squares on a device, and how many lanes share an item.
#ifndef BATCHWORK_QRCHOICE_HPP
#define BATCHWORK_QRCHOICE_HPP

#include <algorithm>

#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "dense/decompositions/detail/Batchwork_ColumnsChoice.hpp"

namespace Batchwork::Impl {

/// The largest extent of QrOfSharedLanes, and the extents of QrOfTiles.
inline constexpr int qr_rows_of_lanes = 32;
template <class T>
constexpr int qr_extent_of_tiles(int n) {
  constexpr int extents[] = {48, 64, 80, 96};
  int const extent = extent_from(extents, n);
  // Panels are faster.
  return sizeof(T) == 8 && extent == 80 ? 96 : extent;
}
/// Whether QrByPanels is faster (H200, 2026-11-27, ns, in double: 68 rows 180 and by tiles 306, 80
/// rows 271 and 370, 96 rows 469 and 463).
template <class T>
constexpr bool qr_panels_are_faster(int m, int n) {
  return sizeof(T) == 8 && std::min(m, n) > 64 && std::max(m, n) <= 88;
}
/// Warps of an item of so many tiles of rows in QrOfTiles: as many as leave their lanes registers
/// for the tiles without a spill, within the launch bounds.
///
/// With Q (H200, 2026-11-25, ns, float and double): 48 rows 33.4 and 71.7, 64 rows 77.5 and 149, 96
/// rows 241 and 463; by other numbers of warps 39.8 and 62.6 (where one warp spills within the
/// bounds), 87.5 and 164, 289 and 479. 80 rows in float 144 by two warps, 162 by five.
template <class T>
constexpr int warps_of_qr(int tiles) {
  if (tiles <= 6) return sizeof(T) == 4 ? 1 : 2;
  return tiles <= (sizeof(T) == 4 ? 10 : 8) ? 2 : sizeof(T) == 4 ? 4 : 6;
}

/// QrByPanels and LeastSquaresByPanels, for more than 32 rows or columns, in scratch or in a
/// workspace. in_scratch is DecompositionTeams, which without shuffles is in_workspace too.
constexpr void add_larger_qr(Candidates<>& c, int extent, bool shuffles) {
  bool const panels = shuffles && extent > columns_of_warp;
  if (panels) c.add({KernelKind::by_panels});
  c.add({KernelKind::in_scratch});
  if (panels || !shuffles) c.add({KernelKind::in_workspace});
}

/// The kernels for the Q and R of m x n matrices, the fastest first; m and n are 1 or more.
/// \param columns_of_q  0 without Q
/// \param shuffles      lanes of a warp read each other's registers
template <class T>
constexpr Candidates<> choose_qr(int m, int n, int columns_of_q, bool shuffles) {
  using enum KernelKind;
  Candidates<> c;
  int const extent = std::max(m, n), tiles = qr_extent_of_tiles<T>(std::max(extent, columns_of_q));
  if (extent <= extent_of_lane) c.add({by_lane, extent, 1});
  if (shuffles && extent <= qr_rows_of_lanes) {
    int const rows = extent_from(extents_of_columns, extent);
    c.add({by_lanes, rows, lanes_of_columns<T>(rows)});
  }
  if (shuffles && qr_panels_are_faster<T>(m, n)) c.add({by_panels});
  if (shuffles && tiles > 0) c.add({by_warps, tiles, warps_of_qr<T>(tiles / 8) * lanes_of_warp});
  add_larger_qr(c, extent, shuffles);
  return c;
}

/// The kernels for least squares by matrices of m x n, m >= n >= 1.
/// \param extent  the larger one of m and all columns, right-hand sides included
constexpr Candidates<> choose_least_squares(int m, int extent, bool shuffles) {
  Candidates<> c;
  if (m <= extent_of_lane) c.add({KernelKind::by_lane, m, 1});
  add_larger_qr(c, extent, shuffles);
  return c;
}

}  // namespace Batchwork::Impl

#endif
