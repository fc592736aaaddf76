// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A series that fails says so, poisons itself, and leaves its neighbours as they are, bit by bit.
#include "Batch.hpp"

namespace Batchwork::Test {
namespace {

enum class Plant { none, negative_noise, nan_start, infinite_observation };

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
    auto const first = make_dense(N, 1, [](int i, int) { return i == 0 ? 1 : 0; });
    auto const A = filled(Kokkos::View<T[N], Space>("A"), first);
    Kalman::filter(steps, model, Kalman::diffuse(X, P, common(A)), b.z, b.results());
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
}
TEST(KalmanStatus, InfiniteObservation) {
  failures<double>(Plant::infinite_observation, Reason::not_finite, 0, false);
  failures<float>(Plant::infinite_observation, Reason::not_finite, 0, true);
}

/// Only the status is asked for: it is recorded all the same.
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

/// A model that fails, in the path that computes the gains once, fails for every item.
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
