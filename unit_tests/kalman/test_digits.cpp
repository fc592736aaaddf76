// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A series whose covariance has lost its digits must report this, and a series that does not report
// it must be accurate. Starts with variances of 1 to 1e18 times the noise, diffuse directions that
// the first observations hardly determine, and every unit.
#include "Batch.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
Dense rounded(Dense const& x) {
  return make_dense(x.rows, x.cols, [&](int i, int j) { return static_cast<T>(x(i, j)); });
}
template <class T>
class KalmanDigitsIn : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(KalmanDigitsIn, Numbers);

Dense trend() {
  Dense f = eye(2);
  f(0, 1) = 1;
  return f;
}
Dense row(std::initializer_list<long double> entries) {
  return make_dense(1, int(entries.size()), [&](int, int j) { return entries.begin()[j]; });
}
Dense diagonal(std::initializer_list<long double> entries) {
  return make_dense(int(entries.size()), int(entries.size()),
                    [&](int i, int j) { return i == j ? entries.begin()[i] : 0.0L; });
}

// ---- plain starts -------------------------------------------------------------------------------

enum class Path { by_cholesky, one_by_one, gains };

/// R is diagonal and the covariance at the start of item k is 10^(k/2) times the identity.
template <class T, int N, int M>
struct LargeStarts {
  static constexpr int items = 37, steps = 20;
  Dense f, q, h, r;
  std::vector<std::vector<Dense>> z;
  FilterBatch<T, N, M> b;
  Kokkos::View<T[N][N], Space> F = filled(Kokkos::View<T[N][N], Space>("F"), f),
                               Q = filled(Kokkos::View<T[N][N], Space>("Q"), q);
  Kokkos::View<T[M][N], Space> H = filled(Kokkos::View<T[M][N], Space>("H"), h);
  Kokkos::View<T[M][M], Space> R = filled(Kokkos::View<T[M][M], Space>("R"), r);
  Kokkos::View<T[N], Space> X{"x"};
  Kokkos::View<T* [N][N], Space> P { "P", items };

  LargeStarts(Dense const& f_, Dense const& q_, Dense const& h_, Dense const& r_, Path path)
      : f(rounded<T>(f_)),
        q(rounded<T>(q_)),
        h(rounded<T>(h_)),
        r(rounded<T>(r_)),
        z(series(path)),
        b(z, items, steps) {
    fill(P, [&](auto const& v) {
      for (int k = 0; k < items; ++k)
        for (int i = 0; i < N; ++i) v(k, i, i) = variance(k);
    });
  }
  static T variance(int k) { return T(std::pow(10.0, 0.5 * k)); }
  static std::vector<std::vector<Dense>> series(Path path) {
    Random random(81);
    std::vector<std::vector<Dense>> z;
    for (int k = 0; k < items; ++k)
      z.push_back(random_series<T>(random, steps, M, [&](int t, int) {
        return path != Path::gains && t > 0 && random(0, 1) < 0.1 * (k % 3);
      }));
    return z;
  }
  /// Compares each item with the reference. An item must be accurate to its remaining digits or be
  /// marked, and it must be marked only if it has none left.
  void check(Path path) {
    auto const model = Kalman::model(common(F), common(Q), common(H), common(R));
    if (path == Path::one_by_one) {
      // No direction is diffuse.
      Kokkos::View<T[N][1], Space> A("A");
      Kalman::filter(steps, model, Kalman::diffuse(common(X), P, common(A)), b.z, b.results());
    } else if (path == Path::by_cholesky) {
      Kalman::filter(steps, model, Kalman::predicted(common(X), P), b.z, b.results());
    }
    int marked = 0;
    for (int k = 0; k < items; ++k) {
      auto const s = std::size_t(k);
      auto const truth =
          true_square_root_filter(Kalman::Order::update_first, constant_model(f, q, h, r),
                                  Dense(N, 1), variance(k) * eye(N), z[s]);
      if (path == Path::gains) {
        FilterBatch<T, N, M> one({z[s]}, 1, steps);
        auto const P0 = filled(Kokkos::View<T[N][N], Space>("P0"), variance(k) * eye(N));
        Kalman::Gains<T, N, M> gains(steps);
        Kalman::filter(steps, model, Kalman::predicted(common(X), common(P0)), one.z, one.results(),
                       Kalman::complete(gains));
        Kokkos::fence();
        marked += judge(one, 0, truth);
      } else {
        Kokkos::fence();
        marked += judge(b, s, truth);
      }
    }
    EXPECT_GT(marked, 2);
    EXPECT_LT(marked, items - (sizeof(T) == 4 ? 5 : 20));
  }
  bool judge(FilterBatch<T, N, M> const& got, std::size_t k, TrueFilter const& truth) const {
    // The largest variance of an observation relative to its noise.
    long double ratio = 1;
    for (auto const& p : truth.predicted_covariance)
      for (int j = 0; j < M; ++j) {
        Dense const hj = rows_of(h, {j});
        ratio = std::max(ratio, 1 + (hj * p * transpose(hj))(0) / r(j, j));
      }
    long double const lost = 4 * epsilon<T> * ratio;
    int const code = on_host(got.st)(k);
    if (code != 0) {
      EXPECT_EQ(Status::reason(code), Reason::inaccurate) << ratio;
      EXPECT_GE(Status::info(code), 1);
      EXPECT_LE(Status::info(code), M);
      EXPECT_GT(lost, 0.5L / N) << ratio;
      return true;
    }
    EXPECT_LT(lost, 2 * N) << ratio;
    auto const fm = on_host(got.fm);
    auto const fc = on_host(got.fc);
    for (std::size_t t = 0; t < steps; ++t)
      for (int i = 0; i < N; ++i) {
        // The digits that remain after the first steps, and the rounding errors of all steps.
        long double const p = truth.filtered_covariance[t](i, i),
                          tol = (4 * ratio + 40 * N) * epsilon<T>;
        EXPECT_LE(std::fabs(fc(k, t, i, i) - p), tol * p) << t << " " << i << " " << ratio;
        EXPECT_LE(std::fabs(fm(k, t, i) - truth.filtered_mean[t](i)), 4 * tol * std::sqrt(p))
            << t << " " << i << " " << ratio;
      }
    EXPECT_LE(std::fabs(on_host(got.ll)(k) - truth.log_likelihood),
              epsilon<T> * (16 * ratio + 40 * N * truth.absolute))
        << ratio;
    return false;
  }
};
template <class T, int N, int M>
void large_starts(Dense const& f, Dense const& q, Dense const& h, Dense const& r) {
  for (Path path : {Path::by_cholesky, Path::one_by_one, Path::gains}) {
    SCOPED_TRACE(int(path));
    LargeStarts<T, N, M>(f, q, h, r, path).check(path);
  }
}
TYPED_TEST(KalmanDigitsIn, LargeStartOfALevel) {
  large_starts<TypeParam, 1, 1>(eye(1), 0.1L * eye(1), eye(1), eye(1));
}
TYPED_TEST(KalmanDigitsIn, LargeStartOfATrend) {
  large_starts<TypeParam, 2, 1>(trend(), diagonal({0.5, 0.0625}), row({1, 0}), 4 * eye(1));
  large_starts<TypeParam, 2, 1>(trend(), Dense(2, 2), row({1, 0}), 4 * eye(1));
}
TYPED_TEST(KalmanDigitsIn, LargeStartSeenByTwo) {
  large_starts<TypeParam, 2, 2>(trend(), diagonal({0.5, 0.0625}), eye(2), diagonal({1, 9}));
  Random random(9);
  RandomModel<TypeParam> const m(random, 4, 2);
  large_starts<TypeParam, 4, 2>(m.f, m.q, m.h, eye(2));
}

/// The status names the entry whose noise is lost. A missing entry is not considered.
TEST(KalmanDigits, EntryThatIsTooPrecise) {
  constexpr int N = 2, M = 2, items = 11;
  double const nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k) {
    Dense one(M, 1, 1);
    if (k % 3 == 1) one(1) = nan;
    z.push_back({one});
  }
  FilterBatch<double, N, M> b(z, items, 1);
  auto const I = filled(Kokkos::View<double[N][N], Space>("I"), eye(N)),
             R = filled(Kokkos::View<double[M][M], Space>("R"), diagonal({1e10, 1e-10})),
             P = filled(Kokkos::View<double[N][N], Space>("P"), 1e10L * eye(N));
  Kokkos::View<double[N], Space> X("x");
  Kokkos::View<double[N][1], Space> A("A");
  auto const model = Kalman::model(common(I), common(I), common(I), common(R));
  for (bool one_by_one : {false, true}) {
    if (one_by_one)
      Kalman::filter(1, model, Kalman::diffuse(common(X), common(P), common(A)), b.z, b.results());
    else Kalman::filter(1, model, Kalman::predicted(common(X), common(P)), b.z, b.results());
    Kokkos::fence();
    for (int k = 0; k < items; ++k)
      EXPECT_EQ(on_host(b.st)(std::size_t(k)), k % 3 == 1 ? 0 : Status::code(Reason::inaccurate, 2))
          << k << one_by_one;
  }
}

/// Two sensors with the same observation. Without the lost noise their covariance is singular. A
/// failed factorisation is reported rather than lost digits, which would promise results.
TEST(KalmanDigits, FailedFactorsSayMore) {
  constexpr int N = 2, M = 2, items = 5;
  FilterBatch<double, N, M> b(
      std::vector<std::vector<Dense>>(items, std::vector<Dense>{Dense(M, 1, 1)}), items, 1);
  Dense h(M, N);
  h(0, 0) = h(1, 0) = 1;
  auto const I = filled(Kokkos::View<double[N][N], Space>("I"), eye(N)),
             H = filled(Kokkos::View<double[M][N], Space>("H"), h),
             P = filled(Kokkos::View<double[N][N], Space>("P"), 1e17L * eye(N));
  Kokkos::View<double[N], Space> X("x");
  Kalman::filter(1, Kalman::model(common(I), common(I), common(H), common(I)),
                 Kalman::predicted(common(X), common(P)), b.z, b.results());
  Kokkos::fence();
  for (int k = 0; k < items; ++k)
    EXPECT_EQ(on_host(b.st)(std::size_t(k)), Status::code(Reason::not_positive_definite, 2));
}

/// A moving average, observed without noise. After each observation the states are known exactly,
/// and variances of zero are correct.
template <class T>
void exact_observations(bool one_by_one) {
  constexpr int N = 2, items = 19, steps = 60;
  T const theta(0.5);
  Random random(83);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, 1, [](int, int) { return false; }));
  FilterBatch<T, N, 1> b(z, items, steps);
  Dense f(2, 2), q(2, 2);
  f(0, 1) = 1;
  q(0, 0) = 1;
  q(0, 1) = q(1, 0) = theta;
  q(1, 1) = theta * theta;
  Dense p0 = q;
  p0(0, 0) = 1 + theta * theta;
  Dense const h = row({1, 0});
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), q),
             P = filled(Kokkos::View<T[N][N], Space>("P"), p0);
  auto const H = filled(Kokkos::View<T[1][N], Space>("H"), h);
  Kokkos::View<T[N], Space> X("x");
  Kokkos::View<T[N][1], Space> A("A");
  auto const model = Kalman::model(common(F), common(Q), common(H), common(fixed(T(0))));
  if (one_by_one)
    Kalman::filter(steps, model, Kalman::diffuse(common(X), common(P), common(A)), b.z,
                   b.results());
  else Kalman::filter(steps, model, Kalman::predicted(common(X), common(P)), b.z, b.results());
  Kokkos::fence();
  for (int k = 0; k < items; ++k)
    b.expect(k, true_filter(Kalman::Order::update_first, constant_model(f, q, h, Dense(1, 1)),
                            Dense(2, 1), p0, z[std::size_t(k)]));
}
TYPED_TEST(KalmanDigitsIn, ExactObservationsAreNotMarked) {
  exact_observations<TypeParam>(false);
  exact_observations<TypeParam>(true);
}

/// Marked items must not change the others: these are bitwise the same.
TEST(KalmanDigits, NeighboursMakeNoDifference) {
  constexpr int N = 3, M = 2, items = 27, steps = 15;
  Random random(85);
  RandomModel<double> const m(random, N, M);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(
        random_series<double>(random, steps, M, [&](int, int) { return random(0, 1) < 0.2; }));
  auto const run = [&](double large) {
    FilterBatch<double, N, M> b(z, items, steps);
    auto const F = filled(Kokkos::View<double[N][N], Space>("F"), m.f),
               Q = filled(Kokkos::View<double[N][N], Space>("Q"), m.q);
    auto const H = filled(Kokkos::View<double[M][N], Space>("H"), m.h);
    auto const R = filled(Kokkos::View<double[M][M], Space>("R"), m.r);
    Kokkos::View<double[N], Space> X("x");
    Kokkos::View<double* [N][N], Space> P("P", items);
    fill(P, [&](auto const& h) {
      for (int k = 0; k < items; ++k)
        for (int i = 0; i < N; ++i) h(k, i, i) = k % 13 == 0 ? large : 1.0;
    });
    Kalman::filter(steps, Kalman::model(common(F), common(Q), common(H), common(R)),
                   Kalman::start(common(X), P), b.z, b.results());
    Kokkos::fence();
    return b;
  };
  auto const a = run(1.0), b = run(1e20);
  for (std::size_t k = 0; k < items; ++k) {
    EXPECT_EQ(on_host(a.st)(k), 0);
    if (k % 13 == 0) {
      EXPECT_EQ(Status::reason(on_host(b.st)(k)), Reason::inaccurate) << k;
      continue;
    }
    EXPECT_EQ(on_host(b.st)(k), 0) << k;
    EXPECT_TRUE(same_bits(on_host(a.ll)(k), on_host(b.ll)(k))) << k;
    for (int i = 0; i < N; ++i) {
      EXPECT_TRUE(same_bits(on_host(a.lm)(k, i), on_host(b.lm)(k, i))) << k;
      for (int j = 0; j < N; ++j)
        EXPECT_TRUE(same_bits(on_host(a.lc)(k, i, j), on_host(b.lc)(k, i, j))) << k;
    }
  }
}

// ---- diffuse starts -----------------------------------------------------------------------------

/// Two states. The first `repeat` observations are e x1 + x2, and the last two are x1. Before the
/// last two, x1 has a variance of 1 / e^4. Item k has e = 10^-(1 + k/4).
template <class T>
void hardly_shown(int repeat) {
  constexpr int N = 2, M = 2, items = 29;
  int const steps = repeat + 2;
  double const nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Dense> series;
  for (int t = 0; t < steps; ++t) {
    Dense one(M, 1, nan);
    one(t < repeat ? 0 : 1) = t < repeat ? 1 : 0;
    series.push_back(one);
  }
  FilterBatch<T, N, M> b(std::vector<std::vector<Dense>>(items, series), items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), trend());
  Kokkos::View<T[N][N], Space> Q("Q");
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), eye(2));
  Kokkos::View<T* [M][N], Space> H("H", items);
  auto const e = [](int k) { return T(std::pow(10.0, -1 - 0.25 * k)); };
  fill(H, [&](auto const& h) {
    for (int k = 0; k < items; ++k) {
      h(k, 0, 0) = e(k);
      h(k, 0, 1) = h(k, 1, 0) = 1;
    }
  });
  Kalman::filter(steps, Kalman::model(common(F), common(Q), in(H), common(R)), Kalman::diffuse(),
                 b.z, b.results());
  Kokkos::fence();
  auto const pm = on_host(b.pm);
  auto const lm = on_host(b.lm);
  auto const pc = on_host(b.pc);
  auto const lc = on_host(b.lc);
  int marked = 0;
  for (int k = 0; k < items; ++k) {
    auto const s = std::size_t(k);
    int const code = on_host(b.st)(s);
    if (code != 0) {
      ++marked;
      EXPECT_EQ(Status::reason(code), Reason::inaccurate) << e(k);
      continue;
    }
    Dense h = make_dense(2, 2, [&](int i, int j) { return i + j == 1 ? 1 : 0; });
    h(0, 0) = e(k);
    auto const model = constant_model(trend(), Dense(2, 2), h, eye(2));
    // The digits of P / R, and the part that an e that counts as zero omits.
    auto const before = std::size_t(repeat);
    long double const ratio = std::fabs((long double)pc(s, before, 0, 0)) + 10,
                      tol = 4 * epsilon<T> * ratio + (ratio < 100 ? 2 * e(k) * e(k) : 0.0L);
    EXPECT_LT(tol, 4) << e(k);
    for (int t = repeat + 1; t <= steps; ++t) {
      auto const want = least_squares(model, Dense(2, 1), Dense(2, 2), eye(2),
                                      std::vector<Dense>(series.begin(), series.begin() + t));
      auto const u = std::size_t(t);
      EXPECT_TRUE(
          near([&](int i, int) { return t < steps ? pm(s, u, i) : lm(s, i); }, want.mean, tol * 4))
          << e(k) << " " << t;
      EXPECT_TRUE(near([&](int i, int j) { return t < steps ? pc(s, u, i, j) : lc(s, i, j); },
                       want.covariance, tol * 4))
          << e(k) << " " << t;
      if (t == steps) {
        EXPECT_NEAR(double(on_host(b.ll)(s)), double(want.log_likelihood), double(tol * 4));
      }
    }
  }
  // Over several orders of magnitude.
  EXPECT_GE(marked, 3);
  EXPECT_LE(marked, 18);
}
TYPED_TEST(KalmanDigitsIn, DiffuseDirectionThatIsHardlyShown) {
  hardly_shown<TypeParam>(2);
  hardly_shown<TypeParam>(6);
}

/// The second of two observations, x1 + x2 and x1 + (1 + d) x2, leaves variances of 2 / d^2. The
/// next first state, x1 + x2, would have lost its digits.
TYPED_TEST(KalmanDigitsIn, DiffuseDirectionThatLeavesLargeVariances) {
  using T = TypeParam;
  constexpr int N = 2, items = 23, steps = 2;
  auto const d = [](int k) { return T(std::pow(10.0, -0.5 * k)); };
  Random random(89);
  auto const z = std::vector<std::vector<Dense>>(
      items, random_series<T>(random, steps, 1, [](int, int) { return false; }));
  FilterBatch<T, N, 1> b(z, items, steps);
  Kokkos::View<T[steps][N][N], Space> F("F");
  Kokkos::View<T[N][N], Space> Q("Q");
  Kokkos::View<T** [1][N], Space> H("H", items, steps);
  fill(F,
       [](auto const& f) { f(0, 0, 0) = f(0, 1, 1) = f(1, 0, 0) = f(1, 0, 1) = f(1, 1, 1) = 1; });
  fill(H, [&](auto const& h) {
    for (int k = 0; k < items; ++k) {
      h(k, 0, 0, 0) = h(k, 0, 0, 1) = h(k, 1, 0, 0) = 1;
      h(k, 1, 0, 1) = 1 + d(k);
    }
  });
  Kalman::filter(steps, Kalman::model(common(each(F)), common(Q), each(H), common(fixed(T(1)))),
                 Kalman::diffuse(), b.z, b.results());
  Kokkos::fence();
  auto const lc = on_host(b.lc);
  int marked = 0;
  for (int k = 0; k < items; ++k) {
    auto const s = std::size_t(k);
    int const code = on_host(b.st)(s);
    T const width = T(1 + d(k)) - 1;
    // Directions as small as rounding errors count as known, and the other direction stays diffuse.
    if (!(width > 64 * epsilon<T>)) continue;
    long double const size = 2 / ((long double)width * width);
    if (code != 0) {
      ++marked;
      EXPECT_EQ(code, Status::code(Reason::inaccurate, 1)) << d(k);
      EXPECT_GT(4 * epsilon<T> * size, 0.5L) << d(k);
    } else {
      EXPECT_LT(4 * epsilon<T> * size, 2) << d(k);
      EXPECT_NEAR(double(lc(s, 0, 0)), 1, double(8 * epsilon<T> * (size + 4))) << d(k);
    }
  }
  EXPECT_GE(marked, 3);
}

/// Common gains, computed by the same steps.
TEST(KalmanDigits, DiffuseGains) {
  constexpr int items = 5, steps = 6;
  Kokkos::View<double**, Space> z("z", items, steps);
  auto const F = filled(Kokkos::View<double[2][2], Space>("F"), trend());
  Kokkos::View<double[2][2], Space> Q("Q");
  for (double e : {1e-2, 1e-4}) {
    Kokkos::View<double[6][2], Space> H("H");
    fill(H, [&](auto const& h) {
      for (int t = 0; t < 6; ++t) {
        h(t, 0) = t < 2 ? e : 1;
        h(t, 1) = t < 2 ? 1 : 0;
      }
    });
    auto const st = poisoned(Kokkos::View<int*, Space>("st", items));
    Kalman::Gains<double, 2, 1> gains(steps);
    Kalman::filter(steps, Kalman::model(common(F), common(Q), common(each(H)), common(fixed(1.0))),
                   Kalman::diffuse(), z, Kalman::results().status(st), Kalman::complete(gains));
    Kokkos::fence();
    for (std::size_t k = 0; k < items; ++k)
      EXPECT_EQ(on_host(st)(k), e < 1e-3 ? Status::code(Reason::inaccurate, 1) : 0)
          << k << " " << e;
  }
}

// ---- units --------------------------------------------------------------------------------------

/// Variances multiplied by 4^k and observations multiplied by 2^k give means multiplied by 2^k, for
/// all k for which they are normal numbers.
template <class T, int M>
void every_unit(bool diffuse) {
  constexpr int N = 2, steps = 8;
  using Limits = std::numeric_limits<T>;
  int const lowest = (Limits::min_exponent + 12) / 2, highest = (Limits::max_exponent - 12) / 2;
  int const items = highest - lowest + 1, middle = -lowest;
  Random random(87);
  auto const series = random_series<T>(random, steps, M, [&](int t, int i) { return t == 4 + i; });
  auto const times = [&](int k, long double x) { return T(std::ldexp(x, k)); };
  std::vector<std::vector<Dense>> z;
  for (int k = lowest; k <= highest; ++k) {
    z.push_back(series);
    for (auto& one : z.back())
      for (int i = 0; i < M; ++i)
        if (!std::isnan(one(i))) one(i) = times(k, one(i));
  }
  FilterBatch<T, N, M> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), trend());
  Dense const h = make_dense(M, N, [](int i, int j) { return i == j ? 1 : 0; });
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), h);
  Dense const q = rounded<T>(diagonal({0.1L, 0.2L}));
  Dense const r = make_dense(M, M, [](int i, int j) { return i == j ? 1.0L : 0.5L; });
  auto const sized = [&](auto const& view, Dense const& x) {
    fill(view, [&](auto const& v) {
      for (int n = 0; n < items; ++n)
        for (int i = 0; i < x.rows; ++i)
          for (int j = 0; j < x.cols; ++j) v(n, i, j) = times(2 * (lowest + n), x(i, j));
    });
    return view;
  };
  auto const n = std::size_t(items);
  auto const Q = sized(Kokkos::View<T* [N][N], Space>("Q", n), q),
             P = sized(Kokkos::View<T* [N][N], Space>("P", n), eye(2));
  auto const R = sized(Kokkos::View<T* [M][M], Space>("R", n), r);
  Kokkos::View<T[N], Space> X("x");
  auto const model = Kalman::model(common(F), in(Q), common(H), in(R));
  if (diffuse) Kalman::filter(steps, model, Kalman::diffuse(), b.z, b.results());
  else Kalman::filter(steps, model, Kalman::start(common(X), P), b.z, b.results());
  Kokkos::fence();
  auto const fm = on_host(b.fm);
  auto const fc = on_host(b.fc);
  auto const ll = on_host(b.ll);
  int regular = 0;
  for (int t = 0; t < steps; ++t) regular += int(observed_entries(series[std::size_t(t)]).size());
  if (diffuse) regular -= N;
  auto const m = std::size_t(middle);
  if (!diffuse) {
    auto const want = true_filter(Kalman::Order::predict_first, constant_model(trend(), q, h, r),
                                  Dense(N, 1), eye(N), series);
    EXPECT_NEAR(double(ll(m)), double(want.log_likelihood),
                double(tolerance<T>(20 * N, want.absolute, want.condition)));
  }
  for (std::size_t k = 0; k < n; ++k) {
    int const e = lowest + int(k);
    EXPECT_EQ(on_host(b.st)(k), 0) << e;
    int const last = steps - 1;
    for (int i = 0; i < N; ++i) {
      long double const mean = fm(m, last, i), variance = fc(m, last, i, i);
      EXPECT_NEAR(double(std::ldexp((long double)fm(k, last, i), -e)), double(mean),
                  double(tolerance<T>(4 * N, 1 + std::fabs(mean))))
          << e;
      EXPECT_NEAR(double(std::ldexp((long double)fc(k, last, i, i), -2 * e)), double(variance),
                  double(tolerance<T>(4 * N, variance)))
          << e;
    }
    EXPECT_NEAR(double(ll(k)) + regular * e * std::log(2.0), double(ll(m)),
                double(tolerance<T>(4 * N, 20 + std::fabs(regular * e))))
        << e;
  }
}
TYPED_TEST(KalmanDigitsIn, EveryUnitWithOneObservation) { every_unit<TypeParam, 1>(false); }
TYPED_TEST(KalmanDigitsIn, EveryUnitWithTwoObservations) { every_unit<TypeParam, 2>(false); }
TYPED_TEST(KalmanDigitsIn, EveryUnitOfADiffuseStart) {
  every_unit<TypeParam, 1>(true);
  every_unit<TypeParam, 2>(true);
}

}  // namespace
}  // namespace Batchwork::Test
