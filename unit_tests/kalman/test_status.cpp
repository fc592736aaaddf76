// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A series that fails must report it and have NaN as results. Its neighbours must be bitwise the
// same as without the failure.
#include "Batch.hpp"

namespace Batchwork::Test {
namespace {

enum class Plant { none, negative_noise, nan_start, nan_factor, infinite_observation };

template <class T, int N, int M>
FilterBatch<T, N, M> run(Plant plant, bool diffuse, int items) {
  int const steps = 15;
  Random random(61);
  RandomModel<T> const m(random, N, M);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, M,
                                 [&](int t, int) { return t > 3 && random(0, 1) < 0.2; }));
  auto const planted = [&](int k) {
    return plant != Plant::none && (k == 0 || k == items / 2 || k == items - 1);
  };
  for (int k = 0; k < items; ++k)
    if (planted(k) && plant == Plant::infinite_observation)
      z[std::size_t(k)][2](0) = std::numeric_limits<long double>::infinity();
  FilterBatch<T, N, M> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), m.q);
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  Kokkos::View<T* [M][M], Space> R("R", std::size_t(items));
  Kokkos::View<T* [N], Space> X("x", std::size_t(items));
  Kokkos::View<T* [N][N], Space> P("P", std::size_t(items));
  fill(R, [&](auto const& h) {
    for (int k = 0; k < items; ++k)
      for (int i = 0; i < M; ++i)
        for (int j = 0; j < M; ++j)
          h(k, i, j) = static_cast<T>((planted(k) && plant == Plant::negative_noise ? -1000 : 1) *
                                      m.r(i, j));
  });
  fill(P, [&](auto const& h) {
    for (int k = 0; k < items; ++k)
      for (int i = 0; i < N; ++i)
        h(k, i, i) =
            planted(k) && plant == Plant::nan_start ? std::numeric_limits<T>::quiet_NaN() : T(1);
  });
  auto const model = Kalman::model(common(F), common(Q), common(H), in(R));
  if (diffuse) {
    Kokkos::View<T* [N], Space> A("A", std::size_t(items));
    fill(A, [&](auto const& h) {
      for (int k = 0; k < items; ++k)
        h(k, 0) =
            planted(k) && plant == Plant::nan_factor ? std::numeric_limits<T>::quiet_NaN() : T(1);
    });
    Kalman::filter(steps, model, Kalman::diffuse(X, P, A), b.z, b.results());
  } else {
    Kalman::filter(steps, model, Kalman::start(X, P), b.z, b.results());
  }
  Kokkos::fence();
  return b;
}

template <class T>
void failures(Plant plant, Reason reason, int info, bool diffuse) {
  constexpr int N = 3, M = 2, items = 27;
  auto const clean = run<T, N, M>(Plant::none, diffuse, items);
  auto const b = run<T, N, M>(plant, diffuse, items);
  auto const st = on_host(b.st);
  for (std::size_t k = 0; k < items; ++k) {
    if (k == 0 || k == items / 2 || k == items - 1) {
      EXPECT_EQ(Status::reason(st(k)), reason) << k;
      EXPECT_EQ(Status::info(st(k)), info) << k;
      EXPECT_FALSE(std::isfinite(on_host(b.ll)(k))) << k;
      continue;
    }
    EXPECT_EQ(st(k), 0) << k;
    EXPECT_TRUE(same_bits(on_host(b.ll)(k), on_host(clean.ll)(k))) << k;
    for (int i = 0; i < N; ++i) {
      EXPECT_TRUE(same_bits(on_host(b.lm)(k, i), on_host(clean.lm)(k, i))) << k;
      for (int j = 0; j < N; ++j)
        EXPECT_TRUE(same_bits(on_host(b.lc)(k, i, j), on_host(clean.lc)(k, i, j))) << k;
    }
    for (std::size_t t = 0; t < 15; ++t)
      EXPECT_TRUE(same_bits(on_host(b.fm)(k, t, 0), on_host(clean.fm)(k, t, 0)));
  }
}

TEST(KalmanStatus, NoiseThatIsNotPositiveDefinite) {
  failures<double>(Plant::negative_noise, Reason::not_positive_definite, 1, false);
  failures<float>(Plant::negative_noise, Reason::not_positive_definite, 1, false);
  failures<double>(Plant::negative_noise, Reason::not_positive_definite, 1, true);
}
TEST(KalmanStatus, StartThatIsNotANumber) {
  failures<double>(Plant::nan_start, Reason::not_finite, 1, false);
  failures<double>(Plant::nan_start, Reason::not_finite, 1, true);
  failures<double>(Plant::nan_factor, Reason::not_finite, 1, true);
}
TEST(KalmanStatus, InfiniteObservation) {
  failures<double>(Plant::infinite_observation, Reason::not_finite, 0, false);
  failures<float>(Plant::infinite_observation, Reason::not_finite, 0, true);
}

/// H and R change with time. For a missing entry of an observation they have `junk`, in a row of H
/// and in a row and a column of R.
FilterBatch<double, 9, 3> run_with_junk(double junk, bool diffuse) {
  constexpr int N = 9, M = 3, items = 21, steps = 25;
  Random random(63);
  RandomModel<double> const m(random, N, M);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(
        random_series<double>(random, steps, M, [&](int, int) { return random(0, 1) < 0.3; }));
  FilterBatch<double, N, M> b(z, items, steps);
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<double[N][N], Space>("Q"), m.q);
  Kokkos::View<double** [M][N], Space> H("H", items, steps);
  Kokkos::View<double** [M][M], Space> R("R", items, steps);
  auto const missing = [&](std::size_t k, std::size_t t, int i) { return std::isnan(z[k][t](i)); };
  auto const fill_all = [](auto const& view, auto const& entry) {
    fill(view, [&](auto const& h) {
      for (std::size_t k = 0; k < items; ++k)
        for (std::size_t t = 0; t < steps; ++t)
          for (std::size_t i = 0; i < h.extent(2); ++i)
            for (std::size_t j = 0; j < h.extent(3); ++j)
              h(k, t, i, j) = entry(k, t, int(i), int(j));
    });
  };
  fill_all(
      H, [&](auto k, auto t, int i, int j) { return missing(k, t, i) ? junk : double(m.h(i, j)); });
  fill_all(R, [&](auto k, auto t, int i, int j) {
    return missing(k, t, i) || missing(k, t, j) ? junk : double(m.r(i, j));
  });
  Kokkos::View<double[N], Space> X("x");
  auto const P = filled(Kokkos::View<double[N][N], Space>("P"), eye(N));
  auto const model = Kalman::model(common(F), common(Q), each(H), each(R));
  if (diffuse) Kalman::filter(steps, model, Kalman::diffuse(), b.z, b.results());
  else Kalman::filter(steps, model, Kalman::start(common(X), common(P)), b.z, b.results());
  Kokkos::fence();
  return b;
}
TEST(KalmanStatus, NothingIsReadOfWhatIsMissing) {
  for (bool diffuse : {false, true}) {
    auto const want = run_with_junk(1, diffuse);
    for (double junk : {std::numeric_limits<double>::quiet_NaN(), 1e300, 1e-300}) {
      auto const got = run_with_junk(junk, diffuse);
      for (std::size_t k = 0; k < 21; ++k) {
        EXPECT_EQ(on_host(got.st)(k), 0) << diffuse << " " << junk << " " << k;
        EXPECT_TRUE(std::isfinite(on_host(got.ll)(k))) << diffuse << " " << junk << " " << k;
        EXPECT_TRUE(same_bits(on_host(got.ll)(k), on_host(want.ll)(k))) << diffuse << " " << k;
        for (int i = 0; i < 9; ++i) {
          EXPECT_TRUE(same_bits(on_host(got.lm)(k, i), on_host(want.lm)(k, i))) << k;
          for (int j = 0; j < 9; ++j)
            EXPECT_TRUE(same_bits(on_host(got.lc)(k, i, j), on_host(want.lc)(k, i, j))) << k;
        }
      }
    }
  }
}

/// A series with gaps that are common to all items, with different noise for each item, and with
/// more states than one lane of a device can hold.
TEST(KalmanStatus, OneSeriesForAllItemsOfManyStates) {
  constexpr int N = 9, M = 3, items = 13, steps = 20;
  Random random(65);
  RandomModel<double> const m(random, N, M);
  auto const z =
      random_series<double>(random, steps, M, [&](int, int) { return random(0, 1) < 0.3; });
  FilterBatch<double, N, M> b(std::vector<std::vector<Dense>>(items, z), items, steps);
  Kokkos::View<double* [M], Space> one("one", steps);
  fill(one, [&](auto const& h) {
    for (std::size_t t = 0; t < steps; ++t)
      for (int i = 0; i < M; ++i) h(t, i) = double(z[t](i));
  });
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<double[N][N], Space>("Q"), m.q),
             P = filled(Kokkos::View<double[N][N], Space>("P"), eye(N));
  auto const H = filled(Kokkos::View<double[M][N], Space>("H"), m.h);
  Kokkos::View<double* [M][M], Space> R("R", items);
  fill(R, [&](auto const& h) {
    for (std::size_t k = 0; k < items; ++k)
      for (int i = 0; i < M; ++i)
        for (int j = 0; j < M; ++j) h(k, i, j) = double(m.r(i, j)) * double(1 + k);
  });
  Kokkos::View<double[N], Space> X("x");
  Kalman::filter(steps, Kalman::model(common(F), common(Q), common(H), in(R)),
                 Kalman::start(common(X), common(P)), common(each(one)), b.results());
  Kokkos::fence();
  for (int k = 0; k < items; ++k)
    b.expect(k, true_filter(Kalman::Order::predict_first,
                            constant_model(m.f, m.q, m.h, (long double)(1 + k) * m.r), Dense(N, 1),
                            eye(N), z));
}

/// Only the status is requested. Failures are still recorded.
TEST(KalmanStatus, AloneAmongTheResults) {
  constexpr int items = 9, steps = 3;
  Kokkos::View<double**, Space> z("z", items, steps);
  Kokkos::View<double*, Space> r("r", items);
  auto const st = poisoned(Kokkos::View<std::int64_t*, Space>("st", items));
  fill(r, [](auto const& h) {
    for (std::size_t k = 0; k < items; ++k) h(k) = k == 4 ? -50 : 1;
  });
  auto const one = common(fixed(1.0));
  Kalman::filter(steps, Kalman::model(one, one, one, in(r)), Kalman::start(one, one), z,
                 Kalman::results().status(st));
  Kokkos::fence();
  for (std::size_t k = 0; k < items; ++k)
    EXPECT_EQ(on_host(st)(k), k == 4 ? Status::code(Reason::not_positive_definite, 1) : 0) << k;
}

/// With common gains, a model that fails does so for every item.
TEST(KalmanStatus, CommonModelThatFails) {
  constexpr int items = 5, steps = 3;
  Kokkos::View<double**, Space> z("z", items, steps);
  auto const st = poisoned(Kokkos::View<int*, Space>("st", items));
  Kokkos::View<double*, Space> x("x", items);
  auto const one = common(fixed(1.0));
  Kalman::Gains<double, 1, 1> gains(steps);
  Kalman::filter(steps, Kalman::model(one, one, one, common(fixed(-50.0))), Kalman::start(one, one),
                 z, Kalman::results().status(st).last_mean(x), Kalman::complete(gains));
  Kokkos::fence();
  for (std::size_t k = 0; k < items; ++k)
    EXPECT_EQ(Status::reason(on_host(st)(k)), Reason::not_finite) << k;
}

}  // namespace
}  // namespace Batchwork::Test
