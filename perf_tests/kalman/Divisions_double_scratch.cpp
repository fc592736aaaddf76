// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Divisions.hpp"

namespace BatchworkPerf {
namespace {

template <int... D>
void register_extents() {
  (register_division<double, D, 0, 0, Division<false, 57344>, Source::view>(), ...);
  (register_division<double, D, 0, 0, Division<false, 98304>, Source::view>(), ...);
}

}  // namespace

void register_divisions_double_scratch() { register_extents<17, 20, 24, 32>(); }

}  // namespace BatchworkPerf
