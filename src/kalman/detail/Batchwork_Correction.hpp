// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The correction of a state by an innovation, whatever model the innovation and its covariance
/// come from.
#ifndef BATCHWORK_CORRECTION_HPP
#define BATCHWORK_CORRECTION_HPP

#include "kalman/Batchwork_Innovation.hpp"
#include "kalman/Batchwork_Update.hpp"

namespace Batchwork::Impl {

/// The motion of a model leads from N states to N states.
template <class X, class Moved>
constexpr void require_state() {
  static_assert(Moved::rows == X::rows,
                "Batchwork::Kalman: the motion f must return as many entries as the state x has");
}

/// An innovation v with the covariance s = L L', as y = L^-1 g and u = L^-1 v. The state becomes
/// x + y' u and p - y' y.
template <class Y, class U, class Factor, class S>
struct Correction {
  Y y;
  U u;
  Factor factor;
  S constant;  ///< m log 2 pi for m entries observed
  static constexpr int entries = U::rows;

  BATCHWORK_INLINE Kalman::Innovation<S> innovation() const {
    S sum(scalar_t<S>(0));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < U::rows; ++i) sum += u.entry(i, 0) * u.entry(i, 0);
    return {Scalar<S>(sum, u.info)};
  }
};

/// The correction by the innovation v of the observation z, with noise r. Missing entries of z are
/// skipped as in Kalman::update.
/// \param v  innovation, M entries
/// \param g  covariance of observation and state, M x N
/// \param s  covariance of the innovation, M x M, r included
template <Kalman::Data D, class Z, class V0, class G0, class C, class R>
BATCHWORK_INLINE auto correction(Z const& z, V0 const& v0, G0 const& g0, C s, R const& r) {
  using S = promote_t<value_t<C>, value_t<V0>>;
  using T = scalar_t<S>;
  constexpr int M = C::rows;
  static_assert(Z::rows == M && V0::rows == M && R::rows == M && R::cols == M,
                "Batchwork::Kalman: the extents do not fit; give z with as many entries M as the "
                "observation h(x), and r M x M");
  auto g = g0;
  Vector<S, M> v = v0;
  S constant(T(0));
  auto const factorised = [&](auto const& skipped) {
    auto f = cholesky(s);
    // A pivot that is not positive says more: then there are no results.
    f.factor.info = first_failure(f.factor.info, digits_status<S>(s, r, skipped));
    return f;
  };
  auto factor = [&] {
    if constexpr (D == Kalman::Data::complete) {
      constant = S(T(M) * log_two_pi<T>);
      v = fail_where(any_missing(z), Reason::incomplete_data, v);
      return factorised([](int) { return mask_t<S>(false); });
    } else {
      auto const missing = missing_entries<S>(z);
      skip_missing(v, s, missing);
      skip_missing_rows(g, missing);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < M; ++i) constant += select(missing.entry[i], S(T(0)), S(log_two_pi<T>));
      return factorised([&](int i) { return missing.entry[i]; });
    }
  }();
  auto const y = solve(factor.lower(), g);
  auto const u = solve(factor.lower(), v);
  return Correction<std::remove_const_t<decltype(y)>, std::remove_const_t<decltype(u)>,
                    decltype(factor), S>{y, u, factor, constant};
}

/// The covariance and the log-likelihood after a correction.
template <class P, class L, class C>
BATCHWORK_INLINE auto conclude(P& p, L& loglik, C const& c) {
  p = downdate(p, c.y);
  add_normal<C::entries>(loglik, c.constant, c.u, [&](int i) {
    auto const l = c.factor.factor.entry(i, i);
    return l * l;
  });
  return c.innovation();
}

}  // namespace Batchwork::Impl

#endif
