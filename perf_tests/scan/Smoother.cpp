// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The smoother of Rauch, Tung and Striebel (1965), a backward scan over a filter's results. The
// same kernel also scans the same numbers forwards, to show what the direction costs.

#include "Filters.hpp"
#include "SmootherReference.hpp"

namespace BatchworkPerf {

namespace {

/// Smooths one step, given the smoothed next step. After the carries come the step's parameters and
/// the prediction for the next step.
struct SmoothStep {
  template <class X, class P, class M, class C, class NextM, class NextC, class F, class EM,
            class EC>
  KOKKOS_FUNCTION void operator()(X& x, P& p, M const& mean, C const& covariance,
                                  NextM const& next_mean, NextC const& next_covariance, F const& f,
                                  EM& smoothed_mean, EC& smoothed_covariance) const {
    auto const gain = transpose(solve(cholesky(next_covariance), f * covariance));
    x = mean + gain * (x - next_mean);
    p = covariance + congruence(gain, p - next_covariance);
    smoothed_mean = x;
    smoothed_covariance = p;
  }
};

enum class Direction { filter, backward, forward, verb };

/// The filter that leaves its results, one of the scans over them, or Kalman::smooth, which is
/// both.
template <class T, int N, int M, Layout L, Direction direction>
void smoother(benchmark::State& state, std::int64_t items) {
  namespace Kalman = Batchwork::Kalman;
  using namespace Batchwork;
  using Order = typename Series<T, N, M, L>::Order;
  using Means = Kokkos::View<T** [N], Order, Memory>;
  using Covariances = Kokkos::View<T** [N][N], Order, Memory>;
  Series<T, N, M, L> const s(items);
  std::size_t const n = std::size_t(items), steps = std::size_t(filter_steps);
  Means const filtered("filtered", n, steps), predicted("predicted", n, steps),
      smoothed("smoothed", n, steps);
  Covariances const filtered_P("filtered_P", n, steps), predicted_P("predicted_P", n, steps),
      smoothed_P("smoothed_P", n, steps);
  Exec const exec;
  auto const model = filter_model<false>(s.model);
  auto const filter = [&] {
    Kalman::filter(exec, filter_steps, model, Kalman::start(zero_mean<T, N>(), s.P0), s.z,
                   Kalman::results()
                       .predicted_mean(predicted)
                       .predicted_covariance(predicted_P)
                       .filtered_mean(filtered)
                       .filtered_covariance(filtered_P)
                       .last_mean(s.x_end)
                       .last_covariance(s.P_end),
                   Kalman::complete());
  };
  auto const smooth = [&](auto const& order) {
    scan(exec, order, SmoothStep{}, carry(s.x_end), carry(symmetric(s.P_end)), each(filtered),
         each(symmetric(filtered_P)), each(predicted, lag<-1>),
         each(symmetric(predicted_P), lag<-1>), model.f, emit(smoothed),
         emit(symmetric(smoothed_P)));
  };
  auto const verb = [&] {
    Kalman::smooth(exec, filter_steps, model, Kalman::start(zero_mean<T, N>(), s.P0), s.z,
                   Kalman::results().smoothed_mean(smoothed).smoothed_covariance(smoothed_P),
                   Kalman::complete());
  };
  auto const launch = [&] {
    if constexpr (direction == Direction::filter) filter();
    else if constexpr (direction == Direction::verb) verb();
    else if constexpr (direction == Direction::backward) smooth(backward(filter_steps - 1));
    else smooth(filter_steps - 1);
  };

  // Whatever is timed, the smoother is checked.
  if constexpr (direction == Direction::verb) {
    verb();
  } else {
    filter();
    smooth(backward(filter_steps - 1));
  }
  double const error = smoother_error<N, M>(s.model, smoothed, smoothed_P),
               tolerance = 1.0 * filter_steps * N * double(std::numeric_limits<T>::epsilon());
  Work work;
  work.items = items;
  constexpr bool filters = direction == Direction::filter || direction == Direction::verb;
  work.steps = filters ? filter_steps : filter_steps - 1;
  double const numbers = N + N * N, read = N + N * (N + 1) / 2;
  double const of_filter = covariance_flops(N, M) + mean_flops(N, M),
               of_scan = 22.0 / 3 * N * N * N + 4.0 * N * N;
  double bytes = 2 * read + numbers, flops = of_scan;
  if constexpr (direction == Direction::filter) bytes = M + 2 * numbers, flops = of_filter;
  if constexpr (direction == Direction::verb)
    bytes = M + 2 * numbers + read, flops = of_filter + 40.0 / 3 * N * N * N;
  work.bytes = double(items) * double(work.steps) * sizeof(T) * bytes;
  work.flops = double(items) * double(work.steps) * flops;
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

template <class T, Layout L>
void register_layout(std::int64_t items) {
  auto const name = [&](char const* what) {
    return std::string("scan/batchwork/") + what + "/" + type_name<T>() + "/" + name_of(L) +
           "/view/N:4/M:2";
  };
  add_filter(name("smoother_filter"), items, smoother<T, 4, 2, L, Direction::filter>);
  add_filter(name("smoother"), items, smoother<T, 4, 2, L, Direction::backward>);
  add_filter(name("smoother_forwards"), items, smoother<T, 4, 2, L, Direction::forward>);
  add_filter(name("smooth"), items, smoother<T, 4, 2, L, Direction::verb>);
}

}  // namespace

/// scan/batchwork/smoother/<type>/<layout>/view/N:4/M:2/items:<items>, and the same with
/// smoother_forwards, smoother_filter and smooth
void register_smoothers() {
  // Some 48 KB an item in double.
  std::int64_t const items = on_device ? 20000 : 2000;
  register_layout<double, Layout::interleaved>(items);
  register_layout<double, Layout::item_contiguous>(items);
  register_layout<float, Layout::interleaved>(items);
}

}  // namespace BatchworkPerf
