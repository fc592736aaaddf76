// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The backward kernel of the smoother on devices: with one item for each lane, and with lanes that
// share an item. The filter runs as on a host.
#include "SmootherBatch.hpp"
#include "fused/ScanByLanes.hpp"

namespace Batchwork::Test {
namespace {

template <class T, int N, int M, int L, class Form>
void check_by_lanes(int team, int items, bool diffuse = false) {
  constexpr int steps = 6;
  constexpr bool root = std::is_same_v<Form, Impl::SquareRootSmoother>;
  Random random(241);
  RandomModel<T> const m(random, N, M);
  auto const z = series_with_missing<T>(random, items, steps, M);
  SmootherBatch<T, N, M> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), m.q),
             P = filled(Kokkos::View<T[N][N], Space>("P"), diffuse ? Dense(N, N) : eye(N)),
             A = filled(Kokkos::View<T[N][N], Space>("A"), diffuse ? eye(N) : Dense(N, N));
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), m.r);
  Kokkos::View<T[N], Space> X("X");
  Kokkos::View<T** [N][N], Space> factor("factor", std::size_t(items), steps);
  Kokkos::View<T**, Space> left("left", std::size_t(items), steps);
  auto const model = Kalman::model(common(F), common(Q), common(H), common(R));
  auto const results = Kalman::results().filtered_mean(b.mean).status(b.st);
  if constexpr (root) {
    // Factors of the filtered covariances, in place of which the smoothed ones are stored.
    auto const to = results.diffuse_factor(factor).diffuse_columns(left);
    Kalman::filter(steps, model, Kalman::diffuse(common(X), common(P), common(A)), b.z,
                   to.make_more(to.more_.of_filter(emit(b.covariance))), Kalman::square_root());
  } else {
    Kalman::filter(
        steps, model, Kalman::diffuse(common(X), common(P), common(A)), b.z,
        results.filtered_covariance(b.covariance).diffuse_factor(factor).diffuse_columns(left));
  }
  auto const smooth = [&](auto const& covariance, auto const& a, auto const& columns) {
    constexpr Structure structure = root ? Structure::lower : Structure::symmetric;
    scan_by_lanes<L>(
        team, items, backward(steps), Impl::SmoothSequence<Form>{steps, {}},
        Impl::kept_tile<T, N, 1, Structure::general, 1>(), Impl::kept_tile<T, N, N, structure, 2>(),
        nothing(), nothing(), Impl::resolve(step_index()), a, columns, inout(each(b.mean)),
        inout(each(covariance)), model.f, model.q, nothing(), nothing(), emit(b.lag_one));
  };
  auto const covariance = [&] {
    if constexpr (root) return b.covariance;
    else return symmetric(b.covariance);
  }();
  if (diffuse) smooth(covariance, Impl::resolve(each(factor)), Impl::resolve(each(left)));
  else smooth(covariance, nothing(), nothing());
  Kokkos::fence();
  for (int k = 0; k < items; ++k)
    b.expect(k,
             true_smoother(Kalman::Order::update_first, m.truth(), Dense(N, 1),
                           diffuse ? Dense(N, N) : eye(N), diffuse ? eye(N) : Dense(N, 0),
                           z[std::size_t(k)]),
             1000 * N);
}

TEST(SmootherByLanes, LanesWithAnItem) {
  check_by_lanes<double, 3, 2, 1, Impl::CovarianceSmoother>(4, 7, true);
  check_by_lanes<double, 3, 2, 1, Impl::SquareRootSmoother>(4, 7);
  check_by_lanes<double, 3, 2, 1, Impl::SquareRootSmoother>(4, 7, true);
}
TEST(SmootherByLanes, LanesThatShareAnItem) {
  check_by_lanes<double, 5, 2, 4, Impl::CovarianceSmoother>(32, 11);
  check_by_lanes<double, 5, 2, 4, Impl::CovarianceSmoother>(32, 11, true);
  check_by_lanes<double, 5, 2, 4, Impl::SquareRootSmoother>(32, 11);
  check_by_lanes<double, 5, 2, 4, Impl::SquareRootSmoother>(32, 11, true);
}

}  // namespace
}  // namespace Batchwork::Test
