// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A batch of series with the results of a smoother, and the comparison with the reference.
#ifndef BATCHWORK_KALMAN_SMOOTHERBATCH_HPP
#define BATCHWORK_KALMAN_SMOOTHERBATCH_HPP

#include "SmootherReference.hpp"

namespace Batchwork::Test {

/// Every other item misses a fifth of its entries.
template <class T>
std::vector<std::vector<Dense>> series_with_missing(Random& random, int items, int steps, int m) {
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, m,
                                 [&](int, int) { return k % 2 == 1 && random(0, 1) < 0.2; }));
  return z;
}

template <class T, int N, int M, class Layout = Space::array_layout>
struct SmootherBatch {
  Kokkos::View<T** [M], Layout, Space> z;
  Kokkos::View<T** [N], Layout, Space> mean;
  Kokkos::View<T** [N][N], Layout, Space> covariance, lag_one;
  Kokkos::View<T*, Space> ll;
  Kokkos::View<int*, Space> st;

  SmootherBatch(std::vector<std::vector<Dense>> const& s, int items, int steps) {
    std::size_t const n = std::size_t(items), t = std::size_t(steps);
    z = filled_series(decltype(z)("z", n, t), s);
    mean = poisoned(decltype(mean)("smoothed_mean", n, t));
    covariance = poisoned(decltype(covariance)("smoothed_covariance", n, t));
    lag_one = poisoned(decltype(lag_one)("lag_one_covariance", n, t));
    ll = poisoned(decltype(ll)("log_likelihood", n));
    st = poisoned(decltype(st)("status", n));
  }
  auto results() const {
    return Kalman::results()
        .smoothed_mean(mean)
        .smoothed_covariance(covariance)
        .lag_one_covariance(lag_one)
        .log_likelihood(ll)
        .status(st);
  }

  /// Compares every smoothed result of an item with the reference, to `digits` epsilons of the
  /// largest entries.
  void expect(int item, TrueSmoother const& want, long double digits = 100 * N) const {
    auto const hm = on_host(mean);
    auto const hc = on_host(covariance), hl = on_host(lag_one);
    std::size_t const k = std::size_t(item), steps = std::size_t(z.extent(1));
    long double const tol = digits * epsilon<T> * want.condition,
                      variance = tol * want.largest_covariance(),
                      // Means are combinations of means and observations.
        position = tol * (want.largest_mean() + 1);
    for (std::size_t t = 0; t < steps; ++t) {
      int const now = int(t);
      ASSERT_TRUE(near([&](int i, int) { return hm(k, t, i); }, want.mean_at(now), position))
          << item << " " << t;
      ASSERT_TRUE(near([&](int i, int j) { return hc(k, t, i, j); }, want.covariance_at(now, now),
                       variance))
          << item << " " << t;
      ASSERT_TRUE(near([&](int i, int j) { return hl(k, t, i, j); },
                       t + 1 < steps ? want.covariance_at(now + 1, now) : Dense(N, N), variance))
          << item << " " << t;
      for (int i = 0; i < N; ++i) ASSERT_GE(hc(k, t, i, i), T(0)) << item << " " << t;
    }
    EXPECT_EQ(on_host(st)(k), 0) << item;
  }
};

}  // namespace Batchwork::Test

#endif
