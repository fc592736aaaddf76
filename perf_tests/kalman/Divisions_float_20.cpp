// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Divisions.hpp"

namespace BatchworkPerf {
namespace {

template <int... D>
void register_extents() {
  (register_division<float, D, 0, 0, Division<>, Source::view>(), ...);
  (register_division<float, D, 0, 0, Division<false, 57344>, Source::view>(), ...);
  (register_division<float, D, 0, 0, Division<true, 57344>, Source::view>(), ...);
  (register_division<float, D, 0, 0, Division<true>, Source::factors>(), ...);
}

}  // namespace

void register_divisions_float_20() { register_extents<20, 24, 32>(); }

}  // namespace BatchworkPerf
