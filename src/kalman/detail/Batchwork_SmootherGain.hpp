// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The gain of a smoother: how the state at time t follows from that at time t + 1.
#ifndef BATCHWORK_SMOOTHERGAIN_HPP
#define BATCHWORK_SMOOTHERGAIN_HPP

#include "kalman/Batchwork_Diffuse.hpp"
#include "kalman/detail/Batchwork_SemidefiniteFactor.hpp"

namespace Batchwork::Impl {

/// A pivot of F P F' + Q below this is a rounding error, relative to the sum of the terms of its
/// diagonal entry.
template <class T, int N>
inline constexpr T smoother_pivot = T(N + 1) * std::numeric_limits<T>::epsilon();
/// If a pivot is below minus this, the matrix is not a covariance.
template <class T, int N>
inline constexpr T indefinite_pivot = T(64) * smoother_pivot<T, N>;

/// A covariance as a tile with structure; of a general one the lower triangle is read.
template <class Q>
BATCHWORK_INLINE decltype(auto) as_symmetric(Q const& q) {
  if constexpr (Q::structure == Structure::general) return symmetric(q);
  else return (q);
}

/// The factor of a matrix s that may be singular. `size(i)` is the size of the terms of diagonal
/// entry i. A pivot that is a rounding error gives a column of zeros, with the reciprocal zero:
/// what this entry of x(t + 1) says is known from the entries before it.
template <class A, class Size>
BATCHWORK_INLINE auto smoother_factor(A const& s, Size const& size) {
  using S0 = value_t<A>;
  constexpr int N = A::rows;
  auto const grid = grid_of(s);
  using V = decltype(value_of(S0(scalar_t<S0>(0))));
  using T = scalar_t<V>;
  V l[N * (N + 1) / 2], inverse[N];
  V const zero(T(0)), one(T(1));
  info_t<V> info(0);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int j = 0; j < N; ++j) {
    V const* const row = l + triangle_index(j, 0);
    V pivot = value_of(S0(s.entry(j, j)));
    V const terms = value_of(S0(size(j)));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < j; ++k) pivot -= row[k] * row[k];
    auto const finite = is_finite(pivot), bad = pivot < V(-indefinite_pivot<T, N>) * terms;
    info = first_failure(
        info, select(finite,
                     select(bad, make_info<V>(Reason::not_positive_definite, j + 1), info_t<V>(0)),
                     make_info<V>(Reason::not_finite, j + 1)));
    auto const tells = pivot > V(smoother_pivot<T, N>) * terms;
    inverse[j] = select(tells, rsqrt(select(tells, pivot, one)), zero);
    inverse[j] = select(finite && !bad, inverse[j], V(std::numeric_limits<T>::quiet_NaN()));
    l[triangle_index(j, j)] = pivot * inverse[j];
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = j + 1; i < N; ++i) {
      V const* const other = l + triangle_index(i, 0);
      V x = value_of(S0(s.entry(i, j)));
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < j; ++k) x -= other[k] * row[k];
      l[triangle_index(i, j)] = x * inverse[j];
    }
  }
  if constexpr (is_distributed<S0>) {
    using S = dealt_t<S0, true>;
    Cholesky<S, N> r;
    r.factor.grid = grid;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) {
      if (grid.lane != i % S::lanes) continue;
      r.factor.inverse[i / S::lanes] = inverse[i];
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < N; ++k)
        r.factor.set_local(i / S::lanes, k, k <= i ? l[triangle_index(i, k)] : T(0));
    }
    r.factor.info = first_failure(s.info, info);
    return r;
  } else {
    Cholesky<V, N> r;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < N * (N + 1) / 2; ++k) r.factor.a[k] = l[k];
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) r.factor.inverse[i] = inverse[i];
    r.factor.info = first_failure(info_in_lanes_of<V>(s.info), info);
    return r;
  }
}

/// The transposed gain S^-1 F P with S = F P F' + Q.
template <class P, class F, class Q>
BATCHWORK_INLINE auto smoother_gain(P const& p, F const& f, Q const& q) {
  auto const g = f * p;
  auto const s = symmetric_product(g, transpose(f), as_symmetric(q));
  using S = value_t<decltype(s)>;
  auto const size = [&](int i) {
    S sum(q.entry(i, i));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < P::rows; ++k) sum += f.entry(i, k) * f.entry(i, k) * p.entry(k, k);
    return sum;
  };
  return solve(smoother_factor(s, size), g);
}

/// Row k, column i: how x(t)_k changes with x(t + 1)_i. Where lanes share an item, each of them
/// knows all numbers.
template <class V, int N>
struct DiffuseGain {
  V entry[N * N];
  info_t<V> info;
};

/// The gain for a prior with the covariance p + kappa a a' and kappa towards infinity, with `left`
/// diffuse columns of a. x(t + 1) = f x(t) + noise is observed entry by entry, as in the diffuse
/// filter, after q = L D L' has made its entries independent. An entry without noise that is known
/// already tells nothing.
template <class P, class A, class Left, class F, class Q>
BATCHWORK_INLINE auto diffuse_smoother_gain(P p, A a, Left left, F const& f, Q const& q) {
  using S = value_t<P>;
  using T = scalar_t<S>;
  constexpr int N = P::rows;
  S const zero(T(0)), one(T(1));
  auto const factor = unit_factor<S, N>(q, [](int) { return false; });
  S rows[N * N];   // L^-1 f
  S gains[N * N];  // column i: of entry i
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    S const* const l = factor.l + UnitFactor<S, N>::index(i, 0);
    S* const h = rows + i * N;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < N; ++k) {
      h[k] = S(f.entry(i, k));
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < i; ++j) h[k] -= l[j] * rows[j * N + k];
    }
    S m[N], gain[N];
    S variance = factor.d[i], size = variance;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int n = 0; n < N; ++n) {
      m[n] = zero;
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < N; ++k) m[n] += p.entry(n, k) * h[k];
      variance += m[n] * h[n];
      size += h[n] * h[n] * p.entry(n, n);
    }
    auto const in = diffuse_innovation(a, left, h);
    auto const tells = !(variance <= S(T(smoother_pivot<T, N>)) * size);
    S const inverse = select(tells, S(one / select(tells, variance, one)), zero),
            inverse_diffuse = one / select(in.is_diffuse, in.variance, one);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int n = 0; n < N; ++n)
      gain[n] = select(in.is_diffuse, S(in.covariance[n] * inverse_diffuse), S(m[n] * inverse));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int n = 0; n < N; ++n) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j <= n; ++j)
        p.set(n, j, p.entry(n, j) + gain[n] * gain[j] * variance - m[n] * gain[j] - gain[n] * m[j]);
    }
    remove_direction(a, left, in, in.is_diffuse);
    // Earlier entries now act through this one as well.
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < i; ++j) {
      S seen = zero;
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < N; ++k) seen += h[k] * gains[k * N + j];
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < N; ++k) gains[k * N + j] -= gain[k] * seen;
    }
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < N; ++k) gains[k * N + i] = gain[k];
  }
  // From entries of L^-1 x(t + 1) to those of x(t + 1).
  DiffuseGain<decltype(value_of(zero)), N> r;
  r.info = info_in_lanes_of<S>(factor.info);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int n = 0; n < N; ++n) {
    int const i = N - 1 - n;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < N; ++k) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = i + 1; j < N; ++j)
        gains[k * N + i] -= factor.l[UnitFactor<S, N>::index(j, i)] * gains[k * N + j];
      r.entry[k * N + i] = value_of(gains[k * N + i]);
    }
  }
  return r;
}

/// The transposed gain where directions of the prior are diffuse, else `known`. a and left are
/// Nothing if the start was not diffuse.
template <class G, class P, class A, class Left, class F, class Q>
BATCHWORK_INLINE G gain_of_diffuse(G known, P const& p, A const& a, Left const& left, F const& f,
                                   Q const& q) {
  if constexpr (!is_nothing<A>) {
    if (any_diffuse(left)) {
      using S = value_t<G>;
      constexpr int N = P::rows;
      auto const diffuse = diffuse_smoother_gain(p, a, left, f, as_symmetric(q));
      auto const columns = value_of(left.value);
      using V = std::remove_cvref_t<decltype(columns)>;
      auto const where = columns > V(scalar_t<V>(0));
      auto const grid = grid_of(known);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) {
        BATCHWORK_UNROLL_ON_DEVICE
        for (int k = 0; k < N; ++k)
          known.set(
              i, k,
              value_of_lane<S>(
                  select(where, diffuse.entry[k * N + i], value_of(S(known.entry(i, k)))), grid));
      }
      known.info = select(where, info_t<S>(diffuse.info), known.info);
    }
  }
  return known;
}

}  // namespace Batchwork::Impl

#endif
