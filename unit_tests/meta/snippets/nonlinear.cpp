// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Code of docs/guides/nonlinear_filter.md and docs/reference/kalman/model.md.

#include <Batchwork.hpp>
#include <cstdint>

namespace doc_nonlinear {

using namespace Batchwork;

// ---- docs/guides/nonlinear_filter.md ------------------------------------------------------------

/// A pendulum: its angle and rate after 0.01 s.
struct Swing {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    auto y = 1 * x;
    y(0) += 0.01 * x(1);
    y(1) -= 0.01 * 9.81 * sin(x(0));
    return y;
  }
};
/// How far its end is to the right.
struct End {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    return sin(x(0));
  }
};

struct Unscented {
  template <class X, class P, class L, class Z, class Q, class R, class M>
  KOKKOS_FUNCTION void operator()(X& x, P& p, L& log_likelihood, Z const& z, Q const& q, R const& r,
                                  M& mean) const {
    Kalman::unscented_predict(x, p, Swing{}, q);
    Kalman::unscented_update(x, p, log_likelihood, z, End{}, r);
    mean = x;
  }
};

struct Iterated {
  template <class X, class P, class L, class Z, class Q, class R, class M>
  KOKKOS_FUNCTION void operator()(X& x, P& p, L& log_likelihood, Z const& z, Q const& q, R const& r,
                                  M& mean) const {
    Kalman::extended_predict(x, p, Swing{}, q);
    Kalman::iterated_update(x, p, log_likelihood, z, End{}, r, 3);
    mean = x;
  }
};

/// A torque u of each item and time accelerates the pendulum, and `length` differs by item.
struct Driven {
  template <class X, class P, class L, class Z, class U, class Length, class Q, class R>
  KOKKOS_FUNCTION void operator()(X& x, P& p, L& log_likelihood, Z const& z, U const& u,
                                  Length const& length, Q const& q, R const& r) const {
    auto const motion = [&](auto const& s) {
      auto y = 1 * s;
      y(0) += 0.01 * s(1);
      y(1) += 0.01 * (u - 9.81 * sin(s(0)) / length);
      return y;
    };
    Kalman::extended_predict(x, p, motion, q);
    Kalman::extended_update(x, p, log_likelihood, z, End{}, r);
  }
};

/// Noise w enters inside the motion: an unknown torque.
struct Shaken {
  template <class X, class W>
  KOKKOS_FUNCTION auto operator()(X const& x, W const& w) const {
    return generate<2>([&](int i) {
      return i == 0 ? x(0) + 0.01 * x(1) + 0.0 * w(0) : x(1) + 0.01 * (w(0) - 9.81 * sin(x(0)));
    });
  }
};
struct NoiseInside {
  template <class X, class P, class L, class Z, class Q, class R>
  KOKKOS_FUNCTION void operator()(X& x, P& p, L& log_likelihood, Z const& z, Q const& q,
                                  R const& r) const {
    auto const none = zero<1>(x);
    auto const g = jacobian([&](auto const& w) { return Shaken{}(x, w); }, none);
    auto const motion = [&](auto const& s) { return Shaken{}(s, none); };
    Kalman::extended_predict(x, p, motion, congruence(g, q));
    Kalman::extended_update(x, p, log_likelihood, z, End{}, r);
  }
};

struct Gated {
  template <class X, class P, class L, class C, class Z, class Q, class R>
  KOKKOS_FUNCTION void operator()(X& x, P& p, L& log_likelihood, C& ignored, Z const& z, Q const& q,
                                  R const& r) const {
    Kalman::extended_predict(x, p, Swing{}, q);
    double const limit = 10.83;  // 0.1 % of chi-squared with one degree of freedom
    auto const nis =
        Kalman::extended_update(x, p, log_likelihood, z, End{}, r, {}, Kalman::gate(limit)).nis;
    ignored += select(nis > limit, 1.0, 0.0);
  }
};

// ---- docs/reference/kalman/nonlinear.md ---------------------------------------------------------

inline void whole_series(std::int64_t steps, Kokkos::View<double[2][2]> Q, Kokkos::View<double> R,
                         Kokkos::View<double* [2]> x0, Kokkos::View<double* [2][2]> P0,
                         Kokkos::View<double**> z, Kokkos::View<double** [2]> mean,
                         Kokkos::View<int*> codes) {
  Kalman::unscented_filter(steps, Swing{}, common(Q), End{}, common(R), Kalman::start(x0, P0), z,
                           Kalman::results().filtered_mean(mean).status(codes),
                           Kalman::gate(10.83));
}

// ---- docs/reference/kalman/model.md -------------------------------------------------------------

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
  Kokkos::View<double* [2]> x("x", n);
  Kokkos::View<double* [2][2]> P("P", n);
  Kokkos::View<double*> l("log_likelihood", n), length("length", n);
  Kokkos::View<double**> z("z", n, steps), u("u", n, steps);
  Kokkos::View<double** [2]> m("m", n, steps);
  auto const Q = common(fixed(Symmetric<double, 2>(identity<double, 2>())));
  auto const R = common(fixed(0.25));
  auto const mean = carry(x, x);
  auto const covariance = carry(symmetric(P), symmetric(P));
  auto const log_likelihood = carry(common(fixed(0.0)), log_sum(l, -0.5));
  scan(steps, Unscented{}, mean, covariance, log_likelihood, each(z), Q, R, emit(m));
  scan(steps, Iterated{}, mean, covariance, log_likelihood, each(z), Q, R, emit(m));
  scan(steps, Driven{}, mean, covariance, log_likelihood, each(z), each(u), in(length), Q, R);
  auto const one_variance = common(fixed(Symmetric<double, 1>(identity<double, 1>())));
  scan(steps, NoiseInside{}, mean, covariance, log_likelihood, each(z), one_variance, R);
  Kokkos::View<double*> count("count", n);
  scan(steps, Gated{}, mean, covariance, log_likelihood, carry(common(fixed(0.0)), count), each(z),
       Q, R);
  whole_series(steps, Kokkos::View<double[2][2]>("Q"), Kokkos::View<double>("R"), x, P, z, m,
               Kokkos::View<int*>("codes", n));
  Kokkos::View<double* [3]> x3("x3", n);
  Kokkos::View<double[3]> q3("q3");
  Kokkos::View<double* [3]> time3("time3", steps);
  Kokkos::View<double** [3]> m3("m3", n, steps), q33("q33", n, steps);
  diagonals(steps, x3, q3, time3, q33, z, m3);
}

}  // namespace doc_nonlinear
