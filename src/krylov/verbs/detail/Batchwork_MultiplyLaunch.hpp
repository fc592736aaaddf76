// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// MultiplyLaunch: launches the kernels of multiply.
#ifndef BATCHWORK_MULTIPLYLAUNCH_HPP
#define BATCHWORK_MULTIPLYLAUNCH_HPP

#include <cstdint>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "krylov/formats/detail/Batchwork_AnySystems.hpp"
#include "krylov/formats/detail/Batchwork_MultiplyTeams.hpp"

namespace Batchwork::Impl {

template <class T, class Exec>
struct MultiplyLaunch {
  /// Launches the kernel of the format.
  static void run(Exec const& exec, SystemCall const& call,
                  MultiplyProblem<T, AnySystems<T>> const& p, std::int64_t nonzeros);
};

}  // namespace Batchwork::Impl

#if defined(BATCHWORK_KERNELS_IN_HEADERS)
#include "krylov/verbs/detail/Batchwork_MultiplyKernels.hpp"
#endif

#endif
