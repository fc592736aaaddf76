// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What scaling costs and saves, with the tests in either norm.

#include "Solve.hpp"

namespace BatchworkPerf {

namespace {

template <Solver S, Preconditioner P>
void register_scaled(Family const& family) {
  register_csr<S, P>("scaled", family, batch_items);
  for (auto const norm : {Batchwork::TestNorm::unscaled, Batchwork::TestNorm::scaled}) {
    bool const plain = norm == Batchwork::TestNorm::unscaled;
    register_solve("scaled", "batchwork", family, "csr",
                   method_name<S, P>() + (plain ? "-scaled" : "-scaled_norm"), batch_items,
                   [=](benchmark::State& state, Family const& f, std::int64_t items) {
                     SolveProblem const p(f, items);
                     solve_and_report<S, P>(
                         state, p, Batchwork::csr(p.row_offsets, p.columns, p.values),
                         [=](auto const& solver) {
                           return Batchwork::scaled(solver, Batchwork::Scaling::both, norm);
                         },
                         plain);
                   });
  }
}

}  // namespace

void register_batchwork_scaled() {
  std::vector<Family> families = chemistry();
  families.push_back(grimech30());
  families.push_back(badly_scaled(22));
  families.push_back(badly_scaled(54));
  for (Family const& f : families) {
    register_scaled<Solver::bicgstab, Preconditioner::none>(f);
    register_scaled<Solver::bicgstab, Preconditioner::jacobi>(f);
    register_scaled<Solver::gmres, Preconditioner::jacobi>(f);
  }
}

}  // namespace BatchworkPerf
