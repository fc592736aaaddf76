// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of small and larger matrices over a batch, with a shared operand or without; Batchwork and its peers.

#include "../common/Machine.hpp"

namespace BatchworkPerf {

void register_batchwork();
void register_cublas();
void register_blas();

namespace {

void register_all() {
  register_batchwork();
#if defined(BATCHWORK_HAVE_CUBLAS) && defined(KOKKOS_ENABLE_CUDA)
  register_cublas();
#endif
#if defined(BATCHWORK_HAVE_LAPACK)
  register_blas();
#endif
}

}  // namespace
}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}
