// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Kalman::smooth: the fixed-interval smoother of Rauch, Tung and Striebel over a batch of series,
/// in two kernels.
#ifndef BATCHWORK_SMOOTH_HPP
#define BATCHWORK_SMOOTH_HPP

#include "kalman/Batchwork_Filter.hpp"
#include "kalman/detail/Batchwork_BlockSmoother.hpp"
#include "kalman/detail/Batchwork_LagSequence.hpp"
#include "kalman/detail/Batchwork_SmoothSequence.hpp"

namespace Batchwork {

namespace Kalman {

/// The form of a fixed-lag smoother, made by fixed_lag(lag).
///
/// \tparam Form the form without a lag
template <class Form>
struct FixedLag : Form {
  std::int64_t lag;  ///< how many observations behind its time a state is given
};
/// Makes Kalman::smooth a fixed-lag smoother: the state at time t is given the observations to time
/// t + lag, or to the last one. Two scans follow the filter, one forwards and one backwards, with
/// about 42 N^3 operations for a step of an item, whatever the lag is. The results need Views for
/// filtered_mean and filtered_covariance. (Anderson and Moore, Optimal Filtering, 1979, chapter 7;
/// the method is that of LagForward.)
///
/// ```cpp
/// Kalman::smooth(steps, model, Kalman::start(x0, P0), z,
///                Kalman::results()
///                    .filtered_mean(mean)
///                    .filtered_covariance(P)
///                    .smoothed_mean(lagged_mean)
///                    .smoothed_covariance(lagged_P),
///                Kalman::fixed_lag(10));
/// ```
///
/// \param lag number of time steps, at least 1
/// \param form optional: covariance(), the default, or another form that Kalman::smooth takes
/// \returns the argument `form` of Kalman::smooth, which refuses a lag below 1
template <class Form = CovarianceForm>
FixedLag<Form> fixed_lag(std::int64_t lag, Form const& form = {}) {
  return FixedLag<Form>{form, lag};
}

}  // namespace Kalman

namespace Impl {

/// An emit operand, read at each step.
template <class Src>
auto read_each(Operand<Kind::emit, Src> const& o) {
  return Operand<Kind::each, Src>{o.source};
}
inline auto read_each(Operand<Kind::nothing> const& o) { return o; }
/// An emit operand, updated at each step.
template <class Src>
auto update_each(Operand<Kind::emit, Src> const& o) {
  return Operand<Kind::each_inout, Src>{o.source};
}
/// A covariance as a matrix without structure, which can hold a factor.
template <class V, Structure St, bool IsCompact, int... E, BatchIndices L>
auto as_general(Operand<Kind::emit, Source<Adapted<V, St, IsCompact, E...>, L>> const& o) {
  using A = Adapted<V, Structure::general, IsCompact, E...>;
  return Operand<Kind::emit, Source<A, L>>{Source<A, L>(o.source)};
}

/// The status of a second kernel, which leaves the failures of the first.
template <class Src>
struct AfterFailures : Src {
  using location = KeptFailures<typename Src::location>;
  location locate() const { return location{Src::locate()}; }
};
template <class Src>
auto after_failures(Operand<Kind::status, Src> const& o) {
  return Operand<Kind::status, AfterFailures<Src>>{AfterFailures<Src>{o.source}};
}
inline auto after_failures(Operand<Kind::nothing> const& o) { return o; }

/// A tile that a sequence sets in its first step and keeps. It takes no kernel arguments.
template <class T, int M, int N, Structure St, int Rank>
auto kept_tile() {
  return Operand<Kind::local, T, Shape<M, N, St, Rank>>{};
}
/// A matrix of the next time, if the model's lead from the time before.
template <Kalman::Order Order, Structure St, class O>
auto next_operand(O const&) {
  constexpr int N = Extents<O>::rows;
  if constexpr (Order == Kalman::Order::predict_first && varies_with_time<O>)
    return kept_tile<scalar_of_t<O>, N, N, St, 2>();
  else return nothing();
}

template <class Form, class Exec, class How, class M, class S, class Z, class Re, class Promise>
void launch_smooth(Exec const& exec, How const& how, std::int64_t steps, M const& m, S const& start,
                   Z const& z, Re const& re, Promise const& promise, Form const& form) {
  using T = scalar_of_t<decltype(m.f)>;
  constexpr int N = Extents<decltype(m.f)>::rows;
  constexpr bool root = Form::form == Kalman::Form::square_root;
  auto const& more = re.more_;
  constexpr bool own_mean = !is_without<decltype(re.filtered_mean_)>,
                 own_covariance = !is_without<decltype(re.filtered_covariance_)>;
  // What the filter leaves for the backward scan.
  auto const mean = [&] {
    if constexpr (own_mean) return read_each(re.filtered_mean_);
    else return update_each(more.smoothed_mean);
  }();
  auto const smoothed_mean = [&] {
    if constexpr (own_mean) return more.smoothed_mean;
    else return nothing();
  }();
  constexpr bool separate = own_covariance && !root;
  auto const covariance = [&] {
    if constexpr (separate) return read_each(re.filtered_covariance_);
    else if constexpr (root) return update_each(as_general(more.smoothed_covariance));
    else return update_each(more.smoothed_covariance);
  }();
  auto const smoothed_covariance = [&] {
    if constexpr (separate) return more.smoothed_covariance;
    else return nothing();
  }();
  auto const for_filter = [&] {
    auto const with_mean = [&] {
      if constexpr (own_mean) return re;
      else
        return re.make(re.predicted_mean_, re.predicted_covariance_, more.smoothed_mean,
                       re.filtered_covariance_, re.last_mean_, re.last_covariance_,
                       re.log_likelihood_, re.status_);
    }();
    if constexpr (root)
      return with_mean.make_more(more.of_filter(as_general(more.smoothed_covariance)));
    else if constexpr (own_covariance) return with_mean.make_more(more.of_filter(nothing()));
    else
      return with_mean
          .make(re.predicted_mean_, re.predicted_covariance_, with_mean.filtered_mean_,
                more.smoothed_covariance, re.last_mean_, re.last_covariance_, re.log_likelihood_,
                re.status_)
          .make_more(more.of_filter(nothing()));
  }();
  using Smoother = std::conditional_t<root, SquareRootSmoother, CovarianceSmoother>;
  using Backward = SmoothSequence<Smoother>;
  auto const run = [&](auto const& go) {
    go(Backward{steps, {}}, kept_tile<T, N, 1, Structure::general, 1>(),
       kept_tile<T, N, N, Smoother::structure, 2>(),
       next_operand<S::order, Structure::general>(m.f),
       next_operand<S::order, Structure::symmetric>(m.q), step_index(),
       read_each(more.diffuse_factor), read_each(more.diffuse_columns), mean, covariance, m.f, m.q,
       smoothed_mean, smoothed_covariance, more.lag_one);
  };
  // Both kernels, which may not write what the other one reads.
  auto const items = check("Kalman::smooth", steps, carry_operand(start.mean, re.last_mean_),
                           carry_operand(start.covariance, re.last_covariance_),
                           likelihood_operand<T>(re.log_likelihood_), z, m.f, m.q, m.h, m.r,
                           re.predicted_mean_, re.predicted_covariance_, re.filtered_mean_,
                           re.filtered_covariance_, more.smoothed_mean, more.smoothed_covariance,
                           more.lag_one, more.diffuse_factor, more.diffuse_columns, re.status_);
  if (items == 0) return;
  launch_filter<Form, false>(exec, how, steps, m, start, z, for_filter, promise, form);
  if constexpr (requires { promise.blocks; }) {
    if (promise.blocks.blocks() > 1) {
      using Blocks = std::remove_cvref_t<decltype(promise.blocks)>;
      BlockSmoother<Blocks, Smoother>{promise.blocks}.template run<S::order>(
          exec, how, next_operand<S::order, Structure::general>(m.f),
          next_operand<S::order, Structure::symmetric>(m.q), m.f, m.q, mean, covariance,
          smoothed_mean, smoothed_covariance, more.lag_one, re.status_);
      return;
    }
  }
  run([&](auto const& sequence, auto const&... o) {
    if constexpr (is_without<decltype(re.status_)>)
      launch_scan<true>("Kalman::smooth", exec, how, backward(steps), sequence, o...);
    else
      launch_scan<true>("Kalman::smooth", exec, how, backward(steps), sequence, o...,
                        after_failures(re.status_));
  });
}

/// An emit operand of the results of `lag` steps before.
template <class Src>
auto behind(Operand<Kind::emit, Src> o, std::int64_t lag) {
  o.source.pace.lag += lag;
  return o;
}

/// The fixed-lag smoother.
template <class Form, class Exec, class How, class M, class S, class Z, class Re, class Promise>
void launch_fixed_lag(Exec const& exec, How const& how, std::int64_t steps, M const& m,
                      S const& start, Z const& z, Re const& re, Promise const& promise,
                      Kalman::FixedLag<Form> const& form) {
  using T = scalar_of_t<decltype(m.f)>;
  constexpr int N = Extents<decltype(m.f)>::rows;
  constexpr bool root = Form::form == Kalman::Form::square_root;
  using Smoother = std::conditional_t<root, SquareRootSmoother, CovarianceSmoother>;
  std::int64_t const lag = form.lag;
  auto const& more = re.more_;
  if (lag < 1)
    refuse_call("Kalman::smooth", "the lag of fixed_lag(lag) is " + std::to_string(lag) +
                                      "; give 1 or more, or call Kalman::filter for a lag of 0");
  auto const items = check("Kalman::smooth", steps, carry_operand(start.mean, re.last_mean_),
                           carry_operand(start.covariance, re.last_covariance_),
                           likelihood_operand<T>(re.log_likelihood_), z, m.f, m.q, m.h, m.r,
                           re.predicted_mean_, re.predicted_covariance_, re.filtered_mean_,
                           re.filtered_covariance_, more.smoothed_mean, more.smoothed_covariance,
                           more.diffuse_factor, more.diffuse_columns, re.status_);
  if (items == 0) return;
  auto const stored = [&](auto const& covariance) {
    if constexpr (root) return as_general(covariance);
    else return covariance;
  };
  auto const filtered = stored(re.filtered_covariance_),
             smoothed = stored(more.smoothed_covariance);
  auto const for_filter = [&] {
    if constexpr (root)
      return re
          .make(re.predicted_mean_, re.predicted_covariance_, re.filtered_mean_, nothing(),
                re.last_mean_, re.last_covariance_, re.log_likelihood_, re.status_)
          .make_more(more.of_filter(filtered));
    else return re.make_more(more.of_filter(nothing()));
  }();
  launch_filter<Form, false>(exec, how, steps, m, start, z, for_filter, promise,
                             static_cast<Form const&>(form));
  auto const matrix = kept_tile<T, N, N, Structure::general, 2>();
  auto const vector = kept_tile<T, N, 1, Structure::general, 1>();
  auto const spread = kept_tile<T, N, N, root ? Structure::lower : Structure::symmetric, 2>();
  if (steps - 1 > lag)
    launch_scan<false>("Kalman::smooth", exec, how, Steps(lag, steps - 1, false),
                       LagForward<Smoother>{lag, {}}, matrix, vector, spread, step_index(),
                       read_each(more.diffuse_factor), read_each(more.diffuse_columns),
                       read_each(re.filtered_mean_), read_each(filtered),
                       to_the_next<S::order>(m.f), to_the_next<S::order>(m.q),
                       behind(more.smoothed_mean, lag), behind(smoothed, lag));
  auto const left_covariance = [&] {
    if constexpr (root) return update_each(filtered);
    else return read_each(filtered);
  }();
  auto const run = [&](auto const&... status) {
    launch_scan<true>("Kalman::smooth", exec, how, backward(steps),
                      LagBackward<Smoother>{steps, lag, {}}, matrix, vector, spread, vector, spread,
                      next_operand<S::order, Structure::general>(m.f),
                      next_operand<S::order, Structure::symmetric>(m.q), step_index(),
                      read_each(more.diffuse_factor), read_each(more.diffuse_columns),
                      read_each(re.filtered_mean_), left_covariance, m.f, m.q,
                      update_each(more.smoothed_mean), update_each(smoothed), status...);
  };
  if constexpr (is_without<decltype(re.status_)>) run();
  else run(after_failures(re.status_));
}

struct SmoothCall {
  template <class Exec, int W, int Teams, int L, std::convertible_to<std::int64_t> Steps, class M,
            class S, class Z, class Re, FilterPromise Promise = Kalman::MayBeMissing,
            FilterForm Form = Kalman::CovarianceForm>
    requires requires(M const& m, Re const& re) {
      m.f;
      re.last_mean_;
    }
  void operator()(Exec const& exec, Launch<W, Teams, L> const& how, Steps const& steps,
                  M const& model, S const& start, Z const& z, Re const& results,
                  Promise const& promise = {}, Form const& form = {}) const {
    auto const from = start_for(model, start);
    auto const values = series(z);
    using More = decltype(results.more_);
    constexpr bool both = !is_without<decltype(More::smoothed_mean)> &&
                          !is_without<decltype(More::smoothed_covariance)>,
                   without_gains = !requires { promise.gains; },
                   is_known = is_without<decltype(from.diffuse)>,
                   has_form = Form::form == Kalman::Form::covariance ||
                              Form::form == Kalman::Form::square_root ||
                              (is_known && Form::form != Kalman::Form::information &&
                               Form::form != Kalman::Form::steady),
                   known = is_known || (!is_without<decltype(More::diffuse_factor)> &&
                                        !is_without<decltype(More::diffuse_columns)>);
    static_assert(both,
                  "Batchwork::Kalman::smooth: smoothed_mean or smoothed_covariance is missing; "
                  "give both Views, results().smoothed_mean(x).smoothed_covariance(P), because the "
                  "filter leaves its results there");
    static_assert(without_gains,
                  "Batchwork::Kalman::smooth: the smoother does not take complete(gains); give "
                  "complete()");
    static_assert(has_form,
                  "Batchwork::Kalman::smooth: the form does not fit; give covariance(), "
                  "square_root(), or, without a diffuse start, sequential() or joseph()");
    static_assert(known,
                  "Batchwork::Kalman::smooth: a diffuse start needs Views for "
                  "results().diffuse_factor(A).diffuse_columns(d), A (item, time, N, columns of "
                  "the start's A) and d (item, time); the filter writes them for the smoother");
    constexpr bool has_lag = requires { form.lag; };
    constexpr bool lag_fits =
        !has_lag || (!is_without<decltype(results.filtered_mean_)> &&
                     !is_without<decltype(results.filtered_covariance_)> &&
                     is_without<decltype(More::lag_one)> && !requires { promise.blocks; });
    static_assert(lag_fits,
                  "Batchwork::Kalman::smooth: fixed_lag(lag) needs Views for filtered_mean and "
                  "filtered_covariance, and takes neither lag_one_covariance nor "
                  "parallel_in_time(blocks); give results().filtered_mean(m)."
                  "filtered_covariance(P).smoothed_mean(x).smoothed_covariance(S)");
    if constexpr (both && without_gains && has_form && known && lag_fits) {
      constexpr int N = Extents<decltype(model.f)>::rows;
      constexpr bool fit = has_extents<decltype(More::smoothed_mean), N, 1> &&
                           has_extents<decltype(More::smoothed_covariance), N, N> &&
                           wants_extents<decltype(More::lag_one), N, N>;
      static_assert(fit,
                    "Batchwork::Kalman::smooth: smoothed_mean takes a View (item, time, state), "
                    "View<T**[N]>, smoothed_covariance and lag_one_covariance take a View (item, "
                    "time, row, column), View<T**[N][N]>, of the extents of F");
      if constexpr (fit && require_one_type<M, std::remove_const_t<decltype(from)>,
                                            std::remove_const_t<decltype(values)>, Re>()) {
        if constexpr (has_lag)
          launch_fixed_lag(exec, how, std::int64_t(steps), model, from, values, results, promise,
                           form);
        else
          launch_smooth(exec, how, std::int64_t(steps), model, from, values, results, promise,
                        form);
      }
    }
  }
  /// A form without a promise.
  template <class Exec, class How, class Steps, class M, class S, class Z, class Re,
            FilterForm Form>
  auto operator()(Exec const& exec, How const& how, Steps const& steps, M const& model,
                  S const& start, Z const& z, Re const& results, Form const& form) const
      -> decltype((*this)(exec, how, steps, model, start, z, results, Kalman::MayBeMissing(),
                          form)) {
    (*this)(exec, how, steps, model, start, z, results, Kalman::MayBeMissing(), form);
  }
};

}  // namespace Impl

namespace Kalman {

/// Runs the fixed-interval smoother over a batch of series: mean and covariance of the state at
/// each time, given the observations of all times. Two kernels run one after the other on the
/// instance `exec`, asynchronously: Kalman::filter, then a backward scan that updates its results
/// in place. Nothing is allocated and nothing is fenced.
///
/// ```cpp
/// Kalman::smooth(steps, Kalman::model(common(F), common(Q), common(H), common(R)),
///                Kalman::start(x0, P0), z,
///                Kalman::results().smoothed_mean(mean).smoothed_covariance(P).status(codes));
/// ```
///
/// The equations are those of smooth_step, with square_root() those of square_root_smooth_step. At
/// times with diffuse directions the gain is that of a diffuse update. The backward scan costs
/// about 13 N^3 operations for a step of an item, 14 N^3 in the square-root form, beside those of
/// the filter. (Rauch, Tung and Striebel, AIAA Journal 3, 1965; Durbin and Koopman 2012, chapters 4
/// and 5.)
///
/// An item that fails in the filter has no smoothed results. The backward scan can fail with
/// not_positive_definite and the 1-based state, if F P F' + Q is not a covariance, and with
/// not_finite.
///
/// \param exec execution space instance; optional, the first argument
/// \param how launch(...): label, lanes per item, team size, pack width; optional, before the
///   steps. The kernels have the labels "Batchwork::Kalman::filter" and
///   "Batchwork::Kalman::smooth".
/// \param steps number of time steps
/// \param model model(F, Q, H, R)
/// \param start start(x0, P0), predicted(x1, P1), diffuse() or diffuse(x1, P1, A)
/// \param z the series, as for Kalman::filter
/// \param results results() with smoothed_mean and smoothed_covariance, and for a diffuse start
///   diffuse_factor and diffuse_columns; lag_one_covariance and the results of the filter as well
/// \param promise optional: complete(), or parallel_in_time(blocks) for few long series
/// \param form optional, the last argument: covariance(), the default, square_root(), or, unless
///   the start is diffuse, sequential() or joseph(); fixed_lag(lag) or fixed_lag(lag, form) for a
///   fixed-lag smoother
/// \throws std::invalid_argument before anything is launched if Views do not fit, as Kalman::filter
///   does
template <class... X>
void smooth(X const&... arguments) {
  static_assert(Impl::Takes<Impl::SmoothCall, X...>,
                "Batchwork::Kalman::smooth: the arguments are [exec,] [launch(...),] steps, "
                "model, start, z, results [, promise] [, form] in this order");
  Impl::call_verb(Impl::SmoothCall(), arguments...);
}

}  // namespace Kalman
}  // namespace Batchwork

#endif
