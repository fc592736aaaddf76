// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Divisions.hpp"

namespace BatchworkPerf {
namespace {

template <int... D>
void register_extents() {
  (register_division<double, D, 32, 0, Division<true>, Source::view>(), ...);
  (register_division<double, D, 32, 2, Division<true>, Source::view>(), ...);
  (register_division<double, D, 32, 2, Division<true, 98304>, Source::view>(), ...);
  (register_division<double, D, 32, 3, Division<true>, Source::view>(), ...);
}

}  // namespace

void register_divisions_double_warp_25() { register_extents<25, 28, 32>(); }

}  // namespace BatchworkPerf
