// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verbs on whole matrices of extents known at run time: gemm, copies, Cholesky, tridiagonal systems.
#include "Shared.hpp"

void products(Exec const& exec, Planes<float**> m, Planes<float***> n, Planes<float***> p,
              Planes<double***> q) {
  gemm(exec, 1, common(m), in(n), 0, out(p));
  gemm(exec, -1, in(transposed(q)), in(q), 0.5, inout(q));
}

void copies(Exec const& exec, Rows<double***> rows, Planes<double***> planes,
            Rows<double****> groups, std::int64_t items) {
  pack(exec, packed(groups, items), rows);
  unpack(exec, planes, packed(groups, items));
  copy(exec, planes, transposed(rows));
}

void larger(Exec const& exec, Rows<double***> a, Rows<double***> l, Rows<double**> b,
            Rows<double**> x, Codes codes) {
  cholesky(exec, in(a), out(l), status(codes));
  solve_lower(exec, in(l), in(b), out(x));
  solve_lower(exec, in(transposed(l)), inout(x));
  solve_cholesky(exec, in(a), in(b), out(x));
}

void tridiagonal(Exec const& exec, Planes<double**> lower, Planes<double**> diagonal,
                 Planes<double**> upper, Planes<double**> b, Planes<double**> x, Codes codes) {
  solve_tridiagonal(exec, lower, diagonal, upper, b, x, status(codes));
  solve_tridiagonal(exec, lower, diagonal, upper, b, x, partial_pivoting(), status(codes));
}
