// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peer: cuBLAS' gelsBatched, least squares by reflections. It works in place: the copies before
// each call are timed with it.

#include "../common/Cuda.hpp"
#include "SolveProblem.hpp"

#if defined(BATCHWORK_HAVE_CUBLAS) && defined(BATCHWORK_HAVE_CUSOLVER) && \
    defined(KOKKOS_ENABLE_CUDA)
namespace BatchworkPerf {

namespace {

template <class T>
struct CudaSolve;
template <>
struct CudaSolve<float> {
  static constexpr auto gels = cublasSgelsBatched;
};
template <>
struct CudaSolve<double> {
  static constexpr auto gels = cublasDgelsBatched;
};

/// to = from', item by item, `from` being rows x columns.
template <class T>
struct TransposeInto {
  T* to;
  T const* from;
  int rows, columns;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        to[(k * columns + j) * rows + i] = from[(k * rows + i) * columns + j];
  }
};
/// The first `some` of every `all` numbers.
template <class T>
struct TakeFirst {
  T* to;
  T const* from;
  int some, all;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    for (int i = 0; i < some; ++i) to[k * some + i] = from[k * all + i];
  }
};

template <class T, int D>
void cuda_least_squares(benchmark::State& state, std::int64_t items) {
  using Problem = SolveProblem<T, D, Layout::item_contiguous, SolveBy::least_squares>;
  constexpr int N = Problem::N;
  Problem const p(items);
  auto const n = static_cast<std::size_t>(items);
  Kokkos::View<T*, Memory> const columns("A, column by column", n * D * N), a("A", n * D * N),
      b("b", n * D);
  Kokkos::View<T*, Memory, Kokkos::MemoryUnmanaged> const right(p.b.view.data(), n * D);
  Kokkos::View<std::uintptr_t*, Memory> const as("pointers", n), bs("pointers", n);
  auto const a_of = reinterpret_cast<T**>(as.data()), b_of = reinterpret_cast<T**>(bs.data());
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> const all(0, items);
  Kokkos::parallel_for("transpose", all, TransposeInto<T>{columns.data(), p.a.view.data(), D, N});
  Kokkos::parallel_for("point", all, PointAt<T>{a_of, a.data(), D * N});
  Kokkos::parallel_for("point", all, PointAt<T>{b_of, b.data(), D});
  Kokkos::View<int*, Memory> const info("info", n);
  Exec const exec;
  bool well = true;
  auto const launch = [&] {
    int argument = 0;
    Kokkos::deep_copy(exec, a, columns);
    Kokkos::deep_copy(exec, b, right);
    well = CudaSolve<T>::gels(handles().blas, CUBLAS_OP_N, D, N, 1, a_of, D, b_of, D, &argument,
                              info.data(), static_cast<int>(items)) == CUBLAS_STATUS_SUCCESS &&
           argument == 0 && well;
  };
  launch();
  Kokkos::parallel_for("take", all, TakeFirst<T>{p.x.view.data(), b.data(), N, D});
  p.run(state, p.error(), launch);
  if (!well) state.SkipWithError("cuBLAS reports an error");
}

template <class T, int... D>
void register_sizes() {
  (register_solve<T, D, SolveBy::least_squares>("cuda", Layout::item_contiguous,
                                                cuda_least_squares<T, D>, 1000000),
   ...);
}

}  // namespace

void register_cuda_solves() {
  register_sizes<float, 3, 4, 8, 16, 32>();
  register_sizes<double, 3, 4, 8, 16, 32>();
}

}  // namespace BatchworkPerf
#endif
