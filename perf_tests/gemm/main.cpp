// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of small and larger matrices over a batch, with a shared operand or without; Batchwork
// and its peers.

#include "../common/Machine.hpp"

namespace BatchworkPerf {

void register_batchwork();
void register_cublas();
void register_blas();
void register_blasfeo();
void register_libxsmm();
void register_eigen();

namespace {

void register_all() {
  register_batchwork();
#if defined(BATCHWORK_HAVE_CUBLAS) && defined(KOKKOS_ENABLE_CUDA)
  register_cublas();
#endif
#if defined(BATCHWORK_HAVE_LAPACK)
  register_blas();
#endif
#if defined(BATCHWORK_HAVE_BLASFEO)
  register_blasfeo();
#endif
#if defined(BATCHWORK_HAVE_LIBXSMM)
  register_libxsmm();
#endif
#if defined(BATCHWORK_HAVE_EIGEN)
  register_eigen();
#endif
}

}  // namespace
}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}
