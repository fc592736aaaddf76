// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What a benchmark says: its time, and how near that is to the floor max(bytes / copy bandwidth,
/// flops / peak).
#ifndef BATCHWORK_PERF_REPORT_HPP
#define BATCHWORK_PERF_REPORT_HPP

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>

#include "Machine.hpp"
#include "Timing.hpp"

namespace BatchworkPerf {

/// The work of one launch: every input read once, every output written once.
struct Work {
  std::int64_t items = 0;
  std::int64_t steps = 1;
  double bytes = 0;
  double flops = 0;
};

/// The state's manual time and its counters; `error` is what the check of the results found.
template <class T>
void report(benchmark::State& state, Work const& work, Sample const& sample, double error) {
  double const t = sample.median;
  double const per_unit = 1e9 / static_cast<double>(work.items * work.steps);
  double const by_bytes = work.bytes / copy_bandwidth(static_cast<std::size_t>(work.bytes));
  double const floor = std::max(by_bytes, peak<T>() > 0 ? work.flops / peak<T>() : 0);
  state.SetIterationTime(t);
  state.counters["ns_per_item"] = t * per_unit;  // and per step
  state.counters["best_ns_per_item"] = sample.best * per_unit;
  state.counters["floor_ns_per_item"] = floor * per_unit;
  state.counters["fraction_of_floor"] = floor / t;
  state.counters["items"] = static_cast<double>(work.items);
  state.counters["steps"] = static_cast<double>(work.steps);
  state.counters["bytes"] = work.bytes;
  state.counters["GB_per_s"] = work.bytes / t * 1e-9;
  state.counters["flop_per_s"] = work.flops / t;
  state.counters["error"] = error;
}

}  // namespace BatchworkPerf

#endif
