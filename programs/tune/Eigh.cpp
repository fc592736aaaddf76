// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Measure.hpp"

namespace BatchworkTune {

template <>
Measured measure<TunableVerb::eigh>(bool in_float, TuneSizes const& sizes) {
  return measure_here<TunableVerb::eigh>(in_float, sizes);
}

}  // namespace BatchworkTune
