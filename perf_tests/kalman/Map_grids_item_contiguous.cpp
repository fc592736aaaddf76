// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Map.hpp"

namespace BatchworkPerf {

void register_map_grids_item_contiguous() {
  if constexpr (on_device) {
    register_map_from_view<float, Layout::item_contiguous, 12, 16, 24, 32>();
    register_map_from_view<double, Layout::item_contiguous, 8, 9, 10, 12, 16>();
    register_map_from_view<float, Layout::compact, 12, 16>();
    register_map_from_view<double, Layout::compact, 8, 12, 16>();
  }
}

}  // namespace BatchworkPerf
