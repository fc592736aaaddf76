// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peer: cuSPARSE, in place. Item-contiguous by gtsv2StridedBatch; interleaved by
// gtsvInterleavedBatch with the Thomas algorithm, which destroys the matrices: only the
// first launch solves the systems; the timed launches compute with other numbers.

#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_CUSPARSE) && defined(KOKKOS_ENABLE_CUDA)
#include <cusparse.h>

namespace BatchworkPerf {

namespace {

template <class T>
struct Cusparse;
template <>
struct Cusparse<float> {
  static constexpr auto strided_bytes = cusparseSgtsv2StridedBatch_bufferSizeExt;
  static constexpr auto strided = cusparseSgtsv2StridedBatch;
  static constexpr auto interleaved_bytes = cusparseSgtsvInterleavedBatch_bufferSizeExt;
  static constexpr auto interleaved = cusparseSgtsvInterleavedBatch;
};
template <>
struct Cusparse<double> {
  static constexpr auto strided_bytes = cusparseDgtsv2StridedBatch_bufferSizeExt;
  static constexpr auto strided = cusparseDgtsv2StridedBatch;
  static constexpr auto interleaved_bytes = cusparseDgtsvInterleavedBatch_bufferSizeExt;
  static constexpr auto interleaved = cusparseDgtsvInterleavedBatch;
};

cusparseHandle_t handle() {
  static cusparseHandle_t const h = [] {
    cusparseHandle_t made;
    if (cusparseCreate(&made) != CUSPARSE_STATUS_SUCCESS) Kokkos::abort("cusparseCreate failed");
    cusparseSetStream(made, Exec().cuda_stream());
    return made;
  }();
  return h;
}

template <class T, Layout L>
void register_layout() {
  register_tridiagonal<T, L>("cusparse", [](benchmark::State& state, std::int64_t items, int rows) {
    constexpr int thomas = 0;
    TridiagonalBatch<T, L> const s(items, rows);
    T *const lower = s.lower.data(), *const diagonal = s.diagonal.data(),
             *const upper = s.upper.data(), *const b = s.b.data();
    int const count = int(items);
    std::size_t bytes = 0;
    auto status = CUSPARSE_STATUS_SUCCESS;
    if constexpr (L == Layout::interleaved)
      status = Cusparse<T>::interleaved_bytes(handle(), thomas, rows, lower, diagonal, upper, b,
                                              count, &bytes);
    else
      status = Cusparse<T>::strided_bytes(handle(), rows, lower, diagonal, upper, b, count, rows,
                                          &bytes);
    Kokkos::View<char*, Memory> const buffer("buffer", bytes);
    s.run(state, s.b, [&] {
      auto now = CUSPARSE_STATUS_SUCCESS;
      if constexpr (L == Layout::interleaved)
        now = Cusparse<T>::interleaved(handle(), thomas, rows, lower, diagonal, upper, b, count,
                                       buffer.data());
      else
        now = Cusparse<T>::strided(handle(), rows, lower, diagonal, upper, b, count, rows,
                                   buffer.data());
      if (now != CUSPARSE_STATUS_SUCCESS) status = now;
    });
    if (status != CUSPARSE_STATUS_SUCCESS) state.SkipWithError("cuSPARSE reports an error");
  });
}

}  // namespace

void register_cusparse() {
  register_layout<float, Layout::interleaved>();
  register_layout<float, Layout::item_contiguous>();
  register_layout<double, Layout::interleaved>();
  register_layout<double, Layout::item_contiguous>();
}

}  // namespace BatchworkPerf
#endif
