// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// How a time is taken: launches between two fences, enough of them to outweigh the fences; the
/// median of several such samples after a warm-up.
#ifndef BATCHWORK_TIMING_HPP
#define BATCHWORK_TIMING_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace Batchwork::Impl {

/// Seconds per call. On a machine that others use as well, `best` is the one to compare.
struct Sample {
  double median = 0;
  double best = 0;
};

/// \param launch  runs the work once; it may be asynchronous on Kokkos' default instance
template <class Launch>
Sample measure(Launch const& launch, double seconds_per_sample = 2e-3) {
  auto const time = [&](int calls) {
    Kokkos::fence("Batchwork benchmark: before");
    Kokkos::Timer timer;
    for (int k = 0; k < calls; ++k) launch();
    Kokkos::fence("Batchwork benchmark: after");
    return timer.seconds() / calls;
  };
  time(1);
  double const once = std::min(time(1), time(2));
  int const calls = static_cast<int>(std::clamp(std::ceil(seconds_per_sample / once), 1.0, 1e6));
  std::array<double, 15> samples{};
  for (double& s : samples) s = time(calls);
  std::sort(samples.begin(), samples.end());
  return {samples[samples.size() / 2], samples.front()};
}

/// As above, for work that overwrites its operands: `most` sets of operands are prepared before the
/// clock of a sample starts. Work of more than 50 ms varies little and is sampled five times.
/// \param prepare  prepare(k) makes set k as it was
/// \param launch   launch(k) runs the work once, with set k
template <class Prepare, class Launch>
Sample measure_prepared(Prepare const& prepare, Launch const& launch, int most,
                        double seconds_per_sample = 2e-3) {
  auto const time = [&](int calls) {
    for (int k = 0; k < calls; ++k) prepare(k);
    Kokkos::fence("Batchwork benchmark: before");
    Kokkos::Timer timer;
    for (int k = 0; k < calls; ++k) launch(k);
    Kokkos::fence("Batchwork benchmark: after");
    return timer.seconds() / calls;
  };
  double const once = std::min(time(1), time(1));
  int const calls = static_cast<int>(
      std::clamp(std::ceil(seconds_per_sample / once), 1.0, static_cast<double>(most)));
  std::vector<double> samples(once > 0.05 ? 5 : 15);
  for (double& s : samples) s = time(calls);
  std::sort(samples.begin(), samples.end());
  return {samples[samples.size() / 2], samples.front()};
}

}  // namespace Batchwork::Impl

#endif
