// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peer on hosts: a loop over LAPACK, items one after the other, each copied first, because LAPACK works in place; as many
// threads as the LAPACK takes.

#include <algorithm>

#include "../common/Lapack.hpp"
#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_LAPACK)
namespace BatchworkPerf {

namespace {

template <class T>
void potrf(int n, T* a, int* info) {
  Lapack<T>::potrf("U", &n, a, &n, info);
}
template <class T>
void potrs(int n, T const* a, T* b, int* info) {
  int const one = 1;
  Lapack<T>::potrs("U", &n, &one, a, &n, b, &n, info);
}

/// The lower triangle row by row is the upper one column by column.
template <class T, int D, Operation O>
void lapack_operation(benchmark::State& state, std::int64_t items) {
  OperationProblem<T, D, Layout::item_contiguous, O> const p(items);
  bool well = true;
  auto const launch = [&] {
    T factor[D * D];
    [[maybe_unused]] int pivots[D];
    for (std::int64_t k = 0; k < items; ++k) {
      T const* const a = p.a.view.data() + k * D * D;
      T* const x = p.x.view.data() + k * D * p.C;
      T* const l = O == Operation::cholesky ? x : factor;
      std::copy(a, a + D * D, l);
      int info = 0;
      if constexpr (O == Operation::solve_lu) {
        int const n = D, one = 1;
        Lapack<T>::getrf(&n, &n, l, &n, pivots, &info);
        well = well && info == 0;
        std::copy(p.b.view.data() + k * D, p.b.view.data() + (k + 1) * D, x);
        Lapack<T>::getrs("T", &n, &one, l, &n, pivots, x, &n, &info);
      } else {
        potrf(D, l, &info);
      }
      well = well && info == 0;
      if constexpr (O == Operation::solve_cholesky) {
        std::copy(p.b.view.data() + k * D, p.b.view.data() + (k + 1) * D, x);
        potrs(D, l, x, &info);
        well = well && info == 0;
      }
    }
  };
  launch();
  p.run(state, p.error(), launch);
  if (!well) state.SkipWithError("LAPACK reports an error");
}

template <class T, int... D>
void register_sizes() {
  (register_operation<T, D, Operation::cholesky>("lapack", Layout::item_contiguous,
                                                 lapack_operation<T, D, Operation::cholesky>),
   ...);
  (register_operation<T, D, Operation::solve_cholesky>(
       "lapack", Layout::item_contiguous, lapack_operation<T, D, Operation::solve_cholesky>),
   ...);
}
template <class T, int... D>
void register_lu() {
  (register_operation<T, D, Operation::solve_lu>("lapack", Layout::item_contiguous,
                                                 lapack_operation<T, D, Operation::solve_lu>),
   ...);
}

}  // namespace

void register_lapack_operations() {
  register_lu<float, 3, 4, 6, 8, 12, 16, 24, 32, 33, 48, 54, 64>();
  register_lu<double, 3, 4, 6, 8, 12, 16, 24, 32, 33, 48, 54, 64>();
  register_sizes<float, 33, 48, 54, 64>();
  register_sizes<double, 33, 48, 54, 64>();
}

}  // namespace BatchworkPerf
#endif
