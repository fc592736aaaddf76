// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The square-root form of the filter, against filters in long double.
#include "Batch.hpp"

namespace Batchwork::Test {
namespace {

template <class T, int N, int M, class Layout, Kalman::Order O>
void plain(int items, int steps) {
  Random random(91);
  RandomModel<T> const m(random, N, M);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, M,
                                 [&](int, int) { return k % 2 == 1 && random(0, 1) < 0.2; }));
  FilterBatch<T, N, M, Layout> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), m.q),
             P = filled(Kokkos::View<T[N][N], Space>("P"), eye(N));
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), m.r);
  Kokkos::View<T[N], Space> X("x");
  auto const model = Kalman::model(common(F), common(Q), common(H), common(R));
  if constexpr (O == Kalman::Order::predict_first)
    Kalman::filter(steps, model, Kalman::start(common(X), common(P)), b.z, b.results(),
                   Kalman::square_root());
  else
    Kalman::filter(steps, model, Kalman::predicted(common(X), common(P)), b.z, b.results(),
                   Kalman::square_root());
  Kokkos::fence();
  for (int k = 0; k < items; ++k)
    b.expect(k, true_filter(O, m.truth(), Dense(N, 1), eye(N), z[std::size_t(k)]));
}
TEST(KalmanSquareRoot, Plain) {
  plain<double, 4, 2, Kokkos::LayoutRight, Kalman::Order::predict_first>(19, 30);
}

}  // namespace
}  // namespace Batchwork::Test
