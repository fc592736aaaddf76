// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Series in blocks of time against long double filters without blocks.
#include "Batch.hpp"
#include "SmootherBatch.hpp"

namespace Batchwork::Test {
namespace {

template <class Number, class OfFilter>
struct Case {
  using T = Number;
  using Form = OfFilter;
};
template <class T>
class KalmanParallelInTime : public ::testing::Test {};
using Cases =
    ::testing::Types<Case<float, Kalman::CovarianceForm>, Case<double, Kalman::CovarianceForm>,
                     Case<float, Kalman::SquareRootForm>, Case<double, Kalman::SquareRootForm>>;
TYPED_TEST_SUITE(KalmanParallelInTime, Cases);

/// Nearly undamped motion with little noise: a state far in the past still matters.
struct Motion {
  Dense f = eye(4), q = Dense(4, 4), h = Dense(2, 4), r = eye(2);
  Motion() {
    f(0, 2) = f(1, 3) = 0.5;
    f(2, 2) = f(3, 3) = 0.984375;
    for (int i = 0; i < 4; ++i) q(i, i) = i < 2 ? 0.0009765625 : 0.001953125;
    h(0, 0) = h(1, 1) = 1;
    h(0, 3) = 0.25;
    r(0, 1) = r(1, 0) = 0.25;
  }
};
constexpr int N = 4, M = 2;

template <class T>
struct Matrices {
  Kokkos::View<T[N][N], Space> f, q;
  Kokkos::View<T[M][N], Space> h;
  Kokkos::View<T[M][M], Space> r;
  explicit Matrices(Motion const& m)
      : f(filled(decltype(f)("F"), m.f)),
        q(filled(decltype(q)("Q"), m.q)),
        h(filled(decltype(h)("H"), m.h)),
        r(filled(decltype(r)("R"), m.r)) {}
  auto model() const { return Kalman::model(common(f), common(q), common(h), common(r)); }
};

template <class T>
std::vector<std::vector<Dense>> series_with_gaps(int items, int steps, unsigned seed) {
  Random random(seed);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, M, [&](int, int) { return random(0, 1) < 0.125; }));
  return z;
}

/// Every number of steps and blocks: one group, several groups, blocks of one step, a rest.
template <class C, Kalman::Order O>
void all_cuts() {
  using T = typename C::T;
  Motion const m;
  Matrices<T> const matrices(m);
  for (auto const [items, steps, blocks] :
       {std::tuple{1, 64, 4}, {3, 67, 9}, {2, 50, 50}, {5, 45, 2}, {1, 61, 12}, {2, 1, 7}}) {
    SCOPED_TRACE(testing::Message() << items << " series, " << steps << " steps, " << blocks);
    FilterBatch<T, N, M> const batch(series_with_gaps<T>(items, steps, 7), items, steps);
    Dense const x0 = make_dense(N, 1, [](int i, int) { return 1.0L + i; });
    auto const x = filled(Kokkos::View<T[N], Space>("x"), x0);
    auto const p = filled(Kokkos::View<T[N][N], Space>("P"), 16 * eye(N));
    Kalman::TimeBlocks<T, N> const cut(Space(), items, steps, blocks);
    EXPECT_LE(cut.blocks() * cut.length(), steps);
    auto const call = [&](auto const& start) {
      Kalman::filter(Space(), steps, matrices.model(), start, batch.z, batch.results(),
                     Kalman::parallel_in_time(cut), typename C::Form());
    };
    if constexpr (O == Kalman::Order::predict_first) call(Kalman::start(common(x), common(p)));
    else call(Kalman::predicted(common(x), common(p)));
    Kokkos::fence();
    for (int k = 0; k < items; ++k)
      batch.expect(k, true_filter(O, constant_model(m.f, m.q, m.h, m.r), x0, 16 * eye(N),
                                  batch.series[std::size_t(k)]));
  }
}
TYPED_TEST(KalmanParallelInTime, AfterAStart) {
  all_cuts<TypeParam, Kalman::Order::predict_first>();
}
TYPED_TEST(KalmanParallelInTime, AfterAPrediction) {
  all_cuts<TypeParam, Kalman::Order::update_first>();
}

/// F of each item and time, Q of each time, H of each item; the start may be the View of the end.
TYPED_TEST(KalmanParallelInTime, EveryKindOfOperand) {
  using C = TypeParam;
  using T = typename C::T;
  constexpr int items = 3, steps = 41;
  Motion const m;
  Matrices<T> const matrices(m);
  FilterBatch<T, N, M, Kokkos::LayoutRight> const batch(series_with_gaps<T>(items, steps, 9), items,
                                                        steps);
  auto const f = [&](int k, int t) {
    Dense r = m.f;
    r(0, 2) = 0.5L + 0.0625L * k;
    r(2, 2) = t % 3 == 0 ? 0.75L : 0.984375L;
    return r;
  };
  auto const q = [&](int t) { return (t % 5 == 1 ? 4.0L : 1.0L) * m.q; };
  auto const h = [&](int k) {
    Dense r = m.h;
    r(1, 2) = 0.125L * k;
    return r;
  };
  Kokkos::View<T** [N][N], Space> F("F", items, steps);
  Kokkos::View<T* [N][N], Kokkos::LayoutLeft, Space> Q("Q", steps);
  Kokkos::View<T* [M][N], Space> H("H", items);
  auto const hF = Kokkos::create_mirror_view(F);
  auto const hQ = Kokkos::create_mirror_view(Q);
  auto const hH = Kokkos::create_mirror_view(H);
  for (int k = 0; k < items; ++k)
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) {
        for (int t = 0; t < steps; ++t)
          hF(k, t, i, j) = T(f(k, t)(i, j)), hQ(t, i, j) = T(q(t)(i, j));
        if (i < M) hH(k, i, j) = T(h(k)(i, j));
      }
  Kokkos::deep_copy(F, hF);
  Kokkos::deep_copy(Q, hQ);
  Kokkos::deep_copy(H, hH);
  Kokkos::deep_copy(batch.lm, T(0));
  for (int k = 0; k < items; ++k)
    filled(Kokkos::View<T[N][N], Kokkos::LayoutStride, Space>(
               Kokkos::subview(batch.lc, k, Kokkos::ALL, Kokkos::ALL)),
           eye(N));
  Kalman::filter(Space(), steps, Kalman::model(each(F), common(each(Q)), in(H), common(matrices.r)),
                 Kalman::start(batch.lm, batch.lc), batch.z, batch.results(),
                 Kalman::parallel_in_time(Kalman::TimeBlocks<T, N>(Space(), items, steps, 8)),
                 typename C::Form());
  Kokkos::fence();
  for (int k = 0; k < items; ++k)
    batch.expect(k, true_filter(Kalman::Order::predict_first,
                                {[&](int t) { return f(k, t); }, q, [&](int) { return h(k); },
                                 [&](int) { return m.r; }},
                                Dense(N, 1), eye(N), batch.series[std::size_t(k)]));
}

/// The smoother, with F and Q of each item and time. If `own`, filtered results have Views of their
/// own.
template <class C, Kalman::Order O>
void smoother(bool own) {
  using T = typename C::T;
  constexpr int items = 3;
  Motion const m;
  Matrices<T> const matrices(m);
  for (auto const [steps, blocks] : {std::pair{23, 9}, {12, 2}, {17, 16}, {9, 4}}) {
    auto const f = [&](int k, int t) {
      Dense r = m.f;
      r(0, 2) = 0.5L + 0.0625L * k;
      r(2, 2) = t % 3 == 0 ? 0.75L : 0.984375L;
      return r;
    };
    auto const q = [&](int t) { return (t % 5 == 1 ? 4.0L : 1.0L) * m.q; };
    Kokkos::View<T** [N][N], Space> F("F", items, steps);
    Kokkos::View<T* [N][N], Space> Q("Q", steps);
    auto const hF = Kokkos::create_mirror_view(F);
    auto const hQ = Kokkos::create_mirror_view(Q);
    for (int k = 0; k < items; ++k)
      for (int t = 0; t < steps; ++t)
        for (int i = 0; i < N; ++i)
          for (int j = 0; j < N; ++j)
            hF(k, t, i, j) = T(f(k, t)(i, j)), hQ(t, i, j) = T(q(t)(i, j));
    Kokkos::deep_copy(F, hF);
    Kokkos::deep_copy(Q, hQ);
    auto const z = series_with_gaps<T>(items, steps, 13);
    SmootherBatch<T, N, M> const b(z, items, steps);
    FilterBatch<T, N, M> const filtered(z, items, steps);
    Kokkos::View<T[N], Space> x("x");
    auto const p = filled(Kokkos::View<T[N][N], Space>("P"), 4 * eye(N));
    Kalman::TimeBlocks<T, N> const cut(Space(), items, steps, blocks);
    EXPECT_GT(cut.blocks(), 1);
    auto const call = [&](auto const& start, auto const& results) {
      Kalman::smooth(
          Space(), steps,
          Kalman::model(each(F), common(each(Q)), common(matrices.h), common(matrices.r)), start,
          b.z, results, Kalman::parallel_in_time(cut), typename C::Form());
    };
    auto const call_with = [&](auto const& results) {
      if constexpr (O == Kalman::Order::predict_first)
        call(Kalman::start(common(x), common(p)), results);
      else call(Kalman::predicted(common(x), common(p)), results);
    };
    if (own) call_with(b.results().filtered_mean(filtered.fm).filtered_covariance(filtered.fc));
    else call_with(b.results());
    Kokkos::fence();
    for (int k = 0; k < items; ++k) {
      TrueModel const truth{[&](int t) { return f(k, t); }, q, [&](int) { return m.h; },
                            [&](int) { return m.r; }};
      b.expect(k, true_smoother(O, truth, Dense(N, 1), 4 * eye(N), Dense(N, 0), z[std::size_t(k)]));
      if (!own) continue;
      auto const want = true_filter(O, truth, Dense(N, 1), 4 * eye(N), z[std::size_t(k)]);
      auto const mean = on_host(filtered.fm);
      for (std::size_t t = 0; t < std::size_t(steps); ++t)
        EXPECT_TRUE(near([&](int i, int) { return mean(std::size_t(k), t, i); },
                         want.filtered_mean[t], tolerance<T>(20 * N, 8, want.condition)));
    }
  }
}
TYPED_TEST(KalmanParallelInTime, SmootherAfterAStart) {
  smoother<TypeParam, Kalman::Order::predict_first>(false);
}
TYPED_TEST(KalmanParallelInTime, SmootherAfterAPrediction) {
  smoother<TypeParam, Kalman::Order::update_first>(true);
}

/// One state: all Views without the indices of a tile, and a rest of the steps.
TYPED_TEST(KalmanParallelInTime, NumbersAsStates) {
  using C = TypeParam;
  using T = typename C::T;
  constexpr int items = 2, steps = 35;
  Random random(5);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, 1, [](int t, int) { return t % 7 == 3; }));
  Kokkos::View<T**, Space> Z("z", items, steps), mean("mean", items, steps);
  fill(Z, [&](auto const& h) {
    for (int k = 0; k < items; ++k)
      for (int t = 0; t < steps; ++t) h(k, t) = T(z[std::size_t(k)][std::size_t(t)](0));
  });
  auto const x = poisoned(Kokkos::View<T*, Space>("x", items));
  auto const p = poisoned(Kokkos::View<T*, Space>("p", items));
  auto const ll = poisoned(Kokkos::View<T*, Space>("ll", items));
  auto const one = [](double v) { return common(fixed(T(v))); };
  Kalman::filter(
      Space(), steps, Kalman::model(one(1), one(0.0625), one(1), one(2)),
      Kalman::predicted(one(0.5), one(8)), Z,
      Kalman::results().filtered_mean(mean).last_mean(x).last_covariance(p).log_likelihood(ll),
      Kalman::parallel_in_time(Kalman::TimeBlocks<T, 1>(Space(), items, steps, 6)),
      typename C::Form());
  Kokkos::fence();
  auto const number = [](double v) { return Dense(1, 1, v); };
  for (std::size_t k = 0; k < items; ++k) {
    auto const want = true_filter(Kalman::Order::update_first,
                                  constant_model(eye(1), number(0.0625), eye(1), number(2)),
                                  number(0.5), number(8), z[k]);
    auto const tol = [&](long double scale) { return double(tolerance<T>(20, scale, 1)); };
    for (std::size_t t = 0; t < steps; ++t)
      EXPECT_NEAR(on_host(mean)(k, t), double(want.filtered_mean[t](0)), tol(4));
    EXPECT_NEAR(on_host(x)(k), double(want.last_mean(0)), tol(4));
    EXPECT_NEAR(on_host(p)(k), double(want.last_covariance(0)), tol(8));
    EXPECT_NEAR(on_host(ll)(k), double(want.log_likelihood), tol(want.absolute));
  }
}

/// A series that fails in the middle: results up to then, the status of that step, NaN afterwards.
/// The others are bitwise the same as without it.
TYPED_TEST(KalmanParallelInTime, FailureOfOneSeries) {
  using C = TypeParam;
  using T = typename C::T;
  constexpr int items = 3, steps = 48, bad_step = 21;
  Motion const m;
  Matrices<T> const matrices(m);
  auto const run = [&](int bad) {
    auto z = series_with_gaps<T>(items, steps, 3);
    if (bad >= 0) z[std::size_t(bad)][bad_step](0) = std::numeric_limits<long double>::infinity();
    FilterBatch<T, N, M> b(z, items, steps);
    Kokkos::View<T[N], Space> x("x");
    auto const p = filled(Kokkos::View<T[N][N], Space>("P"), eye(N));
    Kalman::filter(Space(), steps, matrices.model(), Kalman::start(common(x), common(p)), b.z,
                   b.results(),
                   Kalman::parallel_in_time(Kalman::TimeBlocks<T, N>(Space(), items, steps, 8)),
                   typename C::Form());
    Kokkos::fence();
    return b;
  };
  auto const clean = run(-1);
  for (int bad = 0; bad < items; ++bad) {
    auto const b = run(bad);
    auto const mean = on_host(b.fm), want = on_host(clean.fm);
    auto const st = on_host(b.st);
    for (int k = 0; k < items; ++k) {
      EXPECT_EQ(Status::reason(st(k)), k == bad ? Reason::not_finite : Reason::success) << k;
      EXPECT_EQ(std::isfinite(on_host(b.ll)(k)), k != bad) << k;
      for (int t = 0; t < steps; ++t)
        for (int i = 0; i < N; ++i) {
          if (k == bad && t >= bad_step) EXPECT_FALSE(std::isfinite(mean(k, t, 0))) << t;
          else EXPECT_TRUE(same_bits(mean(k, t, i), want(k, t, i))) << k << " " << t;
        }
    }
  }
}

/// The smoother of a series that fails has the filter's status and no results; the others are
/// bitwise the same as without it.
TYPED_TEST(KalmanParallelInTime, FailureOfASmoother) {
  using C = TypeParam;
  using T = typename C::T;
  constexpr int items = 3, steps = 48;
  Matrices<T> const matrices{Motion()};
  auto const run = [&](int bad) {
    auto z = series_with_gaps<T>(items, steps, 3);
    if (bad >= 0) z[std::size_t(bad)][21](0) = std::numeric_limits<long double>::infinity();
    SmootherBatch<T, N, M> b(z, items, steps);
    Kokkos::View<T[N], Space> x("x");
    auto const p = filled(Kokkos::View<T[N][N], Space>("P"), eye(N));
    Kalman::smooth(Space(), steps, matrices.model(), Kalman::start(common(x), common(p)), b.z,
                   b.results(),
                   Kalman::parallel_in_time(Kalman::TimeBlocks<T, N>(Space(), items, steps, 8)),
                   typename C::Form());
    Kokkos::fence();
    return b;
  };
  auto const clean = run(-1);
  for (int bad = 0; bad < items; ++bad) {
    auto const b = run(bad);
    auto const mean = on_host(b.mean), want = on_host(clean.mean);
    for (int k = 0; k < items; ++k) {
      EXPECT_EQ(Status::reason(on_host(b.st)(k)), k == bad ? Reason::not_finite : Reason::success);
      for (int t = 0; t < steps; ++t)
        for (int i = 0; i < N; ++i) {
          if (k == bad) EXPECT_FALSE(std::isfinite(mean(k, t, i))) << t;
          else EXPECT_TRUE(same_bits(mean(k, t, i), want(k, t, i))) << k << " " << t;
        }
    }
  }
}

/// All units times 2^k: the same bits times 2^k.
TYPED_TEST(KalmanParallelInTime, Units) {
  using C = TypeParam;
  using T = typename C::T;
  constexpr int items = 1, steps = 40;
  auto const run = [&](int k) {
    long double const unit = std::ldexp(1.0L, k);
    Motion m;
    m.q = unit * unit * m.q;
    m.r = unit * unit * m.r;
    Matrices<T> const matrices(m);
    auto z = series_with_gaps<T>(items, steps, 8);
    for (auto& x : z[0]) x = unit * x;
    FilterBatch<T, N, M> b(z, items, steps);
    Kokkos::View<T[N], Space> x("x");
    auto const p = filled(Kokkos::View<T[N][N], Space>("P"), unit * unit * eye(N));
    Kalman::filter(Space(), steps, matrices.model(), Kalman::start(common(x), common(p)), b.z,
                   b.results(),
                   Kalman::parallel_in_time(Kalman::TimeBlocks<T, N>(Space(), items, steps, 8)),
                   typename C::Form());
    Kokkos::fence();
    return b;
  };
  auto const one = run(0);
  for (int k : {-20, 13}) {
    auto const b = run(k);
    auto const mean = on_host(b.fm), want = on_host(one.fm);
    auto const covariance = on_host(b.fc), want_covariance = on_host(one.fc);
    for (int t = 0; t < steps; ++t)
      for (int i = 0; i < N; ++i) {
        EXPECT_TRUE(same_bits(mean(0, t, i), std::ldexp(want(0, t, i), k))) << t;
        for (int j = 0; j < N; ++j)
          EXPECT_TRUE(
              same_bits(covariance(0, t, i, j), std::ldexp(want_covariance(0, t, i, j), 2 * k)))
              << t;
      }
  }
}

TEST(TimeBlocks, WrongWorkspaceAndNoSeries) {
  Matrices<double> const matrices{Motion()};
  Kokkos::View<double[N], Space> x("x");
  Kokkos::View<double[N][N], Space> p("P");
  Kalman::TimeBlocks<double, N> const cut(Space(), 2, 100, 4);
  auto const call = [&](int items, int steps) {
    Kokkos::View<double** [M], Space> z("z", items, 100);
    Kalman::filter(Space(), steps, matrices.model(), Kalman::start(common(x), common(p)), z,
                   Kalman::results().log_likelihood(Kokkos::View<double*, Space>("ll", items)),
                   Kalman::parallel_in_time(cut));
  };
  for (auto const [items, steps] : {std::pair{3, 100}, {2, 99}}) {
    try {
      call(items, steps);
      ADD_FAILURE() << "no exception";
    } catch (std::invalid_argument const& e) {
      EXPECT_NE(std::string(e.what()).find("the time blocks are for 2 series of 100 steps"),
                std::string::npos)
          << e.what();
    }
  }
  EXPECT_NO_THROW(call(0, 100));
  EXPECT_NO_THROW(call(2, 100));
  SmootherBatch<double, N, M> const none({}, 0, 100);
  EXPECT_NO_THROW(Kalman::smooth(Space(), 100, matrices.model(),
                                 Kalman::start(common(x), common(p)), none.z, none.results(),
                                 Kalman::parallel_in_time(cut)));
}

TEST(TimeBlocks, Plans) {
  struct Machine {
    std::int64_t series, steps, at_once, rounds;
  };
  for (auto const c : {Machine{1, 1000000, 65536, 1},
                       {1, 999983, 65536, 1},
                       {100, 100000, 65536, 1},
                       {1, 1000, 64, 1},
                       {7, 12345, 64, 1},
                       {1, 100000, 8, 8},
                       {2, 12345, 16, 8}}) {
    auto const plan = Impl::block_plan(c.series, c.steps, c.at_once, c.rounds);
    EXPECT_GT(plan.blocks(), 1);
    EXPECT_LE(plan.blocks() * plan.length, c.steps);
    EXPECT_GE(c.steps - plan.blocks() * plan.length, 1);
    EXPECT_LE(c.steps - plan.blocks() * plan.length, plan.length) << c.steps;  // a short rest
    EXPECT_LE(c.series * plan.blocks(), c.rounds * c.at_once);
  }
  EXPECT_EQ(Impl::block_plan(100000, 1000, 65536, 1).blocks(), 1);
  EXPECT_EQ(Impl::block_plan(1, 10, 65536, 1).blocks(), 1);
  EXPECT_EQ(Impl::block_plan(0, 10, 65536, 1).blocks(), 1);
  EXPECT_EQ(Impl::block_plan(1, 0, 65536, 1).blocks(), 1);
}

}  // namespace
}  // namespace Batchwork::Test
