// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Storage: the memory of a batch, with extents and strides known at run time. Copies use it: they
/// build no tiles, so extents are neither static nor limited.
#ifndef BATCHWORK_STORAGE_HPP
#define BATCHWORK_STORAGE_HPP

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "core/detail/Batchwork_Macros.hpp"
#include "view/Batchwork_TransposedView.hpp"
#include "view/detail/Batchwork_Source.hpp"

namespace Batchwork {
namespace Impl {

/// Entry (i, j) of item n is data[(n / width) * group + (n % width) * lane + i * row + j * col].
/// Strides count numbers. With a width of 0 items may be anywhere: item n begins at
/// data[begins[n]], `group` is the address of begins, and `lane` an odd distance that is larger
/// than an item. See items_anywhere.
template <class T>
struct Storage {
  T* data;
  std::int64_t width, group, lane;  ///< not compact: groups of one item
  std::int64_t row, col;

  Storage<T const> as_const() const { return {data, width, group, lane, row, col}; }
};

template <class T>
BATCHWORK_INLINE std::int64_t const* begins_of(Storage<T> const& s) {
  return reinterpret_cast<std::int64_t const*>(s.group);
}
/// Where item number `item` begins.
template <class T>
BATCHWORK_INLINE T* item_of(Storage<T> const& s, std::int64_t item) {
  if (s.width == 1) return s.data + item * s.group;
  if (s.width == 0) return s.data + begins_of(s)[item];
  std::int64_t const g = item / s.width;
  return s.data + g * s.group + (item - g * s.width) * s.lane;
}

/// Items that begin at data[begins[n]].
template <class T>
Storage<T> items_anywhere(T* data, std::int64_t const* begins, std::int64_t row, std::int64_t col) {
  return {data, 0, reinterpret_cast<std::intptr_t>(begins), std::int64_t(1) << 40 | 1, row, col};
}

/// Whether the same number of the neighbouring item is closer in memory than the next number of the
/// item.
template <class T>
bool items_are_near(Storage<T> const& s, std::int64_t rows, std::int64_t cols) {
  std::int64_t const item = s.width == 1 ? s.group : s.lane;
  return (rows < 2 || item < s.row) && (cols < 2 || item < s.col);
}
/// Whether the rows of an item are closer in memory than its columns.
template <class T>
bool rows_are_near(Storage<T> const& s, std::int64_t rows, std::int64_t cols) {
  return rows > 1 && cols > 1 && s.row < s.col;
}

/// The memory of an operand's matrices, and the direction in which its numbers are adjacent.
template <class T>
struct StoredItems {
  Storage<T> storage{};
  bool items_near = false, rows_near = false;

  StoredItems() = default;
  StoredItems(Storage<T> const& s, std::int64_t rows, std::int64_t cols)
      : storage(s),
        items_near(items_are_near(s, rows, cols)),
        rows_near(rows_are_near(s, rows, cols)) {}
};
/// An operand without its first c columns.
template <class T>
BATCHWORK_INLINE StoredItems<T> columns_from(StoredItems<T> s, int c) {
  s.storage.data += c * s.storage.col;
  return s;
}

/// A batch on the host, for verbs on whole matrices. TileRank is the number of an item's own
/// indices.
template <class T, int TileRank, class Memory>
struct StoredBatch {
  static constexpr int tile_rank = TileRank;
  using value_type = T;  // const for a const View
  using memory_space = Memory;
  Storage<T> storage;
  std::int64_t rows, cols;
  Description description;
};

/// The arguments of copies: a View, compact(view, n), extents<...>(view), or transposed(...) of
/// these.
template <class X>
concept Copyable = Viewish<X> || is_transposed_view<X>;

template <class V, Structure St, bool IsCompact, int... E>
auto stored(Adapted<V, St, IsCompact, E...> const& a) {
  constexpr int rank = int(V::rank()), tile_rank = rank - 1 - int(IsCompact);
  static_assert(tile_rank >= 0 && tile_rank <= 2,
                "Batchwork: the View's rank does not fit: the item comes first, then two "
                "indices for matrices, one for vectors, none for scalars (and the lane index of "
                "compact storage)");
  static_assert(
      St == Structure::general,
      "Batchwork: this verb takes general matrices; leave out symmetric, lower and diagonal");
  static_assert(sizeof...(E) == 0 || int(sizeof...(E)) == tile_rank,
                "Batchwork: extents<...>(view) must give as many extents as the tile has indices");
  static_assert(!IsCompact || std::is_same_v<typename V::array_layout, Kokkos::LayoutRight>,
                "Batchwork::compact: the View must be LayoutRight");

  std::int64_t extent[rank], stride[rank];
  for (int r = 0; r < rank; ++r) {
    extent[r] = std::int64_t(a.view.extent(r));
    stride[r] = std::int64_t(a.view.stride(r));
  }
  StoredBatch<typename V::value_type, tile_rank, typename V::memory_space> b{
      {a.view.data(), 1, stride[0], 0, 0, 0}, 1, 1, describe_view(a.view)};
  if constexpr (IsCompact) {
    b.storage.width = extent[rank - 1];
    b.storage.lane = stride[rank - 1];
  }
  if constexpr (tile_rank > 0) {
    b.rows = extent[1];
    b.storage.row = stride[1];
  }
  if constexpr (tile_rank > 1) {
    b.cols = extent[2];
    b.storage.col = stride[2];
  }

  Description& d = b.description;
  d.items = IsCompact ? a.compact_items : extent[0];
  d.shape = tile_rank == 0
                ? "scalar"
                : std::to_string(b.rows) + (tile_rank == 2 ? "x" + std::to_string(b.cols) : "");
  if constexpr (sizeof...(E) > 0) {
    constexpr std::int64_t given[] = {E...};
    for (int k = 0; k < tile_rank; ++k)
      if (extent[1 + k] != given[k])
        d.problem =
            "the View's own extents differ from those given by extents<...>; give the extents the "
            "View has";
  }
  if constexpr (IsCompact) {
    std::string const few = compact_problem(a.compact_items, extent[0], extent[rank - 1]);
    if (!few.empty()) d.problem = few;
  }
  if (a.reversed) d.problem = reversed_problem;
  return b;
}
template <class V>
  requires Kokkos::is_view_v<V>
auto stored(V const& view) {
  return stored(adapted(view));
}
/// The same matrices, transposed.
template <class T, int TileRank, class Memory>
auto turned(StoredBatch<T, TileRank, Memory> b) {
  static_assert(TileRank == 2,
                "Batchwork::transposed: the View must hold matrices: (item, row, column)");
  std::swap(b.rows, b.cols);
  std::swap(b.storage.row, b.storage.col);
  b.description.shape = std::to_string(b.rows) + "x" + std::to_string(b.cols);
  return b;
}
template <class A>
auto stored(TransposedView<A> const& t) {
  return turned(stored(t.view));
}

}  // namespace Impl

}  // namespace Batchwork

#endif
