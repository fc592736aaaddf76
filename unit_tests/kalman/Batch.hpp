// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A batch of series with all results of a filter, and the comparison with the reference.
#ifndef BATCHWORK_KALMAN_BATCH_HPP
#define BATCHWORK_KALMAN_BATCH_HPP

#include "Reference.hpp"

namespace Batchwork::Test {

template <class T, int N, int M, class Layout = Space::array_layout>
struct FilterBatch {
  Kokkos::View<T** [M], Layout, Space> z;
  Kokkos::View<T** [N], Layout, Space> pm, fm;
  Kokkos::View<T** [N][N], Layout, Space> pc, fc;
  Kokkos::View<T* [N], Layout, Space> lm;
  Kokkos::View<T* [N][N], Layout, Space> lc;
  Kokkos::View<T*, Space> ll;
  Kokkos::View<int*, Space> st;
  std::vector<std::vector<Dense>> series;

  FilterBatch(std::vector<std::vector<Dense>> const& s, int items, int steps, int covariances = -1)
      : series(s) {
    std::size_t const n = std::size_t(items), t = std::size_t(steps),
                      c = std::size_t(covariances < 0 ? items : covariances);
    z = filled_series(decltype(z)("z", n, t), s);
    pm = poisoned(decltype(pm)("predicted_mean", n, t));
    fm = poisoned(decltype(fm)("filtered_mean", n, t));
    pc = poisoned(decltype(pc)("predicted_covariance", c, t));
    fc = poisoned(decltype(fc)("filtered_covariance", c, t));
    lm = poisoned(decltype(lm)("last_mean", n));
    lc = poisoned(decltype(lc)("last_covariance", c));
    ll = poisoned(decltype(ll)("log_likelihood", n));
    st = poisoned(decltype(st)("status", n));
  }
  auto results() const {
    return Kalman::results()
        .predicted_mean(pm)
        .predicted_covariance(pc)
        .filtered_mean(fm)
        .filtered_covariance(fc)
        .last_mean(lm)
        .last_covariance(lc)
        .log_likelihood(ll)
        .status(st);
  }

  /// Compares every result of an item with the reference. A filter that forgets has the errors of
  /// about twenty steps. Each step solves with S, so the bound contains its condition number.
  void expect(int item, TrueFilter const& want) const {
    auto const hpm = on_host(pm), hfm = on_host(fm);
    auto const hpc = on_host(pc), hfc = on_host(fc);
    auto const hlm = on_host(lm);
    auto const hlc = on_host(lc);
    std::size_t const k = std::size_t(item), c = pc.extent(0) == 1 ? 0 : k;
    long double x = 1, p = 1;
    for (auto const& m : want.predicted_mean) x = std::max(x, norm1(m));
    for (auto const& m : want.predicted_covariance) p = std::max(p, norm1(m));
    auto const tol = [&](long double scale) { return tolerance<T>(20 * N, scale, want.condition); };
    auto const steps = std::size_t(z.extent(1));
    for (std::size_t t = 0; t < steps; ++t) {
      ASSERT_TRUE(near([&](int i, int) { return hpm(k, t, i); }, want.predicted_mean[t], tol(x)))
          << item << " " << t;
      ASSERT_TRUE(near([&](int i, int) { return hfm(k, t, i); }, want.filtered_mean[t], tol(x)))
          << item << " " << t;
      ASSERT_TRUE(
          near([&](int i, int j) { return hpc(c, t, i, j); }, want.predicted_covariance[t], tol(p)))
          << item << " " << t;
      ASSERT_TRUE(
          near([&](int i, int j) { return hfc(c, t, i, j); }, want.filtered_covariance[t], tol(p)))
          << item << " " << t;
    }
    EXPECT_TRUE(near([&](int i, int) { return hlm(k, i); }, want.last_mean, tol(x))) << item;
    EXPECT_TRUE(near([&](int i, int j) { return hlc(c, i, j); }, want.last_covariance, tol(p)))
        << item;
    EXPECT_NEAR(double(on_host(ll)(k)), double(want.log_likelihood), double(tol(want.absolute)))
        << item;
    EXPECT_EQ(on_host(st)(k), 0) << item;
  }
};

}  // namespace Batchwork::Test

#endif
