// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Measure.hpp"

namespace BatchworkTune {

template <>
Measured measure<TunableVerb::cholesky>(bool in_float, TuneSizes const& sizes) {
  return measure_here<TunableVerb::cholesky>(in_float, sizes);
}
template <>
Measured measure<TunableVerb::solve_cholesky>(bool in_float, TuneSizes const& sizes) {
  return measure_here<TunableVerb::solve_cholesky>(in_float, sizes);
}

}  // namespace BatchworkTune
