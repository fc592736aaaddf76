// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Items of different sizes: in place, padded, and in equal sizes.
#include "Shared.hpp"

namespace {

struct SquareOf {
  template <class D, class A>
  KOKKOS_FUNCTION void operator()(D& d, A const& a) const {
    d = trace(a * a);
  }
};

}  // namespace

void ragged_calls(Exec const& exec, Interleaved<int* [2]> sizes, Interleaved<double*> a,
                  Interleaved<double*> b, Interleaved<double*> d, Codes begins, Codes codes) {
  auto const plan = ragged_plan(sizes);
  auto const m = ragged<0, 0>(plan, a, begins);
  auto const x = ragged<0, 1>(plan, b, begins, Kokkos::LayoutLeft());
  solve_cholesky(exec, in(m), inout(x), status(codes));
  gemm(exec, 1, in(m), in(x), 0, out(ragged<0, 1>(plan, d, begins)));
  auto const constants = ragged_plan<2, 4>(sizes);
  map(exec, SquareOf{}, out(ragged<>(constants, d)), in(ragged<0, 0>(constants, a, begins)),
      status(codes));
}
