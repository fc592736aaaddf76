// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tridiagonal systems over a batch; Batchwork and its peers.

#include "../common/Machine.hpp"

namespace BatchworkPerf {

void register_batchwork();
void register_cusparse();
void register_lapack();

namespace {

void register_all() {
  register_batchwork();
#if defined(BATCHWORK_HAVE_CUSPARSE) && defined(KOKKOS_ENABLE_CUDA)
  register_cusparse();
#endif
#if defined(BATCHWORK_HAVE_LAPACK)
  register_lapack();
#endif
}

}  // namespace
}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}
