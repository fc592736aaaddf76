// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kalman::score beside Kalman::filter: the log-likelihood of a structural model, and its
// derivatives in p variances. per_step is the time for a series and a step.
#include <benchmark/benchmark.h>

#include <Batchwork.hpp>
#include <random>
#include <string>

#include "../common/Machine.hpp"

namespace BatchworkPerf {
namespace {

using namespace Batchwork;

/// A level if N is 1, else level, slope and N - 2 seasonal states. theta: logarithms of the
/// variances of level, noise, slope and season; those beyond P are zero.
template <int N, int P>
struct Structural {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    auto q = zero<N>(theta);
    q(0) = exp(theta(0));
    if constexpr (N > 1 && P > 2) q(1) = exp(theta(2));
    if constexpr (N > 2 && P > 3) q(2) = exp(theta(3));
    auto const f = generate<N, N>([](int i, int j) {
      if (i == 0) return j < 2 ? 1.0 : 0.0;
      if (i == 1) return j == 1 ? 1.0 : 0.0;
      if (i == 2) return j < 2 ? 0.0 : -1.0;
      return j == i - 1 ? 1.0 : 0.0;
    });
    auto const h = generate<1, N>([](int, int j) { return j == 0 || j == 2 ? 1.0 : 0.0; });
    return Kalman::matrices(f, as_diagonal(q), h, exp(theta(1)));
  }
};

enum class Call { filter, values, score, information };

template <int N, int P>
void run_of(benchmark::State& state, Call call, std::size_t items) {
  std::size_t const steps = 100;
  Kokkos::View<double* [P]> theta("theta", items), score("score", items);
  Kokkos::View<double* [P][P]> information("information", items);
  Kokkos::View<double**> z("z", items, steps);
  Kokkos::View<double*> ll("ll", items);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  auto const hz = Kokkos::create_mirror_view(z);
  for (std::size_t k = 0; k < items; ++k)
    for (std::size_t t = 0; t < steps; ++t) hz(k, t) = normal(random);
  Kokkos::deep_copy(z, hz);
  Kokkos::deep_copy(theta, -1.0);
  auto const m = Structural<N, P>{}(generate<P>([](int) { return -1.0; }));
  auto const model =
      Kalman::model(common(fixed(m.f)), common(fixed(m.q)), common(fixed(m.h)), common(fixed(m.r)));
  auto const results = Kalman::results().log_likelihood(ll);
  auto const score_with = [&](auto const& outputs) {
    Kalman::score(Exec(), steps, Structural<N, P>{}, theta, Kalman::diffuse(), z, outputs);
  };
  for ([[maybe_unused]] auto _ : state) {
    switch (call) {
      case Call::filter: Kalman::filter(Exec(), steps, model, Kalman::diffuse(), z, results); break;
      case Call::values: score_with(results); break;
      case Call::score: score_with(results.score(score)); break;
      case Call::information: score_with(results.score(score).information(information)); break;
    }
    Kokkos::fence();
  }
  using Counter = benchmark::Counter;
  state.counters["per_step"] =
      Counter(double(items * steps), Counter::kIsIterationInvariantRate | Counter::kInvert);
}

template <int N, int P>
void add(std::size_t items) {
  auto const add_call = [&](char const* name, Call call) {
    auto* const b =
        benchmark::RegisterBenchmark(("score/" + std::string(name) +
                                      "/double/N:" + std::to_string(N) + "/p:" + std::to_string(P))
                                         .c_str(),
                                     [=](benchmark::State& s) { run_of<N, P>(s, call, items); });
    // Processor time on hosts, so that other programs disturb less.
    if (on_device) b->UseRealTime();
    else b->MeasureProcessCPUTime();
  };
  add_call("filter", Call::filter);
  add_call("log_likelihood", Call::values);
  add_call("score", Call::score);
  add_call("information", Call::information);
}

void register_all() {
  std::size_t const more = on_device ? 100 : 1;
  add<1, 2>(8000 * more);
  add<4, 2>(2000 * more);
  add<4, 4>(2000 * more);
  add<13, 2>(400 * more);
  add<13, 4>(400 * more);
}

}  // namespace
}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}
