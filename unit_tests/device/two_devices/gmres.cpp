// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Systems.hpp"

namespace TwoDevices {

Numbers gmres(Place const& on) {
  Systems const of(on, items, rows);
  auto const log = SolveLog<double>::allocated(on.exec, items);
  auto const solver = Batchwork::gmres(20, relative(1e-10, 200));
  auto const memory =
      on.results<View<double*>>(workspace_numbers(on.exec, solver, ilu(), of.csr(), items));
  solve(on.exec, solver, ilu(), of.csr(), of.b, of.x, log, workspace(memory));
  return solved(on, of, log);
}
Numbers block_jacobi(Place const& on) {
  Systems const of(on, items, rows);
  auto const log = SolveLog<double>::allocated(on.exec, items);
  auto const blocks = find_blocks(on.exec, of.csr(), 4);
  solve(on.exec, Batchwork::bicgstab(relative(1e-10, 200)), Batchwork::block_jacobi(blocks),
        of.csr(), of.b, of.x, log);
  return solved(on, of, log);
}

}  // namespace TwoDevices
