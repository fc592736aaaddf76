// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tridiagonal systems through the public verb solve_tridiagonal.

#include "Problem.hpp"

namespace BatchworkPerf {

namespace {

template <class T, Layout L>
void register_layout() {
  register_tridiagonal<T, L>(
      "batchwork", [](benchmark::State& state, std::int64_t items, int rows) {
        TridiagonalBatch<T, L> const s(items, rows);
        Exec const exec;
        s.run(state, s.x,
              [&] { Batchwork::solve_tridiagonal(exec, s.lower, s.diagonal, s.upper, s.b, s.x); });
      });
}

}  // namespace

void register_batchwork() {
  register_layout<float, Layout::interleaved>();
  register_layout<float, Layout::item_contiguous>();
  register_layout<double, Layout::interleaved>();
  register_layout<double, Layout::item_contiguous>();
}

}  // namespace BatchworkPerf
