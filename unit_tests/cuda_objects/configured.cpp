// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve by a configuration, which has the kernels of every solver with every preconditioner.
#include "Shared.hpp"

void configured(Exec const& exec, SolveConfiguration const& how, AnyMatrices<double> const& a,
                Rows<double**> b, Rows<double**> x, std::int64_t items) {
  Planes<double*> const room("room", workspace_numbers(exec, how, a, items));
  solve(exec, how, a, b, x, workspace(room));
}
