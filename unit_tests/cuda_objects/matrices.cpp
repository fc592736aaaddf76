// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verbs on whole matrices of extents known at run time: gemm, copies, Cholesky, LU, decompositions, tridiagonal systems.
#include "Shared.hpp"

void products(Exec const& exec, Interleaved<float**> m, Interleaved<float***> n,
              Interleaved<float***> p, Interleaved<double***> q) {
  gemm(exec, 1, common(m), in(n), 0, out(p));
  gemm(exec, -1, in(transposed(q)), in(q), 0.5, inout(q));
}

void copies(Exec const& exec, ItemContiguous<double***> item_contiguous,
            Interleaved<double***> interleaved, ItemContiguous<double****> groups,
            std::int64_t items) {
  pack(exec, compact(groups, items), item_contiguous);
  unpack(exec, interleaved, compact(groups, items));
  copy(exec, interleaved, transposed(item_contiguous));
}

void larger(Exec const& exec, ItemContiguous<double***> a, ItemContiguous<double***> l,
            ItemContiguous<double**> b, ItemContiguous<double**> x, ItemContiguous<int**> rows,
            Codes codes) {
  cholesky(exec, in(a), out(l), status(codes));
  solve_lower(exec, in(l), in(b), out(x));
  solve_lower(exec, in(transposed(l)), inout(x));
  solve_cholesky(exec, in(a), in(b), out(x));
  lu(exec, in(a), out(l), out(rows), status(codes));
  solve_lu(exec, in(a), in(b), out(x));
  inverse(exec, in(a), out(l), status(codes));
  solve_upper(exec, in(a), inout(x));
}

void determinants(Exec const& exec, ItemContiguous<float***> a, Interleaved<float*> d,
                  Interleaved<float*> sign, Codes codes) {
  determinant(exec, in(a), out(d), status(codes));
  log_abs_determinant(exec, in(a), out(d), out(sign));
}

template <class T>
void decompositions(Exec const& exec, ItemContiguous<T***> a, ItemContiguous<T***> u,
                    ItemContiguous<T***> v, ItemContiguous<T**> values, ItemContiguous<T**> b,
                    ItemContiguous<T**> x, Codes codes) {
  qr(exec, in(a), out(u), out(v), status(codes));
  least_squares(exec, in(transposed(a)), in(b), out(x));
  eigh(exec, inout(a), out(values));
  svd(exec, in(a), out(u), out(values), out(v));
}
template void decompositions<float>(Exec const&, ItemContiguous<float***>, ItemContiguous<float***>,
                                    ItemContiguous<float***>, ItemContiguous<float**>,
                                    ItemContiguous<float**>, ItemContiguous<float**>, Codes);
template void decompositions<double>(Exec const&, ItemContiguous<double***>,
                                     ItemContiguous<double***>, ItemContiguous<double***>,
                                     ItemContiguous<double**>, ItemContiguous<double**>,
                                     ItemContiguous<double**>, Codes);

/// Of items that do not fit on the chip.
void in_workspace(Exec const& exec, ItemContiguous<double***> a, ItemContiguous<double***> u,
                  ItemContiguous<double***> v, ItemContiguous<double**> values,
                  ItemContiguous<double**> b, ItemContiguous<double**> x, Codes codes) {
  Interleaved<double*> const memory("memory",
                                    workspace_numbers<Verb::qr>(exec, in(a), out(u), out(v)));
  solve_lu(exec, in(a), in(b), out(x), status(codes), workspace(memory));
  qr(exec, in(a), out(u), out(v), workspace(memory));
  least_squares(exec, in(a), in(b), out(x), workspace(memory));
  eigh(exec, inout(a), out(values), status(codes), workspace(memory));
  svd(exec, in(a), out(u), out(values), out(v), workspace(memory));
}

void tridiagonal(Exec const& exec, Interleaved<double**> lower, Interleaved<double**> diagonal,
                 Interleaved<double**> upper, Interleaved<double**> b, Interleaved<double**> x,
                 Codes codes) {
  solve_tridiagonal(exec, lower, diagonal, upper, b, x, status(codes));
  solve_tridiagonal(exec, lower, diagonal, upper, b, x, partial_pivoting(), status(codes));
}
