// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// IndexPositions: the indices of a View in the order of items, rows and columns.
#ifndef BATCHWORK_INDEX_POSITIONS_HPP
#define BATCHWORK_INDEX_POSITIONS_HPP

#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

template <class I>
struct IndexPositions {
  Storage<I const> storage;
  std::int64_t rows, cols, count;

  template <class Batch>
  explicit IndexPositions(Batch const& b)
      : storage(b.storage.as_const()),
        rows(b.rows),
        cols(b.cols),
        count(b.description.items * rows * cols) {}

  BATCHWORK_INLINE std::int64_t per_item() const { return rows * cols; }
  /// Index number q.
  BATCHWORK_INLINE I at(std::int64_t q) const {
    std::int64_t const item = q / per_item(), r = q - item * per_item(), i = r / cols;
    return item_of(storage, item)[i * storage.row + (r - i * cols) * storage.col];
  }
  BATCHWORK_INLINE bool is_in_range(std::int64_t q, std::int64_t extent) const {
    // A negative index is a large unsigned one.
    return static_cast<std::uint64_t>(at(q)) < static_cast<std::uint64_t>(extent);
  }
};

}  // namespace Batchwork::Impl

#endif
