// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Inverses and decompositions through the verbs on matrices of extents known at run time.
#ifndef BATCHWORK_PERF_DENSE_VERBS_HPP
#define BATCHWORK_PERF_DENSE_VERBS_HPP

#include "Problem.hpp"

namespace BatchworkPerf {

template <class T, int D, Layout L, Decomposition O>
void verb(benchmark::State& state, std::int64_t items) {
  using namespace Batchwork;
  DenseProblem<T, D, L, O> const p(items);
  Exec const exec;
  auto const launch = [&] {
    auto const a = in(p.a.operand());
    auto const left = out(p.left.operand());
    if constexpr (O == Decomposition::inverse) inverse(exec, a, left);
    else if constexpr (O == Decomposition::qr) qr(exec, a, left, out(p.right.operand()));
    else if constexpr (O == Decomposition::eigh) eigh(exec, a, out(p.middle), left);
    else svd(exec, a, left, out(p.middle), out(p.right.operand()));
  };
  launch();
  p.run(state, p.error(), launch);
}

template <class T, Decomposition O, Layout L, int... D>
void register_verb_sizes() {
  (register_decomposition<T, D, O>("batchwork_verb", L, verb<T, D, L, O>), ...);
}
template <class T, Decomposition O>
void register_verb() {
  register_verb_sizes<T, O, Layout::item_contiguous, 3, 4, 6, 8, 16, 24, 32, 48, 64, 100>();
  register_verb_sizes<T, O, Layout::interleaved, 3, 4, 6, 8, 16, 32>();
}

}  // namespace BatchworkPerf

#endif
