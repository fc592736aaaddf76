// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The steps of nonlinear filters in a user's own scan: extended, iterated, unscented.
#include "NonlinearCase.hpp"

namespace Batchwork::Test {

/// x -> F x, and x -> H x, as functors of a user that know nothing of matrices.
template <class T, int M, int N>
struct Linear {
  T a[M][N];
  explicit Linear(Dense const& x) {
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) a[i][j] = T(x(i, j));
  }
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    return generate<M>([&](int i) {
      auto sum = a[i][0] * x(0);
      for (int j = 1; j < N; ++j) sum += a[i][j] * x(j);
      return sum;
    });
  }
};
namespace {

auto const by_scan = [](int steps, auto const& sequence, auto const&... operands) {
  scan(steps, sequence, operands...);
};

// ---- a linear model -----------------------------------------------------------------------------

template <class T, NonlinearFilter K>
void linear(int iterations = 1, Kalman::UnscentedWeights const& weights = {}) {
  constexpr int N = 3, M = 2, items = 19, steps = 12;
  Random random(171);
  RandomModel<T> const m(random, N, M);
  std::vector<std::vector<Dense>> z;
  std::vector<Dense> x;
  for (int k = 0; k < items; ++k) {
    x.push_back(random_dense<T>(random, N, 1));
    z.push_back(random_series<T>(random, steps, M, [&](int, int) { return random(0, 1) < 0.2; }));
  }
  Dense const p = random_spd<T>(random, N);
  NonlinearStep<K, Linear<T, N, N>, Linear<T, M, N>> const step{
      Linear<T, N, N>(m.f), Linear<T, M, N>(m.h), iterations, weights};
  Steps<T, N, M> s(items, steps);
  s.start(x, p, m.q, m.r);
  filled_series(s.z, z);
  s(by_scan, step);
  // In other units, 2^-7 of the first.
  Steps<T, N, M> other(items, steps);
  auto const scaled = [](std::vector<Dense> list) {
    for (Dense& a : list) a = 0x1p-7L * a;
    return list;
  };
  std::vector<std::vector<Dense>> scaled_z;
  for (auto const& series : z) scaled_z.push_back(scaled(series));
  other.start(scaled(x), 0x1p-14L * p, 0x1p-14L * m.q, 0x1p-14L * m.r);
  filled_series(other.z, scaled_z);
  other(by_scan, step);

  auto const mean = on_host(s.mean), other_mean = on_host(other.mean);
  auto const covariance = on_host(s.p), other_covariance = on_host(other.p);
  auto const nis = on_host(s.nis), other_nis = on_host(other.nis);
  // Smaller alphas lose digits: differences of points are alpha times as large as p.
  long double const loss = K == NonlinearFilter::unscented ? 1 / (long double)(weights.alpha) : 1;
  for (int k = 0; k < items; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    auto const i = std::size_t(k);
    auto const want = true_filter(Kalman::Order::predict_first, m.truth(), x[i], p, z[i]);
    auto const tol = [&](long double size) {
      return tolerance<T>(20 * N, size, want.condition * loss);
    };
    EXPECT_EQ(on_host(s.codes)(i), 0);
    for (std::size_t t = 0; t < steps; ++t) {
      EXPECT_TRUE(near([&](int a, int) { return mean(i, t, a); }, want.filtered_mean[t], tol(4)));
      EXPECT_TRUE(same_bits(nis(i, t), other_nis(i, t)));
      for (int a = 0; a < N; ++a)
        EXPECT_TRUE(same_bits(mean(i, t, a), T(0x1p7) * other_mean(i, t, a)));
    }
    EXPECT_TRUE(near([&](int a, int b) { return covariance(i, a, b); }, want.last_covariance,
                     tol(norm1(p))));
    for (int a = 0; a < N * N; ++a)
      EXPECT_TRUE(same_bits(covariance(i, a / N, a % N),
                            T(0x1p14) * other_covariance(i, a / N, a % N)));
    EXPECT_NEAR(double(on_host(s.loglik)(i)), double(want.log_likelihood),
                double(tol(want.absolute)));
  }
}
TEST(NonlinearSteps, GiveTheNumbersOfTheLinearFilter) {
  linear<double, NonlinearFilter::extended>();
  linear<double, NonlinearFilter::iterated>(3);
  linear<double, NonlinearFilter::unscented>();
  linear<double, NonlinearFilter::unscented>(1, {0.5, 2, 1});
  linear<float, NonlinearFilter::iterated>(2);
  linear<float, NonlinearFilter::unscented>(1, {1, 0, 0});
}

// ---- a radar ------------------------------------------------------------------------------------

TEST(NonlinearSteps, TrackByRangeAndBearing) {
  track<double, NonlinearFilter::extended>(by_scan);
  track<double, NonlinearFilter::iterated>(by_scan, 4);
  track<double, NonlinearFilter::unscented, Kokkos::LayoutRight>(by_scan);
  track<double, NonlinearFilter::unscented, Kokkos::LayoutRight>(by_scan, 1, {0.25, 2, -2});
}
TEST(NonlinearSteps, TrackByRangeAndBearingInFloat) {
  track<float, NonlinearFilter::extended>(by_scan);
  track<float, NonlinearFilter::iterated>(by_scan, 3);
  track<float, NonlinearFilter::unscented>(by_scan);
}
}  // namespace
}  // namespace Batchwork::Test
