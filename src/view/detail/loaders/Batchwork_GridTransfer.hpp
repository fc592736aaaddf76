// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Loads and stores if lanes share items. Matrices pass through team scratch: a copy group of lanes
/// copies the items of all its grids in the order of memory. Neighbouring lanes copy neighbouring
/// numbers, 16 bytes each where alignment allows, and each lane reads its own lines from scratch
/// (the tiled transpose of Ruetsch and Micikevicius, "Optimizing Matrix Transpose in CUDA", 2009).
/// Vectors and diagonals are copied directly.
#ifndef BATCHWORK_GRID_TRANSFER_HPP
#define BATCHWORK_GRID_TRANSFER_HPP

#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "tile/detail/shared/Batchwork_Fragments.hpp"
#include "view/detail/layout/Batchwork_Location.hpp"

namespace Batchwork::Impl {

/// The location is loaded again for every item; otherwise the compiler keeps multiples of its
/// strides in registers.
template <class Loc>
BATCHWORK_INLINE Loc renewed(Loc loc) {
  if constexpr (requires { loc.entry_stride; })
    loc.entry_stride = Vendor::renewed(loc.entry_stride);
  return loc;
}

/// Starts to copy V numbers of an item, from entry (i, j) on.
template <int V, class Loc, class T>
BATCHWORK_INLINE void start_numbers(Loc const& loc, std::int64_t item, std::int64_t time, int i,
                                    int j, T* to) {
  Vendor::copy_async<int(V * sizeof(T))>(to, loc.at(item, time) + loc.offset(i, j));
}
/// Stores V numbers of an item, from entry (i, j) on.
template <class Loc, class T, int V>
BATCHWORK_INLINE void put_numbers(Loc const& loc, std::int64_t item, std::int64_t time, int i,
                                  int j, T const (&x)[V]) {
  Vendor::store_vector(loc.at(item, time) + loc.offset(i, j), x);
}

/// The numbers of one operand's tiles during a copy: their positions in the buffer of a copy group,
/// and the lanes that copy them.
template <class Loc, int L, int CopyGroupLanes>
struct GridTransfer {
  using Sh = typename Loc::shape;
  using T = std::remove_const_t<typename Loc::value_type>;
  static constexpr int rows = Sh::rows, cols = Sh::rank == 2 ? Sh::cols : 1, size = rows * cols;
  static constexpr bool triangle =
      Sh::structure == Structure::symmetric || Sh::structure == Structure::lower;
  /// Whether the same numbers of neighbouring items are adjacent, in memory and in the buffer.
  static constexpr bool side_by_side = Loc::lanes_are_neighbours;
  static constexpr int lanes = CopyGroupLanes, items = lanes / L;
  static constexpr int per_unit = 16 / int(sizeof(T));
  /// Numbers copied at once where alignment allows.
  static constexpr int at_once = side_by_side           ? (items < per_unit ? items : per_unit)
                                 : cols % per_unit == 0 ? per_unit
                                                        : 1;
  /// Numbers of an item in the buffer.
  static constexpr int read = side_by_side && triangle ? rows * (rows + 1) / 2 : size;
  /// The distance between items in the buffer if they are not adjacent: an odd number of units.
  static constexpr int stride = odd_units<T>(size);
  static_assert(stride >= size);
  /// The bytes of the buffer of a copy group.
  static constexpr std::size_t bytes =
      (std::size_t(side_by_side ? read : stride) * items * sizeof(T) + 15) / 16 * 16;

  /// The position in the buffer of entry (i, j) of the item at a place.
  static BATCHWORK_INLINE int position(int i, int j, int place) {
    if constexpr (side_by_side)
      return (triangle ? triangle_index(i, j) : i * cols + j) * items + place;
    else return place * stride + i * cols + j;
  }

  /// Calls f(g, i, j) for the calling lane's part of the numbers of Count items: V numbers from
  /// entry (i, j) of item g on, those of V items or of V columns. Triangular: only the numbers of a
  /// triangle that are read. The lanes take as many whole rows at once as possible, so that only
  /// the row changes from one iteration to the next.
  template <int V, bool Triangular, int Copiers, int Count, class F>
  static BATCHWORK_INLINE void for_each_piece(int rank, F const& f) {
    // The pieces of a row: of one item, or of all adjacent items.
    constexpr int parts = side_by_side ? Count / V : 1;
    constexpr int pieces = side_by_side ? cols * parts : cols / V;
    constexpr int rows_at_once = Copiers >= pieces ? Copiers / pieces : 1;
    constexpr int passes = (pieces + Copiers - 1) / Copiers;
    constexpr int all_rows = side_by_side ? rows : rows * Count;
    int const row = passes == 1 ? rank / pieces : 0;
    if (row >= rows_at_once) return;
    int const piece = rank - row * pieces;
    int g = side_by_side ? 0 : row / rows, i = row - g * rows;
    BATCHWORK_UNROLL_SOME
    for (int r = row; r < all_rows; r += rows_at_once) {
      BATCHWORK_UNROLL
      for (int pass = 0; pass < passes; ++pass) {
        int const c = piece + pass * Copiers, j = side_by_side ? c / parts : c * V;
        if (pieces % Copiers != 0 && pass == passes - 1 && c >= pieces) continue;
        if (Triangular && triangle && j > i) continue;
        f(side_by_side ? (c - j * parts) * V : g, i, j);
      }
      i += rows_at_once % rows;
      if constexpr (!side_by_side) {
        g += rows_at_once / rows;
        if (i >= rows) {
          i -= rows;
          ++g;
        }
      }
    }
  }
  /// Calls f(numbers at once, g, i, j) with a constant and indices, in the widest way that the copy
  /// group can use.
  template <bool Triangular, class F>
  static BATCHWORK_INLINE void for_each_piece(Loc const& loc, CopyGroup const& copy_group,
                                              F const& f) {
    if constexpr (at_once > 1) {
      if (is_wide(loc) && copy_group.items == items &&
          (!side_by_side || copy_group.first % at_once == 0)) {
        for_each_piece<at_once, Triangular, lanes, items>(
            copy_group.rank,
            [&](int g, int i, int j) { f(std::integral_constant<int, at_once>{}, g, i, j); });
        return;
      }
    }
    auto const one = [&](int g, int i, int j) { f(std::integral_constant<int, 1>{}, g, i, j); };
    if (copy_group.items == items)
      for_each_piece<1, Triangular, lanes, items>(copy_group.rank, one);
    else for_each_piece<1, Triangular, L, 1>(copy_group.rank, one);
  }
  static BATCHWORK_INLINE bool is_wide(Loc const& loc) {
    if constexpr (requires { loc.wide; }) return loc.wide;
    else return false;
  }

  /// Starts to copy the items of a copy group to its buffer.
  static BATCHWORK_INLINE void start(Loc const& location, std::int64_t time,
                                     CopyGroup const& copy_group, char* buffer) {
    Loc const loc = renewed(location);
    T* const to = reinterpret_cast<T*>(buffer);
    for_each_piece<true>(loc, copy_group, [&](auto at_once, int g, int i, int j) {
      start_numbers<at_once>(loc, copy_group.first + g, time, i, j,
                             to + position(i, j, copy_group.place + g));
    });
  }

  /// A lane's own lines, after the copy has ended. Lanes without a line read the last one.
  template <class R>
  static BATCHWORK_INLINE void finish(R& r, LaneGrid const& grid, int place, char const* buffer) {
    r.grid = grid;
    r.info = 0;
    T const* const from = reinterpret_cast<T const*>(buffer);
    if constexpr (is_fragments<R>) {
      BATCHWORK_UNROLL
      for (int n = 0; n < R::down * R::across; ++n) {
        BATCHWORK_UNROLL
        for (int s = 0; s < 2; ++s) {
          int const i = n / R::across * 8 + grid.lane / 4,
                    k = n % R::across * 8 + grid.lane % 4 * 2 + s;
          bool const there = rows % 8 == 0 || (i < rows && k < rows);
          T const x = from[position(!there ? 0 : i < k ? k : i, !there ? 0 : i < k ? i : k, place)];
          r.c[n][s] = there ? x : T(0);
        }
      }
    } else finish_lines(r, grid, place, from);
  }
  template <class R>
  static BATCHWORK_INLINE void finish_lines(R& r, LaneGrid const& grid, int place, T const* from) {
    BATCHWORK_UNROLL
    for (int m = 0; m < R::mine; ++m) {
      int i = m * L + grid.lane;
      if ((m + 1) * L > R::count) i = i < R::count ? i : R::count - 1;
      if constexpr (at_once == per_unit && !side_by_side && !triangle) {
        T const* const row = from + position(i, 0, place);
        BATCHWORK_UNROLL
        for (int k = 0; k < cols; k += per_unit) {
          Unit<T> const u = *reinterpret_cast<Unit<T> const*>(row + k);
          BATCHWORK_UNROLL
          for (int n = 0; n < per_unit; ++n) r.set_local(m, k + n, u.v[n]);
        }
      } else {
        // Along the row, or down the column that mirrors it.
        T const* const row = from + position(i, 0, place);
        T const* const column = from + (side_by_side ? i * items + place : place * stride + i);
        BATCHWORK_UNROLL
        for (int k = 0; k < cols; ++k) {
          // To the left and to the right of this round's rows no comparison is needed.
          bool const left = !triangle || k <= m * L, right = triangle && k >= (m + 1) * L;
          bool const lower = left || (!right && k <= i);
          if (right && Sh::structure == Structure::symmetric && !holds_whole<R>) continue;
          T const x = lower ? row[side_by_side ? k * items : k] : column[position(k, 0, 0)];
          if (Sh::structure == Structure::lower) r.set_local(m, k, lower ? x : T(0));
          else r.set_local(m, k, x);
        }
      }
    }
  }
};

/// A tile distributed over the calling lanes.
template <class R, class Loc, int C>
BATCHWORK_INLINE void load_lines(R& r, Loc const& loc, GridItem<C> const& item, std::int64_t time) {
  using Sh = typename Loc::shape;
  using S = typename R::value_type;
  using Transfer = GridTransfer<Loc, R::lanes, C>;
  if constexpr (Sh::rank == 2) {
    static_assert(Transfer::bytes <= Transfer::items * S::exchange::bytes);
    item.grid.lanes.template sync_all<Transfer::lanes>();
    Transfer::start(loc, time, item.copy_group, item.exchange);
    Vendor::copy_async_wait();
    item.grid.lanes.template sync_all<Transfer::lanes>();
    Transfer::finish(r, item.grid, item.place, item.exchange);
    // A warp synchronises before it writes to the exchange.
    if constexpr (Transfer::lanes > lanes_of_warp)
      item.grid.lanes.template sync_all<Transfer::lanes>();
  } else {
    auto const* const p = loc.at(item.first, time);
    r.grid = item.grid;
    BATCHWORK_UNROLL
    for (int m = 0; m < R::mine; ++m) {
      int i = r.line(m);
      if ((m + 1) * R::lanes > R::count) i = i < R::count ? i : R::count - 1;
      r.set_local(m, 0, p[loc.offset(i, 0)]);
    }
  }
}

/// Number (i, j) of a tile in the exchange of its item.
template <class R, class T>
BATCHWORK_INLINE T number_in_exchange(T const* p, int i, int j) {
  constexpr int leading = R::value_type::exchange::leading;
  return R::by_rows ? p[i * leading + j] : p[j * leading + i];
}

template <class R, class Loc, int C>
BATCHWORK_INLINE void store_lines(Loc const& location, GridItem<C> const& item, std::int64_t time,
                                  R const& r) {
  using Sh = typename Loc::shape;
  using S = typename R::value_type;
  using T = typename R::T;
  using Transfer = GridTransfer<Loc, R::lanes, C>;
  Loc const loc = renewed(location);
  if constexpr (Sh::rank == 2 && R::structure != Structure::diagonal) {
    if constexpr (is_fragments<R>) r.put();
    else if constexpr (holds_half<R>) stage_both_triangles(r, r.grid);
    else stage_lines<S, R::mine, R::length>(LinesByReference<R>{r}, r.grid);
    if constexpr (Transfer::lanes > lanes_of_warp)
      item.grid.lanes.template sync_all<Transfer::lanes>();
    if (item.count > 0) {
      Transfer::template for_each_piece<false>(
          loc, item.copy_group, [&](auto at_once, int g, int i, int j) {
            auto const exchange = [&](int place) {
              return reinterpret_cast<T const*>(item.exchange + item.item_bytes * place);
            };
            constexpr int V = at_once;
            T x[V];
            BATCHWORK_UNROLL
            for (int n = 0; n < V; ++n)
              x[n] = Transfer::side_by_side
                         ? number_in_exchange<R>(exchange(item.copy_group.place + g + n), i, j)
                         : number_in_exchange<R>(exchange(item.copy_group.place + g), i, j + n);
            put_numbers(loc, item.copy_group.first + g, time, i, j, x);
          });
    }
    if constexpr (Transfer::lanes > lanes_of_warp)
      item.grid.lanes.template sync_all<Transfer::lanes>();
  } else {
    if (item.count == 0) return;
    T* const p = loc.at(item.first, time);
    BATCHWORK_UNROLL
    for (int m = 0; m < R::mine; ++m) {
      int const i = r.line(m);
      if (i >= R::count) continue;
      if constexpr (R::structure == Structure::diagonal && Sh::rank == 2) {
        BATCHWORK_UNROLL
        for (int k = 0; k < Sh::cols; ++k) p[loc.offset(i, k)] = k == i ? r.local(m, 0) : T(0);
      } else if constexpr (Sh::structure == Structure::diagonal &&
                           R::structure != Structure::diagonal) {
        BATCHWORK_UNROLL
        for (int k = 0; k < R::length; ++k)
          if (k == i) p[loc.offset(i, 0)] = r.local(m, k);
      } else {
        p[loc.offset(i, 0)] = r.local(m, 0);
      }
    }
  }
}

}  // namespace Batchwork::Impl

#endif
