// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Code of docs/guides/nonlinear_filter.md and docs/reference/kalman/model.md.

#include <Batchwork.hpp>
#include <cstdint>

namespace doc_nonlinear {

using namespace Batchwork;

// ---- docs/guides/nonlinear_filter.md ------------------------------------------------------------

/// The extended filter of a pendulum of which one number is observed at a time.
struct TurnAngle {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    auto y = 1 * x;
    y(0) += 0.01 * x(1);
    y(1) -= 0.01 * 9.81 * sin(x(0));
    return y;
  }
};
struct OneObservation {
  template <class X, class P, class Z, class Q, class R, class M>
  KOKKOS_FUNCTION void operator()(X& x, P& p, Z const& z, Q const& q, R const& r, M& mean) const {
    auto const [predicted, f] = value_and_jacobian(TurnAngle{}, x);
    auto const prior = congruence(f, p, q);
    auto const [expected, h] =
        value_and_gradient([](auto const& s) { return sin(s(0)); }, predicted);
    auto const g = prior * h;
    auto const variance = dot(h, g) + r;  // a scalar
    auto const missing = isnan(z);
    x = select(missing, predicted, predicted + g * ((z - expected) / variance));
    p = select(missing, prior, symmetric(prior - outer(g, g) / variance));
    mean = x;
  }
};

/// The unscented filter of a target at range and bearing.
struct Unscented {
  template <class X, class P, class Z, class Q, class R, class Filtered>
  KOKKOS_FUNCTION void operator()(X& x, P& p, Z const& z, Q const& q, R const& r,
                                  Filtered& filtered) const {
    constexpr int N = 5, M = 2, Points = 11;
    constexpr double d = 0.1, spread = 2.449489742783178, pi = 3.141592653589793;
    auto const l = spread * cholesky(p).lower();
    auto moved = zero<N, Points>(x);  // columns: the points, moved
    auto seen = zero<M, Points>(x);   // and measured
    for (int a = 0; a < Points; ++a) {
      auto const s = generate<N>([&](int i) {
        return a == 0      ? element(x, i)
               : a < N + 1 ? element(x, i) + element(l, i, a - 1)
                           : element(x, i) - element(l, i, a - N - 1);
      });
      auto const heading = element(s, 3), step = d * element(s, 2);
      auto const u = element(s, 0) + step * cos(heading), v = element(s, 1) + step * sin(heading);
      assign_block(
          moved, 0, a, generate<N>([&](int i) {
            return i == 0 ? u : i == 1 ? v : i == 3 ? heading + d * element(s, 4) : element(s, i);
          }));
      assign_block(seen, 0, a,
                   generate<M>([&](int m) { return m == 0 ? hypot(u, v) : atan2(v, u); }));
    }
    for (int a = 1; a < Points; ++a)  // bearings near that of the first point
      seen(1, a) -= 2 * pi * round((seen(1, a) - seen(1, 0)) / (2 * pi));
    auto const one = ones<Points>(x);
    auto w = one / 12;
    w(0) = 1.0 / 6;
    auto const mean = moved * w;
    auto const y = seen * w;
    auto const dx = moved - outer(mean, one);
    auto const dy = seen - outer(y, one);
    auto const weighted = as_diagonal(w) * transpose(dy);
    auto const prior = symmetric_product(dx, as_diagonal(w) * transpose(dx), q);
    auto const g = transpose(dx * weighted);
    auto const gain = solve(cholesky(symmetric_product(dy, weighted, r)), g);
    auto innovation = z - y;
    innovation(1) -= 2 * pi * round(innovation(1) / (2 * pi));
    auto const missing = isnan(z(0)) || isnan(z(1));
    x = select(missing, mean, mean + transpose(gain) * innovation);
    p = select(missing, prior, prior - symmetric_product(transpose(g), gain));
    filtered = x;
  }
};

// ---- docs/reference/kalman/model.md
// ----------------------------------------------------------------

/// Forms of a diagonal Q of three states.
inline void diagonals(std::int64_t steps, Kokkos::View<double* [3]> q, Kokkos::View<double[3]> q3,
                      Kokkos::View<double* [3]> of_time, Kokkos::View<double** [3]> of_both,
                      Kokkos::View<double**> z, Kokkos::View<double** [3]> mean) {
  auto const F = generate<3, 3>([](int i, int j) { return i == j ? 1.0 : i + 1 == j ? 0.1 : 0.0; });
  auto const H = generate<1, 3>([](int, int j) { return j == 0 ? 1.0 : 0.0; });
  auto const run = [&](auto const& Q) {
    Kalman::filter(steps, Kalman::model(common(fixed(F)), Q, common(fixed(H)), common(fixed(0.25))),
                   Kalman::diffuse(), z, Kalman::results().filtered_mean(mean));
  };
  double const a[3] = {0, 0, 0.01};
  run(common(diagonal(fixed(a))));
  run(common(diagonal(q3)));
  run(in(diagonal(q)));
  run(common(each(diagonal(of_time))));
  run(each(diagonal(of_both)));
}

/// Every sequence of this file, once.
inline void instantiate() {
  int const n = 8, steps = 4;
  Kokkos::View<double* [2]> x2("x2", n), y2("y2", n);
  Kokkos::View<double* [5]> x5("x5", n);
  Kokkos::View<double* [2][2]> p2("p2", n);
  Kokkos::View<double* [5][5]> p5("p5", n);
  Kokkos::View<double**> z("z", n, steps);
  Kokkos::View<double** [2]> z2("z2", n, steps), m2("m2", n, steps);
  Kokkos::View<double** [5]> m5("m5", n, steps);
  Kokkos::View<double[2][2]> q2("q2");
  Kokkos::View<double[5][5]> q5("q5");
  scan(steps, OneObservation{}, carry(x2, x2), carry(symmetric(p2), symmetric(p2)), each(z),
       common(symmetric(q2)), common(fixed(0.25)), emit(m2));
  scan(steps, Unscented{}, carry(x5, x5), carry(symmetric(p5), symmetric(p5)), each(z2),
       common(symmetric(q5)), common(symmetric(q2)), emit(m5));
  Kokkos::View<double* [3]> x3("x3", n);
  Kokkos::View<double[3]> q3("q3");
  Kokkos::View<double* [3]> time3("time3", steps);
  Kokkos::View<double** [3]> m3("m3", n, steps), q33("q33", n, steps);
  diagonals(steps, x3, q3, time3, q33, z, m3);
}

}  // namespace doc_nonlinear
