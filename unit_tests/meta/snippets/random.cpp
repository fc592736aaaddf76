// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Code of docs/guides/random.md.
#include <Batchwork.hpp>

namespace doc_random {

using namespace Batchwork;

/// Brownian motion of particles, with a drift.
struct Diffuse {
  double drift, deviation;
  template <class X, class R>
  KOKKOS_FUNCTION void operator()(X& x, R& r) const {
    x = (1 - drift) * x + deviation * normal<3>(r);
  }
};

inline void walk(Kokkos::View<double* [3]> const& x, int steps) {
  scan(steps, Diffuse{0.01, 0.1}, carry(x, x), random(2026));
}

inline void walk_step_by_step(Kokkos::View<double* [3]> const& x, int steps) {
  for (int step = 0; step < steps; ++step)
    map(Diffuse{0.01, 0.1}, inout(x), random(2026, step));  // a stream for each step
}

/// Draws of every kind.
struct Draws {
  template <class U, class Z, class K, class P, class R>
  KOKKOS_FUNCTION void operator()(U& u, Z& z, K& k, P const& p, R& r) const {
    u = 2.0 * uniform<4, 4>(r);              // in [0, 2)
    z = cholesky(p).lower() * normal<3>(r);  // with covariance p
    k = integers(r, 6) + integers(r, 6);     // the sum of two dice less 2
  }
};

/// Until the point is in the unit ball. r is a state of the loop, because items need different
/// numbers of rounds.
struct InBall {
  template <class X, class R>
  KOKKOS_FUNCTION void operator()(X& x, R& r) const {
    auto y = zero<3>(x);
    iterate(
        100,
        [](auto& point, auto& numbers) {
          point = 2.0 * uniform<3>(numbers) - ones<3>(point);
          return dot(point, point) > 1.0;
        },
        y, r);
    x = y;
  }
};

/// One step of a Gaussian particle filter (Kotecha and Djuric 2003) for the growth model.
struct ParticleFilter {
  int particles;
  template <class Mean, class Variance, class Z, class T, class R>
  KOKKOS_FUNCTION void operator()(Mean& mean, Variance& variance, Z const& z, T const& step,
                                  R& r) const {
    auto const forcing = 8.0 * cos(1.2 * step);
    auto sum = zero(mean), first = zero(mean), second = zero(mean);
    repeat(particles, [&] {
      auto const noise = normal<2>(r);
      auto const x = mean + sqrt(variance) * noise(0);
      auto const y = 0.5 * x + 25.0 * x / (1.0 + x * x) + forcing + Kokkos::sqrt(10.0) * noise(1);
      auto const misfit = z - y * y / 20;
      auto const weight = exp(-0.5 * misfit * misfit);
      sum += weight;
      first += weight * y;
      second += weight * y * y;
    });
    mean = first / sum;
    variance = second / sum - mean * mean;
  }
};

inline void filter(Kokkos::View<double*> const& mean, Kokkos::View<double*> const& variance,
                   Kokkos::View<double**> const& z, Kokkos::View<int*> const& codes) {
  scan(int(z.extent(1)), ParticleFilter{1000}, carry(mean, mean), carry(variance, variance),
       each(z), step_index(), random(7), status(codes));
}

inline void fill(Kokkos::DefaultExecutionSpace const& exec, int n) {
  Kokkos::View<float**> x("x", n, 3);
  Kokkos::View<Kokkos::complex<double>*> signal("signal", n);
  fill_random(exec, random(2026), uniform(-1, 1), x);
  fill_random(exec, random(2026, 1), normal(0, 0.5), signal);
}

/// Rank p of a program with MPI has a part of the items.
inline void part_of_a_batch(Kokkos::View<double* [3]> const& mine, std::int64_t first) {
  scan(100, Diffuse{0.01, 0.1}, carry(mine, mine), random(2026, 0, first));
}

/// In a kernel of the user, the group is called once in every step.
struct Kick {
  template <class X, class T, class R>
  KOKKOS_FUNCTION void operator()(X& x, T const& step, R& r) const {
    auto numbers = r.at(step);
    x += normal<3>(numbers);
  }
};

/// Every sequence of this file, once.
inline void instantiate() {
  int const n = 8;
  Kokkos::View<double* [3]> x("x", n), z("z", n);
  Kokkos::View<double* [4][4]> u("u", n);
  Kokkos::View<double* [3][3]> p("p", n);
  Kokkos::View<double**> series("series", n, 5);
  Kokkos::View<double*> mean("mean", n), variance("variance", n);
  Kokkos::View<int*> k("k", n);
  walk(x, 5);
  walk_step_by_step(x, 5);
  map(Draws{}, out(u), out(z), out(k), in(symmetric(p)), random(1));
  map(InBall{}, out(x), random(1));
  map(Kick{}, inout(x), in(k), random(1));
  filter(mean, variance, series, k);
  fill(Kokkos::DefaultExecutionSpace(), n);
  part_of_a_batch(x, 0);
}

}  // namespace doc_random
