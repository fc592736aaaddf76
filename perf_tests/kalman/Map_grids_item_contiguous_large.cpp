// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The largest tiles in item-contiguous and compact storage. Lanes of a device share an item.

#include "Map.hpp"

namespace BatchworkPerf {

void register_map_grids_item_contiguous_large() {
  if constexpr (on_device) {
    register_map_from_view<double, Layout::item_contiguous, 24, 32>();
    register_map_from_view<float, Layout::compact, 24, 32>();
    register_map_from_view<double, Layout::compact, 24, 32>();
  }
}

}  // namespace BatchworkPerf
