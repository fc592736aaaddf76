// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Systems.hpp"

namespace TwoDevices {

Numbers direct(Place const& on) {
  Systems const of(on, items / 10, rows);
  auto const log = SolveLog<double>::allocated(on.exec, items / 10);
  solve(on.exec, direct_lu(relative(1e-12)), of.csr(), of.b, of.x, log);
  return solved(on, of, log);
}

}  // namespace TwoDevices
