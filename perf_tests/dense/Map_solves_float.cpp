// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Solves.hpp"

namespace BatchworkPerf {

void register_solves_float() {
  register_map_solves<float, SolveBy::ldlt, 3, 4, 8, 16, 32>();
  register_map_solves<float, SolveBy::pivoted_qr, 3, 4, 8, 16, 32>();
  register_map_solves<float, SolveBy::least_squares, 3, 4, 8, 16, 32>();
}

}  // namespace BatchworkPerf
