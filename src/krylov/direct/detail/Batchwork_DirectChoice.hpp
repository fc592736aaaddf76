// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Which kernel of direct solves runs on a device, and how many lanes share an item.
#ifndef BATCHWORK_DIRECTCHOICE_HPP
#define BATCHWORK_DIRECTCHOICE_HPP

#include <cstdint>

#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "dense/lu/detail/Batchwork_LuChoice.hpp"
#include "launch/detail/Batchwork_KernelChoice.hpp"

namespace Batchwork::Impl {

// ---- by_lanes: DirectOfSharedLanes ----

/// The rows of these kernels. Beyond 32 rows they are slower than tiles (double, H100, 2026-11-26,
/// ns): 33 rows 31.9 instead of 26.2, 46 rows 56.1 instead of 42.5.
inline constexpr int direct_extents_of_lanes[] = {8, 12, 16, 24, 32}, direct_rows_of_lanes = 32;
/// Lanes that share an item: the fastest choice (H100, CUDA 13).
template <class T>
constexpr int lanes_of_direct(int extent) {
  return extent <= 12 ? 4 : extent <= 16 ? int(sizeof(T)) : extent <= 24 ? 8 : 16;
}
/// Systems of more than 8 rows for each multiprocessor, with which these kernels are faster than
/// tiles: 1000 systems of 22 rows in double take 38.2 ns each instead of 28.7 (H100, 2026-11-26).
inline constexpr int direct_items_of_lanes = 12;

// ---- by_warps, by_panels: DirectTiles ----

/// The rows that the largest of these kernels takes, and the tiles down of the kernel for n rows:
/// few cases, so that there are few.
inline constexpr int direct_rows_in_tiles = 144;
constexpr int direct_tiles(int n) {
  return n <= lu_rows_in_tiles ? lu_tiles(n) : n <= 80 ? 10 : n <= 96 ? 12 : n <= 120 ? 15 : 18;
}

// ---- the choice ----

/// What a choice depends on.
struct DirectWork {
  int n = 1;               ///< rows
  std::int64_t items = 1;  ///< systems
  int columns = 1;         ///< right-hand sides
  bool whole = true;       ///< factors are not kept
  bool estimates = false;  ///< growth or condition are requested
};

/// The kernels for such systems, the fastest first. in_scratch is DirectTeams, which factors of
/// float in double systems need; in registers factors have the type of the systems (in float they
/// took 1.7 to 3.9 times as long there: H100, 22 to 144 rows).
/// \param shuffles  lanes of a warp read each other's registers
template <class T>
constexpr Candidates<> choose_direct(DirectWork const& work, bool shuffles,
                                     DeviceLimits const& limits) {
  using enum KernelKind;
  Candidates<> c;
  int const n = work.n;
  if (shuffles && n <= direct_rows_of_lanes && work.whole && work.columns == 1 && !work.estimates &&
      (n <= 8 || work.items >= direct_items_of_lanes * std::int64_t(limits.multiprocessors))) {
    int const extent = extent_from(direct_extents_of_lanes, n);
    c.add({by_lanes, extent, lanes_of_direct<T>(extent)});
  }
  if (shuffles && n <= direct_rows_in_tiles) {
    int const tiles = direct_tiles(n);
    // The vector is eliminated with the matrix, and L is kept.
    int const warps = rows_beat_tiles<T>(8 * tiles, true) ? 1 : warps_of_tiles<T>(tiles);
    bool const panels = n > lu_rows_in_tiles && sizeof(T) == 8;
    c.add({panels ? by_panels : by_warps, 8 * tiles, warps * lanes_of_warp});
  }
  c.add({in_scratch});
  c.add({in_workspace});
  return c;
}

}  // namespace Batchwork::Impl

#endif
