// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Fetch: one lane's tile copied to team scratch ahead of its use, beside the arithmetic.
#ifndef BATCHWORK_FETCH_HPP
#define BATCHWORK_FETCH_HPP

#include "machine/Batchwork_Vendor.hpp"
#include "operand/Batchwork_Location.hpp"

namespace Batchwork::Impl {

/// How one lane's tile is copied to scratch ahead of its use. Each lane has its own column of the
/// buffer, number k of the tile standing at k * lanes + lane, so that neither copies nor reads meet in
/// a bank, and no lane waits for another. For arrangements in which neighbouring lanes read
/// neighbouring numbers; others lose more by copies of single numbers than they gain.
template <class Loc>
struct Fetch {
  using Sh = typename Loc::shape;
  using T = std::remove_const_t<typename Loc::value_type>;
  static constexpr bool possible = Loc::lanes_are_neighbours;
  static constexpr bool triangle =
      Sh::structure == Structure::symmetric || Sh::structure == Structure::lower;
  /// Numbers of one tile in the buffer.
  static constexpr int numbers = triangle ? Sh::rows * (Sh::rows + 1) / 2 : Sh::size;

  static BATCHWORK_INLINE constexpr int position(int i, int j) {
    return triangle ? triangle_index(i, j) : number_of<Sh>(i, j);
  }
  static BATCHWORK_INLINE T* place(char* buffer, int i, int j, int lane, int lanes) {
    return reinterpret_cast<T*>(buffer) + position(i, j) * lanes + lane;
  }

  static BATCHWORK_INLINE void start(Loc const& loc, std::int64_t item, char* buffer, int lane,
                                     int lanes) {
    T const* from = loc.at(item, 0);
    for_each_read<Sh>([&](int i, int j) {
      Vendor::copy_async<int(sizeof(T))>(place(buffer, i, j, lane, lanes), from + loc.offset(i, j));
    });
  }

  /// The tile, once its copy has ended.
  template <class R>
  static BATCHWORK_INLINE void finish(R& r, char* buffer, int lane, int lanes) {
    r.info = 0;
    if constexpr (Sh::rank == 0) r.value = *place(buffer, 0, 0, lane, lanes);
    else for_each_read<Sh>([&](int i, int j) { r.set(i, j, *place(buffer, i, j, lane, lanes)); });
  }
};

/// The same for lanes that share an item: each copies its own rows, of a triangle the part left of the diagonal, and all
/// of them read all of it. Number k of an item stands at k * grids + grid.
template <class Loc, int L>
struct GridFetch {
  using Sh = typename Loc::shape;
  using T = std::remove_const_t<typename Loc::value_type>;
  static constexpr bool possible = Loc::lanes_are_neighbours && Sh::rank > 0;
  static constexpr bool triangle = Fetch<Loc>::triangle;
  static constexpr int numbers = Fetch<Loc>::numbers;
  static constexpr int count = Sh::rows, length = Sh::rank == 2 ? Sh::cols : 1;
  static constexpr int mine = (count + L - 1) / L;

  static BATCHWORK_INLINE int position(int i, int k) {
    return triangle ? triangle_index(i, k) : i * length + k;
  }

  static BATCHWORK_INLINE void start(Loc const& location, LaneGrid const& grid, Ahead const& ahead,
                                     char* buffer) {
    Loc const loc = renewed(location);
    auto* const item = loc.at(ahead.next, 0);
    T* const to = reinterpret_cast<T*>(buffer) + ahead.grid;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      int const i = m * L + grid.lane;
      if ((m + 1) * L > count && i >= count) continue;
      RowOfNumbers<Loc> const row(loc, item, i);
      BATCHWORK_UNROLL
      for (int k = 0; k < length; ++k) {
        if (triangle && k >= (m + 1) * L) continue;
        if (!triangle || k <= m * L || k <= i)
          Vendor::copy_async<int(sizeof(T))>(to + position(i, k) * ahead.grids, row.at(k));
      }
    }
  }
  template <class R>
  static BATCHWORK_INLINE void finish(R& r, LaneGrid const& grid, Ahead const& ahead,
                                      char* buffer) {
    r.grid = grid;
    r.info = 0;
    T const* const from = reinterpret_cast<T*>(buffer) + ahead.grid;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      int i = m * L + grid.lane;
      if ((m + 1) * L > count) i = i < count ? i : count - 1;
      BATCHWORK_UNROLL
      for (int k = 0; k < length; ++k) {
        bool const left = !triangle || k <= m * L, right = triangle && k >= (m + 1) * L;
        int const p = left ? position(i, k) : right || k > i ? position(k, i) : position(i, k);
        T const x = from[p * ahead.grids];
        if (Sh::structure == Structure::lower) r.hold(m, k, left || (!right && k <= i) ? x : T(0));
        else r.hold(m, k, x);
      }
    }
  }
};

}  // namespace Batchwork::Impl

#endif
