// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Which kernel runs svd on a device, and how many lanes share an item.
#ifndef BATCHWORK_SVDCHOICE_HPP
#define BATCHWORK_SVDCHOICE_HPP

#include "dense/decompositions/detail/Batchwork_ColumnsChoice.hpp"
#include "dense/decompositions/detail/Batchwork_EighChoice.hpp"

namespace Batchwork::Impl {

/// The largest extent of SvdOfSharedLanes.
inline constexpr int svd_rows_of_lanes = 32;
/// Lanes that share an item there: each has columns of two matrices.
template <class T>
constexpr int lanes_of_svd(int extent) {
  if (sizeof(T) == 8) return extent <= 12 ? 4 : extent <= 16 ? 8 : extent <= 24 ? 16 : 32;
  return extent == 12 ? 4 : extent == 32 ? 32 : 8;
}
/// Matrices that are slower so: with few columns beside its rows an item has lanes without any. 24
/// x 12 in double takes 48.7 ns instead of 37.7 (H100, 2026-11-26).
constexpr bool is_narrow_for_lanes(int m, int n) { return m > 16 ? 5 * n <= 3 * m : m > 2 * n; }

/// Whether one warp an item, SvdByReflections, takes less time than SvdOfTiles (H200, 2026-11-27,
/// ns: 34 rows in double 619 and 724, 48 rows 1648 and 1043; 64 rows in float 1761 and 1896).
template <class T>
constexpr bool svd_warps_are_faster(int m, int n) {
  return n > 4 && n <= (sizeof(T) == 8 ? 40 : 64) && m <= 2 * n;
}

/// How SvdOfTiles is compiled: rotations begin with eigenvectors of up to 8 `tiles` columns, or are
/// alone if it is 0. A multiprocessor holds `teams` teams of `lanes` lanes.
struct SvdTilesChoice {
  int tiles = 0, lanes = 512, teams = 1;

  friend constexpr bool operator==(SvdTilesChoice const&, SvdTilesChoice const&) = default;
};
/// Those for n columns, the fastest first: where two teams of a multiprocessor have no room for
/// their items in scratch, the next ones are for calls without a workspace. The last one has room
/// for every item. `begins`: the device has what the others need, products of tiles in double.
///
/// Rotations alone, from eigenvectors by one team, and by two or three (H200, 2026-11-27, ns): 68
/// rows in float 3476, 3808 and 1883, in double by one and two 3828 and 2236; 100 rows in float
/// 10088, 6538 and 4474, in double by one and two 5962 and 4182, with 16 tiles 4697.
template <class T>
constexpr Candidates<SvdTilesChoice> choose_svd_tiles(int n, bool begins) {
  Candidates<SvdTilesChoice> c;
  if (begins && n > (sizeof(T) == 8 ? 52 : 64)) {
    if (sizeof(T) == 8) {
      if (n <= 64) c.add({8, 128, 1});
      else if (n <= 104) c.add({13, 256, 2});
    } else {
      if (n <= 80) c.add({12, 128, 3});
      if (n <= 128) c.add({16, 256, 2});
    }
    if (n > 64 && n <= 128) c.add({16, 256, 1});
    if (n <= 224) c.add({28, 256, 1});
  }
  c.add({});
  return c;
}

/// The kernels for m x n matrices, m >= n >= 1, the fastest first. by_panels is SvdOfTiles, with
/// the matrices in scratch or in a workspace. by_warps is SvdByReflections, in_scratch are
/// rotations alone by DecompositionTeams: from eigenvectors, 64 rows in double take 3300 ns instead
/// of 5172 (H100, 2026-11-25).
/// \param shuffles  lanes of a warp read each other's registers
template <class T>
constexpr Candidates<> choose_svd(int m, int n, bool shuffles) {
  using enum KernelKind;
  Candidates<> c;
  bool const lanes = shuffles && n > 4 && m <= svd_rows_of_lanes,
             narrow = is_narrow_for_lanes(m, n);
  auto const add_lanes = [&] {
    int const extent = extent_from(extents_of_columns, m);
    c.add({by_lanes, extent, lanes_of_svd<T>(extent)});
  };
  if (m == n && n <= extent_of_lane) c.add({by_lane, n, 1});
  if (lanes && !narrow) add_lanes();
  if (shuffles && m > columns_of_warp && !svd_warps_are_faster<T>(m, n)) c.add({by_panels});
  if (n > 4 && n <= rows_by_reflections(2) && m <= 2 * n)
    c.add({by_warps, rows_by_reflections(2), lanes_by_reflections(2, n)});
  c.add({in_scratch});
  if (lanes && narrow) add_lanes();
  c.add({in_workspace});
  return c;
}

}  // namespace Batchwork::Impl

#endif
