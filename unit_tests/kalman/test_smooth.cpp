// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The smoother, against the joint normal distribution of all states and observations in long
// double.
#include "SmootherBatch.hpp"
#include "VaryingModel.hpp"

namespace Batchwork::Test {
namespace {

template <class T, int N, int M, class Layout, Kalman::Order O, class Form>
void plain(Form const& form, int items, int steps) {
  Random random(191);
  RandomModel<T> const m(random, N, M);
  auto const z = series_with_missing<T>(random, items, steps, M);
  SmootherBatch<T, N, M, Layout> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), m.q),
             P = filled(Kokkos::View<T[N][N], Space>("P"), eye(N));
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), m.r);
  Kokkos::View<T[N], Space> X("x");
  auto const model = Kalman::model(common(F), common(Q), common(H), common(R));
  if constexpr (O == Kalman::Order::predict_first)
    Kalman::smooth(steps, model, Kalman::start(common(X), common(P)), b.z, b.results(), form);
  else
    Kalman::smooth(steps, model, Kalman::predicted(common(X), common(P)), b.z, b.results(), form);
  Kokkos::fence();
  for (int k = 0; k < items; ++k)
    b.expect(k, true_smoother(O, m.truth(), Dense(N, 1), eye(N), Dense(N, 0), z[std::size_t(k)]));
}
TEST(KalmanSmooth, AgainstTheJointDistribution) {
  plain<double, 4, 2, Kokkos::LayoutRight, Kalman::Order::predict_first>(Kalman::covariance(), 19,
                                                                         9);
  plain<float, 3, 2, Kokkos::LayoutLeft, Kalman::Order::update_first>(Kalman::covariance(), 21, 9);
}
TEST(KalmanSmooth, SquareRootAgainstTheJointDistribution) {
  plain<double, 4, 2, Kokkos::LayoutRight, Kalman::Order::update_first>(Kalman::square_root(), 19,
                                                                        9);
  plain<float, 3, 2, Kokkos::LayoutLeft, Kalman::Order::predict_first>(Kalman::square_root(), 21,
                                                                       9);
}

// ---- matrices that vary -------------------------------------------------------------------------

template <Kalman::Order O, class Form>
void varying(Form const& form) {
  constexpr int N = 2, M = 1, items = 11, steps = 7;
  Random random(193);
  VaryingModel<N, M> const m(random, items, steps);
  auto const z = series_with_missing<double>(random, items, steps, M);
  SmootherBatch<double, N, M> b(z, items, steps);
  auto const P = filled(Kokkos::View<double[N][N], Space>("P"), eye(N));
  Kokkos::View<double[N], Space> X("x");
  if constexpr (O == Kalman::Order::predict_first)
    Kalman::smooth(steps, m.model(), Kalman::start(common(X), common(P)), b.z, b.results(), form);
  else
    Kalman::smooth(steps, m.model(), Kalman::predicted(common(X), common(P)), b.z, b.results(),
                   form);
  Kokkos::fence();
  for (int k = 0; k < items; ++k)
    b.expect(k, true_smoother(O, m.truth(k), Dense(N, 1), eye(N), Dense(N, 0), z[std::size_t(k)]));
}
TEST(KalmanSmooth, MatricesThatVary) {
  varying<Kalman::Order::predict_first>(Kalman::covariance());
  varying<Kalman::Order::update_first>(Kalman::covariance());
  varying<Kalman::Order::predict_first>(Kalman::square_root());
}

// ---- singular models ----------------------------------------------------------------------------

/// White noise of an acceleration: Q of rank one, a start that is known exactly, a diagonal or a
/// fixed matrix. F P F' + Q is singular at the first times.
template <class T, class Form>
void track(Form const& form) {
  constexpr int N = 4, M = 2, items = 13, steps = 10;
  Dense f = eye(N), h(M, N);
  f(0, 1) = f(2, 3) = 0.5;
  h(0, 0) = h(1, 2) = 1;
  Dense const g = make_dense(N, M, [](int i, int j) {
    return i / 2 != j ? 0.0L : i % 2 == 0 ? 0.125L : 0.5L;
  });
  Dense const q = g * transpose(g), r = 0.25L * eye(M);
  Random random(195);
  auto const z = series_with_missing<T>(random, items, steps, M);
  SmootherBatch<T, N, M> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), q);
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), h);
  Kokkos::View<T[M], Space> R("R");
  Kokkos::deep_copy(R, T(0.25));
  Kokkos::View<T[N][N], Space> P("P");
  Kokkos::View<T[N], Space> X("x");
  Kalman::smooth(steps, Kalman::model(common(F), common(Q), common(H), common(diagonal(R))),
                 Kalman::start(common(X), common(P)), b.z, b.results(), form);
  Kokkos::fence();
  for (int k = 0; k < items; ++k)
    b.expect(k, true_smoother(Kalman::Order::predict_first, constant_model(f, q, h, r), Dense(N, 1),
                              Dense(N, N), Dense(N, 0), z[std::size_t(k)]));
}
TEST(KalmanSmooth, NoiseOfRankOneAndAKnownStart) {
  track<float>(Kalman::covariance());
  track<double>(Kalman::covariance());
  track<double>(Kalman::square_root());
}

/// Level, slope and seasonal states (Durbin and Koopman 2012, section 3.2): rows of F copy states,
/// and Q has zeros on the diagonal.
struct Quarters {
  static constexpr int states = 5;
  Dense f = Dense(5, 5), h = Dense(1, 5), noise = Dense(5, 1);
  Quarters() {
    f(0, 0) = f(0, 1) = f(1, 1) = 1;
    for (int j = 2; j < 5; ++j) f(2, j) = -1;
    f(3, 2) = f(4, 3) = 1;
    h(0, 0) = h(0, 2) = 1;
    noise(0) = 0.25;
    noise(1) = 0.015625;
    noise(2) = 0.125;
  }
  Dense q() const {
    return make_dense(5, 5, [&](int i, int j) { return i == j ? noise(i) : 0.0L; });
  }
  TrueModel truth(long double r) const { return constant_model(f, q(), h, Dense(1, 1, r)); }
};
constexpr int quarters_items = 9, quarters_steps = 20;
template <class T, class Form, class Promise = Kalman::Complete>
void quarters(Form const& form, T start_variance, long double digits, Promise const& promise = {}) {
  constexpr int N = Quarters::states, items = quarters_items, steps = quarters_steps;
  constexpr bool complete = Promise::data == Kalman::Data::complete;
  Quarters const m;
  Random random(197);
  auto const z = series_with_missing<T>(random, items, steps, 1);
  SmootherBatch<T, N, 1> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f),
             P = filled(Kokkos::View<T[N][N], Space>("P"), (long double)(start_variance)*eye(N));
  auto const Q = filled(Kokkos::View<T[N], Space>("Q"), m.noise);
  auto const H = filled(Kokkos::View<T[1][N], Space>("H"), m.h);
  Kokkos::View<T[N], Space> X("x");
  Kalman::smooth(steps,
                 Kalman::model(common(F), common(diagonal(Q)), common(H), common(fixed(T(0.5)))),
                 Kalman::predicted(common(X), common(P)), b.z, b.results(), promise, form);
  Kokkos::fence();
  int checked = 0;
  for (int k = 0; k < items; k += complete ? 2 : 1) {
    ++checked;
    b.expect(k,
             true_smoother(Kalman::Order::update_first, m.truth(0.5L), Dense(N, 1),
                           (long double)(start_variance)*eye(N), Dense(N, 0), z[std::size_t(k)]),
             digits);
  }
  EXPECT_GT(checked, 3);
  if constexpr (!complete) return;
  auto const st = on_host(b.st);
  int incomplete = 0;
  for (std::size_t k = 1; k < items; k += 2)
    incomplete += Status::reason(st(k)) == Reason::incomplete_data;
  EXPECT_GT(incomplete, 2);
}
TEST(KalmanSmooth, SeasonalModel) {
  quarters<double>(Kalman::covariance(), 1.0, 1000);
  quarters<float>(Kalman::covariance(), 1.0F, 1000);
  quarters<float>(Kalman::square_root(), 1.0F, 1000);
}
/// The smoothed variances are far below the variance at the start, 2^20. Factors lose half as many
/// digits as covariances.
TEST(KalmanSmooth, LargeStart) {
  quarters<float>(Kalman::square_root(), 0x1p20F, 1000 * 0x1p10L);
  quarters<double>(Kalman::square_root(), 0x1p20, 1000 * 0x1p10L);
  quarters<double>(Kalman::covariance(), 0x1p20, 1000 * 0x1p20L);
  quarters<float>(Kalman::square_root(), 0x1p20F, 1000 * 0x1p10L,
                  Kalman::parallel_in_time(
                      Kalman::TimeBlocks<float, 5>(Space(), quarters_items, quarters_steps, 3)));
}

// ---- results ------------------------------------------------------------------------------------

template <class Form>
void filtered_results(Form const& form) {
  constexpr int N = 3, M = 2, items = 13, steps = 6;
  Random random(199);
  RandomModel<double> const m(random, N, M);
  auto const z = series_with_missing<double>(random, items, steps, M);
  SmootherBatch<double, N, M> alone(z, items, steps), both(z, items, steps);
  Kokkos::View<double** [N], Space> fm("fm", items, steps), want_fm("want_fm", items, steps);
  Kokkos::View<double** [N][N], Space> fc("fc", items, steps), want_fc("want_fc", items, steps);
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<double[N][N], Space>("Q"), m.q),
             P = filled(Kokkos::View<double[N][N], Space>("P"), eye(N));
  auto const H = filled(Kokkos::View<double[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<double[M][M], Space>("R"), m.r);
  Kokkos::View<double[N], Space> X("x");
  auto const model = Kalman::model(common(F), common(Q), common(H), common(R));
  auto const start = Kalman::start(common(X), common(P));
  Kalman::smooth(steps, model, start, alone.z, alone.results(), form);
  Kalman::smooth(launch("smoother"), steps, model, start, both.z,
                 both.results().filtered_mean(fm).filtered_covariance(fc), form);
  Kokkos::View<double*, Space> ll("ll", items);
  Kalman::filter(
      steps, model, start, alone.z,
      Kalman::results().filtered_mean(want_fm).filtered_covariance(want_fc).log_likelihood(ll),
      form);
  Kokkos::fence();
  auto const expect_same = [](auto const& a, auto const& b) {
    auto const x = on_host(a), y = on_host(b);
    EXPECT_EQ(std::memcmp(x.data(), y.data(), x.span() * sizeof(double)), 0);
  };
  expect_same(alone.mean, both.mean);
  expect_same(alone.covariance, both.covariance);
  expect_same(alone.lag_one, both.lag_one);
  expect_same(fm, want_fm);
  expect_same(fc, want_fc);
  expect_same(alone.ll, ll);
  expect_same(both.ll, ll);
}
TEST(KalmanSmooth, FilteredResultsInViewsOfTheirOwn) {
  filtered_results(Kalman::covariance());
  filtered_results(Kalman::square_root());
}

/// One state in Views without its extent, and series of zero and one step.
TEST(KalmanSmooth, ScalarsAndShortSeries) {
  constexpr std::size_t items = 5, steps = 8;
  Random random(201);
  auto const z = series_with_missing<double>(random, items, steps, 1);
  Kokkos::View<double**, Space> Z("z", items, steps), mean("mean", items, steps),
      covariance("covariance", items, steps), lag_one("lag_one", items, steps);
  filled_series(Z, z);
  auto const model = Kalman::model(common(fixed(0.75)), common(fixed(0.5)), common(fixed(1.0)),
                                   common(fixed(0.25)));
  auto const start = Kalman::start(common(fixed(1.0)), common(fixed(2.0)));
  auto const truth =
      constant_model(Dense(1, 1, 0.75L), Dense(1, 1, 0.5L), Dense(1, 1, 1.0L), Dense(1, 1, 0.25L));
  auto const check = [&](int count, auto const& form) {
    for (auto const& v : {mean, covariance, lag_one}) poisoned(v);
    Kalman::smooth(count, model, start, Z,
                   Kalman::results()
                       .smoothed_mean(mean)
                       .smoothed_covariance(covariance)
                       .lag_one_covariance(lag_one),
                   form);
    Kokkos::fence();
    auto const m = on_host(mean), c = on_host(covariance), l = on_host(lag_one);
    for (std::size_t k = 0; k < items; ++k) {
      auto const n = std::size_t(count);
      for (std::size_t t = n; t < steps; ++t) EXPECT_EQ(m(k, t), poison<double>());
      if (count == 0) continue;
      std::vector<Dense> const series(z[k].begin(), z[k].begin() + count);
      auto const want = true_smoother(Kalman::Order::predict_first, truth, Dense(1, 1, 1.0L),
                                      Dense(1, 1, 2.0L), Dense(1, 0), series);
      for (std::size_t t = 0; t < n; ++t) {
        int const i = int(t);
        EXPECT_NEAR(m(k, t), double(want.mean(i)), 1e-14);
        EXPECT_NEAR(c(k, t), double(want.covariance(i, i)), 1e-14);
        EXPECT_NEAR(l(k, t), t + 1 < n ? double(want.covariance(i + 1, i)) : 0, 1e-14);
      }
    }
  };
  for (int count : {0, 1, 2, 8}) {
    check(count, Kalman::covariance());
    check(count, Kalman::square_root());
  }
  // No series at all.
  Kokkos::View<double**, Space> none("none", 0, steps);
  Kalman::smooth(steps, model, start, none,
                 Kalman::results().smoothed_mean(none).smoothed_covariance(none));
}

/// Views that do not fit the backward scan are refused before the filter runs.
TEST(KalmanSmooth, RefusedCallsChangeNothing) {
  Kokkos::View<double**, Space> z("z", 3, 5), mean("mean", 3, 5), covariance("covariance", 3, 5),
      short_lag("short_lag", 3, 4), few("few", 2, 5);
  for (auto const& v : {mean, covariance}) poisoned(v);
  auto const one = common(fixed(1.0));
  auto const model = Kalman::model(one, one, one, one);
  auto const results = Kalman::results().smoothed_mean(mean).smoothed_covariance(covariance);
  auto const refused = [&](auto const& what, char const* says) {
    try {
      Kalman::smooth(5, model, Kalman::start(one, one), z, what);
      ADD_FAILURE() << "not refused: " << says;
    } catch (std::invalid_argument const& e) {
      EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
    }
  };
  refused(results.lag_one_covariance(short_lag), "\"short_lag\") [View (3, 4)");
  refused(results.lag_one_covariance(few), "has 2 items");
  refused(results.lag_one_covariance(mean), "shares elements with");
  refused(results.filtered_mean(mean), "shares elements with");
  refused(results.predicted_mean(mean), "shares elements with");
  Kokkos::fence();
  EXPECT_EQ(on_host(mean)(0, 0), poison<double>());
  EXPECT_EQ(on_host(covariance)(2, 4), poison<double>());
}

// ---- the blocks in scans of the user ------------------------------------------------------------

}  // namespace
struct FilterWithInput {
  template <class X, class P, class Z, class F, class Q, class C, class H, class R, class EX,
            class EP, class EM, class EV>
  KOKKOS_FUNCTION void operator()(X& x, P& p, Z const& z, F const& f, Q const& q, C const& c,
                                  H const& h, R const& r, EX& mean, EP& covariance, EM& expected,
                                  EV& variance) const {
    Kalman::predict(x, p, f, q, c);
    auto const observation = Kalman::predict_observation(x, p, h, r);
    expected = observation.mean;
    variance = observation.covariance;
    Kalman::update(x, p, z, h, r);
    mean = x;
    covariance = p;
  }
};
struct SmootherWithInput {
  template <class X, class P, class M, class V, class F, class Q, class C, class L>
  KOKKOS_FUNCTION void operator()(X& x, P& p, M& mean, V& covariance, F const& f, Q const& q,
                                  C const& c, L& lag_one) const {
    Kalman::smooth_step(x, p, lag_one, mean, covariance, f * mean + c, f, q);
    mean = x;
    covariance = p;
  }
};
struct ToFactor {
  template <class L>
  KOKKOS_FUNCTION void operator()(L& l) const {
    l = Kalman::covariance_factor(l);
  }
};
/// Without an input, with covariances or with factors.
struct OwnSmoother {
  template <class X, class P, class M, class V, class F, class Q, class SX, class SP>
  KOKKOS_FUNCTION void operator()(X& x, P& p, M const& mean, V const& covariance, F const& f,
                                  Q const& q, SX& smoothed_mean, SP& smoothed_covariance) const {
    if constexpr (P::structure == Structure::lower) {
      Kalman::square_root_smooth_step(x, p, mean, Kalman::covariance_factor(covariance), f, q);
      smoothed_covariance = gram(transpose(p));
    } else {
      Kalman::smooth_step(x, p, mean, covariance, f, q);
      smoothed_covariance = p;
    }
    smoothed_mean = x;
  }
};
namespace {

/// An input c moves the states by a path that is known: mu = F mu + c.
TEST(KalmanSmooth, BlocksInScans) {
  constexpr int N = 3, M = 2, items = 11, steps = 7;
  Random random(205);
  RandomModel<double> const m(random, N, M);
  Dense const c = random_dense<double>(random, N, 1);
  auto const z = series_with_missing<double>(random, items, steps, M);
  SmootherBatch<double, N, M> b(z, items, steps);
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<double[N][N], Space>("Q"), m.q);
  auto const H = filled(Kokkos::View<double[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<double[M][M], Space>("R"), m.r);
  auto const C = filled(Kokkos::View<double[N], Space>("C"), c);
  Kokkos::View<double* [N], Space> x("x", items);
  Kokkos::View<double* [N][N], Space> p("p", items);
  Kokkos::View<double** [M], Space> expected("expected", items, steps);
  Kokkos::View<double** [M][M], Space> variance("variance", items, steps);
  auto const filter = [&](auto const& input) {
    Kokkos::deep_copy(x, 0.0);
    fill(p, [](auto const& v) {
      for (std::size_t k = 0; k < items; ++k)
        for (int i = 0; i < N; ++i)
          for (int j = 0; j < N; ++j) v(k, i, j) = i == j ? 1 : 0;
    });
    scan(steps, FilterWithInput{}, carry(x, x), carry(symmetric(p), symmetric(p)), each(b.z),
         common(F), common(symmetric(Q)), input, common(H), common(symmetric(R)), emit(b.mean),
         emit(symmetric(b.covariance)), emit(expected), emit(symmetric(variance)));
  };
  filter(common(C));
  // The forecast of the first observation: z = H (F x + c) + noise.
  Dense const first = m.h * c, spread = m.h * (m.f * transpose(m.f) + m.q) * transpose(m.h) + m.r;
  EXPECT_TRUE(near([&](int i, int) { return on_host(expected)(3, 0, i); }, first, 1e-14));
  EXPECT_TRUE(near([&](int i, int j) { return on_host(variance)(3, 0, i, j); }, spread, 1e-14));
  scan(backward(steps - 1), SmootherWithInput{}, carry(x), carry(symmetric(p)), inout(each(b.mean)),
       inout(each(symmetric(b.covariance))), common(F), common(symmetric(Q)), common(C),
       emit(b.lag_one));
  Kokkos::fence();
  std::vector<Dense> path{c};
  for (int t = 1; t < steps; ++t) path.push_back(m.f * path.back() + c);
  auto const hm = on_host(b.mean);
  auto const hc = on_host(b.covariance), hl = on_host(b.lag_one);
  auto const truth_of = [&](std::size_t k, bool moved) {
    auto rest = z[k];
    for (std::size_t t = 0; t < steps && moved; ++t) rest[t] = rest[t] - m.h * path[t];
    return true_smoother(Kalman::Order::predict_first, m.truth(), Dense(N, 1), eye(N), Dense(N, 0),
                         rest);
  };
  for (std::size_t k = 0; k < items; ++k) {
    auto const want = truth_of(k, true);
    for (std::size_t t = 0; t < steps; ++t) {
      int const i = int(t);
      EXPECT_TRUE(near([&](int j, int) { return hm(k, t, j); }, want.mean_at(i) + path[t], 1e-12));
      EXPECT_TRUE(
          near([&](int j, int l) { return hc(k, t, j, l); }, want.covariance_at(i, i), 1e-13));
      if (t + 1 < steps) {
        EXPECT_TRUE(near([&](int j, int l) { return hl(k, t, j, l); }, want.covariance_at(i + 1, i),
                         1e-13));
      }
    }
  }
  // Without the input, in both forms.
  Vector<double, N> none;
  none.info = 0;
  for (int i = 0; i < N; ++i) none.a[i] = 0;
  filter(common(fixed(none)));
  Kokkos::View<double** [N], Space> sm("sm", items, steps);
  Kokkos::View<double** [N][N], Space> sc("sc", items, steps);
  Kokkos::View<double* [N][N], Space> l("l", items);
  Kokkos::deep_copy(l, p);
  map(ToFactor{}, inout(lower(l)));
  for (bool root : {false, true}) {
    auto const run = [&](auto const& covariance) {
      scan(backward(steps - 1), OwnSmoother{}, carry(x), covariance, each(b.mean),
           each(symmetric(b.covariance)), common(F), common(symmetric(Q)), emit(sm), emit(sc));
    };
    if (root) run(carry(lower(l)));
    else run(carry(symmetric(p)));
    Kokkos::fence();
    for (std::size_t k = 0; k < items; ++k) {
      auto const want = truth_of(k, false);
      for (std::size_t t = 0; t + 1 < steps; ++t) {
        int const i = int(t);
        EXPECT_TRUE(near([&](int j, int) { return on_host(sm)(k, t, j); }, want.mean_at(i), 1e-12));
        EXPECT_TRUE(near([&](int j, int n) { return on_host(sc)(k, t, j, n); },
                         want.covariance_at(i, i), 1e-12));
      }
    }
  }
}

// ---- status -------------------------------------------------------------------------------------

enum class Plant { none, negative_noise, infinite_observation, large_start };

/// Failures of the first, a middle and the last item, in the filter or only in the backward scan.
SmootherBatch<double, 3, 2> run(Plant plant) {
  constexpr int N = 3, M = 2, items = 27, steps = 8;
  Random random(203);
  RandomModel<double> const m(random, N, M);
  auto z = series_with_missing<double>(random, items, steps, M);
  auto const planted = [&](std::size_t k, Plant what) {
    return plant == what && (k == 0 || k == items / 2 || k == items - 1);
  };
  for (std::size_t k = 0; k < items; ++k)
    if (planted(k, Plant::infinite_observation))
      z[k][5](0) = std::numeric_limits<long double>::infinity();
  SmootherBatch<double, N, M> b(z, items, steps);
  Kokkos::View<double* [N][N], Space> P("P", items);
  Kokkos::View<double* [M][M], Space> R("R", items);
  fill(R, [&](auto const& h) {
    for (std::size_t k = 0; k < items; ++k)
      for (int i = 0; i < M; ++i)
        for (int j = 0; j < M; ++j)
          h(k, i, j) = double(m.r(i, j)) * (planted(k, Plant::negative_noise) ? -1000 : 1);
  });
  fill(P, [&](auto const& h) {
    for (std::size_t k = 0; k < items; ++k)
      for (int i = 0; i < N; ++i) h(k, i, i) = planted(k, Plant::large_start) ? 1e18 : 1;
  });
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<double[N][N], Space>("Q"), m.q);
  auto const H = filled(Kokkos::View<double[M][N], Space>("H"), m.h);
  Kokkos::View<double[N], Space> X("x");
  Kalman::smooth(steps, Kalman::model(common(F), common(Q), common(H), in(R)),
                 Kalman::start(common(X), P), b.z, b.results());
  Kokkos::fence();
  return b;
}
TEST(KalmanSmooth, FailuresAndTheirNeighbours) {
  auto const clean = run(Plant::none);
  auto const mean = on_host(clean.mean);
  auto const covariance = on_host(clean.covariance), lag_one = on_host(clean.lag_one);
  for (std::size_t k = 0; k < 27; ++k) EXPECT_EQ(on_host(clean.st)(k), 0);
  auto const failures = [&](Plant plant, Reason reason) {
    auto const got = run(plant);
    auto const m = on_host(got.mean);
    auto const c = on_host(got.covariance), l = on_host(got.lag_one);
    auto const st = on_host(got.st);
    for (std::size_t k = 0; k < 27; ++k) {
      if (k == 0 || k == 13 || k == 26) {
        EXPECT_EQ(Status::reason(st(k)), reason) << k;
        EXPECT_TRUE(reason == Reason::inaccurate || !std::isfinite(m(k, 0, 0))) << k;
        continue;
      }
      EXPECT_EQ(st(k), 0) << k;
      for (std::size_t t = 0; t < 8; ++t)
        for (int i = 0; i < 3; ++i) {
          EXPECT_TRUE(same_bits(m(k, t, i), mean(k, t, i))) << k << " " << t;
          for (int j = 0; j < 3; ++j) {
            EXPECT_TRUE(same_bits(c(k, t, i, j), covariance(k, t, i, j))) << k << " " << t;
            EXPECT_TRUE(same_bits(l(k, t, i, j), lag_one(k, t, i, j))) << k << " " << t;
          }
        }
    }
  };
  failures(Plant::negative_noise, Reason::not_positive_definite);
  failures(Plant::infinite_observation, Reason::not_finite);
  failures(Plant::large_start, Reason::inaccurate);
}

/// Variances multiplied by 4^k and observations by 2^k give means multiplied by 2^k, bit for bit.
template <class T, class Form>
void every_unit(Form const& form) {
  constexpr int N = 2, M = 2, steps = 6;
  using Limits = std::numeric_limits<T>;
  int const lowest = (Limits::min_exponent + 60) / 2, highest = (Limits::max_exponent - 14) / 2;
  int const items = highest - lowest + 1;
  Random random(207);
  RandomModel<T> const m(random, N, M);
  auto const series = random_series<T>(random, steps, M, [&](int t, int i) { return t == 2 + i; });
  std::vector<std::vector<Dense>> z;
  for (int k = lowest; k <= highest; ++k) {
    z.push_back(series);
    for (auto& one : z.back())
      for (int i = 0; i < M; ++i) one(i) = std::ldexp(one(i), k);
  }
  SmootherBatch<T, N, M> b(z, items, steps);
  auto const n = std::size_t(items);
  auto const sized = [&](auto const& view, Dense const& x) {
    fill(view, [&](auto const& v) {
      for (int k = 0; k < items; ++k)
        for (int i = 0; i < x.rows; ++i)
          for (int j = 0; j < x.cols; ++j) v(k, i, j) = T(std::ldexp(x(i, j), 2 * (lowest + k)));
    });
    return view;
  };
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f);
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  auto const Q = sized(Kokkos::View<T* [N][N], Space>("Q", n), m.q),
             P = sized(Kokkos::View<T* [N][N], Space>("P", n), eye(2));
  auto const R = sized(Kokkos::View<T* [M][M], Space>("R", n), m.r);
  Kokkos::View<T[N], Space> X("x");
  Kalman::smooth(steps, Kalman::model(common(F), in(Q), common(H), in(R)),
                 Kalman::start(common(X), P), b.z, b.results(), form);
  Kokkos::fence();
  auto const mean = on_host(b.mean);
  auto const covariance = on_host(b.covariance);
  std::size_t const one = std::size_t(-lowest);
  for (std::size_t k = 0; k < n; ++k) {
    int const e = lowest + int(k);
    EXPECT_EQ(on_host(b.st)(k), 0) << e;
    for (std::size_t t = 0; t < steps; ++t)
      for (int i = 0; i < N; ++i) {
        EXPECT_TRUE(same_bits(T(std::ldexp(mean(one, t, i), e)), mean(k, t, i))) << e;
        for (int j = 0; j < N; ++j)
          EXPECT_TRUE(
              same_bits(T(std::ldexp(covariance(one, t, i, j), 2 * e)), covariance(k, t, i, j)))
              << e;
      }
  }
}
TEST(KalmanSmooth, EveryUnit) {
  every_unit<float>(Kalman::covariance());
  every_unit<double>(Kalman::square_root());
}

}  // namespace
}  // namespace Batchwork::Test
