// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Errors in units in the last place, relative to long double, and arguments for tests of
/// functions.
#ifndef BATCHWORK_TEST_ULPS_HPP
#define BATCHWORK_TEST_ULPS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "support/Random.hpp"

namespace Batchwork::Test {

/// |y - truth| in units in the last place of the truth rounded to T. Infinite if only one of them
/// is NaN or infinite; but the largest number and infinity differ by one unit.
template <class T>
double ulps(T y, long double truth) {
  using Limits = std::numeric_limits<T>;
  T const rounded = static_cast<T>(truth);
  double const none = 0, far = std::numeric_limits<double>::infinity();
  if (std::isnan(truth) || std::isnan(y)) return std::isnan(truth) && std::isnan(y) ? none : far;
  if (std::isinf(rounded) || std::isinf(y)) {
    if (y == rounded) return none;
    if (std::isinf(truth)) return far;
    T const other = std::isinf(y) ? rounded : y;
    return std::fabs(other) == Limits::max() && std::signbit(y) == std::signbit(rounded) ? 1 : far;
  }
  int exponent = 0;
  std::frexp(truth, &exponent);
  int const of_unit = std::max(truth == 0 ? Limits::min_exponent : exponent, Limits::min_exponent);
  return static_cast<double>(std::fabs(static_cast<long double>(y) - truth) /
                             std::ldexp(1.0L, of_unit - Limits::digits));
}

/// Hard arguments of functions: zeros of both signs, subnormal and huge numbers, infinities, NaN,
/// ones and their neighbours, and arguments for which exponentials over- and underflow.
template <class T>
std::vector<T> hard_arguments() {
  using L = std::numeric_limits<T>;
  std::vector<T> r{T(0),
                   L::denorm_min(),
                   L::min() / 2,
                   L::min(),
                   T(1.5) * L::min(),
                   L::epsilon(),
                   T(1e-20),
                   T(0.25),
                   T(0.5),
                   T(1) - L::epsilon(),
                   T(1),
                   T(1.5),
                   T(2),
                   T(2.5),
                   T(3),
                   T(26.5),
                   T(34.9),
                   T(87.2),
                   T(88.6),
                   T(88.9),
                   T(103.9),
                   T(149.5),
                   T(170.5),
                   T(708.3),
                   T(709.7),
                   T(709.9),
                   T(745.2),
                   T(1074.5),
                   T(1e5),
                   T(1e10),
                   T(8388609),
                   T(0.49999997),
                   T(1e22),
                   L::max() / 4,
                   L::max(),
                   L::infinity(),
                   L::quiet_NaN(),
                   T(1) + L::epsilon(),
                   T(0.5) - L::epsilon() / 4};
  std::size_t const count = r.size();
  for (std::size_t k = 0; k < count; ++k) r.push_back(-r[k]);
  return r;
}
/// Hard arguments, arguments uniform in an interval, and arguments in it with random exponents.
template <class T>
std::vector<T> arguments_of(Random& random, double low, double high, int count) {
  std::vector<T> r;
  for (T const x : hard_arguments<T>())
    if (!(x < T(low)) && !(x > T(high))) r.push_back(x);
  double const size =
      std::min(std::max(std::fabs(low), std::fabs(high)), double(std::numeric_limits<T>::max()));
  double const inner = std::min(size, 12.0);
  for (int k = 0; k < count; ++k) {
    double const x =
        k % 2 == 0 ? random(std::max(low, -inner), std::min(high, inner))
                   : std::exp2(random(std::numeric_limits<T>::min_exponent - 4, std::log2(size)));
    double const y = k % 4 == 3 ? -x : x;
    if (low <= y && y <= high) r.push_back(static_cast<T>(y));
  }
  return r;
}

}  // namespace Batchwork::Test

#endif
