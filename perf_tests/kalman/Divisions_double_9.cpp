// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Divisions.hpp"

namespace BatchworkPerf {
namespace {

template <int... D>
void register_extents() {
  (register_division<double, D, 0, 0, Division<>, Source::view>(), ...);
  (register_sources<double, D, 4, 0, Division<true>>(), ...);
  (register_division<double, D, 4, 3, Division<true>, Source::factors>(), ...);
}

}  // namespace

void register_divisions_double_9() { register_extents<8, 9, 10, 11, 12>(); }

}  // namespace BatchworkPerf
