// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// tune: measures the kernels of a verb on this machine. Not included by Batchwork.hpp.
#ifndef BATCHWORK_TUNE_HPP
#define BATCHWORK_TUNE_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "launch/Batchwork_KernelKind.hpp"
#include "launch/Batchwork_Tuning.hpp"
#include "launch/detail/Batchwork_TunedKernels.hpp"
#include "tune/Batchwork_TunableVerb.hpp"
#include "tune/detail/Batchwork_KernelsOf.hpp"
#include "tune/detail/Batchwork_Timing.hpp"
#include "tune/detail/Batchwork_TuneProblem.hpp"

namespace Batchwork {

/// The sizes to measure.
struct TuneSizes {
  std::vector<int> rows;     ///< of square matrices
  bool interleaved = false;  ///< the item is the fastest index, as in LayoutLeft; else the slowest
  int sides = 1;             ///< right-hand sides of solves
  std::int64_t items = 0;    ///< 0: 256 MB of matrices on devices and 1 MB on hosts, at least 1024
                             ///< and 128 items
  double seconds = 2e-3;     ///< of a sample at least; the median of 15 counts
};

/// What was measured with a kernel.
struct TuneTime {
  KernelKind kernel = KernelKind::fastest;  ///< fastest: the only kernel, of hosts
  double nanoseconds = 0;                   ///< of an item
  double error = 0;                         ///< residual over its tolerance; wrong above 1
};

/// What was measured for a size.
struct TunedSize {
  int rows = 0;
  std::int64_t items = 0;
  std::vector<TuneTime> times;  ///< of the kernels that run this size, the built-in choice first

  /// The fastest kernel whose result is right. It is the built-in choice unless another one takes
  /// at most 0.98 of its time.
  TuneTime const& best() const {
    TuneTime const* best = &times[0];
    for (TuneTime const& t : times)
      if (t.error <= 1 && (!(best->error <= 1) || t.nanoseconds < best->nanoseconds)) best = &t;
    bool const keeps = times[0].error <= 1 && best->nanoseconds > 0.98 * times[0].nanoseconds;
    return keeps ? times[0] : *best;
  }
  /// The time of the built-in choice over that of the best kernel.
  double gain() const { return times[0].nanoseconds / best().nanoseconds; }
};

/// Measures the kernels of a verb that can run these sizes: random matrices, outputs that are NaN
/// before the call, a residual of some items compared with 10 N epsilon, a warm-up, and the median
/// of 15 samples. Kernels that need a workspace are left out. It waits for the device and allocates
/// memory: for a program that tunes, not for a simulation.
///
/// ```cpp
/// #include <tune/Batchwork_Tune.hpp>
///
/// TuneSizes sizes;
/// sizes.rows = {24, 32, 48};
/// auto const measured = tune<TunableVerb::eigh, double>(sizes);
/// save_tuning("my.tuning", tuned_lines<TunableVerb::eigh, double>(sizes, measured));
/// ```
///
/// \tparam V     the verb
/// \tparam T     float or double
/// \tparam Exec  the execution space
/// \param sizes  what to measure
/// \returns a result for each size that a kernel runs without a workspace
template <TunableVerb V, class T, class Exec = Kokkos::DefaultExecutionSpace>
std::vector<TunedSize> tune(TuneSizes const& sizes) {
  std::vector<TunedSize> results;
  for (int const n : sizes.rows) {
    Impl::TuneProblem<V, T, Exec> const problem(n, sizes.sides, sizes.interleaved, sizes.items);
    TunedSize result;
    result.rows = n;
    result.items = problem.items;
    for (KernelKind const kind :
         Impl::kernels_to_measure<T, Exec>(V, n, sizes.sides, sizes.interleaved)) {
      problem.poison();
      try {
        problem.call(kind);
      } catch (std::invalid_argument const&) {
        continue;  // it has no room on this device
      }
      TuneTime time{kind, 0, problem.error()};
      time.nanoseconds = 1e9 / double(problem.items) *
                         Impl::measure([&] { problem.call(kind); }, sizes.seconds).median;
      result.times.push_back(time);
    }
    if (!result.times.empty()) results.push_back(result);
  }
  return results;
}

/// The decisions that follow: for each size the fastest kernel. Between two measured sizes with the
/// same answer it holds for all sizes, if it is not the built-in choice.
/// \tparam V     the verb
/// \tparam T     float or double
/// \tparam Exec  the execution space
/// \param sizes    what was measured, in ascending order
/// \param results  of tune
/// \returns lines for a Tuning
template <TunableVerb V, class T, class Exec = Kokkos::DefaultExecutionSpace>
std::vector<TuningLine> tuned_lines(TuneSizes const& sizes, std::vector<TunedSize> const& results) {
  std::vector<TuningLine> lines;
  for (std::size_t k = 0; k < results.size(); ++k) {
    TuneTime const &best = results[k].best(), &built_in = results[k].times.front();
    if (!(best.error <= 1)) continue;  // none is right
    TuningLine line;
    line.operation = Impl::name_of(V);
    line.type = sizeof(T) == 4 ? "float" : "double";
    line.space = Exec::name();
    line.arrangement = sizes.interleaved ? "interleaved" : "item-contiguous";
    line.first_row = line.last_row = results[k].rows;
    if (k + 1 < results.size() && best.kernel != built_in.kernel &&
        results[k + 1].best().kernel == best.kernel &&
        results[k + 1].times.front().kernel == built_in.kernel)
      line.last_row = results[k + 1].rows - 1;
    // Of others the third extent says whether Q or vectors are wanted.
    line.first_side = Impl::has_sides(V) ? sizes.sides : 0;
    line.last_side = Impl::has_sides(V) ? sizes.sides : Impl::any_extent;
    line.kernel = best.kernel;
    line.nanoseconds = best.nanoseconds;
    line.built_in = built_in.kernel;
    line.built_in_nanoseconds = built_in.nanoseconds;
    lines.push_back(line);
  }
  return lines;
}

}  // namespace Batchwork

#endif
