// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What the building blocks of the filter share: options, scalars as tiles of one entry, outputs
/// that were not requested, missing entries.
#ifndef BATCHWORK_STATE_HPP
#define BATCHWORK_STATE_HPP

#include <type_traits>

#include "tile/Batchwork_Cholesky.hpp"
#include "tile/Batchwork_FailWhere.hpp"
#include "tile/Batchwork_Generate.hpp"
#include "tile/Batchwork_Reduce.hpp"
#include "view/detail/Batchwork_Bound.hpp"

namespace Batchwork {

namespace Kalman {

/// Whether observations may be missing.
enum class Data {
  may_be_missing,  ///< a NaN entry is a missing observation and is skipped
  complete,  ///< the caller promises that nothing is missing; a NaN gives Reason::incomplete_data
};

/// Whether an entry of an observation that meets a diffuse direction adds -1/2 log 2 pi to the
/// log-likelihood.
enum class DiffuseEntries {
  without_log_two_pi,  ///< -1/2 log F_inf, as in KFAS
  with_log_two_pi,     ///< -1/2 (log 2 pi + log F_inf), as in Durbin and Koopman and statsmodels
};

/// Whether a step predicts or updates first.
enum class Order {
  predict_first,  ///< the carry is the filtered state: a step predicts, then updates
  update_first,   ///< the carry is the predicted state: a step updates, then predicts
};

}  // namespace Kalman

namespace Impl {

template <class X>
inline constexpr bool is_nothing = std::is_same_v<std::remove_cvref_t<X>, Nothing>;

template <class T>
inline constexpr T log_two_pi = T(1.83787706640934548356);

/// A scalar as a vector of one entry; vectors unchanged.
template <Tile X>
BATCHWORK_INLINE X const& as_vector(X const& x) {
  return x;
}
template <class S>
BATCHWORK_INLINE Vector<S, 1> as_vector(Scalar<S> const& x) {
  Vector<S, 1> r;
  r.set(0, 0, x.value);
  r.info = x.info;
  return r;
}

/// A scalar as a matrix of one entry; matrices unchanged.
template <Tile X>
BATCHWORK_INLINE X const& as_matrix(X const& x) {
  return x;
}
template <class S>
BATCHWORK_INLINE Symmetric<S, 1> as_matrix(Scalar<S> const& x) {
  Symmetric<S, 1> r;
  r.set(0, 0, x.value);
  r.info = x.info;
  return r;
}

/// The observation matrix of N states. A vector is its only row.
template <int N, class H>
BATCHWORK_INLINE decltype(auto) as_observation_matrix(H const& h) {
  if constexpr (is_scalar_tile<H>) return as_matrix(h);
  else if constexpr (H::is_vector && N > 1) return Transposed<H const&>{h, h.info};
  else return (h);
}

/// Assigns a state, or a part of one, to a tile, a scalar, or nothing().
template <class To, class X>
BATCHWORK_INLINE void put(To& to, X const& x) {
  if constexpr (is_nothing<To>) return;
  else if constexpr (is_scalar_tile<To> && Tile<X>) to = element(x, 0, 0);
  else if constexpr (!is_scalar_tile<To> && is_scalar_tile<X>) to = as_matrix(x);
  else to = x;
}

/// Calls f with mean and covariance as tiles, and stores them back if they are scalars. \returns
/// what f returns
template <class X, class P, class F>
BATCHWORK_INLINE auto with_state(X& x, P& p, F const& f) {
  if constexpr (is_scalar_tile<X> || is_scalar_tile<P>) {
    auto xs = as_vector(x);
    auto ps = as_matrix(p);
    auto const store = [&] {
      put(x, xs);
      put(p, ps);
    };
    if constexpr (std::is_void_v<decltype(f(xs, ps))>) {
      f(xs, ps);
      store();
    } else {
      auto const result = f(xs, ps);
      store();
      return result;
    }
  } else {
    return f(x, p);
  }
}

/// Entries that are missing, one mask each.
template <class M, int N>
struct Missing {
  M entry[N];
};
/// The missing entries of an observation, for a state with values S. The observation may be common
/// to all items.
template <class S, Tile Z>
BATCHWORK_INLINE auto missing_entries(Z const& z) {
  Missing<mask_t<S>, Z::rows> r;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < Z::rows; ++i) r.entry[i] = mask_t<S>(is_nan(value_t<Z>(z.entry(i, 0))));
  return r;
}
template <Tile Z>
BATCHWORK_INLINE auto any_missing(Z const& z) {
  auto r = is_nan(value_t<Z>(z.entry(0, 0)));
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 1; i < Z::rows; ++i) r = r || is_nan(value_t<Z>(z.entry(i, 0)));
  return r;
}

}  // namespace Impl
}  // namespace Batchwork

#endif
