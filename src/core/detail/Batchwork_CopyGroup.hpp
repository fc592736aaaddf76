// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// CopyGroup: the lanes that together copy the tiles of neighbouring items between memory and
/// scratch, whichever lanes compute with them; and the items of the calling lanes.
#ifndef BATCHWORK_COPYGROUP_HPP
#define BATCHWORK_COPYGROUP_HPP

#include <cstddef>
#include <cstdint>

#include "core/detail/Batchwork_LaneGrid.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"

namespace Batchwork::Impl {

/// The lanes of a copy group if L lanes share an item whose exchange takes so many bytes. A copy
/// group is a warp; it is two or four warps if a warp holds too few items to fill the 32-byte
/// sectors in which the numbers of neighbouring items are adjacent, as long as a team has scratch
/// for them.
constexpr int copy_group_lanes(int L, std::size_t exchange,
                               std::size_t available = scratch_of_a_team) {
  int const wanted = L >= 32 ? 128 : L >= 8 ? 64 : 32;
  return exchange * std::size_t(wanted / L) <= available ? wanted : 32;
}

struct CopyGroup {
  int rank = 0;            ///< the rank of the calling lane
  int items = 1;           ///< as many as a copy group can hold, or one, copied by its grid alone
  int place = 0;           ///< of the first item, in the copy group's buffers
  std::int64_t first = 0;  ///< the first item
};

/// The buffer into which a copy group fetches its next items while it computes.
struct Ahead {
  char* buffer = nullptr;
  CopyGroup next;
  bool more = false;
};

/// The items of the calling lanes: first, first + 1, ..., first + count - 1. Lanes beyond count
/// repeat the last item.
struct Items {
  std::int64_t first;
  int count;

  /// The item in lane k of a pack. Lanes without an item repeat the last one.
  BATCHWORK_INLINE std::int64_t item_of_lane(int k) const {
    return first + (k < count ? k : count - 1);
  }
};

/// The one item of lanes that share it, with the lanes of their copy group. Lanes with a count of 0
/// repeat the item of another grid and store nothing.
template <int CopyGroupLanes>
struct GridItem {
  std::int64_t first;
  int count;
  LaneGrid grid;
  int place;             ///< the place of the item in the buffers of its copy group
  CopyGroup copy_group;  ///< copies this item, and the others if its buffers are full
  char* exchange;        ///< the exchange of the first item in the buffers
  int item_bytes;        ///< the distance between the exchanges of two items
  Ahead ahead;
};

}  // namespace Batchwork::Impl

#endif
