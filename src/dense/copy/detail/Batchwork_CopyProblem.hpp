// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What a copy between arrangements is given, and what its kernels share.
#ifndef BATCHWORK_COPYPROBLEM_HPP
#define BATCHWORK_COPYPROBLEM_HPP

#include <bit>
#include <cstdint>
#include <utility>

#include "view/detail/layout/Batchwork_Storage.hpp"

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
