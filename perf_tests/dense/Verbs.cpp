// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Inverses and decompositions through the verbs on matrices of extents known at run time.

#include "Problem.hpp"

namespace BatchworkPerf {

namespace {

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
void register_sizes() {
  (register_decomposition<T, D, O>("batchwork_verb", L, verb<T, D, L, O>), ...);
}
template <class T, Decomposition O>
void register_layouts() {
  register_sizes<T, O, Layout::item_contiguous, 3, 4, 8, 16, 24, 32, 48, 64, 100>();
  register_sizes<T, O, Layout::interleaved, 3, 8, 32>();
}
template <class T>
void register_type() {
  register_layouts<T, Decomposition::inverse>();
  register_layouts<T, Decomposition::qr>();
  register_layouts<T, Decomposition::eigh>();
  register_layouts<T, Decomposition::svd>();
}

}  // namespace

void register_verbs() {
  register_type<float>();
  register_type<double>();
}

}  // namespace BatchworkPerf
