// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tables, and how the time depends on rows and items.

#include "Solve.hpp"

namespace BatchworkPerf {

void register_batchwork_csr() {
  for (Family const& f : stencils()) {
    register_csr<Solver::cg, Preconditioner::none>("solve", f, batch_items);
    register_csr<Solver::bicgstab, Preconditioner::none>("solve", f, batch_items);
  }
  for (auto const& families : {chemistry(), mechanisms()})
    for (Family const& f : families) {
      register_csr<Solver::bicgstab, Preconditioner::jacobi>("solve", f, batch_items);
      register_csr<Solver::cgs, Preconditioner::jacobi>("solve", f, batch_items);
    }
  for (Family const& f : stencils())
    for (std::int64_t items = batch_items / 32; items <= batch_items; items *= 2) {
      register_csr<Solver::cg, Preconditioner::none>("scaling", f, items);
      register_csr<Solver::bicgstab, Preconditioner::none>("scaling", f, items);
    }
}

}  // namespace BatchworkPerf
