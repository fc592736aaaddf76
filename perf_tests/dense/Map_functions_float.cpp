// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Map.hpp"

namespace BatchworkPerf {

void register_functions_float() {
  register_map_decompositions<float, Decomposition::sqrt_spd, Layout::interleaved, 3, 4, 8, 16,
                              32>();
  register_map_decompositions<float, Decomposition::expm, Layout::interleaved, 3, 4, 8, 16, 32>();
}

}  // namespace BatchworkPerf
