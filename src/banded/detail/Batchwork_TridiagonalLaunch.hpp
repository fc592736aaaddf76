// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// TridiagonalLaunch: launches the kernels of solve_tridiagonal.
#ifndef BATCHWORK_TRIDIAGONALLAUNCH_HPP
#define BATCHWORK_TRIDIAGONALLAUNCH_HPP

#include "banded/detail/Batchwork_TridiagonalProblem.hpp"
#include "core/detail/Batchwork_KernelSets.hpp"
#include "launch/detail/Batchwork_Call.hpp"

namespace Batchwork::Impl {

/// Rows are eliminated as they stand, or exchanged for the largest pivot.
enum class TridiagonalPivots { as_they_stand, largest };

template <class T, TridiagonalPivots Pivots, class Exec>
struct TridiagonalLaunch {
  /// Launches the kernel for the systems of a checked call.
  static void run(Exec const& exec, Call const& call, TridiagonalProblem<T> const& p);
};

}  // namespace Batchwork::Impl

#if defined(BATCHWORK_KERNELS_IN_HEADERS)
#include "banded/detail/Batchwork_TridiagonalKernels.hpp"
#endif

#endif
