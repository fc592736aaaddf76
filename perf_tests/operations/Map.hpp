// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The operations through the public verb map.
#ifndef BATCHWORK_PERF_OPERATIONS_MAP_HPP
#define BATCHWORK_PERF_OPERATIONS_MAP_HPP

#include "Problem.hpp"

namespace BatchworkPerf {

struct Product {
  template <class X, class A, class B>
  KOKKOS_FUNCTION void operator()(X& x, A const& a, B const& b) const {
    x = a * b;
  }
};
struct CholeskyFactor {
  template <class X, class A>
  KOKKOS_FUNCTION void operator()(X& x, A const& a) const {
    x = cholesky(a).lower();
  }
};
struct TriangularSolve {
  template <class X, class A, class B>
  KOKKOS_FUNCTION void operator()(X& x, A const& a, B const& b) const {
    x = solve(a, b);
  }
};

struct LuSolve {
  template <class X, class A, class B>
  KOKKOS_FUNCTION void operator()(X& x, A const& a, B const& b) const {
    x = solve(a, b);
  }
};

template <class T, int D, Layout L, Operation O>
void map_operation(benchmark::State& state, std::int64_t items) {
  using namespace Batchwork;
  OperationProblem<T, D, L, O> const p(items);
  Exec const exec;
  auto const launch = [&] {
    if constexpr (O == Operation::product)
      map(exec, Product{}, out(p.x.operand()), in(p.a.operand()), in(p.b.operand()));
    else if constexpr (O == Operation::cholesky)
      map(exec, CholeskyFactor{}, out(lower(p.x.operand())), in(symmetric(p.a.operand())));
    else if constexpr (O == Operation::solve_lu)
      map(exec, LuSolve{}, out(p.x.operand()), in(p.a.operand()), in(p.b.operand()));
    else
      map(exec, TriangularSolve{}, out(p.x.operand()), in(lower(p.a.operand())), in(p.b.operand()));
  };
  launch();
  p.run(state, p.error(), launch);
}

template <class T, Layout L, int... D>
void register_map_operations() {
  (register_operation<T, D, Operation::product>("batchwork", L,
                                                map_operation<T, D, L, Operation::product>),
   ...);
  (register_operation<T, D, Operation::cholesky>("batchwork", L,
                                                 map_operation<T, D, L, Operation::cholesky>),
   ...);
  (register_operation<T, D, Operation::solve>("batchwork", L,
                                              map_operation<T, D, L, Operation::solve>),
   ...);
}

}  // namespace BatchworkPerf

#endif
