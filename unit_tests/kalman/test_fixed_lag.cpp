// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The fixed-lag smoother: at each time the fixed-interval smoother of the series cut off after the
// lag, from the joint normal distribution in long double.
#include "LagBatch.hpp"

namespace Batchwork::Test {
namespace {

template <class T, int N, int M, class Layout, Kalman::Order O, class Form>
void plain(Form const& form, int items, int steps, std::vector<int> const& lags) {
  Random random(251);
  RandomModel<T> const m(random, N, M);
  auto const z = series_with_missing<T>(random, items, steps, M);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), m.q),
             P = filled(Kokkos::View<T[N][N], Space>("P"), eye(N));
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), m.r);
  Kokkos::View<T[N], Space> X("x");
  auto const model = Kalman::model(common(F), common(Q), common(H), common(R));
  for (int lag : lags) {
    LagBatch<T, N, M, Layout> b(z, items, steps);
    auto const run = [&](auto const& start) {
      Kalman::smooth(steps, model, start, b.z, b.results(), Kalman::fixed_lag(lag, form));
      Kokkos::fence();
    };
    if constexpr (O == Kalman::Order::predict_first) run(Kalman::start(common(X), common(P)));
    else run(Kalman::predicted(common(X), common(P)));
    b.expect(lag, [&](int, std::vector<Dense> const& series) {
      return true_smoother(O, m.truth(), Dense(N, 1), eye(N), Dense(N, 0), series);
    });
  }
}
/// Lags that divide the last time or not, longer than the series, and as long as it.
TEST(KalmanFixedLag, AgainstTheJointDistribution) {
  plain<double, 4, 2, Kokkos::LayoutRight, Kalman::Order::predict_first>(
      Kalman::covariance(), 11, 13, {1, 2, 3, 4, 5, 7, 11, 12, 13, 40});
  plain<float, 3, 2, Kokkos::LayoutLeft, Kalman::Order::update_first>(Kalman::covariance(), 9, 10,
                                                                      {1, 3, 4, 8, 9});
}
TEST(KalmanFixedLag, SquareRootAgainstTheJointDistribution) {
  plain<double, 3, 2, Kokkos::LayoutRight, Kalman::Order::update_first>(Kalman::square_root(), 9,
                                                                        10, {1, 3, 4, 8, 9});
}
TEST(KalmanFixedLag, ShortSeries) {
  for (int steps : {1, 2, 3})
    plain<double, 2, 1, Kokkos::LayoutRight, Kalman::Order::predict_first>(Kalman::covariance(), 5,
                                                                           steps, {1, 2, 3});
}

}  // namespace
}  // namespace Batchwork::Test
