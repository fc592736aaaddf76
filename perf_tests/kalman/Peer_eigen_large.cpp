// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_EIGEN)
#include "Peer_eigen.hpp"

namespace BatchworkPerf {

void register_eigen_large() {
  register_eigen_sizes<float, 16, 24, 32>();
  register_eigen_sizes<double, 16, 24, 32>();
}

}  // namespace BatchworkPerf
#endif
