// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// TriangleLaunch: launches the kernels of cholesky, solve_cholesky, solve_lower and solve_upper.
#ifndef BATCHWORK_TRIANGLELAUNCH_HPP
#define BATCHWORK_TRIANGLELAUNCH_HPP

#include <cstdint>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleProblem.hpp"
#include "launch/detail/Batchwork_Call.hpp"

namespace Batchwork::Impl {

template <class T, TriangleTask Task, class Exec>
struct TriangleLaunch {
  /// Launches the kernel for n rows and so many right-hand sides, or throws where an item is too
  /// large.
  static void run(Exec const& exec, Call const& call, std::int64_t n, std::int64_t columns,
                  TriangleProblem<T> p);
};

}  // namespace Batchwork::Impl

#if defined(BATCHWORK_KERNELS_IN_HEADERS)
#include "dense/cholesky/detail/Batchwork_TriangleKernels.hpp"
#endif

#endif
