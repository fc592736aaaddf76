// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve with direct_lu. One format is enough, because all formats use the same device kernels. The
// kernels for systems in float differ from the kernels with factors in float only by a type.
#include "Shared.hpp"

void direct_solves(Exec const& exec, Interleaved<int*> row_offsets, Interleaved<int*> columns,
                   ItemContiguous<double**> values, ItemContiguous<double**> b,
                   ItemContiguous<double**> x, std::int64_t items) {
  auto const a = csr(row_offsets, columns, values);
  auto log = SolveLog<double>::allocated(items);
  log.reciprocal_growth = Interleaved<double*>("growth", std::size_t(items));
  log.reciprocal_condition = Interleaved<double*>("condition", std::size_t(items));
  auto const solver = direct_lu(relative(1e-10));
  Interleaved<double*> const memory("memory", workspace_numbers(exec, solver, a, items));
  solve(exec, solver, a, b, x, log, workspace(memory));
  solve(exec, direct_lu<float>(relative(1e-10)), a, b, x, log);

  Interleaved<double*> const kept("kept", factors_numbers(exec, solver, a, items));
  auto const factors = factorize(exec, solver, a, kept, log);
  solve(exec, factors, a, b, x, log);
  solve(exec, factors, b, x);

  log.dense_form = Interleaved<int*>("dense form", std::size_t(items));
  auto const by_pattern = direct_lu(symbolic_lu(exec, a), relative(1e-10));
  solve(exec, by_pattern, a, b, x, log, workspace(memory));
}
