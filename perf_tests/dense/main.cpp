// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Inverses, decompositions, functions of matrices and solves by decompositions, of small matrices,
// and the vendor's batched routines, or loops over LAPACK and Eigen, beside them.

#include "../common/Machine.hpp"

namespace BatchworkPerf {

void register_inverse_float();
void register_inverse_double();
void register_qr_float();
void register_qr_double();
void register_eigh_float();
void register_eigh_double();
void register_svd_float();
void register_svd_double();
void register_functions_float();
void register_functions_double();
void register_solves_float();
void register_solves_double();
void register_verb_inverse_float();
void register_verb_inverse_double();
void register_verb_qr_float();
void register_verb_qr_double();
void register_verb_eigh_float();
void register_verb_eigh_double();
void register_verb_svd_float();
void register_verb_svd_double();
void register_lapack_decompositions();
void register_lapack_solves();
void register_eigen_float();
void register_eigen_double();
void register_cuda_decompositions();
void register_cuda_solves();

namespace {

void register_all() {
  register_inverse_float();
  register_inverse_double();
  register_qr_float();
  register_qr_double();
  register_eigh_float();
  register_eigh_double();
  register_svd_float();
  register_svd_double();
  register_functions_float();
  register_functions_double();
  register_solves_float();
  register_solves_double();
  register_verb_inverse_float();
  register_verb_inverse_double();
  register_verb_qr_float();
  register_verb_qr_double();
  register_verb_eigh_float();
  register_verb_eigh_double();
  register_verb_svd_float();
  register_verb_svd_double();
#if defined(BATCHWORK_HAVE_LAPACK)
  if constexpr (!on_device) {
    register_lapack_decompositions();
    register_lapack_solves();
  }
#endif
#if defined(BATCHWORK_HAVE_EIGEN)
  if constexpr (!on_device) {
    register_eigen_float();
    register_eigen_double();
  }
#endif
#if defined(BATCHWORK_HAVE_CUBLAS) && defined(BATCHWORK_HAVE_CUSOLVER) && \
    defined(KOKKOS_ENABLE_CUDA)
  register_cuda_decompositions();
  register_cuda_solves();
#endif
}

}  // namespace
}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}
