// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Loads, stores and prefetches that a compiler does not choose itself, and what it should know
/// about a pointer.
#ifndef BATCHWORK_MEMORY_ACCESS_HPP
#define BATCHWORK_MEMORY_ACCESS_HPP

#include <type_traits>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"

namespace Batchwork::Impl::Vendor {

/// Stores V adjacent numbers at once; V numbers are aligned like one of their size, 4, 8 or 16
/// bytes. Compilers do not always find that this is allowed.
template <class T, int V>
BATCHWORK_INLINE void store_vector(T* to, T const (&x)[V]) {
#if defined(BATCHWORK_VENDOR_CUDA)
  if constexpr (sizeof(x) == 16) {
    uint4 w;
    memcpy(&w, &x, 16);
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)),
                 "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w)
                 : "memory");
  } else if constexpr (sizeof(x) == 8) {
    uint2 w;
    memcpy(&w, &x, 8);
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(to)), "r"(w.x),
                 "r"(w.y)
                 : "memory");
  } else
#endif
  {
    BATCHWORK_UNROLL
    for (int n = 0; n < V; ++n) to[n] = x[n];
  }
}

/// Loads them from memory that is not written meanwhile.
template <class T, int V>
BATCHWORK_INLINE void load_vector(T (&x)[V], T const* from) {
#if defined(BATCHWORK_VENDOR_CUDA)
  if constexpr (sizeof(x) == 16) {
    uint4 const w = __ldg(reinterpret_cast<uint4 const*>(from));
    memcpy(&x, &w, 16);
  } else if constexpr (sizeof(x) == 8) {
    uint2 const w = __ldg(reinterpret_cast<uint2 const*>(from));
    memcpy(&x, &w, 8);
  } else
#endif
  {
    BATCHWORK_UNROLL
    for (int n = 0; n < V; ++n) x[n] = from[n];
  }
}

/// Loads a number that no lane reads again soon, so that data used by many lanes stay in the cache.
template <class T>
BATCHWORK_INLINE T load_no_allocate(T const* from) {
#if defined(BATCHWORK_VENDOR_CUDA)
  if constexpr (std::is_same_v<T, double>) {
    T x;
    asm("ld.global.L1::no_allocate.f64 %0, [%1];" : "=d"(x) : "l"(from));
    return x;
  } else if constexpr (std::is_same_v<T, float>) {
    T x;
    asm("ld.global.L1::no_allocate.f32 %0, [%1];" : "=f"(x) : "l"(from));
    return x;
  } else
#endif
    return *from;
}

/// Asks the memory of a device for the line of a number that will be read soon.
template <class T>
BATCHWORK_INLINE void prefetch([[maybe_unused]] T const* from) {
#if defined(BATCHWORK_VENDOR_CUDA)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(from)));
#endif
}

/// Prefetches the cache line of an address that will be read, or written, on a host.
template <bool Written>
BATCHWORK_INLINE void prefetch([[maybe_unused]] void const* address) {
#if defined(__GNUC__) && !defined(BATCHWORK_DEVICE_PASS)
  __builtin_prefetch(address, Written ? 1 : 0);
#endif
}

/// Loads a number from any kind of memory. Code that waits for some loads belongs after
/// begin_waiting().
template <class T>
BATCHWORK_INLINE T load_ahead(T const* from) {
#if defined(BATCHWORK_VENDOR_CUDA)
  T x;
  if constexpr (std::is_same_v<T, double>)
    asm volatile("ld.f64 %0, [%1];" : "=d"(x) : "l"(from) : "memory");
  else if constexpr (std::is_same_v<T, float>)
    asm volatile("ld.f32 %0, [%1];" : "=f"(x) : "l"(from) : "memory");
  else asm volatile("ld.s32 %0, [%1];" : "=r"(x) : "l"(from) : "memory");
  return x;
#else
  return *from;
#endif
}

/// The same pointer, with the information for the compiler that it points into team scratch, where
/// addresses are shorter. Use it only in one branch of a choice that the compiler cannot predict,
/// with code for any pointer in the other branch. If nvcc 13.0 has found out itself where p points,
/// it takes the assumption as false and removes the code that follows.
template <class T>
BATCHWORK_INLINE T* in_scratch(T* p) {
#if defined(BATCHWORK_VENDOR_CUDA)
  __builtin_assume(__isShared(p));
#endif
  return p;
}

}  // namespace Batchwork::Impl::Vendor

#endif
