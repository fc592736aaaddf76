// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Filters over time through Kalman::filter, which is a scan.
#ifndef BATCHWORK_PERF_SCAN_FILTERS_HPP
#define BATCHWORK_PERF_SCAN_FILTERS_HPP

#include <kalman/Batchwork_Filter.hpp>

#include "Series.hpp"

namespace BatchworkPerf {

template <int R, int C, class T>
auto to_fixed(T const (&m)[R][C]) {
  return Batchwork::common(Batchwork::fixed(to_tile(m)));
}

template <class T, int N>
auto zero_mean() {
  T const zero[N] = {};
  return Batchwork::common(Batchwork::fixed(to_tile(zero)));
}

/// common(fixed(tile)) or common(view) for the four matrices.
template <bool fixed_model, class T, int N, int M>
auto filter_model(FilterModel<T, N, M> const& m) {
  namespace Kalman = Batchwork::Kalman;
  using Batchwork::common;
  if constexpr (fixed_model)
    return Kalman::model(to_fixed(m.F), to_fixed(m.Q), to_fixed(m.H), to_fixed(m.R));
  else
    return Kalman::model(common(to_view("F", m.F)), common(to_view("Q", m.Q)),
                         common(to_view("H", m.H)), common(to_view("R", m.R)));
}

/// Operations of one step, multiplications and additions, one triangle of symmetric matrices.
constexpr double covariance_flops(double n, double m) {
  return 3 * n * n * n + 2 * m * n * n + 2 * m * m * n + m * m * m / 3 + m * n * n;
}
constexpr double mean_flops(double n, double m) { return 2 * n * n + 4 * m * n + 2 * m * m; }

/// Every item has its own start, so its own covariances.
template <class T, int N, int M, Layout L, bool fixed_model, bool complete>
void filter_per_item(benchmark::State& state, std::int64_t items) {
  namespace Kalman = Batchwork::Kalman;
  Series<T, N, M, L> const s(items);
  Exec const exec;
  auto const model = filter_model<fixed_model>(s.model);
  auto const start = Kalman::start(zero_mean<T, N>(), s.P0);
  auto const results = Kalman::results().last_mean(s.x_end).last_covariance(s.P_end).log_likelihood(
      s.log_likelihood);
  auto const launch = [&] {
    if constexpr (complete)
      Kalman::filter(exec, filter_steps, model, start, s.z, results, Kalman::complete());
    else Kalman::filter(exec, filter_steps, model, start, s.z, results);
  };
  Work work;
  work.items = items;
  work.steps = filter_steps;
  double const n = static_cast<double>(items);
  work.bytes = n * sizeof(T) * (filter_steps * M + N * (N + 1) / 2 + N * N + N + 1);
  work.flops = n * filter_steps * (covariance_flops(N, M) + mean_flops(N, M));
  s.run(state, launch, work, true, true);
}

/// Model and start are common, so the gains are common too. `what` selects both kernels, as
/// Kalman::filter launches them, the kernel of the means, or the kernel of the gains (a chain of
/// steps for one item).
enum class Part { both, means, gains };

template <class T, int N, int M, Layout L, Part what>
void filter_common(benchmark::State& state, std::int64_t items) {
  using namespace Batchwork;
  Series<T, N, M, L> const s(items);
  Exec const exec;
  constexpr auto order = Kalman::Order::predict_first;
  T unit[N][N] = {};
  for (int i = 0; i < N; ++i) unit[i][i] = 1;
  auto const p0 = common(fixed(symmetric(to_tile(unit))));
  auto const x0 = zero_mean<T, N>();
  auto const model = filter_model<true>(s.model);
  auto const start = Kalman::start(x0, p0);
  auto const results = Kalman::results().last_mean(s.x_end).log_likelihood(s.log_likelihood);
  Kalman::Gains<T, N, M, Memory> const gains(filter_steps);
  auto const both = [&] {
    Kalman::filter(exec, filter_steps, model, start, s.z, results, Kalman::complete(gains));
  };
  auto const means = [&] {
    scan(exec, filter_steps, Kalman::MeanStep<order>{}, carry(x0, s.x_end),
         carry(common(fixed(T(0))), log_sum(s.log_likelihood, -0.5)), each(s.z),
         to_fixed(s.model.F), to_fixed(s.model.H), common(each(gains.gain)),
         common(each(lower(gains.factor))), common(each(gains.increment)), nothing(), nothing());
  };
  auto const of_one_item = [&] {
    std::int64_t const one = 1;
    Kokkos::View<T** [N][M], Kokkos::LayoutRight, Memory,
                 Kokkos::MemoryTraits<Kokkos::Unmanaged>> const gain(gains.gain.data(), one,
                                                                     filter_steps);
    Kokkos::View<T** [M][M], Kokkos::LayoutRight, Memory,
                 Kokkos::MemoryTraits<Kokkos::Unmanaged>> const factor(gains.factor.data(), one,
                                                                       filter_steps);
    Kokkos::View<T**, Kokkos::LayoutRight, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
        increment(gains.increment.data(), one, filter_steps);
    scan(exec, launch(Batchwork::width<1>), filter_steps, Kalman::GainsStep<order>{}, carry(p0),
         nothing(), nothing(), model.f, model.q, model.h, model.r, emit(gain), emit(lower(factor)),
         emit(increment), nothing(), nothing());
  };

  Work work;
  work.items = what == Part::gains ? 1 : items;
  work.steps = filter_steps;
  double const n = static_cast<double>(work.items);
  if constexpr (what == Part::gains) {
    work.bytes = sizeof(T) * filter_steps * (N * M + M * M + 1);
    work.flops = filter_steps * covariance_flops(N, M);
  } else {
    work.bytes = n * sizeof(T) * (filter_steps * M + N + 1);
    work.flops = n * filter_steps * mean_flops(N, M);
  }
  // Whatever part is timed, all of it is checked.
  auto const launch = [&] {
    if constexpr (what == Part::both) both();
    if constexpr (what == Part::means) means();
    if constexpr (what == Part::gains) of_one_item();
  };
  if constexpr (what == Part::means) of_one_item();
  if constexpr (what == Part::gains) {
    of_one_item();
    means();
  }
  s.run(state, launch, work, false, false);
}

inline void add_filter(std::string const& name, std::int64_t items,
                       void (*body)(benchmark::State&, std::int64_t)) {
  benchmark::RegisterBenchmark((name + "/items:" + std::to_string(items)).c_str(),
                               [=](benchmark::State& state) { body(state, items); })
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

/// scan/<implementation>/<covariances>/<type>/<layout of
/// z>/<source>/N:<states>/M:<measurements>/items:<items>
template <class T, int N, int M>
void register_filters(std::int64_t items) {
  auto const name = [&](char const* implementation, char const* covariances, Layout z,
                        char const* source) {
    return std::string("scan/") + implementation + "/" + covariances + "/" + type_name<T>() + "/" +
           name_of(z) + "/" + source + "/N:" + std::to_string(N) + "/M:" + std::to_string(M);
  };
  constexpr Layout interleaved = Layout::interleaved, item_contiguous = Layout::item_contiguous;
  add_filter(name("batchwork", "per_item", interleaved, "fixed"), items,
             filter_per_item<T, N, M, interleaved, true, true>);
  add_filter(name("batchwork", "per_item", interleaved, "view"), items,
             filter_per_item<T, N, M, interleaved, false, true>);
  add_filter(name("batchwork", "per_item", item_contiguous, "fixed"), items,
             filter_per_item<T, N, M, item_contiguous, true, true>);
  add_filter(name("batchwork", "per_item_missing", interleaved, "fixed"), items,
             filter_per_item<T, N, M, interleaved, true, false>);
  add_filter(name("batchwork", "common", interleaved, "fixed"), items,
             filter_common<T, N, M, interleaved, Part::both>);
  add_filter(name("batchwork", "common", item_contiguous, "fixed"), items,
             filter_common<T, N, M, item_contiguous, Part::both>);
  add_filter(name("batchwork", "common_means", interleaved, "fixed"), items,
             filter_common<T, N, M, interleaved, Part::means>);
  add_filter(name("batchwork", "common_gains", interleaved, "fixed"), items,
             filter_common<T, N, M, interleaved, Part::gains>);
}

/// The one kind in which the covariances are the work, the model from Views: beyond 10 states it is
/// too large to be fixed.
template <class T, int N, int M>
void register_filters_per_item(std::int64_t items) {
  add_filter(std::string("scan/batchwork/per_item/") + type_name<T>() +
                 "/interleaved/view/N:" + std::to_string(N) + "/M:" + std::to_string(M),
             items, filter_per_item<T, N, M, Layout::interleaved, false, true>);
}

/// 200,000 and 100,000 items; fewer on a host, where the time of an item does not depend on their
/// number.
inline constexpr std::int64_t items_of_4 = on_device ? 200000 : 20000;
inline constexpr std::int64_t items_of_6 = on_device ? 100000 : 10000;

}  // namespace BatchworkPerf

#endif
