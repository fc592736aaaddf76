// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The few macros the library cannot do without: function annotations and loop unrolling.
#ifndef BATCHWORK_MACROS_HPP
#define BATCHWORK_MACROS_HPP

#include <Kokkos_Macros.hpp>

/// Every operation on tiles is inlined into the user's sequence: only then do values stay in registers.
#define BATCHWORK_INLINE KOKKOS_FORCEINLINE_FUNCTION

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__SYCL_DEVICE_ONLY__)
#define BATCHWORK_DEVICE_PASS 1
#endif

/// BATCHWORK_UNROLL: the loop is unrolled everywhere (short loops over a register block).
/// BATCHWORK_UNROLL_ON_DEVICE: fully unrolled on devices only, where an array lives in registers only if every index
/// is a constant; hosts keep a real loop over memory in the first-level cache, except over tiles so small that they fit
/// in registers.
#if defined(BATCHWORK_DEVICE_PASS)
#define BATCHWORK_UNROLL _Pragma("unroll")
#define BATCHWORK_UNROLL_ON_DEVICE _Pragma("unroll")
#elif defined(__CUDACC__)
#define BATCHWORK_UNROLL
#define BATCHWORK_UNROLL_ON_DEVICE
#elif defined(__clang__)
#define BATCHWORK_UNROLL _Pragma("unroll")
#define BATCHWORK_UNROLL_ON_DEVICE
#elif defined(__GNUC__)
#define BATCHWORK_UNROLL _Pragma("GCC unroll 16")
#define BATCHWORK_UNROLL_ON_DEVICE _Pragma("GCC unroll 4")
#else
#define BATCHWORK_UNROLL
#define BATCHWORK_UNROLL_ON_DEVICE
#endif

#endif
