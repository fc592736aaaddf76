// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Map.hpp"

namespace BatchworkPerf {

void register_map_grids_double() {
  if constexpr (on_device) register_map_from_view<double, Layout::planes, 12, 16, 24, 32>();
  else register_map_from_view<double, Layout::packed, 16, 24, 32>();
}

}  // namespace BatchworkPerf
