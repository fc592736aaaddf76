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

/// value_of, and back. Where lanes share an item, each of them knows the whole factor.
template <class S, class V>
BATCHWORK_INLINE S value_of_lane(V const& x, [[maybe_unused]] LaneGrid const& grid) {
  if constexpr (is_distributed<S>) return S(x, grid);
  else return x;
}

/// Rows 1 to n of a G with G G' = q, by Cholesky with complete pivoting of the correlations, so
/// that units do not matter. `left` is the lower triangle of q by rows, and is overwritten. Devices
/// run it as loops in local memory: it is long, and most filters run it once. (Higham, Accuracy and
/// Stability of Numerical Algorithms, 2nd edition, section 10.3.)
/// \returns 0 or the status
template <int N, class V>
BATCHWORK_OUT_OF_LINE info_t<V> pivoted_factor(V* left, V* g) {
  using T = scalar_t<V>;
  V const zero(T(0)), one(T(1)), most{T(indefinite_above<T, N>)};
  V deviation[N], inverse[N], column[N];
  info_t<V> info(0);
  auto const fail = [&](auto const& where, Reason reason, int i) {
    info = first_failure(info, select(where, make_info<V>(reason, i + 1), info_t<V>(0)));
  };
  BATCHWORK_KEEP_LOOP
  for (int i = 0; i < N; ++i) {
    V& variance = left[triangle_index(i, i)];
    auto const positive = variance > zero;
    fail(!is_finite(variance), Reason::not_finite, i);
    fail(variance < zero, Reason::not_positive_definite, i);
    deviation[i] = select(positive, sqrt(select(positive, variance, one)), zero);
    inverse[i] = select(positive, V(one / select(positive, deviation[i], one)), zero);
    variance = select(positive, one, zero);
    BATCHWORK_KEEP_LOOP
    for (int j = 0; j < i; ++j) {
      V& x = left[triangle_index(i, j)];
      fail(!is_finite(x), Reason::not_finite, i);
      // Beside a variance of zero every covariance is zero.
      auto const known = inverse[i] > zero && inverse[j] > zero;
      fail(!known && x != zero, Reason::not_positive_definite, i);
      x = select(known, V(x * inverse[i] * inverse[j]), zero);
    }
  }
  BATCHWORK_KEEP_LOOP
  for (int k = 0; k < N; ++k) {
    V largest = left[0], place = zero;
    BATCHWORK_KEEP_LOOP
    for (int i = 1; i < N; ++i) {
      V const pivot = left[triangle_index(i, i)];
      auto const larger = pivot > largest;
      largest = select(larger, pivot, largest);
      place = select(larger, V(T(i)), place);
    }
    auto const is_pivot = largest > V(smallest_pivot<T, N>);
    V const scale = select(is_pivot, V(one / sqrt(select(is_pivot, largest, one))), zero);
    BATCHWORK_KEEP_LOOP
    for (int i = 0; i < N; ++i) column[i] = zero;
    BATCHWORK_KEEP_LOOP
    for (int i = 0; i < N; ++i) {
      BATCHWORK_KEEP_LOOP
      for (int j = 0; j <= i; ++j) {
        V const x = left[triangle_index(i, j)];
        column[i] = select(place == V(T(j)), x, column[i]);
        column[j] = select(place == V(T(i)), x, column[j]);
      }
    }
    BATCHWORK_KEEP_LOOP
    for (int i = 0; i < N; ++i) {
      column[i] = column[i] * scale;
      g[i * N + k] = column[i] * deviation[i];
    }
    BATCHWORK_KEEP_LOOP
    for (int i = 0; i < N; ++i) {
      BATCHWORK_KEEP_LOOP
      for (int j = 0; j <= i; ++j) {
        V& x = left[triangle_index(i, j)];
        x = select(is_pivot && (place == V(T(i)) || place == V(T(j))), zero,
                   V(x - column[i] * column[j]));
      }
    }
  }
  BATCHWORK_KEEP_LOOP
  for (int i = 0; i < N; ++i) {
    BATCHWORK_KEEP_LOOP
    for (int j = 0; j <= i; ++j)
      fail(abs(left[triangle_index(i, j)]) > most, Reason::not_positive_definite, i);
  }
  // A factor that is wrong must not look like one.
  V const mark = select(info == info_t<V>(0), zero, V(std::numeric_limits<T>::quiet_NaN()));
  BATCHWORK_KEEP_LOOP
  for (int i = 0; i < N * N; ++i) g[i] = g[i] + mark;
  return info;
}

/// G' as a tile that all lanes of an item know.
template <class V, int N>
struct TransposedFactor {
  using value_type = V;
  static constexpr int rows = N, cols = N;
  static constexpr Structure structure = Structure::general;
  static constexpr bool is_vector = false;
  V g[N * N];
  info_t<V> info;
  BATCHWORK_INLINE V entry(int k, int i) const { return g[i * N + k]; }
};

/// The lower triangular L with L L' = q, a Diagonal tile if q is one. q is N x N and may be
/// singular; of a general tile the lower triangle is read.
template <class Q>
BATCHWORK_INLINE auto semidefinite_factor(Q const& q) {
  using S = value_t<Q>;
  using T = scalar_t<S>;
  constexpr int N = Q::rows;
  auto const grid = grid_of(q);
  if constexpr (N == 1 || Q::structure == Structure::diagonal) {
    S const zero(T(0));
    tile_of_t<S, N, N, N == 1 ? Structure::lower : Structure::diagonal, false> l;
    if constexpr (is_distributed<S>) l.grid = grid;
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
    using V = decltype(value_of(S(T(0))));
    V left[N * (N + 1) / 2];
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j <= i; ++j) left[triangle_index(i, j)] = value_of(S(q.entry(i, j)));
    }
    TransposedFactor<V, N> g;
    g.info = pivoted_factor<N>(left, g.g);
    info_t<S> const info = first_failure(info_in_lanes_of<S>(q.info), info_t<S>(g.info));
    tile_of_t<S, N, N, Structure::lower, false> l;
    if constexpr (is_distributed<S>) l.grid = grid;
    l = transpose(tile_of_columns(upper_columns<S>(g, grid), info));
    return l;
  }
}

}  // namespace Batchwork::Impl

#endif
