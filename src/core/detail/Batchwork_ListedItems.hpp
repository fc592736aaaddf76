// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ListedItems: the items of a pack, each with its own number.
#ifndef BATCHWORK_LISTED_ITEMS_HPP
#define BATCHWORK_LISTED_ITEMS_HPP

#include <cstdint>

#include "core/detail/Batchwork_CopyGroup.hpp"
#include "core/detail/Batchwork_Macros.hpp"

namespace Batchwork::Impl {

/// As Items, for items that need not be neighbours.
template <int W>
struct ListedItems {
  std::int64_t first;  ///< the item of lane 0
  int count;
  std::int64_t item[W];

  BATCHWORK_INLINE std::int64_t item_of_lane(int k) const {
    return item[k < count ? k : count - 1];
  }
};

BATCHWORK_INLINE bool are_neighbours(Items const&) { return true; }
template <int W>
BATCHWORK_INLINE bool are_neighbours(ListedItems<W> const& items) {
  bool r = true;
  for (int k = 1; k < items.count; ++k) r = r && items.item[k] == items.first + k;
  return r;
}

}  // namespace Batchwork::Impl

#endif
