// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Both kernels of Kalman::score with backward_pass on devices, where each lane has an item.
#include "ScoreCase.hpp"
#include "fused/ScanByLanes.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
void check_by_lanes(int items) {
  constexpr int N = 2, M = 2, P = 3;
  ScoreBatch<T, M, P> b(items, 12, {{-1, 1}, {-1, 1}, {-1, 1}}, true);
  Kokkos::View<T** [M][N + 2], Space> gains("gains", b.items, b.steps);
  Kokkos::View<T** [N][N / 2 + 2], Space> states("states", b.items, b.steps);
  poisoned(gains);
  poisoned(states);
  Dense const x(2, 1, 0.5L), p = 2.0L * eye(2);
  auto const X = filled(Kokkos::View<T[2], Space>("x"), x);
  auto const C = filled(Kokkos::View<T[2][2], Space>("P"), p);
  auto const start = Kalman::start(common(X), common(C));
  constexpr auto order = Kalman::Order::predict_first;
  std::int64_t const steps = std::int64_t(b.steps);
  auto const theta = Impl::resolve(in(b.theta));
  auto const z = Impl::series(b.z);
  auto const none = nothing();
  scan_by_lanes<1>(
      4, items, steps, Impl::ScoreStep<Rotation, order>{{}, steps, {}},
      Impl::Operand<Impl::Kind::local, T, Impl::ScoreShape<Rotation, N, P, 0, false, false>>{},
      Impl::resolve(step_index()), theta, z, start.mean, start.covariance, none,
      Impl::resolve(out(b.ll)), none, none, Impl::resolve(emit(gains)), Impl::resolve(emit(states)),
      status(b.st));
  scan_by_lanes<1>(4, items, backward(steps), Impl::BackwardScoreStep<Rotation, order>{{}, steps},
                   Impl::Operand<Impl::Kind::local, T, Impl::BackwardShape<Rotation, N, M, P>>{},
                   Impl::resolve(step_index()), theta, z, Impl::resolve(each(gains)),
                   Impl::resolve(each(states)), start.mean, start.covariance,
                   Impl::resolve(out(b.score)));
  Kokkos::fence();
  b.expect(
      [&](std::size_t k, Parameters const& at) {
        return true_filter(order, rotation(at).of_time(), x, p, b.series[k]).log_likelihood;
      },
      20);
}

TEST(BackwardScoreByLanes, LanesWithAnItem) {
  check_by_lanes<double>(7);
  check_by_lanes<float>(13);
}

}  // namespace
}  // namespace Batchwork::Test
