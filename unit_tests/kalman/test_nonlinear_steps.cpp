// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The steps of nonlinear filters in a user's own scan: extended, iterated, unscented.
#include "NonlinearCase.hpp"

namespace Batchwork::Test {

/// x -> F x, and x -> H x, as functors of a user that know nothing of matrices.
template <class T, int M, int N>
struct Linear {
  T a[M][N];
  explicit Linear(Dense const& x) {
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) a[i][j] = T(x(i, j));
  }
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    return generate<M>([&](int i) {
      auto sum = a[i][0] * x(0);
      for (int j = 1; j < N; ++j) sum += a[i][j] * x(j);
      return sum;
    });
  }
};
/// An observation that does not see the state of an item whose `gain` is 0, and a gate: an
/// observation beyond it is ignored, one far beyond it fails.
template <NonlinearFilter K, Kalman::Data D = Kalman::Data::may_be_missing>
struct Gated {
  double gate, limit;
  template <class X, class P, class L, class Z, class Q, class R, class G, class S>
  KOKKOS_FUNCTION void operator()(X& x, P& p, L& loglik, Z const& z, Q const& q, R const& r,
                                  G const& gain, S& nis) const {
    auto const observe = [&](auto const& s) {
      return generate<2>([&](int i) { return i == 0 ? gain * s(0) : gain * sin(s(1)); });
    };
    Kalman::extended_predict(x, p, Turn{}, q);
    auto const beyond = Kalman::gate(gate * gain);  // a scalar of each item
    auto const seen = [&] {
      if constexpr (K == NonlinearFilter::unscented)
        return Kalman::unscented_update<D>(x, p, loglik, z, observe, r, {}, {}, beyond);
      else if constexpr (K == NonlinearFilter::iterated)
        return Kalman::iterated_update<D>(x, p, loglik, z, observe, r, 2, {}, beyond);
      else return Kalman::extended_update<D>(x, p, loglik, z, observe, r, {}, beyond);
    }();
    x = fail_where(seen.nis > limit, Reason::incomplete_data, x);
    nis = seen.nis;
  }
};
/// One state, one observation, all scalars.
struct Scalars {
  template <class Y, class X, class R>
  KOKKOS_FUNCTION void operator()(Y& moved_to, Y& variance, Y& extended, Y& iterated, Y& unscented,
                                  Y& nis, X const& x, X const& p, X const& z, R const& q,
                                  R const& r) const {
    auto const square = [](auto const& s) { return s(0) * s(0); };
    auto m = x, a = x, b = x, c = x;
    auto pm = p, pa = p, pb = p, pc = p;
    Kalman::unscented_predict(m, pm, square, q);
    moved_to = m, variance = pm;
    nis = Kalman::extended_update(a, pa, z, square, r).nis;
    Kalman::iterated_update(b, pb, z, square, r, 20);
    Kalman::unscented_update(c, pc, z, square, r);
    extended = a, iterated = b, unscented = c;
  }
};

namespace {

auto const by_scan = [](int steps, auto const& sequence, auto const&... operands) {
  scan(steps, sequence, operands...);
};

// ---- a linear model -----------------------------------------------------------------------------

template <class T, NonlinearFilter K>
void linear(int iterations = 1, Kalman::UnscentedWeights const& weights = {}) {
  constexpr int N = 3, M = 2, items = 19, steps = 12;
  Random random(171);
  RandomModel<T> const m(random, N, M);
  std::vector<std::vector<Dense>> z;
  std::vector<Dense> x;
  for (int k = 0; k < items; ++k) {
    x.push_back(random_dense<T>(random, N, 1));
    z.push_back(random_series<T>(random, steps, M, [&](int, int) { return random(0, 1) < 0.2; }));
  }
  Dense const p = random_spd<T>(random, N);
  NonlinearStep<K, Linear<T, N, N>, Linear<T, M, N>> const step{
      Linear<T, N, N>(m.f), Linear<T, M, N>(m.h), iterations, weights, {}};
  Steps<T, N, M> s(items, steps);
  s.start(x, p, m.q, m.r);
  filled_series(s.z, z);
  s(by_scan, step);
  // In other units, 2^-7 of the first.
  Steps<T, N, M> other(items, steps);
  auto const scaled = [](std::vector<Dense> list) {
    for (Dense& a : list) a = 0x1p-7L * a;
    return list;
  };
  std::vector<std::vector<Dense>> scaled_z;
  for (auto const& series : z) scaled_z.push_back(scaled(series));
  other.start(scaled(x), 0x1p-14L * p, 0x1p-14L * m.q, 0x1p-14L * m.r);
  filled_series(other.z, scaled_z);
  other(by_scan, step);

  auto const mean = on_host(s.mean), other_mean = on_host(other.mean);
  auto const covariance = on_host(s.p), other_covariance = on_host(other.p);
  auto const nis = on_host(s.nis), other_nis = on_host(other.nis);
  // Smaller alphas lose digits: differences of points are alpha times as large as p.
  long double const loss = K == NonlinearFilter::unscented ? 1 / (long double)(weights.alpha) : 1;
  for (int k = 0; k < items; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    auto const i = std::size_t(k);
    auto const want = true_filter(Kalman::Order::predict_first, m.truth(), x[i], p, z[i]);
    auto const tol = [&](long double size) {
      return tolerance<T>(4 * N, size, want.condition * loss);
    };
    EXPECT_EQ(on_host(s.codes)(i), 0);
    for (std::size_t t = 0; t < steps; ++t) {
      EXPECT_TRUE(near([&](int a, int) { return mean(i, t, a); }, want.filtered_mean[t], tol(4)));
      EXPECT_TRUE(same_bits(nis(i, t), other_nis(i, t)));
      for (int a = 0; a < N; ++a)
        EXPECT_TRUE(same_bits(mean(i, t, a), T(0x1p7) * other_mean(i, t, a)));
    }
    EXPECT_TRUE(near([&](int a, int b) { return covariance(i, a, b); }, want.last_covariance,
                     tol(norm1(p))));
    for (int a = 0; a < N * N; ++a)
      EXPECT_TRUE(
          same_bits(covariance(i, a / N, a % N), T(0x1p14) * other_covariance(i, a / N, a % N)));
    EXPECT_NEAR(double(on_host(s.loglik)(i)), double(want.log_likelihood),
                double(tol(want.absolute)));
  }
}
TEST(NonlinearSteps, GiveTheNumbersOfTheLinearFilter) {
  linear<double, NonlinearFilter::extended>();
  linear<double, NonlinearFilter::iterated>(3);
  linear<double, NonlinearFilter::unscented>();
  linear<double, NonlinearFilter::unscented>(1, {0.5, 2, 1});
  linear<float, NonlinearFilter::iterated>(2);
  linear<float, NonlinearFilter::unscented>(1, {1, 0, 0});
}

// ---- a radar ------------------------------------------------------------------------------------

TEST(NonlinearSteps, TrackByRangeAndBearing) {
  track<double, NonlinearFilter::extended>(by_scan);
  track<double, NonlinearFilter::iterated>(by_scan, 4);
  track<double, NonlinearFilter::unscented, Kokkos::LayoutRight>(by_scan);
  track<double, NonlinearFilter::unscented, Kokkos::LayoutRight>(by_scan, 1, {0.25, 2, -2});
}
TEST(NonlinearSteps, TrackByRangeAndBearingInFloat) {
  track<float, NonlinearFilter::extended>(by_scan);
  track<float, NonlinearFilter::iterated>(by_scan, 3);
  track<float, NonlinearFilter::unscented>(by_scan);
}

/// Targets drawn from the model itself. The NIS of a step has the chi-squared distribution with two
/// degrees of freedom, the normalised error of the state one with five. The bands are three
/// standard deviations of the averages, and 1 % for what is not linear.
template <NonlinearFilter K>
void consistent(int iterations = 1) {
  constexpr int items = 4000, steps = 10;
  Random random(179);
  Dense const p = [] {
    Dense a(5, 5);
    long double const spread[] = {0.1L, 0.1L, 0.02L, 0.03L, 0.01L};
    for (int i = 0; i < 5; ++i) a(i, i) = spread[i] * spread[i];
    return a;
  }();
  Dense const q = 0.04L * p, r = make_dense(2, 2, [](int i, int j) {
                               return i != j ? 0.0001L : i == 0 ? 0.0025L : 0.00004L;
                             });
  auto const noise = [&](Dense const& covariance) {
    int const n = covariance.rows;
    return cholesky(covariance) * make_dense(n, 1, [&](int, int) { return random.normal(); });
  };
  std::vector<Dense> start, truth;
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k) {
    Dense x(5, 1);
    x(0) = -8 + random(), x(1) = 1.5L, x(2) = 0.3L, x(3) = -true_pi / 2 + 0.3L * random();
    start.push_back(x);
    x = x + noise(p);
    z.emplace_back();
    for (int t = 0; t < steps; ++t) {
      x = true_motion(x) + noise(q);
      z.back().push_back(true_radar(x) + noise(r));
    }
    truth.push_back(x);
  }
  Steps<double, 5, 2> s(items, steps);
  s.start(start, p, q, r);
  filled_series(s.z, z);
  s(by_scan, NonlinearStep<K, Turn, Radar, Wrapped>{{}, {}, iterations, {}, {}});
  auto const nis = on_host(s.nis);
  auto const mean = on_host(s.x);
  auto const covariance = on_host(s.p);
  double of_nis = 0, of_error = 0;
  for (std::size_t k = 0; k < items; ++k) {
    ASSERT_EQ(on_host(s.codes)(k), 0);
    for (std::size_t t = 0; t < steps; ++t) of_nis += nis(k, t) / (items * steps);
    Dense const e = make_dense(5, 1, [&](int i, int) { return truth[k](i) - mean(k, i); });
    Dense const c = make_dense(5, 5, [&](int i, int j) { return covariance(k, i, j); });
    of_error += double(dot(e, solve_spd(c, e))) / items;
  }
  EXPECT_NEAR(of_nis, 2, 3 * std::sqrt(4.0 / (items * steps)) + 0.02);
  EXPECT_NEAR(of_error, 5, 3 * std::sqrt(10.0 / items) + 0.05);
}
TEST(NonlinearSteps, AreConsistent) {
  consistent<NonlinearFilter::extended>();
  consistent<NonlinearFilter::iterated>(3);
  consistent<NonlinearFilter::unscented>();
}

// ---- failures, gates, scalars -------------------------------------------------------------------

enum class Plant { none, singular, negative_noise, infinite, outlier, missing, far_outlier };

template <NonlinearFilter K, Kalman::Data D = Kalman::Data::may_be_missing>
Steps<double, 5, 2> run_gated(Plant plant, std::vector<std::size_t> const& planted) {
  Targets<double> const targets;
  Steps<double, 5, 2> s(targets.items, targets.steps);
  s.start(targets.start, targets.p, targets.q, targets.r);
  Random random(177);
  fill(s.z, [&](auto const& h) {
    for (std::size_t k = 0; k < s.items; ++k)
      for (std::size_t t = 0; t < targets.steps; ++t) {
        h(k, t, 0) = double(targets.start[k](0)) + 0.1 * random.normal();
        h(k, t, 1) = std::sin(double(targets.start[k](1)) - 0.3 * double(t)) + 0.1 * random();
      }
    for (std::size_t k : planted)
      for (int i = 0; i < 2; ++i) {
        if (plant == Plant::infinite) h(k, 3, i) = std::numeric_limits<double>::infinity();
        if (plant == Plant::missing) h(k, 3, i) = std::numeric_limits<double>::quiet_NaN();
        if (plant == Plant::outlier) h(k, 3, i) = 20;
        if (plant == Plant::far_outlier) h(k, 3, i) = 5000;
      }
  });
  Kokkos::View<double*, Space> gain("gain", s.items);
  fill(gain, [&](auto const& h) {
    for (std::size_t k = 0; k < s.items; ++k) h(k) = 1;
    for (std::size_t k : planted) h(k) = plant == Plant::singular ? 0 : 1;
  });
  fill(s.r, [&](auto const& h) {
    for (std::size_t k = 0; k < s.items; ++k)
      for (int i = 0; i < 2; ++i) h(k, i, i) = i == 0 ? 0.01 : 0.04, h(k, i, 1 - i) = 0;
    for (std::size_t k : planted) {
      if (plant == Plant::singular) h(k, 0, 0) = h(k, 1, 1) = 0;
      if (plant == Plant::negative_noise) h(k, 0, 0) = -1000;
    }
  });
  poisoned(s.x), poisoned(s.p), poisoned(s.nis), poisoned(s.loglik), poisoned(s.codes);
  scan(s.steps, Gated<K, D>{500, 1e6}, carry(s.x0, s.x), carry(symmetric(s.p0), symmetric(s.p)),
       carry(common(fixed(0.0)), log_sum(s.loglik, -0.5)), each(s.z), common(symmetric(s.q)),
       in(symmetric(s.r)), in(gain), emit(s.nis), status(s.codes));
  Kokkos::fence();
  return s;
}
template <class S>
void expect_same(S const& a, S const& b, std::size_t k) {
  auto const ap = on_host(a.p), bp = on_host(b.p);
  EXPECT_TRUE(same_bits(on_host(a.loglik)(k), on_host(b.loglik)(k))) << k;
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(same_bits(on_host(a.x)(k, i), on_host(b.x)(k, i))) << k;
    for (int j = 0; j < 5; ++j) EXPECT_TRUE(same_bits(ap(k, i, j), bp(k, i, j))) << k;
  }
}
template <NonlinearFilter K>
void failures() {
  std::vector<std::size_t> const planted{0, 10, 20};
  auto const is_planted = [](std::size_t k) { return k % 10 == 0; };
  auto const clean = run_gated<K>(Plant::none, planted);
  auto const expect = [&](Plant plant, Reason reason, int info) {
    auto const s = run_gated<K>(plant, planted);
    for (std::size_t k = 0; k < s.items; ++k) {
      SCOPED_TRACE("plant " + std::to_string(int(plant)) + ", item " + std::to_string(k));
      EXPECT_EQ(Status::reason(on_host(s.codes)(k)), is_planted(k) ? reason : Reason::success);
      EXPECT_EQ(Status::info(on_host(s.codes)(k)), is_planted(k) ? info : 0);
      if (!is_planted(k)) expect_same(s, clean, k);
      EXPECT_TRUE(is_planted(k) || std::isfinite(on_host(s.loglik)(k)));
    }
  };
  expect(Plant::singular, Reason::not_positive_definite, 1);
  expect(Plant::negative_noise, Reason::not_positive_definite, 1);
  expect(Plant::far_outlier, Reason::incomplete_data, 0);
  // A gated observation is as good as a missing one.
  auto const outlier = run_gated<K>(Plant::outlier, planted),
             missing = run_gated<K>(Plant::missing, planted);
  for (std::size_t k = 0; k < clean.items; ++k) {
    EXPECT_EQ(on_host(outlier.codes)(k), 0);
    EXPECT_EQ(on_host(missing.codes)(k), 0);
    expect_same(outlier, missing, k);
    if (is_planted(k)) {
      EXPECT_GT(on_host(outlier.nis)(k, 3), 500);
      EXPECT_EQ(on_host(missing.nis)(k, 3), 0);
    } else {
      expect_same(outlier, clean, k);
    }
  }
}
TEST(NonlinearSteps, FailAloneAndAreGated) {
  failures<NonlinearFilter::extended>();
  failures<NonlinearFilter::iterated>();
  failures<NonlinearFilter::unscented>();
}
TEST(NonlinearSteps, ReportAMissingEntryOfCompleteData) {
  auto const s =
      run_gated<NonlinearFilter::extended, Kalman::Data::complete>(Plant::missing, {0, 20});
  auto const want = run_gated<NonlinearFilter::extended>(Plant::none, {});
  for (std::size_t k = 0; k < s.items; ++k) {
    EXPECT_EQ(on_host(s.codes)(k),
              k == 0 || k == 20 ? Status::code(Reason::incomplete_data, 0) : 0);
    if (k != 0 && k != 20) expect_same(s, want, k);
  }
}

/// x^2 of a normal x has the mean x^2 + p and the variance 4 x^2 p + 2 p^2; the mode of its density
/// after an observation is a root of a cubic.
TEST(NonlinearSteps, AcceptScalars) {
  constexpr std::size_t items = 11;
  Kokkos::View<double*, Space> x("x", items), p("p", items), z("z", items), moved("moved", items),
      variance("variance", items), extended("extended", items), iterated("iterated", items),
      unscented("unscented", items), nis("nis", items);
  fill(x, [](auto const& h) {
    for (std::size_t k = 0; k < items; ++k) h(k) = 1 + 0.125 * double(k);
  });
  fill(p, [](auto const& h) {
    for (std::size_t k = 0; k < items; ++k) h(k) = 0.25 / double(1 + k);
  });
  fill(z, [](auto const& h) {
    for (std::size_t k = 0; k < items; ++k) h(k) = 2 + 0.25 * double(k);
  });
  constexpr double q = 0.125, r = 0.5;
  map(Scalars{}, out(moved), out(variance), out(extended), out(iterated), out(unscented), out(nis),
      in(x), in(p), in(z), common(fixed(q)), common(fixed(r)));
  Kokkos::fence();
  for (std::size_t k = 0; k < items; ++k) {
    long double const m = on_host(x)(k), v = on_host(p)(k), y = on_host(z)(k);
    auto const near_to = [](double got, long double want) {
      EXPECT_NEAR(got, double(want), double(tolerance<double>(8, want)));
    };
    near_to(on_host(moved)(k), m * m + v);
    near_to(on_host(variance)(k), 4 * m * m * v + 2 * v * v + q);
    long double const s = 4 * m * m * v + r;
    near_to(on_host(extended)(k), m + 2 * m * v / s * (y - m * m));
    EXPECT_NEAR(on_host(nis)(k), double((y - m * m) * (y - m * m) / s),
                double(tolerance<double>(8, 1 + m * m)));
    near_to(on_host(unscented)(k),
            m + 2 * m * v / (4 * m * m * v + 2 * v * v + r) * (y - m * m - v));
    // The derivative of (y - x^2)^2 / 2r + (x - m)^2 / 2v is zero.
    long double const at = on_host(iterated)(k), slope = -2 * at * (y - at * at) / r + (at - m) / v,
                      curvature = 4 * at * at / r + 1 / v;
    EXPECT_NEAR(double(slope / curvature), 0, 1e-9);
  }
}

}  // namespace
}  // namespace Batchwork::Test
