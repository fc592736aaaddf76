// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of a copy between arrangements whose neighbours are in different directions; it can do all. The batch is cut
/// into tiles of some items and a block of their entries. A tile is read in the order of memory of the one side and
/// written in that of the other; in between it stands in team scratch (on hosts, on the stack), padded so that few lanes
/// meet in a bank: the transposition by tiles of Ruetsch and Micikevicius, "Optimizing matrix transpose in CUDA" (2009),
/// with a third index.
#ifndef BATCHWORK_COPYTILES_HPP
#define BATCHWORK_COPYTILES_HPP

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "machine/Batchwork_Vendor.hpp"
#include "verbs/Batchwork_CopyProblem.hpp"

namespace Batchwork::Impl {

/// What is in a tile. Full tiles have the same extents; those at the edges of the batch have less.
struct TileBox {
  std::int64_t item, row, col;  ///< the first ones
  std::uint32_t items, rows, cols;
};

/// Numbers that are side by side in memory, and where they are in the stage.
template <class T, std::uint32_t V>
struct CopyWord {
  T* p;
  std::uint32_t place, step, count;
  std::remove_const_t<T> x[V];  ///< for those who carry it
};

struct DoNothing {
  template <class Word>
  BATCHWORK_INLINE void operator()(Word const&) const {}
};

/// One side of a copy: where the numbers of a tile are in memory and in the stage, and in which order it is walked.
template <class T>
struct CopySide {
  static constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();

  Storage<T> at{};
  /// Neighbours in memory are items, of planes or of packed groups of 32 bytes and more, which devices move at once. The
  /// width is `all` then where there are no groups. Otherwise they are entries, or all numbers of a small group.
  bool by_items = false;
  /// Rows are nearer in memory than columns: the fast one of an entry's two indices is i, not j.
  bool turned = false;
  /// The numbers of a tile follow each other in memory without gaps.
  bool dense = false;
  /// As many numbers of T as fill 16 bytes are moved at once.
  bool together = false;
  /// The numbers of a word are in the stage at an even step. Otherwise each place is computed, and a word has its first
  /// number's place in the tile instead.
  bool steady = true;
  std::uint32_t fasts = 1, slows = 1;  ///< entries of a full tile
  std::int64_t fast = 0, slow = 0;
  std::uint32_t stage_item = 1, stage_fast = 0, stage_slow = 0;
  /// The width is 1 << width_shift, or there are none of other widths.
  std::uint32_t width_shift = 0;
  bool width_is_power = false;
  /// How lanes are laid over a tile: along its fast index, and along the other.
  std::uint32_t across = 1, down = 1;
  std::int64_t even_step =
      0;  ///< between the items of a lane, or 0 where it is not always the same
  Divisor by_across, by_fasts, by_entries;

  /// The numbers of a full tile's part of a group.
  BATCHWORK_INLINE std::uint32_t entries() const {
    return fasts * slows * (by_items ? 1 : 1u << width_shift);
  }
  BATCHWORK_INLINE T* origin(TileBox const& t) const {
    return at.data + t.row * at.row + t.col * at.col;
  }
  BATCHWORK_INLINE std::int64_t offset(std::int64_t item) const {
    if (at.width == 1) return item * at.group;
    if (at.width == all) return item * at.lane;
    std::int64_t const g = width_is_power ? item >> width_shift : item / at.width;
    return g * at.group + (item - g * at.width) * at.lane;
  }

  /// Where number q of a dense tile is in the stage.
  BATCHWORK_INLINE std::uint32_t place_of(std::uint32_t q) const {
    std::uint32_t const n = by_entries.quotient(q), e = q - n * entries();
    std::uint32_t const s = by_fasts.quotient(e), f = e - s * fasts;
    return n * stage_item + s * stage_slow + f * stage_fast;
  }
  /// Where number v of a word is.
  template <std::uint32_t V>
  BATCHWORK_INLINE std::uint32_t place_of(CopyWord<T, V> const& w, std::uint32_t v) const {
    return V == 1 || steady ? w.place + v * w.step : place_of(w.place + v);
  }

  /// What one lane of a device's team does of a tile. For its words, some at a time: begin(word) for up to B of them,
  /// then end(word) for the same ones. Words have V numbers, fewer only where the tile ends. Neighbouring lanes have
  /// neighbouring words.
  template <std::uint32_t Lanes, std::uint32_t V, int B, class Begin, class End>
  BATCHWORK_INLINE void walk(TileBox const& t, std::uint32_t lane, Begin const& begin,
                             End const& end) const {
    using Word = CopyWord<T, V>;
    auto const upto = [](std::uint32_t left) { return left < V ? left : V; };
    // next() gives words, the last one of no numbers.
    auto const in_turns = [&](auto const& next) {
      for (bool more = true; more;) {
        Word w[B];
        BATCHWORK_UNROLL
        for (int u = 0; u < B; ++u) {
          w[u].count = 0;
          if (more) w[u] = next();
          more = w[u].count > 0;
          if (more) begin(w[u]);
        }
        BATCHWORK_UNROLL
        for (int u = 0; u < B; ++u)
          if (w[u].count > 0) end(w[u]);
      }
    };
    T* const first = origin(t);
    std::uint32_t const fast_there = turned ? t.rows : t.cols,
                        slow_there = turned ? t.cols : t.rows;
    std::uint32_t const row = by_across.quotient(lane), place_in_row = lane - row * across;
    if (row >= down) return;
    if (by_items) {
      // A lane keeps its entries and steps from item to item.
      std::uint32_t const mine = V * place_in_row, step = V * across;
      std::int64_t const begin_there = offset(t.item + mine);
      for (std::uint32_t e = row; e < entries(); e += down) {
        std::uint32_t const s = by_fasts.quotient(e), f = e - s * fasts;
        if (s >= slow_there || f >= fast_there) continue;
        T* const entry = first + s * slow + f * fast;
        T* p = entry + begin_there;
        std::uint32_t n = mine, place = mine * stage_item + s * stage_slow + f * stage_fast;
        in_turns([&] {
          Word const w{p, place, stage_item, n < t.items ? upto(t.items - n) : 0, {}};
          n += step;
          p = V > 1 || even_step > 0 ? p + even_step : entry + offset(t.item + n);
          place += step * stage_item;
          return w;
        });
      }
    } else if (dense) {
      // The lanes go along the numbers of the tile.
      T* p = first + t.item * at.group + V * lane;
      std::uint32_t const there = t.items * entries();
      std::uint32_t q = V * lane;
      in_turns([&] {
        Word const w{
            p, V == 1 || steady ? place_of(q) : q, stage_fast, q < there ? upto(there - q) : 0, {}};
        q += V * Lanes;
        p += V * Lanes;
        return w;
      });
    } else {
      // A lane keeps its entries and steps from group to group.
      std::uint32_t const width = 1u << width_shift;
      for (std::uint32_t q = V * place_in_row; q < entries(); q += V * across) {
        std::uint32_t const e = q >> width_shift, w = q & (width - 1);
        std::uint32_t const s = by_fasts.quotient(e), f = e - s * fasts;
        if (s >= slow_there || f >= fast_there) continue;
        T* p =
            first + ((t.item >> width_shift) + row) * at.group + w * at.lane + s * slow + f * fast;
        std::uint32_t n = row * width + w, place = n * stage_item + s * stage_slow + f * stage_fast;
        in_turns([&] {
          Word const word{p, place, stage_fast, n < t.items ? V : 0, {}};
          n += down * width;
          p += down * at.group;
          place += down * width * stage_item;
          return word;
        });
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
  static constexpr std::uint32_t lanes = 256;
  static constexpr std::uint32_t words = sizeof(T) < 4 ? 1 : numbers_together<T>;
  static constexpr int turns = 2;  ///< words of a lane that are read before the first is stored
  /// Bytes of a tile in the stage: several teams fit on a multiprocessor, and a host's first-level cache holds it.
  static constexpr int stage_bytes = 20480;
  static constexpr bool asynchronous = Vendor::copies_asynchronously && alignof(T) == sizeof(T) &&
                                       (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);

  CopySide<T const> from;
  CopySide<T> to;
  std::int64_t items, rows, cols;
  int tile_items = 1, tile_rows, tile_cols;
  std::int64_t row_tiles, col_tiles;
  std::int64_t tiles;

  explicit CopyTiles(CopyProblem<T> p) : from(side(p.from, p)), to(side(p.to, p)) {
    // The side that wants more neighbouring entries at once gives them their order: columns are fast, by definition.
    int const by_to = wanted(to), by_from = wanted(from);
    bool const led_by_to = by_to >= by_from;
    if (led_by_to ? rows_are_near(p.to, p) : rows_are_near(p.from, p)) p.transpose();
    int const lead = led_by_to ? by_to : by_from, other = led_by_to ? by_from : by_to;
    bool const crossed =
        other > 1 && (led_by_to ? rows_are_near(p.from, p) : rows_are_near(p.to, p));
    items = p.items, rows = p.rows, cols = p.cols;
    // Small items are not parted.
    bool const parted = rows * cols > 64;
    tile_cols = part(cols, crossed && parted ? smaller(lead, 32) : 64);
    tile_rows = part(rows, crossed && parted ? smaller(other, 32)
                           : tile_cols < 64  ? 64 / tile_cols
                                             : 1);
    row_tiles = (rows + tile_rows - 1) / tile_rows;
    col_tiles = (cols + tile_cols - 1) / tile_cols;

    // Odd distances between what neighbouring lanes access.
    int const stage_row = crossed && tile_cols >= 8 ? tile_cols | 1 : tile_cols;
    int const stage_item = (tile_rows * stage_row) | 1;
    while (2 * tile_items * stage_item * int(sizeof(T)) <= stage_bytes) tile_items *= 2;
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
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const bytes = stage_bytes;
    T* const stage = static_cast<T*>(member.team_scratch(0).get_shmem_aligned(bytes, 16));
    TileBox const t = box(member.league_rank());
    int const lane = member.team_rank();
    if (from.together) read_words(t, lane, stage);
    else
      from.template walk<lanes, 1, 1>(
          t, lane,
          [&](CopyWord<T const, 1> const& w) {
            if constexpr (asynchronous) Vendor::copy_async<int(sizeof(T))>(stage + w.place, w.p);
            else stage[w.place] = *w.p;
          },
          DoNothing());
    Vendor::wait_for_copies();
    member.team_barrier();
    if (to.together) write_words(t, lane, stage);
    else
      to.template walk<lanes, 1, 1>(
          t, lane, [&](CopyWord<T, 1> const& w) { *w.p = stage[w.place]; }, DoNothing());
  }

  /// On a host: a thread copies tile number k.
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    alignas(T) unsigned char bytes[stage_bytes];
    T* const stage = reinterpret_cast<T*>(bytes);
    TileBox const t = box(k);
    from.walk_in_runs(t,
                      [&](T const* p, std::int64_t stride, std::int64_t place, std::int64_t step,
                          std::int64_t count) { copy_run(stage + place, step, p, stride, count); });
    to.walk_in_runs(t,
                    [&](T* p, std::int64_t stride, std::int64_t place, std::int64_t step,
                        std::int64_t count) { copy_run(p, stride, stage + place, step, count); });
  }

 private:
  /// Several words are on their way at once.
  BATCHWORK_INLINE void read_words(TileBox const& t, std::uint32_t lane, T* stage) const {
    from.template walk<lanes, words, turns>(
        t, lane,
        [&](CopyWord<T const, words>& w) {
          if (w.count == words) {
            Vendor::load_together(w.x, w.p);
          } else {
            BATCHWORK_KEEP_LOOP
            for (std::uint32_t v = 0; v < w.count; ++v) stage[from.place_of(w, v)] = w.p[v];
          }
        },
        [&](CopyWord<T const, words> const& w) {
          if (w.count < words) return;
          BATCHWORK_UNROLL
          for (std::uint32_t v = 0; v < words; ++v) stage[from.place_of(w, v)] = w.x[v];
        });
  }

  BATCHWORK_INLINE void write_words(TileBox const& t, std::uint32_t lane, T const* stage) const {
    to.template walk<lanes, words, 1>(
        t, lane,
        [&](CopyWord<T, words> const& w) {
          if (w.count == words) {
            T x[words];
            BATCHWORK_UNROLL
            for (std::uint32_t v = 0; v < words; ++v) x[v] = stage[to.place_of(w, v)];
            Vendor::store_together(w.p, x);
          } else {
            BATCHWORK_KEEP_LOOP
            for (std::uint32_t v = 0; v < w.count; ++v) w.p[v] = stage[to.place_of(w, v)];
          }
        },
        DoNothing());
  }

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

  // ---- planning, on the host ------------------------------------------------------------------------------------------

  /// About equal parts of n, of at most `most`; whole 32-byte sectors of float where there are several.
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
    r.width_is_power = (s.width & (s.width - 1)) == 0;
    while (r.width_is_power && s.width >> r.width_shift > 1) ++r.width_shift;
    if (s.width == 1) {
      r.by_items = (p.rows == 1 || s.group <= s.row) && (p.cols == 1 || s.group <= s.col);
      if (r.by_items) r.at.width = CopySide<U>::all, r.at.lane = s.group;
    } else {
      r.by_items = s.width * std::int64_t(sizeof(T)) >= 32 || !r.width_is_power;
    }
    return r;
  }

  /// How many neighbouring entries fill whole lines of memory.
  template <class U>
  static int wanted(CopySide<U> const& s) {
    if (!s.by_items) return 64;
    std::int64_t const line = 128 / int(sizeof(T));
    return s.at.width < line ? int(line / s.at.width) : 1;
  }

  /// Whether words of memory are neighbours in one direction of the stage too, and aligned.
  template <class U>
  bool fits_together(CopySide<U> const& s) const {
    auto const whole = [](std::int64_t x) { return x % words == 0; };
    if (!aligned_for(s.at.data, words) || !whole(tile_items)) return false;
    if (s.by_items)
      return s.at.lane == 1 &&
             (s.at.width == CopySide<U>::all || (whole(s.at.width) && whole(s.at.group))) &&
             whole(s.slow) && whole(s.fast);
    if (s.at.width != 1 || s.fast != 1) return false;
    if (!s.dense)
      return whole(s.fasts) && whole(s.turned ? rows : cols) && whole(s.slow) && whole(s.at.group);
    return true;
  }

  /// Whether the words of a dense side have their numbers in the stage at an even step.
  template <class U>
  bool has_even_steps(CopySide<U> const& s) const {
    if (s.fasts % words == 0) return true;
    bool const straight = s.slows == 1 || s.stage_slow == s.fasts * s.stage_fast;
    return straight &&
           (s.entries() % words == 0 || (s.stage_fast == 1 && s.stage_item == s.entries()));
  }

  /// Lanes go along the items for some sectors or a group, then along the entries, as far as there are any.
  template <class U>
  void lay_along_items(CopySide<U>& s, std::uint32_t V) const {
    bool const grouped = s.at.width != CopySide<U>::all;
    std::uint32_t const positions = std::uint32_t(tile_items) / V;
    s.across = std::uint32_t(grouped ? smaller(tile_items, s.at.width)
                                     : int((V > 1 ? 64 : 128) / sizeof(T))) /
               V;
    while (s.across < positions && lanes / s.across >= 2 * s.entries()) s.across *= 2;
    s.across = std::min({s.across, positions, lanes});
    std::int64_t const step = V * s.across;
    if (!grouped) s.even_step = step * s.at.lane;
    else if (step % s.at.width == 0) s.even_step = step / s.at.width * s.at.group;
    else s.even_step = step >= tile_items ? 1 : 0;  // of one step
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
    s.dense = !s.by_items && s.at.width == 1 && (s.fasts == 1 || s.fast == 1) &&
              (s.slows == 1 || s.slow == s.fasts) && s.at.group == rows * cols &&
              row_tiles * col_tiles == 1;
    s.together = words > 1 && fits_together(s);
    s.steady = !s.dense || has_even_steps(s);
    if (s.by_items) {
      lay_along_items(s, s.together ? words : 1);
      if (s.together && s.even_step == 0) {
        s.together = false;
        lay_along_items(s, 1);
      }
    } else {
      std::uint32_t const V = s.together ? words : 1, positions = (s.entries() + V - 1) / V,
                          rounds = (positions + lanes - 1) / lanes;
      s.across = s.dense ? lanes : (positions + rounds - 1) / rounds;
    }
    s.down = lanes / s.across;
    s.by_across = Divisor::of(s.across);
    s.by_fasts = Divisor::of(s.fasts);
    s.by_entries = Divisor::of(s.entries());
  }
};

}  // namespace Batchwork::Impl

#endif
