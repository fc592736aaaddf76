// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Map.hpp"

namespace BatchworkPerf {

void register_qr_float() {
  constexpr auto what = Decomposition::qr;
  register_map_decompositions<float, what, Layout::interleaved, 3, 4, 6, 8, 16, 24, 32>();
  register_map_decompositions<float, what, Layout::item_contiguous, 4, 8, 16, 32>();
  register_map_decompositions_on_hosts<float, what, Layout::interleaved, 2, 12>();
}

}  // namespace BatchworkPerf
