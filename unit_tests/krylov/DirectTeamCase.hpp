// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Kernels that call team_solve with direct_lu. A test gives run(solver of teams, items, kernel),
/// which launches them.
#ifndef BATCHWORK_TEST_DIRECT_TEAM_CASE_HPP
#define BATCHWORK_TEST_DIRECT_TEAM_CASE_HPP

#include "krylov/Batchwork_TeamSolve.hpp"
#include "krylov/DirectCase.hpp"
#include "krylov/TeamSolveCase.hpp"

namespace Batchwork::Test {

/// How a kernel passes the matrix.
enum class MatrixBy { item, pointer, view };

/// Item n: solve for the first right-hand side, the others with its factors.
template <class T, class Solver, MatrixBy By>
struct SolveColumns {
  using Batch = typename ArrangedBatch<T>::Batch;
  Solver solver;
  Batch own, b, x;  ///< own: the numbers of all items, if the kernel does not select an item
  SolveLog<T> log;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const n = member.league_rank();
    auto const& from = b;
    auto const& to = x;
    SolveResult<T> all;
    for (int c = 0; c < int(from.extent(2)); ++c) {
      auto const right = [&](int i) { return from(n, i, c); };
      auto const solution = [&](int i) -> T& { return to(n, i, c); };
      auto const solve = [&](auto const& matrix) {
        return c == 0 ? solver.solve(member, matrix, right, solution)
                      : solver.solve_factored(member, matrix, right, solution);
      };
      SolveResult<T> one;
      if constexpr (By == MatrixBy::item) one = solve(n);
      else if constexpr (By == MatrixBy::pointer) one = solve(&own(n, 0, 0));
      else if constexpr (Solver::numbers_rank == 1)
        one = solve(Kokkos::subview(own, n, Kokkos::ALL, 0));
      else one = solve(Kokkos::subview(own, n, Kokkos::ALL, Kokkos::ALL));
      Impl::add_column(all, one);
    }
    note(member, log, n, all);
  }
};

template <class Run, MatrixBy By = MatrixBy::item>
struct SolvesColumns {
  using without_condition = void;
  Run run;
  void const* own = nullptr;  ///< an ArrangedBatch of T

  template <class T, class Solver, class A>
  void operator()(Solver const& solver, A const& a, ArrangedBatch<T> const& b,
                  ArrangedBatch<T> const& x, SolveLog<T> const& log) const {
    auto const team = run.make(solver, a);
    using Team = std::remove_const_t<decltype(team)>;
    auto const numbers =
        By == MatrixBy::item ? b.batch() : static_cast<ArrangedBatch<T> const*>(own)->batch();
    run(team, x.items, SolveColumns<T, Team, By>{team, numbers, b.batch(), x.batch(), log});
    x.download();
    EXPECT_EQ(x.poisoned(), x.host.extent(0) - std::size_t(x.items) * std::size_t(x.rows * x.cols));
  }
};

/// The formats whose numbers a kernel can provide, with the numbers of the batch.
template <class T, class Run>
void check_own_numbers(Run const& run, int rows, std::int64_t items, Random& random) {
  SCOPED_TRACE(std::to_string(rows) + " rows, numbers of the kernel's own");
  DirectBatch<T> const of(direct_pattern(random, rows), 2, items, Arranged::item_contiguous);
  for (std::int64_t n = 0; n < items; ++n) put_direct(of.a, of.b, n, direct_kind(n, items), random);
  of.a.upload(), of.b.upload();
  auto const solver = direct_lu(relative(usual_tolerance<T>));
  auto const check = [&]<MatrixBy By>(auto const& pattern, ArrangedBatch<T> const& numbers) {
    check_direct<T>(solver, of, pattern, SolvesColumns<Run, By>{run, &numbers});
  };
  auto const csr = csr_pattern<T>(of.a.row_offsets, of.a.columns);
  check.template operator()<MatrixBy::pointer>(csr, of.a.values);
  check.template operator()<MatrixBy::pointer>(ell_pattern<T>(of.a.place_columns), of.a.places);
  check.template operator()<MatrixBy::pointer>(of.a.dense(), of.a.full);
  check.template operator()<MatrixBy::view>(dense_pattern<T>(rows), of.a.full);
  check.template operator()<MatrixBy::view>(csr, of.a.values);
}

/// Several solves in sequence: the next item, the item itself, and a solve with its factors for a
/// matrix that has changed.
template <class T, class Solver>
struct SolveInTurn {
  using Batch = typename ArrangedBatch<T>::Batch;
  Solver solver;
  Batch changed, b, x, y, seen;  ///< changed: as csr has them; seen: of x, behind the solve
  SolveLog<T> log, again;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const n = member.league_rank(), next = (n + 1) % int(b.extent(0));
    auto const right = Kokkos::subview(b, n, Kokkos::ALL, 0);
    auto const first = Kokkos::subview(x, n, Kokkos::ALL, 0),
               second = Kokkos::subview(y, n, Kokkos::ALL, 0);
    solver.solve(member, next, right, second);
    note(member, log, n, solver.solve(member, n, right, first));
    // In the memory of b, written by other threads than those that have its rows.
    int const rows = int(second.extent(0));
    for (int i = member.team_rank(); i < rows; i += member.team_size()) {
      second(rows - 1 - i) = right(rows - 1 - i);
      seen(n, rows - 1 - i, 0) = first(rows - 1 - i);
    }
    note(member, again, n, solver.solve_factored(member, &changed(n, 0, 0), second, second.data()));
  }
};

template <class T, class Run>
void check_in_turn(Run const& run, int rows) {
  SCOPED_TRACE(std::to_string(rows) + " rows, solves in turn");
  constexpr std::int64_t items = 9;
  Random random(19);
  auto const pattern = direct_pattern(random, rows);
  DirectBatch<T> const of(pattern, 1, items, Arranged::item_contiguous);
  Matrices<T> const changed(pattern, items, Arranged::item_contiguous);
  ArrangedBatch<T> const y(items, rows, 1, Arranged::item_contiguous),
      seen(items, rows, 1, Arranged::item_contiguous);
  auto const& [a, b, x, log] = of;
  auto const kind_of = [](std::int64_t n) {
    return is_solvable(direct_kind(n, items)) ? DirectKind::dominant : direct_kind(n, items);
  };
  // Changed by a hundredth, which steps of refinement correct; item 5 so much that they cannot.
  for (std::int64_t n = 0; n < items; ++n) {
    put_direct(a, b, n, kind_of(n), random);
    for (int i = 0; i < rows; ++i)
      for (int k = 0; k < int(pattern.columns[std::size_t(i)].size()); ++k) {
        int const j = pattern.columns[std::size_t(i)][std::size_t(k)];
        changed.put(n, i, k, T(a.full.at(n, i, j) * (n == 5 ? -2 : 1 + 0.01 * random())));
      }
  }
  a.upload(), b.upload(), changed.upload();
  auto const solver = direct_lu(relative(usual_tolerance<T>));
  SolvesColumns<Run>{run}(solver, a.csr(), b, x, log);
  std::vector<T> alone;
  for (std::int64_t n = 0; n < items; ++n)
    for (int i = 0; i < rows; ++i) alone.push_back(x.at(n, i, 0));

  x.fill(poison<T>());
  y.fill(poison<T>());
  auto const again = SolveLog<T>::allocated(items);
  auto const team = run.make(solver, a.csr());
  run(team, items,
      SolveInTurn<T, std::remove_const_t<decltype(team)>>{
          team, changed.values.batch(), b.batch(), x.batch(), y.batch(), seen.batch(), log, again});
  x.download(), y.download(), seen.download();
  HostLog<T> const first(log), second(again);
  for (std::int64_t n = 0; n < items; ++n) {
    SCOPED_TRACE("item " + std::to_string(n));
    for (int i = 0; i < rows; ++i) {
      ASSERT_TRUE(same_bits(x.at(n, i, 0), alone[std::size_t(n * rows + i)]));
      ASSERT_TRUE(same_bits(x.at(n, i, 0), seen.at(n, i, 0)));
    }
    if (!is_solvable(kind_of(n))) {
      ASSERT_NE(first.reason(n), Reason::success);
      ASSERT_EQ(first.reason(n), second.reason(n));
      ASSERT_EQ(first.info(n), second.info(n));
      for (int i = 0; i < rows; ++i) ASSERT_TRUE(std::isnan(y.at(n, i, 0)));
      continue;
    }
    ASSERT_EQ(first.reason(n), Reason::success);
    expect_honest(first, n, residual_truth(a.full, n, x, b), usual_tolerance<T>);
    ASSERT_EQ(second.reason(n), n == 5 ? Reason::stagnated : Reason::success);
    expect_honest(second, n, residual_truth(changed.full, n, y, b), usual_tolerance<T>);
    if (n != 5) {
      ASSERT_GE(second.iterations(n), sizeof(T) == 8 ? 2 : 1);
      ASSERT_LE(second.iterations(n), 10);
    }
  }
}

}  // namespace Batchwork::Test

#endif
