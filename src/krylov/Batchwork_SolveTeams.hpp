// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of solve on devices: lanes share a system, a team has several systems or a large one.
#ifndef BATCHWORK_SOLVETEAMS_HPP
#define BATCHWORK_SOLVETEAMS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "krylov/Batchwork_HeldMatrix.hpp"
#include "krylov/Batchwork_Jacobi.hpp"
#include "krylov/Batchwork_Preconditioner.hpp"
#include "krylov/Batchwork_SolveBudget.hpp"

namespace Batchwork::Impl {

/// A x = b for every item.
template <class T, class Solver, class M, class Systems>
struct SolveProblem {
  using value_type = T;
  using solver_type = Solver;
  template <class Vector>
  using prepared = Prepared<Vector, M>;
  Solver solver;
  M preconditioner;
  Systems a;
  Storage<T const> b;
  Storage<T> x;
  LogPointers<T> log;
  std::int64_t items;

  BATCHWORK_INLINE SolveItem<T> item(std::int64_t n, bool there) const { return {b, x, n, there}; }
};

/// Matrix: ColumnsHeld, EntriesHeld, ReadInPlace or AppliedByFunctor, with R rows a lane.
template <class T, class Problem, class Matrix, int R, bool Large>
struct SolveTeams {
  static constexpr int largest_team = Matrix::largest_team;
  /// Teams that a multiprocessor is to hold at least, which the compiler fits the registers to: those of the matrix, of the
  /// vectors, and some more.
  static constexpr int registers =
      Matrix::registers +
      (Problem::solver_type::vectors +
       (Problem::template prepared<RowNumbers<T, R>>::wants_diagonal ? 1 : 0)) *
          R * int(sizeof(T)) / 4 +
      56;
  static constexpr int wanted_teams = std::max(1, 65536 / (largest_team * registers));

  Problem p;
  int lanes, shift;  ///< of a system; its logarithm, where several share a team
  int sharing;
  SystemScratch scratch;

  SolveTeams(Problem const& problem, SolveChoice const& how)
      : p(problem), lanes(how.lanes), shift(0), sharing(how.sharing) {
    while ((1 << shift) < lanes) ++shift;
    int const places = Matrix::skips_rows ? (p.a.rows + lanes - 1) / lanes * lanes : lanes * R;
    scratch = {lanes, places, how.systems(), WideNumbers<T>::count, Matrix::boxes};
  }
  /// Of the solver and its preconditioner.
  BATCHWORK_INLINE std::size_t bytes_in_use() const {
    return scratch.numbers(Vendor::has_shuffles) * sizeof(T) +
           bytes_of_preconditioner<T>(p.preconditioner, p.a.rows);
  }
  std::size_t bytes() const { return bytes_in_use() + 16; }
  std::int64_t teams() const { return (p.items + scratch.systems - 1) / scratch.systems; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const rank = member.team_rank(), slot = Large ? 0 : rank >> shift,
              mine = Large ? rank : rank & (lanes - 1);
    std::int64_t const wanted = std::int64_t(member.league_rank()) * scratch.systems + slot;
    // Lanes without an item repeat the last one, so that all of them may wait for each other, and store nothing.
    bool const there = wanted < p.items;
    auto const item = p.item(there ? wanted : p.items - 1, there);
    T* const numbers =
        static_cast<T*>(member.team_scratch(0).get_shmem_aligned(bytes_in_use(), 16));

    Matrix matrix;
    RowNumbers<T, R> diagonal{};
    if constexpr (requires { matrix.functor; }) {
      matrix.functor = &p.a.functor;
    } else {
      if constexpr (requires { matrix.sharing; }) matrix.sharing = sharing;
      matrix.take(p.a, p.a.numbers(item.number), mine, lanes, diagonal);
    }

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
    using M = typename Problem::template prepared<RowNumbers<T, R>>;
    M const m = prepare<M>(at, diagonal, p.preconditioner, p.a,
                           numbers + scratch.numbers(Vendor::has_shuffles));
    if constexpr (requires { m.valid; }) matrix.valid = matrix.valid && m.valid;
    auto method = method_of(at, p.solver);
    auto const result = solve_system(at, m, method, p.solver.stop);
    if (mine == 0 && there) p.log.write(item.number, result);
  }
};

}  // namespace Batchwork::Impl

#endif
