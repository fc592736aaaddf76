// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Solutions for one right-hand side by decompositions, through the public verb map:
///   ldlt           A x = b, A symmetric and indefinite, D x D
///   pivoted_qr     A x = b, A of D x D
///   least_squares  |A x - b| as small as can be, by qr, A of D x (D + 1) / 2
/// Elimination is in perf_operations.
#ifndef BATCHWORK_PERF_DENSE_SOLVES_HPP
#define BATCHWORK_PERF_DENSE_SOLVES_HPP

#include "SolveProblem.hpp"

namespace BatchworkPerf {

template <SolveBy By>
struct Solution {
  template <class X, class A, class B>
  KOKKOS_FUNCTION void operator()(X& x, A const& a, B const& b) const {
    if constexpr (By == SolveBy::ldlt) x = ldlt(a).solve(b);
    else if constexpr (By == SolveBy::pivoted_qr) x = pivoted_qr(a).solve(b);
    else x = Batchwork::qr(a).solve(b);
  }
};

template <class T, int D, SolveBy By>
void map_solve(benchmark::State& state, std::int64_t items) {
  using namespace Batchwork;
  SolveProblem<T, D, Layout::interleaved, By> const p(items);
  Exec const exec;
  auto const launch = [&] {
    auto const x = out(p.x.operand());
    auto const b = in(p.b.operand());
    if constexpr (By == SolveBy::ldlt)
      map(exec, Solution<By>{}, x, in(symmetric(p.a.operand())), b);
    else map(exec, Solution<By>{}, x, in(p.a.operand()), b);
  };
  launch();
  p.run(state, p.error(), launch);
}

template <class T, SolveBy By, int... D>
void register_map_solves() {
  (register_solve<T, D, By>("batchwork", Layout::interleaved, map_solve<T, D, By>), ...);
}

}  // namespace BatchworkPerf

#endif
