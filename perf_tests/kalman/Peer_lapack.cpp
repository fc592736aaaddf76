// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peer: a loop over LAPACK and BLAS calls, items one after the other; hosts only, as many threads
// as the BLAS takes.

#include "../common/Lapack.hpp"
#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_LAPACK)

namespace BatchworkPerf {

namespace {

template <class T, int D, bool symmetric_form>
void lapack_covariance_update(benchmark::State& state, std::int64_t items) {
  Problem<T, D, Layout::item_contiguous> const problem(items);
  // LAPACK's matrices lie column by column, so row by row they are transposes: F and H are passed
  // as F' and H'.
  auto const& [F, Q, H, R] = problem.model;

  auto const launch = [&] {
    using Call = Lapack<T>;
    static constexpr int n = D;
    static constexpr T one = 1, minus = -1, zero = 0;
    int info = 0;
    T work[D * D], g[D * D], s[D * D];
    T const* p = problem.P.view.data();
    T* prior = problem.P_new.view.data();
    for (std::int64_t k = 0; k < items; ++k, p += D * D, prior += D * D) {
      std::copy_n(&Q[0][0], D * D, prior);
      std::copy_n(&R[0][0], D * D, s);
      Call::gemm("T", "N", &n, &n, &n, &one, &F[0][0], &n, p, &n, &zero, work, &n);
      Call::gemm("N", "N", &n, &n, &n, &one, work, &n, &F[0][0], &n, &one, prior, &n);
      Call::gemm("T", "N", &n, &n, &n, &one, &H[0][0], &n, prior, &n, &zero, g, &n);
      Call::gemm("N", "N", &n, &n, &n, &one, g, &n, &H[0][0], &n, &one, s, &n);
      Call::potrf("L", &n, s, &n, &info);
      if constexpr (symmetric_form) {
        Call::trsm("L", "L", "N", "N", &n, &n, &one, s, &n, g, &n);
        Call::syrk("L", "T", &n, &n, &minus, g, &n, &one, prior, &n);
        for (int j = 0; j < D; ++j)
          for (int i = j + 1; i < D; ++i) prior[i * D + j] = prior[j * D + i];
      } else {
        Call::potrs("L", &n, &n, s, &n, g, &n, &info);
        Call::gemm("T", "T", &n, &n, &n, &one, g, &n, &H[0][0], &n, &zero, work, &n);
        std::copy_n(prior, D * D, s);
        Call::gemm("N", "N", &n, &n, &n, &minus, work, &n, s, &n, &one, prior, &n);
      }
    }
  };
  problem.run(state, launch, false, symmetric_form ? 25.0 / 3 : 43.0 / 3);
}

template <class T, int... D>
void register_lapack_sizes() {
  (register_sizes<T, D>("lapack", "symmetric", Layout::item_contiguous, "fixed",
                        lapack_covariance_update<T, D, true>),
   ...);
  (register_sizes<T, D>("lapack", "literal", Layout::item_contiguous, "fixed",
                        lapack_covariance_update<T, D, false>),
   ...);
}

}  // namespace

void register_lapack() {
  if constexpr (!on_device) {
    register_lapack_sizes<float, 2, 3, 4, 6, 8, 12, 16, 24, 32>();
    register_lapack_sizes<double, 2, 3, 4, 6, 8, 12, 16, 24, 32>();
  }
}

}  // namespace BatchworkPerf
#endif
