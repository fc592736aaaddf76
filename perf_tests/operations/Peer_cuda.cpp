// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peers: the batched routines of cuBLAS (product, triangular solve, LU) and cuSOLVER (Cholesky), in
// full precision. All but the product work in place. A factorisation is therefore timed on
// identities, which it leaves as they are, and a solve on what the calls before have left; LU
// factors alone are timed with a copy before them.

#include "../common/Cuda.hpp"
#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_CUBLAS) && defined(BATCHWORK_HAVE_CUSOLVER) && \
    defined(KOKKOS_ENABLE_CUDA)
namespace BatchworkPerf {

namespace {

template <class T>
struct FillIdentities {
  T* to;
  int D;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    to[k] = k % (D * D) % (D + 1) == 0 ? T(1) : T(0);
  }
};

template <class T, int D, Operation O>
void cuda_operation(benchmark::State& state, std::int64_t items) {
  OperationProblem<T, D, Layout::item_contiguous, O> const p(items);
  auto const n = static_cast<std::size_t>(items);
  T *const a = p.a.view.data(), *const b = p.b.view.data(), *const x = p.x.view.data();
  Kokkos::View<std::uintptr_t*, Memory> const as("pointers", n), xs("pointers", n);
  auto const a_of = reinterpret_cast<T**>(as.data()), x_of = reinterpret_cast<T**>(xs.data());
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> const all(0, items),
      numbers(0, items * D * D);
  Kokkos::parallel_for("point", all, PointAt<T>{a_of, a, D * D});
  Kokkos::parallel_for("point", all, PointAt<T>{x_of, x, D * p.C});
  Kokkos::View<int*, Memory> const info("info", n),
      pivots("pivots", exchanges(O) ? n * std::size_t(D) : 0);
  Exec const exec;
  bool well = true;
  T const one = 1, zero = 0;
  int const count = static_cast<int>(items);
  // Rows are the columns of transposes: C' = B' A', L L' = (U')(U) with the upper triangle for the
  // lower one, X' L' = B'.
  auto const launch = [&] {
    if constexpr (O == Operation::product)
      well = Cuda<T>::gemm(handles().blas, CUBLAS_OP_N, CUBLAS_OP_N, D, D, D, &one, b, D, D * D, a,
                           D, D * D, &zero, x, D, D * D, count) == CUBLAS_STATUS_SUCCESS &&
             well;
    else if constexpr (O == Operation::cholesky)
      well = Cuda<T>::potrf(handles().solver, CUBLAS_FILL_MODE_UPPER, D, x_of, D, info.data(),
                            count) == CUSOLVER_STATUS_SUCCESS &&
             well;
    else if constexpr (O == Operation::solve_cholesky)
      well = Cuda<T>::potrf(handles().solver, CUBLAS_FILL_MODE_UPPER, D, a_of, D, info.data(),
                            count) == CUSOLVER_STATUS_SUCCESS &&
             Cuda<T>::potrs(handles().solver, CUBLAS_FILL_MODE_UPPER, D, 1, a_of, D, x_of, D,
                            info.data(), count) == CUSOLVER_STATUS_SUCCESS &&
             well;
    else if constexpr (O == Operation::lu) {
      Kokkos::deep_copy(exec, p.x.view, p.a.view);
      well = Cuda<T>::getrf(handles().blas, D, x_of, D, pivots.data(), info.data(), count) ==
                 CUBLAS_STATUS_SUCCESS &&
             well;
    } else if constexpr (O == Operation::solve_lu) {
      int argument = 0;
      well = Cuda<T>::getrf(handles().blas, D, a_of, D, pivots.data(), info.data(), count) ==
                 CUBLAS_STATUS_SUCCESS &&
             Cuda<T>::getrs(handles().blas, CUBLAS_OP_T, D, 1, a_of, D, pivots.data(), x_of, D,
                            &argument, count) == CUBLAS_STATUS_SUCCESS &&
             argument == 0 && well;
    } else
      well = Cuda<T>::trsm(handles().blas, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N,
                           CUBLAS_DIAG_NON_UNIT, D, D, &one, a_of, D, x_of, D,
                           count) == CUBLAS_STATUS_SUCCESS &&
             well;
  };
  if constexpr (O == Operation::cholesky) Kokkos::deep_copy(p.x.view, p.a.view);
  if constexpr (O == Operation::solve || O == Operation::solve_cholesky || O == Operation::solve_lu)
    Kokkos::deep_copy(p.x.view, p.b.view);
  launch();
  double error = 0;
  if constexpr (O == Operation::lu) {
    Kokkos::parallel_for("order", all, OrderRows<decltype(p.rows)>{p.rows, pivots.data()});
    error = p.error_of_factors(true);
  } else {
    error = p.error();
  }
  if constexpr (O == Operation::cholesky)
    Kokkos::parallel_for("identities", numbers, FillIdentities<T>{x, D});
  if constexpr (O == Operation::solve_cholesky || O == Operation::solve_lu)
    Kokkos::parallel_for("identities", numbers, FillIdentities<T>{a, D});
  p.run(state, error, launch);
  if (!well) state.SkipWithError("cuBLAS or cuSOLVER reports an error");
}

template <class T, int... D>
void register_type() {
  (register_operation<T, D, Operation::product>("cuda", Layout::item_contiguous,
                                                cuda_operation<T, D, Operation::product>),
   ...);
  (register_operation<T, D, Operation::cholesky>("cuda", Layout::item_contiguous,
                                                 cuda_operation<T, D, Operation::cholesky>),
   ...);
  (register_operation<T, D, Operation::solve>("cuda", Layout::item_contiguous,
                                              cuda_operation<T, D, Operation::solve>),
   ...);
}
/// Sizes of one team per item.
template <class T, int... D>
void register_large() {
  (register_operation<T, D, Operation::cholesky>("cuda", Layout::item_contiguous,
                                                 cuda_operation<T, D, Operation::cholesky>),
   ...);
  (register_operation<T, D, Operation::solve_cholesky>(
       "cuda", Layout::item_contiguous, cuda_operation<T, D, Operation::solve_cholesky>),
   ...);
}

template <class T, int... D>
void register_lu() {
  (register_operation<T, D, Operation::solve_lu>("cuda", Layout::item_contiguous,
                                                 cuda_operation<T, D, Operation::solve_lu>),
   ...);
  (register_operation<T, D, Operation::lu>("cuda", Layout::item_contiguous,
                                           cuda_operation<T, D, Operation::lu>),
   ...);
}

}  // namespace

void register_cuda_operations() {
  register_lu<float, 3, 4, 6, 8, 12, 16, 24, 32, 33, 48, 54, 64>();
  register_lu<double, 3, 4, 6, 8, 12, 16, 24, 32, 33, 48, 54, 64>();
  register_type<float, 2, 3, 4, 6, 8, 12, 16, 24, 32>();
  register_type<double, 2, 3, 4, 6, 8, 12, 16, 24, 32>();
  register_large<float, 33, 48, 54, 64>();
  register_large<double, 33, 48, 54, 64>();
}

}  // namespace BatchworkPerf
#endif
