// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The interacting multiple model estimator of the example tracking, and whether the filters of the
// example are consistent.
#include "../../example/tracking/Steps.hpp"
#include "ImmCase.hpp"

namespace Batchwork::Test {

namespace {

auto const by_scan = [](int steps, auto const& sequence, auto const&... operands) {
  scan(steps, sequence, operands...);
};

TEST(Imm, AgreesWithTheReference) {
  agrees_with_the_reference<double, 3, 2, 2>(by_scan);
  agrees_with_the_reference<double, 2, 1, 3>(by_scan);
  agrees_with_the_reference<float, 3, 2, 3>(by_scan);
}

TEST(Imm, FailsAlone) {
  Banks<double, 3, 2, 2> const clean(by_scan);
  auto const expect = [&](Plant plant, Reason reason) {
    Banks<double, 3, 2, 2> const b(by_scan, plant);
    auto const mean = on_host(b.mean), want = on_host(clean.mean);
    for (std::size_t k = 0; k < b.items; ++k) {
      SCOPED_TRACE("item " + std::to_string(k));
      EXPECT_EQ(Status::reason(on_host(b.codes)(k)), b.is_planted(k) ? reason : Reason::success);
      if (b.is_planted(k)) continue;
      EXPECT_TRUE(same_bits(on_host(b.loglik)(k), on_host(clean.loglik)(k)));
      for (int t = 0; t < b.steps; ++t)
        for (int i = 0; i < 3; ++i) EXPECT_TRUE(same_bits(mean(k, t, i), want(k, t, i)));
    }
  };
  expect(Plant::negative_noise, Reason::not_positive_definite);
  expect(Plant::infinite, Reason::not_finite);
}

// ---- the filters of the example -----------------------------------------------------------------

using Tracking::Mode;
constexpr int of_state = Tracking::N, of_radar = Tracking::M;

/// Targets that move by a mode, or that turn from step `begin` to step `end` at the rate `rate`.
struct Flight {
  Mode mode;
  int begin = 0, end = 0;
  double rate = 0;
};

/// Simulated targets, in long double and without the library.
struct Sky {
  std::size_t items;
  int steps;
  Kokkos::View<double* [of_state], Space> start{"start", items};
  Kokkos::View<double** [of_radar], Space> seen { "seen", items, std::size_t(steps) };
  std::vector<std::vector<Dense>> truth;

  Sky(std::size_t n, int t, Flight const& flight, double missed, unsigned seed)
      : items(n), steps(t) {
    Random random(seed);
    long double const dt = Tracking::interval, a = std::pow(flight.mode.acceleration, 2),
                      deviation[] = {100, 100, 10, 10, 1e-3L};
    Dense q(of_state, of_state);
    for (int i = 0; i < 2; ++i) {
      q(i, i) = a * dt * dt * dt / 3, q(i + 2, i + 2) = a * dt;
      q(i, i + 2) = q(i + 2, i) = a * dt * dt / 2;
    }
    q(4, 4) = std::pow(flight.mode.turn_rate, 2);
    Dense const l = cholesky(q);
    auto const h = Kokkos::create_mirror_view(start);
    auto const z = Kokkos::create_mirror_view(seen);
    truth.resize(items);
    for (std::size_t k = 0; k < items; ++k) {
      long double const bearing = 3.2L * random(), heading = 3.2L * random(), speed = 200;
      long double const range = 60000 + 10000 * random();
      Dense x(of_state, 1);
      x(0) = range * std::cos(bearing), x(1) = range * std::sin(bearing);
      x(2) = speed * std::cos(heading), x(3) = speed * std::sin(heading);
      for (int i = 0; i < of_state; ++i)
        h(k, i) = double(x(i) + deviation[i] * (long double)(random.normal()));
      for (int s = 0; s < steps; ++s) {
        if (s == flight.begin && flight.end > 0) x(4) = flight.rate * (k % 2 ? 1 : -1);
        if (s == flight.end && flight.end > 0) x(4) = 0;
        // The circle of a turn, about its centre; a straight line if the turn rate is zero.
        long double const w = x(4), angle = w * dt, vx = x(2), vy = x(3);
        if (w == 0) {
          x(0) += vx * dt, x(1) += vy * dt;
        } else {
          x(0) += (std::sin(angle) * vx - (1 - std::cos(angle)) * vy) / w;
          x(1) += ((1 - std::cos(angle)) * vx + std::sin(angle) * vy) / w;
          x(2) = std::cos(angle) * vx - std::sin(angle) * vy;
          x(3) = std::sin(angle) * vx + std::cos(angle) * vy;
        }
        x = x + l * make_dense(of_state, 1, [&](int, int) { return random.normal(); });
        if (flight.end > 0) x(4) = w;  // no noise
        truth[k].push_back(x);
        bool const missing = random(0, 1) < missed;
        long double const r = std::hypot(x(0), x(1)),
                          exact[] = {r, std::atan2(x(1), x(0)), (x(0) * x(2) + x(1) * x(3)) / r},
                          noise[] = {20, 1e-3L, 4};
        for (int i = 0; i < of_radar; ++i)
          z(k, s, i) = missing ? std::numeric_limits<double>::quiet_NaN()
                               : double(exact[i] + noise[i] * (long double)(random.normal()));
      }
    }
    Kokkos::deep_copy(start, h);
    Kokkos::deep_copy(seen, z);
  }
};

struct SkyResults {
  Kokkos::View<double** [of_state], Space> mean;
  Kokkos::View<double** [of_state][of_state], Space> covariance;
  Kokkos::View<double**, Space> nis;
  Kokkos::View<double*, Space> gate, gated;
  Kokkos::View<int*, Space> codes;
  explicit SkyResults(Sky const& sky)
      : mean("mean", sky.items, std::size_t(sky.steps)),
        covariance("covariance", sky.items, std::size_t(sky.steps)),
        nis("nis", sky.items, std::size_t(sky.steps)),
        gate("gate", sky.items),
        gated("gated", sky.items),
        codes("codes", sky.items) {
    poisoned(mean), poisoned(covariance), poisoned(nis), poisoned(gate), poisoned(gated);
    poisoned(codes);
  }
  /// Root mean square error of two entries of the state, in steps first to last - 1.
  double error(Sky const& sky, int first, int last, int entry) const {
    auto const m = on_host(mean);
    long double sum = 0;
    for (std::size_t k = 0; k < sky.items; ++k)
      for (int t = first; t < last; ++t)
        for (int i = entry; i < entry + 2; ++i)
          sum += std::pow(m(k, t, i) - sky.truth[k][std::size_t(t)](i), 2);
    return double(std::sqrt(sum / ((long double)(sky.items) * (last - first))));
  }
};

template <bool Unscented>
SkyResults single(Sky const& sky, Mode const& mode) {
  SkyResults r(sky);
  scan(sky.steps, Tracking::SingleStep<Unscented>{mode}, carry(sky.start),
       carry(common(symmetric(fixed(Tracking::start_covariance())))), carry(common(fixed(0.0))),
       carry(common(fixed(Tracking::narrowest)), r.gate), carry(common(fixed(0.0)), r.gated),
       each(sky.seen), emit(r.mean), emit(symmetric(r.covariance)), emit(r.nis), status(r.codes));
  Kokkos::fence();
  return r;
}
SkyResults three_modes(Sky const& sky) {
  SkyResults r(sky);
  Kokkos::View<double* [of_state][3], Space> const means("means", sky.items);
  Kokkos::View<double * [3 * of_state][of_state], Space> const covariances("p", sky.items);
  Kokkos::View<double* [3], Space> const w("w", sky.items);
  auto const start = on_host(sky.start);
  fill(means, [&](auto const& h) {
    for (std::size_t k = 0; k < sky.items; ++k)
      for (int i = 0; i < 3 * of_state; ++i) h(k, i / 3, i % 3) = start(k, i / 3);
  });
  fill(covariances, [&](auto const& h) {
    double const deviation[] = {100, 100, 10, 10, 1e-3};
    for (std::size_t k = 0; k < sky.items; ++k)
      for (int i = 0; i < 3 * of_state; ++i) h(k, i, i % of_state) = std::pow(deviation[i % 5], 2);
  });
  fill(w, [&](auto const& h) {
    for (std::size_t k = 0; k < sky.items; ++k) h(k, 0) = 0.9, h(k, 1) = h(k, 2) = 0.05;
  });
  scan(sky.steps,
       Tracking::ImmStep<3>{{Tracking::straight, Tracking::steady_turn, Tracking::change}},
       carry(means), carry(covariances), carry(w), carry(common(fixed(0.0))),
       carry(common(fixed(Tracking::narrowest)), r.gate), carry(common(fixed(0.0)), r.gated),
       each(sky.seen), emit(r.mean), emit(symmetric(r.covariance)), emit(r.nis), nothing(),
       status(r.codes));
  Kokkos::fence();
  return r;
}

/// The motion is a circle, or a straight line if the mode or the target does not turn.
TEST(Tracking, MotionIsACircle) {
  long double const dt = Tracking::interval;
  for (double const rate : {0.0, 1e-9, 1e-4, -0.009, 0.011, -0.3}) {
    for (int const turning : {0, 1}) {
      Vector<double, of_state> x;
      double const start[] = {30000, -20000, 150, 80, rate};
      for (int i = 0; i < of_state; ++i) x(i) = start[i];
      auto const y = Tracking::Motion{double(turning)}(x);
      // The chord has the length v dt sin(h) / h and the angle h against the velocity.
      long double const h = turning * (long double)(rate)*dt / 2,
                        chord = h == 0 ? dt : dt * std::sin(h) / h, c = std::cos(h),
                        s = std::sin(h);
      long double const want[] = {30000 + chord * (150 * c - 80 * s),
                                  -20000 + chord * (150 * s + 80 * c),
                                  150 * std::cos(2 * h) - 80 * std::sin(2 * h),
                                  150 * std::sin(2 * h) + 80 * std::cos(2 * h), turning * rate};
      for (int i = 0; i < of_state; ++i)
        EXPECT_NEAR(y.entry(i, 0), double(want[i]), 1e-15 * std::fabs(start[i]) + 1e-13)
            << rate << " " << turning << " " << i;
    }
  }
}
/// Acceleration at the time s before the end of a step moves position and velocity by s and 1. The
/// rule of Simpson is exact for the integral of the products.
TEST(Tracking, NoiseIsTheIntegralOfTheAcceleration) {
  double const t = Tracking::interval, a = 0.7, w = 0.01;
  auto const q = Mode{1, a, w}.noise();
  for (int i = 0; i < of_state; ++i)
    for (int j = 0; j < of_state; ++j) {
      auto const at = [&](double s) {
        auto const moved = [&](int k) { return k < 2 ? s : 1; };
        return i % 2 == j % 2 && i < 4 && j < 4 ? a * a * moved(i) * moved(j) : 0;
      };
      double const want = i == 4 && j == 4 ? w * w : t / 6 * (at(0) + 4 * at(t / 2) + at(t));
      EXPECT_NEAR(q.entry(i, j), want, 1e-14) << i << " " << j;
    }
}

/// If the model is right, the NIS of an observation has the chi-squared distribution with 3 degrees
/// of freedom, and the NEES of a state the one with 5. The means of n such numbers are normal with
/// the variances 6 / n and 10 / n. They are within 3.29 standard deviations with probability
/// 99.9 %.
template <bool Unscented>
void is_consistent(unsigned seed) {
  Mode const mode{1, 0.3, 0.0005};
  Sky const sky(10000, 12, {mode, 0, 0, 0}, 0.2, seed);
  auto const r = single<Unscented>(sky, mode);
  auto const mean = on_host(r.mean);
  auto const covariance = on_host(r.covariance);
  auto const nis = on_host(r.nis);
  auto const seen = on_host(sky.seen);
  double of_nis = 0, observed = 0, of_error = 0, gated = 0;
  for (std::size_t k = 0; k < sky.items; ++k) {
    ASSERT_EQ(on_host(r.codes)(k), 0);
    gated += on_host(r.gated)(k);
    for (std::size_t t = 0; t < std::size_t(sky.steps); ++t) {
      if (std::isnan(seen(k, t, 0))) EXPECT_EQ(nis(k, t), 0);
      else of_nis += nis(k, t), observed += 1;
    }
    std::size_t const last = std::size_t(sky.steps - 1);
    Dense const e = make_dense(
        of_state, 1, [&](int i, int) { return sky.truth[k][last](i) - mean(k, last, i); });
    Dense const c =
        make_dense(of_state, of_state, [&](int i, int j) { return covariance(k, last, i, j); });
    of_error += double(dot(e, solve_spd(c, e)));
  }
  EXPECT_NEAR(of_nis / observed, 3, 3.29 * std::sqrt(6 / observed));
  EXPECT_NEAR(of_error / double(sky.items), 5, 3.29 * std::sqrt(10 / double(sky.items)));
  // The gate ignores 0.1 % of the observations, of which the count is a Poisson number.
  EXPECT_NEAR(gated, 0.001 * observed, 3.29 * std::sqrt(0.001 * observed));
}
TEST(Tracking, FiltersAreConsistent) {
  is_consistent<false>(221);
  is_consistent<true>(223);
}

/// An outlier makes the gate four times as wide. A step without an observation keeps it, and the
/// next observation inside makes it narrow again.
TEST(Tracking, GateWaitsForAnObservation) {
  for (int const steps : {3, 4, 5}) {
    Sky const sky(16, steps, {Tracking::straight, 0, 0, 0}, 0, 229);
    auto const z = on_host(sky.seen);
    for (std::size_t k = 0; k < sky.items; ++k) {
      z(k, 2, 0) += 1e4;
      if (steps > 3) z(k, 3, 0) = z(k, 3, 1) = z(k, 3, 2) = std::nan("");
    }
    Kokkos::deep_copy(sky.seen, z);
    double const want = (steps < 5 ? 4 : 1) * Tracking::narrowest;
    auto const extended = single<false>(sky, Tracking::any),
               unscented = single<true>(sky, Tracking::any), imm = three_modes(sky);
    for (auto const* r : {&extended, &unscented, &imm})
      for (std::size_t k = 0; k < sky.items; ++k)
        EXPECT_EQ(on_host(r->gate)(k), want) << steps << " " << k;
  }
}

/// Targets fly straight for 15 steps, turn for 20 steps at 2.5 degrees a second, and fly straight
/// again. An extended filter for straight flight loses them. One for straight flight and turns is
/// as good as the IMM in the turn, but not on straight parts.
TEST(Tracking, ImmIsGoodInTurnsAndOnStraightParts) {
  Sky const sky(600, 50, {{1, 0.3, 0.0005}, 15, 35, 0.0436}, 0.1, 227);
  auto const for_straight = single<false>(sky, Tracking::straight),
             for_any = single<false>(sky, Tracking::any), imm = three_modes(sky);
  for (auto const* r : {&for_straight, &for_any, &imm})
    for (std::size_t k = 0; k < sky.items; ++k) ASSERT_EQ(on_host(r->codes)(k), 0);
  constexpr int position = 0, velocity = 2;
  EXPECT_LT(imm.error(sky, 15, 35, position), 0.1 * for_straight.error(sky, 15, 35, position));
  EXPECT_LT(imm.error(sky, 15, 35, position), 1.05 * for_any.error(sky, 15, 35, position));
  EXPECT_LT(imm.error(sky, 40, 50, position), 0.9 * for_any.error(sky, 40, 50, position));
  EXPECT_LT(imm.error(sky, 40, 50, velocity), 0.6 * for_any.error(sky, 40, 50, velocity));
  // The bearing alone is off by 60 m.
  EXPECT_LT(imm.error(sky, 5, 50, position), 60);
}

}  // namespace
}  // namespace Batchwork::Test
