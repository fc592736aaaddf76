// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verbs on whole matrices with extents known at run time: QR, least squares, eigenvalues, singular
// values.
#include "Shared.hpp"

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
