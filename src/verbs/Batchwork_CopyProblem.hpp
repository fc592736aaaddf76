// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What a copy between arrangements is given, and what its kernels share.
#ifndef BATCHWORK_COPYPROBLEM_HPP
#define BATCHWORK_COPYPROBLEM_HPP

#include <bit>
#include <cstdint>
#include <utility>

#include "machine/Batchwork_Macros.hpp"
#include "operand/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// to(n, i, j) = from(n, i, j) for all items, rows and columns.
template <class T>
struct CopyProblem {
  Storage<T> to;
  Storage<T const> from;
  std::int64_t items, rows, cols;

  void transpose() {
    std::swap(rows, cols);
    std::swap(to.row, to.col);
    std::swap(from.row, from.col);
  }
};

/// Division by a number d that is known at launch: exact while dividend times d is below 2^32. The quotient is
/// floor((n + 1) floor((2^32 - 1) / d) / 2^32), for d = 1 too: Robison, "N-bit unsigned division via N-bit
/// multiply-add" (2005).
struct Divisor {
  std::uint32_t factor = ~std::uint32_t(0);

  static Divisor of(std::uint32_t d) { return {~std::uint32_t(0) / d}; }
  BATCHWORK_INLINE std::uint32_t quotient(std::uint32_t n) const {
    return std::uint32_t((std::uint64_t(n) * factor + factor) >> 32);
  }
};

/// How many numbers of T fill 16 bytes, what a lane moves at once where it can.
template <class T>
inline constexpr int numbers_together = std::has_single_bit(sizeof(T)) ? int(16 / sizeof(T)) : 1;

/// Whether V numbers from here on can be moved at once.
template <class T>
bool aligned_for(T const* p, int V) {
  return reinterpret_cast<std::uintptr_t>(p) % (std::uintptr_t(V) * sizeof(T)) == 0;
}

}  // namespace Batchwork::Impl

#endif
