// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What solve decides before the launch: how a kernel holds the systems, the parameters of the
/// solver that are left open, and the workspace.
#ifndef BATCHWORK_SOLVEPLAN_HPP
#define BATCHWORK_SOLVEPLAN_HPP

#include <cstdint>
#include <string>

#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "krylov/Batchwork_WorkDivision.hpp"
#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "krylov/detail/backend/Batchwork_SolveBudget.hpp"
#include "krylov/detail/backend/Batchwork_SolveStorage.hpp"
#include "krylov/formats/detail/Batchwork_AnySystems.hpp"
#include "krylov/preconditioners/Batchwork_Preconditioner.hpp"
#include "krylov/solvers/Batchwork_Gmres.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

/// Chooses how a kernel holds the systems `a`.
template <class T, class Solver, class M, class Exec, class Systems>
SolveChoice choose_variant(SystemCall const& call, [[maybe_unused]] Exec const& exec,
                           M const& in_kernel, Systems const& a, std::int64_t rows,
                           std::int64_t nonzeros, WorkDivision const& how) {
  if (rows == 0) return {};
  std::int64_t const width = (nonzeros + rows - 1) / rows;
  constexpr bool shuffles = Vendor::has_shuffles;
  constexpr bool functor = requires { a.functor; };
  LanesWanted const wanted = lanes_wanted_by(in_kernel);
  SolveChoice choice;
  if constexpr (functor) choice = choose_functor_solve(rows);
  else if constexpr (takes_item<M>)
    choice = choose_preconditioned_solve(rows, width, shuffles, wanted);
  else choice = choose_solve(rows, width, knows_widest_row(a), Solver::short_rows, shuffles);
  constexpr bool in_place_only = functor || takes_item<M>;
  auto const as_divided = [&] {
    return divided(call, choice, how, rows, width, Solver::short_rows, shuffles, in_place_only,
                   wanted.least);
  };
  if constexpr (runs_on_device<Exec> && !in_place_only) {
    DeviceLimits const limits = Vendor::device_limits(exec);
    SystemSizes const of{rows, nonzeros, knows_widest_row(a) ? width : rows, int(sizeof(T)),
                         NeedsStorage<Solver>};
    if (how.matrix == Placement::automatic && how.lanes == 0)
      choice = on_chip_if_it_fits(choice, of, limits, shuffles);
    return with_rest(as_divided(), of, limits, shuffles);
  } else {
    return as_divided();
  }
}

/// Bytes of scratch of a team beside storage and factors, as SolveTeams counts them.
inline std::int64_t bytes_beside_storage(SolveChoice const& how, std::int64_t rows,
                                         std::int64_t size, bool is_scaled) {
  return 16 + how.bytes_of_matrices(rows, int(size)) +
         size * std::int64_t(how.scratch(rows, int(size), is_scaled).numbers(Vendor::has_shuffles));
}

/// Bytes of scratch of a team for the factors of a preconditioner.
template <class T, class M>
std::int64_t bytes_of_factors(M const& in_kernel, std::int64_t rows, SolveChoice const& how) {
  return std::int64_t(sizeof(T)) * how.systems() *
         std::int64_t(numbers_apart_of_preconditioner<T>(in_kernel, int(rows), how.lanes));
}

/// The workspace for these systems, held by the kernel as `how` says.
template <class T, class Exec, class Solver, class M>
WorkspacePlan plan_workspace(Exec const& exec, Solver const& solver,
                             [[maybe_unused]] M const& in_kernel, std::int64_t rows,
                             std::int64_t items, [[maybe_unused]] SolveChoice const& how,
                             [[maybe_unused]] bool is_scaled) {
  WorkspacePlan plan;
  [[maybe_unused]] constexpr std::int64_t size = sizeof(T);
  if (items <= 0 || rows <= 0) return plan;
  if constexpr (runs_on_device<Exec> && (NeedsStorage<Solver> || has_bytes<T, M>)) {
    // A quarter of the lanes that the device can hold, which is what the registers of a lane leave;
    // at least. Kernels with factors and more than 2 rows a lane have twice as many registers.
    int const part = has_bytes<T, M> && how.rows > 2 ? 8 : 4;
    std::int64_t const at_once = exec.concurrency() / part / how.team();
    DeviceLimits const limits = Vendor::device_limits(exec);
    std::int64_t const most = scratch_of_a_solve(limits);
    std::int64_t beside = bytes_beside_storage(how, rows, size, is_scaled);
    std::int64_t const factors = std::int64_t(bytes_of_preconditioner<T>(in_kernel, int(rows))),
                       of_team = bytes_of_factors<T>(in_kernel, rows, how);
    if (beside + of_team <= most) {
      beside += of_team;
    } else if (factors > 0) {
      // Rounded up, so that all begin alike.
      plan.preconditioner = {(factors / size + 15) / 16 * 16, how.systems(),
                             teams_at_once(items, how.systems(), at_once)};
    }
    if constexpr (NeedsStorage<Solver>)
      plan.solver = plan_storage(
          StorageOf<Solver>::numbers(solver, storage_shape(how, rows, int(size))), how.systems(),
          size, beside, scratch_of_storage(limits, how.team()), items, at_once);
  } else if constexpr (NeedsStorage<Solver>) {
    constexpr int W = native_width<T>;
    plan.solver = plan_storage(
        StorageOf<Solver>::numbers(solver, StorageShape{(rows + W - 1) / W * W, 0, 0, 0}), 1, size,
        0, storage_on_stack, items, exec.concurrency());
  }
  return plan;
}

inline void check_storage(SystemCall const& call, Gmres const& solver) {
  if (solver.basis < 0)
    call.fail("gmres with a basis of " + std::to_string(solver.basis) +
              " vectors; give from 1 to the number of rows, to which larger ones are reduced, or "
              "0 to have it chosen");
}
/// The solver with the default limits of its method. Parameters are checked and clamped to the size
/// of the systems.
template <class Solver>
Solver fitted_solver(SystemCall const& call, Solver solver, std::int64_t rows) {
  solver.stop = with_usual_limits<Solver>(solver.stop);
  if constexpr (NeedsStorage<Solver>) {
    check_storage(call, solver);
    return StorageOf<Solver>::fitted(solver, rows);
  } else {
    return solver;
  }
}
/// The same; parameters that are left open are chosen such that a device's team has the storage of
/// its systems on the chip.
template <class T, class Exec, class Solver, class M>
Solver fitted_solver(SystemCall const& call, [[maybe_unused]] Exec const& exec, Solver solver,
                     [[maybe_unused]] M const& in_kernel, std::int64_t rows,
                     [[maybe_unused]] SolveChoice const& how, [[maybe_unused]] bool is_scaled) {
  if constexpr (NeedsStorage<Solver> && runs_on_device<Exec>) {
    solver.stop = with_usual_limits<Solver>(solver.stop);
    check_storage(call, solver);
    std::int64_t const bytes = scratch_of_basis(Vendor::device_limits(exec), how.team(),
                                                how.variant == SolveVariant::entries_3) -
                               bytes_beside_storage(how, rows, sizeof(T), is_scaled) -
                               bytes_of_factors<T>(in_kernel, rows, how);
    return StorageOf<Solver>::chosen(solver, rows, [&](Solver const& s) {
      return how.systems() * StorageOf<Solver>::numbers(s, storage_shape(how, rows, sizeof(T))) *
                 std::int64_t(sizeof(T)) <=
             bytes;
    });
  } else {
    return fitted_solver(call, solver, rows);
  }
}

/// Checks the given workspace, the last View of the call. Null where none is needed.
template <class T>
T* workspace_of(SystemCall const& call, WorkspacePlan const& plan, GivenWorkspace<T> const& given) {
  std::string what = "none is given";
  if (given.is_given) {
    auto const& v = call.parts.back();
    if (!v.d.contiguous) call.fail(v.name() + " has gaps; give a contiguous View");
    what = v.name() + " has " + std::to_string(given.count);
  }
  if (given.count < plan.numbers())
    call.fail(std::string(plan.solver.numbers() == 0           ? "the preconditioner needs"
                          : plan.preconditioner.numbers() == 0 ? "the solver needs"
                                                               : "solver and preconditioner need") +
              " a workspace of " + std::to_string(plan.numbers()) + " numbers, but " + what +
              "; give workspace(view) of workspace_numbers(...) numbers");
  return plan.numbers() > 0 ? given.numbers : nullptr;
}

/// The solver with its storage, if it needs one.
template <class T, class Solver>
auto solver_with_storage(Solver const& fitted, [[maybe_unused]] StoragePlan const& plan,
                         [[maybe_unused]] T* memory) {
  if constexpr (NeedsStorage<Solver>)
    return WithStorage<Solver, T>{fitted, fitted.stop, plan.numbers() > 0 ? memory : nullptr,
                                  plan.of_system, plan.at_once};
  else return fitted;
}

/// A solve as it is launched.
template <class Solver>
struct PlannedSolve {
  SolveChoice how;
  Solver solver;  ///< with all its parameters
  WorkspacePlan workspace;
};
/// \param in_kernel  the kernel's form of the preconditioner
template <class T, class Exec, class Solver, class M, class Systems>
PlannedSolve<Solver> plan_solve(Exec const& exec, SystemCall const& call, WorkDivision const& how,
                                Solver const& solver, M const& in_kernel, Systems const& a,
                                std::int64_t rows, std::int64_t nonzeros, std::int64_t items,
                                bool is_scaled) {
  auto const chosen = choose_variant<T, Solver>(call, exec, in_kernel, a, rows, nonzeros, how);
  auto const fitted = fitted_solver<T>(call, exec, solver, in_kernel, rows, chosen, is_scaled);
  return {chosen, fitted,
          plan_workspace<T>(exec, fitted, in_kernel, rows, items, chosen, is_scaled)};
}

}  // namespace Batchwork::Impl

#endif
