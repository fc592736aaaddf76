// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Kalman::extended_filter, Kalman::unscented_filter: nonlinear filters over a batch of series, in
/// one kernel.
#ifndef BATCHWORK_NONLINEAR_FILTER_HPP
#define BATCHWORK_NONLINEAR_FILTER_HPP

#include "kalman/Batchwork_Extended.hpp"
#include "kalman/Batchwork_Filter.hpp"
#include "kalman/Batchwork_Unscented.hpp"

namespace Batchwork {

namespace Impl {

template <class X>
inline constexpr bool is_gate = false;
template <class T>
inline constexpr bool is_gate<Kalman::Gate<T>> = true;
template <class X>
inline constexpr bool is_weights = std::is_same_v<X, Kalman::UnscentedWeights>;
template <class X>
inline constexpr bool is_residual = !is_gate<X> && !is_weights<X> && !FilterPromise<X> &&
                                    !FilterForm<X> && !is_operand<X> && !Viewish<X>;

/// The starts of Kalman::filter. A nonlinear filter takes those without a diffuse part.
template <class S>
inline constexpr bool is_start = std::is_same_v<S, Kalman::AllDiffuse>;
template <Kalman::Order O, class X, class P, class A>
inline constexpr bool is_start<Kalman::Start<O, X, P, A>> = true;
template <class S>
inline constexpr bool is_known_start = false;
template <Kalman::Order O, class X, class P>
inline constexpr bool is_known_start<Kalman::Start<O, X, P, Operand<Kind::nothing>>> = true;

struct GateOption {
  template <class X>
  static constexpr bool takes = is_gate<X>;
};
struct WeightsOption {
  template <class X>
  static constexpr bool takes = is_weights<X>;
};
struct PromiseOption {
  template <class X>
  static constexpr bool takes = FilterPromise<X>;
};
struct ResidualOption {
  template <class X>
  static constexpr bool takes = is_residual<X>;
};
/// The first of the arguments that the option takes, else the default.
template <class Option, class Default>
auto option_of(Default const& otherwise) {
  return otherwise;
}
template <class Option, class Default, class X, class... Rest>
auto option_of(Default const& otherwise, X const& x, Rest const&... rest) {
  if constexpr (Option::template takes<X>) return x;
  else return option_of<Option>(otherwise, rest...);
}
template <class Option, class... X>
inline constexpr int options_given = (0 + ... + int(Option::template takes<X>));

/// A step of a nonlinear filter; its parameters are those of Kalman::Step, without F and H.
template <bool IsUnscented, Kalman::Order O, Kalman::Data D, class F, class H, class Residual,
          class G>
struct NonlinearFilterStep {
  F f;
  H h;
  Residual residual;
  G gate;
  Kalman::UnscentedWeights weights;

  template <class X, class P, class Q>
  BATCHWORK_INLINE void predict(X& x, P& p, Q const& q) const {
    if constexpr (IsUnscented) Kalman::unscented_predict(x, p, f, q, Kalman::Difference{}, weights);
    else Kalman::extended_predict(x, p, f, q);
  }
  template <class X, class P, class L, class Z, class Q, class R, class PM, class PC, class FM,
            class FC>
  KOKKOS_FUNCTION void operator()(X& x, P& p, L& loglik, Z const& z, Q const& q, R const& r,
                                  PM& predicted_mean, PC& predicted_covariance, FM& filtered_mean,
                                  FC& filtered_covariance) const {
    if constexpr (O == Kalman::Order::predict_first) predict(x, p, q);
    put(predicted_mean, x);
    put(predicted_covariance, p);
    if constexpr (IsUnscented)
      Kalman::unscented_update<D>(x, p, loglik, z, h, r, residual, weights, gate);
    else Kalman::extended_update<D>(x, p, loglik, z, h, r, residual, gate);
    put(filtered_mean, x);
    put(filtered_covariance, p);
    if constexpr (O == Kalman::Order::update_first) predict(x, p, q);
  }
};

template <bool IsUnscented, Kalman::Data D, class Exec, int W, int Teams, int L, class F, class Q,
          class H, class R, class S, class Z, class Re, class Residual, class G>
void launch_nonlinear(Exec const& exec, Launch<W, Teams, L> const& how, std::int64_t steps,
                      F const& f, Q const& q, H const& h, R const& r, S const& start, Z const& z,
                      Re const& re, Residual const& residual, G const& gate,
                      Kalman::UnscentedWeights const& weights) {
  using Mean = decltype(S::mean);
  using T = scalar_of_t<Mean>;
  constexpr int N = Extents<Mean>::rows, M = Extents<Z>::rows;
  static_assert(has_numbers<Q, T> && has_numbers<R, T> && has_numbers<decltype(S::covariance), T> &&
                    has_numbers<Z, T>,
                "Batchwork::Kalman: Q, R, the start and the series hold different types of "
                "numbers; give all of them float, or all double");
  static_assert(has_extents<decltype(S::covariance), N, N> && has_extents<Q, N, N>,
                "Batchwork::Kalman: Q or the covariance at the start is not N x N; give it a row "
                "and a column for each of the N entries of the mean at the start");
  static_assert(has_extents<R, M, M>,
                "Batchwork::Kalman: R is not M x M; give it a row and a column for each of the M "
                "entries of an observation, or diagonal(view) of a View with M entries");
  static_assert(
      stays_as_it_is<decltype(S::covariance), N, Structure::general, Structure::symmetric>,
      "Batchwork::Kalman: the covariance at the start does not stay diagonal or triangular; give a "
      "View of full matrices, or a fixed value");
  static_assert(
      has_result_numbers<Re, T>,
      "Batchwork::Kalman: a View of results() holds another type of numbers than the mean "
      "at the start; give both float, or both double");
  constexpr bool of_filter = has_no_more<std::remove_cvref_t<decltype(re.more_)>>;
  static_assert(of_filter,
                "Batchwork::Kalman: smoothed and diffuse results are not computed by a nonlinear "
                "filter; leave them out");
  static_assert(wants_extents<decltype(re.predicted_mean_), N, 1> &&
                    wants_extents<decltype(re.filtered_mean_), N, 1> &&
                    wants_extents<decltype(re.last_mean_), N, 1> &&
                    wants_extents<decltype(re.predicted_covariance_), N, N> &&
                    wants_extents<decltype(re.filtered_covariance_), N, N> &&
                    wants_extents<decltype(re.last_covariance_), N, N>,
                "Batchwork::Kalman: a View of results() has other extents; means are View<T**[N]>, "
                "covariances View<T**[N][N]>, and last ones have no index of time");
  scan_as(IsUnscented ? "Kalman::unscented_filter" : "Kalman::extended_filter", exec, how, steps,
          NonlinearFilterStep<IsUnscented, S::order, D, F, H, Residual, G>{f, h, residual, gate,
                                                                           weights},
          re.status_, carry_operand(start.mean, re.last_mean_),
          carry_operand(start.covariance, re.last_covariance_),
          likelihood_operand<T>(re.log_likelihood_), z, q, r, re.predicted_mean_,
          re.predicted_covariance_, re.filtered_mean_, re.filtered_covariance_);
}

/// complete(gains) and parallel_in_time(blocks).
template <class X>
inline constexpr bool has_workspace =
    requires(X const& x) { x.gains; } || requires(X const& x) { x.blocks; };

template <bool IsUnscented>
struct NonlinearFilterCall {
  template <class Exec, int W, int Teams, int L, std::convertible_to<std::int64_t> Steps, class F,
            class Q, class H, class R, class S, class Z, class Re, class... Option>
    requires(is_operand<Q> && is_operand<R> && !is_operand<F> && !is_operand<H> && is_start<S>) &&
            requires(Re const& re) { re.last_mean_; }
  void operator()(Exec const& exec, Launch<W, Teams, L> const& how, Steps const& steps, F const& f,
                  Q const& q, H const& h, R const& r, S const& start, Z const& z, Re const& results,
                  Option const&... options) const {
    static_assert(is_known_start<S>,
                  "Batchwork::Kalman: a nonlinear filter does not take a diffuse start; give "
                  "start(x0, P0) or predicted(x1, P1)");
    constexpr bool known =
        options_given<ResidualOption, Option...> <= 1 &&
        options_given<GateOption, Option...> <= 1 && options_given<PromiseOption, Option...> <= 1 &&
        options_given<WeightsOption, Option...> <= (IsUnscented ? 1 : 0) &&
        options_given<ResidualOption, Option...> + options_given<GateOption, Option...> +
                options_given<PromiseOption, Option...> + options_given<WeightsOption, Option...> ==
            int(sizeof...(Option)) &&
        !(... || has_workspace<Option>);
    static_assert(known,
                  "Batchwork::Kalman: after the results a nonlinear filter takes a residual, "
                  "gate(threshold) and complete(), each once at most, and unscented_filter also "
                  "UnscentedWeights");
    if constexpr (is_known_start<S> && known) {
      auto const promise = option_of<PromiseOption>(Kalman::MayBeMissing(), options...);
      launch_nonlinear<IsUnscented, decltype(promise)::data>(
          exec, how, std::int64_t(steps), f, as_covariance(model_operand(q)), h,
          as_covariance(model_operand(r)), start, series(z), results,
          option_of<ResidualOption>(Kalman::Difference(), options...),
          option_of<GateOption>(Kalman::NoGate(), options...),
          option_of<WeightsOption>(Kalman::UnscentedWeights(), options...));
    }
  }
};

}  // namespace Impl

namespace Kalman {

/// Runs the extended Kalman filter over a batch of series, in one kernel: extended_predict and
/// extended_update in a scan. As Kalman::filter, with functors in place of F and H.
///
/// ```cpp
/// Kalman::extended_filter(steps, Motion{}, common(Q), Radar{}, common(R), Kalman::start(x0, P0),
/// z,
///                         Kalman::results().filtered_mean(mean).status(codes), Wrapped{},
///                         Kalman::gate(13.8));
/// ```
///
/// After the results: a residual, see Difference, gate(threshold) and complete(), all optional and
/// in any order.
///
/// The kernel runs asynchronously on the instance `exec`; nothing is allocated and nothing is
/// fenced. Cost of a step: see extended_predict and extended_update.
///
/// \param exec execution space instance; optional, the first argument
/// \param how launch(...): label, lanes per item, team size, pack width; optional, before the
///   steps. The kernel has the label "Batchwork::Kalman::extended_filter".
/// \param steps number of time steps
/// \param motion functor of a vector of N, see extended_predict. All items and times share it. For
///   controls and models that differ write a step for scan.
/// \param q operand of the covariance of the motion's noise, N x N, as in model(F, Q, H, R)
/// \param observation functor of a vector of N, see extended_update
/// \param r operand of the covariance of the observation's noise, M x M
/// \param start start(x0, P0) or predicted(x1, P1)
/// \param z the series, a View (item, time, M), or (item, time) if M is 1
/// \param results results(), with the outputs requested
/// \throws std::invalid_argument before anything is launched if Views do not fit. Messages count
///   operands in the order x, P, log-likelihood, z, Q, R, predicted mean and covariance, filtered
///   mean and covariance
template <class... X>
void extended_filter(X const&... arguments) {
  static_assert(Impl::Takes<Impl::NonlinearFilterCall<false>, X...>,
                "Batchwork::Kalman::extended_filter: the arguments are [exec,] [launch(...),] "
                "steps, motion, Q, observation, R, start, z, results [, options]; "
                "Q and R are operands such as common(Q)");
  Impl::call_verb(Impl::NonlinearFilterCall<false>(), arguments...);
}

/// Runs the unscented Kalman filter over a batch of series, in one kernel: unscented_predict and
/// unscented_update in a scan. Arguments are those of extended_filter. The kernel has the label
/// "Batchwork::Kalman::unscented_filter".
///
/// ```cpp
/// Kalman::unscented_filter(steps, Motion{}, common(Q), Radar{}, common(R), Kalman::start(x0, P0),
///                          z, Kalman::results().filtered_mean(mean).status(codes), Wrapped{});
/// ```
///
/// After the results: a residual for observations, gate(threshold), UnscentedWeights and
/// complete(), all optional and in any order.
///
/// \param arguments those of extended_filter
/// \throws std::invalid_argument as extended_filter
template <class... X>
void unscented_filter(X const&... arguments) {
  static_assert(Impl::Takes<Impl::NonlinearFilterCall<true>, X...>,
                "Batchwork::Kalman::unscented_filter: the arguments are [exec,] [launch(...),] "
                "steps, motion, Q, observation, R, start, z, results [, options]; "
                "Q and R are operands such as common(Q)");
  Impl::call_verb(Impl::NonlinearFilterCall<true>(), arguments...);
}

}  // namespace Kalman
}  // namespace Batchwork

#endif
