// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Map.hpp"

namespace BatchworkPerf {

void register_map_grids_double_25() {
  if constexpr (on_device)
    register_map_from_view<double, Layout::interleaved, 25, 26, 27, 28, 29, 30, 31, 32>();
  else register_map_from_view<double, Layout::compact, 32>();
}

}  // namespace BatchworkPerf
