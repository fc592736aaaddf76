// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Inverses and decompositions through the verbs on matrices of extents known at run time.
#ifndef BATCHWORK_PERF_DENSE_VERBS_HPP
#define BATCHWORK_PERF_DENSE_VERBS_HPP

#include <stdexcept>
#include <string>

#include "Problem.hpp"

namespace BatchworkPerf {

/// The kernel for the verbs, of the flag --kernel.
Batchwork::KernelKind& kernel_of_verbs();
std::string name_of_kernel();

template <Decomposition O>
inline constexpr Batchwork::Verb verb_of = O == Decomposition::inverse ? Batchwork::Verb::inverse
                                           : O == Decomposition::qr    ? Batchwork::Verb::qr
                                           : O == Decomposition::eigh  ? Batchwork::Verb::eigh
                                                                       : Batchwork::Verb::svd;

template <class T, int D, Layout L, Decomposition O>
void verb(benchmark::State& state, std::int64_t items) {
  using namespace Batchwork;
  DenseProblem<T, D, L, O> const p(items);
  Exec const exec;
  auto const how = Batchwork::launch(kernel_of_verbs());
  auto const with_operands = [&](auto const& f) {
    auto const a = in(p.a.operand());
    auto const left = out(p.left.operand());
    if constexpr (O == Decomposition::inverse) return f(exec, how, a, left);
    else if constexpr (O == Decomposition::qr) return f(exec, how, a, left, out(p.right.operand()));
    else if constexpr (O == Decomposition::eigh) return f(exec, how, a, out(p.middle), left);
    else return f(exec, how, a, left, out(p.middle), out(p.right.operand()));
  };
  auto const call = [](auto const&... x) {
    if constexpr (O == Decomposition::inverse) inverse(x...);
    else if constexpr (O == Decomposition::qr) qr(x...);
    else if constexpr (O == Decomposition::eigh) eigh(x...);
    else svd(x...);
  };
  Kokkos::View<T*, Memory> memory;
  auto const launch = [&] {
    if (memory.size() == 0) with_operands(call);
    else with_operands([&](auto const&... x) { call(x..., workspace(memory)); });
  };
  try {
    auto const n =
        with_operands([](auto const&... x) { return workspace_numbers<verb_of<O>>(x...); });
    if (n > 0) memory = Kokkos::View<T*, Memory>("workspace", static_cast<std::size_t>(n));
    launch();
  } catch (std::invalid_argument const& refused) {
    // A kernel of --kernel that does not run this size.
    state.SkipWithError(refused.what());
    return;
  }
  p.run(state, p.error(), launch);
}

template <class T, Decomposition O, Layout L, int... D>
void register_verb_sizes() {
  (register_decomposition<T, D, O>("batchwork_verb", L, verb<T, D, L, O>, 1 << 30,
                                   name_of_kernel()),
   ...);
}
template <class T, Decomposition O>
void register_verb() {
  register_verb_sizes<T, O, Layout::item_contiguous, 3, 4, 6, 8, 16, 24, 32, 48, 64, 100>();
  register_verb_sizes<T, O, Layout::interleaved, 3, 4, 6, 8, 16, 32>();
}

}  // namespace BatchworkPerf

#endif
