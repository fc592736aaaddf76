// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elimination, beside the iteration that the tables have, to the tolerance of the family and to 1e-10.

#include <krylov/Batchwork_DirectLu.hpp>

#include "Solve.hpp"

namespace BatchworkPerf {
namespace {

constexpr double strict = 1e-10;

template <class Factor>
void solve_direct(benchmark::State& state, Family const& family, std::int64_t items,
                  bool is_strict) {
  using namespace Batchwork;
  SolveProblem p(family, items);
  if (is_strict) p.distinct.tolerance = strict;
  auto const a = csr(p.row_offsets, p.columns, p.values);
  auto const solver = direct_lu<Factor>(relative(p.distinct.tolerance, most_iterations));
  auto const n = static_cast<std::size_t>(p.items);
  SolveLog<double, Memory> log;
  log.residual = Kokkos::View<double*, Memory>("residual", n);
  log.reason = Kokkos::View<int*, Memory>("reason", n);
  // Not success, if it is not written.
  Kokkos::deep_copy(log.reason, -1);
  Exec const exec;
  p.run(
      state, [&](SolveProblem::Vectors const& x) { solve(exec, solver, a, p.b, x, log); },
      [&] { return what_is_said(log, true); });
}
template <class Factor>
void register_direct(Family const& family, std::int64_t items) {
  for (bool is_strict : {false, true})
    register_solve("solve", "batchwork", family, "csr",
                   std::string(std::is_void_v<Factor> ? "direct_lu" : "direct_lu_float") +
                       (is_strict ? "-1e-10" : ""),
                   items, [=](benchmark::State& state, Family const& f, std::int64_t count) {
                     solve_direct<Factor>(state, f, count, is_strict);
                   });
}
void solve_strictly(benchmark::State& state, Family const& family, std::int64_t items) {
  SolveProblem p(family, items);
  p.distinct.tolerance = strict;
  solve_and_report<Solver::bicgstab, Preconditioner::jacobi>(
      state, p, Batchwork::csr(p.row_offsets, p.columns, p.values));
}

}  // namespace

void register_batchwork_direct() {
  for (auto const& families : {chemistry(), mechanisms()})
    for (Family const& f : families) {
      register_direct<void>(f, batch_items);
      register_direct<float>(f, batch_items);
      register_solve("solve", "batchwork", f, "csr", "bicgstab-jacobi-1e-10", batch_items,
                     solve_strictly);
    }
}

}  // namespace BatchworkPerf
