// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Numbers to be filled, the time of storing as many constants, and the check of a result.
#ifndef BATCHWORK_PERF_RANDOM_PROBLEM_HPP
#define BATCHWORK_PERF_RANDOM_PROBLEM_HPP

#include <cmath>
#include <string>

#include "../common/Data.hpp"
#include "../common/Report.hpp"

namespace BatchworkPerf {

/// 1 GB on a device, 128 MB on a host.
template <class T>
std::int64_t numbers_filled() {
  return (on_device ? 1073741824 : 134217728) / std::int64_t(sizeof(T));
}

template <class T>
struct StoreConstants {
  static constexpr int per = 16 / int(sizeof(T));
  struct alignas(16) Several {
    T x[per];
  };
  T* to;
  T value;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    Several s;
    for (int n = 0; n < per; ++n) s.x[n] = value;
    reinterpret_cast<Several*>(to)[k] = s;
  }
};

/// The sum of numbers and of their squares.
template <class T>
struct Sums {
  T const* x;
  KOKKOS_FUNCTION void operator()(std::int64_t k, double& sum, double& squares) const {
    sum += double(x[k]);
    squares += double(x[k]) * double(x[k]);
  }
};

/// Fills by `launch`, which writes `numbers`, and reports its time beside that of constants.
template <class T, class Launch>
void measure_filling(benchmark::State& state, Kokkos::View<T*, Memory> const& numbers, bool normal,
                     Launch const& launch) {
  std::int64_t const n = std::int64_t(numbers.size());
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> const blocks(
      0, n / StoreConstants<T>::per);
  Kokkos::deep_copy(numbers, T(-1000));
  launch();
  double sum = 0, squares = 0;
  Kokkos::parallel_reduce("check", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, n),
                          Sums<T>{numbers.data()}, sum, squares);
  double const mean = sum / double(n), variance = squares / double(n) - mean * mean,
               error = std::abs(mean - (normal ? 0 : 0.5)) +
                       std::abs(variance - (normal ? 1 : 1.0 / 12));
  for (auto _ : state) {
    if (!(error < 0.01)) {
      state.SkipWithError(
          ("wrong result: mean " + std::to_string(mean) + ", variance " + std::to_string(variance))
              .c_str());
      return;
    }
    Sample const constants = measure(
        [&] { Kokkos::parallel_for("constants", blocks, StoreConstants<T>{numbers.data(), T(3)}); },
        1e-3);
    Sample const time = measure(launch, 1e-3);
    Work work;
    work.items = n;
    work.bytes = double(n) * sizeof(T);
    report<T>(state, work, time, error);
    // Random numbers are stored, not copied: their floor is a store of constants.
    state.counters["floor_ns_per_item"] = constants.median * 1e9 / double(n);
    state.counters["fraction_of_floor"] = constants.median / time.median;
  }
}

/// random/<who>/<uniform or normal>/<type>/<form>/numbers:<n>
template <class T, class F>
void register_filling(std::string const& who, bool normal, std::string const& form, F const& fill) {
  std::string const name = "random/" + who + "/" + (normal ? "normal" : "uniform") + "/" +
                           type_name<T>() + "/" + form +
                           "/numbers:" + std::to_string(numbers_filled<T>());
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 Kokkos::View<T*, Memory> const x(
                                     Kokkos::view_alloc("x", Kokkos::WithoutInitializing),
                                     static_cast<std::size_t>(numbers_filled<T>()));
                                 fill(state, x);
                               })
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace BatchworkPerf

#endif
