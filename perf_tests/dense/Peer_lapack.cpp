// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peer on hosts: a loop over LAPACK (getrf and getri, geqrf and orgqr, syev, gesvd), items one
// after the other, each copied first, because LAPACK works in place; as many threads as the LAPACK
// takes.

#include <algorithm>

#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_LAPACK)
extern "C" {
void sgetrf_(int const*, int const*, float*, int const*, int*, int*);
void dgetrf_(int const*, int const*, double*, int const*, int*, int*);
void sgetri_(int const*, float*, int const*, int const*, float*, int const*, int*);
void dgetri_(int const*, double*, int const*, int const*, double*, int const*, int*);
void sgeqrf_(int const*, int const*, float*, int const*, float*, float*, int const*, int*);
void dgeqrf_(int const*, int const*, double*, int const*, double*, double*, int const*, int*);
void sorgqr_(int const*, int const*, int const*, float*, int const*, float const*, float*,
             int const*, int*);
void dorgqr_(int const*, int const*, int const*, double*, int const*, double const*, double*,
             int const*, int*);
void ssyev_(char const*, char const*, int const*, float*, int const*, float*, float*, int const*,
            int*);
void dsyev_(char const*, char const*, int const*, double*, int const*, double*, double*, int const*,
            int*);
void sgesvd_(char const*, char const*, int const*, int const*, float*, int const*, float*, float*,
             int const*, float*, int const*, float*, int const*, int*);
void dgesvd_(char const*, char const*, int const*, int const*, double*, int const*, double*,
             double*, int const*, double*, int const*, double*, int const*, int*);
}

namespace BatchworkPerf {

namespace {

template <class T>
struct LapackDense;
template <>
struct LapackDense<float> {
  static constexpr auto getrf = sgetrf_;
  static constexpr auto getri = sgetri_;
  static constexpr auto geqrf = sgeqrf_;
  static constexpr auto orgqr = sorgqr_;
  static constexpr auto syev = ssyev_;
  static constexpr auto gesvd = sgesvd_;
};
template <>
struct LapackDense<double> {
  static constexpr auto getrf = dgetrf_;
  static constexpr auto getri = dgetri_;
  static constexpr auto geqrf = dgeqrf_;
  static constexpr auto orgqr = dorgqr_;
  static constexpr auto syev = dsyev_;
  static constexpr auto gesvd = dgesvd_;
};

/// to = from', D x D.
template <int D, class T>
void transpose_item(T* to, T const* from) {
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) to[i * D + j] = from[j * D + i];
}

/// Column by column LAPACK sees the transposes; what it returns is brought back row by row.
template <class T, int D, Decomposition O>
void lapack_decomposition(benchmark::State& state, std::int64_t items) {
  using L = LapackDense<T>;
  DenseProblem<T, D, Layout::item_contiguous, O> const p(items);
  bool well = true;
  auto const launch = [&] {
    int const n = D, size = 64 * D;
    T x[D * D], y[D * D], z[D * D], tau[D], work[64 * D];
    [[maybe_unused]] int pivots[D];
    for (std::int64_t k = 0; k < items; ++k) {
      T const* const a = p.a.view.data() + k * D * D;
      T* const left = p.left.view.data() + k * D * D;
      int info = 0;
      if constexpr (O == Decomposition::inverse) {
        std::copy(a, a + D * D, left);
        L::getrf(&n, &n, left, &n, pivots, &info);
        well = well && info == 0;
        L::getri(&n, left, &n, pivots, work, &size, &info);
      } else if constexpr (O == Decomposition::qr) {
        T* const right = p.right.view.data() + k * D * D;
        transpose_item<D>(x, a);
        L::geqrf(&n, &n, x, &n, tau, work, &size, &info);
        well = well && info == 0;
        for (int i = 0; i < D; ++i)
          for (int j = 0; j < D; ++j) right[i * D + j] = j < i ? T(0) : x[j * D + i];
        L::orgqr(&n, &n, &n, x, &n, tau, work, &size, &info);
        transpose_item<D>(left, x);
      } else if constexpr (O == Decomposition::eigh) {
        std::copy(a, a + D * D, x);
        L::syev("V", "U", &n, x, &n, p.middle.data() + k * D, work, &size, &info);
        transpose_item<D>(left, x);
      } else {
        transpose_item<D>(x, a);
        L::gesvd("A", "A", &n, &n, x, &n, p.middle.data() + k * D, y, &n, z, &n, work, &size,
                 &info);
        transpose_item<D>(left, y);
        // V' column by column is V row by row.
        std::copy(z, z + D * D, p.right.view.data() + k * D * D);
      }
      well = well && info == 0;
    }
  };
  launch();
  p.run(state, p.error(), launch);
  if (!well) state.SkipWithError("LAPACK reports an error");
}

template <class T, Decomposition O, int... D>
void register_sizes() {
  (register_decomposition<T, D, O>("lapack", Layout::item_contiguous,
                                   lapack_decomposition<T, D, O>),
   ...);
}
template <class T>
void register_type() {
  register_sizes<T, Decomposition::inverse, 2, 3, 4, 6, 8, 12, 16, 24, 32>();
  register_sizes<T, Decomposition::qr, 2, 3, 4, 6, 8, 12, 16, 24, 32>();
  register_sizes<T, Decomposition::eigh, 2, 3, 4, 6, 8, 12, 16, 24, 32>();
  register_sizes<T, Decomposition::svd, 2, 3, 4, 6, 8, 12, 16, 24, 32>();
}

}  // namespace

void register_lapack_decompositions() {
  register_type<float>();
  register_type<double>();
}

}  // namespace BatchworkPerf
#endif
