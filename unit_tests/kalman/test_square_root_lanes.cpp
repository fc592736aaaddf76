// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The square-root filter in device kernels: with one item for each lane, and with lanes that share
// an item.
#include "Reference.hpp"
#include "fused/ScanByLanes.hpp"

namespace Batchwork::Test {
namespace {

template <class T, int N, int M, int L>
void check_by_lanes(int team, int items) {
  constexpr int steps = 6;
  Random random(101);
  RandomModel<T> const m(random, N, M);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, M, [&](int, int) { return random(0, 1) < 0.2; }));
  auto const Z = filled_series(Kokkos::View<T** [M], Space>("z", items, steps), z);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), m.q),
             P = filled(Kokkos::View<T[N][N], Space>("P"), eye(N));
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), m.r);
  Kokkos::View<T[N], Space> X("X");
  auto const x = poisoned(Kokkos::View<T* [N], Space>("x", items));
  auto const p = poisoned(Kokkos::View<T* [N][N], Space>("p", items));
  auto const ll = poisoned(Kokkos::View<T*, Space>("ll", items));
  using Kalman::Order;
  auto const end = Impl::resolve(out(symmetric(p)));
  auto const step = [&](auto const&... o) {
    scan_by_lanes<L>(
        team, items, steps,
        Kalman::SquareRootStep<Order::predict_first, Kalman::Data::may_be_missing, true>{steps},
        o...);
  };
  step(carry(common(X), x), Impl::carry_operand(Impl::resolve(common(lower(P))), end),
       carry(common(fixed(T(0))), log_sum(ll, -0.5)), carry(common(lower(Q))), step_index(),
       Impl::resolve(each(Z)), Impl::resolve(common(F)), Impl::resolve(common(H)),
       Impl::resolve(common(symmetric(R))), nothing(), nothing(), nothing(), nothing());
  Kokkos::fence();
  auto const hx = on_host(x);
  auto const hp = on_host(p);
  for (int k = 0; k < items; ++k) {
    auto const s = std::size_t(k);
    auto const want = true_filter(Order::predict_first, m.truth(), Dense(N, 1), eye(N), z[s]);
    EXPECT_TRUE(near([&](int i, int) { return hx(s, i); }, want.last_mean,
                     tolerance<T>(20 * N, 4, want.condition)))
        << k;
    EXPECT_TRUE(near([&](int i, int j) { return hp(s, i, j); }, want.last_covariance,
                     tolerance<T>(20 * N, 2, want.condition)))
        << k;
    EXPECT_NEAR(double(on_host(ll)(s)), double(want.log_likelihood),
                double(tolerance<T>(20 * N, want.absolute, want.condition)))
        << k;
  }
}

TEST(SquareRootByLanes, LanesWithAnItem) { check_by_lanes<double, 3, 2, 1>(4, 7); }
TEST(SquareRootByLanes, LanesThatShareAnItem) { check_by_lanes<double, 5, 2, 4>(32, 11); }

}  // namespace
}  // namespace Batchwork::Test
