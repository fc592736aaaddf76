// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Kalman::filter and Kalman::smooth in each of their forms. Every item has its own start, so its
/// own covariances.
#ifndef BATCHWORK_PERF_FORMS_FORMS_HPP
#define BATCHWORK_PERF_FORMS_FORMS_HPP

#include <algorithm>
#include <kalman/Batchwork_Smooth.hpp>

#include "../scan/Filters.hpp"
#include "../scan/SmootherReference.hpp"

namespace BatchworkPerf {

enum class Form { covariance, sequential, joseph, square_root, information, steady };

/// Changes of the covariance at which steady() stops.
template <class T>
inline constexpr double steady_tolerance = sizeof(T) == 4 ? 1e-5 : 1e-12;

template <class T, Form form>
auto to_form() {
  namespace Kalman = Batchwork::Kalman;
  if constexpr (form == Form::sequential) return Kalman::sequential();
  else if constexpr (form == Form::joseph) return Kalman::joseph();
  else if constexpr (form == Form::square_root) return Kalman::square_root();
  else if constexpr (form == Form::information) return Kalman::information();
  else if constexpr (form == Form::steady) return Kalman::steady(steady_tolerance<T>);
  else return Kalman::covariance();
}

/// Operations of one step for the covariances. Those of a steady filter are not known beforehand;
/// once it is steady there are none.
constexpr double form_flops(Form form, double n, double m) {
  switch (form) {
    case Form::covariance: return covariance_flops(n, m);
    case Form::sequential: return 3 * n * n * n + 3 * m * n * n;
    case Form::joseph: return 3 * n * n * n + 15 * m * n * n;
    case Form::square_root: return 3 * n * n * n + 3 * m * n * n + 3 * m * m * n;
    case Form::information: return 7 * n * n * n + m * n * n + m * m * n;
    default: return 0;
  }
}

/// A model of few states is an argument of the kernels, a larger one is read from Views.
template <int N>
inline constexpr bool fixed_model = N <= 6;

template <class T, int N, int M, Form form>
void filter_in_form(benchmark::State& state, std::int64_t items) {
  namespace Kalman = Batchwork::Kalman;
  Series<T, N, M, Layout::interleaved> const s(items);
  Exec const exec;
  auto const model = filter_model<fixed_model<N>>(s.model);
  auto const start = Kalman::start(zero_mean<T, N>(), s.P0);
  auto const results = Kalman::results().last_mean(s.x_end).last_covariance(s.P_end).log_likelihood(
      s.log_likelihood);
  auto const launch = [&] {
    Kalman::filter(exec, filter_steps, model, start, s.z, results, Kalman::complete(),
                   to_form<T, form>());
  };
  Work work;
  work.items = items;
  work.steps = filter_steps;
  double const n = static_cast<double>(items);
  work.bytes = n * sizeof(T) * (filter_steps * M + N * (N + 1) / 2 + N * N + N + 1);
  work.flops = n * filter_steps * (form_flops(form, N, M) + mean_flops(N, M));
  // steady() lets changes below its tolerance add up, and information() loses digits.
  double const eps = static_cast<double>(std::numeric_limits<T>::epsilon());
  double const more = form == Form::steady        ? 10 * steady_tolerance<T>
                      : form == Form::information ? 4 * filter_steps * N * eps
                                                  : 0;
  s.run(state, launch, work, true, true, more);
}

/// Means and covariances of all steps.
template <class T, int N, int M, Form form>
void smooth_in_form(benchmark::State& state, std::int64_t items) {
  namespace Kalman = Batchwork::Kalman;
  Series<T, N, M, Layout::interleaved> const s(items);
  std::size_t const n = std::size_t(items), steps = std::size_t(filter_steps);
  Kokkos::View<T** [N], Kokkos::LayoutLeft, Memory> const mean("smoothed", n, steps);
  Kokkos::View<T** [N][N], Kokkos::LayoutLeft, Memory> const covariance("smoothed_P", n, steps);
  Kokkos::deep_copy(mean, std::numeric_limits<T>::quiet_NaN());
  Kokkos::deep_copy(covariance, std::numeric_limits<T>::quiet_NaN());
  Exec const exec;
  auto const model = filter_model<fixed_model<N>>(s.model);
  auto const launch = [&] {
    Kalman::smooth(exec, filter_steps, model, Kalman::start(zero_mean<T, N>(), s.P0), s.z,
                   Kalman::results().smoothed_mean(mean).smoothed_covariance(covariance),
                   Kalman::complete(), to_form<T, form>());
  };
  launch();
  double const error = smoother_error<N, M>(s.model, mean, covariance),
               tolerance = 1.0 * filter_steps * N * double(std::numeric_limits<T>::epsilon());
  Work work;
  work.items = items;
  work.steps = filter_steps;
  double const of_items = double(items) * double(filter_steps);
  work.bytes = of_items * sizeof(T) * (M + N + N * N) + double(items) * sizeof(T) * N * (N + 1) / 2;
  double const backward = (form == Form::square_root ? 14 : 13) * double(N) * N * N;
  work.flops = of_items * (form_flops(form, N, M) + mean_flops(N, M) + backward);
  for (auto _ : state) {
    if (!(error <= tolerance)) {
      state.SkipWithError(("wrong result: relative error " + std::to_string(error / tolerance) +
                           " times the tolerance")
                              .c_str());
      return;
    }
    report<T>(state, work, measure(launch), error);
  }
}

/// Items for `bytes` of data, between `least` and `most`, in thousands; a hundredth on a host.
constexpr std::int64_t items_of(double bytes, double of_item, std::int64_t least,
                                std::int64_t most) {
  std::int64_t const n =
      std::clamp(static_cast<std::int64_t>(bytes / of_item) / 1000 * 1000, least, most);
  return on_device ? n : n / 100;
}

/// forms/batchwork/<form>/<type>/interleaved/<source>/N:<states>/M:<observations>/items:<items>,
/// and the same with smooth_<form>
template <class T, int N, int M>
void register_forms() {
  auto const add = [](char const* what, std::int64_t items,
                      void (*body)(benchmark::State&, std::int64_t)) {
    add_filter(std::string("forms/batchwork/") + what + "/" + type_name<T>() + "/interleaved/" +
                   (fixed_model<N> ? "fixed" : "view") + "/N:" + std::to_string(N) +
                   "/M:" + std::to_string(M),
               items, body);
  };
  std::int64_t const items = items_of(
      5e8, sizeof(T) * (filter_steps * M + N * (N + 1) / 2 + N * N + N + 1), 100000, 1000000);
  add("covariance", items, filter_in_form<T, N, M, Form::covariance>);
  add("sequential", items, filter_in_form<T, N, M, Form::sequential>);
  add("joseph", items, filter_in_form<T, N, M, Form::joseph>);
  add("square_root", items, filter_in_form<T, N, M, Form::square_root>);
  add("information", items, filter_in_form<T, N, M, Form::information>);
  add("steady", items, filter_in_form<T, N, M, Form::steady>);
  std::int64_t const smoothed =
      items_of(6e9, sizeof(T) * double(filter_steps) * (M + N + N * N), 10000, 100000);
  add("smooth_covariance", smoothed, smooth_in_form<T, N, M, Form::covariance>);
  add("smooth_square_root", smoothed, smooth_in_form<T, N, M, Form::square_root>);
}

}  // namespace BatchworkPerf

#endif
