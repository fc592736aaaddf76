// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elimination with partial pivoting and the solution for one vector.

#include "Map.hpp"

namespace BatchworkPerf {

namespace {

template <class T, Layout L, int... D>
void register_sizes() {
  (register_operation<T, D, Operation::solve_lu>("batchwork", L,
                                                 map_operation<T, D, L, Operation::solve_lu>),
   ...);
}

}  // namespace

void register_operations_lu() {
  register_sizes<float, Layout::interleaved, 3, 4, 6, 8, 12, 16, 24, 32>();
  register_sizes<double, Layout::interleaved, 3, 4, 6, 8, 12, 16, 24, 32>();
  register_sizes<float, Layout::item_contiguous, 4, 8, 16, 32>();
  register_sizes<double, Layout::item_contiguous, 4, 8, 16, 32>();
}

}  // namespace BatchworkPerf
