// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Batches of sparse systems: the verb solve, and other batched solvers beside it.

#include <iostream>

#include "Problem.hpp"

namespace BatchworkPerf {

void register_batchwork_csr();
void register_batchwork_direct();
void register_batchwork_divisions();
void register_batchwork_gmres();
void register_batchwork_formats();
void register_batchwork_preconditioners();
void register_batchwork_scaled();
void register_eigen_solvers();
void register_kokkos_kernels_solvers();
void register_cuda_solvers();

namespace {

void register_all() {
  if (drm19().rows == 0)
    std::cerr
        << "No drm19: set the environment variable BATCHWORK_DRM19_DIR, or Batchwork_DRM19_DIR "
           "for CMake, to its folder.\n";
  register_batchwork_csr();
  register_batchwork_direct();
  register_batchwork_gmres();
  register_batchwork_formats();
  register_batchwork_preconditioners();
  register_batchwork_scaled();
  if constexpr (on_device) register_batchwork_divisions();
#if defined(BATCHWORK_HAVE_EIGEN)
  if constexpr (!on_device) register_eigen_solvers();
#endif
#if defined(BATCHWORK_HAVE_KOKKOSKERNELS)
  register_kokkos_kernels_solvers();
#endif
#if defined(BATCHWORK_HAVE_CUBLAS) && defined(BATCHWORK_HAVE_CUSOLVER) && \
    defined(KOKKOS_ENABLE_CUDA)
  register_cuda_solvers();
#endif
}

}  // namespace
}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}
