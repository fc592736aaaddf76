// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Extended Kalman filters for thousands of turning aircraft. A radar measures range and bearing.
/// The state is position, speed, heading and turn rate. Motion and observation are nonlinear and
/// written once, as functions of a vector. `Kalman::extended_step` computes their Jacobians, and
/// the time loop runs in one kernel (`scan`).
///
/// All means and log-likelihoods are compared with a plain loop with hand-written Jacobians. The
/// error of the filters is compared with the error of the radar. Exit status 1 if a result is
/// wrong.
///
/// Y. Bar-Shalom, X. R. Li and T. Kirubarajan, Estimation with Applications to Tracking and
/// Navigation, Wiley (2001), section 11.7.

#include <Batchwork.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

constexpr int aircraft = 5000, steps = 60;
constexpr int D = 5;      // x, y in km, speed in km/s, heading, turn rate
constexpr double dt = 2;  // s
constexpr double of_range = 0.1, of_bearing = 0.002;    // noise of the radar: km, rad
constexpr double of_speed = 2e-3, of_turn_rate = 1e-3;  // noise of the motion in a step
constexpr double pi = 3.14159265358979323846;

/// The state after a step. The aircraft moves along the chord of a circle; to second order, chord
/// and arc have the same length.
struct Motion {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    auto const way = x(2) * dt, direction = x(3) + x(4) * (0.5 * dt);
    auto y = 1 * x;
    y(0) += way * cos(direction);
    y(1) += way * sin(direction);
    y(3) += x(4) * dt;
    return y;
  }
};
/// Range and bearing, as a radar at the origin measures them.
struct Observation {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    return Batchwork::generate<2>(
        [&](int i) { return i == 0 ? hypot(x(0), x(1)) : atan2(x(1), x(0)); });
  }
};

/// The difference of two observations. Bearings differ by the short way round.
struct Residual {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(A const& a, B const& b) const {
    auto d = a - b;
    d(1) -= 2 * pi * round(d(1) / (2 * pi));
    return d;
  }
};

/// A step: prediction, then the update by an observation.
struct Track {
  template <class X, class P, class L, class Z, class Q, class R, class M>
  KOKKOS_FUNCTION void operator()(X& x, P& p, L& log_likelihood, Z const& z, Q const& q, R const& r,
                                  M& mean) const {
    using namespace Batchwork;
    Kalman::extended_step(x, p, log_likelihood, z, Motion{}, q, Observation{}, r, Residual{});
    mean = x;
  }
};

/// The next normally distributed number of a seed.
double normal(std::uint64_t& seed) {
  auto const uniform = [&] {
    seed += 0x9e3779b97f4a7c15u;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (static_cast<double>((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
  };
  double const radius = std::sqrt(-2 * std::log(uniform())), angle = 2 * pi * uniform();
  return radius * std::cos(angle);
}

// ---- a plain loop
// ---------------------------------------------------------------------------------------------

struct Plain {
  double x[D], p[D][D], log_likelihood = 0;

  void step(double const (&z)[2], double const (&q)[D][D], double const (&r)[2][2]) {
    double const way = x[2] * dt, direction = x[3] + 0.5 * dt * x[4], c = std::cos(direction),
                 s = std::sin(direction);
    double f[D][D] = {};
    for (int i = 0; i < D; ++i) f[i][i] = 1;
    f[0][2] = dt * c, f[0][3] = -way * s, f[0][4] = -0.5 * dt * way * s;
    f[1][2] = dt * s, f[1][3] = way * c, f[1][4] = 0.5 * dt * way * c;
    f[3][4] = dt;
    x[0] += way * c, x[1] += way * s, x[3] += dt * x[4];
    double fp[D][D] = {}, prior[D][D];
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j)
        for (int k = 0; k < D; ++k) fp[i][j] += f[i][k] * p[k][j];
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        prior[i][j] = q[i][j];
        for (int k = 0; k < D; ++k) prior[i][j] += fp[i][k] * f[j][k];
      }
    double const square = x[0] * x[0] + x[1] * x[1], range = std::sqrt(square);
    double const h[2][2] = {{x[0] / range, x[1] / range}, {-x[1] / square, x[0] / square}};
    double innovation[2] = {z[0] - range, z[1] - std::atan2(x[1], x[0])};
    innovation[1] -= 2 * pi * std::round(innovation[1] / (2 * pi));
    double g[2][D], v[2][2];
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < D; ++j) g[i][j] = h[i][0] * prior[0][j] + h[i][1] * prior[1][j];
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) v[i][j] = g[i][0] * h[j][0] + g[i][1] * h[j][1] + r[i][j];
    double const det = v[0][0] * v[1][1] - v[0][1] * v[1][0];
    double const w[2][2] = {{v[1][1] / det, -v[0][1] / det}, {-v[1][0] / det, v[0][0] / det}};
    double const nis = innovation[0] * (w[0][0] * innovation[0] + w[0][1] * innovation[1]) +
                       innovation[1] * (w[1][0] * innovation[0] + w[1][1] * innovation[1]);
    log_likelihood -= 0.5 * (2 * std::log(2 * pi) + std::log(det) + nis);
    double gain[D][2];
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < 2; ++j) gain[i][j] = g[0][i] * w[0][j] + g[1][i] * w[1][j];
    for (int i = 0; i < D; ++i) {
      x[i] += gain[i][0] * innovation[0] + gain[i][1] * innovation[1];
      for (int j = 0; j <= i; ++j)  // asymmetric rounding errors would grow
        p[i][j] = p[j][i] = prior[i][j] - gain[i][0] * g[0][j] - gain[i][1] * g[1][j];
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  using namespace Batchwork;
  Kokkos::View<double* [D]> const start("start", aircraft), last("last", aircraft);
  Kokkos::View<double* [D][D]> const covariance("covariance", aircraft);
  Kokkos::View<double[D][D]> const P0("P0"), Q("Q");
  Kokkos::View<double[2][2]> const R("R");
  Kokkos::View<double** [2]> const seen("seen", aircraft, steps);
  Kokkos::View<double** [D]> const mean("mean", aircraft, steps);
  Kokkos::View<double*> const log_likelihood("log_likelihood", aircraft);
  Kokkos::View<int*> const codes("codes", aircraft);

  // Simulates the aircraft and the radar.
  auto const to_device = [](auto const& to, auto const& fill) {
    auto const h = Kokkos::create_mirror_view(to);
    fill(h);
    Kokkos::deep_copy(to, h);
  };
  double const spread[D] = {of_range, of_range, 0.02, 0.2, 0.01};
  double p0[D][D] = {}, q[D][D] = {}, r[2][2] = {};
  for (int i = 0; i < D; ++i) p0[i][i] = spread[i] * spread[i];
  q[2][2] = of_speed * of_speed, q[4][4] = of_turn_rate * of_turn_rate;
  r[0][0] = of_range * of_range, r[1][1] = of_bearing * of_bearing;
  to_device(P0, [&](auto const& h) {
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) h(i, j) = p0[i][j];
  });
  to_device(Q, [&](auto const& h) {
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) h(i, j) = q[i][j];
  });
  to_device(R, [&](auto const& h) {
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) h(i, j) = r[i][j];
  });
  Kokkos::View<double** [2], Kokkos::HostSpace> const truth("truth", aircraft, steps);
  auto const z = Kokkos::create_mirror_view(seen);
  to_device(start, [&](auto const& h) {
    for (int n = 0; n < aircraft; ++n) {
      std::uint64_t seed = std::uint64_t(n);
      double x[D] = {60 + 15 * std::cos(0.1 * n), 15 * std::sin(0.1 * n), 0.2 + 0.01 * (n % 10),
                     0.7 * n, 0.02 * std::sin(0.3 * n)};
      for (int i = 0; i < D; ++i) h(n, i) = x[i] + spread[i] * normal(seed);
      for (int t = 0; t < steps; ++t) {
        double const direction = x[3] + 0.5 * dt * x[4];
        x[0] += x[2] * dt * std::cos(direction), x[1] += x[2] * dt * std::sin(direction);
        x[3] += dt * x[4];
        x[2] += of_speed * normal(seed), x[4] += of_turn_rate * normal(seed);
        truth(n, t, 0) = x[0], truth(n, t, 1) = x[1];
        z(n, t, 0) = std::hypot(x[0], x[1]) + of_range * normal(seed);
        z(n, t, 1) = std::atan2(x[1], x[0]) + of_bearing * normal(seed);
      }
    }
  });
  Kokkos::deep_copy(seen, z);

  double seconds = 0;
  for (int turn = 0; turn < 2; ++turn) {  // the second run is measured
    Kokkos::Timer const timer;
    scan(steps, Track{}, carry(start, last), carry(common(symmetric(P0)), symmetric(covariance)),
         carry(common(fixed(0.0)), log_sum(log_likelihood, -0.5)), each(seen), common(symmetric(Q)),
         common(symmetric(R)), emit(mean), status(codes));
    Kokkos::fence();
    seconds = timer.seconds();
  }

  auto const host = [](auto const& v) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
  };
  auto const x0 = host(start);
  auto const m = host(mean);
  auto const likelihood = host(log_likelihood);
  auto const code = host(codes);
  double worst = 0, of_filter = 0, of_radar = 0;
  int wrong = 0;
  for (int n = 0; n < aircraft; ++n) {
    Plain plain;
    double error = 0;
    for (int i = 0; i < D; ++i) {
      plain.x[i] = x0(n, i);
      for (int j = 0; j < D; ++j) plain.p[i][j] = p0[i][j];
    }
    for (int t = 0; t < steps; ++t) {
      plain.step({z(n, t, 0), z(n, t, 1)}, q, r);
      for (int i = 0; i < D; ++i)
        error = std::fmax(error, std::fabs(m(n, t, i) - plain.x[i]) / (1 + std::fabs(plain.x[i])));
      if (t < steps / 2) continue;
      double const x = truth(n, t, 0), y = truth(n, t, 1);
      of_filter += std::pow(m(n, t, 0) - x, 2) + std::pow(m(n, t, 1) - y, 2);
      of_radar += std::pow(z(n, t, 0) * std::cos(z(n, t, 1)) - x, 2) +
                  std::pow(z(n, t, 0) * std::sin(z(n, t, 1)) - y, 2);
    }
    error = std::fmax(error, std::fabs(likelihood(n) - plain.log_likelihood) /
                                 (1 + std::fabs(plain.log_likelihood)));
    wrong += code(n) == 0 && error < 1e-9 ? 0 : 1;
    worst = std::fmax(worst, error);
  }
  double const better = std::sqrt(of_radar / of_filter);
  std::printf("%d aircraft, %d observations each; largest difference from a plain loop: %.1e\n",
              aircraft, steps, worst);
  std::printf("positions are %.1f times as accurate as the radar\n", better);
  std::printf("%.0f ns per aircraft and step on %s\n", 1e9 * seconds / (double(aircraft) * steps),
              Exec::name());
  if (wrong > 0) std::printf("%d aircraft are wrong\n", wrong);
  return wrong > 0 || !(better > 1.5) ? 1 : 0;
}
