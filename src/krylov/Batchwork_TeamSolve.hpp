// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// team_solve: a solver that is prepared on the host and called inside your own TeamPolicy kernel,
/// one system for each team.
#ifndef BATCHWORK_TEAMSOLVE_HPP
#define BATCHWORK_TEAMSOLVE_HPP

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "core/detail/backend/Batchwork_WarpReductions.hpp"
#include "krylov/Batchwork_DirectLu.hpp"
#include "krylov/Batchwork_Solve.hpp"
#include "krylov/direct/detail/Batchwork_DirectTeamSolver.hpp"
#include "krylov/formats/Batchwork_LocalSystems.hpp"
#include "launch/detail/Batchwork_Check.hpp"

namespace Batchwork {

/// The result of a solve inside a kernel, the same in all threads of the team. Members:
///
/// - `iterations`: the number of iterations; with direct_lu, of steps of refinement
/// - `recurrence`: norm of the residual that the iteration computed
/// - `residual`: norm of b - A x, as SolveLog::residual
/// - `code`: a Status code, 0 where the residual meets the tolerance
/// - converged(): whether code is 0
/// - reason(), info(): the Reason and the info of the code; with Reason::breakdown see Breakdown
using Impl::SolveResult;

namespace Impl {

/// The lanes of a whole team, with the vectors of its kernel.
template <class T, int R, class Matrix, class Member, class B, class X>
struct TeamLanes : SystemTeam<T, R, true, Matrix, Member> {
  using Base = SystemTeam<T, R, true, Matrix, Member>;
  using Vector = typename Base::Vector;
  B const& b;
  X const& x;

  template <class V>
  BATCHWORK_INLINE void load(Vector& to, V const& from) const {
    this->for_each([&](int r) {
      int const i = this->row_of(r);
      to.data[r] = i < this->rows ? this->unit * T(number_of(from, i)) : T(0);
    });
  }
  BATCHWORK_INLINE void load_b(Vector& v) const { load(v, b); }
  BATCHWORK_INLINE void load_x(Vector& v) const { load(v, x); }
  BATCHWORK_INLINE void store_x(Vector const& v, bool stores) const {
    if (!stores) return;
    T const back = T(1) / this->unit;
    this->for_each([&](int r) {
      int const i = this->row_of(r);
      if (i < this->rows) number_of(x, i) = back * v.data[r];
    });
  }
  static BATCHWORK_INLINE bool keeps_history() { return false; }
  BATCHWORK_INLINE void record(bool, int, T) const {}

  template <int N>
  BATCHWORK_INLINE void sum(T const (&mine)[N], T (&sums)[N]) {
    if (Vendor::has_shuffles && this->lanes <= lanes_of_warp) {
      // A lone warp has no parts of sums to bring together, but exchanges count on a wait in every
      // sum.
      BATCHWORK_UNROLL
      for (int n = 0; n < N; ++n) sums[n] = mine[n];
      Vendor::reduce_sum(sums, lanes_of_warp);
      this->sync();
    } else {
      Base::sum(mine, sums);
    }
  }
};

/// A host's thread, with the vectors of its kernel.
template <class T, class Item, int Own, class B, class X>
struct TeamThread : SystemThread<T, Item, Own> {
  using Vector = typename SystemThread<T, Item, Own>::Vector;
  B const& b;
  X const& x;

  void load_b(Vector const& v) const {
    for (int i = 0; i < this->rows; ++i) v.data[i] = this->unit * T(number_of(b, i));
  }
  void load_x(Vector const& v) const {
    for (int i = 0; i < this->rows; ++i) v.data[i] = this->unit * T(number_of(x, i));
  }
  void store_x(Vector const& v, bool stores) const {
    if (!stores) return;
    T const back = T(1) / this->unit;
    for (int i = 0; i < this->rows; ++i) number_of(x, i) = back * v.data[i];
  }
  static bool keeps_history() { return false; }
  void record(bool, int, T) const {}
};

/// The result of team_solve, passed to the kernel by value. ByLanes: as on devices.
template <class T, int R, bool ByLanes, class Solver, class M, class Systems, int NumbersRank>
struct TeamSolver {
  using value_type = T;
  static constexpr int numbers_rank = NumbersRank;  ///< indices of an item's own numbers
  static constexpr bool by_functor = requires(Systems const& s) { s.functor; };
  static constexpr bool has_storage = SolverWithStorage<Solver>;
  /// Solvers and preconditioners that exchange numbers outside sums need whole teams of several
  /// warps, a power of two.
  static constexpr bool wants_power_of_two = has_storage || takes_item<M>;
  static constexpr int least_team = wants_power_of_two ? 2 * lanes_of_warp : lanes_of_warp;

  Solver solver;
  M preconditioner;
  Systems systems;
  int width;    ///< numbers of a line that a pointer gives
  int sharing;  ///< lanes of a row
  std::int64_t nonzeros;

  /// The number of threads that teams should have. On devices any other multiple of 32 to 256 works
  /// that leaves at most RowsOfALane rows to a thread (with gmres, ilu, isai, block_jacobi and
  /// functors as preconditioners 64, 128 or 256), on hosts any number. Results depend on it in
  /// their last bits.
  int team_size() const {
    return ByLanes ? power_of_two_team(systems.rows, R < 2 ? R : 2, least_team) : 1;
  }
  /// Bytes of level-0 team scratch to request with Kokkos::PerTeam(...), in addition to the
  /// kernel's own.
  /// \param team_size  threads of a team
  /// \throws std::invalid_argument  if teams of that size cannot solve the systems
  std::size_t scratch_size(int team_size) const {
    if (team_size < 1 || (ByLanes && !fits(team_size)))
      SystemCall{"team_solve"}.fail(
          "teams of " + std::to_string(team_size) + " threads for systems of " +
          std::to_string(systems.rows) + " rows; give a " +
          (wants_power_of_two ? "power of two from " : "multiple of ") +
          std::to_string(least_team) + " to " + std::to_string(largest_team_of_a_system) +
          " that has " + std::to_string(R) + " rows for each thread at most, or team_size()");
    return ByLanes ? numbers_of_scratch(team_size) * sizeof(T) + 16 : 0;
  }
  /// The same for teams of team_size() threads.
  std::size_t scratch_size() const { return scratch_size(team_size()); }

  /// Solves A x = b for one system, the team's. Called by all threads of the team, outside nested
  /// ranges, with the same arguments. Waits for the team at the beginning and at the end, so it
  /// sees what the team wrote, and the team sees x.
  /// \param member  the team
  /// \param of      the number of an item of A; or the matrix of this team: a View without an item
  ///                index or a pointer, in team scratch for instance (functors then get item 0);
  ///                or, with matrix_free, a functor that the kernel has made
  /// \param b       anything with b(i), or a pointer
  /// \param x       the start and the result: anything with an assignable x(i), or a pointer. On
  ///                devices thread r of a team of L accesses the rows r, r + L, ... of b and x, and
  ///                no other thread does
  /// \returns       the result, the same in all threads
  template <class Member, class Of, class B, class X>
  KOKKOS_FUNCTION SolveResult<T> solve(Member const& member, Of const& of, B const& b,
                                       X const& x) const {
    require_memory_of_team<Of, X>();
    member.team_barrier();
    SolveResult<T> result;
    if constexpr (std::is_array_v<Of> || std::is_array_v<X>) {
    } else if constexpr (by_functor) {
      if constexpr (std::is_integral_v<Of>)
        result = with(member, systems, systems.functor, std::int64_t(of), b, x);
      else result = with(member, systems, of, 0, b, x);
    } else if constexpr (std::is_integral_v<Of>) {
      result = with(member, systems, nullptr, std::int64_t(of), b, x);
    } else {
      Systems const own = with_numbers<NumbersRank>(systems, width, of);
      result = with(member, own, nullptr, 0, b, x);
    }
    member.team_barrier();
    return result;
  }

  // ---- the rest is not for users ----

  static constexpr int most_rows_of_a_team =
      ByLanes ? R * largest_team_of_a_system : most_rows_of_a_solve;

  BATCHWORK_INLINE constexpr bool fits(int team) const {
    return team > 0 && team % least_team == 0 && team <= largest_team_of_a_system &&
           (!wants_power_of_two || (team & (team - 1)) == 0) &&
           std::int64_t(team) * R >= systems.rows;
  }
  /// The exchanges have places for whole rounds of the lanes.
  BATCHWORK_INLINE constexpr SystemScratch layout(int lanes) const {
    return {lanes, (systems.rows + lanes - 1) / lanes * lanes, 1, 16 / int(sizeof(T)), 2};
  }
  BATCHWORK_INLINE std::size_t numbers_of_factors() const {
    return bytes_of_preconditioner<T>(preconditioner, systems.rows) / sizeof(T);
  }
  /// `lanes` are 0 for a host's thread.
  BATCHWORK_INLINE std::size_t numbers_of_storage(int places, int lanes) const {
    if constexpr (has_storage)
      return std::size_t(StorageOf<decltype(solver.solver)>::numbers(
          solver.solver, StorageShape{places, 0, warps_of_storage(lanes), 0}));
    else return 0;
  }
  BATCHWORK_INLINE std::size_t numbers_of_scratch(int lanes) const {
    SystemScratch const scratch = layout(lanes);
    return scratch.numbers(Vendor::has_shuffles) + numbers_of_factors() +
           numbers_of_storage(scratch.rows, lanes);
  }

  template <class Member, class F, class B, class X>
  BATCHWORK_INLINE SolveResult<T> with(Member const& member, Systems const& a, F const& functor,
                                       std::int64_t number, B const& b, X const& x) const {
    if constexpr (ByLanes) return by_lanes(member, a, functor, number, b, x);
    else return by_thread(member, a, functor, number, b, x);
  }

  /// A copy, held in registers. Otherwise compilers copy all of the kernel's arguments to memory.
  using SystemsByLanes = std::conditional_t<by_functor, Systems const&, Systems const>;

  template <class Member, class F, class B, class X>
  BATCHWORK_INLINE SolveResult<T> by_lanes(Member const& member, SystemsByLanes a,
                                           [[maybe_unused]] F const& functor, std::int64_t number,
                                           B const& b, X const& x) const {
    int const lanes = member.team_size(), rank = member.team_rank();
    if (!fits(lanes) || Vendor::lane_count(member) != lanes)
      Kokkos::abort(
          "Batchwork::team_solve: a team of another size than the solver supports, or a "
          "vector length above 1; launch teams of team_size() threads");
    SystemScratch const scratch = layout(lanes);
    auto const at_hand = member.team_scratch(0);
    T* const numbers =
        static_cast<T*>(at_hand.get_shmem_aligned(numbers_of_scratch(lanes) * sizeof(T), 16));
    if (numbers == nullptr)
      Kokkos::abort(
          "Batchwork::team_solve: too little team scratch; ask for scratch_size(team_size) "
          "bytes beside the kernel's own");

    auto const run = [&](auto& matrix, RowNumbers<T, R> const& diagonal) {
      Storage<T const> const no_b{};
      Storage<T> const no_x{};
      LogPointers<T> const log;
      SolveItem<T> const item{no_b, no_x, number, true};
      TeamLanes<T, R, std::remove_reference_t<decltype(matrix)>, Member, B, X> at{
          {member, matrix, item, log, scratch, rank, lanes, a.rows, numbers,
           numbers + scratch.of_system()},
          b,
          x};
      T* const factors = numbers + scratch.numbers(Vendor::has_shuffles);
      auto const m =
          prepare<Prepared<RowNumbers<T, R>, M>>(at, diagonal, preconditioner, a, factors);
      if constexpr (requires { m.valid; }) matrix.valid = matrix.valid && m.valid;
      auto method = method_with_storage(at, solver,
                                        SystemStorage<T>{factors + numbers_of_factors(), 0, true});
      return with_failure(m, solve_systems(at, m, method, solver.stop));
    };
    RowNumbers<T, R> diagonal{};
    if constexpr (by_functor) {
      AppliedByFunctor<T, R, F> matrix;
      matrix.functor = &functor;
      return run(matrix, diagonal);
    } else {
      ReadInPlace<T, R> matrix;
      matrix.sharing = sharing;
      matrix.take(a, a.numbers(number), rank, lanes, diagonal);
      return run(matrix, diagonal);
    }
  }

  /// One thread of the team solves, its vectors on its stack; the others wait for it.
  template <class Member, class F, class B, class X>
  SolveResult<T> by_thread(Member const& member, Systems const& a, F const& functor,
                           std::int64_t number, B const& b, X const& x) const {
    SolveResult<T> result;
    if (member.team_rank() == 0 && !pattern_is_in_range(a, nonzeros))
      result = refused<T>(a.rows, [&](int i) { return T(number_of(b, i)); });
    else if (member.team_rank() == 0)
      result = a.rows <= 128 ? alone<128>(a, functor, number, b, x)
                             : alone<most_rows_of_a_solve>(a, functor, number, b, x);
    if (member.team_size() > 1) member.team_broadcast(result, 0);
    return result;
  }
  template <int Rows, class F, class B, class X>
  SolveResult<T> alone(Systems const& a, [[maybe_unused]] F const& functor, std::int64_t number,
                       B const& b, X const& x) const {
    constexpr int vectors = vectors_of_solve(Solver::own_vectors);
    alignas(64) T memory[vectors * (Rows + native_width<T>)];
    constexpr int W = native_width<T>;
    // Bases and factors are allocated, where there are any, aligned as packs are.
    constexpr std::size_t aligned = has_storage || has_bytes<T, M> ? 64 / sizeof(T) : 1;
    std::size_t const factors = (numbers_of_factors() + aligned - 1) / aligned * aligned;
    std::vector<T> beside(factors + numbers_of_storage((a.rows + W - 1) / W * W, 0) + aligned - 1);
    T* first = beside.data();
    while (reinterpret_cast<std::uintptr_t>(first) % (aligned * sizeof(T)) != 0) ++first;
    AnySystems<T> const any(a);
    auto const run = [&](auto const& matrix) {
      using Item = std::remove_cvref_t<decltype(matrix)>;
      using At = TeamThread<T, Item, Solver::own_vectors, B, X>;
      Storage<T const> const no_b{};
      Storage<T> const no_x{};
      LogPointers<T> const log;
      SolveItem<T> const item{no_b, no_x, number, true};
      At at{{matrix, item, log, a.rows, memory, memory + sizeof(memory) / sizeof(T)}, b, x};
      using Factors = Prepared<typename At::Vector, M>;
      auto const diagonal = at.vector();
      if constexpr (Factors::wants_diagonal && Item::has_entries)
        for (int i = 0; i < a.rows; ++i) diagonal.data[i] = diagonal_number(matrix, i);
      auto const m = prepare<Factors>(at, diagonal, preconditioner, any, first);
      if constexpr (requires { m.valid; }) at.valid = m.valid;
      auto method = method_with_storage(at, solver, SystemStorage<T>{first + factors});
      return with_failure(m, solve_systems(at, m, method, solver.stop));
    };
    if constexpr (by_functor) return run(typename MatrixFreeSystems<F>::Item{functor, number});
    else return run(a.item(number));
  }
};

/// ByLanes: as on devices, also on hosts for tests. Number: type of the vectors, where A has no
/// numbers.
template <bool ByLanes, int R, class Number, class Solver, class M, class A>
auto make_team_solver(Solver const& solver, M const& m, A const& a) {
  static_assert(!is_scaled_solver<Solver>,
                "Batchwork::team_solve takes no scaled or weighted solver; scale the system in the "
                "kernel, or call solve");
  using OfA = typename A::value_type;
  using T = std::conditional_t<!std::is_void_v<OfA>, OfA,
                               std::conditional_t<std::is_void_v<Number>, double, Number>>;
  static_assert(std::is_void_v<Number> || std::is_same_v<Number, T>,
                "Batchwork::team_solve: the matrices hold another type of numbers");
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "Batchwork::team_solve takes float or double");
  static_assert(R >= 1 && R <= 8, "Batchwork::team_solve: a lane has 1 to 8 rows");
  using Given = std::remove_cvref_t<decltype(a.systems())>;
  constexpr bool functor = requires(Given const& s) { s.functor; };
  using Systems = std::conditional_t<ByLanes && !functor, AnySystems<T>, Given>;
  SystemCall const call("team_solve");
  call.check_matrices(3, a);
  auto const placed = solver_with_storage<T>(fitted_solver(call, solver, a.rows()), StoragePlan{},
                                             static_cast<T*>(nullptr));
  auto const prepared = preconditioner_in_kernel(m, a);
  using InKernel = std::remove_const_t<decltype(prepared)>;
  static_assert(!(functor && requires { InKernel::needs_entries; }),
                "Batchwork::team_solve: matrix_free has no entries for this preconditioner");
  using Team = TeamSolver<T, R, ByLanes, std::remove_const_t<decltype(placed)>, InKernel, Systems,
                          rank_of_numbers<Given>>;
  check_solver(call, solver);
  if (a.rows() > Team::most_rows_of_a_team)
    call.fail("systems of " + std::to_string(a.rows()) + " rows, more than the limit of " +
              std::to_string(Team::most_rows_of_a_team) +
              (ByLanes && R < 8 ? "; give more rows a lane, team_solve<Exec, 8>"
                                : "; use a solver for single large systems"));
  if constexpr (std::is_same_v<M, Jacobi> && functor)
    call.fail("operand 2, jacobi: matrix_free has no diagonal; give no_preconditioner()");
  if constexpr (requires { m.check(call, a); }) m.check(call, a);

  std::int64_t const rows = a.rows(), mean = rows > 0 ? (a.nonzeros() + rows - 1) / rows : 0;
  auto const given = a.systems();
  int width = 0;
  if constexpr (requires { given.layout.leading(0); }) width = given.layout.leading(int(rows));
  return Team{
      placed,      prepared, Systems(given), width, lanes_of_a_row(mean, Vendor::has_shuffles),
      a.nonzeros()};
}

/// The same with direct_lu, for teams with at most so many bytes of scratch.
template <bool ByLanes, class Number, class Factor, class A>
auto make_team_solver(DirectLu<Factor> const& solver, A const& a, std::size_t most_scratch) {
  using T = typename A::value_type;
  static_assert(!std::is_void_v<T>,
                "Batchwork::team_solve: direct_lu needs the entries of the matrices, which "
                "matrix_free does not have; give an iterative solver");
  static_assert(std::is_void_v<T> || std::is_void_v<Number> || std::is_same_v<Number, T>,
                "Batchwork::team_solve: the matrices hold another type of numbers");
  if constexpr (!std::is_void_v<T>) {
    using F = typename FactorOf<T, DirectLu<Factor>>::type;
    auto const given = a.systems();
    using Given = std::remove_cvref_t<decltype(given)>;
    using Team = DirectTeamSolver<T, F, ByLanes, rank_of_numbers<Given>>;
    SystemCall const call("team_solve");
    call.check_matrices(2, a);
    check_direct_solver(call, solver);
    std::int64_t const most =
        ByLanes ? DirectTeams<T, F>::most_rows(most_scratch) : most_rows_of_a_solve;
    if (a.rows() > most)
      call.fail("systems of " + std::to_string(a.rows()) + " rows, more than the limit of " +
                std::to_string(most) +
                (ByLanes ? ", which team scratch has room for; give smaller systems or an "
                           "iterative solver"
                         : "; use a solver for single large systems"));
    auto p = direct_problem<T>(solver, a, SolveLog<T, Kokkos::HostSpace>(), 1);
    set_direct_criteria(p, solver);
    p.columns = 1;
    int width = 0;
    if constexpr (requires { given.layout.leading(0); }) width = given.layout.leading(p.n);
    return Team{p, width, std::min(std::max(30, solver.refinements), solver.stop.most_iterations)};
  }
}

}  // namespace Impl

/// Prepares a solver for calls inside your own kernel: one system for each team, as often as the
/// kernel wants.
///
/// ```cpp
/// auto const s = team_solve<Exec>(bicgstab(relative(1e-10, 100)), jacobi(),
///                                 csr_pattern<double>(row_offsets, columns));  // on the host
/// policy.set_scratch_size(0, Kokkos::PerTeam(own_scratch + s.scratch_size(s.team_size())));
/// auto const said = s.solve(member, numbers, b, x);  // in the kernel, by all threads of the team
/// ```
///
/// \tparam Exec            execution space of the kernel
/// \tparam RowsOfALane     1 to 8: devices take systems of up to 256 times as many rows. Vectors
///                         are in registers, so a smaller number leaves more of them to the kernel
/// \tparam Number          float or double, for matrix_free only; otherwise the type of A
/// \param solver           conjugate_gradients, bicgstab, cgs, gmres or richardson, with stopping
///                         criteria
/// \param preconditioner   no_preconditioner(), jacobi(), block_jacobi(...), ilu(), isai(),
///                         spd_isai() or preconditioner(functor). A View of blocks must outlive the
///                         kernel
/// \param a                csr, ell, dia, dense, scaled_identity, matrix_free or AnyMatrices: the
///                         kernel gives the number of an item. Or csr_pattern, ell_pattern,
///                         dia_pattern, dense_pattern: the kernel gives the numbers. Views must
///                         outlive the kernel
/// \returns                an object with team_size(), scratch_size(team_size) and solve(member,
///                         of, b, x), to be captured by the kernel's functor
///                         - team_size(): the threads that teams should have
///                         - scratch_size(team_size): bytes of level-0 team scratch to request with
///                           Kokkos::PerTeam, in addition to the kernel's own
///                         - solve(member, of, b, x): solves for x, given an item or numbers as
///                           `of`; returns a SolveResult with iterations, recurrence (norm of the
///                           residual that the iteration computed), residual (norm of b - A x),
///                           code (a Status code), converged(), reason() and info()
/// \throws std::invalid_argument  Views that do not fit each other, criteria and rows beyond the
///                         limits
///
/// Teams have a vector length of 1. On devices scratch is 0.5 KB for 12 rows to 33 KB for 2048 in
/// double. gmres, ilu, isai, block_jacobi and functors as preconditioners need teams of 64, 128 or
/// 256 and at least 1.7 KB. All that they store of a system is in scratch: a basis of 10 for 100
/// rows takes 11 KB more. The kernel takes its own scratch before the first call. Calls use the
/// same bytes one after the other; between calls these are free. The matrix is read where it is,
/// twice in an iteration of bicgstab, so numbers in scratch are fast. A kernel that runs with
/// another team size or too little scratch is aborted with a message.
///
/// On hosts one thread of the team solves, with its vectors on its stack, and the others wait.
/// Teams of one thread are best, and take no scratch. Bases and factors are allocated in each call,
/// and the pattern is checked. Devices check columns, not row offsets: see check.
template <class Exec, int RowsOfALane = 2, class Number = void, Impl::IterativeSolver Solver,
          Preconditioner M, class A>
  requires(Kokkos::is_execution_space_v<Exec> && !Impl::is_direct_lu<Solver> &&
           (Impl::SystemMatrices<A> || Impl::TeamPattern<A>))
auto team_solve(Solver const& solver, M const& preconditioner, A const& a) {
  Impl::require_reachable<(A::template reachable<Exec>)>();
  if constexpr (requires { M::template reachable<Exec>(); })
    Impl::require_reachable<(M::template reachable<Exec>())>();
  return Impl::make_team_solver<Impl::runs_on_device<Exec>, RowsOfALane, Number>(solver,
                                                                                 preconditioner, a);
}

/// Prepares a direct solver for calls inside your own kernel, by elimination with partial pivoting
/// as in solve(direct_lu(stop), A, b, x):
///
/// ```cpp
/// auto const s = team_solve<Exec>(direct_lu(relative(1e-10)), A);      // on the host
/// auto said = s.solve(member, item, b, x);                             // in the kernel
/// if (matrix_changed_a_little) said = s.solve_factored(member, item, b, x);
/// ```
///
/// \tparam Exec         execution space of the kernel
/// \tparam RowsOfALane  ignored
/// \tparam Number       ignored, or the type of A
/// \param solver        direct_lu(stop) or direct_lu<float>(stop)
/// \param a             csr, ell, dia, dense, scaled_identity, AnyMatrices, or a pattern
/// \returns             an object with team_size(), scratch_size(team_size), solve(member, of, b,
///                      x) and solve_factored(member, of, b, x), of being an item or numbers
/// \throws std::invalid_argument  Views that do not fit each other, criteria beyond the limits, and
///                      more rows than team scratch has room for
///
/// x may hold anything before, and may be b. iterations are refinement steps, residual is the true
/// |b - A x|. All of x is NaN if there is no solution.
///
/// solve_factored uses the factors of the last solve: for further right-hand sides, or a matrix
/// that has changed a little (modified Newton). b - A x is computed with the matrix of the call. Up
/// to 30 refinement steps, and stop.most_iterations, bring x to the tolerance as long as each
/// halves the residual. If the item ends as stagnated, call solve. The last solve must be of the
/// same solver, team and kernel, with no other call of a team_solve solver since: they use the same
/// bytes. After a solve that found no factors it returns the same code, and NaN.
///
/// The full matrix is in team scratch: scratch_size(team_size) is n (n + 8) numbers for n rows and
/// a little more, 87 KB for 100 rows in double, with factors of float 46 KB. There is room for 156
/// rows in double on an H200 with Kokkos 5.2, 67 with Kokkos 4, if the kernel needs none itself.
/// Teams have any multiple of 32 threads to 256. 2 N^3 / 3 operations a solve; 2 N^2 and a product
/// for each substitution. On hosts matrices of up to 2048 rows are in memory that the thread keeps
/// for its next call.
template <class Exec, int RowsOfALane = 2, class Number = void, class Factor, class A>
  requires(Kokkos::is_execution_space_v<Exec> && (Impl::SystemMatrices<A> || Impl::TeamPattern<A>))
auto team_solve(DirectLu<Factor> const& solver, A const& a) {
  Impl::require_reachable<(A::template reachable<Exec>)>();
  constexpr bool by_lanes = Impl::runs_on_device<Exec>;
  return Impl::make_team_solver<by_lanes, Number>(
      solver, a, by_lanes ? Impl::Vendor::device_limits(Exec()).scratch_of_team : 0);
}
template <class Exec, int RowsOfALane = 2, class Number = void, class Factor, Preconditioner M,
          class A>
  requires(Kokkos::is_execution_space_v<Exec> && (Impl::SystemMatrices<A> || Impl::TeamPattern<A>))
auto team_solve(DirectLu<Factor> const& solver, M const&, A const& a) {
  static_assert(std::is_same_v<M, NoPreconditioner>,
                "Batchwork::team_solve: direct_lu takes no preconditioner; give "
                "no_preconditioner(), or leave it out");
  return team_solve<Exec, RowsOfALane, Number>(solver, a);
}

}  // namespace Batchwork

#endif
