// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of a copy between layouts with neighbours in different directions. It can do all
/// copies. The batch is cut into tiles of some items and a block of their entries. A tile is read
/// in the order of memory of one side and written in the order of the other. In between it is in
/// team scratch (on hosts, on the stack), padded so that neither order has bank conflicts. That is
/// the transposition by tiles of Ruetsch and Micikevicius, "Optimizing matrix transpose in CUDA"
/// (2009), with a third index.
#ifndef BATCHWORK_COPYTILES_HPP
#define BATCHWORK_COPYTILES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_QuickDivisor.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "dense/copy/detail/Batchwork_CopyProblem.hpp"

namespace Batchwork::Impl {

/// What is in a tile. Full tiles have the same extents; those at the edges of the batch have less.
struct TileBox {
  std::int64_t item, row, col;  ///< the first ones
  std::uint32_t items, rows, cols;
};

/// One side of a copy: where the numbers of a tile are in memory and in the stage, and in which
/// order it is walked.
template <class T>
struct CopySide {
  static constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();

  Storage<T> at{};
  /// Neighbours in memory are items, of interleaved batches or of compact groups of 32 bytes and
  /// more, which devices move at once. The width is `all` then where there are no groups. Otherwise
  /// they are entries, or all numbers of a small group.
  bool by_items = false;
  /// Rows are nearer in memory than columns: the fast one of an entry's two indices is i, not j.
  bool turned = false;
  std::uint32_t fasts = 1, slows = 1;  ///< entries of a full tile
  std::int64_t fast = 0, slow = 0;
  std::uint32_t stage_item = 1, stage_fast = 0, stage_slow = 0;
  std::uint32_t width_shift = 0;  ///< of small groups: the width is 1 << width_shift
  /// How lanes are laid over a tile: along its fast index, and along the other.
  std::uint32_t across = 1, down = 1;
  QuickDivisor by_across, by_fasts;

  /// The numbers of a full tile's part of a group.
  BATCHWORK_INLINE std::uint32_t entries() const { return (fasts * slows) << width_shift; }
  BATCHWORK_INLINE T* origin(TileBox const& t) const {
    return at.data + t.row * at.row + t.col * at.col;
  }
  BATCHWORK_INLINE std::int64_t offset(std::int64_t item) const {
    if (at.width == 1) return item * at.group;
    if (at.width == all) return item * at.lane;
    std::int64_t const g = item / at.width;
    return g * at.group + (item - g * at.width) * at.lane;
  }

  /// What one lane of a device's team does of a tile: move(T*, place in the stage) for its numbers.
  /// Neighbouring lanes have neighbouring numbers.
  template <class Move>
  BATCHWORK_INLINE void walk(TileBox const& t, std::uint32_t lane, Move const& move) const {
    T* const first = origin(t);
    std::uint32_t const fast_there = turned ? t.rows : t.cols,
                        slow_there = turned ? t.cols : t.rows;
    std::uint32_t const row = by_across.quotient(lane), place_in_row = lane - row * across;
    if (row >= down) return;
    if (by_items) {
      // A lane keeps its items and steps through the entries.
      bool const along = fasts >= slows;
      std::uint32_t const s0 = along ? 0 : row, f0 = along ? row : 0;
      std::uint32_t const s_step = along ? 1 : down, f_step = along ? down : 1;
      for (std::uint32_t n = place_in_row; n < t.items; n += across) {
        T* const item = first + offset(t.item + n);
        for (std::uint32_t s = s0; s < slow_there; s += s_step) {
          T* p = item + s * slow + f0 * fast;
          std::uint32_t place = n * stage_item + s * stage_slow + f0 * stage_fast;
          BATCHWORK_UNROLL_SOME
          for (std::uint32_t f = f0; f < fast_there; f += f_step) {
            move(p, place);
            p += f_step * fast;
            place += f_step * stage_fast;
          }
        }
      }
    } else {
      // A lane keeps its entries and steps from group to group.
      std::uint32_t const width = 1u << width_shift;
      for (std::uint32_t q = place_in_row; q < entries(); q += across) {
        std::uint32_t const e = q >> width_shift, w = q & (width - 1);
        std::uint32_t const s = by_fasts.quotient(e), f = e - s * fasts;
        if (s >= slow_there || f >= fast_there) continue;
        T* p =
            first + ((t.item >> width_shift) + row) * at.group + w * at.lane + s * slow + f * fast;
        std::uint32_t place = (row * width + w) * stage_item + s * stage_slow + f * stage_fast;
        BATCHWORK_UNROLL_SOME
        for (std::uint32_t n = row * width + w; n < t.items; n += down * width) {
          move(p, place);
          p += down * at.group;
          place += down * width * stage_item;
        }
      }
    }
  }

  /// What a host thread does of a tile: move(T*, stride, place in the stage, stride there, count).
  template <class Move>
  BATCHWORK_INLINE void walk_in_runs(TileBox const& t, Move const& move) const {
    T* const first = origin(t);
    std::int64_t const there = t.items, fast_there = turned ? t.rows : t.cols,
                       slow_there = turned ? t.cols : t.rows;
    if (by_items) {
      for (std::int64_t s = 0; s < slow_there; ++s)
        for (std::int64_t f = 0; f < fast_there; ++f)
          for (std::int64_t n = 0, count = 0; n < there; n += count) {
            std::int64_t const left = at.width - (t.item + n) % at.width;
            count = left < there - n ? left : there - n;
            move(first + offset(t.item + n) + s * slow + f * fast, at.lane,
                 n * stage_item + s * stage_slow + f * stage_fast, stage_item, count);
          }
    } else {
      for (std::int64_t n = 0; n < there; ++n)
        for (std::int64_t s = 0; s < slow_there; ++s)
          move(first + offset(t.item + n) + s * slow, fast, n * stage_item + s * stage_slow,
               stage_fast, fast_there);
    }
  }
};

/// How a copy is cut into tiles; also the kernel.
template <class T>
struct CopyTiles {
  static constexpr std::uint32_t lanes = sizeof(T) > 4 ? 256 : 128;
  /// Bytes of a tile in the stage at most: several teams fit on a multiprocessor, and a host's
  /// first-level cache holds it.
  static constexpr int stage_bytes = 20480;
  /// Teams that a multiprocessor is to hold at once.
  static constexpr int wanted_teams = 6;
  static constexpr bool asynchronous = Vendor::has_async_copies && alignof(T) == sizeof(T) &&
                                       (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);

  CopySide<T const> from;
  CopySide<T> to;
  std::int64_t items, rows, cols;
  int tile_items = 1, tile_rows, tile_cols;
  std::int64_t row_tiles, col_tiles;
  std::int64_t tiles;
  int stage = stage_bytes;  ///< bytes that there are for a tile

  explicit CopyTiles(CopyProblem<T> p, int stage_ = stage_bytes)
      : from(side(p.from, p)), to(side(p.to, p)), stage(stage_) {
    // The side that wants more neighbouring entries at once gives them their order: columns are
    // fast, by definition.
    int const by_to = wanted(to), by_from = wanted(from);
    bool const led_by_to = by_to >= by_from;
    if (led_by_to ? rows_are_near(p.to, p) : rows_are_near(p.from, p)) p.transpose();
    int const lead = led_by_to ? by_to : by_from, other = led_by_to ? by_from : by_to;
    bool const crossed =
        other > 1 && (led_by_to ? rows_are_near(p.from, p) : rows_are_near(p.to, p));
    items = p.items, rows = p.rows, cols = p.cols;
    tile_cols = part(cols, crossed ? smaller(lead, 32) : 64);
    tile_rows = part(rows, crossed ? smaller(other, 32) : tile_cols < 64 ? 64 / tile_cols : 1);
    // A tile has whole ones of the groups that lanes walk along.
    int const least = 1 << (from.width_shift > to.width_shift ? from.width_shift : to.width_shift);
    while (tile_rows > 1 && least * ((tile_rows * (tile_cols | 1)) | 1) * int(sizeof(T)) > stage)
      tile_rows = (tile_rows + 1) / 2;
    row_tiles = (rows + tile_rows - 1) / tile_rows;
    col_tiles = (cols + tile_cols - 1) / tile_cols;

    // Odd distances between what neighbouring lanes access.
    int const stage_row = crossed ? tile_cols | 1 : tile_cols;
    int const stage_item = (tile_rows * stage_row) | 1;
    while (2 * tile_items * stage_item * int(sizeof(T)) <= stage) tile_items *= 2;
    tiles = (items + tile_items - 1) / tile_items * row_tiles * col_tiles;

    from.turned = crossed && led_by_to;
    to.turned = crossed && !led_by_to;
    plan(from, p.from, stage_item, stage_row);
    plan(to, p.to, stage_item, stage_row);
  }

  /// What is in tile number k: the blocks of one item's entries come one after the other.
  BATCHWORK_INLINE TileBox box(std::int64_t k) const {
    std::int64_t item = k, row = 0, col = 0;
    if (row_tiles * col_tiles > 1) {
      item = k / (row_tiles * col_tiles);
      std::int64_t const block = k - item * (row_tiles * col_tiles);
      row = block / col_tiles * tile_rows;
      col = block % col_tiles * tile_cols;
    }
    item *= tile_items;
    return {item,
            row,
            col,
            std::uint32_t(smaller(tile_items, items - item)),
            std::uint32_t(smaller(tile_rows, rows - row)),
            std::uint32_t(smaller(tile_cols, cols - col))};
  }

  /// On a device: a team copies tile number league_rank.
  template <class Member>
    requires requires(Member const& m) { m.team_barrier(); }
  BATCHWORK_INLINE void operator()(Member const& member) const {
    T* const numbers = static_cast<T*>(member.team_scratch(0).get_shmem_aligned(stage, 16));
    TileBox const t = box(member.league_rank());
    int const lane = member.team_rank();
    from.walk(t, lane, [&](T const* p, int place) {
      if constexpr (asynchronous) Vendor::copy_async<int(sizeof(T))>(numbers + place, p);
      else numbers[place] = *p;
    });
    Vendor::copy_async_wait();
    member.team_barrier();
    to.walk(t, lane, [&](T* p, int place) { *p = numbers[place]; });
  }

  /// On a host: a thread copies tile number k.
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    alignas(T) unsigned char bytes[stage_bytes];
    T* const numbers = reinterpret_cast<T*>(bytes);
    TileBox const t = box(k);
    from.walk_in_runs(
        t, [&](T const* p, std::int64_t stride, std::int64_t place, std::int64_t step,
               std::int64_t count) { copy_run(numbers + place, step, p, stride, count); });
    to.walk_in_runs(t,
                    [&](T* p, std::int64_t stride, std::int64_t place, std::int64_t step,
                        std::int64_t count) { copy_run(p, stride, numbers + place, step, count); });
  }

 private:
  BATCHWORK_INLINE static int smaller(int a, std::int64_t b) { return a < b ? a : int(b); }

  /// Loops of their own for strides of one: compilers make them block moves.
  BATCHWORK_INLINE static void copy_run(T* to, std::int64_t to_stride, T const* from,
                                        std::int64_t from_stride, std::int64_t count) {
    if (to_stride == 1 && from_stride == 1) {
      for (std::int64_t k = 0; k < count; ++k) to[k] = from[k];
    } else if (to_stride == 1) {
      for (std::int64_t k = 0; k < count; ++k) to[k] = from[k * from_stride];
    } else if (from_stride == 1) {
      for (std::int64_t k = 0; k < count; ++k) to[k * to_stride] = from[k];
    } else {
      for (std::int64_t k = 0; k < count; ++k) to[k * to_stride] = from[k * from_stride];
    }
  }

  // ---- planning, on the host
  // ---------------------------------------------------------------------------------------------

  /// About equal parts of n, of at most `most`; whole 32-byte sectors of float where there are
  /// several.
  static int part(std::int64_t n, int most) {
    std::int64_t const parts = (n + most - 1) / most;
    std::int64_t const size = (n + parts - 1) / parts;
    return int(parts == 1 || most % 8 != 0 ? size : (size + 7) / 8 * 8);
  }

  template <class U>
  static bool rows_are_near(Storage<U> const& s, CopyProblem<T> const& p) {
    return p.rows > 1 && (p.cols == 1 || s.row < s.col);
  }

  template <class U>
  static CopySide<U> side(Storage<U> const& s, CopyProblem<T> const& p) {
    CopySide<U> r;
    r.at = s;
    if (s.width == 1) {
      r.by_items = (p.rows == 1 || s.group <= s.row) && (p.cols == 1 || s.group <= s.col);
      if (r.by_items) r.at.width = CopySide<U>::all, r.at.lane = s.group;
    } else {
      r.by_items = s.width * std::int64_t(sizeof(T)) >= 32 || (s.width & (s.width - 1)) != 0;
      if (!r.by_items)
        while (s.width >> r.width_shift > 1) ++r.width_shift;
    }
    return r;
  }

  /// How many neighbouring entries fill whole lines of memory.
  template <class U>
  static int wanted(CopySide<U> const& s) {
    if (!s.by_items) return 64;
    std::int64_t const line = 128 / int(sizeof(T));
    return line > s.at.width ? int(line / s.at.width) : 1;
  }

  template <class U>
  void plan(CopySide<U>& s, Storage<U> const& given, int stage_item, int stage_row) const {
    s.at.row = given.row;
    s.at.col = given.col;
    s.fasts = s.turned ? tile_rows : tile_cols;
    s.slows = s.turned ? tile_cols : tile_rows;
    s.fast = s.turned ? given.row : given.col;
    s.slow = s.turned ? given.col : given.row;
    s.stage_item = stage_item;
    s.stage_fast = s.turned ? stage_row : 1;
    s.stage_slow = s.turned ? 1 : stage_row;
    std::uint32_t const positions = s.by_items ? std::uint32_t(tile_items) : s.entries();
    std::uint32_t const rounds = (positions + lanes - 1) / lanes;
    s.across = (positions + rounds - 1) / rounds;
    s.down = lanes / s.across;
    s.by_across = QuickDivisor(s.across);
    s.by_fasts = QuickDivisor(s.fasts);
  }
};

}  // namespace Batchwork::Impl

#endif
