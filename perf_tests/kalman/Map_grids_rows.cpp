// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Map.hpp"

namespace BatchworkPerf {

void register_map_grids_rows() {
  if constexpr (on_device) {
    register_map_from_view<float, Layout::rows, 12, 16, 24, 32>();
    register_map_from_view<double, Layout::rows, 8, 9, 10, 12, 16>();
    register_map_from_view<float, Layout::packed, 12, 16>();
    register_map_from_view<double, Layout::packed, 8, 12, 16>();
  }
}

}  // namespace BatchworkPerf
