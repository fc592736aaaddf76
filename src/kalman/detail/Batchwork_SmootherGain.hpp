// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The gain of a smoother: how the state at time t follows from that at time t + 1.
#ifndef BATCHWORK_SMOOTHERGAIN_HPP
#define BATCHWORK_SMOOTHERGAIN_HPP

#include "kalman/Batchwork_Diffuse.hpp"
#include "kalman/detail/Batchwork_SemidefiniteFactor.hpp"

namespace Batchwork::Impl {

/// The transposed gain G' of a smoother, and the covariance of x(t) given x(t + 1), or its factor.
template <class Gain, class Rest>
struct BackwardMotion {
  Gain gain_t;
  Rest rest;
};

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

/// A matrix that all lanes of an item know.
template <class V, int M, int N>
struct KnownMatrix {
  using value_type = V;
  static constexpr int rows = M, cols = N;
  static constexpr Structure structure = Structure::general;
  static constexpr bool is_vector = false;
  V x[M * N];
  info_t<V> info;
  template <class A>
  BATCHWORK_INLINE explicit KnownMatrix(A const& a) : info(info_in_lanes_of<V>(a.info)) {
    using S = value_t<A>;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < M; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < N; ++j) set(i, j, V(value_of(S(a.entry(i, j)))));
    }
  }
  BATCHWORK_INLINE V entry(int i, int j) const { return x[i * N + j]; }
  BATCHWORK_INLINE void set(int i, int j, V const& value) { x[i * N + j] = value; }
};

/// What is known of x(t) in the gain below: its covariance p without the diffuse part.
template <class V, int N>
struct CovariancePrior {
  KnownMatrix<V, N, N> p;

  /// Lets an observation with row h and noise variance d enter. `in` is the diffuse_innovation of
  /// h, and g receives the gain.
  template <class In>
  BATCHWORK_INLINE void observe(V* g, V const* h, V const& d, In const& in) {
    using T = scalar_t<V>;
    V const zero(T(0)), one(T(1));
    V m[N];
    V variance = d, size = variance;
    BATCHWORK_KEEP_LOOP
    for (int n = 0; n < N; ++n) {
      m[n] = zero;
      BATCHWORK_KEEP_LOOP
      for (int k = 0; k < N; ++k) m[n] += p.entry(n, k) * h[k];
      variance += m[n] * h[n];
      size += h[n] * h[n] * p.entry(n, n);
    }
    auto const tells = !(variance <= V(smoother_pivot<T, N>) * size);
    V const inverse = select(tells, V(one / select(tells, variance, one)), zero),
            inverse_diffuse = one / select(in.is_diffuse, in.variance, one);
    BATCHWORK_KEEP_LOOP
    for (int n = 0; n < N; ++n)
      g[n] = select(in.is_diffuse, V(in.covariance[n] * inverse_diffuse), V(m[n] * inverse));
    BATCHWORK_KEEP_LOOP
    for (int n = 0; n < N; ++n) {
      BATCHWORK_KEEP_LOOP
      for (int j = 0; j <= n; ++j) {
        V const x = p.entry(n, j) + g[n] * g[j] * variance - m[n] * g[j] - g[n] * m[j];
        p.set(n, j, x);
        p.set(j, n, x);
      }
    }
  }
};

/// The gain for a prior with a diffuse covariance kappa a a' as well, and kappa towards infinity,
/// with `left` diffuse columns of a. x(t + 1) = f x(t) + noise is observed entry by entry, as in
/// the diffuse filter, after q = l D l' has made its entries independent. An entry without noise
/// that is known already tells nothing. Row k of f becomes row k of l^-1 f. Devices run it as loops
/// in local memory: it is long, and few steps are diffuse.
///
/// \param gain  its column i says how x(t) changes with entry i of x(t + 1)
/// \param prior  becomes what is known of x(t) given x(t + 1)
template <int N, class V, class Prior, class A, class Left>
BATCHWORK_OUT_OF_LINE void diffuse_smoother_gain(KnownMatrix<V, N, N>& gain, Prior& prior, A& a,
                                                 Left& left, KnownMatrix<V, N, N>& f,
                                                 UnitFactor<V, N> const& noise) {
  V const zero(scalar_t<V>(0));
  V g[N];
  BATCHWORK_KEEP_LOOP
  for (int i = 0; i < N; ++i) {
    V const* const l = noise.l + UnitFactor<V, N>::index(i, 0);
    V* const h = f.x + i * N;
    BATCHWORK_KEEP_LOOP
    for (int k = 0; k < N; ++k) {
      BATCHWORK_KEEP_LOOP
      for (int j = 0; j < i; ++j) h[k] -= l[j] * f.entry(j, k);
    }
    auto const in = diffuse_innovation(a, left, h);
    prior.observe(g, h, noise.d[i], in);
    remove_direction(a, left, in, in.is_diffuse);
    // Earlier entries now act through this one as well.
    BATCHWORK_KEEP_LOOP
    for (int j = 0; j < i; ++j) {
      V seen = zero;
      BATCHWORK_KEEP_LOOP
      for (int k = 0; k < N; ++k) seen += h[k] * gain.entry(k, j);
      BATCHWORK_KEEP_LOOP
      for (int k = 0; k < N; ++k) gain.set(k, j, gain.entry(k, j) - g[k] * seen);
    }
    BATCHWORK_KEEP_LOOP
    for (int k = 0; k < N; ++k) gain.set(k, i, g[k]);
  }
  // From entries of l^-1 x(t + 1) to those of x(t + 1).
  BATCHWORK_KEEP_LOOP
  for (int n = 0; n < N; ++n) {
    int const i = N - 1 - n;
    BATCHWORK_KEEP_LOOP
    for (int j = i + 1; j < N; ++j) {
      V const lji = noise.l[UnitFactor<V, N>::index(j, i)];
      BATCHWORK_KEEP_LOOP
      for (int k = 0; k < N; ++k) gain.set(k, i, gain.entry(k, i) - lji * gain.entry(k, j));
    }
  }
}

/// Puts the diffuse gain in place of the transposed gain `known` where directions are diffuse.
/// \returns where
template <class G, class V, class Prior, class A, class F, class Q>
BATCHWORK_INLINE mask_t<V> put_diffuse_gain(G& known, V const& columns, Prior& prior, A const& a,
                                            F const& f, Q const& q) {
  using S = value_t<G>;
  constexpr int N = F::rows, C = A::cols;
  auto const grid = grid_of(known);
  KnownMatrix<V, N, N> gain(f), transition(f);
  KnownMatrix<V, N, C> factor(a);
  Scalar<V> count(columns);
  auto const noise =
      unit_factor<V, N>(KnownMatrix<V, N, N>(as_symmetric(q)), [](int) { return false; });
  diffuse_smoother_gain<N>(gain, prior, factor, count, transition, noise);
  auto const where = columns > V(scalar_t<V>(0));
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < N; ++k)
      known.set(
          i, k,
          value_of_lane<S>(select(where, gain.entry(k, i), value_of(S(known.entry(i, k)))), grid));
  }
  known.info = select(where, info_t<S>(noise.info), known.info);
  return where;
}

/// The transposed gain where directions of the prior are diffuse, else `known`. a and left are
/// Nothing if the start was not diffuse.
template <class G, class P, class A, class Left, class F, class Q>
BATCHWORK_INLINE G gain_of_diffuse(G known, P const& p, A const& a, Left const& left, F const& f,
                                   Q const& q) {
  if constexpr (!is_nothing<A>) {
    if (any_diffuse(left)) {
      auto const columns = value_of(left.value);
      using V = std::remove_cvref_t<decltype(columns)>;
      CovariancePrior<V, P::rows> prior{KnownMatrix<V, P::rows, P::rows>(p)};
      put_diffuse_gain(known, columns, prior, a, f, q);
    }
  }
  return known;
}

}  // namespace Batchwork::Impl

#endif
