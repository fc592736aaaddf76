// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// TridiagonalCommonLaunch: launches the kernels of solve_tridiagonal with one matrix for all
/// items.
#ifndef BATCHWORK_TRIDIAGONALCOMMONLAUNCH_HPP
#define BATCHWORK_TRIDIAGONALCOMMONLAUNCH_HPP

#include "banded/detail/Batchwork_TridiagonalCommonProblem.hpp"
#include "core/detail/Batchwork_KernelSets.hpp"
#include "launch/detail/Batchwork_Call.hpp"

namespace Batchwork::Impl {

template <class T, class Exec>
struct TridiagonalCommonLaunch {
  /// Launches the kernel for a checked call.
  static void run(Exec const& exec, Call const& call, TridiagonalCommonProblem<T> const& p);
};

}  // namespace Batchwork::Impl

#if defined(BATCHWORK_KERNELS_IN_HEADERS)
#include "banded/detail/Batchwork_TridiagonalCommonKernels.hpp"
#endif

#endif
