// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// PivotSearch: the search for the pivot of a column whose rows the lanes of a warp have.
#ifndef BATCHWORK_PIVOTSEARCH_HPP
#define BATCHWORK_PIVOTSEARCH_HPP

#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_BitCounts.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "core/detail/backend/Batchwork_WarpReductions.hpp"

namespace Batchwork::Impl {

/// Lanes have Slots rows each: next to each other if Adjacent, else lane l has rows l, 32 + l, ...
/// It finds the largest pivot_key, of equal ones that of the first row. Where has_shuffles.
template <int Slots, bool Adjacent>
struct PivotSearch {
  static_assert(Adjacent || Slots <= 2);
  std::int32_t own = -1, key = -1;  ///< of the lane's own candidate, and of the pivot
  int slot = 0;                     ///< of the own candidate
  int lane = 0, slot_of_lane = 0;   ///< that has the pivot, and which of its rows it is

  /// key_of(slot): -1 of a row that is no candidate.
  template <class KeyOf>
  BATCHWORK_INLINE void find_own(KeyOf const& key_of) {
    own = -1, slot = 0;
    BATCHWORK_UNROLL
    for (int s = 0; s < Slots; ++s) {
      std::int32_t const other = key_of(s);
      slot = other > own ? s : slot;
      own = other > own ? other : own;
    }
  }
  /// Among the candidates of all lanes.
  BATCHWORK_INLINE void find() {
    key = Vendor::reduce_max<lanes_of_warp>(own);
    unsigned votes = Vendor::ballot(own == key);
    slot_of_lane = 0;
    if constexpr (!Adjacent && Slots == 2) {
      unsigned const of_first = Vendor::ballot(own == key && slot == 0);
      slot_of_lane = of_first == 0 ? 1 : 0;
      votes = of_first == 0 ? votes : of_first;
    }
    lane = Vendor::countr_zero(votes);
  }
};

}  // namespace Batchwork::Impl

#endif
