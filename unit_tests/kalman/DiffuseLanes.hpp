// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A batch with an unknown start for a form in device kernels, and the comparison with generalised
/// least squares over the whole series. R is diagonal.
#ifndef BATCHWORK_KALMAN_DIFFUSE_LANES_HPP
#define BATCHWORK_KALMAN_DIFFUSE_LANES_HPP

#include "Reference.hpp"
#include "fused/ScanByLanes.hpp"

namespace Batchwork::Test {

template <class T, int N, int M>
struct DiffuseLanes {
  static constexpr int steps = 8;
  int items;
  Random random{101};
  RandomModel<T> m{random, N, M};
  std::vector<std::vector<Dense>> series;
  Kokkos::View<T** [M], Space> z;
  Kokkos::View<T[N][N], Space> f{"F"}, q{"Q"}, a{"A"}, p0{"P"};
  Kokkos::View<T[M][N], Space> h{"H"};
  Kokkos::View<T[M][M], Space> r{"R"};
  Kokkos::View<T[N], Space> x0{"X"};
  Kokkos::View<T* [N], Space> x;
  Kokkos::View<T* [N][N], Space> p;
  Kokkos::View<T*, Space> ll;

  explicit DiffuseLanes(int n)
      : items(n),
        z("z", std::size_t(n), steps),
        x("x", std::size_t(n)),
        p("p", std::size_t(n)),
        ll("ll", std::size_t(n)) {
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < M; ++j)
        if (i != j) m.r(i, j) = 0;
    for (int k = 0; k < items; ++k)
      series.push_back(random_series<T>(
          random, steps, M, [&](int t, int) { return t > N / M && random(0, 1) < 0.2; }));
    filled_series(z, series);
    filled(f, m.f), filled(q, m.q), filled(a, eye(N)), filled(h, m.h), filled(r, m.r);
    poisoned(x), poisoned(p), poisoned(ll);
  }
  void expect() const {
    Kokkos::fence();
    auto const hx = on_host(x);
    auto const hp = on_host(p);
    for (int k = 0; k < items; ++k) {
      auto const s = std::size_t(k);
      auto const want = least_squares(m.truth(), Dense(N, 1), Dense(N, N), eye(N), series[s]);
      EXPECT_TRUE(near([&](int i, int) { return hx(s, i); }, want.mean,
                       tolerance<T>(20 * N, 1 + norm1(want.mean), want.condition)))
          << k;
      EXPECT_TRUE(near([&](int i, int j) { return hp(s, i, j); }, want.covariance,
                       tolerance<T>(20 * N, 1 + norm1(want.covariance), want.condition)))
          << k;
      EXPECT_NEAR(
          double(on_host(ll)(s)), double(want.log_likelihood),
          double(tolerance<T>(20 * N, steps + std::fabs(want.log_likelihood), want.condition)))
          << k;
    }
  }
};

}  // namespace Batchwork::Test

#endif
