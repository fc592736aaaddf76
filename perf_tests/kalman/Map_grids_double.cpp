// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Map.hpp"

namespace BatchworkPerf {

void register_map_grids_double() {
  if constexpr (on_device)
    register_map_from_view<double, Layout::interleaved, 9, 10, 11, 12, 13, 14, 15, 16>();
  else register_map_from_view<double, Layout::compact, 16>();
}

}  // namespace BatchworkPerf
