// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// LaneGrid: the lanes that share an item, from the viewpoint of one of them.
#ifndef BATCHWORK_LANE_GRID_HPP
#define BATCHWORK_LANE_GRID_HPP

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_LaneSync.hpp"
#include "core/detail/backend/Batchwork_WarpReductions.hpp"

namespace Batchwork::Impl {

/// One lane's view of the grid it belongs to.
struct LaneGrid {
  char* exchange = nullptr;  ///< the item's part of team scratch
  int lane = 0;              ///< rank within the grid
  Vendor::LaneSync lanes{};

  /// After it all lanes of the grid see what any of them wrote before.
  BATCHWORK_INLINE void sync() const { lanes.sync(); }

  /// The exchange as numbers.
  template <class T>
  BATCHWORK_INLINE T* numbers() const {
    return reinterpret_cast<T*>(exchange);
  }

  /// The value that the lane `from` of the L of this grid holds.
  template <int L, class T>
  BATCHWORK_INLINE T broadcast(T const& x, int from) const {
    if constexpr (L == 1) return x;
    else return lanes.template broadcast<L>(x, from, lane, exchange);
  }
  /// The sum over the L lanes, the same bits in each.
  template <int L, class T>
  BATCHWORK_INLINE T sum(T const& x) const {
    if constexpr (L == 1) return x;
    else return lanes.template sum<L>(x, lane, exchange);
  }
  /// The lane of the L that holds the largest integer, the first one of equal integers. After the
  /// portable version the exchange is free again.
  template <int L, class Integer>
  BATCHWORK_INLINE int lane_of_largest(Integer x) const {
    if constexpr (L == 1) return 0;
    else return lanes.template lane_of_largest<L>(x, lane, exchange);
  }
  /// The largest of the integers of the L lanes.
  template <int L, class Integer>
  BATCHWORK_INLINE Integer largest(Integer x) const {
    if constexpr (L == 1) return x;
    else if constexpr (Vendor::has_shuffles) return Vendor::reduce_max<L>(x);
    else return broadcast<L>(x, lane_of_largest<L>(x));
  }
  /// The bits that are set in any of the L lanes.
  template <int L>
  BATCHWORK_INLINE unsigned reduce_or(unsigned x) const {
    if constexpr (L == 1) return x;
    else return lanes.template reduce_or<L>(x, lane, exchange);
  }
  /// The same for numbers that all lanes broadcast one after the other, in turns 0, 1, ...; call
  /// begin_turns before the first.
  BATCHWORK_INLINE void begin_turns() const { lanes.begin_turns(); }
  template <int L, class T>
  BATCHWORK_INLINE T broadcast_in_turn(T const& x, int from, int turn) const {
    if constexpr (L == 1) return x;
    else return lanes.template broadcast_in_turn<L>(x, from, turn, lane, exchange);
  }
  /// N sums over the L lanes, where each lane contributes its own terms: x[m L] becomes sum number
  /// m L + lane; the other numbers are undefined afterwards. The exchange must be for tiles with at
  /// least N rows or columns.
  template <int L, int N, class T>
  BATCHWORK_INLINE void reduce_scatter(T (&x)[N]) const {
    if constexpr (L > 1) lanes.template reduce_scatter<L>(x, lane, exchange);
  }
};

/// The grid of two operands, one of which may be a plain number without a grid.
BATCHWORK_INLINE LaneGrid merge_grids(LaneGrid const& a, LaneGrid const& b) {
  return a.exchange != nullptr ? a : b;
}

}  // namespace Batchwork::Impl

#endif
