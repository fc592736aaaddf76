// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Arithmetic of entries with error bounds, for the sources of the interpreter.
#ifndef BATCHWORK_TEST_ROUNDING_HPP
#define BATCHWORK_TEST_ROUNDING_HPP

#include <cmath>

#include "Bounded.hpp"

namespace Batchwork::RandomSequences {

inline constexpr Real unknown = std::numeric_limits<Real>::infinity();

inline Real roundoff() { return arithmetic().roundoff; }
inline Real smallest() { return arithmetic().smallest; }
/// n roundings after each other, as a relative error.
inline Real gamma(int n) { return Real(n) * roundoff() / (1 - Real(n) * roundoff()); }
/// The largest possible magnitude of the computed number.
inline Real reach(Entry const& e) { return std::fabs(e.value) + e.error; }
/// Whether all numbers and their bounds are finite.
inline bool is_known(BoundedTile const& x) {
  for (int i = 0; i < x.rows; ++i)
    for (int j = 0; j < x.cols; ++j)
      if (!std::isfinite(reach(x.at(i, j)))) return false;
  return true;
}
/// Zero in any arithmetic: zeros of the structure, which are neither stored nor multiplied.
inline bool is_zero(Entry const& e) { return e.value == 0 && e.error == 0; }

inline Entry entry(Real value, Real error) {
  if (std::isnan(value)) return {value, error == unknown ? unknown : 0};
  if (std::isnan(error) || !std::isfinite(value) || std::fabs(value) + error > arithmetic().largest)
    error = unknown;
  return {value, error};
}
/// Adds the rounding error of the operation with this result.
inline Entry rounded(Real value, Real error, int roundings = 1) {
  return entry(
      value, error + gamma(roundings) * (std::fabs(value) + error) + Real(roundings) * smallest());
}

inline Entry add(Entry const& a, Entry const& b) {
  if (is_zero(a)) return b;
  if (is_zero(b)) return a;
  return rounded(a.value + b.value, a.error + b.error);
}
inline Entry negative(Entry const& a) { return {-a.value, a.error}; }
inline Entry multiply(Entry const& a, Entry const& b) {
  return rounded(a.value * b.value, std::fabs(a.value) * b.error + a.error * reach(b));
}
inline Entry divide(Entry const& a, Entry const& b) {
  Real const q = a.value / b.value, least = std::fabs(b.value) - b.error;
  if (!std::isnan(q) && !(least > 0)) return {q, unknown};
  return rounded(q, (a.error + std::fabs(q) * b.error) / least);
}

/// A zero that is stored and used in computations, unlike structural zeros.
inline Entry stored(Entry const& e) {
  return is_zero(e) ? Entry{0, std::numeric_limits<Real>::denorm_min()} : e;
}

template <class F>
BoundedTile tile(int m, int n, Info const& info, F const& f) {
  BoundedTile r(m, n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) r.at(i, j) = f(i, j);
  r.info = info;
  return r;
}
template <class F>
BoundedTile symmetric_tile(int n, Info const& info, F const& f) {
  BoundedTile r(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) r.at(i, j) = r.at(j, i) = f(i, j);
  r.info = info;
  return r;
}

}  // namespace Batchwork::RandomSequences

#endif
