// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Code of docs/guides/indexed.md, which is compiled, and compared with the page by
// doc_snippets.cmake.
#include <Batchwork.hpp>

namespace doc_indexed {

using namespace Batchwork;
using Exec = Kokkos::DefaultExecutionSpace;

struct Centre {  // the mean place of 8 nodes
  template <class C, class X>
  KOKKOS_FUNCTION void operator()(C& centre, X const& x) const {
    centre = generate<3>([&](int d) {
      auto s = x(0, d) + x(1, d);
      for (int k = 2; k < 8; ++k) s = s + x(k, d);
      return s / 8;
    });
  }
};

inline void gather(Exec const& exec, int nodes, int elements) {
  Kokkos::View<double* [3]> x("places of the nodes", nodes);
  Kokkos::View<int* [8]> node("node of each corner", elements);
  Kokkos::View<double* [3]> centre("centre", elements);
  Kokkos::View<int*> codes("codes", elements);
  map(exec, Centre{}, out(centre), in(gathered(x, node)), status(codes));
}

struct Share {  // an eighth of a load for each node
  template <class F, class Load>
  KOKKOS_FUNCTION void operator()(F& f, Load const& load) const {
    f = generate<8, 3>([&](int, int d) { return load(d) / 8; });
  }
};

inline void loads(Exec const& exec, Kokkos::View<double* [3]> f, Kokkos::View<int* [8]> node,
                  Kokkos::View<double* [3]> load) {
  map(exec, Share{}, add(scattered(f, node)), in(load));
}

inline void loads_in_order(Exec const& exec, Kokkos::View<double* [3]> f,
                           Kokkos::View<int* [8]> node, Kokkos::View<double* [3]> load) {
  auto const plan = scatter_plan(node, std::int64_t(f.extent(0)));  // once for a mesh
  Kokkos::View<double* [8][3]> shares("shares", load.extent(0));
  map(exec, Share{}, out(shares), in(load));
  scatter_add(exec, plan, shares, f);
}

struct Conduct {  // some element matrix
  template <class K, class X>
  KOKKOS_FUNCTION void operator()(K& k, X const& x) const {
    k = x * transpose(x);
  }
};

inline void assemble(Exec const& exec, Kokkos::View<double*> values,
                     Kokkos::View<int* [8][8]> place, Kokkos::View<double* [3]> x,
                     Kokkos::View<int* [8]> node) {
  map(exec, Conduct{}, add(scattered(values, place)), in(gathered(x, node)));
}

struct Relax {
  template <class X, class Y>
  KOKKOS_FUNCTION void operator()(X& x, Y const& y) const {
    x = 0.5 * (x + y);
  }
};

inline void masked(Exec const& exec, Kokkos::View<double* [3]> x, Kokkos::View<double* [3]> y,
                   Kokkos::View<bool*> active) {
  map(exec, Relax{}, inout(x), in(y), item_mask(active));
}

struct Blend {
  template <class Y, class A>
  KOKKOS_FUNCTION void operator()(Y& y, A const& a) const {
    y = 0.5 * (a[0] + a[1]);
  }
};

inline void tiles(Exec const& exec, Kokkos::View<double* [3][3]> y, Kokkos::View<double* [3][3]> a,
                  Kokkos::View<int* [2]> sides) {
  map(exec, Blend{}, out(y), in(gathered(a, sides)));
}

inline void check(Kokkos::View<int* [8]> node, Kokkos::View<double* [3]> x) {
  check_indices(node, std::int64_t(x.extent(0)));
}

inline void factorise(Exec const& exec, Kokkos::View<double***> A, Kokkos::View<int*> index,
                      Kokkos::View<double**> b, Kokkos::View<double**> x, Kokkos::View<int*> codes,
                      int steps) {
  Kokkos::View<std::int64_t*> memory("memory", index.extent(0));
  for (int step = 0; step < steps; ++step)
    solve_cholesky(exec, in(gathered(A, index, memory)), in(b), out(x), status(codes));
}

template <class Matrices>
void right_hand_sides(Exec const& exec, Matrices const& A, Kokkos::View<double**> b,
                      Kokkos::View<int*> index, Kokkos::View<double**> x,
                      Kokkos::View<std::int64_t*> memory, SolveLog<double> const& log) {
  solve(exec, conjugate_gradients(relative(1e-8)), jacobi(), A, gathered(b, index, memory), x, log);
}

inline void copies(Exec const& exec, Kokkos::View<double***> to, Kokkos::View<double***> from,
                   Kokkos::View<int*> index) {
  copy(exec, to, gathered(from, index));  // to(n) = from(index(n))
}

}  // namespace doc_indexed
