// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peers: the batched routines of cuBLAS (matinvBatched, and geqrfBatched, which gives R and
// reflectors, not Q) and of cuSOLVER (syevjBatched, XsyevBatched, gesvdjBatched). All but the
// inverse work in place: the copy before each call is timed with it.

#include <vector>

#include "../common/Cuda.hpp"
#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_CUBLAS) && defined(BATCHWORK_HAVE_CUSOLVER) && \
    defined(KOKKOS_ENABLE_CUDA)
namespace BatchworkPerf {

namespace {

template <class T>
struct CudaDense;
template <>
struct CudaDense<float> {
  static constexpr auto matinv = cublasSmatinvBatched;
  static constexpr auto getrf = cublasSgetrfBatched;
  static constexpr auto getri = cublasSgetriBatched;
  static constexpr auto geqrf = cublasSgeqrfBatched;
  static constexpr auto syevj = cusolverDnSsyevjBatched;
  static constexpr auto syevj_size = cusolverDnSsyevjBatched_bufferSize;
  static constexpr auto gesvdj = cusolverDnSgesvdjBatched;
  static constexpr auto gesvdj_size = cusolverDnSgesvdjBatched_bufferSize;
};
template <>
struct CudaDense<double> {
  static constexpr auto matinv = cublasDmatinvBatched;
  static constexpr auto getrf = cublasDgetrfBatched;
  static constexpr auto getri = cublasDgetriBatched;
  static constexpr auto geqrf = cublasDgeqrfBatched;
  static constexpr auto syevj = cusolverDnDsyevjBatched;
  static constexpr auto syevj_size = cusolverDnDsyevjBatched_bufferSize;
  static constexpr auto gesvdj = cusolverDnDgesvdjBatched;
  static constexpr auto gesvdj_size = cusolverDnDgesvdjBatched_bufferSize;
};

/// Column by column the routines see the transposes: of the inverse that is the same, of A = V diag
/// V' nothing changes, and of A' = U diag V' left and right change places. Columns of what they
/// return are rows here.
template <class T, int D>
struct TransposeItems {
  T* of;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < i; ++j) {
        T& x = of[(k * D + i) * D + j];
        T& y = of[(k * D + j) * D + i];
        T const z = x;
        x = y;
        y = z;
      }
  }
};

template <class T, int D, Decomposition O>
void cuda_decomposition(benchmark::State& state, std::int64_t items) {
  DenseProblem<T, D, Layout::item_contiguous, O> const p(items);
  auto const n = static_cast<std::size_t>(items);
  [[maybe_unused]] constexpr bool by_elimination = O == Decomposition::inverse && D > 32;
  int const count = static_cast<int>(items);
  T *const a = p.a.view.data(), *const left = p.left.view.data(),
           *const right = p.right.view.data(), *const middle = p.middle.data();
  Kokkos::View<std::uintptr_t*, Memory> const as("pointers", n), xs("pointers", n), taus("taus", n);
  Kokkos::View<T*, Memory> const tau("tau", O == Decomposition::qr ? n * D : 0),
      copy("copy", O == Decomposition::svd || by_elimination ? n * D * D : 0);
  Kokkos::View<int*, Memory> const pivots("pivots", by_elimination ? n * D : 0);
  Kokkos::View<std::uintptr_t*, Memory> const copies("pointers", by_elimination ? n : 0);
  auto const copy_of = reinterpret_cast<T**>(copies.data());
  auto const a_of = reinterpret_cast<T**>(as.data()), x_of = reinterpret_cast<T**>(xs.data()),
             tau_of = reinterpret_cast<T**>(taus.data());
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> const all(0, items);
  Kokkos::parallel_for("point", all, PointAt<T>{a_of, a, D * D});
  Kokkos::parallel_for("point", all, PointAt<T>{x_of, left, D * D});
  if (by_elimination) Kokkos::parallel_for("point", all, PointAt<T>{copy_of, copy.data(), D * D});
  if (O == Decomposition::qr) Kokkos::parallel_for("point", all, PointAt<T>{tau_of, tau.data(), D});
  Kokkos::View<int*, Memory> const info("info", n);
  Exec const exec;
  bool well = true;
  int size = 0;
  syevjInfo_t eigen{};
  gesvdjInfo_t singular{};
  cusolverDnCreateSyevjInfo(&eigen);
  cusolverDnCreateGesvdjInfo(&singular);
  auto const solver = handles().solver;
  if constexpr (O == Decomposition::eigh)
    CudaDense<T>::syevj_size(solver, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, D, left, D,
                             middle, &size, eigen, count);
  if constexpr (O == Decomposition::svd)
    CudaDense<T>::gesvdj_size(solver, CUSOLVER_EIG_MODE_VECTOR, D, D, copy.data(), D, middle, right,
                              D, left, D, &size, singular, count);
  Kokkos::View<T*, Memory> const work("work", static_cast<std::size_t>(size));
  auto const launch = [&] {
    if constexpr (O == Decomposition::inverse && D > 32) {
      // Beyond what matinv takes.
      Kokkos::deep_copy(exec, copy,
                        Kokkos::View<T*, Memory, Kokkos::MemoryUnmanaged>(a, n * D * D));
      well = CudaDense<T>::getrf(handles().blas, D, copy_of, D, pivots.data(), info.data(),
                                 count) == CUBLAS_STATUS_SUCCESS &&
             CudaDense<T>::getri(handles().blas, D, copy_of, D, pivots.data(), x_of, D, info.data(),
                                 count) == CUBLAS_STATUS_SUCCESS &&
             well;
    } else if constexpr (O == Decomposition::inverse) {
      well = CudaDense<T>::matinv(handles().blas, D, a_of, D, x_of, D, info.data(), count) ==
                 CUBLAS_STATUS_SUCCESS &&
             well;
    } else if constexpr (O == Decomposition::qr) {
      int argument = 0;
      Kokkos::deep_copy(exec, p.left.view, p.a.view);
      well = CudaDense<T>::geqrf(handles().blas, D, D, x_of, D, tau_of, &argument, count) ==
                 CUBLAS_STATUS_SUCCESS &&
             argument == 0 && well;
    } else if constexpr (O == Decomposition::eigh) {
      Kokkos::deep_copy(exec, p.left.view, p.a.view);
      well = CudaDense<T>::syevj(solver, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, D, left,
                                 D, middle, work.data(), size, info.data(), eigen,
                                 count) == CUSOLVER_STATUS_SUCCESS &&
             well;
    } else {
      Kokkos::deep_copy(exec, copy,
                        Kokkos::View<T*, Memory, Kokkos::MemoryUnmanaged>(a, n * D * D));
      well = CudaDense<T>::gesvdj(solver, CUSOLVER_EIG_MODE_VECTOR, D, D, copy.data(), D, middle,
                                  right, D, left, D, work.data(), size, info.data(), singular,
                                  count) == CUSOLVER_STATUS_SUCCESS &&
             well;
    }
  };
  launch();
  double error = 0;
  if constexpr (O != Decomposition::qr) {
    if (O != Decomposition::inverse)
      Kokkos::parallel_for("transpose", all, TransposeItems<T, D>{left});
    if (O == Decomposition::svd)
      Kokkos::parallel_for("transpose", all, TransposeItems<T, D>{right});
    // A looser bound is the vendor's default.
    error = p.error() / 20;
  }
  p.run(state, error, launch);
  cusolverDnDestroySyevjInfo(eigen);
  cusolverDnDestroyGesvdjInfo(singular);
  if (!well) state.SkipWithError("cuBLAS or cuSOLVER reports an error");
}

#if CUSOLVER_VERSION >= 11701
/// Eigenvalues and vectors by the routine that reduces to tridiagonal matrices. Its workspace takes
/// 0.5 MB per item.
template <class T, int D>
void cuda_eigenvectors(benchmark::State& state, std::int64_t items) {
  DenseProblem<T, D, Layout::item_contiguous, Decomposition::eigh> const p(items);
  constexpr auto type = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
  auto const solver = handles().solver;
  T *const left = p.left.view.data(), *const middle = p.middle.data();
  cusolverDnParams_t parameters{};
  cusolverDnCreateParams(&parameters);
  std::size_t on_device_bytes = 0, on_host_bytes = 0;
  bool well = cusolverDnXsyevBatched_bufferSize(solver, parameters, CUSOLVER_EIG_MODE_VECTOR,
                                                CUBLAS_FILL_MODE_UPPER, D, type, left, D, type,
                                                middle, type, &on_device_bytes, &on_host_bytes,
                                                items) == CUSOLVER_STATUS_SUCCESS;
  Kokkos::View<char*, Memory> const work(Kokkos::view_alloc("work", Kokkos::WithoutInitializing),
                                         on_device_bytes);
  std::vector<char> host_work(on_host_bytes);
  Kokkos::View<int*, Memory> const info("info", static_cast<std::size_t>(items));
  Exec const exec;
  auto const launch = [&] {
    Kokkos::deep_copy(exec, p.left.view, p.a.view);
    well = cusolverDnXsyevBatched(solver, parameters, CUSOLVER_EIG_MODE_VECTOR,
                                  CUBLAS_FILL_MODE_UPPER, D, type, left, D, type, middle, type,
                                  work.data(), on_device_bytes, host_work.data(), on_host_bytes,
                                  info.data(), items) == CUSOLVER_STATUS_SUCCESS &&
           well;
  };
  launch();
  Kokkos::parallel_for("transpose",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, items),
                       TransposeItems<T, D>{left});
  p.run(state, p.error() / 20, launch);
  cusolverDnDestroyParams(parameters);
  if (!well) state.SkipWithError("cuSOLVER reports an error");
}

template <class T, int... D>
void register_eigenvectors() {
  (register_decomposition<T, D, Decomposition::eigh>(
       "cuda", Layout::item_contiguous, cuda_eigenvectors<T, D>, 30000, "/XsyevBatched"),
   ...);
}
#endif

template <class T, Decomposition O, int... D>
void register_sizes(std::int64_t most_items) {
  (register_decomposition<T, D, O>("cuda", Layout::item_contiguous, cuda_decomposition<T, D, O>,
                                   most_items),
   ...);
}

template <class T>
void register_type() {
  register_sizes<T, Decomposition::inverse, 3, 4, 6, 8, 16, 24, 32, 48, 64>(1000000);
  register_sizes<T, Decomposition::qr, 3, 4, 6, 8, 16, 24, 32, 48, 64>(1000000);
  register_sizes<T, Decomposition::eigh, 3, 4, 6, 8, 16, 24, 32, 48, 64>(50000);
  register_sizes<T, Decomposition::svd, 3, 4, 6, 8, 16, 24, 32>(10000);
#if CUSOLVER_VERSION >= 11701
  register_eigenvectors<T, 3, 4, 6, 8, 16, 24, 32, 48, 64>();
#endif
}

}  // namespace

void register_cuda_decompositions() {
  register_type<float>();
  register_type<double>();
}

}  // namespace BatchworkPerf
#endif
