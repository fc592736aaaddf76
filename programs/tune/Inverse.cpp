// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Measure.hpp"

namespace BatchworkTune {

template <>
Measured measure<TunableVerb::inverse>(bool in_float, TuneSizes const& sizes) {
  return measure_here<TunableVerb::inverse>(in_float, sizes);
}

}  // namespace BatchworkTune
