// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// WarpsOfItem: the lanes of some warps that eliminate a matrix together, and what they find of it
/// in scratch.
#ifndef BATCHWORK_WARPSOFITEM_HPP
#define BATCHWORK_WARPSOFITEM_HPP

#include <cstdint>

#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_BitCounts.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "team/detail/Batchwork_WarpTiles.hpp"

namespace Batchwork::Impl {

/// Lanes of a multiprocessor, whole warps for each of its four schedulers, that have so many
/// registers each: 256 at least.
constexpr int lanes_with_registers(int registers, int most) {
  int lanes = 256;
  while (lanes < most && registers_of_multiprocessor / (lanes + 128) >= registers) lanes += 128;
  return lanes;
}

/// What is done with the numbers of a matrix in registers before it is eliminated.
struct MatrixAsItIs {
  template <class Numbers>
  BATCHWORK_INLINE void operator()(Numbers const&, int) const {}
};

/// Of matrices of up to Rows rows, Warps warps each, which is a power of two where teams have
/// several items.
template <class T, int Rows, int Warps>
struct WarpsOfItem {
  static constexpr int warps = Warps, count = Warps * lanes_of_warp;  ///< lanes of an item

  int n = 0;  ///< rows of an item

  /// The calling lane and its item.
  struct Here : LaneOfTiles {
    T* numbers;
    std::int16_t *place, *order;  ///< for each row its place, and for each place its row
  };

  template <class Member, class Numbers, class Indices>
  BATCHWORK_INLINE Here lane_of(Member const& member, int items_per_team, std::int64_t items,
                                Numbers const& numbers_of, Indices const& indices_of) const {
    return lane_of(member, member.league_rank(), items_per_team, items, numbers_of, indices_of);
  }
  /// Of a team that has groups of items one after the other.
  template <class Member, class Numbers, class Indices>
  BATCHWORK_INLINE Here lane_of(Member const& member, std::int64_t group, int items_per_team,
                                std::int64_t items, Numbers const& numbers_of,
                                Indices const& indices_of) const {
    Here here;
    here.template take_tiles<count>(member, group, items_per_team, items);
    here.numbers = numbers_of(here.item);
    here.place = indices_of(here.item);
    here.order = here.place + Rows;
    return here;
  }

  /// The status of the first pivot that is zero or not finite.
  template <class Pivot>
  BATCHWORK_INLINE std::int32_t status_of(Here const& here, Pivot const& pivot) const {
    std::int32_t code = 0;
    for (int k0 = 0; k0 < n; k0 += lanes_of_warp) {
      int const k = k0 + here.in_warp;
      std::int32_t const mine = k < n ? pivot_status(pivot(k), k) : 0;
      unsigned const votes = Vendor::ballot(mine != 0);
      if (votes != 0 && code == 0)
        code = Vendor::shuffle<lanes_of_warp>(mine, Vendor::countr_zero(votes));
    }
    return code;
  }
  static BATCHWORK_INLINE PivotReciprocal<T> reciprocal(T const* reciprocals, int k) {
    PivotReciprocal<T> r;
    r.scale = reciprocals[2 * k];
    r.inverse = reciprocals[2 * k + 1];
    return r;
  }
};

}  // namespace Batchwork::Impl

#endif
