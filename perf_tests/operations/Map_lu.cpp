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

/// Fewer lanes share an item than by default, which is chosen for updates of covariances.
template <class T, int D, Layout L, int Lanes>
void lu_by_lanes(benchmark::State& state, std::int64_t items) {
  using namespace Batchwork;
  OperationProblem<T, D, L, Operation::solve_lu> const p(items);
  Exec const exec;
  auto const run = [&] {
    map(exec, launch(lanes<Lanes>), LuSolve{}, out(p.x.operand()), in(p.a.operand()),
        in(p.b.operand()));
  };
  run();
  p.run(state, p.error(), run);
}
template <class T, int D, int Lanes>
void register_lanes() {
  if constexpr (on_device) {
    register_operation<T, D, Operation::solve_lu>("batchwork", Layout::interleaved,
                                                  lu_by_lanes<T, D, Layout::interleaved, Lanes>,
                                                  "_few_lanes");
    register_operation<T, D, Operation::solve_lu>("batchwork", Layout::item_contiguous,
                                                  lu_by_lanes<T, D, Layout::item_contiguous, Lanes>,
                                                  "_few_lanes");
  }
}

}  // namespace

void register_operations_lu() {
  register_sizes<float, Layout::interleaved, 3, 4, 6, 8, 12, 16, 24, 32>();
  register_sizes<double, Layout::interleaved, 3, 4, 6, 8, 12, 16, 24, 32>();
  register_sizes<float, Layout::item_contiguous, 4, 8, 16, 32>();
  register_sizes<double, Layout::item_contiguous, 4, 8, 16, 32>();
  register_lanes<float, 24, 4>();
  register_lanes<float, 32, 8>();
  register_lanes<double, 16, 4>();
  register_lanes<double, 32, 16>();
}

}  // namespace BatchworkPerf
