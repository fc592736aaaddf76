// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The number of set bits of an integer, and the lowest of them.
#ifndef BATCHWORK_BIT_COUNTS_HPP
#define BATCHWORK_BIT_COUNTS_HPP

#include <Kokkos_BitManipulation.hpp>
#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"

namespace Batchwork::Impl::Vendor {

/// The number of set bits of x, and the lowest of them.
BATCHWORK_INLINE int popcount(unsigned x) {
#if defined(BATCHWORK_VENDOR_CUDA) || defined(BATCHWORK_VENDOR_HIP)
  return __popc(x);
#else
  return Kokkos::popcount(x);
#endif
}
BATCHWORK_INLINE int popcount(std::uint64_t x) {
#if defined(BATCHWORK_VENDOR_CUDA) || defined(BATCHWORK_VENDOR_HIP)
  return __popcll(static_cast<unsigned long long>(x));
#else
  return Kokkos::popcount(x);
#endif
}
BATCHWORK_INLINE int countr_zero(unsigned x) {
#if defined(BATCHWORK_VENDOR_CUDA) || defined(BATCHWORK_VENDOR_HIP)
  return __ffs(int(x)) - 1;
#else
  return Kokkos::countr_zero(x);
#endif
}
BATCHWORK_INLINE int countr_zero(std::uint64_t x) {
#if defined(BATCHWORK_VENDOR_CUDA) || defined(BATCHWORK_VENDOR_HIP)
  return __ffsll((long long)x) - 1;
#else
  return Kokkos::countr_zero(x);
#endif
}

}  // namespace Batchwork::Impl::Vendor

#endif
