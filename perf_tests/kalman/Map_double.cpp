// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Map.hpp"

namespace BatchworkPerf {

void register_map_double() {
  if constexpr (on_device) {
    register_map_all<double, Layout::interleaved, 2, 3, 4>();
    register_map_symmetric<double, Layout::interleaved, 5, 6, 8>();
    // From a View it needs 104 bytes more than a lane's registers.
    register_map<CovarianceUpdate, double, 7, Layout::interleaved, Source::fixed>();
  } else {
    register_map_all<double, Layout::compact, 2, 3, 4, 6>();
  }
}

}  // namespace BatchworkPerf
