// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// GemmLaunch: launches the kernels of gemm.
#ifndef BATCHWORK_GEMMLAUNCH_HPP
#define BATCHWORK_GEMMLAUNCH_HPP

#include <cstddef>
#include <string>
#include <type_traits>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "dense/gemm/detail/Batchwork_GemmProblem.hpp"

namespace Batchwork::Impl {

/// The shared operand of a gemm: a View, or so many bytes that come with the launch.
template <class T, std::size_t FixedBytes>
using GemmLeft = std::conditional_t<FixedBytes == 0, GemmViewed, GemmFixed<T, FixedBytes>>;

template <class T, std::size_t FixedBytes, class Exec>
struct GemmLaunch {
  /// Launches the kernel, where there is something to write.
  static void run(Exec const& exec, std::string const& label, GemmProblem<T> const& p,
                  GemmLeft<T, FixedBytes> const& left);
};

}  // namespace Batchwork::Impl

#if defined(BATCHWORK_KERNELS_IN_HEADERS)
#include "dense/gemm/detail/Batchwork_GemmKernels.hpp"
#endif

#endif
