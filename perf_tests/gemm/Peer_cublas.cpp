// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peer: cuBLAS' strided batched product, in full precision, with a stride of zero for what is
// shared.

#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_CUBLAS) && defined(KOKKOS_ENABLE_CUDA)
#include <cublas_v2.h>

namespace BatchworkPerf {

namespace {

template <class T>
struct Cublas;
template <>
struct Cublas<float> {
  static constexpr auto gemm = cublasSgemmStridedBatched;
};
template <>
struct Cublas<double> {
  static constexpr auto gemm = cublasDgemmStridedBatched;
};

cublasHandle_t handle() {
  static cublasHandle_t const h = [] {
    cublasHandle_t made;
    if (cublasCreate(&made) != CUBLAS_STATUS_SUCCESS) Kokkos::abort("cublasCreate failed");
    // No TF32.
    cublasSetMathMode(made, CUBLAS_PEDANTIC_MATH);
    return made;
  }();
  return h;
}

template <class T>
void register_type() {
  for (Form form : {Form::shared_a, Form::shared_b, Form::per_item})
    register_gemm<T, Layout::item_contiguous>(
        "cublas", form, 256, [form](benchmark::State& state, Sizes s, std::int64_t items) {
          GemmBatch<T, Layout::item_contiguous> const batch(s, form, items);
          Exec const exec;
          cublasSetStream(handle(), exec.cuda_stream());
          auto status = CUBLAS_STATUS_SUCCESS;
          // Its matrices lie column by column: C' = B' A'.
          batch.run(state, [&] {
            T const one = 1, zero = 0;
            auto const now = Cublas<T>::gemm(
                handle(), CUBLAS_OP_N, CUBLAS_OP_N, s.n, s.m, s.k, &one, batch.B.data(), s.n,
                form == Form::shared_b ? 0 : static_cast<long long>(s.k) * s.n, batch.A.data(), s.k,
                form == Form::shared_a ? 0 : static_cast<long long>(s.m) * s.k, &zero,
                batch.C.data(), s.n, static_cast<long long>(s.m) * s.n, static_cast<int>(items));
            if (now != CUBLAS_STATUS_SUCCESS) status = now;
          });
          if (status != CUBLAS_STATUS_SUCCESS) state.SkipWithError("cuBLAS reports an error");
        });
}

}  // namespace

void register_cublas() {
  register_type<float>();
  register_type<double>();
}

}  // namespace BatchworkPerf
#endif
