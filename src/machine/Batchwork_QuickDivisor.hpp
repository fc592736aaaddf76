// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Division by a number that is known only at run time but the same for many dividends, by a multiplication.
#ifndef BATCHWORK_QUICKDIVISOR_HPP
#define BATCHWORK_QUICKDIVISOR_HPP

#include <cstdint>

#include "machine/Batchwork_Macros.hpp"

namespace Batchwork::Impl {

/// Exact while dividend times divisor is below 2^32, by the reciprocal rounded up to 32 binary places (Granlund and
/// Montgomery 1994).
struct QuickDivisor {
  std::uint32_t reciprocal = 0;  ///< 0 stands for a divisor of 1

  QuickDivisor() = default;
  explicit QuickDivisor(std::int64_t divisor) {
    if (divisor > 1)
      reciprocal = std::uint32_t((std::uint64_t(1) << 32) / std::uint64_t(divisor) + 1);
  }
  BATCHWORK_INLINE int quotient(int dividend) const {
    if (reciprocal == 0) return dividend;
    return int((std::uint64_t(std::uint32_t(dividend)) * reciprocal) >> 32);
  }
};

}  // namespace Batchwork::Impl

#endif
