// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The headline work: one covariance update of a Kalman filter, fused, over a large batch; Batchwork
// and its peers.

#include "../common/Machine.hpp"

namespace BatchworkPerf {

void register_map_float();
void register_map_double();
void register_map_large();
void register_map_layouts();
void register_map_layouts_large();
void register_map_grids_float_11();
void register_map_grids_float_17();
void register_map_grids_float_25();
void register_map_grids_double();
void register_map_grids_double_17();
void register_map_grids_double_25();
void register_map_grids_literal();
void register_map_grids_item_contiguous();
void register_map_grids_item_contiguous_large();
void register_eigen();
void register_eigen_large();
void register_lapack();
void register_kokkos_kernels();
void register_cuda();

namespace {

void register_all() {
  register_map_float();
  register_map_double();
  register_map_large();
  register_map_layouts();
  register_map_layouts_large();
  register_map_grids_float_11();
  register_map_grids_float_17();
  register_map_grids_float_25();
  register_map_grids_double();
  register_map_grids_double_17();
  register_map_grids_double_25();
  register_map_grids_literal();
  register_map_grids_item_contiguous();
  register_map_grids_item_contiguous_large();
  if constexpr (!on_device) {
#if defined(BATCHWORK_HAVE_EIGEN)
    register_eigen();
    register_eigen_large();
#endif
#if defined(BATCHWORK_HAVE_LAPACK)
    register_lapack();
#endif
  }
#if defined(BATCHWORK_HAVE_KOKKOSKERNELS)
  register_kokkos_kernels();
#endif
#if defined(BATCHWORK_HAVE_CUBLAS) && defined(BATCHWORK_HAVE_CUSOLVER) && \
    defined(KOKKOS_ENABLE_CUDA)
  register_cuda();
#endif
}

}  // namespace
}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}
