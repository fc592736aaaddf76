// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verbs on sparse systems other than solve, and a solve inside a user's kernel.
#include "Shared.hpp"

namespace {

struct Difference {
  int rows;

  template <class Lanes, class X, class Y>
  KOKKOS_FUNCTION void operator()(Lanes const& lanes, std::int64_t /*item*/, X const& x,
                                  Y const& y) const {
    lanes.for_each(rows, [&](int i) {
      y(i) = 2 * x(i) - (i > 0 ? x(i - 1) : 0) - (i + 1 < rows ? x(i + 1) : 0);
    });
  }
};

template <class Solver>
struct SolveByTeam {
  Solver solver;
  double const* b;
  double* x;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    solver.solve(member, member.league_rank(), b, x);
  }
};

/// A solve, and another one with its factors.
template <class Solver>
struct EliminateByTeam {
  Solver solver;
  double const *matrices, *b;
  double* x;
  int numbers, rows;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const n = member.league_rank();
    solver.solve(member, matrices + n * numbers, b + n * rows, x + n * rows);
    solver.solve_factored(member, matrices + n * numbers, x + n * rows, x + n * rows);
  }
};

}  // namespace

void beside_solve(Exec const& exec, Interleaved<int*> row_offsets, Interleaved<int*> columns,
                  ItemContiguous<double**> values, Interleaved<double*> shift,
                  ItemContiguous<double**> left, ItemContiguous<double**> right,
                  ItemContiguous<double**> x, ItemContiguous<double**> y,
                  Interleaved<double*> number, Codes codes) {
  auto const a = csr(row_offsets, columns, values);
  check(a);
  multiply(exec, a, x, y);
  multiply(exec, matrix_free(int(a.rows()), Difference{int(a.rows())}), x, y);
  add_scaled_identity(exec, shift, a, -1);
  equilibrate(exec, a, left, right);
  scale(exec, left, a, right);
  solve_triangular(exec, Triangle::lower, a, x, y, status(codes));
  dot(exec, x, y, number);
  norm(exec, x, number);
}

void in_a_kernel(Exec const& exec, int items, Interleaved<int*> row_offsets,
                 Interleaved<int*> columns, ItemContiguous<double**> values, double const* b,
                 double* x) {
  auto const solver =
      team_solve<Exec>(bicgstab(relative(1e-10, 100)), jacobi(), csr(row_offsets, columns, values));
  Kokkos::TeamPolicy<Exec> policy(exec, items, solver.team_size());
  policy.set_scratch_size(0, Kokkos::PerTeam(int(solver.scratch_size())));
  Kokkos::parallel_for(policy, SolveByTeam<std::remove_const_t<decltype(solver)>>{solver, b, x});
}

void eliminated_in_a_kernel(Exec const& exec, int items, Interleaved<int*> row_offsets,
                            Interleaved<int*> columns, double const* matrices, double const* b,
                            double* x) {
  auto const run = [&](auto const& direct) {
    auto const solver = team_solve<Exec>(direct, csr_pattern<double>(row_offsets, columns));
    Kokkos::TeamPolicy<Exec> policy(exec, items, solver.team_size());
    policy.set_scratch_size(0, Kokkos::PerTeam(int(solver.scratch_size())));
    Kokkos::parallel_for(policy, EliminateByTeam<std::remove_const_t<decltype(solver)>>{
                                     solver, matrices, b, x, int(columns.extent(0)),
                                     int(row_offsets.extent(0)) - 1});
  };
  run(direct_lu());
  run(direct_lu<float>());
}
