// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// CommonLaunch: launches the kernels of solve_lu, solve_cholesky, solve_lower and solve_upper with
/// common(A).
#ifndef BATCHWORK_COMMONLAUNCH_HPP
#define BATCHWORK_COMMONLAUNCH_HPP

#include "core/detail/Batchwork_KernelSets.hpp"
#include "dense/common/detail/Batchwork_CommonProblem.hpp"
#include "launch/detail/Batchwork_Call.hpp"

namespace Batchwork::Impl {

template <class T, class Exec>
struct CommonLaunch {
  /// Launches the kernel for a checked call, or throws where the matrix is too large.
  static void run(Exec const& exec, Call const& call, CommonProblem<T> p);
};

}  // namespace Batchwork::Impl

#if defined(BATCHWORK_KERNELS_IN_HEADERS)
#include "dense/common/detail/Batchwork_CommonKernels.hpp"
#endif

#endif
