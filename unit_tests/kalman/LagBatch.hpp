// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A batch of series with the results of a fixed-lag smoother, and the comparison with the
/// fixed-interval smoother of each series cut off after the lag.
#ifndef BATCHWORK_KALMAN_LAGBATCH_HPP
#define BATCHWORK_KALMAN_LAGBATCH_HPP

#include "SmootherBatch.hpp"

namespace Batchwork::Test {

template <class T, int N, int M, class Layout = Space::array_layout>
struct LagBatch {
  std::vector<std::vector<Dense>> series;
  Kokkos::View<T** [M], Layout, Space> z;
  Kokkos::View<T** [N], Layout, Space> mean, filtered_mean;
  Kokkos::View<T** [N][N], Layout, Space> covariance, filtered_covariance;
  Kokkos::View<int*, Space> st;

  LagBatch(std::vector<std::vector<Dense>> const& s, int items, int steps) : series(s) {
    std::size_t const n = std::size_t(items), t = std::size_t(steps);
    z = filled_series(decltype(z)("z", n, t), s);
    mean = poisoned(decltype(mean)("smoothed_mean", n, t));
    covariance = poisoned(decltype(covariance)("smoothed_covariance", n, t));
    filtered_mean = poisoned(decltype(mean)("filtered_mean", n, t));
    filtered_covariance = poisoned(decltype(covariance)("filtered_covariance", n, t));
    st = poisoned(decltype(st)("status", n));
  }
  auto results() const {
    return Kalman::results()
        .filtered_mean(filtered_mean)
        .filtered_covariance(filtered_covariance)
        .smoothed_mean(mean)
        .smoothed_covariance(covariance)
        .status(st);
  }

  /// Compares item by item, to `digits` epsilons of the largest entries. truth(item, series) is the
  /// smoother of a shorter series; times at which skip(item, time of the last observation) holds
  /// are not compared.
  template <class Truth, class Skip>
  void expect(int lag, Truth const& truth, long double digits, Skip const& skip) const {
    auto const hm = on_host(mean), fm = on_host(filtered_mean);
    auto const hc = on_host(covariance), fc = on_host(filtered_covariance);
    for (std::size_t k = 0; k < series.size(); ++k) {
      auto const& all = series[k];
      EXPECT_EQ(on_host(st)(k), 0) << k;
      for (std::size_t end = 0; end < all.size(); ++end) {
        if (skip(int(k), int(end))) continue;
        auto const want =
            truth(int(k), std::vector<Dense>(all.begin(), all.begin() + long(end) + 1));
        long double const tol = digits * epsilon<T> * want.condition,
                          variance = tol * want.largest_covariance(),
                          position = tol * (want.largest_mean() + 1);
        auto const compare = [&](std::size_t t, auto const& m, auto const& c, char const* what) {
          ASSERT_TRUE(near([&](int i, int) { return m(k, t, i); }, want.mean_at(int(t)), position))
              << what << " item " << k << " time " << t << " lag " << lag;
          ASSERT_TRUE(near([&](int i, int j) { return c(k, t, i, j); },
                           want.covariance_at(int(t), int(t)), variance))
              << what << " item " << k << " time " << t << " lag " << lag;
          for (int i = 0; i < N; ++i) ASSERT_GE(c(k, t, i, i), T(0)) << k << " " << t;
        };
        compare(end, fm, fc, "filtered");
        std::size_t const first = end < std::size_t(lag) ? 0 : end - std::size_t(lag);
        if (end + 1 == all.size()) {
          for (std::size_t t = first; t <= end; ++t) compare(t, hm, hc, "smoothed");
        } else if (end >= std::size_t(lag)) {
          compare(first, hm, hc, "smoothed");
        }
      }
    }
  }
  template <class Truth>
  void expect(int lag, Truth const& truth, long double digits = 100 * N) const {
    expect(lag, truth, digits, [](int, int) { return false; });
  }
};

}  // namespace Batchwork::Test

#endif
