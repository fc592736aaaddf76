// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Location: where an operand's numbers lie, as a kernel sees it: a pointer and strides, 64-bit throughout.
/// Three layouts of a batch and the general strided one: planes (LayoutLeft, item fastest), rows (LayoutRight, an
/// item's numbers side by side), packed (groups of W items side by side), strided (anything else).
#ifndef BATCHWORK_LOCATION_HPP
#define BATCHWORK_LOCATION_HPP

#include <cstdint>

#include "machine/Batchwork_Lanes.hpp"
#include "operand/Batchwork_Shape.hpp"

namespace Batchwork {
namespace Impl {

enum class Arrangement { planes, rows, strided, packed, matrix_rows, matrix_columns };

/// Whether a View of this arrangement has item or time indices.
constexpr bool is_single(Arrangement a) {
  return a == Arrangement::matrix_rows || a == Arrangement::matrix_columns;
}

/// T may be const. All strides count numbers, not bytes. offset(i, j) is relative to at(item, time).
template <class T, class Sh, Arrangement A, int PackedWidth>
struct Location;

template <class T, class Sh>
struct Location<T, Sh, Arrangement::planes, 0> {
  using value_type = T;
  using shape = Sh;
  static constexpr bool lanes_are_neighbours = true;
  T* data;
  std::int64_t time, plane;

  BATCHWORK_INLINE T* at(std::int64_t item, std::int64_t t) const { return data + item + t * time; }
  BATCHWORK_INLINE std::int64_t offset(int i, int j) const {
    return (Sh::rank == 2 ? i + j * Sh::rows : i) * plane;
  }
  BATCHWORK_INLINE bool adjacent(std::int64_t, int) const { return true; }
};

template <class T, class Sh>
struct Location<T, Sh, Arrangement::rows, 0> {
  using value_type = T;
  using shape = Sh;
  static constexpr bool lanes_are_neighbours = false;
  T* data;
  std::int64_t time, item_stride;
  bool wide;  ///< every item starts on a 16-byte boundary and is a multiple of 16 bytes long

  BATCHWORK_INLINE T* at(std::int64_t item, std::int64_t t) const {
    return data + item * item_stride + t * time;
  }
  BATCHWORK_INLINE std::int64_t offset(int i, int j) const {
    return Sh::rank == 2 ? i * Sh::cols + j : i;
  }
  BATCHWORK_INLINE bool adjacent(std::int64_t, int) const { return false; }
};

template <class T, class Sh>
struct Location<T, Sh, Arrangement::strided, 0> {
  using value_type = T;
  using shape = Sh;
  static constexpr bool lanes_are_neighbours = false;
  T* data;
  std::int64_t time, item_stride, row, col;

  BATCHWORK_INLINE T* at(std::int64_t item, std::int64_t t) const {
    return data + item * item_stride + t * time;
  }
  BATCHWORK_INLINE std::int64_t offset(int i, int j) const {
    return Sh::rank == 2 ? i * row + j * col : i * row;
  }
  BATCHWORK_INLINE bool adjacent(std::int64_t, int) const { return false; }
};

template <class T, class Sh, int PW>
struct Location<T, Sh, Arrangement::packed, PW> {
  using value_type = T;
  using shape = Sh;
  static constexpr bool lanes_are_neighbours = true;
  T* data;
  std::int64_t time, group;

  BATCHWORK_INLINE T* at(std::int64_t item, std::int64_t t) const {
    return data + (item / PW) * group + t * time + item % PW;
  }
  BATCHWORK_INLINE std::int64_t offset(int i, int j) const {
    return std::int64_t(Sh::rank == 2 ? i * Sh::cols + j : i) * PW;
  }
  /// W items from `item` on lie side by side.
  BATCHWORK_INLINE bool adjacent(std::int64_t item, int w) const { return item % PW + w <= PW; }
};

/// One matrix or vector without item or time index, row by row or column by column without gaps: no stride is needed.
template <class T, class Sh, Arrangement A>
  requires(is_single(A))
struct Location<T, Sh, A, 0> {
  using value_type = T;
  using shape = Sh;
  T* data;

  BATCHWORK_INLINE T* at(std::int64_t, std::int64_t) const { return data; }
  BATCHWORK_INLINE std::int64_t offset(int i, int j) const {
    if (Sh::rank < 2) return i;
    return A == Arrangement::matrix_rows ? i * Sh::cols + j : i + j * Sh::rows;
  }
  BATCHWORK_INLINE bool adjacent(std::int64_t, int) const { return false; }
};

// ---- entries ------------------------------------------------------------------------------------------------------

/// Where one lane's item, or a pack's items, are read and written.
template <class S, class Loc>
struct Cursor {
  using T = typename Loc::value_type;
  Loc const& loc;
  T* p;

  BATCHWORK_INLINE Cursor(Loc const& l, Items items, std::int64_t time)
      : loc(l), p(l.at(items.first, time)) {}
  BATCHWORK_INLINE S get(int i, int j) const { return p[loc.offset(i, j)]; }
  BATCHWORK_INLINE void put(int i, int j, S const& v) const { p[loc.offset(i, j)] = v; }
};

/// A pack's items, side by side or each where its pointer says.
template <class V, int W, class Loc>
struct Cursor<Pack<V, W>, Loc> {
  using T = typename Loc::value_type;
  using S = Pack<V, W>;
  Loc const& loc;
  Items items;
  bool adjacent;
  T* p[W];  ///< one pointer per lane; all lanes' entries have the same offsets

  BATCHWORK_INLINE Cursor(Loc const& l, Items it, std::int64_t time)
      : loc(l), items(it), adjacent(it.count == W && l.adjacent(it.first, W)) {
    for (int k = 0; k < W; ++k)
      p[k] = loc.at(items.first + (k < items.count ? k : items.count - 1), time);
  }
  BATCHWORK_INLINE S get_adjacent(int i, int j) const { return S::load(p[0] + loc.offset(i, j)); }
  BATCHWORK_INLINE void put_adjacent(int i, int j, S const& v) const {
    v.store(p[0] + loc.offset(i, j));
  }
  BATCHWORK_INLINE S get(int i, int j) const {
    std::int64_t const o = loc.offset(i, j);
    S r;
    for (int k = 0; k < W; ++k) r.set_lane(k, p[k][o]);
    return r;
  }
  BATCHWORK_INLINE void put(int i, int j, S const& v) const {
    std::int64_t const o = loc.offset(i, j);
    for (int k = 0; k < items.count; ++k) p[k][o] = v.lane(k);
  }
};

}  // namespace Impl

/// A read-only tile common to all items, read entry by entry from the View itself.
template <class Loc>
struct Direct {
  using Sh = typename Loc::shape;
  using value_type = std::remove_const_t<typename Loc::value_type>;
  static constexpr int rows = Sh::rows;
  static constexpr int cols = Sh::cols;
  static constexpr Structure structure = Sh::structure;
  static constexpr bool is_vector = Sh::is_vector;
  static constexpr bool is_staged = true;
  template <class S2>
  using rebind = Impl::tile_of_t<S2, rows, cols, structure, is_vector>;

  Loc loc;
  info_t<value_type> info = 0;

  BATCHWORK_INLINE value_type entry(int i, int j) const {
    if (Impl::structurally_zero(structure, i, j)) return value_type(0);
    if (structure == Structure::symmetric && j > i) return loc.data[loc.offset(j, i)];
    return loc.data[loc.offset(i, structure == Structure::diagonal ? 0 : j)];
  }
  BATCHWORK_INLINE value_type entry(int i) const { return loc.data[loc.offset(i, 0)]; }
};

namespace Impl {

// ---- whole tiles --------------------------------------------------------------------------------------------------

/// Index into the numbers stored for one item in row order, and whether the tile has that entry.
template <class Sh>
BATCHWORK_INLINE constexpr int number_of(int i, int j) {
  return Sh::rank == 2 ? i * Sh::cols + j : i;
}

/// The columns of row i that are stored in the View: of a symmetric or lower tile those of the lower triangle.
template <class Sh>
BATCHWORK_INLINE constexpr int columns_read(int i) {
  return Sh::structure == Structure::symmetric || Sh::structure == Structure::lower ? i + 1
                                                                                    : Sh::cols;
}

/// Entries of a tile that are stored in the View, each visited once: f(i, j). Of a diagonal the diagonal.
template <class Sh, class F>
BATCHWORK_INLINE void for_each_read(F const& f) {
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < Sh::rows; ++i) {
    if constexpr (Sh::rank < 2) {
      f(i, Sh::structure == Structure::diagonal ? i : 0);
    } else {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < columns_read<Sh>(i); ++j) f(i, j);
    }
  }
}
/// The same as a plain loop, for the ways that hosts take seldom.
template <class Sh, class F>
BATCHWORK_INLINE void for_each_read_in_loop(F const& f) {
  BATCHWORK_LOOP_ON_HOST
  for (int i = 0; i < Sh::rows; ++i) {
    if constexpr (Sh::rank < 2) {
      f(i, Sh::structure == Structure::diagonal ? i : 0);
    } else {
      BATCHWORK_LOOP_ON_HOST
      for (int j = 0; j < columns_read<Sh>(i); ++j) f(i, j);
    }
  }
}

/// The numbers a View holds for one item: a scalar is one, a diagonal matrix may be stored as a vector.
template <class Sh>
inline constexpr int numbers_down = Sh::rank == 0 ? 1 : Sh::rows;
template <class Sh>
inline constexpr int numbers_across = Sh::rank < 2 ? 1 : Sh::cols;
template <class Sh, class R>
BATCHWORK_INLINE auto number_to_store(R const& r, int i, int j) {
  if constexpr (Sh::rank == 0) return r.value;
  else return r.entry(i, Sh::rank == 1 && Sh::structure == Structure::diagonal ? i : j);
}

/// Where the numbers of row i of an item stand: by pointers that go along the row, or down the column that mirrors it.
template <class Loc>
struct RowOfNumbers {
  using Sh = typename Loc::shape;
  using T = typename Loc::value_type;
  T *row, *column;
  std::int64_t along, down;

  BATCHWORK_INLINE RowOfNumbers(Loc const& loc, T* item, int i)
      : row(item + loc.offset(i, 0)), column(item), along(0), down(0) {
    if constexpr (Sh::rank == 2) {
      column = item + loc.offset(0, i);
      along = loc.offset(0, 1);
      down = loc.offset(1, 0);
    }
  }
  BATCHWORK_INLINE T* at(int j) const { return row + j * along; }
  BATCHWORK_INLINE T* mirrored(int j) const { return column + j * down; }
};

/// The location anew for every item: else the compiler keeps multiples of its strides in registers from one to the next.
template <class Loc>
BATCHWORK_INLINE Loc renewed(Loc loc) {
  if constexpr (requires { loc.plane; }) loc.plane = Vendor::renewed(loc.plane);
  return loc;
}

/// A lane's own lines of a spread tile. Lanes without a line read the last one.
template <class R, class Loc>
BATCHWORK_INLINE void load_lines(R& r, Loc const& location, Items items, std::int64_t time) {
  using Sh = typename Loc::shape;
  using T = typename R::T;
  Loc const loc = renewed(location);
  auto* const p = loc.at(items.first, time);
  r.grid = items.grid;
  BATCHWORK_UNROLL
  for (int m = 0; m < R::mine; ++m) {
    int i = r.line(m);
    if ((m + 1) * R::lanes > R::count) i = i < R::count ? i : R::count - 1;
#if defined(BATCHWORK_DEVICE_PASS)
    if constexpr (requires { loc.wide; } && Sh::rank == 2 && R::length * sizeof(T) % 16 == 0 &&
                  Sh::structure == Structure::general) {
      if (loc.wide) {
        BATCHWORK_UNROLL
        for (int k = 0; k < R::length; k += 16 / int(sizeof(T))) {
          Unit<T> const u = *reinterpret_cast<Unit<T> const*>(p + loc.offset(i, k));
          BATCHWORK_UNROLL
          for (int n = 0; n < 16 / int(sizeof(T)); ++n) r.hold(m, k + n, u.v[n]);
        }
        continue;
      }
    }
#endif
    RowOfNumbers<Loc> const numbers(loc, p, i);
    BATCHWORK_UNROLL
    for (int k = 0; k < R::length; ++k) {
      constexpr bool triangle =
          Sh::structure == Structure::lower || Sh::structure == Structure::symmetric;
      bool const left = !triangle || k <= m * R::lanes, right = k >= (m + 1) * R::lanes;
      if (left) r.hold(m, k, *numbers.at(k));
      else if (Sh::structure == Structure::lower)
        r.hold(m, k, !right && k <= i ? *numbers.at(k) : T(0));
      else r.hold(m, k, *(!right && k <= i ? numbers.at(k) : numbers.mirrored(k)));
    }
  }
}

/// What a lane has to write of a spread tile: of a symmetric one its rows of the lower triangle, to both places.
template <class R, class Loc>
BATCHWORK_INLINE void store_lines(Loc const& location, Items items, std::int64_t time, R const& r) {
  using Sh = typename Loc::shape;
  using T = typename R::T;
  if (items.count == 0) return;
  Loc const loc = renewed(location);
  T* const p = loc.at(items.first, time);
  BATCHWORK_UNROLL
  for (int m = 0; m < R::mine; ++m) {
    int const i = r.line(m);
    if (i >= R::count) continue;
#if defined(BATCHWORK_DEVICE_PASS)
    if constexpr (requires { loc.wide; } && Sh::rank == 2 && R::length * sizeof(T) % 16 == 0 &&
                  R::structure != Structure::symmetric && R::structure != Structure::diagonal) {
      if (loc.wide) {
        BATCHWORK_UNROLL
        for (int k = 0; k < R::length; k += 16 / int(sizeof(T))) {
          Unit<T> u;
          BATCHWORK_UNROLL
          for (int n = 0; n < 16 / int(sizeof(T)); ++n) u.v[n] = r.held(m, k + n);
          *reinterpret_cast<Unit<T>*>(p + loc.offset(i, k)) = u;
        }
        continue;
      }
    }
#endif
    RowOfNumbers<Loc> const numbers(loc, p, i);
    if constexpr (R::structure == Structure::diagonal && Sh::rank == 2) {
      BATCHWORK_UNROLL
      for (int k = 0; k < Sh::cols; ++k) *numbers.at(k) = k == i ? r.held(m, 0) : T(0);
      continue;
    }
    BATCHWORK_UNROLL
    for (int k = 0; k < R::length; ++k) {
      if constexpr (Sh::structure == Structure::diagonal && R::structure != Structure::diagonal) {
        if (k == i) *numbers.at(0) = r.held(m, k);
      } else if constexpr (Sh::rank == 2 && R::structure == Structure::symmetric) {
        if (k >= (m + 1) * R::lanes) continue;
        if (k <= i) {
          *numbers.at(k) = r.held(m, k);
          *numbers.mirrored(k) = r.held(m, k);
        }
      } else {
        *numbers.at(k) = r.held(m, k);
      }
    }
  }
}

template <class S, class Loc>
BATCHWORK_INLINE auto load_tile(Loc const& loc, Items items, std::int64_t time) {
  using Sh = typename Loc::shape;
  using R = typename Sh::template tile<S>;
  using T [[maybe_unused]] = std::remove_const_t<typename Loc::value_type>;
  R r;
  r.info = info_t<S>(0);
  if constexpr (is_spread<S> && Sh::rank == 0) {
    r.value = S(*loc.at(items.first, time), items.grid);
  } else if constexpr (is_spread<S>) {
    load_lines(r, loc, items, time);
  } else if constexpr (Sh::rank == 0) {
    Cursor<S, Loc> const c(loc, items, time);
    if constexpr (requires { c.adjacent; })
      r.value = c.adjacent ? c.get_adjacent(0, 0) : c.get(0, 0);
    else r.value = c.get(0, 0);
  } else {
#if defined(BATCHWORK_DEVICE_PASS)
    if constexpr (one_item_per_lane<S> && requires { loc.wide; } &&
                  Sh::size * sizeof(T) % 16 == 0) {
      if (loc.wide) {
        constexpr int per = 16 / int(sizeof(T));
        Unit<T> buffer[Sh::size / per];
        auto const* from = reinterpret_cast<Unit<T> const*>(loc.at(items.first, time));
        BATCHWORK_UNROLL
        for (int k = 0; k < Sh::size / per; ++k) buffer[k] = from[k];
        for_each_read<Sh>([&](int i, int j) {
          int const k = number_of<Sh>(i, j);
          r.set(i, j, buffer[k / per].v[k % per]);
        });
        return r;
      }
    }
#endif
    Cursor<S, Loc> const c(loc, items, time);
    auto const get = [&](int i, int j) { r.set(i, j, c.get(i, j)); };
    if constexpr (requires { c.adjacent; }) {
      if (c.adjacent) for_each_read<Sh>([&](int i, int j) { r.set(i, j, c.get_adjacent(i, j)); });
      else for_each_read_in_loop<Sh>(get);
    } else {
      for_each_read<Sh>(get);
    }
  }
  return r;
}

/// By one lane or in packs.
template <class S, class Loc, class R>
BATCHWORK_INLINE void store_held(Loc const& loc, Items items, std::int64_t time, R const& r) {
  using Sh = typename Loc::shape;
  using T [[maybe_unused]] = typename Loc::value_type;
#if defined(BATCHWORK_DEVICE_PASS)
  if constexpr (Sh::rank == 2 && one_item_per_lane<S> && requires { loc.wide; } &&
                Sh::size * sizeof(T) % 16 == 0) {
    if (loc.wide) {
      constexpr int per = 16 / int(sizeof(T));
      auto* to = reinterpret_cast<Unit<T>*>(loc.at(items.first, time));
      BATCHWORK_UNROLL
      for (int k = 0; k < Sh::size / per; ++k) {
        Unit<T> w;
        BATCHWORK_UNROLL
        for (int n = 0; n < per; ++n) {
          int const m = k * per + n;
          w.v[n] = r.entry(m / Sh::cols, m % Sh::cols);
        }
        to[k] = w;
      }
      return;
    }
  }
#endif
  Cursor<S, Loc> const c(loc, items, time);
  if constexpr (requires { c.adjacent; }) {
    if (c.adjacent) {
      BATCHWORK_LOOP_ON_HOST
      for (int i = 0; i < numbers_down<Sh>; ++i) {
        BATCHWORK_UNROLL_ON_DEVICE
        for (int j = 0; j < numbers_across<Sh>; ++j)
          c.put_adjacent(i, j, number_to_store<Sh>(r, i, j));
      }
      return;
    }
  }
  BATCHWORK_LOOP_ON_HOST
  for (int i = 0; i < numbers_down<Sh>; ++i) {
    BATCHWORK_LOOP_ON_HOST
    for (int j = 0; j < numbers_across<Sh>; ++j) c.put(i, j, number_to_store<Sh>(r, i, j));
  }
}

/// Writes every number the View holds for the items: both triangles of a symmetric tile, the zeros of a lower one.
template <class S, class Loc, class R>
BATCHWORK_INLINE void store_tile(Loc const& loc, Items items, std::int64_t time, R const& r) {
  using Sh = typename Loc::shape;
  using T [[maybe_unused]] = typename Loc::value_type;
  if constexpr (is_spread<S>) {
    if constexpr (Sh::rank == 0) {
      if (items.count > 0 && items.grid.lane == 0) *loc.at(items.first, time) = r.value.v;
    } else {
      store_lines(loc, items, time, r);
    }
  } else {
    store_held<S>(loc, items, time, r);
  }
}

}  // namespace Impl
}  // namespace Batchwork

#endif
