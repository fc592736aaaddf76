// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// How the lanes of a team move the numbers of its items between memory and scratch.
#ifndef BATCHWORK_MATRIXTRAVEL_HPP
#define BATCHWORK_MATRIXTRAVEL_HPP

#include <cstdint>

#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_QuickDivisor.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// How the numbers of an operand travel.
struct MatrixTravel {
  bool by_items =
      false;  ///< neighbouring lanes move neighbouring items; else neighbouring numbers of an item
  bool turned = false;  ///< columns first instead of rows
  int shift = 0;        ///< 1 << shift numbers of a row at once, at most 16 bytes
  int count = 0;        ///< the number of moves for an item
  int fasts = 1;        ///< the number of moves along a row, or along a column if turned
  QuickDivisor by_fasts;

  /// \param items_together  the lanes of a team may move the numbers of each other's items
  /// \param may_be_wide     several numbers of a row may be moved at once if they are aligned
  template <class U>
  static MatrixTravel of(Storage<U> const& s, int rows, int cols, bool items_together,
                         bool may_be_wide) {
    constexpr int wide = 16 / int(sizeof(U));
    MatrixTravel t;
    t.by_items = items_together && items_are_near(s, rows, cols);
    t.turned = rows_are_near(s, rows, cols);
    if (may_be_wide && !t.by_items && s.width == 1 && s.col == 1) {
      auto const fits = [&](int shift) {
        auto const whole = [&](std::int64_t stride) { return stride % (1 << shift) == 0; };
        return whole(cols) && whole(s.row) && whole(s.group) &&
               reinterpret_cast<std::uintptr_t>(s.data) % (sizeof(U) << shift) == 0;
      };
      while ((2 << t.shift) <= wide && fits(t.shift + 1)) ++t.shift;
    }
    t.of_matrix(rows, cols);
    return t;
  }
  void of_matrix(int rows, int cols) {
    fasts = turned ? rows : cols >> shift;
    count = fasts * (turned ? cols : rows);
    by_fasts = QuickDivisor(fasts);
  }
  /// In a lower triangle a long row and a short one together are as long as any other such pair.
  void of_triangle(int n) {
    fasts = (n >> shift) + 1;
    count = (n + 1) / 2 * fasts;
    by_fasts = QuickDivisor(fasts);
  }
};

/// The position of a lane in a team with several items for each lane.
struct LaneOfItems {
  int rank, team, lanes;  ///< the rank in the team, its lanes, and the lanes of an item
  int item, lane;         ///< the item of the lane, and the rank among the lanes of that item
  int items, there;       ///< the largest number of items, a power of two, and the actual number

  /// For a team with room for so many items, with Lanes lanes each, a power of two; `left` is the
  /// number of items from its first one on.
  template <int Lanes, class Member>
  BATCHWORK_INLINE void take_place(Member const& member, int items_of_team, std::int64_t left) {
    rank = Vendor::renewed(Vendor::lane_rank(member));
    team = Lanes * items_of_team;
    lanes = Lanes;
    // Unsigned, because signed divisions by powers of two need a correction.
    item = int(unsigned(rank) / Lanes);
    lane = int(unsigned(rank) % Lanes);
    items = items_of_team;
    there = left < items_of_team ? int(left) : items_of_team;
  }
  /// Runs move(item, k) for the lane's part of an operand, always of the same item.
  template <class Move>
  BATCHWORK_INLINE void share(MatrixTravel const& t, Move const& move) const {
    int const step = t.by_items ? team / items : lanes;
    if (item_of_share(t) >= there) return;
    for (int k = t.by_items ? rank / items : lane; k < t.count; k += step)
      move(item_of_share(t), k);
  }
  BATCHWORK_INLINE int item_of_share(MatrixTravel const& t) const {
    return t.by_items ? rank & (items - 1) : item;
  }
  /// Runs move(item, i, j) for the lane's part of an operand.
  template <class Move>
  BATCHWORK_INLINE void walk(MatrixTravel const& t, Move const& move) const {
    share(t, [&](int which, int k) {
      int const slow = t.by_fasts.quotient(k), fast = k - slow * t.fasts;
      if (t.turned) move(which, fast, slow);
      else move(which, slow, fast << t.shift);
    });
  }
  /// The same for the lower triangle of n rows: see of_triangle.
  template <class Move>
  BATCHWORK_INLINE void walk_triangle(MatrixTravel const& t, int n, Move const& move) const {
    share(t, [&](int which, int k) {
      int const slow = t.by_fasts.quotient(k), fast = k - slow * t.fasts;
      int const longer = n - 1 - slow, in_row = (longer >> t.shift) + 1;
      bool const in_longer = fast < in_row;
      if (!in_longer && slow == longer) return;  // the middle row has no partner
      int const i = in_longer ? longer : slow, j = (in_longer ? fast : fast - in_row) << t.shift;
      if (t.turned) move(which, n - 1 - j, n - 1 - i);
      else move(which, i, j);
    });
  }
};

/// Starts the copy of some numbers from memory to scratch: 4, 8 or 16 bytes, aligned alike.
template <int Numbers, class T>
BATCHWORK_INLINE void fetch_together(T* to, T const* from) {
  if constexpr (Vendor::has_async_copies) {
    Vendor::copy_async<Numbers* int(sizeof(T))>(to, from);
  } else {
    for (int k = 0; k < Numbers; ++k) to[k] = from[k];
  }
}
/// The same for what `t` moves at once.
template <class T>
BATCHWORK_INLINE void fetch_numbers(MatrixTravel const& t, T* to, T const* from) {
  if (t.shift == 2) fetch_together<16 / int(sizeof(T))>(to, from);
  else if (t.shift == 1) fetch_together<2>(to, from);
  else fetch_together<1>(to, from);
}
/// Some numbers from scratch to memory.
template <int Numbers, class T>
BATCHWORK_INLINE void store_together(T* to, T const* from) {
  T x[Numbers];
  read_together(x, from);
  Vendor::store_vector(to, x);
}
/// The same for what `t` moves at once.
template <class T>
BATCHWORK_INLINE void store_numbers(MatrixTravel const& t, T* to, T const* from) {
  if (t.shift == 2) store_together<16 / int(sizeof(T))>(to, from);
  else if (t.shift == 1) store_together<2>(to, from);
  else *to = *from;
}

}  // namespace Batchwork::Impl

#endif
