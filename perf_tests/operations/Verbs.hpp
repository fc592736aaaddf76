// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The verbs for single operations on matrices of extents known at run time: cholesky, solve_lower
/// (solve), solve_cholesky, solve_lu and lu.
#ifndef BATCHWORK_PERF_OPERATIONS_VERBS_HPP
#define BATCHWORK_PERF_OPERATIONS_VERBS_HPP

#include "Problem.hpp"

namespace BatchworkPerf {

template <class T, int D, Layout L, Operation O>
void verb_operation(benchmark::State& state, std::int64_t items) {
  OperationProblem<T, D, L, O> const p(items);
  Exec const exec;
  auto const launch = [&] {
    if constexpr (O == Operation::lu)
      Batchwork::lu(exec, Batchwork::in(p.a.view), Batchwork::out(p.x.view),
                    Batchwork::out(p.rows));
    else if constexpr (O == Operation::solve_lu)
      Batchwork::solve_lu(exec, Batchwork::in(p.a.view), Batchwork::in(p.b.view),
                          Batchwork::out(p.x.view));
    else if constexpr (O == Operation::cholesky)
      Batchwork::cholesky(exec, Batchwork::in(p.a.view), Batchwork::out(p.x.view));
    else if constexpr (O == Operation::solve)
      Batchwork::solve_lower(exec, Batchwork::in(p.a.view), Batchwork::in(p.b.view),
                             Batchwork::out(p.x.view));
    else
      Batchwork::solve_cholesky(exec, Batchwork::in(p.a.view), Batchwork::in(p.b.view),
                                Batchwork::out(p.x.view));
  };
  launch();
  p.run(state, p.error(), launch);
}

template <class T, Layout L, int... D>
void register_verb_sizes() {
  (register_operation<T, D, Operation::cholesky>("batchwork", L,
                                                 verb_operation<T, D, L, Operation::cholesky>),
   ...);
  (register_operation<T, D, Operation::solve>("batchwork", L,
                                              verb_operation<T, D, L, Operation::solve>),
   ...);
  (register_operation<T, D, Operation::solve_cholesky>(
       "batchwork", L, verb_operation<T, D, L, Operation::solve_cholesky>),
   ...);
  (register_operation<T, D, Operation::solve_lu>("batchwork", L,
                                                 verb_operation<T, D, L, Operation::solve_lu>),
   ...);
}

/// Beside the same in a sequence.
template <class T, Layout L, int... D>
void register_small_verbs() {
  (register_operation<T, D, Operation::solve_lu>("batchwork_verb", L,
                                                 verb_operation<T, D, L, Operation::solve_lu>),
   ...);
}
template <class T, Layout L, int... D>
void register_small_triangles() {
  (register_operation<T, D, Operation::cholesky>("batchwork_verb", L,
                                                 verb_operation<T, D, L, Operation::cholesky>),
   ...);
  (register_operation<T, D, Operation::solve>("batchwork_verb", L,
                                              verb_operation<T, D, L, Operation::solve>),
   ...);
}
template <class T, Layout L, int... D>
void register_factors() {
  (register_operation<T, D, Operation::lu>("batchwork_verb", L,
                                           verb_operation<T, D, L, Operation::lu>),
   ...);
}
template <class T>
void register_verbs() {
  register_factors<T, Layout::item_contiguous, 3, 4, 8, 16, 32, 64>();
  register_factors<T, Layout::interleaved, 3, 4, 8, 16, 32, 64>();
  register_small_triangles<T, Layout::item_contiguous, 4, 8, 16, 24, 31, 32>();
  register_small_triangles<T, Layout::interleaved, 4, 8, 16, 24, 31, 32>();
  register_small_verbs<T, Layout::item_contiguous, 3, 4, 6, 8, 12, 16, 22, 24, 32>();
  register_small_verbs<T, Layout::interleaved, 3, 4, 6, 8, 12, 16, 22, 24, 32>();
  register_verb_sizes<T, Layout::item_contiguous, 33, 48, 54, 64>();
  register_verb_sizes<T, Layout::interleaved, 33, 48, 54, 64>();
}

}  // namespace BatchworkPerf

#endif
