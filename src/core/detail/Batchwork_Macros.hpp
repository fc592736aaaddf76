// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The macros of the library: function annotations and loop unrolling.
#ifndef BATCHWORK_MACROS_HPP
#define BATCHWORK_MACROS_HPP

#include <Kokkos_Macros.hpp>

#if !defined(__cpp_exceptions)
#error "Batchwork needs exceptions: compile without -fno-exceptions"
#endif

/// Every operation on tiles is inlined into the user's sequence: only then do values stay in
/// registers.
#define BATCHWORK_INLINE KOKKOS_FORCEINLINE_FUNCTION

/// For types: a result of the type that is dropped gives a warning. Compilers based on EDG, such as
/// nvcc, warn about references as well, which assignments return.
#if defined(__EDG__) || defined(__NVCC__)
#define BATCHWORK_NODISCARD
#else
#define BATCHWORK_NODISCARD [[nodiscard]]
#endif

/// For code that a kernel uses in several places and that is long compared with a call. With CUDA
/// it is one function with its own registers, as long as its arguments are values. Elsewhere calls
/// would cost more.
#if defined(__CUDACC__)
#define BATCHWORK_OUT_OF_LINE KOKKOS_FUNCTION __noinline__
#else
#define BATCHWORK_OUT_OF_LINE BATCHWORK_INLINE
#endif

/// All functions that it calls are inlined into it.
#if defined(__GNUC__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#define BATCHWORK_FLATTEN __attribute__((flatten))
#else
#define BATCHWORK_FLATTEN
#endif

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__SYCL_DEVICE_ONLY__)
#define BATCHWORK_DEVICE_PASS 1
#endif

/// Loops with constant bounds:
/// - BATCHWORK_UNROLL: unrolled everywhere (short loops over a register block).
/// - BATCHWORK_UNROLL_ON_DEVICE: fully unrolled on devices, where an array stays in registers only
///   if every index is a constant; up to eight iterations on hosts.
/// - BATCHWORK_LOOP_ON_HOST: unrolled on devices; a loop on hosts, whose body is a register block.
///   Unrolled, a sequence over 8x8 tiles would exceed the instruction cache and keep more values
///   than there are registers.
/// - BATCHWORK_KEEP_LOOP: a loop on devices; only used in device code.
/// - BATCHWORK_UNROLL_SOME: a loop on devices with a few iterations at once, so that one waits
///   while another works.
/// - BATCHWORK_ROLLED: a loop everywhere, because its body is long or only the caller knows the
///   number of iterations.
/// - BATCHWORK_UNROLL_IF_KNOWN: unrolled on devices if the number of iterations is known. clang,
///   which would warn otherwise, decides itself.
#if !defined(BATCHWORK_DEVICE_PASS)
#define BATCHWORK_UNROLL_IF_KNOWN
#define BATCHWORK_KEEP_LOOP
#define BATCHWORK_UNROLL_SOME
#endif
#if defined(BATCHWORK_DEVICE_PASS)
#if defined(__clang__)
#define BATCHWORK_UNROLL_IF_KNOWN
#else
#define BATCHWORK_UNROLL_IF_KNOWN _Pragma("unroll")
#endif
#define BATCHWORK_KEEP_LOOP _Pragma("unroll 1")
#define BATCHWORK_UNROLL_SOME _Pragma("unroll 4")
#define BATCHWORK_UNROLL _Pragma("unroll")
#define BATCHWORK_UNROLL_ON_DEVICE _Pragma("unroll")
#define BATCHWORK_LOOP_ON_HOST _Pragma("unroll")
#define BATCHWORK_ROLLED _Pragma("unroll 1")
#elif defined(__CUDACC__)
#define BATCHWORK_ROLLED
#define BATCHWORK_UNROLL
#define BATCHWORK_UNROLL_ON_DEVICE
#define BATCHWORK_LOOP_ON_HOST
#elif defined(__clang__)
#define BATCHWORK_UNROLL _Pragma("unroll")
#define BATCHWORK_UNROLL_ON_DEVICE
#define BATCHWORK_LOOP_ON_HOST _Pragma("clang loop unroll(disable)")
#define BATCHWORK_ROLLED BATCHWORK_LOOP_ON_HOST
#elif defined(__GNUC__)
#define BATCHWORK_UNROLL _Pragma("GCC unroll 16")
#define BATCHWORK_UNROLL_ON_DEVICE _Pragma("GCC unroll 8")
#define BATCHWORK_LOOP_ON_HOST _Pragma("GCC unroll 1")
#define BATCHWORK_ROLLED BATCHWORK_LOOP_ON_HOST
#else
#define BATCHWORK_ROLLED
#define BATCHWORK_UNROLL
#define BATCHWORK_UNROLL_ON_DEVICE
#define BATCHWORK_LOOP_ON_HOST
#endif

#endif
