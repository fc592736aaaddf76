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

/// A factor of the noise, made regular: N eps of the standard deviation of each row of [w, g] is
/// added to the diagonal. A lower triangle.
template <class S, int N, class W, class G>
BATCHWORK_INLINE auto regular_factor(W const& w, G const& g) {
  using T = scalar_t<S>;
  auto const grid = grid_of(w, g);
  tile_of_t<S, N, N, Structure::lower, false> l;
  if constexpr (is_distributed<S>) l.grid = grid;
  if constexpr (G::structure == Structure::lower || G::structure == Structure::diagonal)
    l = g;
  else l = transpose(tile_of_columns(upper_columns<S>(transpose(g), grid), g.info));
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    S square(T(0));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < N; ++k) square += w.entry(i, k) * w.entry(i, k);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k <= i; ++k) square += l.entry(i, k) * l.entry(i, k);
    S const own(l.entry(i, i)), size = T(smoother_noise<T, N>) * sqrt(square);
    l.set(i, i, select(square > S(T(0)), own + select(own < S(T(0)), S(-size), size), S(T(1))));
  }
  return l;
}

/// The triangular factor of [g' 0; b c]: [first beside; 0 last].
template <class First, class Beside, class Last>
struct ArrayFactor {
  First first;
  Beside beside;
  Last last;
};
template <class G, class B, class C>
BATCHWORK_INLINE auto array_factor(G const& g, B const& b, C const& c) {
  using S = promote_t<promote_t<value_t<G>, value_t<B>>, value_t<C>>;
  constexpr int N1 = G::cols, N2 = C::cols, M = C::rows;
  auto const grid = grid_of(g, b, c);
  auto r = upper_columns<S>(g, grid);
  auto below = columns_of<S, M, N1>(b, grid);
  auto right = zero_columns<S, N1, N2>(grid);
  auto corner = columns_of<S, M, N2>(c, grid);
  StackedColumns beside(right, corner);
  triangularise_stacked<DiagonalSigns::as_reflected, false>(r, below, beside);
  beside.unscale_all();
  triangularise(corner);
  auto const info = merge_info<S>(merge_info<S>(g.info, b.info), c.info);
  auto first = tile_of_columns(r, info);
  auto next = tile_of_columns(right, info);
  auto last = tile_of_columns(triangle_of<S>(corner, grid), info);
  return ArrayFactor<decltype(first), decltype(next), decltype(last)>{first, next, last};
}

}  // namespace Impl

namespace Kalman {

/// smooth_step with factors of the covariances: x and l are the smoothed state at time t + 1, with
/// covariance l l', and become that at time t. No covariance is formed.
///
/// ```cpp
/// Kalman::square_root_smooth_step(x, l, mean, factor, f, Kalman::covariance_factor(q));
/// ```
///
///     [ g'     0  ]      [ E  K ]        G = K' E'^-1,  C = M M'
///     [ L'F'   L' ]  ->  [ 0  M']        x = m + G (x - F m)
///                                        l' = R of the QR factors of [ M'; (G l)' ]
///
/// with the filtered state m, P = L L'. L and g may be singular: N eps of a standard deviation is
/// added to each diagonal entry of g. About 16 N^3 operations. Failure: not_finite. (Särkkä and
/// Svensson, Bayesian Filtering and Smoothing, 2nd edition 2023, chapter 12; Yaghoobi, Corenflos,
/// Hassan and Särkkä, Parallel square-root statistical linear regression for inference in nonlinear
/// state space models, 2022.)
///
/// \param x mean, a mutable vector of N
/// \param l factor of the covariance, a mutable Lower tile N x N
/// \param mean filtered mean at time t, a vector of N
/// \param factor factor L of the filtered covariance at time t, N x N
/// \param f transition from time t to t + 1, N x N
/// \param g factor of its noise, Q = g g', with N rows; a Lower one is cheapest
template <class X, class L, class M, class C, class F, class G>
BATCHWORK_INLINE void square_root_smooth_step(X& x, L& l, M const& mean, C const& factor,
                                              F const& f, G const& g) {
  Impl::Nothing none;
  square_root_smooth_step(x, l, none, mean, factor, f * mean, f, g);
}
/// The same for a motion that is not F m, and with the covariance of the states at times t + 1 and
/// t; see smooth_step.
///
/// \param x mean, a mutable vector of N
/// \param l factor of the covariance, a mutable Lower tile N x N
/// \param lag_one the covariance of x(t + 1) and x(t) given all observations: a mutable matrix
///   N x N, or nothing()
/// \param mean filtered mean at time t, a vector of N
/// \param factor factor L of the filtered covariance at time t, N x N
/// \param moved the mean predicted from it for time t + 1, a vector of N
/// \param f transition from time t to t + 1, or its Jacobian at `mean`, N x N
/// \param g factor of its noise, Q = g g', with N rows; a Lower one is cheapest
template <class X, class L, class Lag, class M, class C, class Moved, class F, class G>
BATCHWORK_INLINE void square_root_smooth_step(X& x, L& l, Lag& lag_one, M const& mean,
                                              C const& factor, Moved const& moved, F const& f,
                                              G const& g) {
  using S = value_t<L>;
  constexpr int N = L::rows;
  auto const w = f * factor;
  auto const noise = Impl::regular_factor<S, N>(w, g);
  auto const r = Impl::array_factor(transpose(noise), transpose(w), transpose(factor));
  L lower = l;
  lower = transpose(r.first);
  auto const gain_t = solve(transpose(lower), r.beside);
  auto const gain = transpose(gain_t);
  x = mean + gain * (x - moved);
  auto const seen = gain * l;
  if constexpr (!Impl::is_nothing<Lag>) Impl::put(lag_one, l * transpose(seen));
  lower = transpose(r.last);
  l = transpose(stacked_r(transpose(lower), transpose(seen)));
}

}  // namespace Kalman
}  // namespace Batchwork

#endif
