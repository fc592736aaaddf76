// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What solves log of systems without rows, or without right-hand sides: nothing is left to solve,
/// so they have converged.
#ifndef BATCHWORK_EMPTYSYSTEMS_HPP
#define BATCHWORK_EMPTYSYSTEMS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "krylov/base/Batchwork_SolveLog.hpp"
#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_RangeLaunch.hpp"

namespace Batchwork::Impl {

template <class T>
struct EmptySystems {
  LogPointers<T> log;
  T *growth = nullptr, *condition = nullptr;
  int* dense_form = nullptr;
  T of_matrix = T(1);  ///< growth and condition

  bool writes_something() const {
    return log.iterations != nullptr || log.recurrence != nullptr || log.residual != nullptr ||
           log.reason != nullptr || log.scaled_residual != nullptr || growth != nullptr ||
           condition != nullptr || dense_form != nullptr;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    log.write(item, SolveResult<T>());
    log.write_scaled(item, T(0));
    if (growth != nullptr) growth[item] = of_matrix;
    if (condition != nullptr) condition[item] = of_matrix;
    if (dense_form != nullptr) dense_form[item] = 0;
  }
};

/// One kernel, if there is anything to write.
template <class T, class Exec>
void launch_empty_systems(Exec const& exec, SystemCall const& call, std::int64_t items,
                          EmptySystems<T> const& kernel) {
  if (items == 0 || !kernel.writes_something()) return;
  launch_range(exec, kernel_label(call.verb, call.label), items, kernel);
}

}  // namespace Batchwork::Impl

#endif
