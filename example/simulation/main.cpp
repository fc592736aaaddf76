// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A simulation with Kalman filters inside its own kernel. Targets move in a plane, and a sensor
/// measures their positions with noise. A filter with four states (position and velocity) tracks
/// each target. One team computes all time steps of a group of targets: motion, measurement, and
/// the update of the filters by Batchwork::team_map.
///
/// The tracks are compared with a plain loop. Exit status 1 if they differ.

#include <Batchwork.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

constexpr int targets = 1000, times = 50;
constexpr double dt = 0.1, drag = 0.3, swirl = 0.8;  // of the motion
constexpr double sensor_noise = 0.05;                // standard deviation
constexpr double unforeseen =
    0.002;  // variance of a step's motion that is not in the filter's model

/// A number between -1 and 1 that depends on its arguments only, so that the order of computation
/// does not matter.
KOKKOS_FUNCTION double noise(std::uint64_t target, std::uint64_t time, std::uint64_t which) {
  std::uint64_t x = (target * 1000003 + time) * 2 + which + 1;
  for (int round = 0; round < 3; ++round) {
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15u;
  }
  x ^= x >> 32;
  return double(x >> 11) / double(std::uint64_t(1) << 52) - 1;
}

/// The user's own code: moves a target's state x, y, u, v by one time step, with drag and swirl.
KOKKOS_FUNCTION void move(double (&s)[4]) {
  double const ax = -drag * s[2] - swirl * s[3], ay = -drag * s[3] + swirl * s[2];
  s[0] += dt * s[2] + 0.5 * dt * dt * ax;
  s[1] += dt * s[3] + 0.5 * dt * dt * ay;
  s[2] += dt * ax;
  s[3] += dt * ay;
}

/// One predict and update. The filter assumes uniform motion.
struct Track {
  template <class X, class P, class Z, class F, class Q, class H, class R>
  KOKKOS_FUNCTION void operator()(X& x, P& p, Z const& z, F const& f, Q const& q, H const& h,
                                  R const& r) const {
    auto const prior_x = f * x;
    auto const prior = congruence(f, p, q);
    auto const g = h * prior;
    auto const c = cholesky(symmetric_product(g, transpose(h), r));
    auto const y = solve(c.lower(), g);
    auto const u = solve(c.lower(), z - h * prior_x);
    x = prior_x + transpose(y) * u;
    p = downdate(prior, y);
  }
};

/// The kernel: each team computes the time steps of its targets, one after the other.
template <class Update>
struct Simulate {
  Kokkos::View<double* [4]> state;
  Kokkos::View<double* [2]> seen;
  Update update;
  int per_team;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const first = member.league_rank() * per_team;
    int const last = first + per_team < targets ? first + per_team : targets;
    for (int time = 0; time < times; ++time) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, first, last), [&](int n) {
        double s[4] = {state(n, 0), state(n, 1), state(n, 2), state(n, 3)};
        move(s);
        for (int i = 0; i < 4; ++i) state(n, i) = s[i];
        for (int i = 0; i < 2; ++i)
          seen(n, i) =
              s[i] + sensor_noise * noise(std::uint64_t(n), std::uint64_t(time), std::uint64_t(i));
      });
      update(member, first, last);  // sees what the team wrote; the team sees what it writes
    }
  }
};

// ---- the same in plain loops ------------------------------------------------------------------

using Real = long double;

struct Plain {
  Real x[4], p[4][4];

  /// One predict and update, element by element. The two components of a measurement are
  /// independent, so they enter one after the other.
  void track(double const (&z)[2]) {
    Real const d = Real(dt);
    for (int i = 0; i < 2; ++i) x[i] += d * x[i + 2];
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 2; ++i) p[i][j] += d * p[i + 2][j];
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 2; ++j) p[i][j] += d * p[i][j + 2];
    for (int i = 0; i < 4; ++i) p[i][i] += Real(i < 2 ? unforeseen * dt : unforeseen);
    for (int k = 0; k < 2; ++k) {
      Real const s = p[k][k] + Real(sensor_noise * sensor_noise), v = Real(z[k]) - x[k];
      Real column[4];
      for (int i = 0; i < 4; ++i) column[i] = p[i][k];
      for (int i = 0; i < 4; ++i) x[i] += column[i] / s * v;
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) p[i][j] -= column[i] * column[j] / s;
    }
  }
};

void start(int n, double (&s)[4]) {
  for (int i = 0; i < 4; ++i) s[i] = noise(std::uint64_t(n), times, std::uint64_t(i));
}

struct Result {
  double difference;  ///< the largest difference between a track and the plain loops
  double track,
      sensor;  ///< mean distances of tracks and of measurements from the targets at the end
};

template <class X, class P, class S, class Z>
Result compare(X const& x, P const& p, S const& state, Z const& seen) {
  Result r{0, 0, 0};
  auto const differ = [&](double a, Real b) {
    double const d = double(std::fabs(Real(a) - b));
    if (!(d <= r.difference)) r.difference = d;  // also true for a NaN
  };
  for (int n = 0; n < targets; ++n) {
    Plain plain{};
    for (int i = 0; i < 4; ++i) plain.p[i][i] = 1;
    double s[4];
    start(n, s);
    for (int time = 0; time < times; ++time) {
      move(s);
      double z[2];
      for (int i = 0; i < 2; ++i)
        z[i] = s[i] + sensor_noise * noise(std::uint64_t(n), std::uint64_t(time), std::uint64_t(i));
      plain.track(z);
    }
    for (int i = 0; i < 4; ++i) differ(x(n, i), plain.x[i]);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) differ(p(n, i, j), plain.p[i][j]);
    r.track += std::hypot(x(n, 0) - state(n, 0), x(n, 1) - state(n, 1)) / targets;
    r.sensor += std::hypot(seen(n, 0) - state(n, 0), seen(n, 1) - state(n, 1)) / targets;
  }
  return r;
}

int run() {
  using namespace Batchwork;
  Kokkos::View<double* [4]> state("state", targets), x("x", targets);
  Kokkos::View<double* [4][4]> p("p", targets);
  Kokkos::View<double* [2]> seen("seen", targets);
  auto const host_state = Kokkos::create_mirror_view(state);
  auto const host_p = Kokkos::create_mirror_view(p);
  for (int n = 0; n < targets; ++n) {
    double s[4];
    start(n, s);
    for (int i = 0; i < 4; ++i) host_state(n, i) = s[i];
    for (int i = 0; i < 4; ++i) host_p(n, i, i) = 1;
  }
  Kokkos::deep_copy(state, host_state);
  Kokkos::deep_copy(p, host_p);

  // The filter's model: uniform motion, positions seen.
  auto const f = generate<4, 4>([](int i, int j) { return i == j ? 1.0 : j == i + 2 ? dt : 0.0; });
  auto const h = generate<2, 4>([](int i, int j) { return i == j ? 1.0 : 0.0; });
  auto const q = generate<4, 4>([](int i, int j) {
    return i != j ? 0.0 : i < 2 ? unforeseen * dt : unforeseen;
  });
  auto const r =
      generate<2, 2>([](int i, int j) { return i == j ? sensor_noise * sensor_noise : 0.0; });

  auto const update =
      team_map<Exec>(Track{}, inout(x), inout(symmetric(p)), in(seen), common(fixed(f)),
                     common(fixed(q)), common(fixed(h)), common(fixed(r)));
  int const per_team = 128;
  int const teams = (targets + per_team - 1) / per_team;
  Simulate const simulate{state, seen, update, per_team};
  Kokkos::TeamPolicy<Exec> policy(teams, 1);
  int const team_size =
      std::min(per_team, policy.team_size_max(simulate, Kokkos::ParallelForTag()));
  policy = Kokkos::TeamPolicy<Exec>(teams, team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(update.scratch_size(team_size))));
  Kokkos::parallel_for("simulation", policy, simulate);

  Result const result = compare(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x),
                                Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), p),
                                Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), state),
                                Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), seen));
  std::printf("%d targets tracked over %d time steps on %s, %d threads per team\n", targets, times,
              Exec::name(), team_size);
  std::printf("mean distance from the target: track %.4f, sensor %.4f\n", result.track,
              result.sensor);
  std::printf("largest difference from plain loops: %.2g\n", result.difference);
  // All numbers are of order one, and the filter forgets old rounding errors. The errors of some
  // steps remain, with about ten operations each.
  bool const right = result.difference < 1e-12 && result.track < result.sensor;
  std::printf(right ? "right\n" : "WRONG\n");
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  return run();
}
