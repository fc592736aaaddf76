// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Common gains: the covariances and gains of a filter computed once, for a model and a start that
/// are common to all items and complete data.
#ifndef BATCHWORK_GAINS_HPP
#define BATCHWORK_GAINS_HPP

#include <string>

#include "kalman/Batchwork_Diffuse.hpp"
#include "kalman/Batchwork_Step.hpp"

namespace Batchwork {

namespace Kalman {

/// The workspace of complete(gains), allocated by its constructor: steps (N M + M^2 + 1) + 1
/// numbers. It may be reused by any number of calls, one after the other, and must live until their
/// kernels have ended.
///
/// ```cpp
/// Kalman::Gains<double, 4, 2> gains(steps);  // 4 states, 2 entries of an observation
/// ```
///
/// \tparam T type of the numbers
/// \tparam N number of states
/// \tparam M number of entries of an observation
/// \tparam Space memory space of the kernels
template <class T, int N, int M, class Space = Kokkos::DefaultExecutionSpace::memory_space>
struct Gains {
  using scalar = T;                       ///< the type of the numbers: float or double
  static constexpr int states = N;        ///< number of states
  static constexpr int observations = M;  ///< number of entries of an observation

  /// The gain K of each step.
  Kokkos::View<T* [N][M], Kokkos::LayoutRight, Space> gain;
  /// A factor W of each step, lower triangular, with |W v|^2 = v' S^-1 v for an innovation v.
  Kokkos::View<T* [M][M], Kokkos::LayoutRight, Space> factor;
  /// The part of the log-likelihood of each step that does not depend on the data.
  Kokkos::View<T*, Kokkos::LayoutRight, Space> increment;
  /// The 1-based entry of the first observation that lost all digits of a variance, or 0.
  Kokkos::View<T, Space> inaccurate;

  /// Allocates the workspace.
  ///
  /// \param steps number of time steps
  explicit Gains(std::int64_t steps) : Gains(typename Space::execution_space(), steps) {}

  /// Allocates the workspace on the device of an instance, for filters on that device.
  ///
  /// \param exec  execution space instance
  /// \param steps number of time steps
  template <class Exec>
    requires Kokkos::is_execution_space_v<Exec>
  Gains(Exec const& exec, std::int64_t steps)
      : gain(allocated(exec, "Batchwork::Kalman::Gains::gain"), std::size_t(steps)),
        factor(allocated(exec, "Batchwork::Kalman::Gains::factor"), std::size_t(steps)),
        increment(allocated(exec, "Batchwork::Kalman::Gains::increment"), std::size_t(steps)),
        inaccurate(allocated(exec, "Batchwork::Kalman::Gains::inaccurate")) {}

 private:
  template <class Exec>
  static auto allocated(Exec const& exec, std::string const& label) {
    return Kokkos::view_alloc(label, Kokkos::WithoutInitializing, exec);
  }
};

/// One step of the covariances alone, a sequence for a scan over one item. It stores the gain K,
/// the factor W and the increment of the log-likelihood (see Gains).
///
/// The parameters are the same as for DiffuseStep without means, series and log-likelihood. `a` and
/// `left` are nothing() unless the start is diffuse. `inaccurate` is a carry that starts at 0 and
/// ends as the 1-based entry of the first Reason::inaccurate.
///
/// \tparam O whether a step predicts or updates first
template <Order O>
struct GainsStep {
  /// Whether entries that meet a diffuse direction add -1/2 log 2 pi to the log-likelihood.
  DiffuseEntries counted = DiffuseEntries::without_log_two_pi;

  template <class P, class A, class L, class F, class Q, class H, class R, class K, class W,
            class C, class PC, class FC, class I>
  KOKKOS_FUNCTION void operator()(P& p, A& a, L& left, F const& f, Q const& q, H const& h,
                                  R const& r, K& k, W& w, C& c, PC& predicted_covariance,
                                  FC& filtered_covariance, I& inaccurate) const {
    auto ps = Impl::as_matrix(p);
    constexpr int N = decltype(ps)::rows;
    auto const& fm = Impl::as_matrix(f);
    auto const& qm = Impl::as_matrix(q);
    auto const& hm = Impl::as_observation_matrix<N>(h);
    auto const& rm = Impl::as_matrix(r);
    if constexpr (O == Order::predict_first) ps = congruence(fm, ps, qm);
    Impl::put(predicted_covariance, ps);
    if constexpr (Impl::is_nothing<A>) {
      by_cholesky(ps, hm, rm, k, w, c);
    } else {
      auto as = Impl::as_matrix(a);
      one_by_one(ps, as, left, hm, rm, k, w, c);
      Impl::predict_diffuse(as, left, fm);
      Impl::put(a, as);
    }
    Impl::put(filtered_covariance, ps);
    if constexpr (!Impl::is_nothing<I>) {
      using S = typename I::value_type;
      constexpr int M = std::remove_cvref_t<decltype(hm)>::rows;
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 1; j <= M; ++j)
        inaccurate.value = Impl::select(inaccurate.value == S(scalar_t<S>(0)) &&
                                            ps.info == Impl::make_info<S>(Reason::inaccurate, j),
                                        S(scalar_t<S>(j)), inaccurate.value);
    }
    if constexpr (O == Order::update_first) ps = congruence(fm, ps, qm);
    Impl::put(p, ps);
  }
  template <class P, class A, class L, class F, class Q, class H, class R, class K, class W,
            class C, class PC, class FC>
  KOKKOS_FUNCTION void operator()(P& p, A& a, L& left, F const& f, Q const& q, H const& h,
                                  R const& r, K& k, W& w, C& c, PC& predicted_covariance,
                                  FC& filtered_covariance) const {
    Impl::Nothing none;
    (*this)(p, a, left, f, q, h, r, k, w, c, predicted_covariance, filtered_covariance, none);
  }

 private:
  template <class P, class H, class R, class K, class W, class C>
  static BATCHWORK_INLINE void by_cholesky(P& p, H const& h, R const& r, K& k, W& w, C& c) {
    using S = value_t<P>;
    using T = scalar_t<S>;
    constexpr int M = H::rows;
    auto const g = h * p;
    auto const s = symmetric_product(g, transpose(h), r);
    auto factor = cholesky(s);
    factor.factor.info = Impl::first_failure(
        factor.factor.info, Impl::digits_status<S>(s, r, [](int) { return mask_t<S>(false); }));
    auto const y = solve(factor.lower(), g);
    auto const inverse = solve(factor.lower(), identity<T, M>());
    k = transpose(y) * inverse;
    w = inverse;
    c = T(-0.5) * (T(M) * Impl::log_two_pi<T> + log_det(factor));
    p = downdate(p, y);
  }

  /// The univariate treatment is linear in the innovation v. With v the identity, its innovations
  /// are the rows of W, except for a scale, and the resulting mean is the gain.
  template <class P, class A, class L, class H, class R, class K, class W, class C>
  BATCHWORK_INLINE void one_by_one(P& p, A& a, L& left, H const& h, R const& r, K& k, W& w,
                                   C& c) const {
    using S = value_t<P>;
    using T = scalar_t<S>;
    constexpr int N = P::rows, M = H::rows;
    Scalar<S> const zero(S(Impl::with_lanes_of(p.entry(0, 0), T(0))));
    Matrix<S, N, M> gain = generate<N, M>([&](int, int) { return zero; });
    Matrix<S, M, M> decorrelate;  // L^-1
    Matrix<S, M, M> scaled;
    LogSum<S> log_variance(Scalar<S>(S(T(0))), T(-0.5));
    S constant(T(0));
    auto info = Impl::merge_info<S>(p.info, Impl::merge_info<S>(h.info, r.info));
    auto const never = [](int) { return false; };
    Impl::observe_one_by_one(p, a, left, counted, never, h, r,
                             [&](int i, auto const& g, auto const* row, auto const* l) {
                               S const root = Impl::sqrt(g.weight);
                               BATCHWORK_UNROLL_ON_DEVICE
                               for (int j = 0; j < M; ++j) {
                                 S e(i == j ? T(1) : T(0));
                                 if (l) {
                                   BATCHWORK_UNROLL_ON_DEVICE
                                   for (int m = 0; m < i; ++m) e -= l[m] * decorrelate.entry(m, j);
                                 }
                                 decorrelate.set(i, j, e);
                                 BATCHWORK_UNROLL_ON_DEVICE
                                 for (int n = 0; n < N; ++n) e -= row[n] * gain.entry(n, j);
                                 BATCHWORK_UNROLL_ON_DEVICE
                                 for (int n = 0; n < N; ++n)
                                   gain.set(n, j, gain.entry(n, j) + g.gain[n] * e);
                                 scaled.set(i, j, root * e);
                               }
                               log_variance.add_log(Scalar<S>(g.variance));
                               constant += g.log_two_pi;
                               info = Impl::first_failure(info, g.info);
                             });
    p.info = info;
    gain.info = info;
    scaled.info = info;
    k = gain;
    w = scaled;
    c = log_variance.value() + Scalar<S>(S(T(-0.5)) * constant, info);
  }
};

/// One step of the means with given gains, a sequence for scan. An observation with a NaN fails
/// with Reason::incomplete_data. If the gains are inaccurate, every item fails with
/// Reason::inaccurate.
///
/// \tparam O whether a step predicts or updates first
template <Order O>
struct MeanStep {
  template <class X, class L, class Z, class F, class H, class K, class W, class C, class PM,
            class FM, class I>
  KOKKOS_FUNCTION void operator()(X& x, L& loglik, Z const& z, F const& f, H const& h, K const& k,
                                  W const& w, C const& c, PM& predicted_mean, FM& filtered_mean,
                                  I const& inaccurate) const {
    auto const& fm = Impl::as_matrix(f);
    constexpr int N = std::remove_cvref_t<decltype(fm)>::rows;
    auto const& hm = Impl::as_observation_matrix<N>(h);
    auto const& zv = Impl::as_vector(z);
    auto xs = Impl::as_vector(x);
    if constexpr (O == Order::predict_first) xs = fm * xs;
    Impl::put(predicted_mean, xs);
    auto const v = fail_where(Impl::any_missing(zv), Reason::incomplete_data, zv - hm * xs);
    xs = xs + k * v;
    if constexpr (!Impl::is_nothing<I>) {
      int const entry = int(inaccurate.value);
      std::int32_t const code = entry > 0 ? Status::code(Reason::inaccurate, entry) : 0;
      xs.info = Impl::merge_info<value_t<decltype(xs)>>(xs.info, code);
    }
    if constexpr (!Impl::is_nothing<L>) {
      auto const u = w * v;
      using T = scalar_t<value_t<decltype(u)>>;
      loglik += c + T(-0.5) * dot(u, u);
    }
    Impl::put(filtered_mean, xs);
    if constexpr (O == Order::update_first) xs = fm * xs;
    Impl::put(x, xs);
  }
  template <class X, class L, class Z, class F, class H, class K, class W, class C, class PM,
            class FM>
  KOKKOS_FUNCTION void operator()(X& x, L& loglik, Z const& z, F const& f, H const& h, K const& k,
                                  W const& w, C const& c, PM& predicted_mean,
                                  FM& filtered_mean) const {
    Impl::Nothing none;
    (*this)(x, loglik, z, f, h, k, w, c, predicted_mean, filtered_mean, none);
  }
};

}  // namespace Kalman
}  // namespace Batchwork

#endif
