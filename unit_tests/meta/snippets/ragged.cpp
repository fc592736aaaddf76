// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Code of docs/guides/ragged.md and docs/reference/ragged.md, which is compiled, and compared with
// the pages by doc_snippets.cmake.
#include <Batchwork.hpp>
#include <cstdio>

namespace doc_ragged {

using namespace Batchwork;
using Exec = Kokkos::DefaultExecutionSpace;
using Numbers = Kokkos::View<double*>;
using Offsets = Kokkos::View<std::int64_t*>;

/// Your own kernel.
inline void fill(Exec const& exec, Numbers const& a, Numbers const& b) {
  Kokkos::deep_copy(exec, a, 1.0);
  Kokkos::deep_copy(exec, b, 1.0);
}

/// A_n x_n = b_n, where A_n has rows(n) rows.
inline void solve_all(Exec const& exec, Kokkos::View<int*> rows, Numbers a, Offsets a_begins,
                      Numbers b, Offsets b_begins, Kokkos::View<int*> codes, int steps) {
  auto const plan = ragged_plan(rows);
  auto const A = ragged<0, 0>(plan, a, a_begins);
  auto const x = ragged<0>(plan, b, b_begins);
  for (int step = 0; step < steps; ++step) {
    fill(exec, a, b);  // new numbers, the same sizes
    solve_cholesky(exec, in(A), inout(x), status(codes));
  }
}

inline void multiply(Exec const& exec, Kokkos::View<int* [3]> sizes, Numbers a, Numbers b,
                     Numbers c, Offsets a_begins, Offsets b_begins, Offsets c_begins) {
  auto const plan = ragged_plan(sizes);  // M, N, K of each item
  gemm(exec, 1, in(ragged<0, 2>(plan, a, a_begins)), in(ragged<2, 1>(plan, b, b_begins)), 0,
       out(ragged<0, 1>(plan, c, c_begins)));
}

struct SquaredDistance {  // x' A^-1 x
  template <class D, class A, class X>
  KOKKOS_FUNCTION void operator()(D& d, A const& a, X const& x) const {
    d = dot(x, solve(cholesky(a), x));
  }
};
inline void distances(Exec const& exec, Kokkos::View<int*> rows, Numbers d, Numbers a,
                      Offsets a_begins, Numbers b, Offsets b_begins) {
  auto const plan = ragged_plan<2, 4, 8, 16>(rows);
  map(exec, SquaredDistance{}, out(ragged<>(plan, d)), in(ragged<0, 0>(plan, a, a_begins)),
      in(ragged<0>(plan, b, b_begins)));
}

inline void eigenvalues(Exec const& exec, Kokkos::View<int*> rows, Numbers a, Offsets a_begins,
                        Numbers values, Offsets begins) {
  auto const plan = ragged_plan(rows, Padding::none);
  eigh(exec, in(ragged<0, 0>(plan, a, a_begins)), out(ragged<0>(plan, values, begins)));
}

inline void by_columns(Exec const& exec, Kokkos::View<int*> rows, Numbers a, Offsets a_begins) {
  auto const plan = ragged_plan(rows);
  cholesky(exec, inout(ragged<0, 0>(plan, a, a_begins, Kokkos::LayoutLeft())));
}

template <class Plan>
void print(Plan const& plan) {
  for (RaggedClass const& c : plan.classes())
    std::printf("%d items of up to %d rows\n", int(c.items), int(c.size[0]));
}
inline void print_plan(Kokkos::View<int*> rows) { print(ragged_plan(rows)); }

}  // namespace doc_ragged
