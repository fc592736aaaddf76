// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Inverses, decompositions, functions of matrices and solves by decompositions, of small matrices,
// and the vendor's batched routines, or loops over LAPACK and Eigen, beside them.
// --kernel=by_warps and the like chooses the kernel of the verbs, see launch(kernel::...).

#include <Batchwork_Dense.hpp>
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>

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

Batchwork::KernelKind& kernel_of_verbs() {
  static Batchwork::KernelKind kind = Batchwork::KernelKind::fastest;
  return kind;
}

namespace {

constexpr char const* kernel_names[] = {"fastest",   "by_lane",    "by_lanes",    "by_warps",
                                        "by_panels", "in_scratch", "in_workspace"};
/// Takes --kernel=name out of the arguments. \returns whether there is such a kernel
bool take_kernel(int& argc, char** argv) {
  std::string const prefix = "--kernel=";
  for (int i = 1; i < argc; ++i) {
    std::string const argument = argv[i];
    if (!argument.starts_with(prefix)) continue;
    auto const name = std::ranges::find(kernel_names, argument.substr(prefix.size()));
    if (name == std::end(kernel_names)) return false;
    kernel_of_verbs() = static_cast<Batchwork::KernelKind>(name - kernel_names);
    std::rotate(argv + i, argv + i + 1, argv + argc);
    --argc;
    --i;
  }
  return true;
}

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

std::string name_of_kernel() {
  return kernel_of_verbs() == Batchwork::KernelKind::fastest
             ? ""
             : std::string("/") + kernel_names[static_cast<int>(kernel_of_verbs())];
}

}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  if (!BatchworkPerf::take_kernel(argc, argv)) {
    std::fputs("--kernel= takes the name of a Batchwork::KernelKind\n", stderr);
    return 2;
  }
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}
