// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The filter that stops at a steady covariance, against filters in long double.
#include "FormCase.hpp"
#include "FormTruth.hpp"

namespace Batchwork::Test {
namespace {

TEST(KalmanSteady, IsTheFilter) {
  is_the_filter(Kalman::steady(16 * epsilon<double>), Kalman::steady(16 * epsilon<float>));
}

/// Means, covariances and log-likelihood of 1000 steps. Changes below 1e-12 are neglected: with the
/// models of the test, whose changes fall by more than a tenth in each step, this is an error below
/// 1e-11. Entries are missing early, and long after the covariance has settled.
template <Kalman::Order O>
void long_series() {
  constexpr int N = 4, M = 2, items = 11, steps = 1000;
  Random random(57);
  RandomModel<double> const m(random, N, M);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<double>(random, steps, M, [&](int t, int i) {
      if (k % 3 == 0) return false;
      return t == 3 || (t > 500 && t < 500 + 2 * k && (i == 0 || t % 2 == 0)) || t == 700 + 10 * k;
    }));
  FilterBatch<double, N, M> b(z, items, steps);
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<double[N][N], Space>("Q"), m.q),
             P = filled(Kokkos::View<double[N][N], Space>("P"), 100.0L * eye(N));
  auto const H = filled(Kokkos::View<double[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<double[M][M], Space>("R"), m.r);
  Kokkos::View<double[N], Space> X("x");
  auto const model = Kalman::model(common(F), common(Q), common(H), common(R));
  if constexpr (O == Kalman::Order::predict_first)
    Kalman::filter(steps, model, Kalman::start(common(X), common(P)), b.z, b.results(),
                   Kalman::steady(1e-12));
  else
    Kalman::filter(steps, model, Kalman::predicted(common(X), common(P)), b.z, b.results(),
                   Kalman::steady(1e-12));
  Kokkos::fence();
  auto const fm = on_host(b.fm), pm = on_host(b.pm);
  auto const fc = on_host(b.fc), pc = on_host(b.pc);
  for (int k = 0; k < items; ++k) {
    auto const s = std::size_t(k);
    auto const want = true_filter(O, m.truth(), Dense(N, 1), 100.0L * eye(N), z[s]);
    EXPECT_EQ(on_host(b.st)(s), 0);
    EXPECT_NEAR(on_host(b.ll)(s), double(want.log_likelihood), 1e-10 * double(want.absolute)) << k;
    for (std::size_t t = 0; t < steps; ++t) {
      auto const tol = [&](Dense const& x) { return 1e-10L * (1 + norm1(x)); };
      auto const same = [&](auto const& got, Dense const& x) {
        EXPECT_TRUE(near([&](int i, int j) { return got(s, t, i, j); }, x, tol(x)))
            << k << " " << t;
      };
      same(fc, want.filtered_covariance[t]);
      same(pc, want.predicted_covariance[t]);
      EXPECT_TRUE(near([&](int i, int) { return fm(s, t, i); }, want.filtered_mean[t],
                       tol(want.filtered_mean[t])));
      EXPECT_TRUE(near([&](int i, int) { return pm(s, t, i); }, want.predicted_mean[t],
                       tol(want.predicted_mean[t])));
    }
    EXPECT_TRUE(near([&](int i, int) { return on_host(b.lm)(s, i); }, want.last_mean, 1e-9L));
    EXPECT_TRUE(
        near([&](int i, int j) { return on_host(b.lc)(s, i, j); }, want.last_covariance, 1e-9L));
    // It does stop: the covariance of the last steps has the same bits.
    if (k % 3 == 0) {
      for (std::size_t t = 300; t < steps; ++t)
        EXPECT_TRUE(same_bits(fc(s, t, 1, 0), fc(s, 299, 1, 0))) << t;
    }
  }
}
TEST(KalmanSteady, LongSeriesWithEntriesMissingAfterwards) {
  long_series<Kalman::Order::predict_first>();
  long_series<Kalman::Order::update_first>();
}

/// Items that settle at other times, lack other entries or fail make no difference to an item.
TEST(KalmanSteady, NeighboursMakeNoDifference) {
  constexpr int N = 2, items = 16, steps = 120;
  Random random(17);
  auto const one = random_series<double>(random, steps, 1, [](int t, int) { return t == 90; });
  std::vector<std::vector<Dense>> same(items, one), other(items, one);
  for (int k = 0; k < items; ++k)
    if (k % 3 != 1)
      other[std::size_t(k)] =
          random_series<double>(random, steps, 1, [&](int t, int) { return t % (k + 2) == 0; });
  Dense f = eye(2), h(1, 2);
  f(0, 1) = 1;
  h(0, 0) = 1;
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), f);
  auto const H = filled(Kokkos::View<double[1][N], Space>("H"), h);
  auto const P = filled(Kokkos::View<double[N][N], Space>("P"), eye(N));
  Kokkos::View<double[N], Space> X("x");
  auto const run = [&](FilterBatch<double, N, 1> const& b, bool differ) {
    Kokkos::View<double* [N][N], Space> Q("Q", items);
    fill(Q, [&](auto const& v) {
      for (std::size_t k = 0; k < items; ++k)
        for (int i = 0; i < N; ++i)
          v(k, i, i) = differ && k % 3 == 0 ? (k == 6 ? -1 : 0.01 * double(k)) : 0.3;
    });
    Kalman::filter(steps, Kalman::model(common(F), in(Q), common(H), common(fixed(0.7))),
                   Kalman::start(common(X), common(P)), b.z, b.results(), Kalman::steady(1e-13));
    Kokkos::fence();
  };
  FilterBatch<double, N, 1> a(same, items, steps), b(other, items, steps);
  run(a, false);
  run(b, true);
  for (std::size_t k = 1; k < items; k += 3) {
    EXPECT_EQ(on_host(a.st)(k), 0);
    EXPECT_TRUE(same_bits(on_host(a.ll)(k), on_host(b.ll)(k))) << k;
    for (std::size_t t = 0; t < steps; ++t)
      for (int i = 0; i < N; ++i) {
        EXPECT_TRUE(same_bits(on_host(a.fm)(k, t, i), on_host(b.fm)(k, t, i))) << k;
        EXPECT_TRUE(same_bits(on_host(a.fc)(k, t, i, 0), on_host(b.fc)(k, t, i, 0))) << k;
      }
  }
}

/// A NaN under the promise complete(), long after the covariance has settled.
TEST(KalmanSteady, MissingObservationUnderThePromise) {
  constexpr int items = 9, steps = 100;
  Kokkos::View<double**, Space> z("z", items, steps);
  auto const st = poisoned(Kokkos::View<int*, Space>("st", items));
  auto const ll = poisoned(Kokkos::View<double*, Space>("ll", items));
  fill(z, [](auto const& v) {
    for (std::size_t k = 0; k < items; k += 4) v(k, 80) = std::numeric_limits<double>::quiet_NaN();
  });
  auto const one = common(fixed(1.0));
  Kokkos::View<double*, Space> x("x", items);
  Kalman::filter(steps, Kalman::model(one, one, one, one), Kalman::start(x, one), z,
                 Kalman::results().status(st).log_likelihood(ll), Kalman::complete(),
                 Kalman::steady(1e-14));
  Kokkos::fence();
  for (std::size_t k = 0; k < items; ++k) {
    EXPECT_EQ(Status::reason(on_host(st)(k)),
              k % 4 == 0 ? Reason::incomplete_data : Reason::success)
        << k;
    if (k % 4 != 0) {
      EXPECT_TRUE(same_bits(on_host(ll)(k), on_host(ll)(1)));
    }
  }
}

/// Entry 1 of the observations of odd items is never there. Failures come after the covariance has
/// settled.
PlantedResults run(Plant plant, double junk) {
  PlantedBatch const c(plant, junk, 60, 50,
                       [](Random&, std::size_t k, int, int i) { return k % 2 == 1 && i == 1; });
  Kalman::filter(c.steps, c.constant_model(), Kalman::start(c.x, c.p()), c.b.z, c.b.results(),
                 Kalman::steady(1e-14));
  Kokkos::fence();
  return c.b;
}
TEST(KalmanSteady, NothingIsReadOfWhatIsMissing) { nothing_is_read_of_what_is_missing(run); }
TEST(KalmanSteady, FailuresAndTheirNeighbours) { failures_and_their_neighbours(run); }
TEST(KalmanSteady, EveryUnit) { every_unit(run); }

/// Variances whose squares underflow in float are compared like others.
TEST(KalmanSteady, SmallUnitsInFloat) {
  constexpr int steps = 40;
  Kokkos::View<float**, Space> z("z", 1, steps);
  auto const variance_at = [&](int k, bool is_steady) {
    auto const number = [](float v) { return common(fixed(v)); };
    float const unit = std::ldexp(1.0f, k);
    auto const p = poisoned(Kokkos::View<float*, Space>("P", 1));
    auto const call = [&](auto const& form) {
      Kalman::filter(Space(), steps,
                     Kalman::model(number(1), number(0.25f * unit), number(1), number(unit)),
                     Kalman::start(number(0), number(4 * unit)), z,
                     Kalman::results().last_covariance(p), form);
    };
    if (is_steady) call(Kalman::steady(1e-6));
    else call(Kalman::covariance());
    Kokkos::fence();
    return std::ldexp(on_host(p)(0), -k);
  };
  for (int k : {0, -60, -80, 60}) {
    // The fixed point of p = (p + q) r / (p + q + r) with r = 1: p^2 + q p - q r = 0.
    double const want = (-0.25 + std::sqrt(0.0625 + 1)) / 2;
    EXPECT_NEAR(variance_at(k, false), want, 1e-6) << k;
    EXPECT_NEAR(variance_at(k, true), want, 1e-5) << k;
  }
}
TEST(KalmanSteady, RefusesAToleranceThatIsNotANumber) {
  Kokkos::View<double**, Space> z("z", 1, 3);
  auto const one = common(fixed(1.0));
  for (double const tolerance : {std::nan(""), -1.0})
    EXPECT_THROW(
        Kalman::filter(Space(), 3, Kalman::model(one, one, one, one), Kalman::start(one, one), z,
                       Kalman::results(), Kalman::steady(tolerance)),
        std::invalid_argument);
}

}  // namespace
}  // namespace Batchwork::Test
