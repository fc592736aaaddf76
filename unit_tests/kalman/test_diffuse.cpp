// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Exact diffuse starts, against generalised least squares over the whole series in long double, and against published
// values for the Nile.
#include "Batch.hpp"

namespace Batchwork::Test {
namespace {

/// Annual flow of the Nile at Aswan, 1871 to 1970, in 10^8 m^3.
constexpr double nile[] = {
    1120, 1160, 963, 1210, 1160, 1160, 813,  1230, 1370, 1140, 995,  935,  1110, 994,  1020,
    960,  1180, 799, 958,  1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774,  840,
    874,  694,  940, 833,  701,  916,  692,  1020, 1050, 969,  831,  726,  456,  824,  702,
    1120, 1100, 832, 764,  821,  768,  845,  864,  862,  698,  845,  744,  796,  1040, 759,
    781,  865,  845, 944,  984,  897,  822,  1010, 771,  676,  649,  846,  812,  742,  801,
    1040, 860,  874, 848,  890,  744,  749,  838,  1050, 918,  986,  797,  923,  975,  815,
    1020, 906,  901, 1170, 912,  746,  919,  718,  714,  740};

TEST(KalmanDiffuse, LocalLevelModelOfTheNile) {
  constexpr int items = 3, steps = 100;
  Kokkos::View<double*, Space> y("y", steps), r("r", items), q("q", items), ll("ll", items);
  Kokkos::View<int*, Space> st("st", items);
  Kokkos::View<double**, Space> fm("fm", items, steps), fc("fc", items, steps);
  fill(y, [](auto const& h) {
    for (std::size_t t = 0; t < steps; ++t) h(t) = nile[t];
  });
  Kokkos::deep_copy(r, 15099.0);
  Kokkos::deep_copy(q, 1469.1);
  Kalman::filter(
      Space(), steps, Kalman::model(common(fixed(1.0)), in(q), common(fixed(1.0)), in(r)),
      Kalman::diffuse(), common(each(y)),
      Kalman::results().log_likelihood(ll).filtered_mean(fm).filtered_covariance(fc).status(st));
  Kokkos::fence();
  for (std::size_t k = 0; k < items; ++k) {
    EXPECT_NEAR(on_host(ll)(k), -632.5456, 5e-5);
    // Durbin and Koopman 2012, section 2.2.5: after the first observation the level is y1, its variance that of the
    // noise.
    EXPECT_DOUBLE_EQ(on_host(fm)(k, 0), 1120.0);
    EXPECT_DOUBLE_EQ(on_host(fc)(k, 0), 15099.0);
    EXPECT_EQ(on_host(st)(k), 0);
  }
}

/// B with B B' = P_inf for a diagonal P_inf of zeros and ones.
Dense columns_of(std::vector<int> const& diffuse) {
  int count = 0;
  for (int d : diffuse) count += d;
  Dense b(int(diffuse.size()), count);
  int c = 0;
  for (int i = 0; i < int(diffuse.size()); ++i)
    if (diffuse[std::size_t(i)]) b(i, c++) = 1;
  return b;
}

/// A batch in which the items differ in what is missing, also while they are diffuse. The error of a diffuse filter
/// grows with the condition of what determines the start, so that is in the tolerance.
template <class T, int N, int M>
void against_least_squares(Dense const& f, Dense const& q, Dense const& h, Dense const& r,
                           std::vector<int> const& diffuse, Dense const& x1, Dense const& p1,
                           int steps, bool gaps) {
  constexpr int items = 13;
  Random random(21);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, M, [&](int t, int i) {
      if (!gaps) return false;
      if (k == 0) return t < 3;                       // the filter stays diffuse for a while
      if (k == 1) return t < 4 && (t + i) % 2 == 0;   // one entry at a time
      if (k == 2) return t == 1;                      // a gap within the diffuse phase
      return k > 4 && t >= N && random(0, 1) < 0.25;  // later
    }));
  FilterBatch<T, N, M> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), q);
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), h);
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), r);
  auto const X = filled(Kokkos::View<T[N], Space>("x1"), x1);
  auto const P = filled(Kokkos::View<T[N][N], Space>("P1"), p1);
  Dense const columns = columns_of(diffuse);
  auto const I = filled(Kokkos::View<T[N][N], Space>("P_inf"), columns * transpose(columns));
  auto const model = Kalman::model(common(F), common(Q), common(H), common(R));
  auto const start = Kalman::diffuse(common(X), common(P), common(I));
  Kalman::filter(steps, model, start, b.z, b.results());
  Kokkos::fence();
  auto const lm = on_host(b.lm);
  auto const lc = on_host(b.lc);
  auto const ll = on_host(b.ll);
  long double condition = 1;
  for (int k = 0; k < items; ++k) {
    auto const s = std::size_t(k);
    auto const want = least_squares(constant_model(f, q, h, r), x1, p1, columns, z[s]);
    condition = want.condition;
    long double const scale = 1 + norm1(want.mean), variance = 1 + norm1(want.covariance);
    EXPECT_TRUE(near([&](int i, int) { return lm(s, i); }, want.mean,
                     tolerance<T>(20 * N, scale, condition)))
        << k;
    EXPECT_TRUE(near([&](int i, int j) { return lc(s, i, j); }, want.covariance,
                     tolerance<T>(20 * N, variance, condition)))
        << k;
    EXPECT_NEAR(double(ll(s)), double(want.log_likelihood),
                double(tolerance<T>(20 * N, std::fabs(want.log_likelihood) + steps, condition)))
        << k;
    EXPECT_EQ(on_host(b.st)(s), 0) << k;
  }
  if (gaps) return;

  // The same, with the gains computed once: both paths agree to rounding.
  FilterBatch<T, N, M> c(z, items, steps, 1);
  Kalman::Gains<T, N, M> gains(steps);
  Kalman::filter(steps, model, start, c.z, c.results(), Kalman::complete(gains));
  Kokkos::fence();
  auto const a1 = on_host(b.fm), a2 = on_host(c.fm);
  auto const v1 = on_host(b.fc), v2 = on_host(c.fc);
  for (std::size_t k = 0; k < items; ++k) {
    for (std::size_t t = 0; t < std::size_t(steps); ++t)
      for (int i = 0; i < N; ++i) {
        double const scale = 1 + std::fabs(double(a1(k, t, i)));
        ASSERT_NEAR(a1(k, t, i), a2(k, t, i), double(tolerance<T>(20 * N, scale, condition)))
            << k << " " << t;
        for (int j = 0; j < N; ++j)
          ASSERT_NEAR(
              v1(k, t, i, j), v2(0, t, i, j),
              double(tolerance<T>(20 * N, 1 + std::fabs(double(v1(k, t, i, j))), condition)))
              << t;
      }
    EXPECT_NEAR(
        on_host(b.ll)(k), on_host(c.ll)(k),
        double(tolerance<T>(20 * N, std::fabs(double(on_host(b.ll)(k))) + steps, condition)));
    EXPECT_EQ(on_host(c.st)(k), 0);
  }
}

template <class T>
Dense rounded(Dense const& x) {
  return make_dense(x.rows, x.cols, [&](int i, int j) { return static_cast<T>(x(i, j)); });
}

template <class T>
class KalmanDiffuseIn : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(KalmanDiffuseIn, Numbers);

TYPED_TEST(KalmanDiffuseIn, LocalLinearTrend) {
  using T = TypeParam;
  Dense f = eye(2);
  f(0, 1) = 1;
  Dense q = eye(2);
  q(0, 0) = 0.5;
  q(1, 1) = 0.0625;
  Dense h(1, 2);
  h(0, 0) = 1;
  for (bool gaps : {false, true})
    against_least_squares<T, 2, 1>(f, q, h, Dense(1, 1, 2.0L), {1, 1}, Dense(2, 1), Dense(2, 2), 20,
                                   gaps);
}
TYPED_TEST(KalmanDiffuseIn, TwoCorrelatedObservationsOfFourStates) {
  using T = TypeParam;
  Random random(33);
  Dense f = rounded<T>(0.9L * eye(4) + 0.1L * random_dense<T>(random, 4, 4));
  Dense const q = rounded<T>(0.1L * random_spd<T>(random, 4)), h = random_dense<T>(random, 2, 4);
  Dense r(2, 2, 0.75);
  r(0, 0) = 1;
  r(1, 1) = 2;
  for (bool gaps : {false, true})
    against_least_squares<T, 4, 2>(f, q, h, r, {1, 1, 1, 1}, Dense(4, 1), Dense(4, 4), 20, gaps);
}
TYPED_TEST(KalmanDiffuseIn, SomeStatesOnly) {
  using T = TypeParam;
  Random random(35);
  Dense f = rounded<T>(0.8L * eye(3) + 0.1L * random_dense<T>(random, 3, 3));
  Dense const q = rounded<T>(0.1L * random_spd<T>(random, 3)), h = random_dense<T>(random, 3, 3);
  Dense r = rounded<T>(random_spd<T>(random, 3));
  Dense p1(3, 3);
  p1(1, 1) = 0.5;
  Dense x1(3, 1);
  x1(1) = 0.25;
  for (bool gaps : {false, true})
    against_least_squares<T, 3, 3>(f, q, h, r, {1, 0, 1}, x1, p1, 15, gaps);
}

/// The basic structural model for monthly data: level, slope and eleven seasonal states, all of them diffuse, as one
/// would have it for the airline passengers (Durbin and Koopman 2012, section 3.2).
template <class T>
void seasonal() {
  Dense f(13, 13), q(13, 13), h(1, 13);
  f(0, 0) = f(0, 1) = f(1, 1) = 1;
  for (int j = 2; j < 13; ++j) f(2, j) = -1;
  for (int i = 3; i < 13; ++i) f(i, i - 1) = 1;
  q(0, 0) = 0.25;
  q(1, 1) = 0.015625;
  q(2, 2) = 0.125;
  h(0, 0) = h(0, 2) = 1;
  for (bool gaps : {false, true})
    against_least_squares<T, 13, 1>(f, q, h, Dense(1, 1, 0.5L), std::vector<int>(13, 1),
                                    Dense(13, 1), Dense(13, 13), 40, gaps);
}
TEST(KalmanDiffuse, SeasonalModelOfThirteenStatesInDouble) { seasonal<double>(); }
TEST(KalmanDiffuse, SeasonalModelOfThirteenStatesInFloat) { seasonal<float>(); }

/// A series that is never observed stays as diffuse as it was, and has a likelihood of one.
TEST(KalmanDiffuse, NothingObserved) {
  constexpr int items = 3, steps = 5;
  auto const z = std::vector<std::vector<Dense>>(
      items, std::vector<Dense>(steps, Dense(1, 1, std::numeric_limits<double>::quiet_NaN())));
  FilterBatch<double, 2, 1> b(z, items, steps);
  auto const H = filled(Kokkos::View<double[1][2], Space>("H"), Dense(1, 2, 1));
  auto const F = filled(Kokkos::View<double[2][2], Space>("F"), eye(2));
  Kalman::filter(steps, Kalman::model(common(F), common(F), common(H), common(fixed(1.0))),
                 Kalman::diffuse(), b.z, b.results());
  Kokkos::fence();
  for (std::size_t k = 0; k < items; ++k) {
    EXPECT_EQ(on_host(b.ll)(k), 0.0);
    EXPECT_EQ(on_host(b.lm)(k, 0), 0.0);
    EXPECT_EQ(on_host(b.lc)(k, 0, 0), double(steps));
    EXPECT_EQ(on_host(b.st)(k), 0);
  }
}

/// What an item gives does not depend on how long its neighbours in a pack stay diffuse.
TEST(KalmanDiffuse, NeighboursMakeNoDifference) {
  constexpr int N = 2, items = 16, steps = 25;
  Random random(17);
  auto const one = random_series<double>(random, steps, 1, [](int t, int) { return t == 9; });
  std::vector<std::vector<Dense>> same(items, one), other(items, one);
  for (int k = 0; k < items; ++k)
    if (k % 3 != 1)
      other[std::size_t(k)] =
          random_series<double>(random, steps, 1, [&](int t, int) { return t < 2 * k; });
  Dense f = eye(2);
  f(0, 1) = 1;
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), f);
  auto const Q = filled(Kokkos::View<double[N][N], Space>("Q"), 0.3L * eye(2));
  Dense h(1, 2);
  h(0, 0) = 1;
  auto const H = filled(Kokkos::View<double[1][N], Space>("H"), h);
  FilterBatch<double, N, 1> a(same, items, steps), b(other, items, steps);
  auto const model = Kalman::model(common(F), common(Q), common(H), common(fixed(0.7)));
  Kalman::filter(steps, model, Kalman::diffuse(), a.z, a.results());
  Kalman::filter(steps, model, Kalman::diffuse(), b.z, b.results());
  Kokkos::fence();
  for (std::size_t k = 1; k < items; k += 3) {
    EXPECT_TRUE(same_bits(on_host(a.ll)(k), on_host(b.ll)(k))) << k;
    for (int i = 0; i < N; ++i) {
      EXPECT_TRUE(same_bits(on_host(a.lm)(k, i), on_host(b.lm)(k, i))) << k;
      for (int j = 0; j < N; ++j)
        EXPECT_TRUE(same_bits(on_host(a.lc)(k, i, j), on_host(b.lc)(k, i, j))) << k;
    }
  }
}

}  // namespace
}  // namespace Batchwork::Test
