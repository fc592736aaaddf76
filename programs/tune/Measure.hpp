// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What the program measures. Each verb has a file of its own, so that they compile side by side.
#ifndef BATCHWORK_TUNE_MEASURE_HPP
#define BATCHWORK_TUNE_MEASURE_HPP

#include <tune/Batchwork_Tune.hpp>
#include <vector>

namespace BatchworkTune {

using namespace Batchwork;

struct Measured {
  std::vector<TunedSize> sizes;
  std::vector<TuningLine> lines;
};
template <TunableVerb V>
Measured measure(bool in_float, TuneSizes const& sizes);
template <>
Measured measure<TunableVerb::lu>(bool, TuneSizes const&);
template <>
Measured measure<TunableVerb::solve_lu>(bool, TuneSizes const&);
template <>
Measured measure<TunableVerb::inverse>(bool, TuneSizes const&);
template <>
Measured measure<TunableVerb::cholesky>(bool, TuneSizes const&);
template <>
Measured measure<TunableVerb::solve_cholesky>(bool, TuneSizes const&);
template <>
Measured measure<TunableVerb::qr>(bool, TuneSizes const&);
template <>
Measured measure<TunableVerb::eigh>(bool, TuneSizes const&);
template <>
Measured measure<TunableVerb::svd>(bool, TuneSizes const&);

template <TunableVerb V, class T>
Measured measure_numbers(TuneSizes const& sizes) {
  Measured m;
  m.sizes = tune<V, T>(sizes);
  m.lines = tuned_lines<V, T>(sizes, m.sizes);
  return m;
}
/// For the files of verbs.
template <TunableVerb V>
Measured measure_here(bool in_float, TuneSizes const& sizes) {
  return in_float ? measure_numbers<V, float>(sizes) : measure_numbers<V, double>(sizes);
}

}  // namespace BatchworkTune

#endif
