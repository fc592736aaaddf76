// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows and packed storage of the largest tiles, whose items lanes of a device share.

#include "Map.hpp"

namespace BatchworkPerf {

void register_map_grids_rows_large() {
  if constexpr (on_device) {
    register_map_from_view<double, Layout::rows, 24, 32>();
    register_map_from_view<float, Layout::packed, 24, 32>();
    register_map_from_view<double, Layout::packed, 24, 32>();
  }
}

}  // namespace BatchworkPerf
