// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of a copy between arrangements whose numbers are neighbours in the same direction, along items or along
/// entries. The batch is a box of up to five dimensions, each with a stride on either side, and the first one is
/// contiguous on both: so nothing is turned, and lanes carry words of 16 bytes straight from one side to the other.
#ifndef BATCHWORK_COPYRUNS_HPP
#define BATCHWORK_COPYRUNS_HPP

#include <algorithm>

#include "machine/Batchwork_Vendor.hpp"
#include "verbs/Batchwork_CopyProblem.hpp"

namespace Batchwork::Impl {

template <class T>
struct CopyRuns {
  static constexpr std::uint32_t lanes = 256;
  static constexpr int turns = 4;  ///< words of a lane, all of them read before the first is written
  static constexpr int most_together = numbers_together<T>;
  static constexpr int most_dims = 5;

  /// Strides count numbers, `item` how many items a step goes on.
  struct Dim {
    std::int64_t extent, to, from, item;
    std::uint32_t tile = 1, tiles = 1;
    Divisor by_tile{};
  };

  T* to;
  T const* from;
  std::int64_t items;  ///< where items end; a group may go on
  bool ragged;         ///< there may be words, or parts of them, behind the end
  int together = 1;    ///< numbers of a word
  int dims = 0;
  int tile_dims = 1;  ///< the first ones, that a tile extends in
  std::uint32_t tile_words = 1;
  std::int64_t tiles = 0;  ///< 0: not a copy for this kernel
  Dim dim[most_dims];

  explicit CopyRuns(CopyProblem<T> const& p) : to(p.to.data), from(p.from.data), items(p.items) {
    // Groups of one side are whole parts of those of the other. A side without any takes part in all.
    std::int64_t const wide = std::max(p.to.width, p.from.width);
    std::int64_t narrow = std::min(p.to.width, p.from.width);
    if (narrow == 1) narrow = wide;
    if (wide % narrow != 0) return;
    ragged = items % wide != 0;
    add(p.rows, p.to.row, p.from.row, 0);
    add(p.cols, p.to.col, p.from.col, 0);
    add_items(p, narrow, 1);
    add_items(p, wide / narrow, narrow);
    add_items(p, (items + wide - 1) / wide, wide);
    if (dims == 0) add(1, 1, 1, 0), dims = 1;
    std::sort(dim, dim + dims, [](Dim const& x, Dim const& y) { return x.to < y.to; });
    merge();
    if (dim[0].to != 1 || dim[0].from != 1) return;
    // Runs of less than a sector of memory are for those who read in one order and write in another.
    if (dims > 1 && dim[0].extent * std::int64_t(sizeof(T)) < 32) return;
    make_words();
    make_tiles();
  }

  /// On a device: a team copies tile number league_rank.
  template <class Member>
    requires requires(Member const& m) { m.team_barrier(); }
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    copy_words(std::uint32_t(member.league_rank()), std::uint32_t(member.team_rank()));
  }

  /// What one lane of a device's team does of tile number k.
  BATCHWORK_INLINE void copy_words(std::uint32_t k, std::uint32_t lane) const {
    if (together == most_together) copy_words_of<most_together>(k, lane);
    else if (most_together > 2 && together > 1)
      copy_words_of<(most_together > 2 ? most_together / 2 : 1)>(k, lane);
    else copy_words_of<1>(k, lane);
  }

  /// On a host: a thread copies tile number k, run by run.
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    Corner const corner = corner_of(std::uint32_t(k));
    for (std::uint32_t q = 0; q < tile_words; q += dim[0].tile) {
      Spot const s = spot(corner, q);
      if (!s.inside) continue;
      std::int64_t count = std::int64_t(corner.there[0]) * together;
      std::int64_t const left = items - s.item;
      if (ragged && (dim[0].item > 0 ? left < count : left <= 0)) count = dim[0].item > 0 ? left : 0;
      T* const t = to + s.to;
      T const* const f = from + s.from;
      for (std::int64_t c = 0; c < count; ++c) t[c] = f[c];
    }
  }

 private:
  /// Where a tile begins, and how much of it there is.
  struct Corner {
    std::int64_t to = 0, from = 0, item = 0;
    std::uint32_t there[most_dims];
  };
  /// Where a word is.
  struct Spot {
    std::int64_t to, from, item;
    bool inside;
  };

  BATCHWORK_INLINE Corner corner_of(std::uint32_t k) const {
    Corner c;
    BATCHWORK_UNROLL
    for (int d = 0; d < most_dims; ++d) {
      c.there[d] = 1;
      if (d >= dims) continue;
      std::uint32_t place = 0;
      if (dim[d].tiles > 1) {
        std::uint32_t const outer = k / dim[d].tiles;
        place = k - outer * dim[d].tiles;
        k = outer;
      }
      std::int64_t const first = std::int64_t(place) * dim[d].tile;
      std::int64_t const left = dim[d].extent - first;
      c.there[d] = left < dim[d].tile ? std::uint32_t(left) : dim[d].tile;
      c.to += first * dim[d].to;
      c.from += first * dim[d].from;
      c.item += first * dim[d].item;
    }
    return c;
  }

  /// Word number q of a tile.
  BATCHWORK_INLINE Spot spot(Corner const& c, std::uint32_t q) const {
    Spot s{c.to, c.from, c.item, q < tile_words};
    BATCHWORK_UNROLL
    for (int d = 0; d < most_dims; ++d) {
      if (d >= tile_dims) break;
      std::uint32_t at = q;
      if (d + 1 < tile_dims) {
        q = dim[d].by_tile.quotient(q);
        at -= q * dim[d].tile;
      }
      s.inside = s.inside && at < c.there[d];
      s.to += at * dim[d].to;
      s.from += at * dim[d].from;
      if (ragged) s.item += at * dim[d].item;
    }
    return s;
  }

  template <int V>
  BATCHWORK_INLINE void copy_words_of(std::uint32_t k, std::uint32_t lane) const {
    Corner const corner = corner_of(k);
    T word[turns][V];
    std::int64_t place[turns];
    BATCHWORK_UNROLL
    for (int u = 0; u < turns; ++u) {
      Spot const s = spot(corner, lane + std::uint32_t(u) * lanes);
      bool const whole = s.inside && (!ragged || s.item + V <= items || (dim[0].item == 0 && s.item < items));
      place[u] = whole ? s.to : -1;
      if (whole) Vendor::load_together(word[u], from + s.from);
      else if (V > 1 && s.inside)
        for (std::int64_t c = 0; c < items - s.item; ++c) to[s.to + c] = from[s.from + c];
    }
    BATCHWORK_UNROLL
    for (int u = 0; u < turns; ++u)
      if (place[u] >= 0) Vendor::store_together(to + place[u], word[u]);
  }

  // ---- planning, on the host ------------------------------------------------------------------------------------------

  void add(std::int64_t extent, std::int64_t to_stride, std::int64_t from_stride,
           std::int64_t item) {
    dim[dims] = {extent, to_stride, from_stride, ragged ? item : 0};
    if (extent > 1) ++dims;
  }
  void add_items(CopyProblem<T> const& p, std::int64_t extent, std::int64_t step) {
    auto const stride = [&](auto const& s) {
      return step < s.width ? step * s.lane : step / s.width * s.group;
    };
    add(extent, stride(p.to), stride(p.from), step);
  }

  /// Makes neighbouring dimensions one where they follow each other on both sides.
  void merge() {
    int last = 0;
    for (int d = 1; d < dims; ++d) {
      Dim& x = dim[last];
      Dim const& y = dim[d];
      if (y.to == x.extent * x.to && y.from == x.extent * x.from && y.item == x.extent * x.item)
        x.extent *= y.extent;
      else dim[++last] = y;
    }
    dims = last + 1;
  }

  void make_words() {
    for (int V = most_together; V > 1 && together == 1 && V * 2 >= most_together; V /= 2) {
      bool fits = aligned_for(to, V) && aligned_for(from, V) &&
                  (dims == 1 || dim[0].extent % V == 0) && (!ragged || dim[0].item == 1);
      for (int d = 1; d < dims; ++d) fits = fits && dim[d].to % V == 0 && dim[d].from % V == 0;
      if (fits) together = V;
    }
    if (dim[0].extent % together != 0 && !ragged) {
      // What is left behind the last whole word.
      ragged = true;
      items = dim[0].extent;
      dim[0].item = 1;
    }
    dim[0].extent = (dim[0].extent + together - 1) / together;
    dim[0].to = dim[0].from = together;
    dim[0].item *= together;
  }

  /// Chooses a tile that goes along both orders, so that either side is accessed in long pieces.
  void make_tiles() {
    std::int64_t room = lanes * turns;
    // Some more of a dimension: about equal parts of it, or all.
    auto const take = [&](Dim& d, std::int64_t most) {
      std::int64_t const parts = (d.extent + most - 1) / most;
      std::int64_t const more =
          d.tile > 1 ? std::min(d.extent / d.tile, most) : (d.extent + parts - 1) / parts;
      if (more <= 1) return;
      d.tile *= std::uint32_t(more);
      room /= more;
    };
    // Pieces of the first one begin on lines of the cache.
    take(dim[0], room);
    if (dim[0].tile < dim[0].extent) dim[0].tile = (dim[0].tile + 7) / 8 * 8;
    if (dims > 1) {
      int near = 1;  // in `from`
      for (int d = 2; d < dims; ++d)
        if (dim[d].from < dim[near].from) near = d;
      std::int64_t root = 1;
      while (root * root < room) root *= 2;
      if (near > 1) {
        std::int64_t const other = std::max<std::int64_t>(1, room / root);
        take(dim[1], root);
        take(dim[near], other);
      }
      for (int d = 1; d < dims; ++d)
        if (d != near || near == 1) take(dim[d], room);
      take(dim[near], room);
    }
    std::stable_partition(dim + 1, dim + dims, [](Dim const& d) { return d.tile > 1; });
    tiles = 1;
    tile_dims = 0;
    for (int d = 0; d < dims; ++d) {
      std::int64_t const count = (dim[d].extent + dim[d].tile - 1) / dim[d].tile;
      tiles = count < 2147483648 / tiles + 1 ? tiles * count : 2147483648;
      dim[d].tiles = std::uint32_t(std::min<std::int64_t>(count, 2147483648));
      dim[d].by_tile = Divisor::of(dim[d].tile);
      tile_words *= dim[d].tile;
      if (dim[d].tile > 1) tile_dims = d + 1;
    }
    tile_dims = std::max(tile_dims, 1);
  }
};

}  // namespace Batchwork::Impl

#endif
