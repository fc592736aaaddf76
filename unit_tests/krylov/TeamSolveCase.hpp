// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Kernels that call team_solve, and checks of their results.
#ifndef BATCHWORK_TEST_TEAM_SOLVE_CASE_HPP
#define BATCHWORK_TEST_TEAM_SOLVE_CASE_HPP

#include "krylov/Batchwork_TeamSolve.hpp"
#include "krylov/SolveCase.hpp"

namespace Batchwork::Test {

template <class T>
using StridedVectors = Kokkos::View<T**, Kokkos::LayoutStride, Space, Kokkos::MemoryUnmanaged>;

/// The result of a call. The last thread writes it, because all threads get the same result.
template <class T, class Member>
KOKKOS_FUNCTION void note(Member const& member, SolveLog<T> const& log, int item,
                          SolveResult<T> const& result) {
  if (member.team_rank() != member.team_size() - 1) return;
  log.iterations(item) = result.iterations;
  log.recurrence(item) = result.recurrence;
  log.residual(item) = result.residual;
  log.reason(item) = result.code;
}

template <class Solver, class T>
void launch_user_kernel(Solver const& solver, int items, int team, std::size_t own, auto kernel) {
  Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<256, 1>> policy(items, team);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(solver.scratch_size(team) + own)));
  Kokkos::parallel_for("a kernel of the user's", policy, kernel);
  Kokkos::fence();
}

/// Item n of A, b and x, directly from Views.
template <class T, class Solver>
struct ByItem {
  Solver solver;
  StridedVectors<T> b, x;
  SolveLog<T> log;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const n = member.league_rank();
    auto const& from = b;
    auto const& to = x;
    auto const result = solver.solve(
        member, n, [&](int i) { return from(n, i); }, [&](int i) -> T& { return to(n, i); });
    note(member, log, n, result);
  }
};

template <class T>
struct TeamCase {
  std::int64_t items;
  Random random{5};
  Matrices<T> a;
  ArrangedBatch<T> b, x;
  TeamCase(int rows, double share, Arranged how, bool symmetric, std::int64_t n = 7)
      : items(n),
        a(solvable_pattern(random, rows, share, symmetric), n, how),
        b(n, rows, 1, how),
        x(n, rows, 1, how) {
    for (std::int64_t k = 0; k < n; ++k) put_dominant(a, k, random, symmetric, 2.5);
    a.upload();
    b.randomise(random);
    begin();
  }
  void begin() const {
    Random other(17);
    x.randomise(other);
  }

  /// The x and log that the kernel writes must be correct.
  void check(SolveLog<T> const& log, double tolerance) const {
    x.download();
    HostLog<T> const said(log);
    for (std::int64_t n = 0; n < items; ++n) {
      ASSERT_EQ(said.reason(n), Reason::success)
          << to_string(said.reason(n)) << " after " << said.iterations(n);
      expect_honest(said, n, residual_truth(a.full, n, x, b), tolerance);
    }
  }
  template <int R, class Solver, class M, class A>
  void by_item(Solver const& solver, M const& m, A const& A_, char const* what) const {
    SCOPED_TRACE(what);
    double const tolerance = solver.stop.tolerance;
    auto const team = team_solve<Space, R>(solver, m, A_);
    int const wanted = team.team_size();
    for (int size : {wanted, Impl::runs_on_device<Space> ? 256 : 1}) {
      auto const log = SolveLog<T>::allocated(items);
      begin();
      auto const outside = x.poisoned();
      launch_user_kernel<decltype(team), T>(
          team, int(items), size, 0,
          ByItem<T, std::remove_const_t<decltype(team)>>{team, vectors(b), vectors(x), log});
      check(log, tolerance);
      EXPECT_EQ(x.poisoned(), outside);
    }
  }
};

template <class T>
struct Difference {
  int rows;
  T diagonal;
  template <class Lanes, class X, class Y>
  KOKKOS_FUNCTION void operator()(Lanes const& lanes, std::int64_t item, X const& x,
                                  Y const& y) const {
    lanes.for_each(rows, [&](int i) {
      T sum = (diagonal + T(item)) * x(i);
      if (i > 0) sum -= x(i - 1);
      if (i + 1 < rows) sum -= x(i + 1);
      y(i) = sum;
    });
  }
};

}  // namespace Batchwork::Test

#endif
