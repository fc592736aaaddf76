// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Divisions.hpp"

namespace BatchworkPerf {
namespace {

template <int... D>
void register_extents() {
  (register_division<float, D, 0, 0, Division<>, Source::view>(), ...);
  (register_sources<float, D, 4, 0, Division<true>>(), ...);
  (register_division<float, D, 4, 3, Division<true>, Source::factors>(), ...);
  (register_division<float, D, 8, 0, Division<true>, Source::factors>(), ...);
}

}  // namespace

void register_divisions_float_13() { register_extents<13, 14, 16>(); }

}  // namespace BatchworkPerf
