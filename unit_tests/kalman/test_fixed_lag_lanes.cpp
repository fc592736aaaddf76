// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The two kernels of the fixed-lag smoother behind the filter on devices: with one item for each
// lane, and with lanes that share an item. The filter runs as on a host.
#include "LagBatch.hpp"
#include "fused/ScanByLanes.hpp"

namespace Batchwork::Test {
namespace {

template <class T, int N, int M, int L, class Form>
void check_by_lanes(int team, int items) {
  constexpr int steps = 8, lag = 3;
  constexpr bool root = std::is_same_v<Form, Impl::SquareRootSmoother>;
  constexpr Structure structure = root ? Structure::lower : Structure::symmetric;
  Random random(271);
  RandomModel<T> const m(random, N, M);
  LagBatch<T, N, M> b(series_with_missing<T>(random, items, steps, M), items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), m.q),
             P = filled(Kokkos::View<T[N][N], Space>("P"), eye(N));
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), m.r);
  Kokkos::View<T[N], Space> X("X");
  auto const model = Kalman::model(common(F), common(Q), common(H), common(R));
  auto const start = Kalman::predicted(common(X), common(P));
  auto const results = Kalman::results().filtered_mean(b.filtered_mean).status(b.st);
  if constexpr (root)
    Kalman::filter(steps, model, start, b.z,
                   results.make_more(results.more_.of_filter(emit(b.filtered_covariance))),
                   Kalman::square_root());
  else Kalman::filter(steps, model, start, b.z, results.filtered_covariance(b.filtered_covariance));
  auto const matrix = Impl::kept_tile<T, N, N, Structure::general, 2>();
  auto const vector = Impl::kept_tile<T, N, 1, Structure::general, 1>();
  auto const spread = Impl::kept_tile<T, N, N, structure, 2>();
  // What a kernel may have on devices with 4 KB of arguments.
  constexpr std::size_t most = 4096 - 1024;
  auto const run = [&](auto const& filtered, auto const& left, auto const& smoothed) {
    EXPECT_LE(
        scan_by_lanes<L>(team, items, range(lag, steps - 1), Impl::LagForward<Form>{lag, {}},
                         matrix, vector, spread, Impl::resolve(step_index()), nothing(), nothing(),
                         Impl::resolve(each(b.filtered_mean)), Impl::resolve(each(filtered)),
                         model.f, model.q, Impl::behind(Impl::resolve(emit(b.mean)), lag),
                         Impl::behind(Impl::resolve(emit(smoothed)), lag)),
        most);
    EXPECT_LE(scan_by_lanes<L>(team, items, backward(steps),
                               Impl::LagBackward<Form>{steps, lag, {}}, matrix, vector, spread,
                               vector, spread, nothing(), nothing(), Impl::resolve(step_index()),
                               nothing(), nothing(), Impl::resolve(each(b.filtered_mean)), left,
                               model.f, model.q, inout(each(b.mean)), inout(each(smoothed))),
              most);
  };
  if constexpr (root) run(b.filtered_covariance, inout(each(b.filtered_covariance)), b.covariance);
  else
    run(symmetric(b.filtered_covariance), Impl::resolve(each(symmetric(b.filtered_covariance))),
        symmetric(b.covariance));
  Kokkos::fence();
  b.expect(
      lag,
      [&](int, std::vector<Dense> const& series) {
        return true_smoother(Kalman::Order::update_first, m.truth(), Dense(N, 1), eye(N),
                             Dense(N, 0), series);
      },
      1000 * N);
}

TEST(FixedLagByLanes, LanesWithAnItem) {
  check_by_lanes<double, 3, 2, 1, Impl::CovarianceSmoother>(4, 7);
  check_by_lanes<double, 3, 2, 1, Impl::SquareRootSmoother>(4, 7);
  check_by_lanes<double, 13, 2, 1, Impl::CovarianceSmoother>(4, 5);
}
TEST(FixedLagByLanes, LanesThatShareAnItem) {
  check_by_lanes<double, 5, 2, 4, Impl::CovarianceSmoother>(32, 11);
  check_by_lanes<double, 5, 2, 4, Impl::SquareRootSmoother>(32, 11);
}

}  // namespace
}  // namespace Batchwork::Test
