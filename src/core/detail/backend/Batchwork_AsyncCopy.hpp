// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Copies from device memory to team scratch that run beside the arithmetic.
#ifndef BATCHWORK_ASYNC_COPY_HPP
#define BATCHWORK_ASYNC_COPY_HPP

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"

namespace Batchwork::Impl::Vendor {

/// Whether copies to team scratch can run beside the arithmetic. The host needs it as well, because
/// it reserves the scratch.
#if (!defined(BATCHWORK_DISABLE_VENDOR) && defined(__CUDACC__)) || defined(BATCHWORK_VENDOR_THREADS)
inline constexpr bool has_async_copies = true;
#else
inline constexpr bool has_async_copies = false;
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
/// The same if `there`; else zeros, and nothing is read. `around`: other teams will read the
/// neighbouring data soon, so that all 128 bytes are loaded from memory at once. No lane reads it
/// from the first-level cache, which is bypassed for 16 bytes (PTX ISA, cp.async).
template <int Bytes, bool Around = false>
BATCHWORK_INLINE void copy_async(void* scratch, void const* global, bool there) {
#if defined(BATCHWORK_VENDOR_ASYNC)
  auto const to = static_cast<unsigned>(__cvta_generic_to_shared(scratch));
  int const bytes = there ? Bytes : 0;
  if constexpr (Around && Bytes == 16)
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(global),
                 "r"(bytes)
                 : "memory");
  else if constexpr (Around)
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], %2, %3;" ::"r"(to), "l"(global),
                 "n"(Bytes), "r"(bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(global), "n"(Bytes),
                 "r"(bytes)
                 : "memory");
#else
  for (int k = 0; k < Bytes / 4; ++k)
    static_cast<int*>(scratch)[k] = there ? static_cast<int const*>(global)[k] : 0;
#endif
}
/// Waits for the copies that this lane has started; its own copies are then seen by this lane.
BATCHWORK_INLINE void copy_async_wait() {
#if defined(BATCHWORK_VENDOR_ASYNC)
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
/// Makes a group of the copies that this lane has started since the group before.
BATCHWORK_INLINE void copy_async_commit() {
#if defined(BATCHWORK_VENDOR_ASYNC)
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/// Waits for all groups of this lane's copies except the last ones.
template <int Last>
BATCHWORK_INLINE void copy_async_wait_prior() {
#if defined(BATCHWORK_VENDOR_ASYNC)
  asm volatile("cp.async.wait_group %0;" ::"n"(Last) : "memory");
#endif
}

}  // namespace Batchwork::Impl::Vendor

#endif
