// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Indexed operands inside the kernel.
#ifndef BATCHWORK_BOUND_INDEXED_HPP
#define BATCHWORK_BOUND_INDEXED_HPP

#include <cstdint>

#include "view/Batchwork_Tiles.hpp"
#include "view/detail/Batchwork_Bound.hpp"
#include "view/detail/loaders/Batchwork_IndexedTransfer.hpp"

namespace Batchwork::Impl {

/// in, out, inout of tiles, rows or numbers that indices pick.
template <Kind K, class V, class I, bool Adds>
  requires(is_of_items(K))
struct Bound<K, IndexedLocation<V, I, Adds>> {
  static constexpr Kind kind = K;
  using location = IndexedLocation<V, I, Adds>;
  using scalar = number_at<location>;
  template <class Lanes>
  static constexpr int staged = 0;
  location loc;

  template <class Lanes>
  using value = typename Lanes::template value<scalar>;
  template <class Lanes>
  using tile = typename TileOfOperand<K, typename location::shape, value<Lanes>>::type;

  template <class Lanes>
  BATCHWORK_INLINE tile<Lanes> load(auto const& items, std::int64_t) const {
    return load_indexed<value<Lanes>, tile<Lanes>>(loc, items);
  }
  /// Returns the status of the items: a failure for an index out of range.
  template <class Lanes, class X>
  BATCHWORK_INLINE auto store(auto const& items, std::int64_t, X const& x) const {
    return store_indexed<value<Lanes>>(loc, items, x);
  }
};

/// The index of tile k of each item.
template <class I>
struct IndexOfTile {
  using value_type = typename I::value_type;
  using shape = Shape<1, 1, Structure::general, 0>;
  I index;
  int k;

  BATCHWORK_INLINE auto* at(std::int64_t item, std::int64_t) const {
    return index.at(item, 0) + index.offset(k, 0);
  }
  BATCHWORK_INLINE std::int64_t offset(int, int) const { return 0; }
};

/// in of K matrices for each item.
template <class V, class I>
  requires(V::shape::rank == 2 && I::shape::rank == 1)
struct Bound<Kind::in, IndexedLocation<V, I, false>> {
  static constexpr Kind kind = Kind::in;
  using OfTile = Bound<Kind::in, IndexedLocation<V, IndexOfTile<I>, false>>;
  using scalar = typename OfTile::scalar;
  template <class Lanes>
  static constexpr int staged = 0;
  IndexedLocation<V, I, false> loc;

  template <class Lanes>
  using tile = Tiles<typename OfTile::template tile<Lanes>, I::shape::rows>;

  template <class Lanes>
  BATCHWORK_INLINE tile<Lanes> load(auto const& items, std::int64_t time) const {
    tile<Lanes> r;
    BATCHWORK_UNROLL
    for (int k = 0; k < r.size; ++k)
      r.tiles[k] = OfTile{{loc.view, {loc.index, k}, loc.extent, loc.wide}}.template load<Lanes>(
          items, time);
    return r;
  }
};

}  // namespace Batchwork::Impl

#endif
