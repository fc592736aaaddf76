// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The lanes that work on one system: how many there are, which rows are a lane's, and how they
/// wait for each other.
#ifndef BATCHWORK_SYSTEMLANES_HPP
#define BATCHWORK_SYSTEMLANES_HPP

#include <cstdint>

#include "core/detail/backend/Batchwork_Vendor.hpp"

namespace Batchwork {

/// The lanes of a team that share an item, neighbours in rank. Row i belongs to lane i mod count.
/// All of them call sync.
template <class Member>
struct SystemLanes {
  Member const& member;
  int rank;   ///< of the calling lane, from 0
  int count;  ///< a power of two, or the team, a multiple of 32

  /// Runs body(i) for the calling lane's share of i = 0 .. n - 1.
  template <class Body>
  BATCHWORK_INLINE void for_each(int n, Body const& body) const {
    for (int i = rank; i < n; i += count) body(i);
  }
  /// Waits until all lanes of the item are here; they then see what each has written to scratch or
  /// memory.
  BATCHWORK_INLINE void sync() const {
    if (count > Impl::lanes_of_warp) member.team_barrier();
    else Impl::Vendor::wait_for_warp(member);
  }
};

/// A host's thread, which works on an item alone.
struct LoneLane {
  static constexpr int rank = 0;
  static constexpr int count = 1;

  template <class Body>
  BATCHWORK_INLINE void for_each(int n, Body const& body) const {
    for (int i = 0; i < n; ++i) body(i);
  }
  BATCHWORK_INLINE void sync() const {}
};

namespace Impl {

/// Lanes of the team that works on the largest systems.
inline constexpr int most_lanes_of_a_system = 128;

/// How many lanes of a device share a system of so many rows and nonzeros, if they hold its
/// numbers: as few as have four rows and 64 nonzeros each, because a lane reads the vector once for
/// all of its rows. To 32 they are part of a warp; larger systems have a team, of whole warps.
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
