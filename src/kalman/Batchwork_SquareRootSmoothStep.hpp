// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// square_root_smooth_step: one step backwards of the smoother with factors of covariances.
#ifndef BATCHWORK_SQUAREROOTSMOOTHSTEP_HPP
#define BATCHWORK_SQUAREROOTSMOOTHSTEP_HPP

#include "kalman/Batchwork_SmoothStep.hpp"
#include "kalman/Batchwork_SquareRoot.hpp"

namespace Batchwork {

namespace Impl {

/// The transposed gain of a smoother, and the factor of the covariance of x(t) given x(t + 1).
template <class Gain, class Lower>
struct SquareRootGain {
  Gain gain_t;
  Lower factor;
};

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
  return SquareRootGain<std::remove_const_t<decltype(gain_t)>, decltype(factor)>{gain_t, factor};
}

/// A step backwards of mean x and factor l with a known gain; see square_root_smooth_step.
template <class X, class L, class Lag, class M, class Moved, class R>
BATCHWORK_INLINE void smooth_by_root_gain(X& x, L& l, Lag& lag_one, M const& mean,
                                          Moved const& moved, R const& r) {
  auto const gain = transpose(r.gain_t);
  x = mean + gain * (x - moved);
  auto const seen = gain * l;
  if constexpr (!is_nothing<Lag>) put(lag_one, l * transpose(seen));
  l = transpose(stacked_r(transpose(r.factor), transpose(seen)));
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
  Impl::smooth_by_root_gain(x, l, lag_one, mean, moved,
                            Impl::square_root_smoother_gain(factor, f, q));
}

}  // namespace Kalman
}  // namespace Batchwork

#endif
