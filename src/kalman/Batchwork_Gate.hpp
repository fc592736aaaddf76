// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// gate: an update ignores an observation that does not fit its prediction.
#ifndef BATCHWORK_GATE_HPP
#define BATCHWORK_GATE_HPP

#include "kalman/Batchwork_Innovation.hpp"
#include "kalman/Batchwork_State.hpp"

namespace Batchwork {

namespace Kalman {

/// No gate, the default of the updates: every observation is used.
struct NoGate {};

/// A gate of an update, made by gate.
/// \tparam T a number, or a scalar that differs between items
template <class T>
struct Gate {
  T threshold;  ///< the largest NIS that is accepted
};

/// A gate for extended_update, iterated_update and unscented_update. An observation whose
/// normalised innovation squared (NIS) exceeds the threshold is not used: mean, covariance and
/// log-likelihood stay as predicted, to the last bit. The update returns the NIS, so
/// `nis > threshold` says which items ignored their observation. A NIS that is NaN is not beyond a
/// gate.
///
/// ```cpp
/// Kalman::extended_update(x, p, loglik, z, Radar{}, r, Wrapped{}, Kalman::gate(13.8));
/// ```
///
/// If the model is right, the NIS of m entries has the chi-squared distribution with m degrees of
/// freedom. These thresholds reject one right observation in a thousand: 10.83 for one entry, 13.82
/// for two, 16.27 for three, 18.47 for four. Cost: a copy and a selection of x and p. With a LogSum
/// each step also takes a logarithm. Source: Bar-Shalom, Li and Kirubarajan, Estimation with
/// Applications to Tracking and Navigation (2001), section 5.4.
///
/// \param threshold the largest NIS that is accepted: a number, or a scalar that differs between
///   items
/// \returns the argument `gate` of an update
template <class T>
KOKKOS_FUNCTION Gate<T> gate(T const& threshold) {
  return {threshold};
}

}  // namespace Kalman

namespace Impl {

template <class X>
BATCHWORK_INLINE auto zero_of_state(X const& x) {
  if constexpr (is_scalar_tile<X>) return 0 * x;
  else return 0 * x(0);
}

/// Calls update(x, p, loglik), and undoes it for items beyond the gate.
/// \returns what update returns
template <class X, class P, class L, class G, class Update>
BATCHWORK_INLINE auto update_through(G const& gate, X& x, P& p, L& loglik, Update const& update) {
  if constexpr (std::is_same_v<G, Kalman::NoGate>) {
    return update(x, p, loglik);
  } else {
    auto new_x = x;
    auto new_p = p;
    auto const none = zero_of_state(x);
    auto gain = none;  // what the observation adds to the log-likelihood
    auto const innovation = [&] {
      if constexpr (is_nothing<L>) return update(new_x, new_p, loglik);
      else return update(new_x, new_p, gain);
    }();
    auto const outside = innovation.nis > gate.threshold;
    x = select(outside, x, new_x);
    p = select(outside, p, new_p);
    if constexpr (!is_nothing<L>) loglik += select(outside, none, gain);
    return innovation;
  }
}

}  // namespace Impl

}  // namespace Batchwork

#endif
