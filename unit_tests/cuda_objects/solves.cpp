// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve, once with every solver and every preconditioner. One format is enough, because all formats
// use the same device kernels.
#include "Shared.hpp"

void solves(Exec const& exec, Interleaved<int*> row_offsets, Interleaved<int*> columns,
            ItemContiguous<double**> values, Interleaved<int**> columns_by_place,
            ItemContiguous<double***> places, ItemContiguous<double***> matrices,
            ItemContiguous<double**> b, ItemContiguous<double**> x,
            ItemContiguous<double**> weights, std::int64_t items) {
  auto const a = csr(row_offsets, columns, values);
  auto const stop = relative(1e-8, 100);
  auto const log = SolveLog<double>::allocated(items);
  solve(exec, bicgstab(stop), jacobi(), a, b, x, log);
  solve(exec, conjugate_gradients(stop), block_jacobi(4), ell(columns_by_place, places), b, x);
  solve(exec, richardson(stop), no_preconditioner(), dense(matrices), b, x);
  solve(exec, cgs(stop), jacobi(), dense(matrices), b, x);
  solve(exec, weighted(bicgstab(stop), weights), jacobi(), a, b, x, log);
  auto const diagonals = dia(row_offsets, places);
  check(diagonals);
  multiply(exec, diagonals, b, x);
  solve(exec, bicgstab(stop), spd_isai(), diagonals, b, x, log);
  auto const solver = gmres(10, stop);
  Interleaved<double*> const memory("memory", workspace_numbers(solver, ilu(), a, items));
  solve(exec, solver, ilu(), a, b, x, workspace(memory));
}
