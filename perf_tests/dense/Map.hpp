// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Inverses, decompositions and functions of matrices through the public verb map.
#ifndef BATCHWORK_PERF_DENSE_MAP_HPP
#define BATCHWORK_PERF_DENSE_MAP_HPP

#include "Problem.hpp"

namespace BatchworkPerf {

struct Inverse {
  template <class X, class A>
  KOKKOS_FUNCTION void operator()(X& x, A const& a) const {
    x = inverse(a);
  }
};
struct QrFactors {
  template <class Q, class R, class A>
  KOKKOS_FUNCTION void operator()(Q& q, R& r, A const& a) const {
    auto const f = Batchwork::qr(a);
    q = f.q();
    r = f.r();
  }
};
struct Eigenvectors {
  template <class V, class W, class A>
  KOKKOS_FUNCTION void operator()(V& v, W& w, A const& a) const {
    auto const f = eigh(a);
    v = f.vectors();
    w = f.values();
  }
};
struct SingularVectors {
  template <class U, class W, class V, class A>
  KOKKOS_FUNCTION void operator()(U& u, W& w, V& v, A const& a) const {
    auto const f = svd(a);
    u = f.u();
    w = f.singular_values();
    v = f.v();
  }
};
struct SquareRoot {
  template <class X, class A>
  KOKKOS_FUNCTION void operator()(X& x, A const& a) const {
    x = sqrt_spd(a);
  }
};
struct Exponential {
  template <class X, class A>
  KOKKOS_FUNCTION void operator()(X& x, A const& a) const {
    x = expm(a);
  }
};

template <class T, int D, Layout L, Decomposition O>
void map_decomposition(benchmark::State& state, std::int64_t items) {
  using namespace Batchwork;
  DenseProblem<T, D, L, O> const p(items);
  Exec const exec;
  auto const launch = [&] {
    if constexpr (O == Decomposition::inverse)
      map(exec, Inverse{}, out(p.left.operand()), in(p.a.operand()));
    else if constexpr (O == Decomposition::qr)
      map(exec, QrFactors{}, out(p.left.operand()), out(p.right.operand()), in(p.a.operand()));
    else if constexpr (O == Decomposition::eigh)
      map(exec, Eigenvectors{}, out(p.left.operand()), out(p.middle), in(symmetric(p.a.operand())));
    else if constexpr (O == Decomposition::sqrt_spd)
      map(exec, SquareRoot{}, out(p.left.operand()), in(symmetric(p.a.operand())));
    else if constexpr (O == Decomposition::expm)
      map(exec, Exponential{}, out(p.left.operand()), in(p.a.operand()));
    else
      map(exec, SingularVectors{}, out(p.left.operand()), out(p.middle), out(p.right.operand()),
          in(p.a.operand()));
  };
  launch();
  p.run(state, p.error(), launch);
}

template <class T, Decomposition O, Layout L, int... D>
void register_map_decompositions() {
  (register_decomposition<T, D, O>("batchwork", L, map_decomposition<T, D, L, O>), ...);
}
/// On hosts alone.
template <class T, Decomposition O, Layout L, int... D>
void register_map_decompositions_on_hosts() {
  if constexpr (!on_device) register_map_decompositions<T, O, L, D...>();
}

}  // namespace BatchworkPerf

#endif
