// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SolveLog: what solve says of every item.
#ifndef BATCHWORK_SOLVELOG_HPP
#define BATCHWORK_SOLVELOG_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "krylov/Batchwork_Stopping.hpp"

namespace Batchwork {

/// Views over the items; those that are not allocated are not written. T is the type of the
/// numbers.
template <class T, class Memory = typename Kokkos::DefaultExecutionSpace::memory_space>
struct SolveLog {
  using value_type = T;
  using memory_space = Memory;
  Kokkos::View<int*, Memory> iterations;
  Kokkos::View<T*, Memory> recurrence;  ///< norm of the residual that the iteration computed
  /// Norm of b - A x, in the units of A and b whatever the solver scales. Of a converged item a
  /// bound of it that meets the tolerance: the norm as computed, where that decided in twice the
  /// precision, and a bound of its rounding. Of other items, with matrix_free, and of scaled(...)
  /// and weighted(...), where it is always in twice the precision, the norm as computed; with an
  /// invalid pattern |b|.
  Kokkos::View<T*, Memory> residual;
  Kokkos::View<int*, Memory> reason;  ///< a Status code: 0 where the residual meets the tolerance
  /// (item, iteration): norms by the recurrence from iteration 1 on, as many as there is room for;
  /// the rest is left.
  Kokkos::View<T**, Memory> history;
  /// Of scaled(...) and weighted(...): norm of the scaled or weighted residual. Others do not write
  /// it.
  Kokkos::View<T*, Memory> scaled_residual;
  /// Of direct_lu: the largest number of the equilibrated matrix over that of U (rpvgrw of LAPACK's
  /// gesvx), which is small where an elimination lost digits. Others do not write it.
  Kokkos::View<T*, Memory> reciprocal_growth;
  /// Of direct_lu: an estimate of the reciprocal condition of the equilibrated matrix in the
  /// infinity norm (LAPACK's gecon). Others do not write it.
  Kokkos::View<T*, Memory> reciprocal_condition;
  /// Of direct_lu with a SymbolicLu: 1 where pivots on the diagonal were too small or the solution
  /// was not accurate, so that the item was eliminated in its dense form, with rows exchanged; else
  /// 0. Others do not write it. See dense_share.
  Kokkos::View<int*, Memory> dense_form;

  /// With all Views but the last five.
  static SolveLog allocated(std::int64_t items) {
    auto const n = std::size_t(items);
    return {Kokkos::View<int*, Memory>("iterations", n),
            Kokkos::View<T*, Memory>("recurrence", n),
            Kokkos::View<T*, Memory>("residual", n),
            Kokkos::View<int*, Memory>("reason", n),
            {},
            {},
            {},
            {},
            {}};
  }
};

/// What became of one item, on the host.
template <class T>
struct SolveOutcome {
  int code = 0;        ///< as SolveLog::reason has it
  int iterations = 0;  ///< this and the norms are zero where the log has no View for them
  T recurrence = T(0), residual = T(0);
  bool dense_form = false;  ///< as SolveLog::dense_form has it

  bool converged() const { return code == 0; }
  Reason reason() const { return Status::reason(code); }
  int info() const { return Status::info(code); }  ///< of a breakdown, see Breakdown
  /// In words: "stagnated after 31 iterations, |b - A x| = 2.1e-07", and ", in dense form" behind
  /// it where that is so.
  std::string text() const {
    char tail[80];
    std::snprintf(tail, sizeof(tail), " after %d iterations, |b - A x| = %.3g", iterations,
                  double(residual));
    return explain_solve(code) + tail + (dense_form ? ", in dense form" : "");
  }
};

/// The outcome of every item, copied from the log, which must have its reasons. Waits for the
/// kernels before it.
///
/// Throws std::invalid_argument where the log has no reasons.
template <class T, class Memory>
std::vector<SolveOutcome<T>> outcomes(SolveLog<T, Memory> const& log) {
  auto const on_host = [](auto const& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  };
  if (log.reason.data() == nullptr &&
      log.iterations.size() + log.recurrence.size() + log.residual.size() > 0)
    throw std::invalid_argument(
        "Batchwork::outcomes: the log has no View for the reasons; allocate log.reason");
  Kokkos::fence("Batchwork::outcomes");
  auto const reason = on_host(log.reason);
  auto const iterations = on_host(log.iterations);
  auto const recurrence = on_host(log.recurrence), residual = on_host(log.residual);
  auto const dense_form = on_host(log.dense_form);
  std::vector<SolveOutcome<T>> all(reason.extent(0));
  for (std::size_t n = 0; n < all.size(); ++n) {
    all[n].code = reason(n);
    if (n < iterations.extent(0)) all[n].iterations = iterations(n);
    if (n < recurrence.extent(0)) all[n].recurrence = recurrence(n);
    if (n < residual.extent(0)) all[n].residual = residual(n);
    if (n < dense_form.extent(0)) all[n].dense_form = dense_form(n) != 0;
  }
  return all;
}
/// The share of items, from 0 to 1, that direct_lu(symbolic) has eliminated in their dense form:
/// where it is most of them, direct_lu without a pattern does the same in less time.
template <class T>
double dense_share(std::vector<SolveOutcome<T>> const& all) {
  std::size_t dense = 0;
  for (SolveOutcome<T> const& item : all) dense += item.dense_form ? 1 : 0;
  return all.empty() ? 0.0 : double(dense) / double(all.size());
}

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
  T* scaled_residual = nullptr;

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
        history_length(int(log.history.extent(1))),
        scaled_residual(log.scaled_residual.data()) {}

  BATCHWORK_INLINE void write(std::int64_t item, SolveResult<T> const& result) const {
    if (iterations != nullptr) iterations[item] = result.iterations;
    if (recurrence != nullptr) recurrence[item] = result.recurrence;
    if (residual != nullptr) residual[item] = result.residual;
    if (reason != nullptr) reason[item] = result.code;
  }
  BATCHWORK_INLINE void write_scaled(std::int64_t item, T norm) const {
    if (scaled_residual != nullptr) scaled_residual[item] = norm;
  }
  BATCHWORK_INLINE void record(std::int64_t item, int iteration, T norm) const {
    if (unsigned(iteration - 1) < unsigned(history_length))
      history[item * history_item + (iteration - 1) * history_iteration] = norm;
  }
};

}  // namespace Impl
}  // namespace Batchwork

#endif
