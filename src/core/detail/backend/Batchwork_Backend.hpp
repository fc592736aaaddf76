// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Which vendor's code is compiled: the macros that the other headers of this folder ask, and
/// constants that follow from them. Only this folder has code for particular vendors' devices. All
/// of it has a portable counterpart next to it, which is used if BATCHWORK_DISABLE_VENDOR is
/// defined (CMake: Batchwork_ENABLE_VENDOR=OFF).
#ifndef BATCHWORK_BACKEND_HPP
#define BATCHWORK_BACKEND_HPP

#include <Kokkos_Macros.hpp>

#if !defined(BATCHWORK_DISABLE_VENDOR) && !defined(__CUDACC__) && !defined(__HIPCC__) && \
    defined(__SSE2__)
#define BATCHWORK_VENDOR_X86 1
#endif
#if !defined(BATCHWORK_DISABLE_VENDOR) && defined(__CUDA_ARCH__)
#define BATCHWORK_VENDOR_CUDA 1
#endif
#if !defined(BATCHWORK_DISABLE_VENDOR) && defined(__HIP_DEVICE_COMPILE__)
#define BATCHWORK_VENDOR_HIP 1
#endif
// Tests define BATCHWORK_THREADS_AS_LANES as the number of lanes in a warp; or as 1, for the
// portable path.
#if defined(BATCHWORK_THREADS_AS_LANES)
#if BATCHWORK_THREADS_AS_LANES > 1
#define BATCHWORK_VENDOR_THREADS 1
#endif
#endif
// True in all passes of a compiler for such devices.
#if (!defined(BATCHWORK_DISABLE_VENDOR) && (defined(__CUDACC__) || defined(__HIPCC__))) || \
    defined(BATCHWORK_VENDOR_THREADS)
#define BATCHWORK_VENDOR_WARPS 1
#endif
// Copies to team scratch can run beside the arithmetic.
#if defined(BATCHWORK_VENDOR_CUDA) && __CUDA_ARCH__ >= 800
#define BATCHWORK_VENDOR_ASYNC 1
#endif

namespace Batchwork::Impl::Vendor {

/// Whether the lanes of a warp read each other's numbers without scratch. The host needs it as
/// well, because it reserves the scratch.
#if defined(BATCHWORK_VENDOR_WARPS)
inline constexpr bool has_shuffles = true;
#else
inline constexpr bool has_shuffles = false;
#endif

/// The lanes of a warp; wavefronts of AMD's gfx9 have 64. No code relies on more than 32 lanes
/// executing together, but these lanes synchronise without scratch or barriers.
inline constexpr int warp_lanes =
#if defined(BATCHWORK_VENDOR_THREADS)
    BATCHWORK_THREADS_AS_LANES;
#elif defined(KOKKOS_ENABLE_HIP) &&                                            \
    (defined(KOKKOS_ARCH_AMD_GFX906) || defined(KOKKOS_ARCH_AMD_GFX908) ||     \
     defined(KOKKOS_ARCH_AMD_GFX90A) || defined(KOKKOS_ARCH_AMD_GFX940) ||     \
     defined(KOKKOS_ARCH_AMD_GFX942) || defined(KOKKOS_ARCH_AMD_GFX942_APU) || \
     defined(KOKKOS_ARCH_AMD_GFX950))
    64;
#else
    32;
#endif

#if defined(BATCHWORK_THREADS_AS_LANES)
/// Lanes that are threads of a host, in warps of this size, for tests. The program that runs the
/// threads defines it.
struct ThreadAsLane {
  static int rank();   ///< the rank in the team
  static int count();  ///< the lanes of the team
  /// Waits for the calling thread's group of so many neighbours.
  static void meet(int together);
  /// Replaces a number of so many bytes by the number of another lane of the group.
  static void exchange(void* number, int bytes, int from, int together);
};
#endif

}  // namespace Batchwork::Impl::Vendor

#endif
