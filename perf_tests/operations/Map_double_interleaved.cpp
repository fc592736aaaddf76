// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Map.hpp"

namespace BatchworkPerf {
void register_operations_double_interleaved() {
  register_map_operations<double, Layout::interleaved, 2, 3, 4, 6, 8, 12, 16>();
  if constexpr (on_device) register_map_operations<double, Layout::interleaved, 24, 32>();
}
}  // namespace BatchworkPerf
