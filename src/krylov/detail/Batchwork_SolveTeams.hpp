// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of solve on devices: lanes share a system, a team has several systems or a large one.
#ifndef BATCHWORK_SOLVETEAMS_HPP
#define BATCHWORK_SOLVETEAMS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "krylov/detail/Batchwork_SolvePrepared.hpp"
#include "krylov/detail/backend/Batchwork_ColumnsSplit.hpp"
#include "krylov/detail/backend/Batchwork_LongRows.hpp"
#include "krylov/detail/backend/Batchwork_MatrixPlacement.hpp"
#include "krylov/detail/backend/Batchwork_SolveBudget.hpp"
#include "krylov/detail/backend/Batchwork_SolveStorage.hpp"
#include "krylov/preconditioners/Batchwork_Jacobi.hpp"
#include "krylov/preconditioners/Batchwork_Preconditioner.hpp"

namespace Batchwork::Impl {

/// A x = b for every item.
template <class T, class Solver, class M, class Systems, class Scale = NotScaled>
struct SolveProblem {
  using value_type = T;
  using solver_type = Solver;
  static constexpr bool is_scaled = !std::is_same_v<Scale, NotScaled>;
  template <class Vector>
  using prepared = Prepared<Vector, M>;
  Solver solver;
  M preconditioner;
  Systems a;
  Storage<T const> b;
  Storage<T> x;
  LogPointers<T> log;
  std::int64_t items;
  PreconditionerStorage<T> beside{};
  Scale scale{};

  BATCHWORK_INLINE SolveItem<T> item(std::int64_t n, bool there) const { return {b, x, n, there}; }
};

/// Matrix: ColumnsInRegisters, ColumnsSplit, EntriesInRegisters, LongRowsInRegisters, ReadInPlace
/// or AppliedByFunctor, with R rows a lane; takes_any_lanes: a system may have a warp at most,
/// though it is said to be large.
template <class T, class Problem, class Matrix, int R, bool Large>
struct SolveTeams {
  static constexpr int largest_team = Matrix::largest_team;
  /// Teams that a multiprocessor is to hold at least, which the compiler fits the registers to:
  /// registers for the matrix, the vectors, and some more.
  static constexpr int registers =
      Matrix::registers +
      (Problem::solver_type::vectors + (Problem::is_scaled ? 3 : 0) +
       (Problem::template prepared<RowNumbers<T, R>>::wants_diagonal ? 1 : 0)) *
          R * int(sizeof(T)) / 4 +
      (SolverWithStorage<typename Problem::solver_type> ? Matrix::directions : 0) * R *
          int(sizeof(T)) / 4 +
      56;
  static constexpr bool has_storage = SolverWithStorage<decltype(Problem::solver)>;
  static constexpr bool has_factors = has_bytes<T, decltype(Problem::preconditioner)>;
  /// Whether a part of the matrix is in scratch.
  static constexpr bool has_matrix = requires { Matrix::bytes_in_scratch(0, 0, RestOfRows()); };
  static constexpr int most_wanted = [] {
    if constexpr (requires { Matrix::most_teams; }) return Matrix::most_teams;
    else return 64;
  }();
  /// With storage or factors in scratch a multiprocessor may not hold more: a launch that wants
  /// them would be refused.
  static constexpr int wanted_teams =
      std::clamp(registers_of_multiprocessor / (largest_team * registers), 1,
                 has_storage   ? teams_that_share_scratch(largest_team)
                 : has_factors ? most_teams_with_storage
                               : most_wanted);

  static constexpr bool any_lanes = takes_any_lanes<Matrix>;

  Problem p;
  int lanes, shift;  ///< of a system; its logarithm, where several share a team
  int sharing;
  SystemScratch scratch;
  RestOfRows rest;
  /// Teams that there are at least, where those with factors in scratch take several systems one
  /// after the other: what they know of the pattern they find once. 0: no team takes several.
  std::int64_t least_teams = 0;
  static constexpr std::int64_t most_systems_of_a_pattern = 16;

  SolveTeams(Problem const& problem, SolveChoice const& how)
      : p(problem), lanes(how.lanes), shift(0), sharing(how.sharing), rest(how.rest) {
    while ((1 << shift) < lanes) ++shift;
    scratch = how.scratch(p.a.rows, int(sizeof(T)), Problem::is_scaled);
  }
  BATCHWORK_INLINE bool solver_is_elsewhere() const {
    if constexpr (has_storage) return p.solver.workspace != nullptr;
    else return false;
  }
  BATCHWORK_INLINE bool factors_are_elsewhere() const {
    if constexpr (has_factors) return p.beside.numbers != nullptr;
    else return false;
  }
  /// Of the exchanges and sums, the matrices, the solver's storage and the preconditioner.
  BATCHWORK_INLINE std::size_t bytes_in_use() const {
    return (scratch.numbers(Vendor::has_shuffles) +
            std::size_t(scratch.systems) * numbers_of_matrix() + numbers_beside() +
            (factors_are_elsewhere() ? 0 : std::size_t(scratch.systems) * factors_apart())) *
           sizeof(T);
  }
  BATCHWORK_INLINE std::size_t factors_apart() const {
    return numbers_apart_of_preconditioner<T>(p.preconditioner, p.a.rows, lanes);
  }
  std::size_t bytes() const { return bytes_in_use() + 16; }
  /// A workspace has room for some teams, which take further systems.
  BATCHWORK_INLINE std::int64_t teams() const {
    if constexpr (has_storage)
      if (solver_is_elsewhere()) return p.solver.at_once;
    if (factors_are_elsewhere()) return p.beside.at_once;
    if (has_factors && least_teams > 0) {
      std::int64_t const some =
          (turns() + most_systems_of_a_pattern - 1) / most_systems_of_a_pattern;
      std::int64_t const wanted = some > least_teams ? some : least_teams;
      return wanted < turns() ? wanted : turns();
    }
    return turns();
  }
  /// Teams that take their systems all at once.
  BATCHWORK_INLINE std::int64_t turns() const {
    return (p.items + scratch.systems - 1) / scratch.systems;
  }
  /// Of scratch, for what the matrix of a system has there.
  BATCHWORK_INLINE std::size_t numbers_of_matrix() const {
    if constexpr (has_matrix)
      return std::size_t(Matrix::bytes_in_scratch(p.a.rows, lanes, rest)) / sizeof(T);
    else return 0;
  }
  /// Of scratch, for a solver that has storage.
  BATCHWORK_INLINE std::size_t numbers_beside() const {
    std::size_t n = 0;
    if constexpr (has_storage)
      if (!solver_is_elsewhere())
        n += std::size_t(scratch.systems) * std::size_t(p.solver.of_system);
    return n;
  }
  template <class Member>
  BATCHWORK_INLINE SystemStorage<T> storage_of(Member const& member, int slot, T* beside) const {
    if constexpr (has_storage) {
      T* const in = p.solver.workspace;
      std::int64_t const place =
          (in == nullptr ? 0 : std::int64_t(member.league_rank()) * scratch.systems) + slot;
      return {(in == nullptr ? beside : in) + place * p.solver.of_system, p.solver.of_system,
              in == nullptr};
    } else {
      return {};
    }
  }

  template <class Member>
  BATCHWORK_INLINE T* scratch_of(Member const& member) const {
    return static_cast<T*>(member.team_scratch(0).get_shmem_aligned(bytes_in_use(), 16));
  }

  template <class Member>
  BATCHWORK_INLINE void operator()(Member const& member) const {
    if constexpr (has_storage || has_factors) {
      // Asking for scratch again would give other scratch.
      T* const numbers = scratch_of(member);
      std::int64_t const first = member.league_rank();
      for (std::int64_t turn = first; turn < turns(); turn += teams()) {
        if (turn != first) {
          // The scratch of the systems before is free again.
          if (is_large_system<Large, Matrix>(lanes)) member.team_barrier();
          else Vendor::warp_sync(member);
        }
        solve_systems(member, turn, numbers, turn != first);
      }
    } else {
      solve_systems(member, member.league_rank(), nullptr, false);
    }
  }
  template <class Member>
  BATCHWORK_INLINE void solve_systems(Member const& member, std::int64_t turn, T* given,
                                      bool pattern_is_known) const {
    constexpr bool is_alone = Large && !any_lanes;
    int const rank = member.team_rank(), slot = is_alone ? 0 : rank >> shift,
              mine = is_alone ? rank : rank & (lanes - 1);
    std::int64_t const wanted = turn * scratch.systems + slot;
    // Lanes without an item repeat the last one, so that all of them may wait for each other, and
    // store nothing.
    bool const there = wanted < p.items;
    auto const item = p.item(there ? wanted : p.items - 1, there);
    T* numbers = given;
    if constexpr (!has_storage && !has_factors) numbers = scratch_of(member);

    Matrix matrix;
    SystemTeam<T, R, Large, Matrix, Member> at{member,
                                               matrix,
                                               item,
                                               p.log,
                                               scratch,
                                               mine,
                                               lanes,
                                               p.a.rows,
                                               numbers + slot * scratch.of_system(),
                                               numbers + scratch.systems * scratch.of_system()};
    at.pattern_is_known = pattern_is_known;
    auto r = at.vector(), u = at.vector();
    if constexpr (!Problem::is_scaled) {
      at.load_b(r);
      at.load_x(u);
    }
    T* const matrices = numbers + scratch.numbers(Vendor::has_shuffles);
    T* const beside = matrices + std::size_t(scratch.systems) * numbers_of_matrix();
    T* factors = beside + numbers_beside() + std::size_t(slot) * factors_apart();
    if (factors_are_elsewhere())
      factors = p.beside.numbers +
                (std::int64_t(member.league_rank()) * scratch.systems + slot) * p.beside.of_system;
    RowNumbers<T, R> diagonal{};
    if constexpr (requires { matrix.functor; }) {
      matrix.functor = &p.a.functor;
    } else {
      if constexpr (requires { matrix.sharing; }) matrix.sharing = sharing;
      T const* const of_item = p.a.numbers(item.number);
      if constexpr (has_matrix)
        matrix.take(at, p.a, of_item, diagonal, rest,
                    reinterpret_cast<char*>(matrices + std::size_t(slot) * numbers_of_matrix()));
      else matrix.take(p.a, of_item, mine, lanes, diagonal);
    }
    using M = typename Problem::template prepared<RowNumbers<T, R>>;
    // Of scaled systems b and x are loaded later.
    solve_prepared<M>(
        at, p, diagonal,
        [&](int i, auto const& f) {
          if constexpr (Matrix::has_entries)
            p.a.visit(p.a.numbers(item.number), [&](auto const& rows) {
              auto const row = rows(i);
              for (int k = 0; k < row.count; ++k)
                if (unsigned(row.column(k)) < unsigned(p.a.rows)) f(row.column(k), row.number(k));
            });
        },
        p.a, factors, storage_of(member, slot, beside),
        [&](auto& systems, M const& m, auto& method) {
          auto state = begin_systems(systems, p.solver.stop, r, u);
          iterate_systems(systems, m, method, p.solver.stop, r, u, state);
          return result_of(systems, state);
        },
        [&](auto const& result, auto const&... other) {
          if (mine != 0 || !there) return;
          p.log.write(item.number, result);
          (p.log.write_scaled(item.number, other), ...);
        });
  }
};

}  // namespace Batchwork::Impl

#endif
