// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Whether an update by an observation loses all digits of a variance. P - y' y loses as many
/// digits as P / R has.
#ifndef BATCHWORK_LOSS_HPP
#define BATCHWORK_LOSS_HPP

#include "kalman/Batchwork_State.hpp"

namespace Batchwork::Impl {

/// An observation with noise r reduces the variance s = h p h' to r s / (s + r). The subtraction
/// has rounding errors of up to two epsilons of s, as measured for 1 to 13 states. If r is below
/// this share of s, no digit is left.
template <class T>
inline constexpr T rounding_of_update = T(4) * std::numeric_limits<T>::epsilon();

/// Whether the noise r is lost beside a variance. With r = 0 the variance becomes zero and nothing
/// is lost.
template <class S>
BATCHWORK_INLINE mask_t<S> loses_digits(S const& r, S const& variance) {
  using T = scalar_t<S>;
  return r > S(T(0)) && r < S(rounding_of_update<T>) * variance;
}

/// The status of an observation with the covariance s of its innovations, noise r included. Its
/// `info` is the 1-based entry.
template <class S, class C, class R, class Missing>
BATCHWORK_INLINE info_t<S> digits_status(C const& s, R const& r, Missing const& missing) {
  info_t<S> info(0);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int k = 0; k < R::rows; ++k) {
    int const j = R::rows - 1 - k;
    auto const lost = loses_digits<S>(r.entry(j, j), s.entry(j, j)) && !missing(j);
    info = select(lost, make_info<S>(Reason::inaccurate, j + 1), info);
  }
  return info;
}

}  // namespace Batchwork::Impl

#endif
