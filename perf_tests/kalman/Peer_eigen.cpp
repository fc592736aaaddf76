// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_EIGEN)
#include "Peer_eigen.hpp"

namespace BatchworkPerf {

void register_eigen() {
  register_eigen_sizes<float, 2, 3, 4, 6, 8, 12>();
  register_eigen_sizes<double, 2, 3, 4, 6, 8, 12>();
}

}  // namespace BatchworkPerf
#endif
