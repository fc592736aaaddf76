// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of a copy between arrangements whose numbers are neighbours in the same direction,
/// along items or along entries. The batch is a box of up to five dimensions, each with a stride on
/// either side, and the first one is contiguous on both: so nothing is turned, and lanes carry
/// words of 16 bytes straight from one side to the other.
#ifndef BATCHWORK_COPYRUNS_HPP
#define BATCHWORK_COPYRUNS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_QuickDivisor.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "dense/copy/detail/Batchwork_CopyProblem.hpp"

namespace Batchwork::Impl {

template <class T>
struct CopyRuns {
  static constexpr std::uint32_t lanes = 256;
  static constexpr int wanted_teams = 4;  ///< that a multiprocessor is to hold at once
  static constexpr int turns =
      4;  ///< words of a lane at most, all of them read before the first is written
  static constexpr int most_together = numbers_together<T>;
  static constexpr int most_dims = 5;

  /// Strides count numbers, `item` how many items a step goes on.
  struct Dim {
    std::int64_t extent, to, from, item;
    std::uint32_t across = 1;  ///< what the lanes of a team extend over
    std::uint32_t tile = 1, tiles = 1;
    QuickDivisor by_across{};
  };

  T* to;
  T const* from;
  std::int64_t items;  ///< where items end; a group may go on
  bool ragged;         ///< there may be words, or parts of them, behind the end
  int together = 1;    ///< numbers of a word
  int dims = 0;
  int lane_dims = 1;  ///< the first ones, that lanes extend over
  std::uint32_t lane_words = 1;
  int turn = 0;            ///< the dimension in which lanes take turns, each a step of its `across`
  std::int64_t tiles = 0;  ///< 0: not a copy for this kernel
  Dim dim[most_dims];

  explicit CopyRuns(CopyProblem<T> const& p) : to(p.to.data), from(p.from.data), items(p.items) {
    // Groups of one side are whole parts of the groups of the other side. A side without any takes
    // part in all.
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
    order(0, [](Dim const& x, Dim const& y) { return x.to < y.to; });
    merge();
    if (dim[0].to != 1 || dim[0].from != 1) return;
    // Runs of less than a sector of memory are for those who read in one order and write in
    // another.
    if (dims > 1 && dim[0].extent * std::int64_t(sizeof(T)) < 32) return;
    make_words();
    make_tiles();
  }

  /// Bytes that lie side by side on both sides.
  std::int64_t run_bytes() const { return dim[0].extent * together * std::int64_t(sizeof(T)); }

  /// On a device: a team copies tile number league_rank.
  template <class Member>
    requires requires(Member const& m) { m.team_barrier(); }
  BATCHWORK_INLINE void operator()(Member const& member) const {
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
    for (std::uint32_t q = 0; q < lane_words; q += dim[0].across) {
      Spot const s = spot(std::uint32_t(k), q);
      for (std::uint32_t u = 0; u < s.left; u += dim[turn].across) {
        std::int64_t const item = s.item + u * dim[turn].item;
        T* const t = to + s.to + u * dim[turn].to;
        T const* const f = from + s.from + u * dim[turn].from;
        std::int64_t count = turn > 0 ? s.run : s.left - u;
        if (count > dim[0].across) count = dim[0].across;
        count *= together;
        if (ragged && dim[0].item == 0 && item >= items) continue;
        if (ragged && dim[0].item > 0 && items - item < count) count = items - item;
        for (std::int64_t c = 0; c < count; ++c) t[c] = f[c];
      }
    }
  }

 private:
  /// Where a lane's first word is, and what is left of the tile behind it: in the direction of its
  /// turns, and in the contiguous one.
  struct Spot {
    std::int64_t to, from, item;
    std::uint32_t left, run;
  };

  /// Of the lanes, neighbours are neighbours in the first dimension.
  BATCHWORK_INLINE Spot spot(std::uint32_t k, std::uint32_t lane) const {
    Spot s{0, 0, 0, 0, 0};
    bool inside = lane < lane_words;
    BATCHWORK_UNROLL
    for (int d = 0; d < most_dims; ++d) {
      if (d >= dims) break;
      std::uint32_t tile = k, at = 0;
      k = 0;
      if (d + 1 < dims) {
        if (dim[d].tiles > 1) k = tile / dim[d].tiles;
        else k = tile;
        tile -= k * dim[d].tiles;
      }
      if (d < lane_dims) {
        at = lane;
        if (d + 1 < lane_dims) {
          lane = dim[d].by_across.quotient(lane);
          at -= lane * dim[d].across;
        }
      }
      std::int64_t const place = std::int64_t(tile) * dim[d].tile + at;
      std::int64_t const rest = dim[d].extent - place;
      inside = inside && rest > 0;
      std::uint32_t const left = rest < dim[d].tile - at ? std::uint32_t(rest) : dim[d].tile - at;
      if (d == 0) s.run = left;
      s.left = d == turn ? left : s.left;
      s.to += place * dim[d].to;
      s.from += place * dim[d].from;
      if (ragged) s.item += place * dim[d].item;
    }
    if (!inside) s.left = 0;
    return s;
  }

  template <int V>
  BATCHWORK_INLINE void copy_words_of(std::uint32_t k, std::uint32_t lane) const {
    Spot const s = spot(k, lane);
    std::uint32_t const step = dim[turn].across;
    std::int64_t const to_step = step * dim[turn].to, from_step = step * dim[turn].from;
    std::uint32_t whole = 0;  // turns with a whole word: the first ones
    BATCHWORK_UNROLL
    for (int u = 0; u < turns; ++u) whole += std::uint32_t(u) * step < s.left;
    if (ragged) {
      std::int64_t const item_step = step * dim[turn].item, need = dim[0].item > 0 ? V : 1;
      std::uint32_t const all = whole;
      whole = 0;
      BATCHWORK_KEEP_LOOP
      for (std::uint32_t u = 0; u < all; ++u) {
        std::int64_t const left = items - s.item - u * item_step;
        if (left >= need) {
          ++whole;
        } else {
          BATCHWORK_KEEP_LOOP
          for (std::int64_t c = 0; c < left; ++c)
            to[s.to + u * to_step + c] = from[s.from + u * from_step + c];
        }
      }
    }
    T word[turns][V];
    T const* f = from + s.from;
    BATCHWORK_UNROLL
    for (int u = 0; u < turns; ++u) {
      if (std::uint32_t(u) < whole) Vendor::load_vector(word[u], f);
      f += from_step;
    }
    T* t = to + s.to;
    BATCHWORK_UNROLL
    for (int u = 0; u < turns; ++u) {
      if (std::uint32_t(u) < whole) Vendor::store_vector(t, word[u]);
      t += to_step;
    }
  }

  // ---- planning, on the host
  // ---------------------------------------------------------------------------------------------

  /// Sorts the dimensions from `first` on, by insertion; equal ones keep their order. std::sort has
  /// a part for more than 16 elements, from which GCC 16 concludes at -O3 that an array of five is
  /// exceeded.
  template <class Before>
  void order(int first, Before const& before) {
    for (int d = first + 1; d < most_dims && d < dims; ++d)
      for (int e = d; e > first && before(dim[e], dim[e - 1]); --e) std::swap(dim[e - 1], dim[e]);
  }

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
    std::int64_t lanes_left = lanes;
    // Some more of a dimension: about equal parts of it, or all.
    auto const take = [&](Dim& d, std::int64_t most) {
      std::int64_t const parts = (d.extent + most - 1) / most;
      std::int64_t const more =
          d.across > 1 ? std::min(d.extent / d.across, most) : (d.extent + parts - 1) / parts;
      if (more <= 1) return;
      d.across *= std::uint32_t(more);
      lanes_left /= more;
    };
    take(dim[0], lanes_left);
    if (dim[0].across < dim[0].extent) dim[0].across = (dim[0].across + 7) / 8 * 8, lanes_left = 1;
    int near = dims > 1 ? 1 : 0;  // next in `from`
    for (int d = 2; d < dims; ++d)
      if (dim[d].from < dim[near].from) near = d;
    if (near > 1) {
      std::int64_t root = 1;
      while (root * root < lanes_left) root *= 2;
      std::int64_t const other = std::max<std::int64_t>(1, lanes_left / root);
      take(dim[1], root);
      take(dim[near], other);
    }
    for (int d = 1; d < dims; ++d)
      if (d != near || near == 1) take(dim[d], lanes_left);
    if (near > 0) {
      // What the others have left is for this one.
      dim[near].across = 1;
      lanes_left = lanes;
      for (int d = 0; d < dims; ++d) lanes_left /= dim[d].across;
      take(dim[near], lanes_left);
    }

    // Turns are taken where there is most to do, for long pieces if several dimensions have enough.
    auto const left = [&](int d) {
      return std::min<std::int64_t>((dim[d].extent + dim[d].across - 1) / dim[d].across, turns);
    };
    turn = left(0) == turns ? 0 : near;
    for (int d = 0; d < dims; ++d)
      if (left(d) > left(turn)) turn = d;
    dim[turn].tile = std::uint32_t(left(turn));
    // The lanes extend over the first ones.
    order(1, [](Dim const& x, Dim const& y) { return x.across > 1 && y.across <= 1; });
    turn = 0;
    for (int d = 0; d < dims; ++d)
      if (dim[d].tile > 1) turn = d;

    tiles = 1;
    for (int d = 0; d < dims; ++d) {
      Dim& x = dim[d];
      x.tile *= x.across;
      std::int64_t const count = (x.extent + x.tile - 1) / x.tile;
      tiles = std::min<std::int64_t>(count, 2147483648) * tiles;
      if (tiles > 2147483648) tiles = 2147483648;
      x.tiles = std::uint32_t(std::min<std::int64_t>(count, 2147483648));
      x.by_across = QuickDivisor(x.across);
      lane_words *= x.across;
      if (x.across > 1) lane_dims = d + 1;
    }
  }
};

}  // namespace Batchwork::Impl

#endif
