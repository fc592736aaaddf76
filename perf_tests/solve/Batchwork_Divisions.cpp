// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The same systems with the work of a device divided in every way that there are kernels for,
// beside what solve chooses:
// divisions/batchwork/<family>/double/csr/<method>-<placement>-<lanes>-<systems of a team>, 0 being
// what solve chooses.

#include "Solve.hpp"

namespace BatchworkPerf {

namespace {

using Batchwork::Placement;
using Batchwork::WorkDivision;

std::string name_of(WorkDivision const& how) {
  return std::string(how.matrix == Placement::entries    ? "entries"
                     : how.matrix == Placement::columns  ? "columns"
                     : how.matrix == Placement::in_place ? "in_place"
                                                         : "automatic") +
         "-" + std::to_string(how.lanes) + "-" + std::to_string(how.systems);
}

template <Solver S, Preconditioner P>
void register_divisions(Family const& family, std::vector<WorkDivision> const& all) {
  for (WorkDivision const& how : all)
    register_solve(
        "divisions", "batchwork", family, "csr", method_name<S, P>() + "-" + name_of(how),
        batch_items, [how](benchmark::State& state, Family const& f, std::int64_t items) {
          SolveProblem const p(f, items);
          solve_and_report<S, P>(state, p, Batchwork::csr(p.row_offsets, p.columns, p.values),
                                 std::identity(), true, how);
        });
}

}  // namespace

void register_batchwork_divisions() {
  constexpr auto none = Preconditioner::none, jacobi = Preconditioner::jacobi,
                 blocks = Preconditioner::block_jacobi, ilu = Preconditioner::ilu;
  auto const entries = Placement::entries, columns = Placement::columns,
             in_place = Placement::in_place;
  for (Family const& f : {random_systems(33, 978), random_systems(54, 2560), grimech30()})
    register_divisions<Solver::bicgstab, jacobi>(f, {{},
                                                     {columns, 32, 1},
                                                     {columns, 32, 2},
                                                     {columns, 64},
                                                     {entries, 64},
                                                     {entries, 96},
                                                     {in_place, 64}});
  for (Family const& f : {random_systems(144, 6135), uneven_systems()})
    register_divisions<Solver::bicgstab, jacobi>(
        f, {{}, {entries, 160}, {entries, 192}, {entries, 256}, {in_place, 96}, {in_place, 256}});
  for (Family const& f : {stencil(64), stencil(128), stencil(512), drm19()})
    if (f.rows > 0) {
      std::vector<WorkDivision> all{{}};
      for (int lanes = 16; lanes <= 128; lanes *= 2)
        if (8 * lanes >= f.rows) all.push_back({in_place, lanes});
      register_divisions<Solver::bicgstab, blocks>(f, all);
      register_divisions<Solver::bicgstab, ilu>(f, all);
    }
  for (int const rows : {32, 64}) {
    int const least = rows / 4;
    std::vector<WorkDivision> all{{}};
    for (int lanes = least; lanes <= 64; lanes *= 2)
      for (int team : {32, 64, 128})
        if (lanes <= 32 && team >= lanes) all.push_back({entries, lanes, team / lanes});
        else if (team == 64) all.push_back({entries, lanes});
    register_divisions<Solver::cg, none>(stencil(rows), all);
    register_divisions<Solver::bicgstab, none>(stencil(rows), all);
  }
}

}  // namespace BatchworkPerf
