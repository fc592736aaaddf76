// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Map.hpp"

namespace BatchworkPerf {

void register_map_grids_double_17() {
  if constexpr (on_device)
    register_map_from_view<double, Layout::interleaved, 17, 18, 19, 20, 21, 22, 23, 24>();
  else register_map_from_view<double, Layout::compact, 24>();
}

}  // namespace BatchworkPerf
