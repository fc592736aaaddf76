// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Map.hpp"

namespace BatchworkPerf {

void register_inverse_double() {
  constexpr auto what = Decomposition::inverse;
  register_map_decompositions<double, what, Layout::interleaved, 3, 4, 6, 8, 16, 24, 32>();
  register_map_decompositions<double, what, Layout::item_contiguous, 4, 8, 16, 32>();
  register_map_decompositions_on_hosts<double, what, Layout::interleaved, 2, 12>();
}

}  // namespace BatchworkPerf
