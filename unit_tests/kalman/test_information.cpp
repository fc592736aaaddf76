// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The information form of the filter, against filters in long double.
#include "FormCase.hpp"
#include "FormTruth.hpp"

namespace Batchwork::Test {
namespace {

TEST(KalmanInformation, IsTheFilter) {
  is_the_filter(Kalman::information(), Kalman::information());
}
TEST(KalmanInformation, DiffuseStart) {
  diffuse_start<double, 4, 2>(15, Kalman::information());
  diffuse_start<float, 2, 1>(15, Kalman::information());
}

TEST(KalmanInformation, DiagonalNoise) {
  diagonal_noise(Kalman::information());
  diagonal_noise(Kalman::square_root());
}

/// Q of rank one, F and Q of each time, and more entries of an observation than states.
TEST(KalmanInformation, SingularNoiseAndManyObservations) {
  constexpr int N = 2, M = 9, items = 13, steps = 20;
  Dense f = eye(N);
  f(0, 1) = 0.5;
  Random random(97);
  Dense const g = make_dense(N, 1, [](int i, int) { return i == 0 ? 0.125L : 0.5L; }),
              q = g * transpose(g), h = random_dense<double>(random, M, N);
  Dense const r = random_spd<double>(random, M);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<double>(random, steps, M,
                                      [&](int, int) { return k % 2 == 1 && random(0, 1) < 0.3; }));
  FilterBatch<double, N, M> b(z, items, steps);
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), f),
             Q = filled(Kokkos::View<double[N][N], Space>("Q"), q),
             P = filled(Kokkos::View<double[N][N], Space>("P"), eye(N));
  Kokkos::View<double* [N][N], Space> Ft("Ft", steps), Qt("Qt", steps);
  auto const at_each_time = [&](auto const& v, Dense const& x) {
    fill(v, [&](auto const& w) {
      for (std::size_t t = 0; t < steps; ++t)
        for (int i = 0; i < N; ++i)
          for (int j = 0; j < N; ++j) w(t, i, j) = double(x(i, j));
    });
  };
  at_each_time(Ft, f);
  at_each_time(Qt, q);
  auto const H = filled(Kokkos::View<double[M][N], Space>("H"), h);
  auto const R = filled(Kokkos::View<double[M][M], Space>("R"), r);
  Kokkos::View<double[N], Space> X("x");
  for (bool varies : {false, true}) {
    if (varies)
      Kalman::filter(steps, Kalman::model(common(each(Ft)), common(each(Qt)), common(H), common(R)),
                     Kalman::start(common(X), common(P)), b.z, b.results(), Kalman::information());
    else
      Kalman::filter(steps, Kalman::model(common(F), common(Q), common(H), common(R)),
                     Kalman::start(common(X), common(P)), b.z, b.results(), Kalman::information());
    Kokkos::fence();
    for (int k = 0; k < items; ++k)
      b.expect(k, true_filter(Kalman::Order::predict_first, constant_model(f, q, h, r), Dense(N, 1),
                              eye(N), z[std::size_t(k)]));
  }
}

/// Level and slope. Once both are known, every time agrees with the diffuse filter in long double.
/// The scale of A, and a series that never determines the slope, are seen in the status only.
TEST(KalmanInformation, UnknownStartOfATrend) {
  constexpr int N = 2, items = 7, steps = 12;
  Dense f = eye(N), q(N, N), h(1, N);
  f(0, 1) = 1;
  q(0, 0) = 0.5;
  q(1, 1) = 0.0625;
  h(0, 0) = 1;
  Random random(41);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<double>(random, steps, 1, [&](int t, int) {
      return k == items - 1 ? t > 0 : t < k || t == k + 2;
    }));
  FilterBatch<double, N, 1> b(z, items, steps);
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), f),
             Q = filled(Kokkos::View<double[N][N], Space>("Q"), q);
  auto const H = filled(Kokkos::View<double[1][N], Space>("H"), h);
  Kalman::filter(steps, Kalman::model(common(F), common(Q), common(H), common(fixed(2.0))),
                 Kalman::diffuse(), b.z, b.results(), Kalman::information());
  Kokkos::fence();
  for (int k = 0; k < items; ++k) {
    auto const s = std::size_t(k);
    auto const want = true_diffuse_filter(constant_model(f, q, h, Dense(1, 1, 2)), Dense(N, 1),
                                          Dense(N, N), eye(N), N, z[s]);
    bool const determined = want.directions.back() == 0;
    EXPECT_EQ(Status::reason(on_host(b.st)(s)),
              determined ? Reason::success : Reason::not_positive_definite)
        << k;
    if (!determined) continue;
    EXPECT_NEAR(on_host(b.ll)(s), double(want.log_likelihood), 1e-12) << k;
    for (std::size_t t = 0; t < steps; ++t) {
      if (want.directions[t] > 0) continue;
      EXPECT_TRUE(near([&](int i, int) { return on_host(b.fm)(s, t, i); }, want.filtered_mean[t],
                       tolerance<double>(20 * N, want.largest_mean)))
          << k << " " << t;
      EXPECT_TRUE(near([&](int i, int j) { return on_host(b.fc)(s, t, i, j); },
                       want.filtered_covariance[t],
                       tolerance<double>(20 * N, want.largest_covariance)))
          << k << " " << t;
    }
  }
}

/// F is singular in three items.
TEST(KalmanInformation, SingularTransition) {
  constexpr int items = 9, steps = 3;
  Kokkos::View<double* [2][2], Space> F("F", items);
  fill(F, [](auto const& v) {
    for (std::size_t k = 0; k < items; ++k) {
      v(k, 0, 0) = 1;
      v(k, 1, 1) = k % 4 == 0 ? 0 : 1;
    }
  });
  Kokkos::View<double** [2], Space> z("z", items, steps);
  auto const st = poisoned(Kokkos::View<int*, Space>("st", items));
  auto const one = filled(Kokkos::View<double[2][2], Space>("one"), eye(2));
  Kokkos::View<double* [2], Space> x("x", items);
  Kalman::filter(steps, Kalman::model(in(F), common(one), common(one), common(one)),
                 Kalman::diffuse(), z, Kalman::results().status(st).last_mean(x),
                 Kalman::information());
  Kokkos::fence();
  for (std::size_t k = 0; k < items; ++k)
    EXPECT_EQ(Status::reason(on_host(st)(k)), k % 4 == 0 ? Reason::singular : Reason::success) << k;
}

PlantedResults run(Plant plant, double junk) {
  return run_from_known_start(Kalman::information(), plant, junk);
}
TEST(KalmanInformation, NothingIsReadOfWhatIsMissing) { nothing_is_read_of_what_is_missing(run); }
TEST(KalmanInformation, FailuresAndTheirNeighbours) { failures_and_their_neighbours(run); }
TEST(KalmanInformation, EveryUnit) { every_unit(run); }

/// Rank-deficient Y with badly conditioned rows: the pivots that are zero have large errors.
TEST(KalmanInformation, UnknownStartsOfRandomModels) {
  constexpr int N = 4, M = 1, items = 300, steps = 12;
  Random random(2311);
  Kokkos::View<double* [N][N], Space> F("F", items), Q("Q", items);
  Kokkos::View<double* [M][N], Space> H("H", items);
  Kokkos::View<double**, Space> z("z", items, steps);
  std::vector<Dense> f;
  for (int k = 0; k < items; ++k) f.push_back(random_dense<double>(random, N, N));
  fill(F, [&](auto const& v) {
    for (int k = 0; k < items; ++k)
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) v(k, i, j) = double(f[std::size_t(k)](i, j));
  });
  fill(Q, [&](auto const& v) {
    for (int k = 0; k < items; ++k)
      for (int i = 0; i < N; ++i) v(k, i, i) = random(0.1, 1);
  });
  fill(H, [&](auto const& v) {
    for (int k = 0; k < items; ++k)
      for (int j = 0; j < N; ++j) v(k, 0, j) = random(-1, 1);
  });
  fill(z, [&](auto const& v) {
    for (int k = 0; k < items; ++k)
      for (int t = 0; t < steps; ++t) v(k, t) = random.normal();
  });
  auto const st = poisoned(Kokkos::View<int*, Space>("status", items));
  auto const mean = poisoned(Kokkos::View<double* [N], Space>("mean", items));
  Kalman::filter(Space(), steps, Kalman::model(in(F), in(Q), in(H), common(fixed(0.5))),
                 Kalman::diffuse(), z, Kalman::results().last_mean(mean).status(st),
                 Kalman::information());
  Kokkos::fence();
  for (std::size_t k = 0; k < items; ++k) {
    EXPECT_EQ(on_host(st)(k), 0) << k;
    for (int i = 0; i < N; ++i) EXPECT_TRUE(std::isfinite(on_host(mean)(k, i))) << k;
  }
}

}  // namespace
}  // namespace Batchwork::Test
