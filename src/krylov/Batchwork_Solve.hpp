// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// solve: solves a batch of systems by an iterative method, each to its own convergence, in one
/// kernel.
#ifndef BATCHWORK_SOLVE_HPP
#define BATCHWORK_SOLVE_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include "krylov/Batchwork_Concepts.hpp"
#include "krylov/Batchwork_WorkDivision.hpp"
#include "krylov/detail/Batchwork_EmptySystems.hpp"
#include "krylov/detail/Batchwork_SolveHost.hpp"
#include "krylov/detail/Batchwork_SolveStorage.hpp"
#include "krylov/detail/Batchwork_SolveTeams.hpp"
#include "krylov/detail/Batchwork_SystemCall.hpp"
#include "krylov/formats/Batchwork_Formats.hpp"
#include "krylov/preconditioners/Batchwork_BlockJacobi.hpp"
#include "krylov/preconditioners/Batchwork_Ilu.hpp"
#include "krylov/preconditioners/Batchwork_Isai.hpp"
#include "krylov/preconditioners/Batchwork_Preconditioner.hpp"
#include "krylov/solvers/Batchwork_Bicgstab.hpp"
#include "krylov/solvers/Batchwork_Cgs.hpp"
#include "krylov/solvers/Batchwork_ConjugateGradients.hpp"
#include "krylov/solvers/Batchwork_Gmres.hpp"
#include "krylov/solvers/Batchwork_Richardson.hpp"
#include "krylov/solvers/Batchwork_ScaledSolver.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Check.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"

namespace Batchwork {
namespace Impl {

/// The result of conjugate_gradients(...), bicgstab(...) and so on.
template <class S>
concept IterativeSolver = requires(S const& s) {
  { s.stop } -> std::convertible_to<StoppingCriteria>;
};

template <class Exec, class A, class B, class X>
constexpr void require_solve() {
  static_assert(B::tile_rank == 1 && X::tile_rank == 1,
                "Batchwork::solve: b and x hold vectors, (item, row)");
  using T = typename X::value_type;
  static_assert(!std::is_const_v<T>, "Batchwork: a const View cannot be written");
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "Batchwork::solve takes float or double");
  static_assert(
      std::is_same_v<T, std::remove_const_t<typename B::value_type>> &&
          (std::is_void_v<typename A::value_type> || std::is_same_v<T, typename A::value_type>),
      "Batchwork: the matrices and vectors of a call hold the same type of numbers");
  require_reachable<(reaches<Exec, typename B::memory_space> &&
                     reaches<Exec, typename X::memory_space> && A::template reachable<Exec>)>();
}

inline void check_criteria(SystemCall const& call, StoppingCriteria const& stop) {
  if (!(stop.tolerance >= 0))
    call.fail("a tolerance of " + std::to_string(stop.tolerance) + "; give zero or more");
  if (stop.most_iterations < 0)
    call.fail("at most " + std::to_string(stop.most_iterations) + " iterations; give zero or more");
  if (!(stop.divergence_limit >= 1 || stop.divergence_limit == 0))
    call.fail("a divergence limit of " + std::to_string(stop.divergence_limit) +
              " times the residual of the start; give one or more, or infinity, or zero for the "
              "method's default");
  if (stop.relative_to != RelativeTo::right_side && stop.relative_to != RelativeTo::start &&
      stop.relative_to != RelativeTo::nothing)
    call.fail("a tolerance relative to number " + std::to_string(int(stop.relative_to)) +
              " of RelativeTo, which does not exist; give right_side, start or nothing");
}
/// Checks the parameters of a solver.
template <class Solver>
void check_solver(SystemCall const& call, Solver const& solver) {
  check_criteria(call, solver.stop);
  if constexpr (requires { solver.omega; })
    if (!std::isfinite(solver.omega))
      call.fail("richardson with an omega of " + std::to_string(solver.omega) +
                "; give a finite number");
}

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
template <class Exec, class T, class Solver, class M, class A>
WorkspacePlan plan_workspace(Exec const& exec, Solver const& solver, M const& preconditioner,
                             A const& a, std::int64_t items,
                             [[maybe_unused]] SolveChoice const& how,
                             [[maybe_unused]] bool is_scaled) {
  using InKernel = decltype(preconditioner_in_kernel(preconditioner, a));
  WorkspacePlan plan;
  std::int64_t const rows = a.rows(), size = sizeof(T);
  if (items <= 0 || rows <= 0) return plan;
  if constexpr (runs_on_device<Exec> && (NeedsStorage<Solver> || has_bytes<T, InKernel>)) {
    auto const in_kernel = preconditioner_in_kernel(preconditioner, a);
    // A quarter of the lanes that the device can hold, which is what the registers of a lane leave;
    // at least. Kernels with factors and more than 2 rows a lane have twice as many registers.
    int const part = has_bytes<T, InKernel> && how.rows > 2 ? 8 : 4;
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

/// Checks the given workspace. Null where none is needed.
template <class T, class Exec, class Given>
T* workspace_of(SystemCall const& call, WorkspacePlan const& plan, Given const& given) {
  T* memory = nullptr;
  std::int64_t there = 0;
  std::string what = "none is given";
  if constexpr (!std::is_same_v<Given, NoWorkspace>) {
    using View = decltype(given.view);
    static_assert(std::is_same_v<T, typename View::value_type>,
                  "Batchwork::solve: the workspace holds the type of the numbers");
    static_assert(reaches<Exec, typename View::memory_space>,
                  "Batchwork::solve: the workspace's memory cannot be reached from the execution "
                  "space");
    SystemView const v{"workspace", describe_view(given.view)};
    if (!v.d.contiguous) call.fail("operand 7, " + v.name() + " has gaps; give a contiguous View");
    memory = given.view.data();
    there = std::int64_t(given.view.extent(0));
    what = "operand 7, " + v.name() + " has " + std::to_string(there);
  }
  if (there < plan.numbers())
    call.fail(std::string(plan.solver.numbers() == 0           ? "the preconditioner needs"
                          : plan.preconditioner.numbers() == 0 ? "the solver needs"
                                                               : "solver and preconditioner need") +
              " a workspace of " + std::to_string(plan.numbers()) + " numbers, but " + what +
              "; give workspace(view) of workspace_numbers(...) numbers");
  return plan.numbers() > 0 ? memory : nullptr;
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
    Kokkos::parallel_for(label,
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                             exec, 0, (p.items + per_chunk - 1) / per_chunk),
                         Host{p, per_chunk, nonzeros, by_packs});
  }
}

template <class Exec, class Solver, class M, class A, class B, class X, class Log, class Given>
void solve_batch(Exec const& exec, std::string const& label, WorkDivision const& division,
                 Solver const& given_solver, M const& preconditioner, A const& a, B const& b_arg,
                 X const& x_arg, Log const& log, Given const& given) {
  auto const b = stored(b_arg);
  auto const x = stored(x_arg);
  require_solve<Exec, A, std::remove_const_t<decltype(b)>, std::remove_const_t<decltype(x)>>();
  using T = typename decltype(x)::value_type;
  static_assert(std::is_same_v<T, typename Log::value_type>,
                "Batchwork::solve: the log holds the type of the numbers");
  static_assert(reaches<Exec, typename Log::memory_space>,
                "Batchwork::solve: the log's memory cannot be reached from the execution space");

  SystemCall call("solve", label);
  call.check_matrices(3, a);
  call.add_vector(5, "x", x, a, true);
  call.add_vector(4, "b", b, a);
  call.add_matrices(3, a);
  std::int64_t const items = call.check();
  auto const add_log = [&](auto const& view, char const* what) { call.add_log(6, view, what); };
  add_log(log.iterations, "iterations");
  add_log(log.recurrence, "recurrence");
  add_log(log.residual, "residual");
  add_log(log.reason, "reason");
  add_log(log.history, "history");
  add_log(log.scaled_residual, "scaled_residual");
  auto const& solver = unscaled_solver(given_solver);
  check_solver(call, solver);
  auto const scale = scaling_of<Exec, T>(call, given_solver, a);
  if constexpr (!std::is_same_v<Given, NoWorkspace>)
    call.add(7, "workspace", describe_view(given.view), true);
  call.check();
  if (a.rows() > most_rows_of_a_solve)
    call.fail("systems of " + std::to_string(a.rows()) + " rows, more than the limit of " +
              std::to_string(most_rows_of_a_solve) + "; use a solver for single large systems");
  if constexpr (std::is_same_v<M, Jacobi> && std::is_void_v<typename A::value_type>)
    call.fail("operand 2, jacobi: matrix_free has no diagonal; give no_preconditioner()");
  if constexpr (requires { preconditioner.check(call, a); }) preconditioner.check(call, a);
  if constexpr (requires { M::template reachable<Exec>(); })
    require_reachable<(M::template reachable<Exec>())>();
  auto const systems = a.systems();
  using Systems = std::remove_const_t<decltype(systems)>;
  auto const in_kernel = preconditioner_in_kernel(preconditioner, a);
  using Preparing = std::remove_const_t<decltype(in_kernel)>;
  using Plain = std::remove_cvref_t<decltype(solver)>;
  auto const how =
      choose_variant<T, Plain>(call, exec, in_kernel, systems, a.rows(), a.nonzeros(), division);
  constexpr bool is_scaled = is_scaled_solver<Solver>;
  auto const fitted = fitted_solver<T>(call, exec, solver, in_kernel, a.rows(), how, is_scaled);
  WorkspacePlan const plan =
      plan_workspace<Exec, T>(exec, fitted, preconditioner, a, items, how, is_scaled);
  T* const memory = workspace_of<T, Exec>(call, plan, given);
  auto const with_storage = solver_with_storage(fitted, plan.solver, memory);
  if (a.rows() == 0) {
    EmptySystems<T> empty{LogPointers<T>(log)};
    if (!is_scaled) empty.log.scaled_residual = nullptr;
    return launch_empty_systems(exec, call, items, empty);
  }
  if (items == 0) return;

  PreconditionerStorage<T> beside;
  if (plan.preconditioner.numbers() > 0)
    beside = {memory + plan.solver.numbers(), plan.preconditioner.of_system,
              plan.preconditioner.at_once};
  using Placed = std::remove_const_t<decltype(with_storage)>;
  launch_solve(exec, call,
               SolveProblem<T, Placed, Preparing, Systems, std::remove_const_t<decltype(scale)>>{
                   with_storage, in_kernel, systems, b.storage.as_const(), x.storage,
                   LogPointers<T>(log), items, beside, scale},
               a.nonzeros(), how);
}

/// Sorts out the optional arguments after x.
template <class Exec, class Solver, class M, class A, class B, class X, class... Rest>
void solve_divided(Exec const& exec, Launch<> const& launched, WorkDivision const& how,
                   Solver const& solver, M const& m, A const& a, B const& b, X const& x,
                   Rest const&... rest) {
  static_assert(sizeof...(Rest) <= 2,
                "Batchwork::solve takes, after x, a log and workspace(view) at most");
  std::string const& label = label_alone(launched);
  auto const run = [&](auto const& log, auto const&... memory) {
    if constexpr (requires { log.reason; }) {
      if constexpr (sizeof...(memory) == 0)
        solve_batch(exec, label, how, solver, m, a, b, x, log, NoWorkspace{});
      else solve_batch(exec, label, how, solver, m, a, b, x, log, memory...);
    } else {
      using T = typename std::remove_cvref_t<decltype(stored(x))>::value_type;
      static_assert(sizeof...(memory) == 0,
                    "Batchwork::solve: the log comes before workspace(view)");
      solve_batch(exec, label, how, solver, m, a, b, x, SolveLog<T, typename Exec::memory_space>{},
                  log);
    }
  };
  if constexpr (sizeof...(Rest) > 0) run(rest...);
  else run(NoWorkspace{});
}

/// What may follow x: a SolveLog and workspace(view).
template <class X>
concept LogOrWorkspace = requires(X const& x) { x.reason; } || requires(X const& x) { x.view; };

/// solve of its arguments.
struct SolveOfArguments {
  template <class Exec, IterativeSolver Solver, Preconditioner M, SystemMatrices A, Viewish B,
            Viewish X, LogOrWorkspace... Rest>
  void operator()(Exec const& exec, Launch<> const& how, Solver const& solver, M const& m,
                  A const& a, B const& b, X const& x, Rest const&... rest) const {
    solve_divided(exec, how, WorkDivision{}, solver, m, a, b, x, rest...);
  }
  template <class Exec, IterativeSolver Solver, Preconditioner M, SystemMatrices A, Viewish B,
            Viewish X, LogOrWorkspace... Rest>
  void operator()(Exec const& exec, Launch<> const& how, WorkDivision const& division,
                  Solver const& solver, M const& m, A const& a, B const& b, X const& x,
                  Rest const&... rest) const {
    solve_divided(exec, how, division, solver, m, a, b, x, rest...);
  }
  template <class... X>
  void operator()(X const&...) const {
    static_assert(any_order<X...>,
                  "Batchwork::solve: the arguments are [exec,] [launch(\"label\"),] "
                  "[WorkDivision,] solver, preconditioner, A, b, x [, log] [, workspace(view)] in "
                  "this order; A is csr(...), dense(...) or another format; b and x are Views, "
                  "without in(...) and out(...)");
  }
};

/// The type of the first argument of such a call.
template <class X>
concept BeginsSolve = BeforeArguments<X> || IterativeSolver<X> || std::same_as<X, WorkDivision>;
/// Whether X is a SolveConfiguration, alone or in scaled(...) or weighted(...). Its own header
/// declares that solve.
template <class X>
inline constexpr bool is_configuration = false;
/// Whether another header declares the solve for this solver.
template <class X>
inline constexpr bool has_own_solve = is_configuration<X>;

}  // namespace Impl

/// Solves A_n x_n = b_n for every item n by an iterative solver, each to its own convergence.
///
/// ```text
/// solve([exec,] [launch("label"),] [WorkDivision{...},] solver, preconditioner, A, b, x [, log]
///       [, workspace(view)])
/// ```
///
/// ```cpp
/// auto const A = csr(row_offsets, columns, values);  // values(item, entry), float or double
/// auto const log = SolveLog<double>::allocated(items);
/// solve(exec, bicgstab(relative(1e-8, 500)), jacobi(), A, b, x, log);
/// for (auto const& item : outcomes(log))  // waits for the kernel
///   if (!item.converged()) std::puts(item.text().c_str());
/// ```
///
/// \param exec            execution space instance; the default is a Kokkos::DefaultExecutionSpace
/// \param WorkDivision    overrides how a device divides the work
/// \param solver          conjugate_gradients, bicgstab, cgs, gmres or richardson, with stopping
///                        criteria; or one of them in scaled(...) or weighted(...)
/// \param preconditioner  no_preconditioner(), jacobi(), block_jacobi(...), ilu(), isai(),
///                        spd_isai() or preconditioner(functor)
/// \param A               csr, ell, dia, dense, scaled_identity, matrix_free or AnyMatrices, of at
///                        most 2048 rows
/// \param b               View b(item, row) in any layout or strided, or compact(b, n)
/// \param x               View x(item, row), as b: the start on entry, the result on return. It
///                        shares no elements with b
/// \param log             a SolveLog with optional Views; may be left out
/// \param workspace       workspace(view) with workspace_numbers(...) elements, for gmres and for
///                        factors of block_jacobi, ilu and isai that do not fit on the chip;
///                        otherwise ignored
/// \throws std::invalid_argument  before the launch: extents that differ, Views that are not
///                        allocated or overlap, more than 2048 rows, parameters out of range, a
///                        division that no kernel supports, a missing or too small workspace. The
///                        message names the operand and the remedy
///
/// One kernel on `exec`, labelled Batchwork::solve or Batchwork::solve(label). The call is
/// asynchronous, never fences and allocates nothing on devices. Host threads allocate factors, and
/// the matrices (at most 8 MB) and vectors of a pack of systems.
///
/// A converged item is confirmed: |b - A x| is computed from the returned x with a bound of its
/// rounding, and in twice the precision where that decides; with matrix_free as the functor
/// computes it, without a bound. If the recurrence claimed too much, the item begins anew, and ends
/// as stagnated if that does not help. x changes only where its residual becomes smaller. Results
/// of an item depend on no other item. Norms are sums of squares in the type of the numbers, so
/// entries whose squares overflow count as not finite.
///
/// Patterns are not checked before the launch: see check. Devices find columns out of range, hosts
/// also bad row offsets; such items end as Reason::invalid_pattern.
template <Impl::BeginsSolve First, class... Rest>
  requires(!Impl::has_own_solve<First> && (!Impl::has_own_solve<Rest> && ...))
void solve(First const& first, Rest const&... rest) {
  Impl::call_verb(Impl::SolveOfArguments(), first, rest...);
}

/// Workspace elements that a call of solve with these arguments needs; 0 if it needs none.
///
/// ```cpp
/// auto const solver = gmres(30, relative(1e-8));
/// Kokkos::View<double*> memory("memory", workspace_numbers(exec, solver, jacobi(), A, items));
/// solve(exec, solver, jacobi(), A, b, x, workspace(memory));
/// ```
///
/// \tparam T              type of the numbers, for matrix_free(...) only:
///                        workspace_numbers<double>(...)
/// \param exec            execution space instance of the solve
/// \param how             division of the work; may be left out
/// \param solver          as in solve
/// \param preconditioner  as in solve
/// \param a               matrices, as in solve
/// \param items           number of items of the batch
/// \returns               number of elements of the type of the matrices
/// \throws std::invalid_argument  parameters or a division that solve refuses
///
/// The workspace has room for the systems that are worked on at the same time, so it stops growing
/// with the number of items. On devices these are teams with a quarter of the lanes that the device
/// can hold (with factors and more than 2 rows a lane an eighth); on hosts one system a thread. On
/// hosts a solver's storage up to 32 KB, and all factors, need no workspace. The result depends on
/// the machine, and on the pattern only through its numbers of rows and nonzeros.
template <class T = void, class Exec, Impl::IterativeSolver Solver, Preconditioner M,
          Impl::SystemMatrices A>
  requires Kokkos::is_execution_space_v<Exec>
std::int64_t workspace_numbers(Exec const& exec, WorkDivision const& how, Solver const& solver,
                               M const& preconditioner, A const& a, std::int64_t items) {
  using Own = typename A::value_type;
  using Number = std::conditional_t<std::is_void_v<Own>, T, Own>;
  static_assert(std::is_same_v<Number, float> || std::is_same_v<Number, double>,
                "Batchwork::workspace_numbers: say of which numbers: "
                "workspace_numbers<double>(...)");
  Impl::SystemCall const call("workspace_numbers");
  auto const& plain = Impl::unscaled_solver(solver);
  constexpr bool is_scaled = Impl::is_scaled_solver<Solver>;
  auto const in_kernel = Impl::preconditioner_in_kernel(preconditioner, a);
  auto const chosen = Impl::choose_variant<Number, std::remove_cvref_t<decltype(plain)>>(
      call, exec, in_kernel, a.systems(), a.rows(), a.nonzeros(), how);
  auto const fitted =
      Impl::fitted_solver<Number>(call, exec, plain, in_kernel, a.rows(), chosen, is_scaled);
  return Impl::plan_workspace<Exec, Number>(exec, fitted, preconditioner, a, items, chosen,
                                            is_scaled)
      .numbers();
}
template <class T = void, class Exec, Impl::IterativeSolver Solver, Preconditioner M,
          Impl::SystemMatrices A>
  requires Kokkos::is_execution_space_v<Exec>
std::int64_t workspace_numbers(Exec const& exec, Solver const& solver, M const& preconditioner,
                               A const& a, std::int64_t items) {
  return workspace_numbers<T>(exec, WorkDivision{}, solver, preconditioner, a, items);
}
template <class T = void, Impl::IterativeSolver Solver, class M, Impl::SystemMatrices A>
  requires Preconditioner<M>
std::int64_t workspace_numbers(Solver const& solver, M const& preconditioner, A const& a,
                               std::int64_t items) {
  return workspace_numbers<T>(Kokkos::DefaultExecutionSpace(), solver, preconditioner, a, items);
}

}  // namespace Batchwork

#endif
