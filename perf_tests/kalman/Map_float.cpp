// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Map.hpp"

namespace BatchworkPerf {

void register_map_float() {
  if constexpr (on_device) {
    register_map_all<float, Layout::interleaved, 2, 3, 4, 5, 6>();
    register_map_symmetric<float, Layout::interleaved, 7, 9>();
    // From a View it needs 8 bytes more than a lane's registers.
    register_map<CovarianceUpdate, float, 8, Layout::interleaved, Source::fixed>();
    register_map<LiteralCovarianceUpdate, float, 8, Layout::interleaved, Source::fixed>();
  } else {
    register_map_all<float, Layout::compact, 2, 3, 4, 6>();
  }
}

}  // namespace BatchworkPerf
