// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Map.hpp"

namespace BatchworkPerf {

void register_map_layouts_large() {
  if constexpr (!on_device) {
    register_map_from_view<float, Layout::interleaved, 16, 32>();
    register_map_from_view<float, Layout::item_contiguous, 16, 32>();
    register_map_from_view<double, Layout::interleaved, 16, 24, 32>();
    register_map_from_view<double, Layout::item_contiguous, 16, 24, 32>();
  }
}

}  // namespace BatchworkPerf
