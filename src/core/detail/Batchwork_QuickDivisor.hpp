// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Division by a number that is known only at run time but used for many dividends, by a
/// multiplication.
#ifndef BATCHWORK_QUICKDIVISOR_HPP
#define BATCHWORK_QUICKDIVISOR_HPP

#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"

namespace Batchwork::Impl {

/// Exact while the dividend times the divisor d is below 2^32. The quotient is floor((n + 1)
/// floor((2^32 - 1) / d) / 2^32), also for d = 1: Robison, "N-bit unsigned division via N-bit
/// multiply-add" (2005).
struct QuickDivisor {
  std::uint32_t factor = ~std::uint32_t(0);  ///< for the divisor 1 by default

  QuickDivisor() = default;
  explicit QuickDivisor(std::int64_t divisor) {
    if (divisor > 1) factor = std::uint32_t(~std::uint32_t(0) / std::uint64_t(divisor));
  }
  template <class I>
  BATCHWORK_INLINE I quotient(I dividend) const {
    return I((std::uint64_t(std::uint32_t(dividend)) * factor + factor) >> 32);
  }
};

}  // namespace Batchwork::Impl

#endif
