// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The model: an aircraft that flies straight or turns, and a radar that measures range, bearing
/// and range rate (Doppler).
#ifndef TRACKING_MODEL_HPP
#define TRACKING_MODEL_HPP

#include <Batchwork.hpp>

namespace Tracking {

inline constexpr int N = 5;            ///< x, y in m, velocities in m/s, turn rate in rad/s
inline constexpr int M = 3;            ///< range in m, bearing in rad, range rate in m/s
inline constexpr double interval = 2;  ///< s between two observations
inline constexpr double pi = 3.14159265358979323846;

/// sin(u) / u.
template <class U>
KOKKOS_FUNCTION auto sinc(U const& u) {
  auto const s = u * u;
  return select(s < 1e-4, 1 - s / 6 * (1 - s / 20), sin(u) / u);
}

/// The coordinated turn: a circle at constant speed and turn rate (Bar-Shalom, Li and Kirubarajan
/// 2001, section 11.7.1). With turning = 0 the target flies straight, and its turn rate becomes 0.
struct Motion {
  double turning;  ///< 1 or 0
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    double const dt = interval;
    auto const half = (0.5 * dt * turning) * x(4);  // half of the angle of the turn
    auto const c = cos(half), s = sin(half), chord = dt * sinc(half);
    auto const cosine = c * c - s * s, sine = 2 * c * s;
    auto y = 1 * x;
    y(0) += chord * (c * x(2) - s * x(3));
    y(1) += chord * (s * x(2) + c * x(3));
    y(2) = cosine * x(2) - sine * x(3);
    y(3) = sine * x(2) + cosine * x(3);
    y(4) = turning * x(4);
    return y;
  }
};

/// What a radar at the origin measures.
struct Observation {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    auto const range = hypot(x(0), x(1));
    return Batchwork::generate<M>([&](int i) {
      return i == 0 ? range : i == 1 ? atan2(x(1), x(0)) : (x(0) * x(2) + x(1) * x(3)) / range;
    });
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

/// Standard deviation of entry i of an observation: 20 m, 1 mrad, 4 m/s.
KOKKOS_INLINE_FUNCTION double radar_deviation(int i) { return i == 0 ? 20 : i == 1 ? 1e-3 : 4; }
/// Standard deviation of entry i of the state at the start.
KOKKOS_INLINE_FUNCTION double start_deviation(int i) { return i < 2 ? 100 : i < 4 ? 10 : 1e-3; }

/// The covariance of an observation.
KOKKOS_INLINE_FUNCTION auto radar_noise() {
  return Batchwork::as_diagonal(
      Batchwork::generate<M>([](int i) { return radar_deviation(i) * radar_deviation(i); }));
}
/// The covariance of a state at the start.
KOKKOS_INLINE_FUNCTION auto start_covariance() {
  return Batchwork::symmetric(Batchwork::generate<N, N>(
      [](int i, int j) { return i == j ? start_deviation(i) * start_deviation(i) : 0.0; }));
}

/// A mode of motion, and its noise.
struct Mode {
  double turning;       ///< see Motion
  double acceleration;  ///< white acceleration in each direction: its density, in m / s^(3/2)
  double turn_rate;     ///< standard deviation of what a step adds to the turn rate, in rad/s

  KOKKOS_FUNCTION Motion motion() const { return {turning}; }
  /// The covariance of a step's noise (Bar-Shalom, Li and Kirubarajan 2001, section 6.2.2).
  KOKKOS_FUNCTION auto noise() const {
    double const a = acceleration * acceleration, w = turn_rate * turn_rate, t = interval;
    return Batchwork::symmetric(Batchwork::generate<N, N>([=](int i, int j) {
      if (i == 4 && j == 4) return w;
      if (i == 4 || j == 4 || i % 2 != j % 2) return 0.0;  // x and y are independent
      return i != j ? a * t * t / 2 : i < 2 ? a * t * t * t / 3 : a * t;
    }));
  }
};

}  // namespace Tracking

#endif
