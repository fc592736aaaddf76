// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Single dense operations, and the vendor's batched routines, or loops over LAPACK, BLASFEO and
// Eigen, beside them.

#include "../common/Machine.hpp"

namespace BatchworkPerf {

void register_operations_float_interleaved();
void register_operations_float_item_contiguous();
void register_operations_double_interleaved();
void register_operations_double_item_contiguous();
void register_operations_lu();
void register_verbs_float();
void register_verbs_double();
void register_lapack_operations();
void register_blasfeo_operations();
void register_eigen_operations();
void register_cuda_operations();

namespace {

void register_all() {
  register_operations_float_interleaved();
  register_operations_float_item_contiguous();
  register_operations_double_interleaved();
  register_operations_double_item_contiguous();
  register_operations_lu();
  register_verbs_float();
  register_verbs_double();
#if defined(BATCHWORK_HAVE_LAPACK)
  if constexpr (!on_device) register_lapack_operations();
#endif
#if defined(BATCHWORK_HAVE_BLASFEO)
  if constexpr (!on_device) register_blasfeo_operations();
#endif
#if defined(BATCHWORK_HAVE_EIGEN)
  if constexpr (!on_device) register_eigen_operations();
#endif
#if defined(BATCHWORK_HAVE_CUBLAS) && defined(BATCHWORK_HAVE_CUSOLVER) && \
    defined(KOKKOS_ENABLE_CUDA)
  register_cuda_operations();
#endif
}

}  // namespace
}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}
