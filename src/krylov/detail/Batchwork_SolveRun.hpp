// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The launch of a solve, and the choice among its kernels.
#ifndef BATCHWORK_SOLVERUN_HPP
#define BATCHWORK_SOLVERUN_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "krylov/base/detail/Batchwork_EmptySystems.hpp"
#include "krylov/detail/Batchwork_SolveHost.hpp"
#include "krylov/detail/Batchwork_SolveInput.hpp"
#include "krylov/detail/Batchwork_SolvePlan.hpp"
#include "krylov/detail/Batchwork_SolveTeams.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_RangeLaunch.hpp"

namespace Batchwork::Impl {

template <class Exec, class Kernel>
void launch_solve_teams(Exec const& exec, SystemCall const& call, std::string const& label,
                        Kernel const& kernel, int team) {
  launch_teams<Kernel::largest_team, Kernel::wanted_teams>(
      exec, label, kernel, {kernel.teams(), team, kernel.bytes()},
      [&] { return call.launch_words(kernel.p.a.rows); });
}

template <class Exec, class T, class Solver, class M, class Systems, class Scale>
void launch_solve_on_device(Exec const& exec, SystemCall const& call, std::string const& label,
                            SolveProblem<T, Solver, M, Systems, Scale> const& p,
                            SolveChoice const& how) {
  auto const launch = [&]<class Matrix, int R, bool Large>(auto const& q) {
    using Problem = std::remove_cvref_t<decltype(q)>;
    using Kernel = SolveTeams<T, Problem, Matrix, R, Large>;
    Kernel kernel(q, how);
    if constexpr (Kernel::has_factors) kernel.least_teams = exec.concurrency() / 4 / how.team();
    launch_solve_teams(exec, call, label, kernel, how.team());
  };
  if constexpr (requires { p.a.functor; }) {
    using Matrix = AppliedByFunctor<T, 8, std::remove_cvref_t<decltype(p.a.functor)>>;
    if constexpr (requires { M::needs_entries; })
      call.fail("operand 2: matrix_free has no entries");  // which solve_batch has refused before
    else launch.template operator()<Matrix, 8, true>(p);
  } else {
    SolveProblem<T, Solver, M, AnySystems<T>, Scale> const q{
        p.solver, p.preconditioner, AnySystems<T>(p.a), p.b,    p.x,
        p.log,    p.items,          p.beside,           p.scale};
    if constexpr (takes_item<M>) {
      // Few registers, and so many systems at a time, unless scratch is short for them.
      constexpr bool any = has_bytes<T, M>;  // else functors, which are promised two warps
      if (how.rows <= 2) launch.template operator()<ReadInPlace<T, 2, any>, 2, true>(q);
      else launch.template operator()<ReadInPlace<T, 8, any>, 8, true>(q);
    } else {
      constexpr int short_rows = Solver::short_rows;
      auto const either = [&]<class Matrix, int R>() {
        if (how.lanes > lanes_of_warp) launch.template operator()<Matrix, R, true>(q);
        else launch.template operator()<Matrix, R, false>(q);
      };
      switch (how.variant) {
        case SolveVariant::entries_3:
          return either.template operator()<EntriesInRegisters<T, short_rows, 3>, short_rows>();
        case SolveVariant::entries_7:
          return either.template operator()<EntriesInRegisters<T, 4, 7>, 4>();
        case SolveVariant::entries_64:
          if (sizeof(T) == 8 && how.lanes <= RestOfRows::lanes_of_two)
            return launch
                .template operator()<LongRowsInRegisters<T, lanes_of_long_rows<T>>, 1, true>(q);
          return launch
              .template operator()<LongRowsInRegisters<T, largest_team_of_a_system>, 1, true>(q);
        case SolveVariant::columns_24:
          return launch.template operator()<ColumnsInRegisters<T, 3, 24>, 3, false>(q);
        case SolveVariant::columns_56:
          return launch.template operator()<ColumnsInRegisters<T, 1, 56>, 1, true>(q);
        case SolveVariant::columns_split:
          return launch
              .template operator()<ColumnsSplit<T, 2, SplitColumns::in_registers>, 2, false>(q);
        default: return launch.template operator()<ReadInPlace<T, 8>, 8, true>(q);
      }
    }
  }
}

template <class Exec, class Problem>
void launch_solve(Exec const& exec, SystemCall const& call, Problem const& p, std::int64_t nonzeros,
                  SolveChoice const& how) {
  std::string const label = kernel_label(call.verb, call.label);
  std::int64_t const rows = p.a.rows;
  if constexpr (runs_on_device<Exec>) {
    launch_solve_on_device(exec, call, label, p, how);
  } else {
    using T = typename Problem::value_type;
    using Host = SolveHost<T, Problem>;
    bool const by_packs = Host::takes_packs && solves_by_packs<T>(nonzeros);
    // Some items a chunk, since they take different numbers of iterations; some packs, which share
    // what is known of the pattern.
    std::int64_t const most = std::clamp<std::int64_t>(
        4096 / (rows + nonzeros), by_packs ? 4 * Host::systems_of_a_pack : 1, 64);
    std::int64_t const share = p.items / (16 * std::int64_t(exec.concurrency()));
    std::int64_t per_chunk = std::clamp<std::int64_t>(share, 1, most);
    if (by_packs) per_chunk = Host::whole_packs(per_chunk);
    // A chunk for each storage of a workspace.
    if constexpr (SolverWithStorage<decltype(p.solver)>)
      if (p.solver.workspace != nullptr)
        per_chunk = (p.items + p.solver.at_once - 1) / p.solver.at_once;
    launch_range(exec, label, (p.items + per_chunk - 1) / per_chunk,
                 Host{p, per_chunk, nonzeros, by_packs});
  }
}

/// Plans and launches the solve of a checked call.
template <class Exec, class T, class Solver, class M, class Scale, class Systems>
void run_solve(Exec const& exec, SystemCall const& call, WorkDivision const& division,
               Solver const& given_solver, M const& in_kernel, Scale const& scale,
               SolveInput<T, Systems> const& in, GivenWorkspace<T> const& given) {
  constexpr bool is_scaled = !std::is_same_v<Scale, NotScaled>;
  auto const planned = plan_solve<T>(exec, call, division, given_solver, in_kernel, in.a, in.rows,
                                     in.nonzeros, in.items, is_scaled);
  WorkspacePlan const& plan = planned.workspace;
  T* const memory = workspace_of(call, plan, given);
  if (in.rows == 0) {
    EmptySystems<T> empty{in.log};
    if (!is_scaled) empty.log.scaled_residual = nullptr;
    return launch_empty_systems(exec, call, in.items, empty);
  }
  if (in.items == 0) return;

  PreconditionerStorage<T> beside;
  if (plan.preconditioner.numbers() > 0)
    beside = {memory + plan.solver.numbers(), plan.preconditioner.of_system,
              plan.preconditioner.at_once};
  auto const with_storage = solver_with_storage(planned.solver, plan.solver, memory);
  using Placed = std::remove_const_t<decltype(with_storage)>;
  auto const launch = [&](auto const& a) {
    using Held = std::remove_cvref_t<decltype(a)>;
    launch_solve(exec, call,
                 SolveProblem<T, Placed, M, Held, Scale>{with_storage, in_kernel, a, in.b, in.x,
                                                         in.log, in.items, beside, scale},
                 in.nonzeros, planned.how);
  };
  if constexpr (!runs_on_device<Exec> && requires { in.a.own; }) {
    // Products with dense matrices are 5 to 10 % faster in a kernel of their own.
    if (in.a.template has_format<DenseLayout>())
      return launch(in.a.template in_format<DenseLayout>());
  }
  launch(in.a);
}

}  // namespace Batchwork::Impl

#endif
