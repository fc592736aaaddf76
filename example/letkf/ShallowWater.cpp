// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ShallowWater.hpp"

#include <Batchwork.hpp>
#include <utility>

namespace Letkf {

namespace {

using Model = ShallowWater;
using Policy = Kokkos::TeamPolicy<Exec>;

/// to = a start + b (from + step * rate(from)). A team has a line of the grid. The members of a
/// point are neighbours in memory.
struct Stage {
  using Stencil = double const* [3][3];

  int n;
  double a, b;
  Ensemble start, from, to;

  KOKKOS_FUNCTION void operator()(Policy::member_type const& team) const {
    int const y = team.league_rank(), members = int(from.extent(2));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n), [&](int x) {
      // The point and its neighbours, by their distances from -1 to 1.
      int const columns[3] = {x > 0 ? x - 1 : n - 1, x, x < n - 1 ? x + 1 : 0};
      int const lines[3] = {y > 0 ? y - 1 : n - 1, y, y < n - 1 ? y + 1 : 0};
      Stencil near;
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) near[j][i] = &from(lines[j] * n + columns[i], 0, 0);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, members),
                           [&](int member) { point(near, y * n + x, member); });
    });
  }

  KOKKOS_INLINE_FUNCTION void point(Stencil const& near, int here, int member) const {
    auto const at = [&](int i, int j, int variable) {
      return near[j + 1][i + 1][variable * int(from.extent(2)) + member];
    };
    auto const h = [&](int i, int j) { return at(i, j, 0); };
    auto const u = [&](int i, int j) { return at(i, j, 1); };
    auto const v = [&](int i, int j) { return at(i, j, 2); };
    constexpr double d = Model::spacing;
    // Transports through the sides, potential vorticity in the lower left corner, and energy in the
    // centre.
    auto const hu = [&](int i, int j) { return u(i, j) * (h(i - 1, j) + h(i, j)) / 2; };
    auto const hv = [&](int i, int j) { return v(i, j) * (h(i, j - 1) + h(i, j)) / 2; };
    auto const q = [&](int i, int j) {
      double const vorticity = (v(i, j) - v(i - 1, j) - u(i, j) + u(i, j - 1)) / d;
      return 4 * (Model::coriolis + vorticity) /
             (h(i - 1, j - 1) + h(i, j - 1) + h(i - 1, j) + h(i, j));
    };
    auto const square = [](double z) { return z * z; };
    auto const energy = [&](int i, int j) {
      return Model::gravity * h(i, j) +
             (square(u(i, j)) + square(u(i + 1, j)) + square(v(i, j)) + square(v(i, j + 1))) / 4;
    };
    auto const friction = [&](auto const& f) {
      return Model::viscosity * (f(1, 0) + f(-1, 0) + f(0, 1) + f(0, -1) - 4 * f(0, 0)) / (d * d);
    };
    double const rates[3] = {
        -(hu(1, 0) - hu(0, 0) + hv(0, 1) - hv(0, 0)) / d,
        (q(0, 0) * (hv(-1, 0) + hv(0, 0)) + q(0, 1) * (hv(-1, 1) + hv(0, 1))) / 4 -
            (energy(0, 0) - energy(-1, 0)) / d + friction(u),
        -(q(0, 0) * (hu(0, -1) + hu(0, 0)) + q(1, 0) * (hu(1, -1) + hu(1, 0))) / 4 -
            (energy(0, 0) - energy(0, -1)) / d + friction(v)};
    for (int k = 0; k < Model::variables; ++k)
      to(here, k, member) = a * start(here, k, member) + b * (at(0, 0, k) + Model::step * rates[k]);
  }
};

/// Waves with amplitudes that are random numbers: coefficients(member, 2 * wave), for the cosine,
/// and the next one, for the sine.
struct Eddies {
  static constexpr int low = 6, high = 10;  // wave numbers of 128 points
  static constexpr int across = 2 * high + 1, waves = across * (high + 1);

  int n;
  Matrix coefficients;
  Ensemble e;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    std::int64_t const members = std::int64_t(e.extent(2)), member = index % members,
                       point = index / members;
    // The stream function, with velocities around 1 m/s.
    double const unit = 2 * Kokkos::numbers::pi / (128 * Model::spacing);
    double stream = 0, along = 0, up = 0;
    for (int wave = 0; wave < waves; ++wave) {
      int const kx = wave % across - high, ky = wave / across, size = kx * kx + ky * ky;
      if (size < low * low || size > high * high || (ky == 0 && kx < 0)) continue;
      // Whole waves on any grid.
      double const scale = n / 128.0, wx = Kokkos::round(kx * scale) / scale,
                   wy = Kokkos::round(ky * scale) / scale;
      double const phase =
                       unit * Model::spacing * (wx * double(point % n) + wy * double(point / n)),
                   c = Kokkos::cos(phase), s = Kokkos::sin(phase);
      double const p = coefficients(member, 2 * wave), r = coefficients(member, 2 * wave + 1);
      stream += p * c + r * s;
      along += wx * unit * (r * c - p * s);
      up += wy * unit * (r * c - p * s);
    }
    e(point, 0, member) = Model::depth + Model::coriolis / Model::gravity * stream;
    e(point, 1, member) = -up;
    e(point, 2, member) = along;
  }
};

}  // namespace

ShallowWater::ShallowWater(int n, std::int64_t members)
    : n_(n),
      first_("stage 1", n * n, variables, members),
      second_("stage 2", n * n, variables, members) {}

void ShallowWater::start(Exec const& exec, Ensemble const& e, std::uint64_t seed) const {
  using namespace Batchwork;
  Matrix const coefficients("eddies", e.extent(2), 2 * Eddies::waves);
  double const size = 6e3;  // of a wave of the stream function, m^2/s
  fill_random(exec, random(seed), normal(0, size), coefficients);
  Kokkos::parallel_for("letkf: start",
                       Kokkos::RangePolicy<Exec>(exec, 0, std::int64_t(e.extent(0) * e.extent(2))),
                       Eddies{n_, coefficients, e});
  exec.fence("letkf: start");  // coefficients end here
}

void ShallowWater::forecast(Exec const& exec, Ensemble const& e, int steps) const {
  auto const stage = [&](double a, double b, Ensemble const& from, Ensemble const& to) {
    Kokkos::parallel_for("letkf: forecast", Policy(exec, n_, Kokkos::AUTO, 32),
                         Stage{n_, a, b, e, from, to});
  };
  for (int s = 0; s < steps; ++s) {
    stage(0, 1, e, first_);
    stage(3.0 / 4, 1.0 / 4, first_, second_);
    stage(1.0 / 3, 2.0 / 3, second_, e);
  }
}

}  // namespace Letkf
