// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The smoother, against the joint normal distribution of all states and observations in long
// double.
#include "SmootherBatch.hpp"

namespace Batchwork::Test {
namespace {

template <class T, int N, int M, class Layout, Kalman::Order O, class Form>
void plain(Form const& form, int items, int steps) {
  Random random(191);
  RandomModel<T> const m(random, N, M);
  auto const z = series_with_missing<T>(random, items, steps, M);
  SmootherBatch<T, N, M, Layout> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), m.q),
             P = filled(Kokkos::View<T[N][N], Space>("P"), eye(N));
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), m.r);
  Kokkos::View<T[N], Space> X("x");
  auto const model = Kalman::model(common(F), common(Q), common(H), common(R));
  if constexpr (O == Kalman::Order::predict_first)
    Kalman::smooth(steps, model, Kalman::start(common(X), common(P)), b.z, b.results(), form);
  else
    Kalman::smooth(steps, model, Kalman::predicted(common(X), common(P)), b.z, b.results(), form);
  Kokkos::fence();
  for (int k = 0; k < items; ++k)
    b.expect(k, true_smoother(O, m.truth(), Dense(N, 1), eye(N), Dense(N, 0), z[std::size_t(k)]));
}
TEST(KalmanSmooth, AgainstTheJointDistribution) {
  plain<double, 4, 2, Kokkos::LayoutRight, Kalman::Order::predict_first>(Kalman::covariance(), 19,
                                                                         9);
  plain<float, 3, 2, Kokkos::LayoutLeft, Kalman::Order::update_first>(Kalman::covariance(), 21, 9);
}

}  // namespace
}  // namespace Batchwork::Test
