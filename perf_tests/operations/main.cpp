// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Single dense operations, and the vendor's batched routines, or a loop over LAPACK, beside them.

#include "../common/Machine.hpp"

namespace BatchworkPerf {

void register_operations_float_planes();
void register_operations_float_rows();
void register_operations_double_planes();
void register_operations_double_rows();
void register_verbs();
void register_lapack_operations();
void register_cuda_operations();

namespace {

void register_all() {
  register_operations_float_planes();
  register_operations_float_rows();
  register_operations_double_planes();
  register_operations_double_rows();
  register_verbs();
#if defined(BATCHWORK_HAVE_LAPACK)
  if constexpr (!on_device) register_lapack_operations();
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
