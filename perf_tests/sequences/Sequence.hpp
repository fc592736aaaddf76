// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Programs that are written three times: a sequence for map or scan, a plain loop over the items,
/// and Eigen's fixed-size matrices. All work on the same batch in double. The plain loop in long
/// double is their reference.
#ifndef BATCHWORK_PERF_SEQUENCES_SEQUENCE_HPP
#define BATCHWORK_PERF_SEQUENCES_SEQUENCE_HPP

#include <benchmark/benchmark.h>

#include <Batchwork.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "../common/Data.hpp"
#include "../common/Machine.hpp"
#include "../common/Timing.hpp"

namespace BatchworkPerf {

/// Items side by side: what View<double*[6][6]> is on hosts, and what plain loops want. And
/// interleaved: entries side by side.
using ItemContiguous = Kokkos::LayoutRight;
using Interleaved = Kokkos::LayoutLeft;

/// The same numbers in another layout.
template <class To, class From>
To in_layout(From const& from) {
  To const to(Kokkos::view_alloc(from.label(), Kokkos::WithoutInitializing), from.extent(0));
  for (std::size_t k = 0; k < from.extent(0); ++k)
    for (std::size_t a = 0; a < from.extent(1); ++a)
      for (std::size_t b = 0; b < from.extent(2); ++b)
        for (std::size_t c = 0; c < from.extent(3); ++c)
          to.access(k, a, b, c) = from.access(k, a, b, c);
  return to;
}

/// All numbers of a View, item by item.
template <class V>
void append(std::vector<double>& to, V const& view) {
  for (std::size_t k = 0; k < view.extent(0); ++k)
    for (std::size_t a = 0; a < view.extent(1); ++a)
      for (std::size_t b = 0; b < view.extent(2); ++b)
        for (std::size_t c = 0; c < view.extent(3); ++c) to.push_back(view.access(k, a, b, c));
}
template <class V>
void poison(V const& view) {
  Kokkos::deep_copy(view, std::numeric_limits<double>::quiet_NaN());
}

/// The largest difference, relative to the largest number of the reference.
inline double error_of(std::vector<double> const& results, std::vector<double> const& reference) {
  double worst = 0, largest = 0;
  if (results.size() != reference.size()) return std::numeric_limits<double>::infinity();
  for (std::size_t n = 0; n < results.size(); ++n) {
    double const e = std::fabs(results[n] - reference[n]);
    worst = e <= worst ? worst : e;  // a NaN stays
    largest = std::fmax(largest, std::fabs(reference[n]));
  }
  return worst / largest;
}

/// Registers `sequences/<program>/<version>/<layout>`. A Version is made of the program's data, has
/// launch() and results(), and `layout`; a Program has name, items, steps, tolerance and
/// reference().
template <class Program, class Version>
void add_version() {
  std::string const name =
      std::string("sequences/") + Program::name + "/" + Version::name + "/" +
      (std::is_same_v<typename Version::layout, Interleaved> ? "interleaved" : "item-contiguous");
  benchmark::RegisterBenchmark(
      name.c_str(),
      [](benchmark::State& state) {
        Program const& program = Program::instance();
        Version const version(program);
        version.launch();
        Kokkos::fence();
        double const error = error_of(version.results(), program.reference);
        Sample sample;
        for ([[maybe_unused]] auto _ : state) {
          if (!(error <= Program::tolerance)) {
            state.SkipWithError(("wrong result: error " + std::to_string(error)).c_str());
            return;
          }
          sample = measure([&] { version.launch(); });
          state.SetIterationTime(sample.median);
        }
        double const per_item = 1e9 / (double(Program::items) * double(Program::steps));
        state.counters["ns_per_item"] = sample.median * per_item;
        state.counters["best_ns_per_item"] = sample.best * per_item;
        state.counters["items"] = double(Program::items);
        state.counters["steps"] = double(Program::steps);
        state.counters["error"] = error;
      })
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMicrosecond);
}

/// One program's data, made once, and its reference.
template <class Program>
struct Single {
  static Program const& instance() {
    // Never destroyed: Kokkos is finalised before static objects are.
    static Program const* const it = new Program();
    return *it;
  }
};

inline double between(double low, double high, std::uint64_t seed, std::int64_t place) {
  return low + (high - low) * uniform(seed, std::uint64_t(place));
}

}  // namespace BatchworkPerf

#endif
