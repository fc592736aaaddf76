// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Map.hpp"

namespace BatchworkPerf {

void register_map_layouts() {
  if constexpr (on_device) {
    register_map_some<float, Layout::item_contiguous, 2, 3, 4, 5, 6, 7, 8, 9, 10>();
    register_map_some<float, Layout::compact, 2, 3, 4, 6, 8, 10>();
    register_map_some<double, Layout::item_contiguous, 2, 3, 4, 5, 6, 7>();
    register_map_some<double, Layout::compact, 2, 3, 4, 6>();
  } else {
    register_map_some<double, Layout::interleaved, 3, 4, 6, 8>();
    register_map_some<double, Layout::item_contiguous, 3, 4, 6, 8>();
  }
}

}  // namespace BatchworkPerf
