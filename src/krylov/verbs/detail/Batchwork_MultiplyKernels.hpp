// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of multiply.
#ifndef BATCHWORK_MULTIPLYKERNELS_HPP
#define BATCHWORK_MULTIPLYKERNELS_HPP

#include <cstdint>

#include "krylov/formats/Batchwork_Dia.hpp"
#include "krylov/formats/detail/Batchwork_OwnFormat.hpp"
#include "krylov/verbs/detail/Batchwork_MultiplyLaunch.hpp"
#include "krylov/verbs/detail/Batchwork_MultiplyRun.hpp"

namespace Batchwork::Impl {

template <class T, class Exec>
void MultiplyLaunch<T, Exec>::run(Exec const& exec, SystemCall const& call,
                                  MultiplyProblem<T, AnySystems<T>> const& p,
                                  std::int64_t nonzeros) {
  with_own_format(p.a, [&]<class Systems>(Systems const& a) {
    launch_multiply(exec, call, MultiplyProblem<T, Systems>{a, p.x, p.y, p.alpha, p.beta, p.items},
                    nonzeros);
  });
}

}  // namespace Batchwork::Impl

#endif
