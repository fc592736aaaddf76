// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The information filter: Y = P^-1 instead of P. Anderson and Moore, Optimal Filtering (1979),
/// section 6.3; Kailath, Sayed and Hassibi, Linear Estimation (2000), section 9.5.
#ifndef BATCHWORK_INFORMATION_HPP
#define BATCHWORK_INFORMATION_HPP

#include "kalman/Batchwork_SquareRoot.hpp"
#include "tile/Batchwork_Lu.hpp"

namespace Batchwork {

namespace Impl {

/// Y = L D L' with zeros in D for the directions about which nothing is known. Rows before them may
/// be badly conditioned, so pivots that are zero have large errors. Y is a sum of squares: only a
/// large negative pivot means that it is not.
template <class S, int N, class Y>
BATCHWORK_INLINE auto information_factor(Y const& y) {
  return unit_factor<S, N>(
      y, [](int) { return mask_t<S>(false); }, diffuse_tolerance<scalar_t<S>, N>, scalar_t<S>(0.1));
}
/// One solution of L D L' x = b for a b in the range of Y, and of L' x = b.
template <class S, int N>
BATCHWORK_INLINE void solve_information(UnitFactor<S, N> const& factor, S* b) {
  using T = scalar_t<S>;
  using F = UnitFactor<S, N>;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < i; ++j) b[i] -= factor.l[F::index(i, j)] * b[j];
  }
  BATCHWORK_UNROLL_ON_DEVICE
  for (int n = 0; n < N; ++n) {
    int const i = N - 1 - n;
    auto const known = factor.d[i] != S(T(0));
    b[i] = select(known, b[i] / select(known, factor.d[i], S(T(1))), S(T(0)));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = i + 1; j < N; ++j) b[i] -= factor.l[F::index(j, i)] * b[j];
  }
}

/// Stores the covariance Y^-1 unless P is nothing(); a generalised inverse while directions are
/// unknown.
template <class P, class Y>
BATCHWORK_INLINE void put_inverse(P& p, Y const& y) {
  if constexpr (!is_nothing<P>) {
    using S = value_t<Y>;
    using T = scalar_t<S>;
    constexpr int N = Y::rows;
    auto const factor = information_factor<S, N>(y);
    Y r = y;
    S column[N];
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < N; ++j) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) column[i] = S(T(i == j ? 1 : 0));
      solve_information(factor, column);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = j; i < N; ++i) r.set(i, j, column[i]);
    }
    r.info = first_failure(info_in_lanes_of<S>(y.info), factor.info);
    put(p, r);
  }
}

/// The observation z of a state with the information y. `last` says that no other follows: then
/// log det Y enters the log-likelihood.
template <Kalman::Data D, class X, class Y, class Ll, class Z, class H, class R>
BATCHWORK_INLINE void update_information(X& x, Y& y, Ll& loglik, Z const& z, H const& h, R const& r,
                                         bool last) {
  using S = value_t<Y>;
  using T = scalar_t<S>;
  constexpr int N = Y::rows, M = Z::rows;
  static_assert(X::rows == N && H::cols == N && H::rows == M && R::rows == M && R::cols == M,
                "Batchwork::Kalman::InformationStep: the extents do not fit; give x N entries, y N "
                "x N, z M entries, h M x N and r M x M");
  constexpr bool correlated = M > 1 && R::structure != Structure::diagonal;
  S const zero(T(0));
  auto const missing = [&](int i) {
    if constexpr (D == Kalman::Data::may_be_missing) return is_nan(value_t<Z>(z.entry(i, 0)));
    else return false;
  };
  auto info = merge_info<S>(x.info, y.info);
  info = merge_info<S>(info, merge_info<S>(merge_info<S>(z.info, h.info), r.info));
  if constexpr (D == Kalman::Data::complete)
    info = first_failure(
        info, select(any_missing(z), make_info<S>(Reason::incomplete_data, 0), info_t<S>(0)));
  // Values that are common to all items stay so: with M > N most of the work is theirs.
  using SR = typename ValueForMask<value_t<R>, decltype(missing(0))>::type;
  using SH = promote_t<SR, typename ValueForMask<value_t<H>, decltype(missing(0))>::type>;
  auto const factor = unit_factor<SR, M>(r, missing);
  info = first_failure(info, info_in_lanes_of<S>(factor.info));
  SH rows[M * N];
  S v[M], constant = zero;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < M; ++i) {
    SR const* l = factor.l + UnitFactor<SR, M>::index(i, 0);
    v[i] = select(missing(i), zero, S(z.entry(i, 0)));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < N; ++k) {
      rows[i * N + k] = select(missing(i), SH(T(0)), SH(h.entry(i, k)));
      v[i] -= S(rows[i * N + k]) * S(x.entry(k, 0));
    }
    constant += select(missing(i), zero, S(log_two_pi<T>));
    // Without noise the information would be infinite.
    info_t<SR> failed(0);
    check_pivot(factor.d[i], i, failed);
    info = first_failure(info, info_in_lanes_of<S>(failed));
    if constexpr (!is_nothing<Ll>) subtract_half_log(loglik, S(factor.d[i]));
    if constexpr (correlated) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < i; ++j) {
        BATCHWORK_UNROLL_ON_DEVICE
        for (int k = 0; k < N; ++k) rows[i * N + k] -= SH(l[j]) * rows[j * N + k];
        v[i] -= S(l[j]) * v[j];
      }
    }
  }
  S step[N];
  Y const prior = y;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    SH weighted[M];
    step[i] = zero;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < M; ++m) {
      weighted[m] = rows[m * N + i] / SH(factor.d[m]);
      step[i] += S(weighted[m]) * v[m];
    }
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j <= i; ++j) {
      SH sum(T(0));
      BATCHWORK_UNROLL_ON_DEVICE
      for (int m = 0; m < M; ++m) sum += weighted[m] * rows[m * N + j];
      y.set(i, j, S(S(y.entry(i, j)) + S(sum)));
    }
  }
  auto const known = information_factor<S, N>(y);
  info = first_failure(info, known.info);
  solve_information(known, step);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) x.set(i, 0, S(S(x.entry(i, 0)) + step[i]));
  x.info = info;
  y.info = info;
  if constexpr (!is_nothing<Ll>) {
    // v' S^-1 v = |R^-1/2 (v - H d)|^2 + d' Y d with d = x - prior x: squares are only added.
    S sum = constant;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < M; ++m) {
      S rest = v[m];
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < N; ++k) rest -= S(rows[m * N + k]) * step[k];
      sum += rest * rest / S(factor.d[m]);
    }
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) {
      S moved = zero;
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < N; ++k) moved += S(prior.entry(i, k)) * step[k];
      sum += moved * step[i];
    }
    auto state = info;
    if (last) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) {
        auto const determined = known.d[i] > zero;
        state = first_failure(state, select(determined, info_t<S>(0),
                                            make_info<S>(Reason::not_positive_definite, i + 1)));
        subtract_half_log(loglik, S(select(determined, known.d[i], S(T(1)))));
      }
    }
    loglik += Scalar<S>(S(T(-0.5)) * sum, state);
  }
}

/// x = F x. With A = F^-T Y F^-1 and Q = G G', Y becomes A - A G (I + G' A G)^-1 G' A.
template <class X, class Y, class Ll, class F, class Inverse, class G>
BATCHWORK_INLINE void predict_information(X& x, Y& y, Ll& loglik, F const& f,
                                          Inverse const& inverse, G const& g, bool counts) {
  using S = value_t<Y>;
  using T = scalar_t<S>;
  constexpr int N = Y::rows;
  x = f * x;
  Y const moved = congruence(transpose(inverse), y);
  auto const seen = transpose(g) * moved;
  auto const s = symmetric_product(seen, g, identity<T, N>());
  auto factor = cholesky(s);
  // As for an observation with noise of variance one.
  factor.factor.info =
      first_failure(factor.factor.info,
                    digits_status<S>(s, identity<T, N>(), [](int) { return mask_t<S>(false); }));
  y = downdate(moved, solve(factor.lower(), seen));
  if constexpr (!is_nothing<Ll>) {
    if (counts) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) {
        S const l(factor.factor.entry(i, i));
        subtract_half_log(loglik, S(l * l));
      }
    }
  }
}

/// The inverse of F, as a general tile with the lanes and items of y.
template <class Y, class F>
BATCHWORK_INLINE auto inverse_transition(Y const& y, F const& f) {
  constexpr int N = Y::rows;
  auto whole = zero<N, N>(y);
  whole = f;
  return lu(whole).inverse();
}

}  // namespace Impl

namespace Kalman {

/// One step of the information filter, a sequence for scan that Kalman::filter runs with the
/// argument information(). The carry of y holds the covariance before the first step and after the
/// last, and the information Y = P^-1 in between. Y may be singular; the mean is then zero in the
/// directions that are unknown.
///
///     update:   Y = Y + H' R^-1 H,  x = x + Y^-1 H' R^-1 (z - H x)
///     predict:  A = F^-T Y F^-1,  Y = A - A G (I + G' A G)^-1 G' A,  x = F x,  Q = G G'
///
/// Cost of a step: about 7 N^3 operations, of which 3 N^3 are the congruence, and M N^2 + M^2 N.
/// The log-likelihood adds up log det S = log det R + log det Y(filtered) - log det Y(predicted),
/// in which the determinants of Y cancel between the first and the last time.
///
/// \tparam O whether a step predicts or updates first
/// \tparam D whether observations may be missing
/// \tparam IsUnknown whether the start is Y = 0
/// \tparam FIsCarry whether `inverse` is a carry, which holds F^-1 after the first step
/// \tparam QIsCarry whether q is a carry, which holds its factor after the first step
template <Order O, Data D, bool IsUnknown, bool FIsCarry, bool QIsCarry>
struct InformationStep {
  std::int64_t steps;  ///< the number of steps
  /// Whether unknown directions add -1/2 log 2 pi to the log-likelihood.
  DiffuseEntries counted = DiffuseEntries::without_log_two_pi;

  /// One step, called by scan.
  /// \param x  mean, a vector of N
  /// \param y  covariance or information, a symmetric tile N x N
  /// \param loglik  log-likelihood, a scalar or a LogSum of weight -1/2, or nothing()
  /// \param inverse  a carry that starts as F, a general tile; or nothing()
  /// \param q  covariance of the transition's noise: a carry, or an operand of each time
  /// \param t  step_index()
  /// \param z  observation, a vector of M
  /// \param f,h,r  the other matrices of the model, see Kalman::model
  /// \param predicted_mean,predicted_covariance  the state before the observation, or nothing()
  /// \param filtered_mean,filtered_covariance  the state after the observation, or nothing()
  template <class X, class Y, class Ll, class Inverse, class Q, class I, class Z, class F, class H,
            class R, class PM, class PC, class FM, class FC>
  KOKKOS_FUNCTION void operator()(X& x, Y& y, Ll& loglik, Inverse& inverse, Q& q, I const& t,
                                  Z const& z, F const& f, H const& h, R const& r,
                                  PM& predicted_mean, PC& predicted_covariance, FM& filtered_mean,
                                  FC& filtered_covariance) const {
    auto const& zv = Impl::as_vector(z);
    auto const& rm = Impl::as_matrix(r);
    auto const& fm = Impl::as_matrix(f);
    bool const is_last = t.value + 1 == steps;
    Impl::with_state(x, y, [&](auto& xs, auto& ys) {
      using S = value_t<std::remove_cvref_t<decltype(ys)>>;
      constexpr int N = std::remove_cvref_t<decltype(ys)>::rows;
      auto const& hm = Impl::as_observation_matrix<N>(h);
      if (t.value == 0) begin(ys, loglik, inverse, q, fm);
      auto const predict = [&](bool counts) {
        auto const by = [&](auto const& inverted) {
          if constexpr (QIsCarry)
            Impl::predict_information(xs, ys, loglik, fm, inverted, Impl::as_matrix(q), counts);
          else
            Impl::predict_information(xs, ys, loglik, fm, inverted,
                                      covariance_factor(Impl::as_matrix(q)), counts);
        };
        if constexpr (FIsCarry) {
          by(Impl::as_matrix(inverse));
        } else {
          by(Impl::inverse_transition(ys, fm));
          if (counts) add_determinant<S>(loglik, fm, 1);
        }
      };
      if constexpr (O == Order::predict_first) predict(true);
      Impl::put(predicted_mean, xs);
      Impl::put_inverse(predicted_covariance, ys);
      Impl::update_information<D>(xs, ys, loglik, zv, hm, rm, is_last);
      Impl::put(filtered_mean, xs);
      Impl::put_inverse(filtered_covariance, ys);
      if constexpr (O == Order::update_first) predict(!is_last);
      if (is_last) {
        if constexpr (FIsCarry)
          add_determinant<S>(loglik, fm, O == Order::predict_first ? steps : steps - 1);
        Impl::put_inverse(ys, ys);
      }
    });
  }

 private:
  /// Inverts what is carried.
  template <class Y, class Ll, class Inverse, class Q, class F>
  BATCHWORK_INLINE void begin(Y& y, Ll& loglik, Inverse& inverse, Q& q, F const& f) const {
    using S = value_t<Y>;
    using T = scalar_t<S>;
    constexpr int N = Y::rows;
    if constexpr (FIsCarry) Impl::put(inverse, Impl::inverse_transition(y, f));
    if constexpr (QIsCarry) Impl::put(q, covariance_factor(q));
    if constexpr (IsUnknown) {
      if constexpr (!Impl::is_nothing<Ll>) {
        if (counted == DiffuseEntries::without_log_two_pi)
          loglik += T(0.5) * T(N) * Impl::log_two_pi<T>;
      }
    } else {
      auto const factor = cholesky(y);
      if constexpr (!Impl::is_nothing<Ll>) {
        BATCHWORK_UNROLL_ON_DEVICE
        for (int i = 0; i < N; ++i) {
          S const l(factor.factor.entry(i, i));
          Impl::subtract_half_log(loglik, S(l * l));
        }
      }
      y = factor.solve(identity<T, N>());
    }
  }
  /// loglik -= log |det F| for each of `times` predictions.
  template <class S, class Ll, class F>
  static BATCHWORK_INLINE void add_determinant(Ll& loglik, F const& f, std::int64_t times) {
    if constexpr (!Impl::is_nothing<Ll>) loglik += scalar_t<S>(-times) * log(abs(determinant(f)));
  }
};

}  // namespace Kalman
}  // namespace Batchwork

#endif
