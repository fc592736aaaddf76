// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The lanes that work on one system of equations: their number, the rows of each lane, and their
/// synchronisation.
#ifndef BATCHWORK_SYSTEMLANES_HPP
#define BATCHWORK_SYSTEMLANES_HPP

#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"

namespace Batchwork {

/// The lanes of a team that share an item; their ranks are adjacent. Lane i mod count works on row
/// i.
template <class Member>
struct SystemLanes {
  Member const& member;  ///< the team
  int rank;              ///< the rank of the calling lane, from 0
  int count;  ///< the number of lanes: a power of two, or the whole team, a multiple of 32

  /// Runs body(i) for the calling lane's part of i = 0 .. n - 1.
  template <class Body>
  BATCHWORK_INLINE void for_each(int n, Body const& body) const {
    for (int i = rank; i < n; i += count) body(i);
  }
  /// Waits until all lanes of the item call it; afterwards each lane sees what the others wrote to
  /// scratch or memory.
  BATCHWORK_INLINE void sync() const {
    if (count > Impl::lanes_of_warp) member.team_barrier();
    else Impl::Vendor::warp_sync(member);
  }
};

/// The counterpart of SystemLanes on hosts: one thread works on an item alone.
struct LoneLane {
  static constexpr int rank = 0;   ///< the rank of the only lane
  static constexpr int count = 1;  ///< one lane for an item

  /// Runs body(i) for i = 0 .. n - 1.
  template <class Body>
  BATCHWORK_INLINE void for_each(int n, Body const& body) const {
    for (int i = 0; i < n; ++i) body(i);
  }
  /// Does nothing, because there is only one lane.
  BATCHWORK_INLINE void sync() const {}
};

namespace Impl {

/// The lanes of the team that works on the largest systems.
inline constexpr int most_lanes_of_a_system = 128;

/// The number of device lanes that share a system with so many rows and nonzeros, if lanes hold its
/// numbers. It is the smallest number with at most four rows and 64 nonzeros for each lane, because
/// a lane reads the vector once for all of its rows. Up to 32 lanes are a part of a warp; larger
/// systems get a team of whole warps.
constexpr int lanes_per_system(std::int64_t rows, std::int64_t nonzeros) {
  int lanes = 1;
  while (lanes < most_lanes_of_a_system && lanes < rows &&
         (rows > 4 * lanes || nonzeros > 64 * std::int64_t(lanes)))
    lanes *= 2;
  return lanes;
}

}  // namespace Impl
}  // namespace Batchwork

#endif
