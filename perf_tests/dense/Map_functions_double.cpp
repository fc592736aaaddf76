// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Map.hpp"

namespace BatchworkPerf {

void register_functions_double() {
  register_map_decompositions<double, Decomposition::sqrt_spd, Layout::interleaved, 3, 4, 8, 16,
                              32>();
  register_map_decompositions<double, Decomposition::expm, Layout::interleaved, 3, 4, 8, 16, 32>();
}

}  // namespace BatchworkPerf
