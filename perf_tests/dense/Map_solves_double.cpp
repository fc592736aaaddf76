// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Solves.hpp"

namespace BatchworkPerf {

void register_solves_double() {
  register_map_solves<double, SolveBy::ldlt, 3, 4, 8, 16, 32>();
  register_map_solves<double, SolveBy::pivoted_qr, 3, 4, 8, 16, 32>();
  register_map_solves<double, SolveBy::least_squares, 3, 4, 8, 16, 32>();
}

}  // namespace BatchworkPerf
