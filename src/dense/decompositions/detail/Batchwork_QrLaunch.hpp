// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// QrLaunch and LeastSquaresLaunch: launch the kernels of qr and least_squares.
#ifndef BATCHWORK_QRLAUNCH_HPP
#define BATCHWORK_QRLAUNCH_HPP

#include "core/detail/Batchwork_KernelSets.hpp"
#include "dense/decompositions/detail/Batchwork_QrProblem.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

template <class T, class Exec>
struct QrLaunch {
  /// Launches the kernel, or answers how large a workspace it needs, or throws where an item is too
  /// large.
  static void run(Exec const& exec, Call const& call, QrProblem<T> const& p,
                  GivenWorkspace<T> const& workspace);
};

template <class T, class Exec>
struct LeastSquaresLaunch {
  /// Launches the kernel, or answers how large a workspace it needs, or throws where an item is too
  /// large.
  static void run(Exec const& exec, Call const& call, LeastSquaresProblem<T> const& p,
                  GivenWorkspace<T> const& workspace);
};

}  // namespace Batchwork::Impl

#if defined(BATCHWORK_KERNELS_IN_HEADERS)
#include "dense/decompositions/detail/Batchwork_QrKernels.hpp"
#endif

#endif
