// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The information form of the filter, against filters in long double.
#include "Batch.hpp"

namespace Batchwork::Test {
namespace {

template <class T, int N, int M, Kalman::Order O, class Promise>
void plain(int items, int steps, Promise const& promise) {
  Random random(91);
  RandomModel<T> const m(random, N, M);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, M, [&](int, int) {
      return Promise::data == Kalman::Data::may_be_missing && k % 2 == 1 && random(0, 1) < 0.2;
    }));
  FilterBatch<T, N, M> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), m.q),
             P = filled(Kokkos::View<T[N][N], Space>("P"), eye(N));
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), m.r);
  Kokkos::View<T[N], Space> X("x");
  auto const model = Kalman::model(common(F), common(Q), common(H), common(R));
  if constexpr (O == Kalman::Order::predict_first)
    Kalman::filter(steps, model, Kalman::start(common(X), common(P)), b.z, b.results(), promise,
                   Kalman::information());
  else
    Kalman::filter(steps, model, Kalman::predicted(common(X), common(P)), b.z, b.results(), promise,
                   Kalman::information());
  Kokkos::fence();
  for (int k = 0; k < items; ++k)
    b.expect(k, true_filter(O, m.truth(), Dense(N, 1), eye(N), z[std::size_t(k)]));
}
TEST(KalmanInformation, IsTheFilter) {
  using enum Kalman::Order;
  plain<double, 4, 2, predict_first>(19, 30, Kalman::MayBeMissing());
  plain<float, 3, 2, update_first>(21, 30, Kalman::MayBeMissing());
  plain<double, 2, 3, update_first>(9, 20, Kalman::complete());
  plain<float, 1, 1, predict_first>(17, 20, Kalman::MayBeMissing());
}

/// Diffuse starts, against generalised least squares over the whole series.
template <class T, int N, int M>
void diffuse(int steps) {
  constexpr int items = 11;
  Random random(33);
  RandomModel<T> const m(random, N, M);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, M, [&](int t, int i) {
      return k < 3 ? t < 3 && (k == 0 || (t + i) % 2 == 0) : t > N && random(0, 1) < 0.2;
    }));
  FilterBatch<T, N, M> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), m.q);
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), m.r);
  Kalman::filter(steps, Kalman::model(common(F), common(Q), common(H), common(R)),
                 Kalman::diffuse(), b.z, b.results(), Kalman::information());
  Kokkos::fence();
  for (int k = 0; k < items; ++k) {
    auto const s = std::size_t(k);
    auto const want = least_squares(m.truth(), Dense(N, 1), Dense(N, N), eye(N), z[s]);
    EXPECT_TRUE(near([&](int i, int) { return on_host(b.lm)(s, i); }, want.mean,
                     tolerance<T>(20 * N, 1 + norm1(want.mean), want.condition)))
        << k;
    EXPECT_TRUE(near([&](int i, int j) { return on_host(b.lc)(s, i, j); }, want.covariance,
                     tolerance<T>(20 * N, 1 + norm1(want.covariance), want.condition)))
        << k;
    EXPECT_NEAR(
        double(on_host(b.ll)(s)), double(want.log_likelihood),
        double(tolerance<T>(20 * N, std::fabs(want.log_likelihood) + steps, want.condition)))
        << k;
    EXPECT_EQ(on_host(b.st)(s), 0) << k;
  }
}
TEST(KalmanInformation, DiffuseStart) {
  diffuse<double, 4, 2>(15);
  diffuse<float, 2, 1>(15);
}

/// R is a diagonal operand, with more entries than states.
template <class Form>
void diagonal_noise(Form const& form) {
  constexpr int N = 2, M = 6, items = 9, steps = 20;
  Random random(45);
  RandomModel<double> const m(random, N, M);
  Dense r(M, M);
  for (int i = 0; i < M; ++i) r(i, i) = m.r(i, i);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(
        random_series<double>(random, steps, M, [&](int, int) { return random(0, 1) < 0.2; }));
  FilterBatch<double, N, M> b(z, items, steps);
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<double[N][N], Space>("Q"), m.q),
             P = filled(Kokkos::View<double[N][N], Space>("P"), eye(N));
  auto const H = filled(Kokkos::View<double[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<double[M], Space>("R"),
                        make_dense(M, 1, [&](int i, int) { return r(i, i); }));
  Kokkos::View<double[N], Space> X("x");
  Kalman::filter(steps, Kalman::model(common(F), common(Q), common(H), common(diagonal(R))),
                 Kalman::start(common(X), common(P)), b.z, b.results(), form);
  Kokkos::fence();
  for (int k = 0; k < items; ++k)
    b.expect(k, true_filter(Kalman::Order::predict_first, constant_model(m.f, m.q, m.h, r),
                            Dense(N, 1), eye(N), z[std::size_t(k)]));
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

enum class Plant { none, negative_noise, nan_start, infinite_observation };

/// Where an observation is missing, H and R hold `junk`. The units of item k are 2^(k - 13).
FilterBatch<double, 3, 2> run(Plant plant, double junk = 1, bool units = false) {
  constexpr int N = 3, M = 2, items = 27, steps = 15;
  Random random(61);
  RandomModel<double> const m(random, N, M);
  auto const planted = [&](std::size_t k, Plant what) {
    return plant == what && (k == 0 || k == items / 2 || k == items - 1);
  };
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k) {
    if (units && k > 0) z.push_back(z[0]);
    else
      z.push_back(random_series<double>(random, steps, M,
                                        [&](int t, int) { return t > 2 && random(0, 1) < 0.3; }));
  }
  auto const exponent = [&](std::size_t k) { return units && k > 0 ? int(k) - 13 : 0; };
  for (std::size_t k = 0; k < items; ++k) {
    if (planted(k, Plant::infinite_observation))
      z[k][2](0) = std::numeric_limits<long double>::infinity();
    for (auto& one : z[k])
      for (int i = 0; i < M; ++i) one(i) = std::ldexp(one(i), exponent(k));
  }
  FilterBatch<double, N, M> b(z, items, steps);
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), m.f);
  Kokkos::View<double* [N][N], Space> Q("Q", items), P("P", items);
  Kokkos::View<double* [N], Space> X("x", items);
  Kokkos::View<double** [M][N], Space> H("H", items, steps);
  Kokkos::View<double** [M][M], Space> R("R", items, steps);
  auto const unit = [&](std::size_t k) { return std::ldexp(1.0, 2 * exponent(k)); };
  auto const missing = [&](std::size_t k, std::size_t t, int i) { return std::isnan(z[k][t](i)); };
  fill(H, [&](auto const& h) {
    for (std::size_t k = 0; k < items; ++k)
      for (std::size_t t = 0; t < steps; ++t)
        for (int i = 0; i < M; ++i)
          for (int j = 0; j < N; ++j) h(k, t, i, j) = missing(k, t, i) ? junk : double(m.h(i, j));
  });
  fill(R, [&](auto const& h) {
    for (std::size_t k = 0; k < items; ++k)
      for (std::size_t t = 0; t < steps; ++t)
        for (int i = 0; i < M; ++i)
          for (int j = 0; j < M; ++j)
            h(k, t, i, j) =
                missing(k, t, i) || missing(k, t, j)
                    ? junk
                    : (planted(k, Plant::negative_noise) ? -1000 : unit(k)) * double(m.r(i, j));
  });
  fill(Q, [&](auto const& h) {
    for (std::size_t k = 0; k < items; ++k)
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) h(k, i, j) = unit(k) * double(m.q(i, j));
  });
  fill(P, [&](auto const& h) {
    for (std::size_t k = 0; k < items; ++k)
      for (int i = 0; i < N; ++i)
        h(k, i, i) =
            planted(k, Plant::nan_start) ? std::numeric_limits<double>::quiet_NaN() : unit(k);
  });
  Kalman::filter(steps, Kalman::model(common(F), in(Q), each(H), each(R)), Kalman::start(X, P), b.z,
                 b.results(), Kalman::information());
  Kokkos::fence();
  return b;
}
void expect_same(FilterBatch<double, 3, 2> const& a, FilterBatch<double, 3, 2> const& b,
                 std::size_t k) {
  EXPECT_EQ(on_host(a.st)(k), 0) << k;
  EXPECT_TRUE(std::isfinite(on_host(a.ll)(k))) << k;
  EXPECT_TRUE(same_bits(on_host(a.ll)(k), on_host(b.ll)(k))) << k;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(same_bits(on_host(a.lm)(k, i), on_host(b.lm)(k, i))) << k;
    for (int j = 0; j < 3; ++j)
      EXPECT_TRUE(same_bits(on_host(a.lc)(k, i, j), on_host(b.lc)(k, i, j))) << k;
  }
}
TEST(KalmanInformation, NothingIsReadOfWhatIsMissing) {
  auto const want = run(Plant::none);
  for (double junk : {std::numeric_limits<double>::quiet_NaN(), 1e300}) {
    auto const got = run(Plant::none, junk);
    for (std::size_t k = 0; k < 27; ++k) expect_same(got, want, k);
  }
}
TEST(KalmanInformation, FailuresAndTheirNeighbours) {
  auto const clean = run(Plant::none);
  auto const failures = [&](Plant plant, Reason reason, int info) {
    auto const got = run(plant);
    for (std::size_t k = 0; k < 27; ++k) {
      if (k == 0 || k == 13 || k == 26) {
        EXPECT_EQ(Status::reason(on_host(got.st)(k)), reason) << k;
        EXPECT_EQ(Status::info(on_host(got.st)(k)), info) << k;
        EXPECT_FALSE(std::isfinite(on_host(got.ll)(k))) << k;
      } else {
        expect_same(got, clean, k);
      }
    }
  };
  failures(Plant::negative_noise, Reason::not_positive_definite, 1);
  failures(Plant::nan_start, Reason::not_finite, 1);
  failures(Plant::infinite_observation, Reason::not_finite, 0);
}
/// Variances multiplied by 4^k and observations by 2^k give means multiplied by 2^k, bit for bit.
TEST(KalmanInformation, EveryUnit) {
  auto const b = run(Plant::none, 1, true);
  for (std::size_t k = 1; k < 27; ++k) {
    int const e = int(k) - 13;
    EXPECT_EQ(on_host(b.st)(k), 0);
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(same_bits(std::ldexp(on_host(b.lm)(0, i), e), on_host(b.lm)(k, i))) << e;
      for (int j = 0; j < 3; ++j)
        EXPECT_TRUE(same_bits(std::ldexp(on_host(b.lc)(0, i, j), 2 * e), on_host(b.lc)(k, i, j)));
    }
  }
}

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
