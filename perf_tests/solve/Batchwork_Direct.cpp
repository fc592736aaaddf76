// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elimination, beside the iteration that the tables have, to the tolerance of the family and to
// 1e-10.

#include <krylov/Batchwork_SymbolicLu.hpp>

#include "Solve.hpp"

namespace BatchworkPerf {
namespace {

constexpr double strict = 1e-10;

/// make(a, criteria) gives the solver.
template <class Make>
void solve_direct(benchmark::State& state, Family const& family, std::int64_t items, bool is_strict,
                  Make const& make) {
  using namespace Batchwork;
  SolveProblem p(family, items);
  if (is_strict) p.distinct.tolerance = strict;
  auto const a = csr(p.row_offsets, p.columns, p.values);
  auto const solver = make(a, relative(p.distinct.tolerance, most_iterations));
  auto const n = static_cast<std::size_t>(p.items);
  SolveLog<double, Memory> log;
  log.residual = Kokkos::View<double*, Memory>("residual", n);
  log.reason = Kokkos::View<int*, Memory>("reason", n);
  // Not success, if it is not written.
  Kokkos::deep_copy(log.reason, -1);
  Exec const exec;
  // At least one number, since a View of none is not allocated.
  Kokkos::View<double*, Memory> const memory(
      "workspace", static_cast<std::size_t>(workspace_numbers(exec, solver, a, p.items)) + 1);
  p.run(
      state,
      [&](SolveProblem::Vectors const& x) {
        solve(exec, solver, a, p.b, x, log, workspace(memory));
      },
      [&] { return what_is_said(log, true); });
}
template <class Make>
void register_direct(Family const& family, std::string const& method, Make const& make) {
  for (bool is_strict : {false, true})
    register_solve("solve", "batchwork", family, "csr", method + (is_strict ? "-1e-10" : ""),
                   batch_items, [=](benchmark::State& state, Family const& f, std::int64_t count) {
                     solve_direct(state, f, count, is_strict, make);
                   });
}
void register_full(Family const& family) {
  register_direct(family, "direct_lu",
                  [](auto const&, auto const& stop) { return Batchwork::direct_lu(stop); });
}
void register_by_pattern(Family const& family) {
  register_direct(family, "direct_lu_symbolic", [](auto const& a, auto const& stop) {
    return Batchwork::direct_lu(Batchwork::symbolic_lu(Exec(), a), stop);
  });
}
template <Solver S, Preconditioner P>
void register_strict(Family const& family) {
  register_solve("solve", "batchwork", family, "csr", method_name<S, P>() + "-1e-10", batch_items,
                 [](benchmark::State& state, Family const& f, std::int64_t items) {
                   SolveProblem p(f, items);
                   p.distinct.tolerance = strict;
                   solve_and_report<S, P>(state, p,
                                          Batchwork::csr(p.row_offsets, p.columns, p.values));
                 });
}

}  // namespace

void register_batchwork_direct() {
  for (auto const& families : {chemistry(), mechanisms()})
    for (Family const& f : families) {
      register_full(f);
      register_direct(f, "direct_lu_float", [](auto const&, auto const& stop) {
        return Batchwork::direct_lu<float>(stop);
      });
      register_strict<Solver::bicgstab, Preconditioner::jacobi>(f);
    }
  register_by_pattern(uneven_systems());
  for (Family const& f : sparse_systems()) {
    if (f.rows <= 144) register_full(f);
    register_by_pattern(f);
    register_strict<Solver::bicgstab, Preconditioner::jacobi>(f);
    if (f.name == "stencil") continue;
    register_csr<Solver::bicgstab, Preconditioner::jacobi>("solve", f, batch_items);
    if (f.name == "hubs") continue;
    register_csr<Solver::cg, Preconditioner::jacobi>("solve", f, batch_items);
    register_strict<Solver::cg, Preconditioner::jacobi>(f);
  }
}

}  // namespace BatchworkPerf
