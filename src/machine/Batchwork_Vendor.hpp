// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The one file with code for particular vendors' machines. Everything in it has a portable counterpart that
/// stands beside it; defining BATCHWORK_DISABLE_VENDOR (CMake: Batchwork_ENABLE_VENDOR=OFF) selects that.
#ifndef BATCHWORK_VENDOR_HPP
#define BATCHWORK_VENDOR_HPP

#include <Kokkos_Core.hpp>

#include "machine/Batchwork_Macros.hpp"

#if !defined(BATCHWORK_DISABLE_VENDOR) && !defined(__CUDACC__) && !defined(__HIPCC__) && \
    defined(__SSE2__)
#include <immintrin.h>
#define BATCHWORK_VENDOR_X86 1
#endif
#if !defined(BATCHWORK_DISABLE_VENDOR) && defined(__CUDA_ARCH__)
#define BATCHWORK_VENDOR_CUDA 1
#endif

namespace Batchwork::Impl::Vendor {

// ---- lanes of a team ------------------------------------------------------------------------------------------

/// The linear rank of the calling lane over team size times vector length, and how many there are. CUDA only: the
/// portable path has no lane rank.
template <class Member>
BATCHWORK_INLINE int lane_rank(Member const&) {
#if defined(BATCHWORK_VENDOR_CUDA)
  return static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
#else
  return 0;
#endif
}
template <class Member>
BATCHWORK_INLINE int lane_count(Member const&) {
#if defined(BATCHWORK_VENDOR_CUDA)
  return static_cast<int>(blockDim.x * blockDim.y);
#else
  return 1;
#endif
}

/// Runs `body(k)` for k = 0 .. n-1, one k per lane at a time, over all lanes of the team (team size times vector
/// length). No synchronisation. Called by all threads of the team, outside nested ranges.
template <class Member, class Body>
BATCHWORK_INLINE void for_each_lane(Member const& member, int n, Body const& body) {
#if defined(BATCHWORK_VENDOR_CUDA)
  (void)member;
  // threadIdx.x runs over the vector lanes, threadIdx.y over the threads of a Kokkos team.
  int const lane = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  int const lanes = static_cast<int>(blockDim.x * blockDim.y);
  for (int k = lane; k < n; k += lanes) body(k);
#else
  Kokkos::parallel_for(Kokkos::TeamVectorRange(member, n), body);
#endif
}

// ---- asynchronous copies -----------------------------------------------------------------------------------------

/// Whether copies to team scratch can run beside the arithmetic.
#if defined(BATCHWORK_VENDOR_CUDA) && __CUDA_ARCH__ >= 800
#define BATCHWORK_VENDOR_ASYNC 1
#endif

/// The same, for the host that reserves the scratch.
#if !defined(BATCHWORK_DISABLE_VENDOR) && defined(__CUDACC__)
inline constexpr bool copies_asynchronously = true;
#else
inline constexpr bool copies_asynchronously = false;
#endif

/// Starts a copy of Bytes (4, 8 or 16, aligned alike) from device memory to team scratch.
template <int Bytes>
BATCHWORK_INLINE void copy_async(void* scratch, void const* global) {
#if defined(BATCHWORK_VENDOR_ASYNC)
  auto const to = static_cast<unsigned>(__cvta_generic_to_shared(scratch));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(Bytes)
               : "memory");
#else
  // Devices without the instruction copy at once.
  for (int k = 0; k < Bytes / 4; ++k)
    static_cast<int*>(scratch)[k] = static_cast<int const*>(global)[k];
#endif
}
/// Waits for the copies that this lane has started; its own copies are then seen by this lane.
BATCHWORK_INLINE void wait_for_copies() {
#if defined(BATCHWORK_VENDOR_ASYNC)
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// ---- scheduling -----------------------------------------------------------------------------------------------

/// Keeps the compiler from moving loads across: values read before are read again after, instead of being kept in
/// registers until they spill. Costs nothing itself.
BATCHWORK_INLINE void forget_loads() {
#if defined(BATCHWORK_VENDOR_CUDA)
  asm volatile("" ::: "memory");
#endif
}

// ---- arithmetic -----------------------------------------------------------------------------------------------

/// A native SIMD square root for vectors of W numbers; std::sqrt may set errno and is therefore not vectorised.
template <class T, int W>
inline constexpr bool has_simd_sqrt =
#if defined(BATCHWORK_VENDOR_X86)
    (sizeof(T) * W == 16)
#if defined(__AVX__)
    || (sizeof(T) * W == 32)
#endif
#if defined(__AVX512F__)
    || (sizeof(T) * W == 64)
#endif
#else
    false
#endif
    ;

template <class V>
inline V simd_sqrt(V const& v) {
#if defined(BATCHWORK_VENDOR_X86)
  constexpr bool single = sizeof(v[0]) == 4;
  if constexpr (sizeof(V) == 16) {
    if constexpr (single) return (V)_mm_sqrt_ps((__m128)v);
    else return (V)_mm_sqrt_pd((__m128d)v);
  }
#if defined(__AVX__)
  if constexpr (sizeof(V) == 32) {
    if constexpr (single) return (V)_mm256_sqrt_ps((__m256)v);
    else return (V)_mm256_sqrt_pd((__m256d)v);
  }
#endif
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) {
    if constexpr (single) return (V)_mm512_sqrt_ps((__m512)v);
    else return (V)_mm512_sqrt_pd((__m512d)v);
  }
#endif
#endif
  return v;
}

}  // namespace Batchwork::Impl::Vendor

#endif
