// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Divisions.hpp"

namespace BatchworkPerf {
namespace {

template <int... D>
void register_extents() {
  (register_division<double, D, 32, 4, Division<true>, Source::view>(), ...);
  (register_division<double, D, 32, 5, Division<true>, Source::view>(), ...);
  (register_division<double, D, 32, 6, Division<true>, Source::view>(), ...);
}

}  // namespace

void register_divisions_double_warp() { register_extents<12, 13, 14, 15, 16>(); }

}  // namespace BatchworkPerf
