// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The lanes of a team: their rank and number, and loops over them.
#ifndef BATCHWORK_TEAM_LANES_HPP
#define BATCHWORK_TEAM_LANES_HPP

#include <Kokkos_Core.hpp>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"

namespace Batchwork::Impl::Vendor {

/// The linear rank of the calling lane over team size times vector length, and the number of lanes.
/// The portable path cannot distinguish the vector lanes of a thread: there a lane is a thread, and
/// its vector lanes do the same work.
template <class Member>
BATCHWORK_INLINE int lane_rank([[maybe_unused]] Member const& member) {
#if defined(BATCHWORK_VENDOR_CUDA) || defined(BATCHWORK_VENDOR_HIP)
  return static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
#else
  return member.team_rank();
#endif
}
template <class Member>
BATCHWORK_INLINE int lane_count([[maybe_unused]] Member const& member) {
#if defined(BATCHWORK_VENDOR_CUDA) || defined(BATCHWORK_VENDOR_HIP)
  return static_cast<int>(blockDim.x * blockDim.y);
#else
  return member.team_size();
#endif
}

/// Runs `body(k)` for k = 0 .. n-1, one k per lane at a time, over all lanes of the team (team size
/// times vector length). No synchronisation. Called by all threads of the team, outside nested
/// ranges.
template <class Member, class Body>
BATCHWORK_INLINE void for_each_lane(Member const& member, int n, Body const& body) {
#if defined(BATCHWORK_VENDOR_CUDA) || defined(BATCHWORK_VENDOR_HIP)
  (void)member;
  // threadIdx.x runs over the vector lanes, threadIdx.y over the threads of a Kokkos team.
  int const lane = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  int const lanes = static_cast<int>(blockDim.x * blockDim.y);
#pragma unroll 1
  for (int k = lane; k < n; k += lanes) body(k);
#elif defined(BATCHWORK_THREADS_AS_LANES)
  for (int k = lane_rank(member); k < n; k += lane_count(member)) body(k);
#else
  Kokkos::parallel_for(Kokkos::TeamVectorRange(member, n), body);
#endif
}

}  // namespace Batchwork::Impl::Vendor

#endif
