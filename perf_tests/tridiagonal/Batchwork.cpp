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
  register_layout<float, Layout::planes>();
  register_layout<float, Layout::rows>();
  register_layout<double, Layout::planes>();
  register_layout<double, Layout::rows>();
}

}  // namespace BatchworkPerf
