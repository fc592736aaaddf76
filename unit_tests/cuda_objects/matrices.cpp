// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verbs on whole matrices with extents known at run time: Cholesky, LU, tridiagonal systems.
#include "Shared.hpp"

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
  Kokkos::View<double**, Kokkos::LayoutRight, Exec> const one("one", 4, 4);
  solve_lu(exec, common(one), in(b), out(x), status(codes));
  solve_cholesky(exec, common(one), inout(x));
  solve_lower(exec, common(transposed(one)), inout(x));
}

void determinants(Exec const& exec, ItemContiguous<float***> a, Interleaved<float*> d,
                  Interleaved<float*> sign, Codes codes) {
  determinant(exec, in(a), out(d), status(codes));
  log_abs_determinant(exec, in(a), out(d), out(sign));
}

void tridiagonal(Exec const& exec, Interleaved<double**> lower, Interleaved<double**> diagonal,
                 Interleaved<double**> upper, Interleaved<double**> b, Interleaved<double**> x,
                 Codes codes) {
  solve_tridiagonal(exec, lower, diagonal, upper, b, x, status(codes));
  solve_tridiagonal(exec, lower, diagonal, upper, b, x, partial_pivoting(), status(codes));
  Kokkos::View<double*, Exec> const band("band", 4);
  solve_tridiagonal(exec, common(band), common(band), common(band), b, x, status(codes));
}

void random_matrices(Exec const& exec, ItemContiguous<double***> a,
                     Interleaved<Kokkos::complex<float>**> z) {
  fill_random(exec, random(1), uniform(-1, 1), a);
  fill_random(exec, launch("noise"), random(1, 2), normal(0, 1), z);
}
