// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The batched routines of cuBLAS and cuSOLVER by type, where they were found.
#ifndef BATCHWORK_PERF_CUDA_HPP
#define BATCHWORK_PERF_CUDA_HPP

#include "Machine.hpp"

#if defined(BATCHWORK_HAVE_CUBLAS) && defined(BATCHWORK_HAVE_CUSOLVER) && \
    defined(KOKKOS_ENABLE_CUDA)
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <cstdint>

namespace BatchworkPerf {

template <class T>
struct Cuda;
template <>
struct Cuda<float> {
  static constexpr auto one_gemm = cublasSgemm;
  static constexpr auto gemm = cublasSgemmStridedBatched;
  static constexpr auto trsm = cublasStrsmBatched;
  static constexpr auto potrf = cusolverDnSpotrfBatched;
  static constexpr auto potrs = cusolverDnSpotrsBatched;
  static constexpr auto getrf = cublasSgetrfBatched;
  static constexpr auto getrs = cublasSgetrsBatched;
};
template <>
struct Cuda<double> {
  static constexpr auto one_gemm = cublasDgemm;
  static constexpr auto gemm = cublasDgemmStridedBatched;
  static constexpr auto trsm = cublasDtrsmBatched;
  static constexpr auto potrf = cusolverDnDpotrfBatched;
  static constexpr auto potrs = cusolverDnDpotrsBatched;
  static constexpr auto getrf = cublasDgetrfBatched;
  static constexpr auto getrs = cublasDgetrsBatched;
};

struct CudaHandles {
  cublasHandle_t blas;
  cusolverDnHandle_t solver;
  CudaHandles() {
    if (cublasCreate(&blas) != CUBLAS_STATUS_SUCCESS) Kokkos::abort("cublasCreate failed");
    if (cusolverDnCreate(&solver) != CUSOLVER_STATUS_SUCCESS)
      Kokkos::abort("cusolverDnCreate failed");
    // No TF32.
    cublasSetMathMode(blas, CUBLAS_PEDANTIC_MATH);
    cublasSetStream(blas, Exec().cuda_stream());
    cusolverDnSetStream(solver, Exec().cuda_stream());
  }
};
inline CudaHandles const& handles() {
  static CudaHandles const h;
  return h;
}

/// Pointers to items that stand `stride` numbers apart.
template <class T>
struct PointAt {
  T** to;
  T* first;
  std::int64_t stride;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { to[k] = first + k * stride; }
};

}  // namespace BatchworkPerf

#endif
#endif
