// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The exact diffuse filter, for states about which nothing is known at the start. Univariate
/// treatment of multivariate observations: Durbin and Koopman, Time Series Analysis by State Space
/// Methods, 2nd edition 2012, sections 5.2 and 6.4.
#ifndef BATCHWORK_DIFFUSE_HPP
#define BATCHWORK_DIFFUSE_HPP

#include "kalman/Batchwork_Update.hpp"

namespace Batchwork {

namespace Impl {

/// Rounding error of a sum of N terms that is zero, relative to the terms. Used for each entry of F
/// A.
template <class T, int N>
inline constexpr T rounding_of_sum = T(2 * N) * std::numeric_limits<T>::epsilon();
/// Rounding error of w = h A if the direction h is known already, relative to sum |h_i| |A_i| with
/// A_i row i. It includes the rounding of all earlier steps. A model with 13 states leaves up to N
/// eps / 2 and has 400 N eps in its smallest diffuse direction.
template <class T, int N>
inline constexpr T diffuse_tolerance = T(8 * N) * std::numeric_limits<T>::epsilon();

/// r = L D L' with L unit lower triangular: the rows of L one after the other, without the
/// diagonal.
template <class S, int M>
struct UnitFactor {
  S l[M * (M - 1) / 2 + 1];
  S d[M];
  info_t<S> info;
  static constexpr KOKKOS_FORCEINLINE_FUNCTION int index(int i, int j) {
    return i * (i - 1) / 2 + j;
  }
};

/// Factors r, which may be singular. Rows and columns of missing entries are taken from the
/// identity, whatever r holds there. A pivot counts as zero up to `rounding` of the diagonal, also
/// a negative one up to `indefinite`: the pivots of a singular matrix are rounding errors, which
/// the condition of the rows before enlarges.
template <class S, int M, class R, class IsMissing>
BATCHWORK_INLINE UnitFactor<S, M> unit_factor(
    R const& r, IsMissing const& missing,
    scalar_t<S> rounding = scalar_t<S>(M) * std::numeric_limits<scalar_t<S>>::epsilon(),
    scalar_t<S> indefinite = scalar_t<S>(64 * M) * std::numeric_limits<scalar_t<S>>::epsilon()) {
  using T = scalar_t<S>;
  using F = UnitFactor<S, M>;
  constexpr bool correlated = R::structure != Structure::diagonal;
  F f;
  f.info = info_in_lanes_of<S>(r.info);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int j = 0; j < M; ++j) {
    S const rjj = select(missing(j), S(T(1)), S(r.entry(j, j)));
    S d = rjj;
    if constexpr (correlated) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < j; ++k) d -= f.l[F::index(j, k)] * f.l[F::index(j, k)] * f.d[k];
    }
    S const small = S(rounding) * rjj;
    auto const positive = d > small;
    auto const failed = !(d >= -S(indefinite) * rjj);
    f.info = first_failure(
        f.info, select(failed, make_info<S>(Reason::not_positive_definite, j + 1), info_t<S>(0)));
    f.d[j] = select(positive, d, select(failed, S(std::numeric_limits<T>::quiet_NaN()), S(T(0))));
    [[maybe_unused]] S const inverse =
        select(positive, S(T(1)) / select(positive, d, S(T(1))), S(T(0)));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = j + 1; i < M; ++i) {
      if constexpr (correlated) {
        S a = select(missing(i) || missing(j), S(T(0)), S(r.entry(i, j)));
        BATCHWORK_UNROLL_ON_DEVICE
        for (int k = 0; k < j; ++k) a -= f.l[F::index(i, k)] * f.l[F::index(j, k)] * f.d[k];
        f.l[F::index(i, j)] = a * inverse;
      } else {
        f.l[F::index(i, j)] = S(T(0));
      }
    }
  }
  return f;
}

/// The effect of one scalar observation on the mean, x += gain * innovation, and on the
/// log-likelihood.
template <class S, int N>
struct ScalarGain {
  S gain[N];
  S weight;      ///< 1 / variance of the innovation; 0 if skipped or diffuse
  S variance;    ///< whose logarithm enters the likelihood: 1 if skipped
  S log_two_pi;  ///< 0 if skipped, or if diffuse and not counted there
  info_t<S> info;
};

/// Whether any direction of any item in these lanes is still diffuse. If not, the diffuse part of a
/// step would change nothing and is skipped.
///
/// The columns of the factor A before number `left` are diffuse directions, or zero. The columns
/// from `left` on were diffuse until they were observed. They are kept because the norm of a row
/// then remembers how large it was, and so how large its rounding errors are.
template <class L>
BATCHWORK_INLINE bool any_diffuse(L const& left) {
  if constexpr (is_nothing<L>) {
    return false;
  } else {
    using S = typename L::value_type;
    return any(left.value > S(scalar_t<S>(0)));
  }
}

/// a = F a.
template <class A, class L, class F>
BATCHWORK_INLINE void predict_diffuse(A& a, L const& left, F const& f) {
  using S = value_t<A>;
  using T = scalar_t<S>;
  constexpr int N = A::rows, C = A::cols;
  if (!any_diffuse(left)) return;
  Matrix<S, N, C> r;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < C; ++j) {
      S sum(T(0)), scale(T(0));
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < N; ++k) {
        S const term = f.entry(i, k) * a.entry(k, j);
        sum += term;
        scale += abs(term);
      }
      // Of a state that the model itself makes known no column remembers anything.
      r.set(i, j, select(abs(sum) > S(rounding_of_sum<T, N>) * scale, sum, S(T(0))));
    }
  }
  r.info = a.info;
  a = r;
}

/// How a row h meets the diffuse directions: w = h a, |w|^2, |w|, a w', and whether w is larger
/// than rounding errors.
template <class S, int N, int C>
struct DiffuseInnovation {
  S w[C];
  S variance;
  S length;
  S covariance[N];
  mask_t<S> is_diffuse;
};
template <class A, class L, class HS>
BATCHWORK_INLINE auto diffuse_innovation(A const& a, L const& left, HS const* h) {
  using S = value_t<A>;
  using T = scalar_t<S>;
  constexpr int N = A::rows, C = A::cols;
  DiffuseInnovation<S, N, C> r;
  S scale(T(0));
  r.variance = S(T(0));
  BATCHWORK_UNROLL_ON_DEVICE
  for (int j = 0; j < C; ++j) {
    S sum(T(0));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < N; ++k) {
      S const term = a.entry(k, j) * h[k];
      sum += term;
      scale += abs(term);
    }
    r.w[j] = select(S(T(j)) < S(left.value), sum, S(T(0)));
    r.variance += r.w[j] * r.w[j];
  }
  r.length = sqrt(r.variance);
  r.is_diffuse = r.length > S(diffuse_tolerance<T, N>) * scale || is_nan(r.length);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int k = 0; k < N; ++k) {
    r.covariance[k] = S(T(0));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < C; ++j) r.covariance[k] += a.entry(k, j) * r.w[j];
  }
  return r;
}

/// Marks the observed direction w as known. A Householder reflection turns w into the last diffuse
/// column, which is then not diffuse any more. So the rank falls by exactly one.
template <class A, class L, class In, class Mask>
BATCHWORK_INLINE void remove_direction(A& a, L& left, In const& in, Mask const& where) {
  using S = value_t<A>;
  using T = scalar_t<S>;
  constexpr int N = A::rows, C = A::cols;
  S const zero(T(0)), one(T(1));
  mask_t<S> last[C];
  mask_t<S> found(false);
  using Count = typename L::value_type;
  Count now = Count(with_lanes_of(left.value, T(0)));  // what is left, zero columns aside,
  Count then = now;                                    // and without the last one
  BATCHWORK_UNROLL_ON_DEVICE
  for (int n = 0; n < C; ++n) {
    int const j = C - 1 - n;
    S sum = zero;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < N; ++k) sum += abs(S(a.entry(k, j)));
    auto const counts = !(sum <= zero) && S(T(j)) < S(left.value);  // a NaN counts
    last[j] = counts && !found;
    now = select(last[j], Count(T(j + 1)), now);
    then = select(counts && found && !(then > Count(T(0))), Count(T(j + 1)), then);
    found = found || counts;
  }
  left.value = select(where, then, now);
  S w_last = zero;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int j = 0; j < C; ++j) w_last = select(last[j], in.w[j], w_last);
  S const shift = select(w_last < zero, -in.length, in.length);
  S const factor = one / select(where, in.variance + abs(w_last) * in.length, one);
  S const inverse_length = one / select(where, in.length, one);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int k = 0; k < N; ++k) {
    S a_last = zero;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < C; ++j) a_last = select(last[j], S(a.entry(k, j)), a_last);
    S const c = (in.covariance[k] + shift * a_last) * factor;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < C; ++j) {
      S const old = a.entry(k, j);
      S const turned = select(last[j], in.covariance[k] * inverse_length, old - c * in.w[j]);
      a.set(k, j, select(where, turned, old));
    }
  }
}

/// Sums over all k but one: sum[i] = the sum of term(k), k != i. No term is subtracted again.
template <int N, class S, class Term>
BATCHWORK_INLINE void sums_without(S* sum, Term const& term) {
  S before(scalar_t<S>(0)), behind = before;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    sum[i] = before;
    before += term(i);
  }
  BATCHWORK_UNROLL_ON_DEVICE
  for (int n = 0; n < N; ++n) {
    int const i = N - 1 - n;
    sum[i] += behind;
    behind += term(i);
  }
}

/// Joseph's form of the covariance after a scalar observation with gain g:
/// p = (I - g h) p (I - g h)' + g r g'. Entry (i, i) of I - g h is the sum of other entries of g h
/// and `left_over` = 1 - h g, so it has all its digits.
/// \returns whether a variance lost all digits, because it is a difference of larger numbers
template <class P, class HS, class S>
BATCHWORK_INLINE mask_t<S> joseph_update(P& p, HS const* h, S const* g, S const& left_over,
                                         S const& r) {
  using T = scalar_t<S>;
  constexpr int N = P::rows;
  S diagonal[N], others[N * N], column[N], result[N * (N + 1) / 2];
  sums_without<N>(diagonal, [&](int k) { return S(g[k] * S(h[k])); });
  BATCHWORK_UNROLL_ON_DEVICE
  for (int j = 0; j < N; ++j) {
    sums_without<N>(column, [&](int k) { return S(S(h[k]) * S(p.entry(k, j))); });
    diagonal[j] += left_over;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) others[i * N + j] = column[i];
  }
  mask_t<S> lost(false);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    S row[N], size[N];  // of (I - g h) p, and the sums of magnitudes
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < N; ++j) {
      S const kept = diagonal[i] * S(p.entry(i, j)), taken = g[i] * others[i * N + j];
      row[j] = kept - taken;
      size[j] = abs(kept) + abs(taken);
    }
    sums_without<N>(column, [&](int k) { return S(row[k] * S(h[k])); });
    S largest = diagonal[i] * size[i];
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < N; ++j) {
      if (j <= i)
        result[triangle_index(i, j)] = row[j] * diagonal[j] - column[j] * g[j] + r * g[i] * g[j];
      if (j != i) largest = largest + abs(S(size[j] * S(h[j]) * g[i]));
    }
    lost = lost ||
           (r > S(T(0)) && result[triangle_index(i, i)] < S(rounding_of_update<T>) * abs(largest));
  }
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j <= i; ++j) p.set(i, j, result[triangle_index(i, j)]);
  }
  return lost;
}

/// Lets one scalar observation with row h and noise variance r enter the covariances where `use`
/// holds, in Joseph's form or by subtraction. `a` is the factor of the diffuse covariance and
/// `left` the number of its diffuse columns, or both are Nothing. A loss of digits is reported for
/// `entry`.
template <bool Joseph, class P, class A, class L, class HS, class S>
BATCHWORK_INLINE auto observe(P& p, A& a, L& left, Kalman::DiffuseEntries counted, HS const* h,
                              S const& r, mask_t<S> const& use, int entry) {
  using T = scalar_t<S>;
  constexpr int N = P::rows;
  S const zero(T(0)), one(T(1));
  ScalarGain<S, N> g;
  S m[N];
  S f = r, size = zero;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    m[i] = zero;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < N; ++k) m[i] += p.entry(i, k) * h[k];
    f += m[i] * h[i];
    size += h[i] * h[i] * p.entry(i, i);
  }
  bool const diffuse = any_diffuse(left);
  mask_t<S> is_diffuse(false);
  if constexpr (!is_nothing<A>) {
    if (diffuse) is_diffuse = use && diffuse_innovation(a, left, h).is_diffuse;
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

  if constexpr (!is_nothing<A>) {
    if (diffuse) {
      auto const in = diffuse_innovation(a, left, h);
      // A may be constant where p has derivatives.
      S const unknown_variance(in.variance);
      S const inverse = one / select(is_diffuse, unknown_variance, one);
      g.info = first_failure(g.info, select(is_diffuse && !is_finite(in.variance),
                                            make_info<S>(Reason::not_finite, 1), info_t<S>(0)));
      g.variance = select(is_diffuse, unknown_variance, variance);
      if (counted == Kalman::DiffuseEntries::with_log_two_pi)
        g.log_two_pi = select(is_diffuse, S(log_two_pi<T>), g.log_two_pi);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i)
        g.gain[i] = select(is_diffuse, S(in.covariance[i] * inverse), g.gain[i]);
      if constexpr (!Joseph) {
        BATCHWORK_UNROLL_ON_DEVICE
        for (int i = 0; i < N; ++i) {
          BATCHWORK_UNROLL_ON_DEVICE
          for (int j = 0; j <= i; ++j) {
            S const old = p.entry(i, j);
            S const known = old - m[i] * g.gain[j];
            S const unknown = old + g.gain[i] * g.gain[j] * f - m[i] * g.gain[j] - g.gain[i] * m[j];
            p.set(i, j, select(is_diffuse, unknown, known));
          }
          // A gain may be large, where the observation hardly shows the direction.
          size += select(is_diffuse, S(h[i] * h[i] * g.gain[i] * g.gain[i] * f), zero);
        }
      }
      remove_direction(a, left, in, is_diffuse);
    }
  }
  if constexpr (Joseph) {
    S const left_over = select(regular, S(r * g.weight), select(is_diffuse, zero, one));
    auto const lost = joseph_update(p, h, g.gain, left_over, r);
    g.info = first_failure(
        g.info, select(use && lost, make_info<S>(Reason::inaccurate, entry + 1), info_t<S>(0)));
    return g;
  }
  if (!diffuse) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j <= i; ++j) p.set(i, j, p.entry(i, j) - m[i] * g.gain[j]);
    }
  }
  g.info = first_failure(g.info, select(use && loses_digits<S>(r, size),
                                        make_info<S>(Reason::inaccurate, entry + 1), info_t<S>(0)));
  return g;
}

/// The univariate treatment: makes the M entries of an observation independent by r = L D L', and
/// lets the entries that are not missing enter one by one. Calls entry(i, gain, row, l) for each,
/// with row i of L^-1 h and the entries of row i of L before the diagonal; l is null if L is the
/// identity.
template <bool Joseph = false, class P, class A, class L, class IsMissing, class H, class R,
          class Entry>
BATCHWORK_INLINE void observe_one_by_one(P& p, A& a, L& left, Kalman::DiffuseEntries counted,
                                         IsMissing const& missing, H const& h, R const& r,
                                         Entry const& entry) {
  using S = value_t<P>;
  using T = scalar_t<S>;
  constexpr int N = P::rows, M = H::rows;
  constexpr bool correlated = M > 1 && R::structure != Structure::diagonal;
  // What H says of a missing entry is not read.
  using Row = typename ValueForMask<value_t<H>, decltype(missing(0))>::type;
  auto const row_entry = [&](int i, int k) {
    return select(missing(i), Row(T(0)), Row(h.entry(i, k)));
  };
  if constexpr (correlated) {
    using SR = typename ValueForMask<value_t<R>, decltype(missing(0))>::type;
    using SH = promote_t<SR, Row>;
    auto const factor = unit_factor<SR, M>(r, missing);
    SH rows[M * N];
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < M; ++i) {
      SR const* l = factor.l + UnitFactor<SR, M>::index(i, 0);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < N; ++k) {
        SH x = SH(row_entry(i, k));
        BATCHWORK_UNROLL_ON_DEVICE
        for (int j = 0; j < i; ++j) x -= l[j] * rows[j * N + k];
        rows[i * N + k] = x;
      }
      auto g = observe<Joseph>(p, a, left, counted, rows + i * N, S(factor.d[i]),
                               mask_t<S>(!missing(i)), i);
      g.info = first_failure(info_in_lanes_of<S>(factor.info), g.info);
      entry(i, g, rows + i * N, l);
    }
  } else {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < M; ++i) {
      Row row[N];
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < N; ++k) row[k] = row_entry(i, k);
      S const ri = select(missing(i), S(T(1)), S(r.entry(i, i)));
      auto const g = observe<Joseph>(p, a, left, counted, row, ri, mask_t<S>(!missing(i)), i);
      entry(i, g, row, static_cast<T const*>(nullptr));
    }
  }
}

/// Lets the entries of the observation z enter the state one by one. Calls entry(e, gain) for each,
/// with its innovation e. \returns the status of the state afterwards
template <Kalman::Data D, bool Joseph = false, class X, class P, class A, class Left, class Z,
          class H, class R, class Entry>
BATCHWORK_INLINE auto update_one_by_one(X& x, P& p, A& a, Left& left,
                                        Kalman::DiffuseEntries counted, Z const& z, H const& h,
                                        R const& r, Entry const& entry) {
  using S = value_t<P>;
  using T = scalar_t<S>;
  constexpr int N = P::rows, M = Z::rows;
  static_assert(X::rows == N && H::cols == N && H::rows == M && R::rows == M && R::cols == M,
                "Batchwork::Kalman: the extents do not fit; give x N entries, p N x N, a N "
                "rows, z M entries, h M x N and r M x M");
  auto info = merge_info<S>(x.info, p.info);
  info = merge_info<S>(info, merge_info<S>(merge_info<S>(z.info, h.info), r.info));
  if constexpr (D == Kalman::Data::complete)
    info = first_failure(
        info, select(any_missing(z), make_info<S>(Reason::incomplete_data, 0), info_t<S>(0)));
  auto const missing = [&](int i) {
    if constexpr (D == Kalman::Data::may_be_missing) return is_nan(value_t<Z>(z.entry(i, 0)));
    else return false;
  };
  S zs[M];
  observe_one_by_one<Joseph>(p, a, left, counted, missing, h, r,
                             [&](int i, auto const& g, auto const* row, auto const* l) {
                               S e = select(missing(i), S(T(0)), S(z.entry(i, 0)));
                               if (l) {
                                 BATCHWORK_UNROLL_ON_DEVICE
                                 for (int j = 0; j < i; ++j) e -= l[j] * zs[j];
                               }
                               zs[i] = e;
                               BATCHWORK_UNROLL_ON_DEVICE
                               for (int k = 0; k < N; ++k) e -= row[k] * x.entry(k, 0);
                               BATCHWORK_UNROLL_ON_DEVICE
                               for (int k = 0; k < N; ++k)
                                 x.set(k, 0, x.entry(k, 0) + g.gain[k] * e);
                               info = first_failure(info, g.info);
                               entry(e, g);
                             });
  x.info = info;
  p.info = info;
  return info;
}

template <Kalman::Data D, bool Joseph = false, class X, class P, class A, class Left, class L,
          class Z, class H, class R>
BATCHWORK_INLINE void diffuse_update(X& x, P& p, A& a, Left& left, L& loglik,
                                     Kalman::DiffuseEntries counted, Z const& z, H const& h,
                                     R const& r) {
  using S = value_t<P>;
  using T = scalar_t<S>;
  S sum(T(0));
  auto const info =
      update_one_by_one<D, Joseph>(x, p, a, left, counted, z, h, r, [&](S const& e, auto const& g) {
        sum += e * e * g.weight + g.log_two_pi;
        if constexpr (!is_nothing<L>) subtract_half_log(loglik, g.variance);
      });
  if constexpr (!is_nothing<L>) loglik += Scalar<S>(S(T(-0.5)) * sum, info);
}

}  // namespace Impl

namespace Kalman {

/// One step of the exact diffuse filter, a sequence for scan: updates, then predicts.
/// Kalman::filter runs it after diffuse(...).
///
/// The covariance of the state is p + kappa A A' in the limit of kappa towards infinity. An entry
/// of an observation with F_inf = |h A|^2 above rounding makes one direction known and adds -1/2
/// log F_inf to the log-likelihood, or -1/2 (log 2 pi + log F_inf), see `counted`. Any other entry
/// adds -1/2 (log 2 pi + log F + v^2 / F), with its innovation v and variance F.
///
/// The parameters are the same as for Step, with two carries after p:
///
/// - A, a mutable matrix with N rows and one column for each diffuse direction;
/// - left, a mutable scalar that starts as the number of columns of A: the first `left` columns are
///   diffuse. It falls by one with each direction that is observed, or by more if columns are zero.
///   At zero a step costs no more than Step.
///
/// Two more parameters at the end, emit or nothing(), receive A and left after the observation.
///
/// \tparam D whether observations may be missing
template <Data D = Data::may_be_missing>
struct DiffuseStep {
  /// Whether entries that meet a diffuse direction add -1/2 log 2 pi to the log-likelihood.
  DiffuseEntries counted = DiffuseEntries::without_log_two_pi;

  template <class X, class P, class A, class Left, class L, class Z, class F, class Q, class H,
            class R, class PM, class PC, class FM, class FC, class FA, class FL>
  KOKKOS_FUNCTION void operator()(X& x, P& p, A& a, Left& left, L& loglik, Z const& z, F const& f,
                                  Q const& q, H const& h, R const& r, PM& predicted_mean,
                                  PC& predicted_covariance, FM& filtered_mean,
                                  FC& filtered_covariance, FA& diffuse_factor,
                                  FL& diffuse_columns) const {
    Impl::put(predicted_mean, x);
    Impl::put(predicted_covariance, p);
    auto const& zv = Impl::as_vector(z);
    auto const& rm = Impl::as_matrix(r);
    auto const& fm = Impl::as_matrix(f);
    auto as = Impl::as_matrix(a);
    Impl::with_state(x, p, [&](auto& xs, auto& ps) {
      constexpr int N = std::remove_cvref_t<decltype(ps)>::rows;
      auto const& hm = Impl::as_observation_matrix<N>(h);
      Impl::diffuse_update<D>(xs, ps, as, left, loglik, counted, zv, hm, rm);
    });
    Impl::put(filtered_mean, x);
    Impl::put(filtered_covariance, p);
    Impl::put(diffuse_factor, as);
    Impl::put(diffuse_columns, left);
    predict(x, p, f, q);
    Impl::predict_diffuse(as, left, fm);
    Impl::put(a, as);
  }
  /// One step without diffuse_factor and diffuse_columns.
  template <class X, class P, class A, class Left, class L, class Z, class F, class Q, class H,
            class R, class PM, class PC, class FM, class FC>
  KOKKOS_FUNCTION void operator()(X& x, P& p, A& a, Left& left, L& loglik, Z const& z, F const& f,
                                  Q const& q, H const& h, R const& r, PM& predicted_mean,
                                  PC& predicted_covariance, FM& filtered_mean,
                                  FC& filtered_covariance) const {
    Impl::Nothing none;
    (*this)(x, p, a, left, loglik, z, f, q, h, r, predicted_mean, predicted_covariance,
            filtered_mean, filtered_covariance, none, none);
  }
};

}  // namespace Kalman
}  // namespace Batchwork

#endif
