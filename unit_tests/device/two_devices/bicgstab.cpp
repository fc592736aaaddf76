// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Systems.hpp"

namespace TwoDevices {

namespace {

template <class Solver>
struct SolveByTeam {
  Solver solver;
  double const* b;
  double* x;
  int rows;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const k = std::int64_t(member.league_rank());
    solver.solve(member, k, b + k * rows, x + k * rows);
  }
};

}  // namespace

Numbers bicgstab(Place const& on) {
  Systems const of(on, items, rows);
  auto const log = SolveLog<double>::allocated(on.exec, items);
  solve(on.exec, Batchwork::bicgstab(relative(1e-10, 200)), jacobi(), of.csr(), of.b, of.x, log);
  return solved(on, of, log);
}
Numbers team_solve_in_a_kernel(Place const& on) {
  Systems const of(on, items, rows);
  auto const solver =
      team_solve<Exec>(Batchwork::bicgstab(relative(1e-10, 200)), jacobi(), of.csr());
  Kokkos::TeamPolicy<Exec> policy(on.exec, int(items), solver.team_size());
  policy.set_scratch_size(0, Kokkos::PerTeam(int(solver.scratch_size())));
  Kokkos::parallel_for(policy, SolveByTeam<std::remove_const_t<decltype(solver)>>{
                                   solver, of.b.data(), of.x.data(), rows});
  return on.all(of.x);
}
Numbers beside_solve(Place const& on) {
  Systems const of(on, items, rows);
  check(of.csr());
  auto const y = on.results<View<double**>>(items, rows),
             left = on.results<View<double**>>(items, rows),
             right = on.results<View<double**>>(items, rows);
  auto const number = on.results<View<double*>>(items), size = on.results<View<double*>>(items),
             shift = on.noisy<View<double*>>(42, items);
  multiply(on.exec, of.csr(), of.x, y);
  add_scaled_identity(on.exec, shift, of.csr(), -1);
  equilibrate(on.exec, of.csr(), left, right);
  scale(on.exec, left, of.csr(), right);
  dot(on.exec, of.x, y, number);
  norm(on.exec, y, size);
  solve_triangular(on.exec, Triangle::lower, of.csr(), of.b, of.x);
  return on.all(y, left, right, of.values, number, size, of.x);
}

}  // namespace TwoDevices
