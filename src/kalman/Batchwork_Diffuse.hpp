// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The exact diffuse filter: states about which nothing is known at the start, without a large number in their place.
/// Univariate treatment of multivariate observations, Durbin and Koopman, Time Series Analysis by State Space Methods,
/// 2nd edition 2012, sections 5.2 and 6.4.
#ifndef BATCHWORK_DIFFUSE_HPP
#define BATCHWORK_DIFFUSE_HPP

#include "kalman/Batchwork_Update.hpp"

namespace Batchwork {

namespace Impl {

/// What is left of a difference of equal numbers after rounding, relative to the numbers, in the diffuse covariance of N
/// states: below it counts as zero.
template <class T, int N>
inline constexpr T diffuse_tolerance = T(16 * N) * std::numeric_limits<T>::epsilon();

/// r = L D L' with L unit lower triangular: rows of L one after the other, without the diagonal.
template <class S, int M>
struct UnitFactor {
  S l[M * (M - 1) / 2 + 1];
  S d[M];
  info_t<S> info;
  static constexpr KOKKOS_FORCEINLINE_FUNCTION int index(int i, int j) {
    return i * (i - 1) / 2 + j;
  }
};

/// Factors r, which may be singular; where `missing` holds, row and column are those of the identity.
template <class S, int M, class R, class IsMissing>
BATCHWORK_INLINE UnitFactor<S, M> unit_factor(R const& r, IsMissing const& missing) {
  using T = scalar_t<S>;
  using F = UnitFactor<S, M>;
  F f;
  f.info = spread_info<S>(r.info);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int j = 0; j < M; ++j) {
    S const rjj = S(r.entry(j, j));
    S d = rjj;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < j; ++k) d -= f.l[F::index(j, k)] * f.l[F::index(j, k)] * f.d[k];
    S const small = S(T(M) * std::numeric_limits<T>::epsilon()) * rjj;
    auto const positive = d > small;
    auto const failed = !(d >= -small);
    f.info = first_failure(
        f.info, select(failed, make_info<S>(Reason::not_positive_definite, j + 1), info_t<S>(0)));
    f.d[j] = select(positive, d, select(failed, S(std::numeric_limits<T>::quiet_NaN()), S(T(0))));
    S const inverse = select(positive, S(T(1)) / select(positive, d, S(T(1))), S(T(0)));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = j + 1; i < M; ++i) {
      S a = S(r.entry(i, j));
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < j; ++k) a -= f.l[F::index(i, k)] * f.l[F::index(j, k)] * f.d[k];
      f.l[F::index(i, j)] = select(missing(i) || missing(j), S(T(0)), a * inverse);
    }
  }
  return f;
}

/// What one scalar observation does to the mean: x += gain * innovation; and to the likelihood.
template <class S, int N>
struct ScalarGain {
  S gain[N];
  S weight;      ///< 1 / variance of the innovation; 0 if skipped or diffuse
  S variance;    ///< whose logarithm enters the likelihood: 1 if skipped
  S log_two_pi;  ///< 0 if skipped or diffuse
  info_t<S> info;
};

/// Variances that are no more than rounding errors beside `scale` become zeros, with their rows and columns.
template <class P, class S>
BATCHWORK_INLINE void remove_rounding(P& p, S const* scale) {
  using T = scalar_t<S>;
  constexpr int N = P::rows;
  mask_t<S> zero[N];
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) zero[i] = p.entry(i, i) <= S(diffuse_tolerance<T, N>) * scale[i];
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j <= i; ++j) p.set(i, j, select(zero[i] || zero[j], S(T(0)), S(p.entry(i, j))));
  }
}

/// Whether any state is still diffuse, of any item in the lanes at hand. A shortcut only: what it spares would change
/// nothing.
template <class P>
BATCHWORK_INLINE bool any_diffuse(P const& p_inf) {
  if constexpr (is_nothing<P>) {
    return false;
  } else {
    using S = held_t<P>;
    return any(trace(p_inf).value > S(scalar_t<S>(0)));
  }
}

/// F p_inf F'.
template <class P, class F>
BATCHWORK_INLINE void predict_diffuse(P& p_inf, F const& f) {
  using S = held_t<P>;
  constexpr int N = P::rows;
  if (!any_diffuse(p_inf)) return;
  S scale[N];
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    scale[i] = S(scalar_t<S>(0));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < N; ++k) scale[i] += (f.entry(i, k) * f.entry(i, k)) * p_inf.entry(k, k);
  }
  p_inf = congruence(f, p_inf);
  remove_rounding(p_inf, scale);
}

/// One scalar observation with row h and noise variance r enters the covariances where `use` holds.
template <class P, class PI, class HS, class S>
BATCHWORK_INLINE auto observe(P& p, PI& p_inf, bool diffuse, HS const* h, S const& r,
                              mask_t<S> const& use) {
  using T = scalar_t<S>;
  constexpr int N = P::rows;
  S const zero(T(0)), one(T(1));
  ScalarGain<S, N> g;
  S m[N];
  S f = r;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    m[i] = zero;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < N; ++k) m[i] += p.entry(i, k) * h[k];
    f += m[i] * h[i];
  }
  S m_inf[N];
  S f_inf = zero, inverse_inf = zero;
  mask_t<S> is_diffuse(false);
  if constexpr (!is_nothing<PI>) {
    if (diffuse) {
      S scale = zero;
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) {
        m_inf[i] = zero;
        BATCHWORK_UNROLL_ON_DEVICE
        for (int k = 0; k < N; ++k) m_inf[i] += p_inf.entry(i, k) * h[k];
        f_inf += m_inf[i] * h[i];
        scale += p_inf.entry(i, i) * (h[i] * h[i]);
      }
      is_diffuse = use && f_inf > S(diffuse_tolerance<T, N>) * scale;
      inverse_inf = one / select(is_diffuse, f_inf, one);
    }
  }
  auto const regular = use && !is_diffuse;
  auto const positive = f > zero;
  auto const finite = is_finite(f);
  g.info = select(regular && !(positive && finite),
                  select(finite, make_info<S>(Reason::not_positive_definite, 1),
                         make_info<S>(Reason::not_finite, 1)),
                  info_t<S>(0));
  S const variance =
      select(regular, select(positive, f, S(std::numeric_limits<T>::quiet_NaN())), one);
  g.weight = select(regular, one / variance, zero);
  g.log_two_pi = select(regular, S(log_two_pi<T>), zero);
  g.variance = variance;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) g.gain[i] = m[i] * g.weight;

  if constexpr (!is_nothing<PI>) {
    if (diffuse) {
      g.variance = select(is_diffuse, f_inf, variance);
      S old[N];
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) {
        g.gain[i] = select(is_diffuse, m_inf[i] * inverse_inf, g.gain[i]);
        old[i] = p_inf.entry(i, i);
      }
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) {
        BATCHWORK_UNROLL_ON_DEVICE
        for (int j = 0; j <= i; ++j) {
          S const a = p.entry(i, j);
          S const known = a - m[i] * g.gain[j];
          S const unknown = a + g.gain[i] * g.gain[j] * f - m[i] * g.gain[j] - g.gain[i] * m[j];
          p.set(i, j, select(is_diffuse, unknown, known));
          S const b = p_inf.entry(i, j);
          p_inf.set(i, j, select(is_diffuse, b - m_inf[i] * g.gain[j], b));
        }
      }
      remove_rounding(p_inf, old);
      return g;
    }
  }
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j <= i; ++j) p.set(i, j, p.entry(i, j) - m[i] * g.gain[j]);
  }
  return g;
}

/// The univariate treatment: decorrelates the M entries of an observation by r = L D L' and lets those that are not
/// missing enter one by one. entry(i, gain, row, l) is called for each, with row i of L^-1 h and with the entries of row
/// i of L before the diagonal, null if L is the identity.
template <class P, class PI, class IsMissing, class H, class R, class Entry>
BATCHWORK_INLINE void observe_one_by_one(P& p, PI& p_inf, IsMissing const& missing, H const& h,
                                         R const& r, Entry const& entry) {
  using S = held_t<P>;
  using T = scalar_t<S>;
  constexpr int N = P::rows, M = H::rows;
  constexpr bool correlated = M > 1 && R::structure != Structure::diagonal;
  bool const diffuse = any_diffuse(p_inf);
  if constexpr (correlated) {
    using SR = typename HeldForMask<held_t<R>, decltype(missing(0))>::type;
    using SH = promote_t<SR, held_t<H>>;
    auto const factor = unit_factor<SR, M>(r, missing);
    SH rows[M * N];
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < M; ++i) {
      SR const* l = factor.l + UnitFactor<SR, M>::index(i, 0);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < N; ++k) {
        SH a = SH(h.entry(i, k));
        BATCHWORK_UNROLL_ON_DEVICE
        for (int j = 0; j < i; ++j) a -= l[j] * rows[j * N + k];
        rows[i * N + k] = a;
      }
      auto g = observe(p, p_inf, diffuse, rows + i * N, S(factor.d[i]), mask_t<S>(!missing(i)));
      g.info = first_failure(spread_info<S>(factor.info), g.info);
      entry(i, g, rows + i * N, l);
    }
  } else {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < M; ++i) {
      held_t<H> row[N];
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < N; ++k) row[k] = h.entry(i, k);
      auto const g = observe(p, p_inf, diffuse, row, S(r.entry(i, i)), mask_t<S>(!missing(i)));
      entry(i, g, row, static_cast<T const*>(nullptr));
    }
  }
}

template <Kalman::Data D, class X, class P, class PI, class L, class Z, class H, class R>
BATCHWORK_INLINE void diffuse_update(X& x, P& p, PI& p_inf, L& loglik, Z const& z, H const& h,
                                     R const& r) {
  using S = held_t<P>;
  using T = scalar_t<S>;
  constexpr int N = P::rows, M = Z::rows;
  static_assert(
      X::rows == N && H::cols == N && H::rows == M && R::rows == M && R::cols == M,
      "Batchwork::Kalman::diffuse_update: x is N, p and p_inf N x N, z M, h M x N, r M x M");
  auto info = merge_info<S>(x.info, p.info);
  info = merge_info<S>(info, merge_info<S>(merge_info<S>(z.info, h.info), r.info));
  if constexpr (D == Kalman::Data::complete)
    info = first_failure(
        info, select(any_missing(z), make_info<S>(Reason::incomplete_data, 0), info_t<S>(0)));
  auto const missing = [&](int i) {
    if constexpr (D == Kalman::Data::may_be_missing) return is_nan(held_t<Z>(z.entry(i, 0)));
    else return false;
  };
  S zs[M];
  S sum(T(0));
  observe_one_by_one(p, p_inf, missing, h, r,
                     [&](int i, auto const& g, auto const* row, auto const* l) {
                       S a = select(missing(i), S(T(0)), S(z.entry(i, 0)));
                       if (l) {
                         BATCHWORK_UNROLL_ON_DEVICE
                         for (int j = 0; j < i; ++j) a -= l[j] * zs[j];
                       }
                       zs[i] = a;
                       BATCHWORK_UNROLL_ON_DEVICE
                       for (int k = 0; k < N; ++k) a -= row[k] * x.entry(k, 0);
                       BATCHWORK_UNROLL_ON_DEVICE
                       for (int k = 0; k < N; ++k) x.set(k, 0, x.entry(k, 0) + g.gain[k] * a);
                       sum += a * a * g.weight + g.log_two_pi;
                       info = first_failure(info, g.info);
                       if constexpr (!is_nothing<L>) {
                         if constexpr (is_log_sum<L>) loglik.add_log(Scalar<S>(g.variance));
                         else loglik += T(-0.5) * log(Scalar<S>(g.variance));
                       }
                     });
  x.info = info;
  p.info = info;
  if constexpr (!is_nothing<L>) loglik += Scalar<S>(S(T(-0.5)) * sum, info);
}

}  // namespace Impl

namespace Kalman {

/// One step of the exact diffuse filter, as a sequence for scan: updates, then predicts. Parameters as for Step, with
/// p_inf after p: the covariance of the state is p + kappa p_inf, and what is computed is the limit of kappa towards
/// infinity. p_inf is a mutable Symmetric tile; once enough has been observed it is zero, exactly, and the step costs no
/// more than an ordinary one.
///
/// An entry of an observation whose variance F_inf has a diffuse part adds -1/2 log F_inf to the log-likelihood, any
/// other -1/2 (log 2 pi + log F + v^2 / F).
template <Data D = Data::may_be_missing>
struct DiffuseStep {
  template <class X, class P, class PI, class L, class Z, class F, class Q, class H, class R,
            class PM, class PC, class FM, class FC>
  KOKKOS_FUNCTION void operator()(X& x, P& p, PI& p_inf, L& loglik, Z const& z, F const& f,
                                  Q const& q, H const& h, R const& r, PM& predicted_mean,
                                  PC& predicted_covariance, FM& filtered_mean,
                                  FC& filtered_covariance) const {
    Impl::put(predicted_mean, x);
    Impl::put(predicted_covariance, p);
    auto const& zv = Impl::as_vector(z);
    auto const& rm = Impl::as_matrix(r);
    auto const& fm = Impl::as_matrix(f);
    auto pi = Impl::as_matrix(p_inf);
    Impl::with_state(x, p, [&](auto& xs, auto& ps) {
      constexpr int N = std::remove_cvref_t<decltype(ps)>::rows;
      auto const& hm = Impl::as_observation_matrix<N>(h);
      Impl::diffuse_update<D>(xs, ps, pi, loglik, zv, hm, rm);
    });
    Impl::put(filtered_mean, x);
    Impl::put(filtered_covariance, p);
    predict(x, p, f, q);
    Impl::predict_diffuse(pi, fm);
    Impl::put(p_inf, pi);
  }
};

}  // namespace Kalman
}  // namespace Batchwork

#endif
