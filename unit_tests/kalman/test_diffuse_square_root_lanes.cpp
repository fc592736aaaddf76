// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The square-root filter with a diffuse start in device kernels: with one item for each lane, and
// with lanes that share an item.
#include "Reference.hpp"
#include "fused/ScanByLanes.hpp"

namespace Batchwork::Test {
namespace {

template <class T, int N, int M, int L>
void check_by_lanes(int team, int items) {
  constexpr int steps = 8;
  Random random(101);
  RandomModel<T> const m(random, N, M);
  Dense r(M, M);
  for (int i = 0; i < M; ++i) r(i, i) = m.r(i, i);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, M,
                                 [&](int t, int) { return t > N / M && random(0, 1) < 0.2; }));
  auto const Z = filled_series(Kokkos::View<T** [M], Space>("z", items, steps), z);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), m.q),
             A = filled(Kokkos::View<T[N][N], Space>("A"), eye(N));
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), r);
  Kokkos::View<T[N][N], Space> P("P");
  Kokkos::View<T[N], Space> X("X");
  auto const x = poisoned(Kokkos::View<T* [N], Space>("x", items));
  auto const p = poisoned(Kokkos::View<T* [N][N], Space>("p", items));
  auto const ll = poisoned(Kokkos::View<T*, Space>("ll", items));
  auto const step = [&](auto const&... o) {
    scan_by_lanes<L>(team, items, steps,
                     Kalman::DiffuseSquareRootStep<Kalman::Data::may_be_missing, true>{
                         steps, Kalman::DiffuseEntries::without_log_two_pi},
                     o...);
  };
  step(carry(common(X), x),
       Impl::carry_operand(Impl::resolve(common(lower(P))), Impl::resolve(out(symmetric(p)))),
       carry(common(X)), carry(common(A)), carry(common(fixed(T(N)))),
       carry(common(fixed(T(0))), log_sum(ll, -0.5)), carry(common(lower(Q))), step_index(),
       Impl::resolve(each(Z)), Impl::resolve(common(F)), Impl::resolve(common(H)),
       Impl::resolve(common(symmetric(R))), nothing(), nothing(), nothing(), nothing());
  Kokkos::fence();
  auto const hx = on_host(x);
  auto const hp = on_host(p);
  for (int k = 0; k < items; ++k) {
    auto const s = std::size_t(k);
    auto const want =
        least_squares(constant_model(m.f, m.q, m.h, r), Dense(N, 1), Dense(N, N), eye(N), z[s]);
    EXPECT_TRUE(near([&](int i, int) { return hx(s, i); }, want.mean,
                     tolerance<T>(20 * N, 1 + norm1(want.mean), want.condition)))
        << k;
    EXPECT_TRUE(near([&](int i, int j) { return hp(s, i, j); }, want.covariance,
                     tolerance<T>(20 * N, 1 + norm1(want.covariance), want.condition)))
        << k;
    EXPECT_NEAR(
        double(on_host(ll)(s)), double(want.log_likelihood),
        double(tolerance<T>(20 * N, steps + std::fabs(want.log_likelihood), want.condition)))
        << k;
  }
}

TEST(DiffuseSquareRootByLanes, LanesWithAnItem) { check_by_lanes<double, 3, 2, 1>(4, 7); }
TEST(DiffuseSquareRootByLanes, LanesThatShareAnItem) { check_by_lanes<double, 5, 2, 4>(32, 11); }

}  // namespace
}  // namespace Batchwork::Test
