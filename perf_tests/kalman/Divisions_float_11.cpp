// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Divisions.hpp"

namespace BatchworkPerf {
namespace {

template <int... D>
void register_extents() {
  (register_division<float, D, 0, 0, Division<>, Source::view>(), ...);
  (register_sources<float, D, 2, 0, Division<true>>(), ...);
  (register_division<float, D, 2, 3, Division<true>, Source::factors>(), ...);
  (register_division<float, D, 4, 0, Division<true>, Source::factors>(), ...);
}

}  // namespace

void register_divisions_float_11() { register_extents<8, 11, 12>(); }

}  // namespace BatchworkPerf
