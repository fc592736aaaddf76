// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Kalman::filter: the Kalman filter over a batch of series, in one kernel.
#ifndef BATCHWORK_FILTER_HPP
#define BATCHWORK_FILTER_HPP

#include <limits>

#include "fused/Batchwork_Scan.hpp"
#include "kalman/Batchwork_DiffuseSquareRoot.hpp"
#include "kalman/Batchwork_Information.hpp"
#include "kalman/Batchwork_Model.hpp"
#include "kalman/Batchwork_ParallelInTime.hpp"
#include "kalman/Batchwork_Sequential.hpp"
#include "kalman/Batchwork_Steady.hpp"
#include "kalman/detail/Batchwork_BlockFilter.hpp"
#include "kalman/detail/Batchwork_FilterOperands.hpp"

namespace Batchwork {

namespace Impl {

/// Extents of an operand's tile; a scalar is 1 x 1.
template <class O>
struct Extents {
  static constexpr int rows = 1;
  static constexpr int cols = 1;
};
template <class O>
  requires Tile<typename bound_t<O>::template tile<OneLane>>
struct Extents<O> {
  static constexpr int rows = bound_t<O>::template tile<OneLane>::rows;
  static constexpr int cols = bound_t<O>::template tile<OneLane>::cols;
};
template <class O>
using scalar_of_t = typename bound_t<O>::scalar;

template <class O, int M, int N>
inline constexpr bool has_extents = Extents<O>::rows == M && Extents<O>::cols == N;
template <class O, int M, int N>
inline constexpr bool wants_extents = O::kind == Kind::nothing;
template <class O, int M, int N>
  requires(O::kind != Kind::nothing)
inline constexpr bool wants_extents<O, M, N> = has_extents<O, M, N>;

/// Whether a carry of N rows has one of the structures that a step can store. Diagonal and
/// triangular tiles have no room for the full result.
template <class O, int N, Structure... Allowed>
inline constexpr bool stays_as_it_is = true;
template <class O, int N, Structure... Allowed>
  requires(N > 1) && Tile<typename bound_t<O>::template tile<OneLane>>
inline constexpr bool stays_as_it_is<O, N, Allowed...> =
    ((bound_t<O>::template tile<OneLane>::structure == Allowed) || ...);

template <class O, int N>
inline constexpr bool has_rows_if_any = O::kind == Kind::nothing;
template <class O, int N>
  requires(O::kind != Kind::nothing)
inline constexpr bool has_rows_if_any<O, N> = Extents<O>::rows == N && Extents<O>::cols <= N;

/// Whether an operand is nothing() or holds numbers of type T.
template <class O, class T>
inline constexpr bool has_numbers = O::kind == Kind::nothing;
template <class O, class T>
  requires(O::kind != Kind::nothing)
inline constexpr bool has_numbers<O, T> = std::is_same_v<scalar_of_t<O>, T>;

template <class More, class T>
inline constexpr bool has_numbers_of = false;
template <class... O, class T>
inline constexpr bool has_numbers_of<MoreResults<O...>, T> = (has_numbers<O, T> && ...);

template <class More>
inline constexpr bool has_no_more = false;
template <class... O>
inline constexpr bool has_no_more<MoreResults<O...>> = (is_without<O> && ...);
/// Whether all results that were requested hold numbers of type T.
template <class Re, class T>
inline constexpr bool has_result_numbers =
    has_numbers<decltype(Re::predicted_mean_), T> &&
    has_numbers<decltype(Re::predicted_covariance_), T> &&
    has_numbers<decltype(Re::filtered_mean_), T> &&
    has_numbers<decltype(Re::filtered_covariance_), T> &&
    has_numbers<decltype(Re::last_mean_), T> && has_numbers<decltype(Re::last_covariance_), T> &&
    has_numbers<decltype(Re::log_likelihood_), T> && has_numbers_of<decltype(Re::more_), T>;

/// Refuses operands that hold another type of numbers than the model's F.
template <class M, class S, class Z, class Re>
constexpr bool require_one_type() {
  using T = scalar_of_t<decltype(M::f)>;
  constexpr bool model = has_numbers<decltype(M::q), T> && has_numbers<decltype(M::h), T> &&
                         has_numbers<decltype(M::r), T>,
                 start = has_numbers<decltype(S::mean), T> &&
                         has_numbers<decltype(S::covariance), T> &&
                         has_numbers<decltype(S::diffuse), T>,
                 series = has_numbers<Z, T>, results = has_result_numbers<Re, T>;
  static_assert(
      model,
      "Batchwork::Kalman::filter: F, Q, H and R hold different types of numbers; give all "
      "of them float, or all double");
  static_assert(start,
                "Batchwork::Kalman::filter: the start holds another type of numbers than the "
                "model's F; give both float, or both double");
  static_assert(series,
                "Batchwork::Kalman::filter: the series holds another type of numbers than the "
                "model's F; give both float, or both double");
  static_assert(results,
                "Batchwork::Kalman::filter: a View of results() holds another type of numbers than "
                "the model's F; give both float, or both double");
  return model && start && series && results;
}

/// The series. A View has one series per item.
template <class Z>
auto series(Z const& z) {
  if constexpr (Viewish<Z>) {
    return resolve(each(z));
  } else {
    auto o = resolve(z);
    static_assert(decltype(o)::kind == Kind::each || decltype(o)::kind == Kind::common_each,
                  "Batchwork::Kalman::filter: the series is not an operand that varies with "
                  "time; give a View (item, time, M), each(view), or common(each(view)) for a "
                  "View (time, M)");
    return o;
  }
}

/// The factor of the diffuse covariance as a carry, or nothing().
template <class A>
auto factor_operand(A const& a) {
  if constexpr (A::kind == Kind::nothing) return a;
  else return carry_operand(a, nothing());
}
/// The number of diffuse columns of the factor as a carry, or nothing().
template <class A>
auto columns_operand(A const& a) {
  if constexpr (A::kind == Kind::nothing) return a;
  else return carry_operand(common(fixed(scalar_of_t<A>(Extents<A>::cols))), nothing());
}

template <class O>
inline constexpr bool is_common = O::kind == Kind::common || O::kind == Kind::fixed ||
                                  O::kind == Kind::common_each || O::kind == Kind::nothing;

/// Memory of Gains as a batch of one series. The extents are template parameters, because nvcc
/// takes types that differ only in constants of a function template for the same type.
template <class T, int M, int N, class Space>
using SeriesOfOne =
    Kokkos::View<T** [M][N], Kokkos::LayoutRight, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The first of the two kernels of complete(gains), a scan over one item.
template <class Exec, class M, class S, class Re, class G>
void launch_gains(Exec const& exec, std::string const& label, std::int64_t steps, M const& m,
                  S const& start, Re const& re, G const& gains) {
  using T = typename G::scalar;
  using Space = typename decltype(gains.gain)::memory_space;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  constexpr int N = G::states, K = G::observations;
  std::size_t const n = gains.gain.extent(0);
  SeriesOfOne<T, N, K, Space> gain(gains.gain.data(), 1, n);
  SeriesOfOne<T, K, K, Space> factor(gains.factor.data(), 1, n);
  Kokkos::View<T**, Kokkos::LayoutRight, Space, Unmanaged> increment(gains.increment.data(), 1, n);
  Kokkos::View<T*, Space, Unmanaged> inaccurate(gains.inaccurate.data(), 1);
  scan_as("Kalman::gains", exec, launch(label, width<1>), steps,
          Kalman::GainsStep<S::order>{re.diffuse_entries_}, nothing(),
          carry_operand(start.covariance, re.last_covariance_), factor_operand(start.diffuse),
          columns_operand(start.diffuse), m.f, m.q, m.h, m.r, emit(gain), emit(lower(factor)),
          emit(increment), re.predicted_covariance_, re.filtered_covariance_,
          carry_operand(common(fixed(T(0))), out(inaccurate)));
}

/// A matrix of the step to the next time.
template <Kalman::Order O, class Op>
auto to_the_next(Op operand) {
  if constexpr (O == Kalman::Order::predict_first && varies_with_time<Op>)
    operand.source.pace.lag -= 1;
  return operand;
}
/// Q of a square-root filter: a carry, which becomes its factor in the first step, or, if Q varies
/// with time, the operand itself.
template <class Q>
auto noise_operand(Q const& q) {
  if constexpr (varies_with_time<Q>) return q;
  else return carry_operand(as_lower_triangle(q), nothing());
}

/// The square-root form.
template <Kalman::Data D, class Exec, class How, class M, class S, class Likelihood, class Z,
          class Re>
void launch_square_root(Exec const& exec, How const& how, std::int64_t steps, M const& m,
                        S const& start, Likelihood const& likelihood, Z const& z, Re const& re) {
  scan_as("Kalman::filter", exec, how, steps,
          Kalman::SquareRootStep<S::order, D, !varies_with_time<decltype(m.q)>>{steps}, re.status_,
          carry_operand(start.mean, re.last_mean_),
          carry_operand(as_lower_triangle(start.covariance), re.last_covariance_), likelihood,
          noise_operand(m.q), step_index(), z, m.f, m.h, m.r, re.predicted_mean_,
          re.predicted_covariance_, re.filtered_mean_, re.filtered_covariance_,
          re.more_.filtered_factor);
}

/// The filter parallel in time, after all checks of a filter without blocks.
template <bool Root, Kalman::Data D, class Exec, class How, class M, class S, class Likelihood,
          class Z, class Re, class Blocks>
void launch_in_blocks(Exec const& exec, How const& how, std::int64_t steps, M const& m,
                      S const& start, Likelihood const& likelihood, Z const& z, Re const& re,
                      Blocks const& blocks) {
  auto const run = [&](auto const& go) {
    go(carry_operand(start.mean, re.last_mean_),
       carry_operand(start.covariance, re.last_covariance_), likelihood, z, m.f, m.q, m.h, m.r,
       re.predicted_mean_, re.predicted_covariance_, re.filtered_mean_, re.filtered_covariance_);
  };
  std::int64_t items = 0;
  run([&](auto const&... o) {
    items = check("Kalman::filter", steps, o..., re.more_.filtered_factor, re.status_);
  });
  if (items == 0) return;
  if (items != blocks.series() || steps != blocks.steps())
    refuse_call("Kalman::filter", "the time blocks are for " + std::to_string(blocks.series()) +
                                      " series of " + std::to_string(blocks.steps()) +
                                      " steps, but the call has " + std::to_string(items) + " of " +
                                      std::to_string(steps) +
                                      "; give TimeBlocks(series, steps) of the call");
  if (blocks.blocks() > std::numeric_limits<std::int32_t>::max() / items)
    refuse_call("Kalman::filter",
                "all series together have more than 2^31 blocks of time; give TimeBlocks fewer");
  using Form = std::conditional_t<Root, SquareRootBlocks, CovarianceBlocks>;
  if (blocks.blocks() > 1) {
    BlockFilter<Blocks, Form>{blocks}.template run<D>(exec, how, m, start, z, re);
  } else if constexpr (Root) {
    launch_square_root<D>(exec, how, steps, m, start, likelihood, z, re);
  } else {
    run([&](auto const&... o) {
      scan_as("Kalman::filter", exec, how, steps, Kalman::Step<S::order, D>{}, re.status_, o...);
    });
  }
}

/// The square-root form after a diffuse start.
template <Kalman::Data D, class Exec, class How, class M, class S, class Likelihood, class Z,
          class Re>
void launch_diffuse_square_root(Exec const& exec, How const& how, std::int64_t steps, M const& m,
                                S const& start, Likelihood const& likelihood, Z const& z,
                                Re const& re) {
  using T = scalar_of_t<decltype(m.f)>;
  Fixed<T, Shape<Extents<decltype(m.f)>::rows, 1, Structure::general, 1>> const zero{};
  scan_as("Kalman::filter", exec, how, steps,
          Kalman::DiffuseSquareRootStep<D, !varies_with_time<decltype(m.q)>>{steps,
                                                                             re.diffuse_entries_},
          re.status_, carry_operand(start.mean, re.last_mean_),
          carry_operand(as_lower_triangle(start.covariance), re.last_covariance_),
          carry_operand(common(zero), nothing()), factor_operand(start.diffuse),
          columns_operand(start.diffuse), likelihood, noise_operand(m.q), step_index(), z, m.f, m.h,
          m.r, re.predicted_mean_, re.predicted_covariance_, re.filtered_mean_,
          re.filtered_covariance_, re.more_.filtered_factor, re.more_.diffuse_factor,
          re.more_.diffuse_columns);
}

/// F^-1 of an information filter: a carry that starts as F, or nothing() if F varies with time.
template <class F>
auto inverse_operand(F const& f) {
  if constexpr (varies_with_time<F>) return nothing();
  else return carry_operand(as_full_factor(f), nothing());
}
/// The information form. An unknown start is Y = 0 in place of the covariance.
template <Kalman::Data D, bool IsUnknown, class Exec, class How, class M, class S, class Likelihood,
          class Z, class Re>
void launch_information(Exec const& exec, How const& how, std::int64_t steps, M const& m,
                        S const& start, Likelihood const& likelihood, Z const& z, Re const& re) {
  scan_as("Kalman::filter", exec, how, steps,
          Kalman::InformationStep<S::order, D, IsUnknown, !varies_with_time<decltype(m.f)>,
                                  !varies_with_time<decltype(m.q)>>{steps, re.diffuse_entries_},
          re.status_, carry_operand(start.mean, re.last_mean_),
          carry_operand(start.covariance, re.last_covariance_), likelihood, inverse_operand(m.f),
          noise_operand(m.q), step_index(), z, m.f, m.h, m.r, re.predicted_mean_,
          re.predicted_covariance_, re.filtered_mean_, re.filtered_covariance_);
}

/// The covariance form until it is steady.
template <Kalman::Data D, class Exec, class How, class M, class S, class Likelihood, class Z,
          class Re>
void launch_steady(Exec const& exec, How const& how, std::int64_t steps, double tolerance,
                   M const& m, S const& start, Likelihood const& likelihood, Z const& z,
                   Re const& re) {
  using T = scalar_of_t<decltype(m.f)>;
  constexpr int N = Extents<decltype(m.f)>::rows, K = Extents<Z>::rows;
  if (!(tolerance >= 0))
    refuse_call("Kalman::filter", "the tolerance of steady(tolerance) is " +
                                      std::to_string(tolerance) +
                                      "; give one that is not negative");
  Fixed<T, Shape<N, K, Structure::general, 2>> const gain{};
  Fixed<T, Shape<K, K, Structure::lower, 2>> const factor{};
  auto const number = carry_operand(common(fixed(T(0))), nothing());
  scan_as("Kalman::filter", exec, how, steps, Kalman::SteadyStep<S::order, D>{tolerance},
          re.status_, carry_operand(start.mean, re.last_mean_),
          carry_operand(start.covariance, re.last_covariance_), likelihood,
          carry_operand(common(gain), nothing()), carry_operand(common(factor), nothing()), number,
          number, z, m.f, m.q, m.h, m.r, re.predicted_mean_, re.predicted_covariance_,
          re.filtered_mean_, re.filtered_covariance_);
}

/// AllUnknown: the start is diffuse().
template <class Form, bool AllUnknown, class Exec, int W, int Teams, int L, class M, class S,
          class Z, class Re, class Promise>
void launch_filter(Exec const& exec, Launch<W, Teams, L> const& how, std::int64_t steps, M const& m,
                   S const& start, Z const& z, Re const& re, Promise const& promise,
                   [[maybe_unused]] Form const& form) {
  using F = decltype(m.f);
  using H = decltype(m.h);
  using T = scalar_of_t<F>;
  constexpr int N = Extents<F>::rows, K = Extents<Z>::rows;
  static_assert(Extents<F>::cols == N,
                "Batchwork::Kalman::filter: F is not square; give it N "
                "rows and N columns for N states");
  static_assert(has_extents<decltype(m.q), N, N>,
                "Batchwork::Kalman::filter: Q does not have the extents of F; give both N x N "
                "for N states, or diagonal(view) of a View with N entries as Q");
  static_assert(has_extents<H, K, N> || (K == 1 && has_extents<H, N, 1>),
                "Batchwork::Kalman::filter: H is not M x N; give it a row for each entry of an "
                "observation and a column for each state");
  static_assert(
      has_extents<decltype(m.r), K, K>,
      "Batchwork::Kalman::filter: R is not M x M; give it a row and a column for each entry of "
      "an observation, or diagonal(view) of a View with M entries");
  static_assert(
      has_extents<decltype(start.mean), N, 1>,
      "Batchwork::Kalman::filter: the mean at the start does not have N entries; give it an "
      "entry for each state, View<T*[N]>");
  static_assert(
      has_extents<decltype(start.covariance), N, N>,
      "Batchwork::Kalman::filter: the covariance at the start is not N x N; give it the extents "
      "of F, View<T*[N][N]>");
  static_assert(has_rows_if_any<decltype(start.diffuse), N>,
                "Batchwork::Kalman::filter: the diffuse part of the start is not N x d with d at "
                "most N; give it a row for each state and a column for each diffuse direction");
  static_assert(
      stays_as_it_is<decltype(start.covariance), N, Structure::general, Structure::symmetric>,
      "Batchwork::Kalman::filter: the covariance at the start does not stay diagonal or "
      "triangular; give a View of full matrices, or a fixed value");
  static_assert(stays_as_it_is<decltype(start.diffuse), N, Structure::general>,
                "Batchwork::Kalman::filter: the diffuse part of the start does not stay "
                "diagonal, triangular or symmetric; give a View of full matrices without that "
                "structure, or a fixed value");
  static_assert(wants_extents<decltype(re.predicted_mean_), N, 1> &&
                    wants_extents<decltype(re.filtered_mean_), N, 1>,
                "Batchwork::Kalman::filter: filtered_mean and predicted_mean take a View (item, "
                "time, state), View<T**[N]>, with an entry for each state");
  static_assert(
      wants_extents<decltype(re.last_mean_), N, 1>,
      "Batchwork::Kalman::filter: last_mean takes a View (item, state), View<T*[N]>, with "
      "an entry for each state");
  static_assert(wants_extents<decltype(re.predicted_covariance_), N, N> &&
                    wants_extents<decltype(re.filtered_covariance_), N, N>,
                "Batchwork::Kalman::filter: filtered_covariance and predicted_covariance take a "
                "View (item, time, row, column), View<T**[N][N]>, of the extents of F");
  static_assert(wants_extents<decltype(re.last_covariance_), N, N>,
                "Batchwork::Kalman::filter: last_covariance takes a View (item, row, column), "
                "View<T*[N][N]>, of the extents of F");
  static_assert(
      is_without<decltype(re.more_.smoothed_mean)> &&
          is_without<decltype(re.more_.smoothed_covariance)> &&
          is_without<decltype(re.more_.lag_one)>,
      "Batchwork::Kalman::filter: smoothed_mean, smoothed_covariance and "
      "lag_one_covariance are results of Kalman::smooth; call it with the same arguments");
  static_assert(
      (is_without<decltype(re.more_.diffuse_factor)> &&
       is_without<decltype(re.more_.diffuse_columns)>) ||
          (!is_without<decltype(start.diffuse)> && !requires { promise.gains; } &&
           (Form::form == Kalman::Form::covariance || Form::form == Kalman::Form::square_root)),
      "Batchwork::Kalman::filter: diffuse_factor and diffuse_columns are results of "
      "covariance() and square_root() after a diffuse start without complete(gains); "
      "leave them out");
  static_assert(
      wants_extents<decltype(re.more_.diffuse_factor), N, Extents<decltype(start.diffuse)>::cols> &&
          wants_extents<decltype(re.more_.diffuse_columns), 1, 1>,
      "Batchwork::Kalman::filter: diffuse_factor takes a View (item, time, N, d) with "
      "the extents of the start's A, N x N for diffuse(), and diffuse_columns a View "
      "(item, time)");
  static_assert(
      !requires { form.lag; },
      "Batchwork::Kalman::filter: fixed_lag(lag) is a form of Kalman::smooth; call it "
      "with the same arguments");
  constexpr Kalman::Data D = Promise::data;
  auto const likelihood = likelihood_operand<T>(re.log_likelihood_);

  constexpr bool is_diffuse = decltype(start.diffuse)::kind != Kind::nothing;
  constexpr bool root = Form::form == Kalman::Form::square_root,
                 in_blocks = requires { promise.blocks; };
  constexpr bool fits_promise = Form::form == Kalman::Form::covariance ||
                                (!requires { promise.gains; } && (root || !in_blocks));
  static_assert(fits_promise,
                "Batchwork::Kalman::filter: only covariance() takes complete(gains), "
                "only covariance() and square_root() take parallel_in_time(blocks); give "
                "complete() or no promise with the other forms");
  if constexpr (!fits_promise) {
    return;
  } else if constexpr (in_blocks) {
    using B = std::remove_cvref_t<decltype(promise.blocks)>;
    static_assert(!is_diffuse,
                  "Batchwork::Kalman::filter: parallel_in_time does not take a diffuse start; "
                  "filter the first steps without it, then continue from last_mean and "
                  "last_covariance with predicted(x, P)");
    static_assert(B::states == N && std::is_same_v<typename B::scalar, T>,
                  "Batchwork::Kalman::filter: the time blocks have other extents or numbers than "
                  "the model; give TimeBlocks<T, N> for numbers T and N states");
    if constexpr (!is_diffuse && B::states == N && std::is_same_v<typename B::scalar, T>)
      launch_in_blocks<root, D>(exec, how, steps, m, start, likelihood, z, re, promise.blocks);
  } else if constexpr (root) {
    if constexpr (is_diffuse)
      launch_diffuse_square_root<D>(exec, how, steps, m, start, likelihood, z, re);
    else launch_square_root<D>(exec, how, steps, m, start, likelihood, z, re);
  } else if constexpr (Form::form == Kalman::Form::information) {
    static_assert(AllUnknown || !is_diffuse,
                  "Batchwork::Kalman::filter: information() does not take diffuse(x1, P1, A); give "
                  "diffuse(), start(x0, P0) or predicted(x1, P1)");
    if constexpr (AllUnknown || !is_diffuse)
      launch_information<D, AllUnknown>(exec, how, steps, m, start, likelihood, z, re);
  } else if constexpr (Form::form == Kalman::Form::steady) {
    constexpr bool constant = !varies_with_time<F> && !varies_with_time<decltype(m.q)> &&
                              !varies_with_time<H> && !varies_with_time<decltype(m.r)>;
    static_assert(constant,
                  "Batchwork::Kalman::filter: steady(tolerance) needs a model that does not vary "
                  "with time; give F, Q, H and R without each(...), or use covariance()");
    static_assert(
        !is_diffuse,
        "Batchwork::Kalman::filter: steady(tolerance) does not take a diffuse start; give "
        "start(x0, P0) or predicted(x1, P1), or use covariance()");
    if constexpr (constant && !is_diffuse)
      launch_steady<D>(exec, how, steps, form.tolerance, m, start, likelihood, z, re);
  } else if constexpr (Form::form == Kalman::Form::joseph ||
                       Form::form == Kalman::Form::sequential) {
    scan_as("Kalman::filter", exec, how, steps,
            Kalman::SequentialStep<S::order, D, Form::form == Kalman::Form::joseph>{
                re.diffuse_entries_},
            re.status_, carry_operand(start.mean, re.last_mean_),
            carry_operand(start.covariance, re.last_covariance_), factor_operand(start.diffuse),
            columns_operand(start.diffuse), likelihood, z, m.f, m.q, m.h, m.r, re.predicted_mean_,
            re.predicted_covariance_, re.filtered_mean_, re.filtered_covariance_);
  } else if constexpr (requires { promise.gains; }) {
    using G = std::remove_cvref_t<decltype(promise.gains)>;
    static_assert(is_common<F> && is_common<decltype(m.q)> && is_common<H> &&
                      is_common<decltype(m.r)> && is_common<decltype(start.mean)> &&
                      is_common<decltype(start.covariance)> && is_common<decltype(start.diffuse)>,
                  "Batchwork::Kalman::filter: complete(gains) needs a model and a start that are "
                  "common to all items; give F, Q, H, R and the start as common(...), or use "
                  "complete()");
    static_assert(
        G::states == N && G::observations == K && std::is_same_v<typename G::scalar, T>,
        "Batchwork::Kalman::filter: the gains have other extents or numbers than the model; give "
        "Gains<T, N, M> for numbers T, N states and M entries of an observation");
    // Both kernels are checked before either is launched.
    auto const run = [&](auto const& go) {
      go(Kalman::MeanStep<S::order>{}, re.status_, carry_operand(start.mean, re.last_mean_),
         likelihood, z, m.f, m.h, common(each(promise.gains.gain)),
         common(each(lower(promise.gains.factor))), common(each(promise.gains.increment)),
         re.predicted_mean_, re.filtered_mean_, common(promise.gains.inaccurate));
    };
    std::int64_t items = 0;
    run([&](auto const&, auto const& status, auto const&... o) {
      items = check("Kalman::filter", steps, o..., status);
    });
    if (items == 0) return;
    launch_gains(exec, how.label, steps, m, start, re, promise.gains);
    run([&](auto const& sequence, auto const& status, auto const&... o) {
      scan_as("Kalman::filter", exec, how, steps, sequence, status, o...);
    });
  } else if constexpr (!is_diffuse) {
    scan_as("Kalman::filter", exec, how, steps, Kalman::Step<S::order, D>{}, re.status_,
            carry_operand(start.mean, re.last_mean_),
            carry_operand(start.covariance, re.last_covariance_), likelihood, z, m.f, m.q, m.h, m.r,
            re.predicted_mean_, re.predicted_covariance_, re.filtered_mean_,
            re.filtered_covariance_);
  } else {
    scan_as("Kalman::filter", exec, how, steps, Kalman::DiffuseStep<D>{re.diffuse_entries_},
            re.status_, carry_operand(start.mean, re.last_mean_),
            carry_operand(start.covariance, re.last_covariance_), factor_operand(start.diffuse),
            columns_operand(start.diffuse), likelihood, z, m.f, m.q, m.h, m.r, re.predicted_mean_,
            re.predicted_covariance_, re.filtered_mean_, re.filtered_covariance_,
            re.more_.diffuse_factor, re.more_.diffuse_columns);
  }
}

/// The start with N states, all of them diffuse.
template <class T, int N>
auto all_diffuse() {
  Fixed<T, Shape<N, 1, Structure::general, 1>> const zero{};
  Fixed<T, Shape<N, N, Structure::symmetric, 2>> const none{};
  return Kalman::diffuse(common(zero), common(none), common(fixed(identity<T, N>())));
}
/// The start of a filter of the model m.
template <class M, class S>
auto start_for(M const& m, S const& start) {
  using F = decltype(m.f);
  constexpr bool given = std::is_same_v<S, Kalman::AllDiffuse> || requires { start.mean; };
  static_assert(given,
                "Batchwork::Kalman::filter: start(), predicted() and diffuse(A) take mean and "
                "covariance from the functor of Kalman::score; give start(x0, P0), predicted(x1, "
                "P1) or diffuse(x1, P1, A)");
  if constexpr (std::is_same_v<S, Kalman::AllDiffuse> || !given)
    return all_diffuse<scalar_of_t<F>, Extents<F>::rows>();
  else return start;
}

template <class X>
concept FilterPromise = requires { X::data; };
template <class X>
concept FilterForm = requires { X::form; };

struct FilterCall {
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
    if constexpr (require_one_type<M, std::remove_const_t<decltype(from)>,
                                   std::remove_const_t<decltype(values)>, Re>())
      launch_filter<Form, std::is_same_v<S, Kalman::AllDiffuse>>(
          exec, how, std::int64_t(steps), model, from, values, results, promise, form);
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

/// Runs the Kalman filter over a batch of series, in one kernel. The kernel runs asynchronously on
/// the instance `exec`; nothing is allocated and nothing is fenced. With zero items nothing is
/// launched.
///
/// ```cpp
/// Kalman::filter(steps, Kalman::model(common(F), common(Q), common(H), common(R)),
///                Kalman::start(x0, P0), z,
///                Kalman::results().filtered_mean(mean).log_likelihood(ll).status(codes));
/// ```
///
///     predict:  x = F x,      P = F P F' + Q
///     update:   v = z - H x,  S = H P H' + R = L L',  y = L^-1 H P,  u = L^-1 v,
///               x = x + y' u,  P = P - y' y,
///               log-likelihood += -1/2 (m log 2 pi + log det S + u' u), m entries observed
///
/// A diffuse start uses the equations of DiffuseStep. An entry of an observation that is NaN is
/// missing and is skipped. With N states and M entries of an observation, one step of an item costs
/// 3 N^3 + 3 M N^2 + 2 M^2 N + M^3 / 3 operations for the covariance. The mean costs 2 N^2 + 4 N M
/// + M^2.
///
/// With the promise complete(gains), two kernels run: "Batchwork::Kalman::gains" over one item,
/// then the filter of the means. Covariances requested are then common to all items and their Views
/// have one item. If the model fails, every item fails with Reason::not_finite.
///
/// \param exec execution space instance; optional, the first argument
/// \param how launch(...): label, lanes per item, team size, pack width; optional, before the
///   steps. The kernel has the label "Batchwork::Kalman::filter".
/// \param steps number of time steps
/// \param model model(F, Q, H, R)
/// \param start start(x0, P0), predicted(x1, P1), diffuse() or diffuse(x1, P1, A)
/// \param z the series, a View (item, time, M), or (item, time) if M is 1; common(each(view)) for
///   one series (time, M) that all items share
/// \param results results(), with the outputs requested
/// \param promise optional: complete(), or complete(gains) for a model and a start that are common
///   to all items, or parallel_in_time(blocks) for few long series
/// \param form optional, the last argument: covariance(), the default, sequential(), joseph(),
///   square_root(), information() or steady(tolerance). Only covariance() takes complete(gains),
///   only covariance() and square_root() take parallel_in_time(blocks).
/// \throws std::invalid_argument before anything is launched if Views do not fit: different numbers
///   of items, too few steps, wrong extents, null or overlapping Views. Outputs are then unchanged.
///   Messages count operands in the order of the parameters of Step.
template <class... X>
void filter(X const&... arguments) {
  static_assert(Impl::Takes<Impl::FilterCall, X...>,
                "Batchwork::Kalman::filter: the arguments are [exec,] [launch(...),] steps, "
                "model, start, z, results [, promise] [, form] in this order");
  Impl::call_verb(Impl::FilterCall(), arguments...);
}

}  // namespace Kalman
}  // namespace Batchwork

#endif
