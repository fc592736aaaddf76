// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A factor of a covariance that may be singular: Cholesky with complete pivoting, made triangular
/// afterwards.
#ifndef BATCHWORK_SEMIDEFINITEFACTOR_HPP
#define BATCHWORK_SEMIDEFINITEFACTOR_HPP

#include "kalman/Batchwork_State.hpp"
#include "tile/Batchwork_StackedQr.hpp"

namespace Batchwork::Impl {

/// A pivot below this is a rounding error, relative to the variance. What is left then is below it
/// as well, because the largest pivot comes first.
template <class T, int N>
inline constexpr T smallest_pivot = T(N) * std::numeric_limits<T>::epsilon();
/// If more than this is left without a pivot, the matrix is indefinite. Covariances that users
/// compute have rounding errors of their own.
template <class T, int N>
inline constexpr T indefinite_above = T(64 * N) * std::numeric_limits<T>::epsilon();

/// Cholesky with complete pivoting of the matrix of correlations, so that units do not matter:
/// row(i) has the N entries of row i of a G with G G' = q, times 1 / deviation[i]. (Higham,
/// Accuracy and Stability of Numerical Algorithms, 2nd edition, section 10.3.)
template <class S, int N>
struct PivotedFactor {
  S deviation[N];
  S g[N * N];
  info_t<S> info;

  template <class Q>
  BATCHWORK_INLINE explicit PivotedFactor(Q const& q) : info(info_in_lanes_of<S>(q.info)) {
    using T = scalar_t<S>;
    S const zero(T(0)), one(T(1));
    S left[N * (N + 1) / 2], inverse[N];
    auto const fail = [&](auto const& where, Reason reason, int i) {
      info = first_failure(info, select(where, make_info<S>(reason, i + 1), info_t<S>(0)));
    };
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) {
      S const variance(q.entry(i, i));
      auto const positive = variance > zero;
      fail(!is_finite(variance), Reason::not_finite, i);
      fail(variance < zero, Reason::not_positive_definite, i);
      deviation[i] = select(positive, sqrt(select(positive, variance, one)), zero);
      inverse[i] = select(positive, one / select(positive, deviation[i], one), zero);
      left[triangle_index(i, i)] = select(positive, one, zero);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < i; ++j) {
        S const entry(q.entry(i, j));
        fail(!is_finite(entry), Reason::not_finite, i);
        // Beside a variance of zero every covariance is zero.
        left[triangle_index(i, j)] =
            select(inverse[i] * inverse[j] > zero, S(entry * inverse[i] * inverse[j]), entry);
      }
    }
    BATCHWORK_KEEP_LOOP
    for (int k = 0; k < N; ++k) {
      S largest = left[0], place = zero;
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 1; i < N; ++i) {
        S const pivot = left[triangle_index(i, i)];
        auto const larger = pivot > largest;
        largest = select(larger, pivot, largest);
        place = select(larger, S(T(i)), place);
      }
      auto const is_pivot = largest > S(smallest_pivot<T, N>);
      S const scale = select(is_pivot, one / sqrt(select(is_pivot, largest, one)), zero);
      S column[N];
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) column[i] = zero;
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) {
        auto const in_row = place == S(T(i));
        BATCHWORK_UNROLL_ON_DEVICE
        for (int j = 0; j <= i; ++j) {
          S const& x = left[triangle_index(i, j)];
          column[i] = select(place == S(T(j)), x, column[i]);
          column[j] = select(in_row, x, column[j]);
        }
      }
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) {
        column[i] = column[i] * scale;
        g[i * N + k] = column[i];
      }
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) {
        auto const in_row = place == S(T(i));
        BATCHWORK_UNROLL_ON_DEVICE
        for (int j = 0; j <= i; ++j) {
          S& x = left[triangle_index(i, j)];
          x = select(is_pivot && (in_row || place == S(T(j))), zero, S(x - column[i] * column[j]));
        }
      }
    }
    S const most(indefinite_above<T, N>);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j <= i; ++j) {
        S const limit = select(inverse[i] * inverse[j] > zero, most, zero);
        fail(abs(left[triangle_index(i, j)]) > limit, Reason::not_positive_definite, i);
      }
    }
    // A factor that is wrong must not look like one.
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i)
      deviation[i] =
          select(info == info_t<S>(0), deviation[i], S(std::numeric_limits<T>::quiet_NaN()));
  }
};

/// The lower triangular L with L L' = q, a Diagonal tile if q is one. q is N x N and may be
/// singular; of a general tile the lower triangle is read.
template <class Q>
BATCHWORK_INLINE auto semidefinite_factor(Q const& q) {
  using S = value_t<Q>;
  using T = scalar_t<S>;
  constexpr int N = Q::rows;
  S const zero(T(0));
  if constexpr (N == 1 || Q::structure == Structure::diagonal) {
    tile_of_t<S, N, N, N == 1 ? Structure::lower : Structure::diagonal, false> l;
    if constexpr (is_distributed<S>) l.grid = grid_of(q);
    l.info = info_in_lanes_of<S>(q.info);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) {
      S const variance(q.entry(i, i));
      auto const finite = is_finite(variance), good = finite && variance >= zero;
      l.info = first_failure(
          l.info, select(good, info_t<S>(0),
                         select(finite, make_info<S>(Reason::not_positive_definite, i + 1),
                                make_info<S>(Reason::not_finite, i + 1))));
      l.set(
          i, i,
          select(good, sqrt(select(good, variance, zero)), S(std::numeric_limits<T>::quiet_NaN())));
    }
    return l;
  } else {
    auto const grid = grid_of(q);
    PivotedFactor<S, N> const f(q);
    Matrix<S, N, N> g;
    if constexpr (is_distributed<S>) g.grid = grid;
    g.info = info_t<S>(0);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < N; ++k) g.set(k, i, S(f.g[i * N + k] * f.deviation[i]));
    }
    auto const r = tile_of_columns(upper_columns<S>(g, grid), f.info);
    tile_of_t<S, N, N, Structure::lower, false> l;
    if constexpr (is_distributed<S>) l.grid = grid;
    l = transpose(r);
    return l;
  }
}

}  // namespace Batchwork::Impl

#endif
