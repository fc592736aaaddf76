// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// square_root_smooth_step: one step backwards of the smoother with factors of covariances.
#ifndef BATCHWORK_SQUAREROOTSMOOTHSTEP_HPP
#define BATCHWORK_SQUAREROOTSMOOTHSTEP_HPP

#include "kalman/Batchwork_DiffuseSquareRoot.hpp"
#include "kalman/Batchwork_SmoothStep.hpp"

namespace Batchwork {

namespace Impl {

/// The array [g' 0; L'F' L'] with q = g g', rotated into [E K; 0 M'] as by update_factor: rotations
/// keep the digits that a small q has beside a large L. The gain is K' E'^-1. Noise of two eps
/// of the standard deviation of an entry is added to it, so that E is regular.
template <class L, class F, class Q>
BATCHWORK_INLINE auto square_root_smoother_gain(L const& l, F const& f, Q const& q) {
  using S = promote_t<value_t<L>, promote_t<value_t<F>, value_t<Q>>>;
  using T = scalar_t<S>;
  constexpr int N = L::rows;
  auto const w = f * l;
  auto const noise = unit_factor<S, N>(q, [](int) { return false; });
  auto const grid = grid_of(l, w);
  auto root = columns_of<S, N, N>(transpose(l), grid);
  auto gain = zero_columns<S, N, N>(grid);
  using V = typename decltype(root)::value_type;
  V const zero(T(0)), one(T(1));
  V seen[N * N];  // column i of L' F'
  V e[N * N];     // row i of E
  V const least(T(4) * std::numeric_limits<T>::epsilon() * std::numeric_limits<T>::epsilon());
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < N; ++j) seen[i * N + j] = value_of(S(w.entry(i, j)));
  }
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    V variance = value_of(S(noise.d[i])), size = variance;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < N; ++j) size += seen[i * N + j] * seen[i * N + j];
    variance = select(size > zero, V(variance + least * size), one);
    V* const row = e + i * N;
    row[i] = sqrt(variance);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = i + 1; k < N; ++k)
      row[k] = value_of(S(noise.l[UnitFactor<S, N>::index(k, i)])) * row[i];
    BATCHWORK_UNROLL_ON_DEVICE
    for (int n = 0; n < N; ++n) {
      int const j = N - 1 - n;
      RowRotation<V> const rotation(row[i], seen[i * N + j]);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = i + 1; k < N; ++k) rotation.apply(row[k], seen[k * N + j]);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int m = decltype(root)::round_of(j); m < decltype(root)::mine; ++m)
        rotation.apply(gain.at(m, i), root.at(m, j));
    }
  }
  // Solves E gain = K, from the last row up.
  BATCHWORK_UNROLL_ON_DEVICE
  for (int n = 0; n < N; ++n) {
    int const i = N - 1 - n;
    V const inverse = one / e[i * N + i];
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < decltype(gain)::mine; ++m) {
      V x = gain.at(m, i);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = i + 1; k < N; ++k) x -= e[i * N + k] * gain.at(m, k);
      gain.at(m, i) = x * inverse;
    }
  }
  auto const info = first_failure(merge_info<S>(l.info, f.info), info_in_lanes_of<S>(noise.info));
  tile_of_t<S, N, N, Structure::lower, false> factor;
  if constexpr (is_distributed<S>) factor.grid = grid;
  factor = transpose(tile_of_columns(root, info));
  auto const gain_t = tile_of_columns(gain, info);
  return BackwardMotion<std::remove_const_t<decltype(gain_t)>, decltype(factor)>{gain_t, factor};
}

/// A CovariancePrior with a factor l of p in place of p.
template <class V, int N>
struct FactorPrior {
  KnownMatrix<V, N, N> l;

  /// An observation of a diffuse direction leads to the factor of [(I - g h) l, g sqrt(d)]. Any
  /// other one is an update by rotations, with the noise of square_root_smoother_gain.
  template <class In>
  BATCHWORK_INLINE void observe(V* g, V const* h, V const& d, In const& in) {
    using T = scalar_t<V>;
    constexpr int C = N + 1;
    V const zero(T(0)), one(T(1));
    V const least(T(4) * std::numeric_limits<T>::epsilon() * std::numeric_limits<T>::epsilon());
    V seen[N], k[N], rows[C * C];
    V size = d;
    BATCHWORK_KEEP_LOOP
    for (int j = 0; j < N; ++j) {
      seen[j] = k[j] = zero;
      BATCHWORK_KEEP_LOOP
      for (int i = j; i < N; ++i) seen[j] += l.entry(i, j) * h[i];
      size += seen[j] * seen[j];
    }
    V const inverse_diffuse = one / select(in.is_diffuse, in.variance, one), deviation = sqrt(d);
    BATCHWORK_KEEP_LOOP
    for (int i = 0; i < N; ++i) {
      g[i] = in.covariance[i] * inverse_diffuse;
      rows[N * C + i] = g[i] * deviation;
    }
    BATCHWORK_KEEP_LOOP
    for (int j = 0; j < N; ++j) {
      BATCHWORK_KEEP_LOOP
      for (int i = 0; i < N; ++i) rows[j * C + i] = (i < j ? zero : l.entry(i, j)) - g[i] * seen[j];
      rows[j * C + N] = zero;
    }
    rows[N * C + N] = zero;
    rotate_to_triangle<N>(rows);
    V head = sqrt(select(size > zero, V(d + least * size), one));
    BATCHWORK_KEEP_LOOP
    for (int n = 0; n < N; ++n) {
      int const j = N - 1 - n;
      RowRotation<V> const rotation(head, seen[j]);
      BATCHWORK_KEEP_LOOP
      for (int i = j; i < N; ++i) {
        V known = l.entry(i, j);
        rotation.apply(k[i], known);
        l.set(i, j, select(in.is_diffuse, rows[j * C + i], known));
      }
    }
    V const inverse = one / head;
    BATCHWORK_KEEP_LOOP
    for (int i = 0; i < N; ++i) g[i] = select(in.is_diffuse, g[i], V(k[i] * inverse));
  }
};

/// The gain and the factor where directions of the prior are diffuse, else `known`; see
/// gain_of_diffuse.
template <class Motion, class L, class A, class Left, class F, class Q>
BATCHWORK_INLINE Motion motion_of_diffuse(Motion known, L const& l, A const& a, Left const& left,
                                          F const& f, Q const& q) {
  if constexpr (!is_nothing<A>) {
    if (any_diffuse(left)) {
      using S = value_t<L>;
      constexpr int N = L::rows;
      auto const columns = value_of(left.value);
      using V = std::remove_cvref_t<decltype(columns)>;
      auto const grid = grid_of(known.gain_t);
      FactorPrior<V, N> prior{KnownMatrix<V, N, N>(l)};
      auto const where = put_diffuse_gain(known.gain_t, columns, prior, a, f, q);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) {
        BATCHWORK_UNROLL_ON_DEVICE
        for (int j = 0; j <= i; ++j)
          known.rest.set(
              i, j,
              value_of_lane<S>(
                  select(where, prior.l.entry(i, j), value_of(S(known.rest.entry(i, j)))), grid));
      }
      known.rest.info = known.gain_t.info;
    }
  }
  return known;
}

/// square_root_smooth_step with the gain and the factor of `motion`.
template <class X, class L, class Lag, class M, class Moved, class Motion>
BATCHWORK_INLINE void smooth_by_motion(X& x, L& l, Lag& lag_one, M const& mean, Moved const& moved,
                                       Motion const& motion) {
  auto const gain = transpose(motion.gain_t);
  x = mean + gain * (x - moved);
  auto const seen = gain * l;
  if constexpr (!is_nothing<Lag>) put(lag_one, l * transpose(seen));
  l = transpose(stacked_r(transpose(motion.rest), transpose(seen)));
}

}  // namespace Impl

namespace Kalman {

template <class X, class L, class Lag, class M, class C, class Moved, class F, class Q>
BATCHWORK_INLINE void square_root_smooth_step(X& x, L& l, Lag& lag_one, M const& mean,
                                              C const& factor, Moved const& moved, F const& f,
                                              Q const& q);

/// smooth_step with factors of the covariances: x and l are the smoothed state at time t + 1, with
/// covariance l l', and become that at time t. No covariance of the state is formed.
///
/// ```cpp
/// Kalman::square_root_smooth_step(x, l, mean, factor, f, q);  // in a backward scan
/// ```
///
///     [ g'     0  ]      [ E  K ]        q = g g',  G = K' E'^-1
///     [ L'F'   L' ]  ->  [ 0  M']        x = m + G (x - F m)
///                                        l' = R of the QR factors of [ M'; (G l)' ]
///
/// with the filtered state m, P = L L'. L and q may be singular: noise of two eps of its standard
/// deviation is added to each entry. q is factored without pivoting, as R is by square_root_update.
/// About 14 N^3 operations, N^2 of them with a square root and a quotient. Failures:
/// not_positive_definite of q with the 1-based row, not_finite. (Särkkä and Svensson, Bayesian
/// Filtering and Smoothing, 2nd edition 2023, chapter 12; Yaghoobi, Corenflos, Hassan and Särkkä,
/// Parallel square-root statistical linear regression for inference in nonlinear state space
/// models, 2022.)
///
/// \param x mean, a mutable vector of N
/// \param l factor of the covariance, a mutable Lower tile N x N
/// \param mean filtered mean at time t, a vector of N
/// \param factor factor L of the filtered covariance at time t, a Lower tile N x N
/// \param f transition from time t to t + 1, N x N
/// \param q covariance of its noise, N x N; only the lower triangle is read
template <class X, class L, class M, class C, class F, class Q>
BATCHWORK_INLINE void square_root_smooth_step(X& x, L& l, M const& mean, C const& factor,
                                              F const& f, Q const& q) {
  Impl::Nothing none;
  square_root_smooth_step(x, l, none, mean, factor, f * mean, f, q);
}
/// The same for a motion that is not F m, and with the covariance of the states at times t + 1 and
/// t; see smooth_step.
///
/// \param x mean, a mutable vector of N
/// \param l factor of the covariance, a mutable Lower tile N x N
/// \param lag_one the covariance of x(t + 1) and x(t) given all observations: a mutable matrix
///   N x N, or nothing()
/// \param mean filtered mean at time t, a vector of N
/// \param factor factor L of the filtered covariance at time t, a Lower tile N x N
/// \param moved the mean predicted from it for time t + 1, a vector of N
/// \param f transition from time t to t + 1, or its Jacobian at `mean`, N x N
/// \param q covariance of its noise, N x N; only the lower triangle is read
template <class X, class L, class Lag, class M, class C, class Moved, class F, class Q>
BATCHWORK_INLINE void square_root_smooth_step(X& x, L& l, Lag& lag_one, M const& mean,
                                              C const& factor, Moved const& moved, F const& f,
                                              Q const& q) {
  Impl::smooth_by_motion(x, l, lag_one, mean, moved, Impl::square_root_smoother_gain(factor, f, q));
}

}  // namespace Kalman
}  // namespace Batchwork

#endif
