// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// IndexedSource: a View and the indices that pick its items, as an operand on the host.
#ifndef BATCHWORK_INDEXED_SOURCE_HPP
#define BATCHWORK_INDEXED_SOURCE_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

#include "view/detail/Batchwork_Source.hpp"
#include "view/detail/layout/Batchwork_IndexedLocation.hpp"

namespace Batchwork::Impl {

/// What a call does with the numbers that indices pick.
enum class IndexedUse { read, write, update, add };

/// gathered(view, index) or scattered(view, index) before it becomes an operand.
template <bool Scattered, class A, class I>
struct IndexedView {
  using Begins = Kokkos::View<std::int64_t*, typename A::view_type::memory_space>;
  A view;
  I index;
  Begins begins{};  ///< where verbs on whole matrices note where items begin; may be null
};
template <class X>
inline constexpr bool is_indexed_view = false;
template <bool S, class A, class I>
inline constexpr bool is_indexed_view<IndexedView<S, A, I>> = true;

template <class A, class I, IndexedUse Use>
struct IndexedSource {
  using ViewSource = Source<A, BatchIndices::item>;
  using IndexSource = Source<I, BatchIndices::item>;
  using view_type = typename ViewSource::view_type;
  using index_type = typename IndexSource::view_type;
  using T = typename ViewSource::T;
  using Index = typename IndexSource::T;
  static constexpr int view_rank = ViewSource::tile_rank, index_rank = IndexSource::tile_rank;
  /// K matrices of each item.
  static constexpr bool picks_tiles = view_rank == 2 && index_rank == 1;
  static constexpr IndexedUse use = Use;

  static_assert(std::is_integral_v<Index> && !std::is_same_v<Index, bool>,
                "Batchwork: the indices of gathered and scattered are a View of integers: "
                "index(item) or index(item, k)");
  static_assert(!std::is_same_v<T, bool>,
                "Batchwork: gathered and scattered take Views of numbers; pass truths as a View of "
                "std::int32_t");
  static_assert(view_rank + index_rank <= 2 || picks_tiles,
                "Batchwork: the indices of a tile are those of the index View and those of the "
                "View, at most two of both: index(item) picks a tile, index(item, k) rows or "
                "numbers, index(item, i, j) numbers");
  static_assert(!picks_tiles || Use == IndexedUse::read,
                "Batchwork::scattered: index(item, k) of a View of matrices is for gathered; pass "
                "an operand for each k: scattered(view, Kokkos::subview(index, Kokkos::ALL, k))");
  static_assert(ViewSource::shape::structure == Structure::general || index_rank == 0 ||
                    picks_tiles,
                "Batchwork: symmetric, lower and diagonal describe the tiles that index(item) "
                "picks; leave them out if each row or number has its own index");
  static_assert(
      Kokkos::SpaceAccessibility<typename view_type::memory_space,
                                 typename index_type::memory_space>::assignable ||
          std::is_same_v<typename view_type::memory_space, typename index_type::memory_space>,
      "Batchwork: the View and its indices must be in the same memory space; deep_copy the "
      "indices there first");

  static constexpr int tile_rank = picks_tiles ? 2 : view_rank + index_rank;
  using location = IndexedLocation<typename ViewSource::location, typename IndexSource::location,
                                   Use == IndexedUse::add>;
  using shape = typename location::shape;

  ViewSource source;
  IndexSource index;
  Kokkos::View<std::int64_t*, typename view_type::memory_space> begins;

  Description describe() const {
    Description d = source.describe();
    d.items = -1;  // the indices have the items
    d.shape =
        (picks_tiles ? std::to_string(IndexSource::static_extent(0)) + " x " : "") + shape::text();
    return d;
  }
  Description describe_index() const { return index.describe(); }

  location locate() const {
    auto const v = source.locate();
    bool wide = false;
    if constexpr (index_rank < 2 && is_item_contiguous<decltype(v)>) wide = v.wide;
    return {v, index.locate(), items_of_view(), wide};
  }
  std::int64_t items_of_view() const {
    return ViewSource::is_compact ? source.compact_items : std::int64_t(source.view.extent(0));
  }
};

}  // namespace Batchwork::Impl

#endif
