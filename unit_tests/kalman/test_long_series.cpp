// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ten thousand steps, in float and double, against long double.
#include "Reference.hpp"

namespace Batchwork::Test {
namespace {

/// Means and covariances have only the error of the last steps, because a filter forgets. So their
/// tolerance does not depend on the length. The likelihood is a sum of `steps` terms. Each addition
/// has a rounding error of half an eps of the sum, which is a random walk; four standard deviations
/// are allowed. Each term has the error of its step, condition * eps, in the worst case all with
/// the same sign.
template <class T, int N, int M>
void ten_thousand_steps(Dense const& f, Dense const& q, Dense const& h, Dense const& r,
                        double gaps) {
  constexpr int items = 5, steps = 10000;
  Random random(41);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, M, [&](int, int) { return random(0, 1) < gaps; }));
  auto const Z = filled_series(Kokkos::View<T** [M], Space>("z", items, steps), z);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), q);
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), h);
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), r);
  auto const x = poisoned(Kokkos::View<T* [N], Space>("x", items));
  auto const p = poisoned(Kokkos::View<T* [N][N], Space>("p", items));
  auto const ll = poisoned(Kokkos::View<T*, Space>("ll", items));
  Vector<T, N> x0;
  x0.info = 0;
  for (int i = 0; i < N; ++i) x0.a[i] = T(0);
  Kalman::filter(steps, Kalman::model(common(F), common(Q), common(H), common(R)),
                 Kalman::start(common(fixed(x0)), common(fixed(identity<T, N>()))), Z,
                 Kalman::results().last_mean(x).last_covariance(p).log_likelihood(ll));
  Kokkos::fence();
  auto const hx = on_host(x);
  auto const hp = on_host(p);
  auto const hl = on_host(ll);
  for (int k = 0; k < items; ++k) {
    auto const s = std::size_t(k);
    auto const want = true_filter(Kalman::Order::predict_first, constant_model(f, q, h, r),
                                  Dense(N, 1), eye(N), z[s]);
    EXPECT_TRUE(near([&](int i, int) { return hx(s, i); }, want.last_mean,
                     tolerance<T>(20 * N, 1 + norm1(want.last_mean), want.condition)));
    EXPECT_TRUE(near([&](int i, int j) { return hp(s, i, j); }, want.last_covariance,
                     tolerance<T>(20 * N, norm1(want.last_covariance), want.condition)));
    long double const tol = epsilon<T> * want.absolute *
                            (4 * 0.5L * std::sqrt((long double)(steps)) + 2 * N * want.condition);
    EXPECT_NEAR(double(hl(s)), double(want.log_likelihood), double(tol));
    EXPECT_LT(tol, 1e-2 * want.absolute);  // otherwise the tolerance would be useless
  }
}

template <class T>
class KalmanLongSeries : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(KalmanLongSeries, Numbers);

TYPED_TEST(KalmanLongSeries, DampedTrackingInThePlane) {
  using T = TypeParam;
  Dense f(4, 4), q(4, 4), h(2, 4), r(2, 2, 0.125);
  for (int i = 0; i < 4; ++i) f(i, i) = 0.9375;
  f(0, 2) = f(1, 3) = 0.5;
  for (int i = 0; i < 2; ++i) {
    q(i, i) = 0.25;
    q(i + 2, i + 2) = 0.125;
    q(i, i + 2) = q(i + 2, i) = 0.0625;
    h(i, i) = 1;
    r(i, i) = 0.5;
  }
  ten_thousand_steps<T, 4, 2>(f, q, h, r, 0.0);
}
TYPED_TEST(KalmanLongSeries, AutoregressionWithGaps) {
  using T = TypeParam;
  Dense f(3, 3), q(3, 3), h(1, 3);
  f(0, 0) = 0.5;
  f(0, 1) = 0.25;
  f(0, 2) = -0.125;
  f(1, 0) = f(2, 1) = 1;
  q(0, 0) = 1;
  h(0, 0) = 1;
  ten_thousand_steps<T, 3, 1>(f, q, h, Dense(1, 1, 0.25), 0.2);
}

}  // namespace
}  // namespace Batchwork::Test
