// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Map.hpp"

namespace BatchworkPerf {
void register_operations_float_item_contiguous() {
  if constexpr (on_device)
    register_map_operations<float, Layout::item_contiguous, 2, 3, 4, 6, 8, 12, 16, 24, 32>();
}
}  // namespace BatchworkPerf
