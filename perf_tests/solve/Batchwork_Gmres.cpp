// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// GMRES, beside that of Kokkos Kernels.

#include "Solve.hpp"

namespace BatchworkPerf {

void register_batchwork_gmres() {
  for (Family const& f : stencils())
    register_csr<Solver::gmres, Preconditioner::none>("solve", f, batch_items);
  for (Family const& f : chemistry())
    register_csr<Solver::gmres, Preconditioner::jacobi>("solve", f, batch_items);
}

}  // namespace BatchworkPerf
