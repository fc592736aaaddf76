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
  /// The same copy, of words of the same size and alignment instead of numbers.
  template <class Word>
  CopyProblem<Word> in_words() const {
    static_assert(sizeof(Word) == sizeof(T) && alignof(Word) == alignof(T));
    return {{reinterpret_cast<Word*>(to.data), to.width, to.group, to.lane, to.row, to.col},
            {reinterpret_cast<Word const*>(from.data), from.width, from.group, from.lane, from.row,
             from.col},
            items,
            rows,
            cols};
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
