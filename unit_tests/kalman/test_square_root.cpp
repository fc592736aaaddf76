// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The square-root form of the filter, against filters in long double.
#include "FormCase.hpp"
#include "FormTruth.hpp"

namespace Batchwork::Test {
namespace {

TEST(KalmanSquareRoot, AgainstTheCovarianceForm) {
  using enum Kalman::Order;
  auto const form = Kalman::square_root();
  Kalman::MayBeMissing const promise;
  known_start<double, 4, 2, predict_first, Kokkos::LayoutRight>(19, 30, promise, form);
  known_start<float, 3, 2, update_first, Kokkos::LayoutLeft>(21, 30, promise, form);
  known_start<float, 1, 1, predict_first, Kokkos::LayoutRight>(17, 20, promise, form);
}

/// Q is diagonal, and all else fixed: Q and P0 become factors in the first step.
TEST(KalmanSquareRoot, DiagonalNoiseAndFixedMatrices) {
  constexpr int N = 2, items = 9, steps = 12;
  Dense f = eye(N), q(N, N), h(1, N);
  f(0, 1) = 0.5;
  q(0, 0) = 0.25;
  q(1, 1) = 4;
  h(0, 0) = 1;
  auto const fixed_matrix = [](Dense const& x) {
    return common(fixed(generate<2, 2>([&](int i, int j) { return double(x(i, j)); })));
  };
  auto const row = generate<1, 2>([](int, int j) { return j == 0 ? 1.0 : 0.0; });
  Vector<double, N> zero;
  zero.info = 0;
  zero.a[0] = zero.a[1] = 0;
  Kokkos::View<double[N], Space> D("D");
  fill(D, [&](auto const& v) {
    for (int i = 0; i < N; ++i) v(i) = double(q(i, i));
  });
  Random random(103);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<double>(random, steps, 1, [](int t, int) { return t == 3; }));
  FilterBatch<double, N, 1> b(z, items, steps);
  auto const expect = [&] {
    Kokkos::fence();
    for (int k = 0; k < items; ++k)
      b.expect(k, true_filter(Kalman::Order::predict_first, constant_model(f, q, h, eye(1)),
                              Dense(N, 1), eye(N), z[std::size_t(k)]));
  };
  auto const start = Kalman::start(common(fixed(zero)), common(fixed(identity<double, N>())));
  auto const r = common(fixed(1.0));
  Kalman::filter(steps, Kalman::model(fixed_matrix(f), fixed_matrix(q), common(fixed(row)), r),
                 start, b.z, b.results(), Kalman::square_root());
  expect();
  Kalman::filter(steps, Kalman::model(fixed_matrix(f), common(diagonal(D)), common(fixed(row)), r),
                 start, b.z, b.results(), Kalman::square_root());
  expect();
}

// ---- digits -------------------------------------------------------------------------------------

/// Level, slope and eleven seasonal states (Durbin and Koopman 2012, section 3.2), with P0 / R =
/// 1e12 in float.
constexpr int large_series = 17, large_steps = 60;
template <class Promise>
void large_start_of_thirteen_states_in_float(Promise const& promise, long double error = 1e-5L) {
  constexpr int N = 13, items = large_series, steps = large_steps;
  Dense f(N, N), q(N, N), h(1, N);
  f(0, 0) = f(0, 1) = f(1, 1) = 1;
  for (int j = 2; j < N; ++j) f(2, j) = -1;
  for (int i = 3; i < N; ++i) f(i, i - 1) = 1;
  q(0, 0) = 0.25;
  q(1, 1) = 0.015625;
  q(2, 2) = 0.125;
  h(0, 0) = h(0, 2) = 1;
  Dense const p = (long double)(1e12f) * eye(N);
  Random random(93);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<float>(random, steps, 1, [](int, int) { return false; }));
  FilterBatch<float, N, 1> b(z, items, steps);
  auto const F = filled(Kokkos::View<float[N][N], Space>("F"), f),
             Q = filled(Kokkos::View<float[N][N], Space>("Q"), q),
             P = filled(Kokkos::View<float[N][N], Space>("P"), p);
  auto const H = filled(Kokkos::View<float[1][N], Space>("H"), h);
  Kokkos::View<float[N], Space> X("x");
  Kalman::filter(steps, Kalman::model(common(F), common(Q), common(H), common(fixed(1.0f))),
                 Kalman::predicted(common(X), common(P)), b.z, b.results(), promise,
                 Kalman::square_root());
  Kokkos::fence();
  auto const fm = on_host(b.fm);
  auto const fc = on_host(b.fc);
  for (std::size_t k = 0; k < items; ++k) {
    EXPECT_EQ(on_host(b.st)(k), 0);
    auto const want = true_square_root_filter(
        Kalman::Order::update_first, constant_model(f, q, h, eye(1)), Dense(N, 1), p, z[k]);
    for (std::size_t t = 0; t < steps; ++t) {
      long double const largest = norm1(want.filtered_mean[t]);
      for (int i = 0; i < N; ++i) {
        long double const variance = want.filtered_covariance[t](i, i);
        EXPECT_LE(std::fabs(fm(k, t, i) - want.filtered_mean[t](i)), error * largest)
            << k << " " << t << " " << i;
        EXPECT_GT(fc(k, t, i, i), 0);
        EXPECT_LE(std::fabs(fc(k, t, i, i) - variance), error * variance) << t << " " << i;
      }
    }
    EXPECT_LE(std::fabs(on_host(b.ll)(k) - want.log_likelihood), error * want.absolute);
  }
}
TEST(KalmanSquareRoot, LargeStartOfThirteenStatesInFloat) {
  large_start_of_thirteen_states_in_float(Kalman::MayBeMissing());
}
/// The blocks before all states are known lose as many digits as any form with factors of P0: half
/// of those by which it exceeds R.
TEST(KalmanSquareRoot, LargeStartInBlocksOfTime) {
  for (int blocks : {30, 12, 4, 2}) {
    SCOPED_TRACE(blocks);
    Kalman::TimeBlocks<float, 13> const cut(Space(), large_series, large_steps, blocks);
    ASSERT_GT(cut.blocks(), 1);
    large_start_of_thirteen_states_in_float(Kalman::parallel_in_time(cut),
                                            cut.length() < 13 ? 1e6L * epsilon<float> : 1e-5L);
  }
}

/// Variances multiplied by 4^k and observations by 2^k give means multiplied by 2^k, bit for bit.
template <class T>
void every_unit() {
  constexpr int N = 2, M = 2, steps = 8;
  using Limits = std::numeric_limits<T>;
  int const lowest = (Limits::min_exponent + 14) / 2, highest = (Limits::max_exponent - 14) / 2;
  int const items = highest - lowest + 1;
  Random random(87);
  RandomModel<T> const m(random, N, M);
  auto const series = random_series<T>(random, steps, M, [&](int t, int i) { return t == 4 + i; });
  auto const times = [](int k, long double x) { return T(std::ldexp(x, k)); };
  std::vector<std::vector<Dense>> z;
  for (int k = lowest; k <= highest; ++k) {
    z.push_back(series);
    for (auto& one : z.back())
      for (int i = 0; i < M; ++i) one(i) = std::ldexp(one(i), k);
  }
  FilterBatch<T, N, M> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f);
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  auto const sized = [&](auto const& view, Dense const& x) {
    fill(view, [&](auto const& v) {
      for (int n = 0; n < items; ++n)
        for (int i = 0; i < x.rows; ++i)
          for (int j = 0; j < x.cols; ++j) v(n, i, j) = times(2 * (lowest + n), x(i, j));
    });
    return view;
  };
  auto const n = std::size_t(items);
  auto const Q = sized(Kokkos::View<T* [N][N], Space>("Q", n), m.q),
             P = sized(Kokkos::View<T* [N][N], Space>("P", n), eye(2));
  auto const R = sized(Kokkos::View<T* [M][M], Space>("R", n), m.r);
  Kokkos::View<T[N], Space> X("x");
  Kalman::filter(steps, Kalman::model(common(F), in(Q), common(H), in(R)),
                 Kalman::start(common(X), P), b.z, b.results(), Kalman::square_root());
  Kokkos::fence();
  auto const fm = on_host(b.fm);
  auto const fc = on_host(b.fc);
  std::size_t const one = std::size_t(-lowest), last = steps - 1;
  for (std::size_t k = 0; k < n; ++k) {
    int const e = lowest + int(k);
    EXPECT_EQ(on_host(b.st)(k), 0) << e;
    for (int i = 0; i < N; ++i) {
      EXPECT_TRUE(same_bits(T(std::ldexp(fm(one, last, i), e)), fm(k, last, i))) << e;
      for (int j = 0; j < N; ++j)
        EXPECT_TRUE(same_bits(T(std::ldexp(fc(one, last, i, j), 2 * e)), fc(k, last, i, j))) << e;
    }
  }
}
TEST(KalmanSquareRoot, EveryUnit) {
  every_unit<float>();
  every_unit<double>();
}

// ---- singular covariances -----------------------------------------------------------------------

}  // namespace
struct FactorOf {
  template <class L, class P>
  KOKKOS_FUNCTION void operator()(L& l, P const& p) const {
    l = Kalman::covariance_factor(p);
  }
};
namespace {

/// The matrices of covariances: their rank is 0 to N, and their units differ by 1e8.
template <class T, int N>
void factors() {
  constexpr int items = 4 * N + 5;
  Random random(95);
  std::vector<Dense> p;
  for (int k = 0; k < items; ++k) {
    Dense const g = random_dense<T>(random, N, N), units = random_dense<T>(random, N, 1);
    int const rank = k % (N + 1);
    Dense one(N, N);
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) {
        for (int c = 0; c < rank; ++c) one(i, j) += g(i, c) * g(j, c);
        one(i, j) *= std::pow(10.0L, 4 * (units(i) + units(j)));
        one(i, j) = T(one(i, j));
      }
    p.push_back(mirrored(one));
  }
  std::size_t const first = 0, middle = items / 2, last = items - 1;
  p[first] = -1.0L * eye(N);
  p[middle](1, 0) = p[middle](0, 1) =
      2 * (1 + std::sqrt(p[middle](0, 0) * p[middle](1, 1)));  // a correlation above one
  p[last](N - 1, 0) = p[last](0, N - 1) = std::numeric_limits<long double>::quiet_NaN();
  Kokkos::View<T* [N][N], Space> P("P", items);
  auto const L = poisoned(Kokkos::View<T* [N][N], Space>("L", items));
  auto const st = poisoned(Kokkos::View<int*, Space>("st", items));
  fill(P, [&](auto const& v) {
    for (std::size_t k = 0; k < items; ++k)
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) v(k, i, j) = T(p[k](i, j));
  });
  map(FactorOf{}, out(lower(L)), in(P), status(st));
  Kokkos::fence();
  auto const l = on_host(L);
  auto const codes = on_host(st);
  for (std::size_t k = 0; k < items; ++k) {
    if (k == first || k == middle || k == last) {
      EXPECT_EQ(Status::reason(codes(k)),
                k == last ? Reason::not_finite : Reason::not_positive_definite)
          << k;
      continue;
    }
    EXPECT_EQ(codes(k), 0) << k;
    for (int i = 0; i < N; ++i)
      for (int j = 0; j <= i; ++j) {
        long double sum = -p[k](i, j);
        for (int c = 0; c <= j; ++c) sum += (long double)l(k, i, c) * l(k, j, c);
        EXPECT_LE(std::fabs(sum), 4 * N * epsilon<T> * std::sqrt(p[k](i, i) * p[k](j, j)))
            << k << " " << i << " " << j;
      }
  }
}
TEST(KalmanSquareRoot, FactorsOfSingularCovariances) {
  factors<double, 4>();
  factors<float, 6>();
}
/// What a Cholesky factor without pivoting loses: the pivot of the second state is zero, but its
/// covariance with the third, 1e-8, is not.
TEST(KalmanSquareRoot, FactorKeepsACovarianceBesideAZeroPivot) {
  Kokkos::View<double* [3][3], Space> P("P", 1);
  auto const L = poisoned(Kokkos::View<double* [3][3], Space>("L", 1));
  fill(P, [](auto const& v) {
    for (int i = 0; i < 3; ++i) v(0, i, i) = 1;
    v(0, 1, 0) = v(0, 0, 1) = 1;
    v(0, 2, 1) = v(0, 1, 2) = 1e-8;
  });
  map(FactorOf{}, out(lower(L)), in(P));
  Kokkos::fence();
  auto const l = on_host(L);
  EXPECT_NEAR(l(0, 2, 0) * l(0, 1, 0) + l(0, 2, 1) * l(0, 1, 1), 1e-8, 1e-15);
}

/// White noise of an acceleration: Q of rank one and P0 zero.
constexpr int singular_series = 19, singular_steps = 25;
template <class Promise>
void singular_model(Promise const& promise, double r) {
  constexpr int N = 2, items = singular_series, steps = singular_steps;
  Dense f = eye(N), h(1, N);
  f(0, 1) = 0.5;
  h(0, 0) = h(0, 1) = 1;
  Dense const g = make_dense(N, 1, [](int i, int) { return i == 0 ? 0.125L : 0.5L; }),
              q = g * transpose(g);
  Random random(97);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<double>(random, steps, 1, [](int, int) { return false; }));
  FilterBatch<double, N, 1> b(z, items, steps);
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), f),
             Q = filled(Kokkos::View<double[N][N], Space>("Q"), q);
  auto const H = filled(Kokkos::View<double[1][N], Space>("H"), h);
  Kokkos::View<double[N][N], Space> P("P");
  Kokkos::View<double[N], Space> X("x");
  Kalman::filter(steps, Kalman::model(common(F), common(Q), common(H), common(fixed(r))),
                 Kalman::start(common(X), common(P)), b.z, b.results(), promise,
                 Kalman::square_root());
  Kokkos::fence();
  for (int k = 0; k < items; ++k)
    b.expect(k, true_filter(Kalman::Order::predict_first, constant_model(f, q, h, r * eye(1)),
                            Dense(N, 1), Dense(N, N), z[std::size_t(k)]));
}
TEST(KalmanSquareRoot, SingularModel) {
  // An observation without noise.
  singular_model(Kalman::complete(), 0);
  singular_model(Kalman::parallel_in_time(
                     Kalman::TimeBlocks<double, 2>(Space(), singular_series, singular_steps, 6)),
                 0.0625);
}

// ---- status -------------------------------------------------------------------------------------

/// All matrices vary with item and time.
PlantedResults run(Plant plant, double junk) {
  PlantedBatch const c(plant, junk, 15, 2, [](Random& random, std::size_t, int t, int) {
    return t > 3 && random(0, 1) < 0.2;
  });
  Kalman::filter(c.steps, c.varying_model(), Kalman::start(c.x, c.p()), c.b.z, c.b.results(),
                 Kalman::square_root());
  Kokkos::fence();
  if (plant == Plant::none)
    for (int k = 0; k < c.items; ++k)
      c.b.expect(k, true_filter(Kalman::Order::predict_first, c.m.truth(), Dense(c.N, 1), eye(c.N),
                                c.z[std::size_t(k)]));
  return c.b;
}
TEST(KalmanSquareRoot, NothingIsReadOfWhatIsMissing) { nothing_is_read_of_what_is_missing(run); }
TEST(KalmanSquareRoot, FailuresAndTheirNeighbours) {
  failures_and_their_neighbours(run);
  expect_failures(run(Plant::indefinite_transition, 1), run(Plant::none, 1),
                  Reason::not_positive_definite, 1, 1);
}

// ---- the blocks in a scan of the user
// -------------------------------------------------------------

}  // namespace
struct OwnSquareRootStep {
  template <class X, class L, class Z, class F, class G, class H, class R>
  KOKKOS_FUNCTION void operator()(X& x, L& l, Z const& z, F const& f, G const& g, H const& h,
                                  R const& r) const {
    Kalman::square_root_predict(x, l, f, g);
    Kalman::square_root_update(x, l, z, h, r);
  }
};
namespace {

/// With a noise of one column, G is N x 1.
TEST(KalmanSquareRoot, BlocksInAScan) {
  constexpr int N = 3, M = 2, items = 11, steps = 9;
  Random random(99);
  RandomModel<double> const m(random, N, M);
  Dense const g = random_dense<double>(random, N, 1);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<double>(random, steps, M, [](int, int) { return false; }));
  auto const Z = filled_series(Kokkos::View<double** [M], Space>("z", items, steps), z);
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), m.f);
  auto const G = filled(Kokkos::View<double[N][1], Space>("G"), g);
  auto const H = filled(Kokkos::View<double[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<double[M][M], Space>("R"), m.r);
  Kokkos::View<double* [N], Space> x("x", items);
  Kokkos::View<double* [N][N], Space> l("l", items);
  fill(l, [](auto const& v) {
    for (std::size_t k = 0; k < items; ++k)
      for (int i = 0; i < N; ++i) v(k, i, i) = 1;
  });
  scan(steps, OwnSquareRootStep{}, carry(x, x), carry(lower(l), lower(l)), each(Z), common(F),
       common(G), common(H), common(symmetric(R)));
  Kokkos::fence();
  auto const hx = on_host(x);
  auto const hl = on_host(l);
  for (std::size_t k = 0; k < items; ++k) {
    auto const want =
        true_filter(Kalman::Order::predict_first, constant_model(m.f, g * transpose(g), m.h, m.r),
                    Dense(N, 1), eye(N), z[k]);
    EXPECT_TRUE(near([&](int i, int) { return hx(k, i); }, want.last_mean,
                     tolerance<double>(20 * N, 4, want.condition)));
    EXPECT_TRUE(near(
        [&](int i, int j) {
          double sum = 0;
          for (int c = 0; c <= std::min(i, j); ++c) sum += hl(k, i, c) * hl(k, j, c);
          return sum;
        },
        want.last_covariance, tolerance<double>(20 * N, 2, want.condition)));
  }
}

/// R = g g' and Q = g g' of random g: rounding errors make a pivot negative, which counts as zero.
TEST(KalmanSquareRoot, RandomSingularNoise) {
  constexpr int N = 2, M = 2, items = 1000, steps = 3;
  Random random(2313);
  auto const rank_one = [&](char const* label) {
    Kokkos::View<double* [2][2], Space> x(label, items);
    fill(x, [&](auto const& v) {
      for (int k = 0; k < items; ++k) {
        double const g[2] = {random(0.1, 1), random(0.1, 1)};
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 2; ++j) v(k, i, j) = g[i] * g[j];
      }
    });
    return x;
  };
  auto const Q = rank_one("Q"), R = rank_one("R");
  Kokkos::View<double** [M], Space> z("z", items, steps);
  auto const st = poisoned(Kokkos::View<int*, Space>("status", items));
  auto const unit = common(fixed(generate<N, N>([](int i, int j) { return i == j ? 1.0 : 0.0; })));
  auto const zero = common(fixed(generate<N>([](int) { return 0.0; })));
  auto const all_succeed = [&](char const* what) {
    Kokkos::fence();
    auto const h = on_host(st);
    for (std::size_t k = 0; k < items; ++k) EXPECT_EQ(h(k), 0) << what << " " << k;
  };
  Kalman::filter(Space(), steps, Kalman::model(unit, in(Q), unit, in(R)), Kalman::start(zero, unit),
                 z, Kalman::results().status(st), Kalman::square_root());
  all_succeed("filter");
  Kokkos::View<double** [N], Space> mean("mean", items, steps);
  Kokkos::View<double** [N][N], Space> covariance("covariance", items, steps);
  Kalman::smooth(Space(), steps, Kalman::model(unit, in(Q), unit, unit), Kalman::start(zero, unit),
                 z,
                 Kalman::results().smoothed_mean(mean).smoothed_covariance(covariance).status(st),
                 Kalman::square_root());
  all_succeed("smoother");
}

}  // namespace
}  // namespace Batchwork::Test
