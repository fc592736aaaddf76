// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Waits for the lanes of an item, which can be several warps of a team.
#ifndef BATCHWORK_BARRIERS_HPP
#define BATCHWORK_BARRIERS_HPP

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"

namespace Batchwork::Impl::Vendor {

/// Whether the lanes of an item with several warps wait for each other while the other items of a
/// team, four at most, continue.
inline constexpr bool items_wait_alone =
#if defined(BATCHWORK_VENDOR_HIP)
    false;
#else
    has_shuffles;
#endif
/// Waits for the neighbouring lanes of item number `item` of a team's `items`, all of which must
/// call it. It waits for the team if the lanes of more than a warp cannot wait separately.
template <int Lanes, class Member>
BATCHWORK_INLINE void item_barrier(Member const& member, [[maybe_unused]] int item,
                                   [[maybe_unused]] int items) {
  if constexpr (!has_shuffles) {
    member.team_barrier();
  } else if constexpr (Lanes <= warp_lanes) {
    warp_sync(Lanes > 32 ? Lanes : 32);
  } else {
#if defined(BATCHWORK_VENDOR_CUDA)
    // Separate barriers (PTX ISA, bar.sync). Their numbers are constants, because a kernel reserves
    // as many as it names. Predicates, because compilers duplicate the code after branches.
    asm volatile(
        "{ .reg .pred is;\n"
        "setp.eq.s32 is, %0, 0; @is bar.sync 1, %1;\n"
        "setp.eq.s32 is, %0, 1; @is bar.sync 2, %1;\n"
        "setp.eq.s32 is, %0, 2; @is bar.sync 3, %1;\n"
        "setp.eq.s32 is, %0, 3; @is bar.sync 4, %1; }" ::"r"(item),
        "n"(Lanes)
        : "memory");
#elif defined(BATCHWORK_VENDOR_THREADS)
    ThreadAsLane::meet(items == 1 ? ThreadAsLane::count() : Lanes);
#else
    member.team_barrier();
#endif
  }
}

/// Waits for the first lanes of a team, whole warps of 32. All of them and no other lanes must call
/// it. Available where items_wait_alone.
template <class Member>
BATCHWORK_INLINE void first_lanes_barrier([[maybe_unused]] Member const& member,
                                          [[maybe_unused]] int lanes) {
#if defined(BATCHWORK_VENDOR_CUDA)
  asm volatile("bar.sync 5, %0;" ::"r"(lanes) : "memory");
#elif defined(BATCHWORK_VENDOR_THREADS)
  ThreadAsLane::meet(lanes);
#endif
}

}  // namespace Batchwork::Impl::Vendor

#endif
