// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Map.hpp"

namespace BatchworkPerf {

void register_map_large() {
  if constexpr (on_device) {
    register_map_symmetric<float, Layout::interleaved, 10>();
  } else {
    register_map_all<float, Layout::compact, 8, 12>();
    register_map_all<double, Layout::compact, 8, 12>();
  }
}

}  // namespace BatchworkPerf
