// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peer on hosts: a loop over LAPACK (sysv, gelsy, gels), items one after the other, each copied
// first, because LAPACK works in place.

#include <algorithm>

#include "SolveProblem.hpp"

#if defined(BATCHWORK_HAVE_LAPACK)
extern "C" {
void ssysv_(char const*, int const*, int const*, float*, int const*, int*, float*, int const*,
            float*, int const*, int*);
void dsysv_(char const*, int const*, int const*, double*, int const*, int*, double*, int const*,
            double*, int const*, int*);
void sgelsy_(int const*, int const*, int const*, float*, int const*, float*, int const*, int*,
             float const*, int*, float*, int const*, int*);
void dgelsy_(int const*, int const*, int const*, double*, int const*, double*, int const*, int*,
             double const*, int*, double*, int const*, int*);
void sgels_(char const*, int const*, int const*, int const*, float*, int const*, float*, int const*,
            float*, int const*, int*);
void dgels_(char const*, int const*, int const*, int const*, double*, int const*, double*,
            int const*, double*, int const*, int*);
}

namespace BatchworkPerf {

namespace {

template <class T>
struct LapackSolve;
template <>
struct LapackSolve<float> {
  static constexpr auto sysv = ssysv_;
  static constexpr auto gelsy = sgelsy_;
  static constexpr auto gels = sgels_;
};
template <>
struct LapackSolve<double> {
  static constexpr auto sysv = dsysv_;
  static constexpr auto gelsy = dgelsy_;
  static constexpr auto gels = dgels_;
};

template <class T, int D, SolveBy By>
void lapack_solve(benchmark::State& state, std::int64_t items) {
  using L = LapackSolve<T>;
  using Problem = SolveProblem<T, D, Layout::item_contiguous, By>;
  constexpr int N = Problem::N;
  Problem const p(items);
  bool well = true;
  auto const launch = [&] {
    int const rows = D, columns = N, one = 1, size = 64 * D;
    T a[D * D], b[D], work[64 * D];
    [[maybe_unused]] int pivots[D], rank = 0;
    [[maybe_unused]] T const tolerance = std::numeric_limits<T>::epsilon() * D;
    for (std::int64_t k = 0; k < items; ++k) {
      T const* const from = p.a.view.data() + k * D * N;
      int info = 0;
      // Column by column.
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < N; ++j) a[j * D + i] = from[i * N + j];
      std::copy(p.b.view.data() + k * D, p.b.view.data() + (k + 1) * D, b);
      if constexpr (By == SolveBy::ldlt) {
        L::sysv("L", &rows, &one, a, &rows, pivots, b, &rows, work, &size, &info);
      } else if constexpr (By == SolveBy::pivoted_qr) {
        std::fill(pivots, pivots + D, 0);
        L::gelsy(&rows, &columns, &one, a, &rows, b, &rows, pivots, &tolerance, &rank, work, &size,
                 &info);
      } else {
        L::gels("N", &rows, &columns, &one, a, &rows, b, &rows, work, &size, &info);
      }
      well = well && info == 0;
      std::copy(b, b + N, p.x.view.data() + k * N);
    }
  };
  launch();
  p.run(state, p.error(), launch);
  if (!well) state.SkipWithError("LAPACK reports an error");
}

template <class T, SolveBy By, int... D>
void register_sizes() {
  (register_solve<T, D, By>("lapack", Layout::item_contiguous, lapack_solve<T, D, By>), ...);
}
template <class T>
void register_type() {
  register_sizes<T, SolveBy::ldlt, 3, 4, 8, 16, 32>();
  register_sizes<T, SolveBy::pivoted_qr, 3, 4, 8, 16, 32>();
  register_sizes<T, SolveBy::least_squares, 3, 4, 8, 16, 32>();
}

}  // namespace

void register_lapack_solves() {
  register_type<float>();
  register_type<double>();
}

}  // namespace BatchworkPerf
#endif
