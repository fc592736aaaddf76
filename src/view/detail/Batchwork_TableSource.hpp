// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// TableSource: the View of a table as an operand on the host, and the location of its numbers in
/// the kernel.
#ifndef BATCHWORK_TABLESOURCE_HPP
#define BATCHWORK_TABLESOURCE_HPP

#include <cstdint>

#include "view/detail/Batchwork_Source.hpp"

namespace Batchwork::Impl {

/// A pointer, and the extents and strides of Indices indices; row and col are strides of the tile.
/// All count numbers.
template <class T, class Sh, int Indices>
struct TableLocation {
  using value_type = T;
  using shape = Sh;
  static constexpr int indices = Indices;
  T const* data;
  std::int64_t extent[Indices], stride[Indices], row, col;
};

template <class Adapt>
struct TableSource;
template <class V, Structure St, bool IsCompact, int... E>
struct TableSource<Adapted<V, St, IsCompact, E...>> {
  using view_type = V;
  using T = typename V::non_const_value_type;
  static constexpr int view_rank = int(V::rank()), dynamic_rank = int(V::rank_dynamic());
  static constexpr int wanted = sizeof...(E) > 0   ? view_rank - int(sizeof...(E))
                                : dynamic_rank > 0 ? dynamic_rank
                                                   : 1;
  static constexpr bool good = wanted >= 1 && wanted <= 2 && view_rank - wanted <= 2 &&
                               view_rank >= wanted && !IsCompact && St == Structure::general;
  static_assert(good,
                "Batchwork::table: a View has one or two run-time extents, the indices of the "
                "table, and after them no, one or two static extents, for a scalar, vector or "
                "matrix; extents<...>(view) gives static extents that the type lacks");
  static constexpr int indices = good ? wanted : 1;
  static constexpr int tile_rank = good ? view_rank - indices : 0;

  static constexpr int static_extent(int k) {
    if constexpr (sizeof...(E) > 0) {
      constexpr int given[] = {E...};
      return given[k];
    } else {
      return static_extent_from_end<V>(tile_rank - 1 - k);
    }
  }
  static constexpr auto make_shape() {
    if constexpr (tile_rank == 0) return typename ShapeFromExtents<0>::type{};
    else if constexpr (tile_rank == 1)
      return typename ShapeFromExtents<1, static_extent(0)>::type{};
    else return typename ShapeFromExtents<2, static_extent(0), static_extent(1)>::type{};
  }
  using shape = decltype(make_shape());
  static_assert(shape::rows <= largest_extent && shape::cols <= largest_extent,
                "Batchwork: an extent of the tile is over the limit of 64");
  using location = TableLocation<T, shape, indices>;

  V view;

  explicit TableSource(Adapted<V, St, IsCompact, E...> const& a) : view(a.view) {}

  Description describe() const {
    Description d = describe_view(view);
    d.shape = shape::text();
    if (!d.problem.empty()) return d;
    for (int k = 0; k < tile_rank; ++k)
      if (int(view.extent(indices + k)) != static_extent(k))
        d.problem = "the View's own extents differ from the " + shape::text() +
                    " given by extents<...>; give the extents the View has";
    return d;
  }

  location locate() const {
    location r{};
    r.data = view.data();
    for (int k = 0; k < indices; ++k) {
      r.extent[k] = std::int64_t(view.extent(k));
      r.stride[k] = std::int64_t(view.stride(k));
    }
    if constexpr (tile_rank > 0) r.row = std::int64_t(view.stride(indices));
    if constexpr (tile_rank > 1) r.col = std::int64_t(view.stride(indices + 1));
    return r;
  }
};

}  // namespace Batchwork::Impl

#endif
