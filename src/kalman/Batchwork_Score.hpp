// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Kalman::score: the log-likelihood of a batch of series and its derivatives in the parameters of
/// the model, in one kernel.
#ifndef BATCHWORK_SCORE_HPP
#define BATCHWORK_SCORE_HPP

#include "kalman/Batchwork_BackwardPass.hpp"
#include "kalman/Batchwork_Filter.hpp"
#include "kalman/detail/Batchwork_BackwardScore.hpp"

namespace Batchwork {

namespace Impl {

/// The parameters. A View has one vector per item.
template <class X>
auto parameters_operand(X const& x) {
  if constexpr (Viewish<X>) {
    return resolve(in(x));
  } else {
    constexpr bool fits = is_operand<X> && (kind_of<X> == Kind::in || kind_of<X> == Kind::common ||
                                            kind_of<X> == Kind::fixed);
    static_assert(fits,
                  "Batchwork::Kalman::score: theta is not a vector of parameters; give a View "
                  "(item, p), in(view), or common(...) for parameters that all items share");
    if constexpr (fits) return resolve(x);
    else return nothing();
  }
}

template <class X>
inline constexpr bool is_all_diffuse = std::is_same_v<X, Kalman::AllDiffuse>;
/// Whether the functor of the model returns mean and covariance at the start.
template <class X>
inline constexpr bool is_of_model = false;
template <Kalman::Order O, class A>
inline constexpr bool is_of_model<Kalman::StartOfModel<O, A>> = true;

/// Rows and columns of a matrix that a functor returns.
template <class X, int M, int N>
constexpr bool returns_extents() {
  if constexpr (is_nothing<X>) return false;
  else if constexpr (is_scalar_tile<X>) return M == 1 && N == 1;
  else return X::rows == M && X::cols == N;
}
template <class X>
constexpr int rows_returned() {
  if constexpr (is_scalar_tile<X>) return 1;
  else return X::rows;
}

/// True; otherwise a compile-time error says which matrix of the model does not fit.
template <class Ma, int N, int K>
constexpr bool require_matrices() {
  constexpr bool square = returns_extents<decltype(Ma::f), N, N>(),
                 q = returns_extents<decltype(Ma::q), N, N>(),
                 h = returns_extents<decltype(Ma::h), K, N>() ||
                     (K == 1 && returns_extents<decltype(Ma::h), N, 1>()),
                 r = returns_extents<decltype(Ma::r), K, K>();
  static_assert(square,
                "Batchwork::Kalman::score: the F of the model is not square; return N rows and N "
                "columns for N states");
  static_assert(!square || q,
                "Batchwork::Kalman::score: the Q of the model does not have the extents of F; "
                "return both N x N for N states, or as_diagonal(v) of a vector of N as Q");
  static_assert(!square || h,
                "Batchwork::Kalman::score: the H of the model is not M x N; return a row for each "
                "entry of an observation and a column for each state");
  static_assert(!h || r,
                "Batchwork::Kalman::score: the R of the model is not M x M; return a row and a "
                "column for each entry of an observation, or as_diagonal(v) of a vector of M");
  return square && q && h && r;
}
/// True; otherwise a compile-time error says why the start does not fit to the model.
template <class Ma, class S, int N>
constexpr bool require_start() {
  constexpr bool given = returns_extents<decltype(Ma::mean), N, 1>() &&
                         returns_extents<decltype(Ma::covariance), N, N>();
  if constexpr (is_of_model<S>) {
    static_assert(given,
                  "Batchwork::Kalman::score: start(), predicted() and diffuse(A) take the start "
                  "from the model; return matrices(f, q, h, r, x, p) with x of N and p of N x N");
    return given;
  } else {
    static_assert(is_nothing<decltype(Ma::mean)>,
                  "Batchwork::Kalman::score: the model returns a start and the call gives another "
                  "one; call with start(), predicted() or diffuse(A), or return matrices(f, q, h, "
                  "r)");
    constexpr bool mean = has_extents<decltype(S::mean), N, 1>,
                   covariance = has_extents<decltype(S::covariance), N, N>;
    static_assert(mean,
                  "Batchwork::Kalman::score: the mean at the start does not have N entries; give "
                  "it an entry for each state, View<T*[N]>");
    static_assert(covariance,
                  "Batchwork::Kalman::score: the covariance at the start is not N x N; give it "
                  "the extents of F, View<T*[N][N]>");
    return is_nothing<decltype(Ma::mean)> && mean && covariance;
  }
}

/// The start of a score of N states.
template <class T, int N, class S>
auto start_of_score(S const& start) {
  if constexpr (is_all_diffuse<S>) return all_diffuse<T, N>();
  else return start;
}
template <class S>
auto mean_at_start(S const& start) {
  if constexpr (is_of_model<S>) return nothing();
  else return start.mean;
}
template <class S>
auto covariance_at_start(S const& start) {
  if constexpr (is_of_model<S>) return nothing();
  else return start.covariance;
}

/// An emit operand of the filter, read by the backward pass.
template <class Src>
auto read_again(Operand<Kind::emit, Src> const& o) {
  return Operand<Kind::each, Src>{o.source};
}
inline auto read_again(Operand<Kind::nothing> const& o) { return o; }

/// True; otherwise a compile-time error says why the backward pass does not fit.
template <class Md, class T, int N, int K, class From, class Re, class Pass>
constexpr bool require_backward_pass() {
  using Gains = decltype(Pass::gains);
  using States = decltype(Pass::states);
  constexpr bool without_information = decltype(Re::information_)::kind == Kind::nothing,
                 known = decltype(From::diffuse)::kind == Kind::nothing || !needs_states<Md>,
                 gains = has_extents<Gains, K, N + 2> && has_numbers<Gains, T>,
                 states = !needs_states<Md> ||
                          (has_extents<States, N, N / 2 + 2> && has_numbers<States, T>);
  static_assert(without_information,
                "Batchwork::Kalman::score: backward_pass computes no information matrix; leave "
                "information out of results(), or backward_pass out of the call");
  static_assert(known,
                "Batchwork::Kalman::score: backward_pass takes a diffuse start only if F and H do "
                "not depend on theta; give another start, or leave backward_pass out of the call");
  static_assert(
      gains,
      "Batchwork::Kalman::score: the gains of backward_pass take a View (item, time, M, N "
      "+ 2) of the numbers of theta, View<T**[M][N + 2]>, for M entries of an "
      "observation and N states");
  static_assert(states,
                "Batchwork::Kalman::score: F or H depends on theta; give backward_pass(gains, "
                "states) with a View (item, time, N, N / 2 + 2) of the numbers of theta, "
                "View<T**[N][N / 2 + 2]>, for N states");
  return without_information && known && gains && states;
}

template <class Exec, int W, int Teams, int L, class Model, class Theta, class S, class Z, class Re,
          class Pass>
void launch_score(Exec const& exec, Launch<W, Teams, L> const& how, std::int64_t steps,
                  Model const& model, Theta const& theta, S const& given, Z const& z, Re const& re,
                  Pass const& pass) {
  using T = scalar_of_t<Theta>;
  constexpr int P = Extents<Theta>::rows, K = Extents<Z>::rows;
  constexpr bool real = std::is_floating_point_v<T>, vector = Extents<Theta>::cols == 1;
  static_assert(real, "Batchwork::Kalman::score: theta does not hold float or double");
  static_assert(vector,
                "Batchwork::Kalman::score: theta is a matrix; give a View (item, p) with a vector "
                "of p parameters for each item, View<T*[p]>");
  static_assert(L <= 1,
                "Batchwork::Kalman::score: lanes do not share an item; leave lanes<n> out of "
                "launch(...)");
  constexpr bool derivatives = decltype(re.score_)::kind != Kind::nothing ||
                               decltype(re.information_)::kind != Kind::nothing;
  constexpr bool information = decltype(re.information_)::kind != Kind::nothing;
  using Argument = parameters_t<T, P, derivatives>;
  constexpr bool callable = std::is_invocable_v<Model const&, Argument const&>;
  static_assert(callable,
                "Batchwork::Kalman::score: the model cannot be called with a vector of p "
                "parameters; give a functor with a const template call operator of one argument, "
                "Theta const&");
  if constexpr (real && vector && L <= 1 && callable) {
    constexpr bool returns_matrices =
        is_matrices<std::remove_cvref_t<std::invoke_result_t<Model const&, Argument const&>>>;
    static_assert(returns_matrices,
                  "Batchwork::Kalman::score: the model does not return Kalman::matrices(f, q, h, "
                  "r) or matrices(f, q, h, r, x, p)");
    if constexpr (returns_matrices) {
      using Ma = matrices_t<Model, T, P, derivatives>;
      constexpr int N = rows_returned<decltype(Ma::f)>();
      auto const start = start_of_score<T, N>(given);
      using From = std::remove_const_t<decltype(start)>;
      constexpr bool factor = has_rows_if_any<decltype(start.diffuse), N>;
      static_assert(
          factor,
          "Batchwork::Kalman::score: the diffuse part of the start is not N x d with d at most N; "
          "give it a row for each state and a column for each diffuse direction");
      constexpr bool gradient = wants_extents<decltype(re.score_), P, 1>,
                     matrix = wants_extents<decltype(re.information_), P, P>;
      static_assert(gradient,
                    "Batchwork::Kalman::score: score takes a View (item, p), View<T*[p]>, with an "
                    "entry for each parameter in theta");
      static_assert(matrix,
                    "Batchwork::Kalman::score: information takes a View (item, p, p), "
                    "View<T*[p][p]>, with a row and a column for each parameter in theta");
      constexpr bool one_type =
          has_numbers<Z, T> && has_numbers<decltype(mean_at_start(start)), T> &&
          has_numbers<decltype(covariance_at_start(start)), T> &&
          has_numbers<decltype(start.diffuse), T> && has_numbers<decltype(re.score_), T> &&
          has_numbers<decltype(re.information_), T> && has_numbers<decltype(re.log_likelihood_), T>;
      static_assert(one_type,
                    "Batchwork::Kalman::score: the series, the start or a View of results() holds "
                    "another type of numbers than theta; give all of them float, or all double");
      if constexpr (require_matrices<Ma, N, K>() && require_start<Ma, From, N>() && factor &&
                    gradient && matrix && one_type) {
        constexpr int C = [] {
          if constexpr (decltype(start.diffuse)::kind == Kind::nothing) return 0;
          else return Extents<decltype(start.diffuse)>::cols;
        }();
        Launch<W, Teams, 1> alone;
        alone.label = how.label;
        alone.lanes_per_team = how.lanes_per_team;
        alone.kernel = how.kernel;
        auto const mean = mean_at_start(start);
        auto const covariance = covariance_at_start(start);
        // The filter. `Forward` says whether its numbers have derivatives.
        auto const filter = [&]<bool Forward>(std::bool_constant<Forward>, auto const& gradient_of,
                                              auto const& gains, auto const& states) {
          using Shape = ScoreShape<Model, N, P, C, Forward, information>;
          scan_as("Kalman::score", exec, alone, steps,
                  ScoreStep<Model, From::order>{model, steps, re.diffuse_entries_}, re.status_,
                  Operand<Kind::local, T, Shape>{}, step_index(), theta, z, mean, covariance,
                  start.diffuse, re.log_likelihood_, gradient_of, re.information_, gains, states);
        };
        if constexpr (is_nothing<Pass> || !derivatives) {
          filter(std::bool_constant<derivatives>(), re.score_, nothing(), nothing());
        } else if constexpr (require_backward_pass<Ma, T, N, K, From, Re, Pass>()) {
          auto const states = [&] {
            if constexpr (needs_states<Ma>) return pass.states;
            else return nothing();
          }();
          // Both kernels, which may not write what the other one reads.
          auto const items =
              check("Kalman::score", steps, theta, z, mean, covariance, start.diffuse,
                    re.log_likelihood_, re.score_, pass.gains, states, re.status_);
          if (items == 0) return;
          filter(std::false_type(), nothing(), pass.gains, states);
          launch_scan<true>("Kalman::score", exec, alone, backward(steps),
                            BackwardScoreStep<Model, From::order>{model, steps},
                            Operand<Kind::local, T, BackwardShape<Model, N, K, P>>{}, step_index(),
                            theta, z, read_again(pass.gains), read_again(states), mean, covariance,
                            re.score_);
        }
      }
    }
  }
}

template <class X>
concept ScoreStart = is_all_diffuse<X> || requires { X::order; };
template <class X>
concept ScorePass = is_nothing<X> || requires(X const& x) { x.gains, x.states; };

struct ScoreCall {
  template <class Exec, int W, int Teams, int L, std::convertible_to<std::int64_t> Steps,
            class Model, class Theta, ScoreStart S, class Z, class Re, ScorePass Pass = Nothing>
    requires requires(Re const& re) { re.log_likelihood_; }
  void operator()(Exec const& exec, Launch<W, Teams, L> const& how, Steps const& steps,
                  Model const& model, Theta const& theta, S const& start, Z const& z,
                  Re const& results, Pass const& pass = {}) const {
    auto const outputs = [&] {
      if constexpr (requires { results.of_score(); }) return results.of_score();
      else return results;
    }();
    launch_score(exec, how, std::int64_t(steps), model, parameters_operand(theta), start, series(z),
                 outputs, pass);
  }
};

}  // namespace Impl

namespace Kalman {

/// The log-likelihood of a batch of series and its derivatives in the parameters of the model, the
/// score, in one kernel. The kernel runs asynchronously on the instance `exec`; nothing is
/// allocated and nothing is fenced. With zero items nothing is launched.
///
/// ```cpp
/// struct LocalLevel {  // theta: logarithms of the variances of level and noise
///   template <class Theta>
///   KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
///     return Kalman::matrices(1.0, exp(theta(0)), 1.0, exp(theta(1)));
///   }
/// };
/// Kalman::score(steps, LocalLevel{}, theta, Kalman::diffuse(), z,
///               Kalman::results().log_likelihood(ll).score(gradient).status(codes));
/// ```
///
/// The functor is called once for each item, with a vector of p numbers that carry their
/// derivatives. The derivatives of mean and covariance then move with the filter from step to step
/// (Harvey, Forecasting, Structural Time Series Models and the Kalman Filter, 1989, section 3.4).
/// The filter is that of DiffuseStep for every start: the entries of an observation enter one by
/// one. An entry that is NaN is missing. One step of an item takes about p + 1 times the operations
/// of the filter for the covariance if F does not depend on theta, else about 2 p + 1 times.
///
/// Without score and information the filter runs without derivatives: the log-likelihood of many
/// parameters.
///
/// With backward_pass(gains) two kernels compute the score, and the cost of a step does not depend
/// on p.
///
/// \param exec execution space instance; optional, the first argument
/// \param how launch(...): label, team size, pack width; optional, before the steps. The kernel has
///   the label "Batchwork::Kalman::score". Lanes do not share an item.
/// \param steps number of time steps
/// \param model a functor that returns matrices(f, q, h, r) for a vector of p parameters, or
///   matrices(f, q, h, r, x, p) with a start; copied into the launch
/// \param theta the parameters, a View (item, p), or (item) if p is 1; common(...) if all items
///   share them
/// \param start start(x0, P0), predicted(x1, P1), diffuse() or diffuse(x1, P1, A); start(),
///   predicted() or diffuse(A) if the model returns mean and covariance
/// \param z the series, a View (item, time, M), or (item, time) if M is 1; common(each(view)) for
///   one series (time, M) that all items share
/// \param results results() with log_likelihood, score, information and status
/// \param pass backward_pass(gains) or backward_pass(gains, states); optional
/// \throws std::invalid_argument before anything is launched if Views do not fit: different numbers
///   of items, too few steps, wrong extents, null or overlapping Views. Outputs are then unchanged.
///   Messages count operands in this order: state, step, theta, series, mean, covariance and factor
///   at the start, log-likelihood, score, information, status. With a backward pass they count
///   theta, series, mean, covariance and factor at the start, log-likelihood, score, gains, states,
///   status.
template <class... X>
void score(X const&... arguments) {
  static_assert(Impl::Takes<Impl::ScoreCall, X...>,
                "Batchwork::Kalman::score: the arguments are [exec,] [launch(...),] steps, model, "
                "theta, start, z, results [, pass] in this order");
  Impl::call_verb(Impl::ScoreCall(), arguments...);
}

}  // namespace Kalman
}  // namespace Batchwork

#endif
