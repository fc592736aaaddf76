// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// IndexPositions: the indices of a View in the order of items, rows and columns.
#ifndef BATCHWORK_INDEX_POSITIONS_HPP
#define BATCHWORK_INDEX_POSITIONS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/detail/Batchwork_IndexRange.hpp"
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
    return Impl::is_in_range(at(q), extent);
  }
};

template <class I>
struct WidenIndices {
  IndexPositions<I> index;
  std::int64_t* to;
  KOKKOS_FUNCTION void operator()(std::int64_t q) const {
    to[q] = static_cast<std::int64_t>(index.at(q));
  }
};

/// All indices of a batch in 64 bits, in memory of their own. Waits for nothing.
template <class Batch>
auto widened_indices(std::string const& label, Batch const& batch) {
  using I = std::remove_const_t<typename Batch::value_type>;
  using Memory = typename Batch::memory_space;
  IndexPositions<I> const all(batch);
  Kokkos::View<std::int64_t*, Memory> const wide(
      Kokkos::view_alloc(label, Kokkos::WithoutInitializing), std::size_t(all.count));
  Kokkos::parallel_for(
      label,
      Kokkos::RangePolicy<typename Memory::execution_space, Kokkos::IndexType<std::int64_t>>(
          0, all.count),
      WidenIndices<I>{all, wide.data()});
  return wide;
}

}  // namespace Batchwork::Impl

#endif
