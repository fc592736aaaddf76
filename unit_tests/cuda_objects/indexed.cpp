// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Operands whose items indices pick, also of verbs on whole matrices and of solve, sums in a fixed
// order, and items that are left out.
#include "Shared.hpp"

namespace {

struct Stiffness {
  template <class F, class K, class M, class X, class A>
  KOKKOS_FUNCTION void operator()(F& f, K& k, M& m, X const& x, A const& a) const {
    k += x * transpose(x);
    f = sum(x) * x;
    m = a[0] + a[1];
  }
};

template <int Lanes>
void stiffness(Exec const& exec, Interleaved<double* [3]> f, Interleaved<double*> values,
               ItemContiguous<double* [3][3]> m, ItemContiguous<double* [3]> x,
               Interleaved<double* [3][3]> a, ItemContiguous<int* [8]> node,
               ItemContiguous<std::int64_t* [8][8]> place, Interleaved<int*> one,
               Interleaved<int* [2]> pair, Interleaved<bool*> mask, Codes codes) {
  map(exec, launch(lanes<Lanes>), Stiffness{}, add(scattered(f, node)),
      add(scattered(values, place)), inout(scattered(symmetric(m), one)), in(gathered(x, node)),
      in(gathered(a, pair)), status(codes));
  map(exec, launch(lanes<Lanes>), Stiffness{}, out(scattered(f, node)),
      add(scattered(values, place)), out(scattered(symmetric(m), one)), in(gathered(x, node)),
      in(gathered(a, pair)), item_mask(mask));
}
template void stiffness<1>(Exec const&, Interleaved<double* [3]>, Interleaved<double*>,
                           ItemContiguous<double* [3][3]>, ItemContiguous<double* [3]>,
                           Interleaved<double* [3][3]>, ItemContiguous<int* [8]>,
                           ItemContiguous<std::int64_t* [8][8]>, Interleaved<int*>,
                           Interleaved<int* [2]>, Interleaved<bool*>, Codes);
template void stiffness<4>(Exec const&, Interleaved<double* [3]>, Interleaved<double*>,
                           ItemContiguous<double* [3][3]>, ItemContiguous<double* [3]>,
                           Interleaved<double* [3][3]>, ItemContiguous<int* [8]>,
                           ItemContiguous<std::int64_t* [8][8]>, Interleaved<int*>,
                           Interleaved<int* [2]>, Interleaved<bool*>, Codes);

}  // namespace

void sums(Exec const& exec, ItemContiguous<int* [8]> node, ItemContiguous<double* [8][3]> forces,
          Interleaved<double* [3]> f) {
  check_indices(node, std::int64_t(f.extent(0)));
  scatter_add(exec, scatter_plan(node, std::int64_t(f.extent(0))), forces, f);
}

void whole_matrices(Exec const& exec, ItemContiguous<double***> a, Interleaved<double**> b,
                    Interleaved<double**> x, ItemContiguous<double***> y, Interleaved<int*> index,
                    Interleaved<std::int64_t*> memory, Codes codes, SolveLog<double> log) {
  solve_cholesky(exec, in(gathered(a, index, memory)), in(gathered(b, index)), out(x),
                 status(codes));
  copy(exec, y, gathered(a, index));
  solve(exec, conjugate_gradients(relative(1e-8)), no_preconditioner(), dense(a),
        gathered(b, index, memory), x, log);
}
