// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The verb solve with one solver, preconditioner and format, checked and timed.
#ifndef BATCHWORK_PERF_SOLVE_SOLVE_HPP
#define BATCHWORK_PERF_SOLVE_SOLVE_HPP

#include <functional>
#include <krylov/Batchwork_Solve.hpp>

#include "Problem.hpp"

namespace BatchworkPerf {

/// The longest basis that a GMRES gets which is told, Kokkos Kernels' one as well, which does not
/// restart: more than any of the stencils needs.
inline constexpr int gmres_basis = 40;

enum class Solver { cg, bicgstab, cgs, gmres, gmres_40 };
enum class Preconditioner { none, jacobi, block_jacobi, ilu, isai, spd_isai };

/// Rows of a block of block_jacobi, as a SolveConfiguration has them by default.
inline constexpr int rows_of_a_block = 4;

template <Solver S, Preconditioner P>
std::string method_name() {
  return std::string(S == Solver::cg         ? "cg"
                     : S == Solver::bicgstab ? "bicgstab"
                     : S == Solver::cgs      ? "cgs"
                     : S == Solver::gmres    ? "gmres"
                                             : "gmres_40") +
         (P == Preconditioner::none           ? ""
          : P == Preconditioner::jacobi       ? "-jacobi"
          : P == Preconditioner::block_jacobi ? "-block_jacobi"
          : P == Preconditioner::ilu          ? "-ilu"
          : P == Preconditioner::isai         ? "-isai"
                                              : "-spd_isai");
}

/// What a log says of every item.
inline Said what_is_said(Batchwork::SolveLog<double, Memory> const& log, bool of_true_residual) {
  Said said;
  auto const take = [](auto const& view, auto& to) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    to.assign(host.data(), host.data() + host.size());
  };
  take(log.iterations, said.iterations);
  take(log.residual, said.residual);
  std::vector<int> reasons;
  take(log.reason, reasons);
  for (int const code : reasons)
    said.met.push_back(Batchwork::Status::reason(code) == Batchwork::Reason::success);
  said.of_true_residual = of_true_residual;
  return said;
}

/// Where the solver stops in a norm that is not |b - A x|, its word is not compared with that.
template <Solver S, Preconditioner P, class A, class Around = std::identity>
void solve_and_report(benchmark::State& state, SolveProblem const& p, A const& a,
                      Around const& around = {}, bool in_plain_norm = true,
                      Batchwork::WorkDivision const& how = {}) {
  using namespace Batchwork;
  auto const solver = around([&] {
    auto const criteria = relative(p.distinct.tolerance, most_iterations);
    if constexpr (S == Solver::cg) return conjugate_gradients(criteria);
    else if constexpr (S == Solver::bicgstab) return bicgstab(criteria);
    else if constexpr (S == Solver::cgs) return Batchwork::cgs(criteria);
    else return gmres(S == Solver::gmres ? 0 : std::min(gmres_basis, p.rows), criteria);
  }());
  auto const preconditioner = [] {
    if constexpr (P == Preconditioner::jacobi) return jacobi();
    else if constexpr (P == Preconditioner::block_jacobi) return block_jacobi(rows_of_a_block);
    else if constexpr (P == Preconditioner::ilu) return ilu();
    else if constexpr (P == Preconditioner::isai) return isai();
    else if constexpr (P == Preconditioner::spd_isai) return spd_isai();
    else return no_preconditioner();
  }();
  auto const n = static_cast<std::size_t>(p.items);
  SolveLog<double, Memory> log;
  log.iterations = Kokkos::View<int*, Memory>("iterations", n);
  log.residual = Kokkos::View<double*, Memory>("residual", n);
  log.reason = Kokkos::View<int*, Memory>("reason", n);
  // Not success, if it is not written.
  Kokkos::deep_copy(log.reason, -1);
  Exec const exec;
  // At least one number, since a View of none is not allocated.
  Kokkos::View<double*, Memory> const memory(
      "workspace",
      static_cast<std::size_t>(workspace_numbers(exec, how, solver, preconditioner, a, p.items)) +
          1);
  auto const launch = [&](SolveProblem::Vectors const& x) {
    if constexpr (S == Solver::gmres || S == Solver::gmres_40 ||
                  (P != Preconditioner::none && P != Preconditioner::jacobi))
      solve(exec, how, solver, preconditioner, a, p.b, x, log, workspace(memory));
    else solve(exec, how, solver, preconditioner, a, p.b, x, log);
  };
  p.run(state, launch, [&] { return what_is_said(log, in_plain_norm); });
}

/// The numbers as they are.
template <Solver S, Preconditioner P>
void solve_csr(benchmark::State& state, Family const& family, std::int64_t items) {
  SolveProblem const p(family, items);
  solve_and_report<S, P>(state, p, Batchwork::csr(p.row_offsets, p.columns, p.values));
}

template <Solver S, Preconditioner P>
void register_csr(std::string const& verb, Family const& family, std::int64_t items) {
  register_solve(verb, "batchwork", family, "csr", method_name<S, P>(), items, solve_csr<S, P>);
}

}  // namespace BatchworkPerf

#endif
