// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Few long series: filter and smoother in blocks of time, and without blocks.

#include <algorithm>
#include <kalman/Batchwork_Filter.hpp>
#include <kalman/Batchwork_Smooth.hpp>

#include "Filters.hpp"

namespace BatchworkPerf {

namespace {

constexpr int N = 4, M = 2;

template <class Z>
struct FillLongSeries {
  Z z;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    std::int64_t const steps = std::int64_t(z.extent(1)), s = k / steps, t = k % steps;
    for (int i = 0; i < M; ++i) z(s, t, i) = measurement<typename Z::value_type, M>(s, t, i);
  }
};

enum class InTime { blocks, one_after_the_other };
enum class Task { filter, smooth };

/// All series and the last one are checked by means and log-likelihood in long double.
template <class T, InTime way, Task task>
void run_long_series(benchmark::State& state, std::int64_t series, std::int64_t steps) {
  namespace Kalman = Batchwork::Kalman;
  FilterModel<T, N, M> const m;
  Kokkos::View<T** [M], Kokkos::LayoutRight, Memory> const z("z", std::size_t(series),
                                                             std::size_t(steps));
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, series * steps),
      FillLongSeries<std::remove_const_t<decltype(z)>>{z});
  Kokkos::View<T** [N], Kokkos::LayoutRight, Memory> const mean("mean", std::size_t(series),
                                                                std::size_t(steps));
  Kokkos::View<T*, Memory> const log_likelihood("log-likelihood", std::size_t(series));
  Kokkos::deep_copy(mean, std::numeric_limits<T>::quiet_NaN());
  T unit[N][N] = {};
  for (int i = 0; i < N; ++i) unit[i][i] = 1;
  Exec const exec;
  auto const model = filter_model<true>(m);
  auto const start = Kalman::start(
      zero_mean<T, N>(), Batchwork::common(Batchwork::fixed(Batchwork::symmetric(to_tile(unit)))));
  auto const results = Kalman::results().filtered_mean(mean).log_likelihood(log_likelihood);
  Kalman::TimeBlocks<T, N, Memory> const blocks(exec, series, steps);
  Kokkos::View<T** [N][N], Kokkos::LayoutRight, Memory> const covariance(
      "covariance", task == Task::smooth ? std::size_t(series) : 0, std::size_t(steps));
  auto const launch = [&] {
    if constexpr (task == Task::smooth) {
      auto const all = Kalman::results()
                           .smoothed_mean(mean)
                           .smoothed_covariance(covariance)
                           .log_likelihood(log_likelihood);
      if constexpr (way == InTime::blocks)
        Kalman::smooth(exec, steps, model, start, z, all, Kalman::parallel_in_time(blocks));
      else Kalman::smooth(exec, steps, model, start, z, all);
    } else if constexpr (way == InTime::blocks) {
      Kalman::filter(exec, steps, model, start, z, results, Kalman::parallel_in_time(blocks));
    } else {
      Kalman::filter(exec, steps, model, start, z, results);
    }
  };
  launch();
  Kokkos::fence();

  long double error = 0;
  auto const ll = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), log_likelihood);
  for (std::int64_t s : {std::int64_t(0), series - 1}) {
    FilterReference<T, N, M> const r(m, s, false, steps);
    auto const last = Kokkos::create_mirror_view_and_copy(
        Kokkos::HostSpace(), Kokkos::subview(mean, s, steps - 1, Kokkos::ALL));
    long double difference = 0, norm = 0;
    for (int i = 0; i < N; ++i) {
      difference += (last(i) - r.x[i]) * (last(i) - r.x[i]);
      norm += r.x[i] * r.x[i];
    }
    // States and the terms of a log-likelihood have both signs, and sizes around one.
    long double const one = 1, terms = std::max(std::abs(r.log_likelihood), (long double)steps);
    for (long double e :
         {std::sqrt(difference / std::max(norm, one)), std::abs(ll(s) - r.log_likelihood) / terms})
      error = larger(error, e);
  }
  // A filter forgets: the means have the errors of some steps, and the sum those of its additions.
  long double const tolerance =
      (100 * N + 4 * std::sqrt((long double)steps)) * std::numeric_limits<T>::epsilon();
  Work work;
  work.items = series;
  work.steps = steps;
  double const n = double(series) * double(steps);
  work.bytes = n * sizeof(T) * (M + N + (task == Task::smooth ? 3 * N * N + 2 * N : 0));
  work.flops = n * (covariance_flops(N, M) + mean_flops(N, M));
  for (auto _ : state) {
    if (!(error <= tolerance)) {
      state.SkipWithError(
          ("wrong result: relative error " + std::to_string(double(error))).c_str());
      return;
    }
    report<T>(state, work, measure(launch), double(error));
  }
}

/// Hosts take a tenth of the steps: the time of a step does not depend on their number.
/// scan/<implementation>/long/<type>/N:4/M:2/steps:<steps>/items:<series>
template <class T>
void register_type() {
  struct Size {
    std::int64_t series, steps;
  };
  constexpr std::int64_t scale = on_device ? 1 : 10;
  for (auto const [series, all] :
       {Size{1, 1000000}, {1, 10000}, {10, 100000}, {100, 100000}, {1000, 10000}, {10000, 1000}}) {
    std::int64_t const steps = all / scale;
    auto const add = [=](char const* name,
                         void (*body)(benchmark::State&, std::int64_t, std::int64_t)) {
      benchmark::RegisterBenchmark(
          (std::string("scan/") + name + "/long/" + type_name<T>() +
           "/N:4/M:2/steps:" + std::to_string(steps) + "/items:" + std::to_string(series))
              .c_str(),
          [=](benchmark::State& state) { body(state, series, steps); })
          ->Iterations(1)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    };
    add("blocks", run_long_series<T, InTime::blocks, Task::filter>);
    add("sequential", run_long_series<T, InTime::one_after_the_other, Task::filter>);
    if (series > 1) continue;
    add("blocks_smooth", run_long_series<T, InTime::blocks, Task::smooth>);
    add("sequential_smooth", run_long_series<T, InTime::one_after_the_other, Task::smooth>);
  }
}

}  // namespace

void register_long_series() {
  register_type<float>();
  register_type<double>();
}

}  // namespace BatchworkPerf
