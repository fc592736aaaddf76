// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// GMRES with the basis that Batchwork chooses, and with one of 40 vectors, which hardly ever
// restarts, as in Kokkos Kernels.

#include "Solve.hpp"

namespace BatchworkPerf {

void register_batchwork_gmres() {
  register_csr<Solver::gmres, Preconditioner::none>("solve", stencil(8), batch_items);
  register_csr<Solver::bicgstab, Preconditioner::none>("solve", stencil(8), batch_items);
  for (Family const& f : stencils()) {
    register_csr<Solver::gmres, Preconditioner::none>("solve", f, batch_items);
    register_csr<Solver::gmres_40, Preconditioner::none>("solve", f, batch_items);
  }
  for (Family const& f : chemistry()) {
    register_csr<Solver::gmres, Preconditioner::jacobi>("solve", f, batch_items);
    register_csr<Solver::gmres_40, Preconditioner::jacobi>("solve", f, batch_items);
  }
}

}  // namespace BatchworkPerf
