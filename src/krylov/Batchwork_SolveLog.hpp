// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SolveLog: what solve says of every item.
#ifndef BATCHWORK_SOLVELOG_HPP
#define BATCHWORK_SOLVELOG_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "krylov/Batchwork_Stopping.hpp"

namespace Batchwork {

/// Views over the items; those that are not allocated are not written. T is the type of the numbers.
template <class T, class Memory = typename Kokkos::DefaultExecutionSpace::memory_space>
struct SolveLog {
  using value_type = T;
  using memory_space = Memory;
  Kokkos::View<int*, Memory> iterations;
  Kokkos::View<T*, Memory> recurrence;  ///< norm of the residual that the iteration computed
  Kokkos::View<T*, Memory> residual;    ///< norm of b - A x
  Kokkos::View<int*, Memory> reason;    ///< a Status code: 0 where the residual meets the tolerance
  /// (item, iteration): norms by the recurrence from iteration 1 on, as many as there is room for; the rest is left.
  Kokkos::View<T**, Memory> history;

  /// With all Views but the history.
  static SolveLog allocated(std::int64_t items) {
    auto const n = std::size_t(items);
    return {Kokkos::View<int*, Memory>("iterations", n),
            Kokkos::View<T*, Memory>("recurrence", n),
            Kokkos::View<T*, Memory>("residual", n),
            Kokkos::View<int*, Memory>("reason", n),
            {}};
  }
};

namespace Impl {

/// The log as kernels see it.
template <class T>
struct LogPointers {
  int* iterations = nullptr;
  T* recurrence = nullptr;
  T* residual = nullptr;
  int* reason = nullptr;
  T* history = nullptr;
  std::int64_t history_item = 0, history_iteration = 0;
  int history_length = 0;

  LogPointers() = default;
  template <class Memory>
  explicit LogPointers(SolveLog<T, Memory> const& log)
      : iterations(log.iterations.data()),
        recurrence(log.recurrence.data()),
        residual(log.residual.data()),
        reason(log.reason.data()),
        history(log.history.data()),
        history_item(std::int64_t(log.history.stride(0))),
        history_iteration(std::int64_t(log.history.stride(1))),
        history_length(int(log.history.extent(1))) {}

  BATCHWORK_INLINE void write(std::int64_t item, SolveResult<T> const& result) const {
    if (iterations != nullptr) iterations[item] = result.iterations;
    if (recurrence != nullptr) recurrence[item] = result.recurrence;
    if (residual != nullptr) residual[item] = result.residual;
    if (reason != nullptr) reason[item] = result.code;
  }
  BATCHWORK_INLINE void record(std::int64_t item, int iteration, T norm_squared) const {
    if (unsigned(iteration - 1) < unsigned(history_length))
      history[item * history_item + (iteration - 1) * history_iteration] =
          Kokkos::sqrt(norm_squared);
  }
};

}  // namespace Impl
}  // namespace Batchwork

#endif
