// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The filter that takes entries one by one, by subtraction and in Joseph's form, against filters in
// long double.
#include "Batch.hpp"

namespace Batchwork::Test {
namespace {

template <class T, int N, int M, Kalman::Order O, class Promise, class Form>
void plain(int items, int steps, Promise const& promise, Form const& form) {
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
                   form);
  else
    Kalman::filter(steps, model, Kalman::predicted(common(X), common(P)), b.z, b.results(), promise,
                   form);
  Kokkos::fence();
  for (int k = 0; k < items; ++k)
    b.expect(k, true_filter(O, m.truth(), Dense(N, 1), eye(N), z[std::size_t(k)]));
}
template <class Form>
void is_the_filter(Form const& form) {
  using enum Kalman::Order;
  plain<double, 4, 2, predict_first>(19, 30, Kalman::MayBeMissing(), form);
  plain<float, 3, 2, update_first>(21, 30, Kalman::MayBeMissing(), form);
  plain<double, 2, 3, update_first>(9, 20, Kalman::complete(), form);
  plain<float, 1, 1, predict_first>(17, 20, Kalman::MayBeMissing(), form);
}
TEST(KalmanSequential, IsTheFilter) { is_the_filter(Kalman::sequential()); }
TEST(KalmanJoseph, IsTheFilter) { is_the_filter(Kalman::joseph()); }

/// R is a diagonal operand, with more entries than states.
TEST(KalmanSequential, DiagonalNoise) {
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
                 Kalman::start(common(X), common(P)), b.z, b.results(), Kalman::sequential());
  Kokkos::fence();
  for (int k = 0; k < items; ++k)
    b.expect(k, true_filter(Kalman::Order::predict_first, constant_model(m.f, m.q, m.h, r),
                            Dense(N, 1), eye(N), z[std::size_t(k)]));
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
                 Kalman::diffuse(), b.z, b.results(), Kalman::joseph());
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
TEST(KalmanJoseph, DiffuseStart) {
  diffuse<double, 4, 2>(15);
  diffuse<float, 2, 1>(15);
}

/// P0 / R = 1e12 in float.
struct LargeStart {
  FilterBatch<float, 3, 3> b;
  std::vector<TrueFilter> want;
};
template <class Form>
LargeStart large_start(Dense const& h, Form const& form) {
  constexpr int N = 3, items = 9, steps = 30;
  Random random(93);
  RandomModel<float> const m(random, N, N);
  Dense const p = (long double)(1e12f) * eye(N);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<float>(random, steps, N,
                                     [&](int t, int) { return t > 2 && random(0, 1) < 0.2; }));
  FilterBatch<float, N, N> b(z, items, steps);
  auto const F = filled(Kokkos::View<float[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<float[N][N], Space>("Q"), m.q),
             P = filled(Kokkos::View<float[N][N], Space>("P"), p),
             H = filled(Kokkos::View<float[N][N], Space>("H"), h),
             R = filled(Kokkos::View<float[N][N], Space>("R"), eye(N));
  Kokkos::View<float[N], Space> X("x");
  Kalman::filter(steps, Kalman::model(common(F), common(Q), common(H), common(R)),
                 Kalman::predicted(common(X), common(P)), b.z, b.results(), form);
  Kokkos::fence();
  std::vector<TrueFilter> want;
  for (auto const& series : z)
    want.push_back(true_square_root_filter(
        Kalman::Order::update_first, constant_model(m.f, m.q, h, eye(N)), Dense(N, 1), p, series));
  return {b, want};
}
/// The largest relative error of a variance.
double error_of(LargeStart const& run) {
  auto const fc = on_host(run.b.fc);
  long double worst = 0;
  for (std::size_t k = 0; k < fc.extent(0); ++k)
    for (std::size_t t = 0; t < fc.extent(1); ++t)
      for (int i = 0; i < 3; ++i) {
        long double const v = run.want[k].filtered_covariance[t](i, i);
        worst = std::max(worst, std::fabs(fc(k, t, i, i) - v) / v);
      }
  return double(worst);
}
/// If every state is observed directly, Joseph's form has all digits, and P - y' y none.
TEST(KalmanJoseph, KeepsDigitsOfStatesThatAreObservedDirectly) {
  auto const joseph = large_start(eye(3), Kalman::joseph()),
             covariance = large_start(eye(3), Kalman::covariance());
  EXPECT_LE(error_of(joseph), 60 * epsilon<float>);
  EXPECT_GE(error_of(covariance), 0.5);
  for (std::size_t k = 0; k < 9; ++k) {
    EXPECT_EQ(on_host(joseph.b.st)(k), 0);
    EXPECT_EQ(Status::reason(on_host(covariance.b.st)(k)), Reason::inaccurate);
    EXPECT_NEAR(on_host(joseph.b.ll)(k), double(joseph.want[k].log_likelihood),
                1e-5 * double(joseph.want[k].absolute));
  }
}
/// If observations are sums of states, variances become differences, in Joseph's form as well.
TEST(KalmanJoseph, ReportsDigitsThatAreLost) {
  Dense h = eye(3);
  h(0, 1) = h(1, 2) = h(2, 0) = 1;
  auto const joseph = large_start(h, Kalman::joseph());
  EXPECT_GE(error_of(joseph), 0.5);
  for (std::size_t k = 0; k < 9; ++k)
    EXPECT_EQ(Status::reason(on_host(joseph.b.st)(k)), Reason::inaccurate) << k;
  auto const root = large_start(h, Kalman::square_root());
  EXPECT_LE(error_of(root), 1e-4);
}

enum class Plant { none, negative_noise, nan_start, infinite_observation };

/// Where an observation is missing, H and R hold `junk`. The units of item k are 2^(k - 13).
template <class Form>
FilterBatch<double, 3, 2> run(Form const& form, Plant plant, double junk = 1, bool units = false) {
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
                 b.results(), form);
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
template <class Form>
void nothing_is_read_of_what_is_missing(Form const& form) {
  auto const want = run(form, Plant::none);
  for (double junk : {std::numeric_limits<double>::quiet_NaN(), 1e300}) {
    auto const got = run(form, Plant::none, junk);
    for (std::size_t k = 0; k < 27; ++k) expect_same(got, want, k);
  }
}
template <class Form>
void failures_and_their_neighbours(Form const& form) {
  auto const clean = run(form, Plant::none);
  auto const failures = [&](Plant plant, Reason reason, int info) {
    auto const got = run(form, plant);
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
template <class Form>
void every_unit(Form const& form) {
  auto const b = run(form, Plant::none, 1, true);
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

TEST(KalmanSequential, NothingIsReadOfWhatIsMissing) {
  nothing_is_read_of_what_is_missing(Kalman::sequential());
}
TEST(KalmanSequential, FailuresAndTheirNeighbours) {
  failures_and_their_neighbours(Kalman::sequential());
}
TEST(KalmanSequential, EveryUnit) { every_unit(Kalman::sequential()); }
TEST(KalmanJoseph, NothingIsReadOfWhatIsMissing) {
  nothing_is_read_of_what_is_missing(Kalman::joseph());
}
TEST(KalmanJoseph, FailuresAndTheirNeighbours) { failures_and_their_neighbours(Kalman::joseph()); }
TEST(KalmanJoseph, EveryUnit) { every_unit(Kalman::joseph()); }

}  // namespace
}  // namespace Batchwork::Test
