// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the preconditioners beyond Jacobi cost and save.

#include "Solve.hpp"

namespace BatchworkPerf {

void register_batchwork_preconditioners() {
  auto families = stencils();
  for (Family const& f : chemistry()) families.push_back(f);
  for (Family const& f : families) {
    register_csr<Solver::bicgstab, Preconditioner::block_jacobi>("solve", f, batch_items);
    register_csr<Solver::bicgstab, Preconditioner::ilu>("solve", f, batch_items);
    register_csr<Solver::bicgstab, Preconditioner::isai>("solve", f, batch_items);
  }
  for (Family const& f : stencils())
    register_csr<Solver::cg, Preconditioner::spd_isai>("solve", f, batch_items);
}

}  // namespace BatchworkPerf
