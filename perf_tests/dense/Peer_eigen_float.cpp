// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#if defined(BATCHWORK_HAVE_EIGEN)
#include "Peer_eigen.hpp"

namespace BatchworkPerf {

void register_eigen_float() { register_eigen_type<float>(); }

}  // namespace BatchworkPerf
#endif
