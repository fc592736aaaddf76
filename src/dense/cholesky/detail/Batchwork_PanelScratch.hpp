// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The layout of a lower triangle in team scratch, by panels of eight columns, and the copies to it
/// and back.
#ifndef BATCHWORK_PANELSCRATCH_HPP
#define BATCHWORK_PANELSCRATCH_HPP

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "view/detail/layout/Batchwork_MatrixTravel.hpp"

namespace Batchwork::Impl {

/// A triangle of `tiles` tiles of 8 x 8 numbers down. A panel holds rows of eight numbers, from its
/// tile on the diagonal downwards, in units of 16 bytes. The units are permuted from row to row.
/// Eight lanes that read the same unit of eight neighbouring rows then find different banks, and so
/// do lanes that read all units of 8 / units rows.
template <class T>
struct PanelScratch {
  static constexpr int wide = 16 / int(sizeof(T)), units = 8 / wide;
  int tiles;

  BATCHWORK_INLINE constexpr int rows() const { return 8 * tiles; }
  BATCHWORK_INLINE constexpr int numbers() const { return 32 * tiles * (tiles + 1); }
  /// From one item to the next: 16 bytes more than all banks have, so that items side by side find
  /// different ones.
  constexpr int item_numbers() const { return numbers() + wide; }
  /// Place of row 0 of panel t, were it there; row i follows 8 i numbers further on.
  BATCHWORK_INLINE constexpr int panel(int t) const { return 8 * t * (rows() - 4 * t - 4); }
  /// From panel t to the next.
  BATCHWORK_INLINE constexpr int step(int t) const { return 8 * (rows() - 8 * t - 8); }
  /// Place of unit v in row i, from where the row begins.
  static BATCHWORK_INLINE constexpr int unit(int i, int v) {
    return wide * (v ^ (i >> (units == 2 ? 2 : 1) & (units - 1)));
  }
  /// Of column j, counted in the panel.
  static BATCHWORK_INLINE constexpr int within(int i, int j) {
    return unit(i, j / wide) + j % wide;
  }
  BATCHWORK_INLINE constexpr int place(int i, int j) const {
    return panel(j / 8) + 8 * i + within(i, j % 8);
  }
};

/// How lower triangles of n rows travel between memory and panels. Strides may be negative.
struct PanelTravel {
  MatrixTravel by;    ///< numbers one by one
  bool wide = false;  ///< units of 16 bytes instead

  template <class U>
  static PanelTravel of(Storage<U> s, int n, bool whole) {
    PanelTravel t;
    bool const ascending = s.row >= 0 && s.col >= 0;
    s.row = std::abs(s.row), s.col = std::abs(s.col);
    t.by = MatrixTravel::of(s, n, n, true, ascending);
    t.wide = t.by.shift > 0 && 16 == int(sizeof(U)) << t.by.shift;
    t.by.shift = 0;
    if (whole) t.by.of_matrix(n, n);
    else t.by.of_triangle(n);
    return t;
  }
};

/// Starts the copies of the triangles of a team's items, as far as the calling lane has them:
/// numbers_of(item) is where an item stands, from_of(item) where it comes from. `here` has a
/// multiple of eight lanes to an item.
template <class T, class U, class Here, class NumbersOf, class FromOf>
BATCHWORK_INLINE void fetch_panels(PanelTravel const& t, Here const& here, Storage<U> const& s,
                                   int n, PanelScratch<T> const& at, NumbersOf const& numbers_of,
                                   FromOf const& from_of) {
  constexpr int wide = PanelScratch<T>::wide, units = PanelScratch<T>::units;
  if (t.by.by_items) {
    // Four neighbouring columns by lanes side by side, for the banks.
    int const item = here.rank & (here.items - 1), k = here.rank / here.items, j0 = k % 4,
              rows = here.team / here.items / 4;
    if (item >= here.there) return;
    T* const numbers = numbers_of(item);
    U* const from_item = from_of(item) + j0 * s.col;
    BATCHWORK_KEEP_LOOP
    for (int i = k / 4; i < n; i += rows) {
      int const near = at.within(i, j0), far = at.within(i, j0 + 4);
      T* to = numbers + 8 * i;
      U* from = from_item + i * s.row;
      int step = at.step(0);
      BATCHWORK_KEEP_LOOP
      for (int j = j0; j <= i; j += 8) {
        fetch_together<1>(to + near, from);
        if (j + 4 <= i) fetch_together<1>(to + far, from + 4 * s.col);
        to += step, step -= 64, from += 8 * s.col;
      }
    }
  } else if (t.wide) {
    if (here.item >= here.there) return;
    // Eight lanes have `some` rows of a tile, and each of them a unit of each.
    constexpr int some = 8 / units;
    int const v = here.lane % units, r = here.lane / units % some, across = here.lanes / 8;
    std::int64_t const down = 8 * s.row;
    T* const numbers = numbers_of(here.item) + 8 * r;
    U* const from_item = from_of(here.item) + (r * s.row + wide * v);
    BATCHWORK_KEEP_LOOP
    for (int panel = here.lane / 8; 8 * panel + wide * v < n; panel += across) {
      T* to = numbers + (at.panel(panel) + 64 * panel);
      U* from = from_item + (8 * panel + panel * down);
      BATCHWORK_KEEP_LOOP
      for (int i = 8 * panel + r; i < n; i += 8) {
        BATCHWORK_UNROLL
        for (int u = 0; u < units; ++u)
          if (u == 0 || i + some * u < n)
            fetch_together<wide>(to + (8 * some * u + wide * (v ^ u)), from + some * u * s.row);
        to += 64, from += down;
      }
    }
  } else {
    here.walk_triangle(t.by, n, [&](int item, int i, int j) {
      fetch_together<1>(numbers_of(item) + at.place(i, j),
                        from_of(item) + (std::int64_t(i) * s.row + std::int64_t(j) * s.col));
    });
  }
}
/// Stores the triangles, with zeros above the diagonal: in tiles on it these are there.
template <class T, class Here, class NumbersOf, class ToOf>
BATCHWORK_INLINE void store_panels(PanelTravel const& t, Here const& here, Storage<T> const& s,
                                   int n, PanelScratch<T> const& at, NumbersOf const& numbers_of,
                                   ToOf const& to_of) {
  constexpr int wide = PanelScratch<T>::wide, units = PanelScratch<T>::units;
  if (t.by.by_items) {
    int const item = here.rank & (here.items - 1), k = here.rank / here.items, j0 = k % 4,
              rows = here.team / here.items / 4;
    if (item >= here.there) return;
    T const* const numbers = numbers_of(item);
    T* const to_item = to_of(item) + j0 * s.col;
    BATCHWORK_KEEP_LOOP
    for (int i = k / 4; i < n; i += rows) {
      int const near = at.within(i, j0), far = at.within(i, j0 + 4);
      T const* from = numbers + 8 * i;
      T* to = to_item + i * s.row;
      int step = at.step(0);
      BATCHWORK_KEEP_LOOP
      for (int j = j0; j < n; j += 8) {
        *to = j <= i ? from[near] : T(0);
        if (j + 4 < n) to[4 * s.col] = j + 4 <= i ? from[far] : T(0);
        from += step, step -= 64, to += 8 * s.col;
      }
    }
  } else if (t.wide) {
    if (here.item >= here.there) return;
    constexpr int some = 8 / units;
    int const v = here.lane % units, r = here.lane / units % some, across = here.lanes / 8;
    std::int64_t const down = 8 * s.row;
    T const* const numbers = numbers_of(here.item) + 8 * r;
    T* const to_item = to_of(here.item) + (r * s.row + wide * v);
    BATCHWORK_KEEP_LOOP
    for (int panel = here.lane / 8; 8 * panel + wide * v < n; panel += across) {
      T const* from = numbers + at.panel(panel);
      T* to = to_item + 8 * panel;
      BATCHWORK_KEEP_LOOP
      for (int i = r; i < n; i += 8) {
        BATCHWORK_UNROLL
        for (int u = 0; u < units; ++u) {
          if (u > 0 && i + some * u >= n) continue;
          T x[wide] = {};
          if (i >= 8 * panel) read_together(x, from + (8 * some * u + wide * (v ^ u)));
          Vendor::store_vector(to + some * u * s.row, x);
        }
        from += 64, to += down;
      }
    }
  } else {
    here.walk(t.by, [&](int item, int i, int j) {
      to_of(item)[std::int64_t(i) * s.row + std::int64_t(j) * s.col] =
          j <= i ? numbers_of(item)[at.place(i, j)] : T(0);
    });
  }
}

}  // namespace Batchwork::Impl

#endif
