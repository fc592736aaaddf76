// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The examples of docs/reference/functions.md. This program runs them and checks their results.
#include <Batchwork_Map.hpp>
#include <cmath>
#include <cstdio>

using namespace Batchwork;

namespace {

struct Pendulum {
  template <class Energy, class State>
  KOKKOS_FUNCTION void operator()(Energy& energy, State const& state) const {
    auto const angle = element(state, 0), speed = element(state, 1);
    energy = square(speed) / 2 + 1 - cos(angle);
  }
};

struct Weights {
  template <class W, class D>
  KOKKOS_FUNCTION void operator()(W& weights, D const& distances) const {
    weights = exp(-square(distances) / 2);
  }
};

/// Any function of plain numbers.
struct Saturation {
  KOKKOS_FUNCTION double operator()(double temperature, double salinity) const {
    return temperature > 273.15 ? 1.5 * temperature - salinity : 0.0;
  }
};
struct Air {
  template <class Y, class T>
  KOKKOS_FUNCTION void operator()(Y& y, T const& temperatures) const {
    y = apply(Saturation{}, temperatures, 35);
  }
};

struct SineAndCosine {
  double sine, cosine;
};
struct SinCos {
  KOKKOS_FUNCTION SineAndCosine operator()(double x) const {
    return {Kokkos::sin(x), Kokkos::cos(x)};
  }
};
struct Rotate {
  template <class Y, class Angle, class X>
  KOKKOS_FUNCTION void operator()(Y& y, Angle const& angle, X const& x) const {
    auto const [s, c] = apply(SinCos{}, angle);
    y = generate<2>([&](int i) {
      return i == 0 ? c * element(x, 0) - s * element(x, 1) : s * element(x, 0) + c * element(x, 1);
    });
  }
};

struct Root {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    auto const residual = y * y - x;
    print(abs(residual) > 1.0, "residual", residual);
    y = y - residual / (2 * y);
  }
};

int failures = 0;
void check(double got, double want, char const* what) {
  if (std::fabs(got - want) <= 1e-12 * (1 + std::fabs(want))) return;
  std::printf("%s is %.15g and should be %.15g\n", what, got, want);
  ++failures;
}

void run() {
  using Space = Kokkos::DefaultExecutionSpace;
  constexpr int n = 5;
  using Numbers = Kokkos::View<double*, Kokkos::LayoutLeft, Space>;
  using Vectors = Kokkos::View<double* [2], Kokkos::LayoutLeft, Space>;
  Numbers const a("a", n), y("y", n);
  Vectors const x("x", n), z("z", n);
  auto const a_host = Kokkos::create_mirror_view(a);
  auto const x_host = Kokkos::create_mirror_view(x);
  for (int k = 0; k < n; ++k) {
    a_host(k) = 0.3 + k;
    for (int i = 0; i < 2; ++i) x_host(k, i) = 0.1 * k + i - 0.7;
  }
  Kokkos::deep_copy(a, a_host);
  Kokkos::deep_copy(x, x_host);
  auto const numbers = [](auto const& view) {
    auto const copy = Kokkos::create_mirror(view);
    Kokkos::deep_copy(copy, view);
    return copy;
  };

  map(Pendulum{}, out(y), in(x));
  auto const energies = numbers(y);
  map(Weights{}, out(z), in(x));
  auto const weights = numbers(z);
  map(Air{}, out(z), in(x));
  auto const of_air = numbers(z);
  map(Rotate{}, out(z), in(a), in(x));
  auto const rotated = numbers(z);
  Kokkos::deep_copy(y, 1.0);
  map(Root{}, inout(y), in(a));
  auto const roots = numbers(y);
  for (int k = 0; k < n; ++k) {
    double const u = x_host(k, 0), v = x_host(k, 1), angle = a_host(k);
    check(energies(k), v * v / 2 + 1 - std::cos(u), "an energy");
    check(weights(k, 1), std::exp(-v * v / 2), "a weight");
    check(of_air(k, 0), 0, "a saturation");
    check(rotated(k, 0), std::cos(angle) * u - std::sin(angle) * v, "a rotated number");
    check(roots(k), 1 - (1 - angle) / 2, "a root");
  }
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  run();
  return failures == 0 ? 0 : 1;
}
