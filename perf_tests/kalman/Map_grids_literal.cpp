// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The literal form where lanes of a device share an item.

#include "Map.hpp"

namespace BatchworkPerf {

template <class T, int... D>
void register_literal() {
  (register_map<LiteralCovarianceUpdate, T, D, Layout::interleaved, Source::view>(), ...);
}

void register_map_grids_literal() {
  if constexpr (on_device) {
    register_literal<float, 12, 16, 24, 32>();
    register_literal<double, 8, 12, 16, 24, 32>();
  }
}

}  // namespace BatchworkPerf
