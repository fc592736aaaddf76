// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Map.hpp"

namespace BatchworkPerf {
void register_operations_float_interleaved() {
  register_map_operations<float, Layout::interleaved, 2, 3, 4, 6, 8, 12, 16>();
  if constexpr (on_device) register_map_operations<float, Layout::interleaved, 24, 32>();
}
}  // namespace BatchworkPerf
