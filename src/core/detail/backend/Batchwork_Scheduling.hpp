// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What compilers must not move, keep, merge or copy: loads at a barrier, numbers they know nothing
/// about, choices without a branch, and separate code for each constant.
#ifndef BATCHWORK_SCHEDULING_HPP
#define BATCHWORK_SCHEDULING_HPP

#include <cstdint>
#include <type_traits>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"

namespace Batchwork::Impl::Vendor {

/// Prevents the compiler from delaying earlier loads until their numbers are used, which saves
/// registers but waits for the loads one by one.
BATCHWORK_INLINE void begin_waiting() {
#if defined(BATCHWORK_VENDOR_CUDA)
  __syncwarp(__activemask());
#endif
}

/// Prevents the compiler from moving loads across: values are loaded again afterwards, instead of
/// being kept in registers until they spill. It costs nothing itself.
BATCHWORK_INLINE void compiler_barrier() {
#if defined(BATCHWORK_VENDOR_CUDA)
  asm volatile("" ::: "memory");
#endif
}

/// The same for the scheduler of the assembler, where the lanes of a warp execute together: a wait
/// across which no access to scratch is moved.
BATCHWORK_INLINE void scheduling_barrier() {
#if defined(BATCHWORK_VENDOR_CUDA)
  __syncwarp();
#endif
}

/// The same number, without any knowledge of the compiler about it: results computed from it are
/// computed again in every iteration of a loop, instead of once before the loop and kept in
/// registers.
BATCHWORK_INLINE int renewed(int x) {
#if defined(BATCHWORK_VENDOR_CUDA)
  asm volatile("" : "+r"(x));
#endif
  return x;
}
BATCHWORK_INLINE std::int64_t renewed(std::int64_t x) {
#if defined(BATCHWORK_VENDOR_CUDA)
  asm volatile("" : "+l"(x));
#endif
  return x;
}

/// a if `first`, else b, without a branch: compilers would copy the shuffles that follow into both
/// parts of it, where the lanes of a warp are apart.
template <class T>
BATCHWORK_INLINE T choose(bool first, T const& a, T const& b) {
#if defined(BATCHWORK_VENDOR_CUDA)
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    T x;
    if constexpr (sizeof(T) == 4)
      asm("{ .reg .pred is;\nsetp.ne.s32 is, %3, 0;\nselp.f32 %0, %1, %2, is; }"
          : "=f"(x)
          : "f"(a), "f"(b), "r"(int(first)));
    else
      asm("{ .reg .pred is;\nsetp.ne.s32 is, %3, 0;\nselp.f64 %0, %1, %2, is; }"
          : "=d"(x)
          : "d"(a), "d"(b), "r"(int(first)));
    return x;
  }
#endif
  return first ? a : b;
}

/// Runs body(I) for the I = `which` of 0 .. N - 1, with separate code for each, so that the body
/// indexes registers by a constant. If a compiler merged the cases it would have to index memory.
template <int N, int I = 0, class Body>
BATCHWORK_INLINE void with_constant(int which, Body const& body) {
  if constexpr (I < N) {
    if (which == I) {
      body(std::integral_constant<int, I>());
#if defined(BATCHWORK_VENDOR_CUDA)
      asm volatile("" ::"n"(I));
#endif
    } else {
      with_constant<N, I + 1>(which, body);
    }
  }
}

}  // namespace Batchwork::Impl::Vendor

#endif
