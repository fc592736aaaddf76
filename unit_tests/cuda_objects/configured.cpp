// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve with a configuration, which contains the kernels of every solver with every preconditioner.
#include "Shared.hpp"

void configured(Exec const& exec, SolveConfiguration const& how, AnyMatrices<double> const& a,
                ItemContiguous<double**> b, ItemContiguous<double**> x, std::int64_t items) {
  Interleaved<double*> const memory("memory", workspace_numbers(exec, how, a, items));
  solve(exec, how, a, b, x, workspace(memory));
}
