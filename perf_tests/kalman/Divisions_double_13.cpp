// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Divisions.hpp"

namespace BatchworkPerf {
namespace {

template <int... D>
void register_extents() {
  (register_division<double, D, 0, 0, Division<>, Source::view>(), ...);
  (register_sources<double, D, 8, 0, Division<true>>(), ...);
  (register_division<double, D, 4, 0, Division<true>, Source::factors>(), ...);
}

}  // namespace

void register_divisions_double_13() { register_extents<13, 14, 16>(); }

}  // namespace BatchworkPerf
