// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peer: the batched routines of cuBLAS (product, triangular solve) and cuSOLVER (Cholesky), in full
// precision, one after the other, each through global memory. One forward solve, no potrsBatched,
// which takes a single right-hand side. Q and R are what the products are added to, so they are
// copied to every item's place in every call; the arrays of pointers that two of the routines want
// are made once, before anything is timed.

#include "../common/Cuda.hpp"
#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_CUBLAS) && defined(BATCHWORK_HAVE_CUSOLVER) && \
    defined(KOKKOS_ENABLE_CUDA)
#include <algorithm>

namespace BatchworkPerf {

namespace {

/// The same matrix for every item.
template <class T, int Size>
struct Repeat {
  T* to;
  T const* from;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { to[k] = from[k % Size]; }
};

template <class T>
using Numbers = Kokkos::View<T*, Memory>;

/// How F P and H prior are formed: item by item with a stride of zero for the common factor, or,
/// because the items' columns lie one after the other, as a single product with one wide matrix.
enum class LeftProducts { batched, as_one };

template <class T, int D>
struct CudaUpdate {
  static constexpr int size = D * D;
  using Common = Kokkos::View<T[D][D], Kokkos::LayoutLeft, Memory>;
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

  T const* P;
  T* P_new;
  std::int64_t items;
  LeftProducts left;
  Common F, Q, H, R;
  Numbers<T> work, g;
  /// Pointers to the items of both, as numbers: View<T**> would have two indices.
  Numbers<std::uintptr_t> work_pointers, g_pointers;
  Numbers<int> info;
  /// Items in one call of a routine.
  std::int64_t most;

  CudaUpdate(Problem<T, D, Layout::item_contiguous> const& problem, LeftProducts l)
      : P(problem.P.view.data()),
        P_new(problem.P_new.view.data()),
        items(problem.items),
        left(l),
        F(by_columns("F", problem.model.F)),
        Q(by_columns("Q", problem.model.Q)),
        H(by_columns("H", problem.model.H)),
        R(by_columns("R", problem.model.R)),
        work(uninitialised<T>("work", size * items)),
        g(uninitialised<T>("g", size * items)),
        work_pointers(uninitialised<std::uintptr_t>("work_pointers", items)),
        g_pointers(uninitialised<std::uintptr_t>("g_pointers", items)),
        info(uninitialised<int>("info", items)),
        most(items) {
    Kokkos::parallel_for("point", Range(0, items),
                         PointAt<T>{pointers(work_pointers), work.data(), size});
    Kokkos::parallel_for("point", Range(0, items),
                         PointAt<T>{pointers(g_pointers), g.data(), size});
  }

  static T** pointers(Numbers<std::uintptr_t> const& v) { return reinterpret_cast<T**>(v.data()); }
  static Common by_columns(char const* label, T const (&m)[D][D]) {
    Common const v{std::string(label)};
    auto const host = Kokkos::create_mirror_view(v);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) host(i, j) = m[i][j];
    Kokkos::deep_copy(v, host);
    return v;
  }
  template <class X>
  static Numbers<X> uninitialised(char const* label, std::int64_t n) {
    return Numbers<X>(Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing),
                      static_cast<std::size_t>(n));
  }

  static bool well(cublasStatus_t s) { return s == CUBLAS_STATUS_SUCCESS; }
  static bool well(cusolverStatus_t s) { return s == CUSOLVER_STATUS_SUCCESS; }

  /// to = common * x for `count` items.
  bool left_product(Common const& common, T const* x, T* to, int count) const {
    T const one = 1, zero = 0;
    if (left == LeftProducts::as_one)
      return well(Cuda<T>::one_gemm(handles().blas, CUBLAS_OP_N, CUBLAS_OP_N, D, D * count, D, &one,
                                    common.data(), D, x, D, &zero, to, D));
    return well(Cuda<T>::gemm(handles().blas, CUBLAS_OP_N, CUBLAS_OP_N, D, D, D, &one,
                              common.data(), D, 0, x, D, size, &zero, to, D, size, count));
  }
  /// to += x * common'.
  bool add_right_product(T const* x, Common const& common, T* to, int count) const {
    T const one = 1;
    return well(Cuda<T>::gemm(handles().blas, CUBLAS_OP_N, CUBLAS_OP_T, D, D, D, &one, x, D, size,
                              common.data(), D, 0, &one, to, D, size, count));
  }
  void repeat(Common const& common, T* to, int count) const {
    Kokkos::parallel_for("repeat", Range(0, std::int64_t(count) * size),
                         Repeat<T, size>{to, common.data()});
  }

  /// Whether all routines took their arguments. P is symmetric, so its rows may as well be columns,
  /// which is how these libraries read them.
  bool operator()() const {
    bool all_well = true;
    for (std::int64_t first = 0; first < items && all_well; first += most) {
      int const count = static_cast<int>(std::min(most, items - first));
      T const *p = P + first * size, one = 1, minus = -1;
      T *const prior = P_new + first * size, *const w = work.data() + first * size;
      T* const y = g.data() + first * size;
      all_well = left_product(F, p, w, count);
      repeat(Q, prior, count);
      all_well = all_well && add_right_product(w, F, prior, count);
      all_well = all_well && left_product(H, prior, y, count);
      repeat(R, w, count);
      all_well = all_well && add_right_product(y, H, w, count);
      all_well = all_well && well(Cuda<T>::potrf(handles().solver, CUBLAS_FILL_MODE_LOWER, D,
                                                 pointers(work_pointers) + first, D,
                                                 info.data() + first, count));
      all_well =
          all_well &&
          well(Cuda<T>::trsm(handles().blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                             CUBLAS_DIAG_NON_UNIT, D, D, &one, pointers(work_pointers) + first, D,
                             pointers(g_pointers) + first, D, count));
      all_well =
          all_well && well(Cuda<T>::gemm(handles().blas, CUBLAS_OP_T, CUBLAS_OP_N, D, D, D, &minus,
                                         y, D, size, y, D, size, &one, prior, D, size, count));
    }
    return all_well;
  }
};

/// Operations per D^3: five full products, the factorisation (1/3) and one triangular solve.
constexpr double flops_per_D3 = 10 + 1.0 / 3 + 1;

template <class T, int D>
void cuda_covariance_update(benchmark::State& state, std::int64_t items, LeftProducts left) {
  Problem<T, D, Layout::item_contiguous> const problem(items);
  CudaUpdate<T, D> update(problem, left);
  // All items in one call, and fewer only if a routine refuses that.
  for (std::int64_t const fewer : {std::int64_t(1) << 20, std::int64_t(65535)}) {
    if (update() && cudaStreamSynchronize(Exec().cuda_stream()) == cudaSuccess) break;
    static_cast<void>(cudaGetLastError());
    update.most = std::min(items, fewer);
  }
  bool well = true;
  problem.run(state, [&] { well = update() && well; }, false, flops_per_D3);
  state.counters["items_per_call"] = static_cast<double>(update.most);
  if (!well) state.SkipWithError("cuBLAS or cuSOLVER reports an error");
}

template <class T, int... D>
void register_cuda_sizes() {
  auto const by = [](auto body, LeftProducts left) {
    return [=](benchmark::State& state, std::int64_t items) { body(state, items, left); };
  };
  (register_sizes<T, D>("cublas-cusolver", "batched", Layout::item_contiguous, "view",
                        by(cuda_covariance_update<T, D>, LeftProducts::batched)),
   ...);
  (register_sizes<T, D>("cublas-cusolver", "as-one", Layout::item_contiguous, "view",
                        by(cuda_covariance_update<T, D>, LeftProducts::as_one)),
   ...);
}

}  // namespace

void register_cuda() {
  register_cuda_sizes<float, 2, 3, 4, 6, 8, 12, 16, 24, 32>();
  register_cuda_sizes<double, 2, 3, 4, 6, 8, 12, 16, 24, 32>();
}

}  // namespace BatchworkPerf
#endif
