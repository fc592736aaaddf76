// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Kalman::score beside Kalman::filter: the log-likelihood of a structural model, and its
/// derivatives in p parameters, forwards and by a backward pass. In the programs `moving_...` F
/// depends on the parameters and the start is known. per_step is the time for a series and a step.
#ifndef BATCHWORK_PERF_SCORE_HPP
#define BATCHWORK_PERF_SCORE_HPP

#include <benchmark/benchmark.h>

#include <Batchwork.hpp>
#include <random>
#include <string>

#include "../common/Machine.hpp"

namespace BatchworkPerf {

using namespace Batchwork;

/// A level if N is 1, else level, slope and N - 2 seasonal states. theta: the logarithms of the
/// variances of level, noise, slope, season, and of further noise of these states. With Moves a
/// parameter damps all states.
template <int N, int P, bool Moves>
struct Structural {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    auto q = zero<N>(theta);
    q(0) = exp(theta(0));
    for (int k = 2; k < P; ++k) q((k - 1) % N) = q((k - 1) % N) + exp(theta(k));
    auto const f = [](int i, int j) {
      if (i == 0) return j < 2 ? 1.0 : 0.0;
      if (i == 1) return j == 1 ? 1.0 : 0.0;
      if (i == 2) return j < 2 ? 0.0 : -1.0;
      return j == i - 1 ? 1.0 : 0.0;
    };
    auto const h = generate<1, N>([](int, int j) { return j == 0 || j == 2 ? 1.0 : 0.0; });
    if constexpr (Moves) {
      auto const damping = 1.0 - 0.1 * exp(theta(0));
      return Kalman::matrices(generate<N, N>([&](int i, int j) { return f(i, j) * damping; }),
                              as_diagonal(q), h, exp(theta(1)));
    } else {
      return Kalman::matrices(generate<N, N>(f), as_diagonal(q), h, exp(theta(1)));
    }
  }
};

enum class Call { filter, values, score, information, backward, moving, moving_backward };

template <int N>
auto identity_of() {
  typename Kokkos::View<double[N][N]>::host_mirror_type p("p");
  for (int i = 0; i < N; ++i) p(i, i) = 1;
  return p;
}

template <Call call, int N, int P>
void run_of(benchmark::State& state, std::size_t items) {
  std::size_t const steps = 100;
  Kokkos::View<double* [P]> theta("theta", items), score("score", items);
  Kokkos::View<double* [P][P]> information("information", items);
  Kokkos::View<double**> z("z", items, steps);
  Kokkos::View<double*> ll("ll", items);
  constexpr bool needs_gains = call == Call::backward || call == Call::moving_backward;
  Kokkos::View<double** [1][N + 2]> gains("gains", needs_gains ? items : 0, steps);
  Kokkos::View<double** [N][N / 2 + 2]> states("states", call == Call::moving_backward ? items : 0,
                                               steps);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  auto const hz = Kokkos::create_mirror_view(z);
  for (std::size_t k = 0; k < items; ++k)
    for (std::size_t t = 0; t < steps; ++t) hz(k, t) = normal(random);
  Kokkos::deep_copy(z, hz);
  Kokkos::deep_copy(theta, -1.0);
  auto const m = Structural<N, P, false>{}(generate<P>([](int) { return -1.0; }));
  Kokkos::View<double[N]> x("x");
  Kokkos::View<double[N][N]> p("p");
  Kokkos::deep_copy(p, identity_of<N>());
  auto const results = Kalman::results().log_likelihood(ll);
  auto const diffuse_score = [&](auto const&... outputs) {
    Kalman::score(Exec(), steps, Structural<N, P, false>{}, theta, Kalman::diffuse(), z,
                  outputs...);
  };
  auto const moving_score = [&](auto const&... pass) {
    Kalman::score(Exec(), steps, Structural<N, P, true>{}, theta,
                  Kalman::predicted(common(x), common(p)), z, results.score(score), pass...);
  };
  for ([[maybe_unused]] auto _ : state) {
    if constexpr (call == Call::filter) {
      Kalman::filter(Exec(), steps,
                     Kalman::model(common(fixed(m.f)), common(fixed(m.q)), common(fixed(m.h)),
                                   common(fixed(m.r))),
                     Kalman::diffuse(), z, results);
    } else if constexpr (call == Call::values) {
      diffuse_score(results);
    } else if constexpr (call == Call::score) {
      diffuse_score(results.score(score));
    } else if constexpr (call == Call::information) {
      diffuse_score(results.score(score).information(information));
    } else if constexpr (call == Call::backward) {
      diffuse_score(results.score(score), Kalman::backward_pass(gains));
    } else if constexpr (call == Call::moving) {
      moving_score();
    } else {
      moving_score(Kalman::backward_pass(gains, states));
    }
    Kokkos::fence();
  }
  using Counter = benchmark::Counter;
  state.counters["per_step"] =
      Counter(double(items * steps), Counter::kIsIterationInvariantRate | Counter::kInvert);
}

template <Call call, int N, int P>
void add_call(char const* name, std::size_t items) {
  auto* const b = benchmark::RegisterBenchmark(
      ("score/" + std::string(name) + "/double/N:" + std::to_string(N) + "/p:" + std::to_string(P))
          .c_str(),
      [=](benchmark::State& s) { run_of<call, N, P>(s, items); });
  // Processor time on hosts, so that other programs disturb less.
  if (on_device) b->UseRealTime();
  else b->MeasureProcessCPUTime();
}
template <int N, int P>
void add(std::size_t items) {
  // Forward kernels of more derivatives take compilers of devices many minutes.
  constexpr bool forwards = !on_device || N * N * P <= 400;
  if constexpr (P == 2) add_call<Call::filter, N, P>("filter", items);
  if constexpr (P == 2 && forwards) add_call<Call::values, N, P>("log_likelihood", items);
  if constexpr (P <= 4 && forwards) add_call<Call::information, N, P>("information", items);
  if constexpr (forwards) {
    add_call<Call::score, N, P>("score", items);
    add_call<Call::moving, N, P>("moving_score", items);
  }
  add_call<Call::backward, N, P>("backward", items);
  add_call<Call::moving_backward, N, P>("moving_backward", items);
}
/// For 2, 4 and 8 parameters.
template <int N>
void add_all(std::size_t items_on_host) {
  std::size_t const items = items_on_host * (on_device ? 100 : 1);
  add<N, 2>(items);
  add<N, 4>(items);
  add<N, 8>(items);
}

}  // namespace BatchworkPerf

#endif
