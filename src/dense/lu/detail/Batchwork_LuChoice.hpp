// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Which kernel runs lu, solve_lu, inverse and determinant on a device, and how many lanes share an
/// item.
#ifndef BATCHWORK_LUCHOICE_HPP
#define BATCHWORK_LUCHOICE_HPP

#include <algorithm>

#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "launch/detail/Batchwork_KernelChoice.hpp"

namespace Batchwork::Impl {

/// What a kernel is compiled for: factors and determinants, the solution for a vector, those for
/// several, or inverses.
enum class LuTask { factors, solution, solutions, inverses };

// ---- by_lanes: LuOfSharedLanes, SolutionOfSharedLanes, InverseOfSharedLanes ----

/// The extents of these kernels. A smaller item takes as long as the next larger one.
inline constexpr int lu_extents_of_lanes[] = {12, 16, 24, 32};
/// The largest extent for which lanes that share an item are faster than a warp an item. At 16 rows
/// half of the lanes of such a warp have no row.
///
/// One vector (H200, 2026-11-26, ns, 32 rows, a warp an item before): float 5.93, now 3.81; double
/// 9.23, now 6.56. Inverses of 32 rows by eight lanes take 13.3 instead of 6.3 in float: the code
/// is larger than the instruction cache.
constexpr int lu_rows_of_lanes(LuTask task) {
  return task == LuTask::solution   ? 32
         : task == LuTask::inverses ? 24
         : task == LuTask::factors  ? 16
                                    : 12;
}
/// Lanes that share an item, as were fastest (H200, CUDA 13, 2026-11-26).
template <class T>
constexpr int lanes_of_lu(int extent) {
  return extent < 16 || sizeof(T) == 4 ? 4 : 8;
}
template <class T>
constexpr int lanes_of_solution(int extent) {
  return extent <= 12                     ? 2
         : extent <= 16 && sizeof(T) == 4 ? 4
         : extent <= 24 || sizeof(T) == 4 ? 8
                                          : 16;
}
template <class T>
constexpr int lanes_of_inverse(int extent) {
  return extent < 16 ? 4 : 8;
}

// ---- by_warps: EliminationTiles, EliminationRows, InverseRows ----

/// The rows that the largest of these kernels takes, and the tiles down of the kernel for n rows:
/// few cases, so that there are few.
inline constexpr int lu_rows_in_tiles = 64;
constexpr int lu_tiles(int n) { return n <= 16 ? 2 : (n + 7) / 8; }
/// Double matrices of more than 48 rows outgrow the registers of a warp: two have every other
/// column of tiles. More lanes would leave fewer items on a multiprocessor, and most of the time is
/// spent in steps that one warp does alone. Beyond 64 rows there are as many warps as have two
/// columns of tiles each.
///
/// 64 rows (H100, 2026-11-24, ns): double by four warps 133 instead of 85, float by two 64 instead
/// of 38.
template <class T>
constexpr int warps_of_tiles(int tiles) {
  if (tiles > 8) return (tiles + 1) / 2;
  return tiles * tiles * int(sizeof(T)) > 288 ? 2 : 1;
}
/// Whether EliminationRows is faster than EliminationTiles for matrices of up to so many rows (H100
/// and H200, CUDA 13). Below 25 rows, and in float below 33, the waits of a step take longer than
/// what the tiles have to pass through scratch. `keeps_l`: L is left in scratch; the factors of 64
/// rows in double, and of up to 56 in float, are stored faster from tiles.
///
/// One vector (H100, 2026-11-25, ns, tiles and rows): float, 33 rows 12.4 and 11.2, 54 rows 24.4
/// and 21.8.
template <class T>
constexpr bool rows_beat_tiles(int rows, bool keeps_l) {
  if (sizeof(T) == 4) return rows <= 64 && rows > (keeps_l ? 56 : 32);
  return rows >= 32 && rows <= (keeps_l ? 56 : 64);
}
/// The most rows of an inverse by InverseRows. In double two warps of 64 rows are slower than
/// InverseTeams (H200, CUDA 13, 2026-11-27, ns, 57 rows: 110 and 101).
template <class T>
constexpr int inverse_rows_of_warps() {
  return sizeof(T) == 4 ? 64 : 56;
}
/// Warps of an item in InverseRows: two where two rows outgrow the registers of a lane.
template <class T>
constexpr int warps_of_inverse_rows(int rows) {
  return rows > 32 && 2 * rows * (int(sizeof(T)) / 4) > 200 ? 2 : 1;
}

// ---- by_panels: InverseTeams ----

/// The rows of a panel that a lane has, where a multiprocessor holds several teams; elsewhere it is
/// 2, with more warps.
///
/// H200, 2026-11-27, ns, with 3 and 2: in double 100 rows 391 and 366, 112 rows 445 and 417; in
/// float 116 rows 362 and 333, 128 rows 398 and 366. With 3 and four teams 100 rows in float take
/// 222 instead of 294, 112 rows 294 instead of 357.
template <class T>
constexpr int inverse_rows_of_lane(int n) {
  if (sizeof(T) == 8) return n <= 96 ? 3 : 2;
  return n > 112 && n <= 128 ? 2 : 3;
}

// ---- the choice ----

struct LuChoice : KernelChoice {
  bool whole_rows = false;  ///< of by_warps: EliminationRows or InverseRows, not EliminationTiles
};

/// The kernels for matrices of n rows, 1 or more, the fastest first. by_panels is InverseTeams for
/// inverses, and LuTeams for others and where that does not fit into scratch; in_scratch is
/// LuTeams.
/// \param shuffles         lanes of a warp read each other's registers
/// \param rows_in_scratch  the most rows of an item in scratch, LuTeams::most_rows
template <class T>
constexpr Candidates<LuChoice> choose_lu(LuTask task, int n, bool shuffles, int rows_in_scratch) {
  using enum KernelKind;
  Candidates<LuChoice> c;
  if (n <= extent_of_lane) c.add({{by_lane, n, 1}});
  if (shuffles && n <= lu_rows_of_lanes(task)) {
    int const extent = extent_from(lu_extents_of_lanes, n);
    c.add({{by_lanes, extent,
            task == LuTask::solution   ? lanes_of_solution<T>(extent)
            : task == LuTask::inverses ? lanes_of_inverse<T>(extent)
                                       : lanes_of_lu<T>(extent)}});
  }
  if (shuffles && n <= lu_rows_in_tiles) {
    // Smaller kernels are not compiled.
    int const tiles = lu_tiles(std::max(n, lu_rows_of_lanes(task) + 1)), extent = 8 * tiles;
    bool const inverts = task == LuTask::inverses, keeps_l = task == LuTask::factors,
               whole_rows =
                   (task == LuTask::solution || keeps_l) && rows_beat_tiles<T>(extent, keeps_l);
    int const warps = inverts      ? warps_of_inverse_rows<T>(extent)
                      : whole_rows ? 1
                                   : warps_of_tiles<T>(tiles);
    if (!inverts || extent <= inverse_rows_of_warps<T>())
      c.add({{by_warps, extent, warps * lanes_of_warp}, inverts || whole_rows});
  }
  if (n <= rows_in_scratch) c.add({{shuffles ? by_panels : in_scratch}});
  c.add({{in_workspace}});
  return c;
}

}  // namespace Batchwork::Impl

#endif
