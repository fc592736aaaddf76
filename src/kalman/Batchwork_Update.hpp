// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// update: an observation enters the state. Symmetric matrices are computed by one triangle,
/// missing entries are skipped.
#ifndef BATCHWORK_UPDATE_HPP
#define BATCHWORK_UPDATE_HPP

#include "kalman/Batchwork_Predict.hpp"
#include "kalman/detail/Batchwork_Loss.hpp"

namespace Batchwork {

namespace Impl {

/// Replaces a missing observation by one that is independent of all others, has variance one and an
/// innovation of zero.
template <class V, class SM, class Mi>
BATCHWORK_INLINE void skip_missing(V& v, SM& s, Mi const& missing) {
  using S = value_t<V>;
  using T = scalar_t<S>;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < V::rows; ++i) {
    v.set(i, 0, select(missing.entry[i], S(T(0)), v.entry(i, 0)));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < i; ++j) {
      s.set(i, j, select(missing.entry[i] || missing.entry[j], S(T(0)), S(s.entry(i, j))));
    }
    s.set(i, i, select(missing.entry[i], S(T(1)), S(s.entry(i, i))));
  }
}

/// Sets the rows of g = H p that belong to missing observations to zero, whatever H holds there.
template <class G, class Mi>
BATCHWORK_INLINE void skip_missing_rows(G& g, Mi const& missing) {
  using S = value_t<G>;
  using T = scalar_t<S>;
  if constexpr (is_distributed<S>) {
    BATCHWORK_UNROLL
    for (int i = 0; i < G::rows; ++i) {
      bool const skip = missing.entry[i].v;
      if constexpr (S::by_rows) {
        BATCHWORK_UNROLL
        for (int k = 0; k < G::length; ++k)
          if (skip && g.grid.lane == i % S::lanes) g.set_local(i / S::lanes, k, T(0));
      } else {
        BATCHWORK_UNROLL
        for (int m = 0; m < G::mine; ++m)
          if (skip) g.set_local(m, i, T(0));
      }
    }
  } else {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < G::rows; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < G::cols; ++j)
        g.set(i, j, select(missing.entry[i], S(T(0)), S(g.entry(i, j))));
    }
  }
}

/// loglik += -1/2 log x, for a scalar or a LogSum of weight -1/2.
template <class L, class S>
BATCHWORK_INLINE void subtract_half_log(L& loglik, S const& x) {
  if constexpr (is_log_sum<L>) loglik.add_log(Scalar<S>(x));
  else loglik += scalar_t<S>(-0.5) * log(Scalar<S>(x));
}

/// loglik += -1/2 (constant + u'u + the sum of the logarithms of square(i)), i < M.
template <int M, class L, class S, class U, class Square>
BATCHWORK_INLINE void add_normal(L& loglik, S const& constant, U const& u, Square const& square) {
  using T = scalar_t<S>;
  if constexpr (!is_nothing<L>) {
    S sum = constant;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < M; ++i) sum += u.entry(i, 0) * u.entry(i, 0);
    Scalar<S> const half(S(T(-0.5)) * sum, u.info);
    auto const add_log_det = [&](auto& sum_of_logs) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < M; ++i) sum_of_logs.add_log(Scalar<S>(S(square(i))));
    };
    if constexpr (is_log_sum<L>) {
      add_log_det(loglik);
      loglik += half;
    } else {
      LogSum<S> log_det(half, T(-0.5));
      add_log_det(log_det);
      loglik += log_det.value();
    }
  }
}

/// x and p are tiles; z a vector, h M x N, r M x M.
template <Kalman::Data D, class X, class P, class L, class Z, class H, class R>
BATCHWORK_INLINE void kalman_update(X& x, P& p, L& loglik, Z const& z, H const& h, R const& r) {
  using S = value_t<P>;
  using T = scalar_t<S>;
  constexpr int N = P::rows, M = Z::rows;
  static_assert(X::rows == N && H::cols == N && H::rows == M && R::rows == M && R::cols == M,
                "Batchwork::Kalman::update: the extents do not fit; give x N entries, p N x N, z "
                "M entries, h M x N and r M x M");
  auto g = h * p;
  auto s = symmetric_product(g, transpose(h), r);
  Vector<S, M> v = z - h * x;
  S constant(T(0));
  info_t<S> digits(0);
  auto factor = [&] {
    if constexpr (D == Kalman::Data::complete) {
      constant = S(T(M) * log_two_pi<T>);
      v = fail_where(any_missing(z), Reason::incomplete_data, v);
      digits = digits_status<S>(s, r, [](int) { return mask_t<S>(false); });
      return cholesky(s);
    } else {
      auto const missing = missing_entries<S>(z);
      skip_missing(v, s, missing);
      skip_missing_rows(g, missing);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < M; ++i) constant += select(missing.entry[i], S(T(0)), S(log_two_pi<T>));
      digits = digits_status<S>(s, r, [&](int i) { return missing.entry[i]; });
      return cholesky(s);
    }
  }();
  // A pivot that is not positive says more: then there are no results.
  factor.factor.info = first_failure(factor.factor.info, digits);
  auto const y = solve(factor.lower(), g);
  auto const u = solve(factor.lower(), v);
  x = x + transpose(y) * u;
  p = downdate(p, y);
  add_normal<M>(loglik, constant, u, [&](int i) {
    S const l = factor.factor.entry(i, i);
    return S(l * l);
  });
}

}  // namespace Impl

namespace Kalman {

/// Lets the observation z = H x + noise enter the state, and adds to the log-likelihood.
///
/// ```cpp
/// Kalman::update(x, p, loglik, z, h, r);  // in a sequence of map or scan
/// ```
///
///     S = H p H' + R = L L',  y = L^-1 H p,  u = L^-1 (z - H x),
///     x = x + y' u,  p = p - y' y,
///     loglik += -1/2 (m log 2 pi + log det S + u' u),  m entries observed
///
/// About 3 M N^2 + 2 M^2 N + M^3 / 3 operations. A NaN entry of z is missing: its row of H and its
/// row and column of R are ignored and may hold anything. With update<Data::complete> no masks are
/// computed, and a NaN fails with Reason::incomplete_data.
///
/// Failures, in the status of the call and in the `info` of x and p:
///
/// | reason | cause | info |
/// | --- | --- | --- |
/// | not_positive_definite, not_finite | S, as in cholesky | 1-based pivot |
/// | inaccurate | 0 < R(i, i) < 4 eps S(i, i); x and p are stored | 1-based i |
/// | incomplete_data | a NaN in z with Data::complete | 0 |
///
/// \tparam D whether observations may be missing
/// \param x mean, a mutable vector of N, or scalar
/// \param p covariance, a mutable symmetric tile N x N, or scalar
/// \param loglik log-likelihood, a mutable scalar, or a LogSum of weight -1/2 (log_sum(view,
///   -0.5)), which needs no logarithm per step
/// \param z observation, a vector of M, or scalar
/// \param h observation matrix, M x N, or a vector of N if M is 1
/// \param r covariance of the noise, M x M; only the lower triangle is read
template <Data D = Data::may_be_missing, class X, class P, class L, class Z, class H, class R>
BATCHWORK_INLINE void update(X& x, P& p, L& loglik, Z const& z, H const& h, R const& r) {
  Impl::with_state(x, p, [&](auto& xs, auto& ps) {
    constexpr int N = std::remove_cvref_t<decltype(ps)>::rows;
    auto const& hm = Impl::as_observation_matrix<N>(h);
    auto const& zv = Impl::as_vector(z);
    auto const& rm = Impl::as_matrix(r);
    Impl::kalman_update<D>(xs, ps, loglik, zv, hm, rm);
  });
}
/// The same without the log-likelihood.
///
/// \tparam D whether observations may be missing
/// \param x mean, a mutable vector of N, or scalar
/// \param p covariance, a mutable symmetric tile N x N, or scalar
/// \param z observation, a vector of M, or scalar
/// \param h observation matrix, M x N, or a vector of N if M is 1
/// \param r covariance of the noise, M x M; only the lower triangle is read
template <Data D = Data::may_be_missing, class X, class P, class Z, class H, class R>
BATCHWORK_INLINE void update(X& x, P& p, Z const& z, H const& h, R const& r) {
  Impl::Nothing none;
  update<D>(x, p, none, z, h, r);
}

}  // namespace Kalman
}  // namespace Batchwork

#endif
