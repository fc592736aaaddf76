// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// FillLaunch: launches the kernels of fill_random, which are in libbatchwork.
#ifndef BATCHWORK_FILLLAUNCH_HPP
#define BATCHWORK_FILLLAUNCH_HPP

#include <string>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "dense/random/detail/Batchwork_FillProblem.hpp"

namespace Batchwork::Impl {

template <class T, class Exec>
struct FillLaunch {
  /// Launches the kernel for one number or more.
  static void run(Exec const& exec, std::string const& label, FillProblem<T> const& p);
};

}  // namespace Batchwork::Impl

#if defined(BATCHWORK_KERNELS_IN_HEADERS)
#include "dense/random/detail/Batchwork_FillKernels.hpp"
#endif

#endif
