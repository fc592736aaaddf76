// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The primitives of the lanes of a warp: waits, shuffles and votes. Reductions and LaneSync are
/// written with them. `together` lanes call one at the same time, 32 or a warp. Where has_shuffles;
/// else they do nothing.
#ifndef BATCHWORK_WARP_HPP
#define BATCHWORK_WARP_HPP

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"

namespace Batchwork::Impl::Vendor {

/// Writes to scratch before it are seen by the lanes of the warp after it. Wavefronts execute in
/// lockstep.
BATCHWORK_INLINE void warp_sync([[maybe_unused]] int together = 32) {
#if defined(BATCHWORK_VENDOR_CUDA)
  __syncwarp();
#elif defined(BATCHWORK_VENDOR_HIP)
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#elif defined(BATCHWORK_VENDOR_THREADS)
  ThreadAsLane::meet(together);
#endif
}
/// Exchanges a number with the lane of a group of L whose rank differs by the bit `step`.
template <int L = 32, class T>
BATCHWORK_INLINE T shuffle_xor(T const& x, [[maybe_unused]] int step,
                               [[maybe_unused]] int together = 32) {
#if defined(BATCHWORK_VENDOR_CUDA)
  return __shfl_xor_sync(0xffffffffu, x, step, L);
#elif defined(BATCHWORK_VENDOR_HIP)
  return __shfl_xor(x, step);
#elif defined(BATCHWORK_VENDOR_THREADS)
  T y = x;
  ThreadAsLane::exchange(&y, int(sizeof(T)), ThreadAsLane::rank() ^ step, together);
  return y;
#else
  return x;
#endif
}
/// The value that the lane `from` of the L of a group holds.
template <int L, class T>
BATCHWORK_INLINE T shuffle(T const& x, [[maybe_unused]] int from) {
#if defined(BATCHWORK_VENDOR_CUDA)
  return __shfl_sync(0xffffffffu, x, from, L);
#elif defined(BATCHWORK_VENDOR_HIP)
  return __shfl(x, from, L);
#elif defined(BATCHWORK_VENDOR_THREADS)
  T y = x;
  ThreadAsLane::exchange(&y, int(sizeof(T)), ThreadAsLane::rank() / L * L + from, 32);
  return y;
#else
  return x;
#endif
}

/// The calling lane's rank in its warp.
BATCHWORK_INLINE int lane_id() {
#if defined(BATCHWORK_VENDOR_CUDA)
  int rank;
  asm("mov.u32 %0, %%laneid;" : "=r"(rank));
  return rank;
#elif defined(BATCHWORK_VENDOR_HIP)
  return int(__lane_id());
#elif defined(BATCHWORK_VENDOR_THREADS)
  return ThreadAsLane::rank() % warp_lanes;
#else
  return 0;
#endif
}

/// Whether x is true in any lane of the warp. Available where has_shuffles.
BATCHWORK_INLINE bool any_of_warp(bool x) {
#if defined(BATCHWORK_VENDOR_CUDA)
  return __any_sync(0xffffffffu, x);
#elif defined(BATCHWORK_VENDOR_HIP)
  return __any(x) != 0;
#elif defined(BATCHWORK_VENDOR_THREADS)
  for (int step = 1; step < 32; step *= 2) x = shuffle_xor(x, step) || x;
  return x;
#else
  return x;
#endif
}

/// Bit l of the result says whether x is true in lane l of the 32. All of them must call it.
/// Available where has_shuffles.
BATCHWORK_INLINE unsigned ballot(bool x) {
#if defined(BATCHWORK_VENDOR_CUDA)
  return __ballot_sync(0xffffffffu, x);
#elif defined(BATCHWORK_VENDOR_HIP)
  return unsigned(__ballot(x) >> (__lane_id() & 32u));
#elif defined(BATCHWORK_THREADS_AS_LANES)
  unsigned votes = x ? 1u << ThreadAsLane::rank() % 32 : 0u;
  for (int step = 1; step < 32; step *= 2) votes |= shuffle_xor(votes, step);
  return votes;
#else
  return x ? 1u : 0u;
#endif
}

/// Bit l of the result says whether x is true in lane l of a group of L; `lane` is the calling
/// lane. Available where has_shuffles.
template <int L>
BATCHWORK_INLINE unsigned ballot(bool x, int lane) {
  unsigned const votes = ballot(x);
  return L == 32 ? votes : votes >> ((lane_id() - lane) & 31) & ((1u << L % 32) - 1u);
}

/// Waits for the lanes of the caller's warp, all of which must call it. The portable version waits
/// for the whole team, all of which must call it.
template <class Member>
BATCHWORK_INLINE void warp_sync([[maybe_unused]] Member const& member) {
#if defined(BATCHWORK_VENDOR_WARPS)
  warp_sync();
#else
  member.team_barrier();
#endif
}

/// Whether the caller's warp is complete: the last warp of a team may have fewer lanes.
BATCHWORK_INLINE bool warp_is_whole() {
#if defined(BATCHWORK_VENDOR_CUDA)
  unsigned const lane = threadIdx.y * blockDim.x + threadIdx.x;
  return (lane | 31u) < blockDim.x * blockDim.y;
#else
  return false;
#endif
}

}  // namespace Batchwork::Impl::Vendor

#endif
