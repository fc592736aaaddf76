// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Map.hpp"

namespace BatchworkPerf {

void register_map_grids_float_11() {
  if constexpr (on_device)
    register_map_from_view<float, Layout::interleaved, 11, 12, 13, 14, 15, 16>();
  else register_map_from_view<float, Layout::compact, 16>();
}

}  // namespace BatchworkPerf
