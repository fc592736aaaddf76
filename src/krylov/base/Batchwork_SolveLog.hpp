// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SolveLog: what solve reports for every item; outcomes: the same on the host, in words.
#ifndef BATCHWORK_SOLVELOG_HPP
#define BATCHWORK_SOLVELOG_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "krylov/base/Batchwork_Stopping.hpp"

namespace Batchwork {

/// What solve reports for every item: Views over the items. A View that is not allocated is not
/// written.
///
/// ```cpp
/// auto log = SolveLog<double>::allocated(items);
/// log.history = Kokkos::View<double**>("history", items, 100);
/// solve(exec, bicgstab(relative(1e-8, 100)), jacobi(), A, b, x, log);
/// ```
///
/// \tparam T       type of the numbers of the systems
/// \tparam Memory  memory space, which the execution space of the solve must reach
template <class T, class Memory = typename Kokkos::DefaultExecutionSpace::memory_space>
struct SolveLog {
  using value_type = T;         ///< the type of the norms: float or double
  using memory_space = Memory;  ///< the memory space of the Views
  /// (item): the number of iterations; with direct_lu, of steps of refinement.
  Kokkos::View<int*, Memory> iterations;
  /// (item): norm of the residual that the iteration computed.
  Kokkos::View<T*, Memory> recurrence;
  /// (item): the norm of b - A x, unscaled. For a converged item of an iterative solver it is a
  /// bound that meets the tolerance: the norm as computed (in twice the precision where rounding
  /// decides) plus a bound of its rounding. Otherwise (no convergence, matrix_free, direct_lu,
  /// scaled(...), weighted(...)) it is the norm as computed; with scaled and weighted always in
  /// twice the precision. With an invalid pattern it is |b|.
  Kokkos::View<T*, Memory> residual;
  /// (item): a Status code, 0 where the residual meets the tolerance.
  Kokkos::View<int*, Memory> reason;
  /// (item, iteration): norms of the recurrence from iteration 1 on, as far as there is room. The
  /// rest is not written. direct_lu does not write it.
  Kokkos::View<T**, Memory> history;
  /// With scaled(...) and weighted(...): the norm of the scaled or weighted residual. Otherwise not
  /// written.
  Kokkos::View<T*, Memory> scaled_residual;
  /// With direct_lu: the largest number of the scaled matrix over the largest of U (rpvgrw of
  /// LAPACK's gesvx). Small where an elimination lost digits. Otherwise not written.
  Kokkos::View<T*, Memory> reciprocal_growth;
  /// With direct_lu: an estimate of the reciprocal condition of the scaled matrix in the infinity
  /// norm (LAPACK's gecon). Otherwise not written.
  Kokkos::View<T*, Memory> reciprocal_condition;
  /// With direct_lu(symbolic): 1 if pivots on the diagonal were too small or the solution was not
  /// accurate, so that the item was eliminated as a full matrix with row exchanges; else 0.
  /// Otherwise not written. See dense_share.
  Kokkos::View<int*, Memory> dense_form;

  /// A log with iterations, recurrence, residual and reason allocated.
  /// \param items  number of items
  static SolveLog allocated(std::int64_t items) {
    typename Memory::execution_space const exec{};
    auto log = allocated(exec, items);
    exec.fence("Batchwork::SolveLog::allocated");
    return log;
  }
  /// The same on the device of an instance, whose later kernels see zeros.
  /// \param exec   execution space instance
  /// \param items  number of items
  template <class Exec>
    requires Kokkos::is_execution_space_v<Exec>
  static SolveLog allocated(Exec const& exec, std::int64_t items) {
    auto const n = std::size_t(items);
    using Kokkos::view_alloc;
    return {Kokkos::View<int*, Memory>(view_alloc("iterations", exec), n),
            Kokkos::View<T*, Memory>(view_alloc("recurrence", exec), n),
            Kokkos::View<T*, Memory>(view_alloc("residual", exec), n),
            Kokkos::View<int*, Memory>(view_alloc("reason", exec), n),
            {},
            {},
            {},
            {},
            {}};
  }
};

/// The outcome of one item, on the host. See outcomes.
template <class T>
struct SolveOutcome {
  int code = 0;             ///< the Status code, from SolveLog::reason; 0 for success
  int iterations = 0;       ///< SolveLog::iterations; zero if the log has no View for it
  T recurrence = T(0),      ///< SolveLog::recurrence; zero if the log has no View for it
      residual = T(0);      ///< SolveLog::residual; zero if the log has no View for it
  bool dense_form = false;  ///< SolveLog::dense_form; false if the log has no View for it

  /// Whether the residual meets the tolerance.
  bool converged() const { return code == 0; }
  /// Why the item failed; Reason::success if it converged.
  Reason reason() const { return Status::reason(code); }
  /// The info of the code; with Reason::breakdown a value of Breakdown.
  int info() const { return Status::info(code); }
  /// In words: "stagnated after 31 iterations, |b - A x| = 2.1e-07"; with dense_form followed by
  /// ", in dense form". The residual is absolute. explain_solve(code) says what to try.
  std::string text() const {
    char tail[80];
    std::snprintf(tail, sizeof(tail), " after %d iterations, |b - A x| = %.3g", iterations,
                  double(residual));
    return Impl::reason_of_solve(code) + tail + (dense_form ? ", in dense form" : "");
  }
};

/// The outcome of every item, copied from the log to the host. Waits for the kernels before it.
/// \param log  a SolveLog with an allocated `reason`
/// \returns    one SolveOutcome for each item
/// \throws std::invalid_argument  if the log has no View for the reasons
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
/// The share of items, from 0 to 1, that direct_lu(symbolic) eliminated as full matrices. If most
/// items are, direct_lu without a pattern takes less time.
/// \param all  from outcomes(log) of a log with an allocated `dense_form`
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
