// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A batch of stiff nonlinear systems, each solved by Newton's method, in one kernel. A reactor has
/// four cells in a row. In each cell, Robertson's three species react while they diffuse to the
/// neighbouring cells. Rates and diffusion differ from reactor to reactor. Each team computes all
/// steps of the implicit Euler method for one reactor: residual, Jacobian, a linear solve by
/// Batchwork::team_solve, update, until the update is small. The program runs first with BiCGSTAB,
/// then with direct_lu, which factors once per step and reuses the factors for further updates.
///
/// Afterwards the residual of every step of every reactor is checked, and that the mass has not
/// changed. Exit status 1 if a result is wrong.
///
/// H. H. Robertson, "The solution of a set of reaction rate equations", in Numerical Analysis: An
/// Introduction, Academic Press (1966).

#include <Batchwork.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

constexpr int reactors = 2000, steps = 24;
constexpr int cells = 4, species = 3, unknowns = cells * species;
constexpr double first_step = 1e-4, growth = 1.8;  // in seconds, to about 160
constexpr double small = 1e-12;                    // an update, relative to a concentration of 1
constexpr int most_updates = 20;

KOKKOS_FUNCTION double step_size(int step) {
  return first_step * Kokkos::pow(growth, double(step));
}

/// The rates of A -> B, 2 B -> B + C and B + C -> A + C, and the diffusion. They differ from
/// reactor to reactor.
struct Rates {
  double slow, fast, back, diffusion;
};
KOKKOS_FUNCTION Rates rates_of(int reactor) {
  auto const wave = [&](double x) { return 1 + 0.9 * Kokkos::sin(x * (reactor + 1)); };
  return {0.04 * wave(0.37), 3e7 * wave(0.61), 1e4 * wave(0.83), 0.5 * wave(0.29)};
}

/// The same species in the cell `by` cells further, or unknown i itself if no such cell exists.
/// Unknown i is species i % 3 of cell i / 3.
KOKKOS_FUNCTION int beside(int i, int by) {
  int const j = i + by * species;
  return j < 0 || j >= unknowns ? i : j;
}

/// The time derivative of unknown i.
template <class Y>
KOKKOS_FUNCTION double change(Rates const& k, Y const& y, int i) {
  int const c = i - i % species;
  double const slow = k.slow * y(c), fast = k.fast * y(c + 1) * y(c + 1),
               back = k.back * y(c + 1) * y(c + 2);
  double const reaction = i == c ? back - slow : i == c + 1 ? slow - back - fast : fast;
  return reaction + k.diffusion * (y(beside(i, -1)) - 2 * y(i) + y(beside(i, 1)));
}

/// The derivative of change(k, y, i) with respect to unknown j, in the same cell or of the same
/// species.
template <class Y>
KOKKOS_FUNCTION double derivative(Rates const& k, Y const& y, int i, int j) {
  int const c = i - i % species;
  double d = 0;
  if (j >= c && j < c + species) {
    double const slow = j == c ? k.slow : 0, fast = j == c + 1 ? 2 * k.fast * y(c + 1) : 0,
                 back = j == c + 1   ? k.back * y(c + 2)
                        : j == c + 2 ? k.back * y(c + 1)
                                     : 0;
    d = i == c ? back - slow : i == c + 1 ? slow - back - fast : fast;
  }
  if (j == beside(i, -1)) d += k.diffusion;
  if (j == beside(i, 1)) d += k.diffusion;
  if (j == i) d -= 2 * k.diffusion;
  return d;
}

/// The sparsity pattern of the Jacobian by rows, with ascending columns.
struct Pattern {
  std::vector<int> row_offsets{0}, columns;
  Pattern() {
    for (int i = 0; i < unknowns; ++i) {
      for (int j = 0; j < unknowns; ++j)
        if (i / species == j / species || j == beside(i, -1) || j == beside(i, 1))
          columns.push_back(j);
      row_offsets.push_back(int(columns.size()));
    }
  }
};
Kokkos::View<int*> on_device(std::string const& label, std::vector<int> const& from) {
  Kokkos::View<int*> const v(label, from.size());
  Kokkos::deep_copy(v, Kokkos::View<int const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                           from.data(), from.size()));
  return v;
}

/// Solves for one update. The first update of a step computes new factors. Later updates of the
/// step use them, as long as they reach the tolerance.
template <class Solver, class Member, class A, class V>
KOKKOS_FUNCTION auto solve_update(Solver const& solver, Member const& member, bool first,
                                  A const& jacobian, V const& residual, V const& update) {
  if constexpr (requires { solver.solve_factored(member, jacobian, residual, update); }) {
    if (!first) {
      // |b - A x| is that of the present Jacobian.
      auto const said = solver.solve_factored(member, jacobian, residual, update);
      if (said.code == 0) return said;
    }
  }
  auto const said = solver.solve(member, jacobian, residual, update);  // waits for the team
  return said;
}

/// The kernel: each team computes all steps of one reactor.
template <class Solver>
struct Simulate {
  using Numbers = Kokkos::View<double*, Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  Solver solver;
  Kokkos::View<int*> row_offsets, columns;
  /// (reactor, step, unknown): the state at the end of a step; step 0 is the start.
  Kokkos::View<double***> course;
  /// For each reactor: updates, iterations of the solver, solves that did not converge.
  Kokkos::View<int* [3]> count;
  int entries;

  /// Team scratch of the kernel itself, in bytes, without the solver's.
  std::size_t own_scratch() const {
    return 3 * Numbers::shmem_size(unknowns) + Numbers::shmem_size(std::size_t(entries));
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const reactor = member.league_rank();
    Rates const k = rates_of(reactor);
    int const n = unknowns;
    Numbers const y(member.team_scratch(0), n), update(member.team_scratch(0), n),
        residual(member.team_scratch(0), n), jacobian(member.team_scratch(0), entries);
    int updates = 0, iterations = 0, failures = 0;

    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, n),
                         [&](int i) { y(i) = course(reactor, 0, i); });
    member.team_barrier();
    for (int step = 1; step <= steps; ++step) {
      double const h = step_size(step - 1);
      for (int turn = 0; turn < most_updates; ++turn) {
        // (I - h f'(y)) update = -(y - y_before - h f(y))
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, n), [&](int i) {
          residual(i) = course(reactor, step - 1, i) + h * change(k, y, i) - y(i);
          for (int e = row_offsets(i); e < row_offsets(i + 1); ++e)
            jacobian(e) = (columns(e) == i ? 1 : 0) - h * derivative(k, y, i, columns(e));
          update(i) = 0;
        });
        auto const said = solve_update(solver, member, turn == 0, jacobian, residual, update);
        double largest = 0;
        for (int i = 0; i < n; ++i) largest = Kokkos::fmax(largest, Kokkos::fabs(update(i)));
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, n), [&](int i) { y(i) += update(i); });
        member.team_barrier();
        ++updates;
        iterations += said.iterations;
        failures += said.code != 0;
        if (largest <= small) break;
      }
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, n),
                           [&](int i) { course(reactor, step, i) = y(i); });
    }
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      count(reactor, 0) = updates;
      count(reactor, 1) = iterations;
      count(reactor, 2) = failures;
    });
  }
};

// ---- checks
// --------------------------------------------------------------------------------------

struct Findings {
  double residual = 0;  ///< the largest of all steps, relative to the size of its terms
  double mass = 0;      ///< the largest change in a step
  double lowest = 1;    ///< lowest concentration
  double left = 0;      ///< mean concentration of the first species at the end
};

template <class Course>
Findings look_at(Course const& course) {
  Findings f;
  auto const note = [](double& worst, double x) {
    if (!(x <= worst)) worst = x;  // also true for a NaN
  };
  for (int r = 0; r < reactors; ++r) {
    Rates const k = rates_of(r);
    for (int step = 1; step <= steps; ++step) {
      auto const y = [&](int i) { return course(r, step, i); };
      double mass = 0, mass_before = 0;
      for (int i = 0; i < unknowns; ++i) {
        double const h = step_size(step - 1);
        double const residual = y(i) - course(r, step - 1, i) - h * change(k, y, i);
        // If updates are below `small`, the residual is the rounding error of its terms. The terms
        // of the fast reaction cancel.
        double const terms = 1 + h * (k.slow + 4 * k.diffusion +
                                      k.fast * y(i - i % species + 1) * y(i - i % species + 1));
        note(f.residual, std::fabs(residual) / terms);
        if (!(y(i) >= f.lowest)) f.lowest = y(i);
        mass += y(i);
        mass_before += course(r, 0, i);
      }
      note(f.mass, std::fabs(mass - mass_before));
    }
    for (int c = 0; c < cells; ++c) f.left += course(r, steps, c * species) / (reactors * cells);
  }
  return f;
}

template <class Solver>
bool run(char const* name, Solver const& solver, Kokkos::View<int*> const& row_offsets,
         Kokkos::View<int*> const& columns) {
  Kokkos::View<double***> const course("course", reactors, steps + 1, unknowns);
  Kokkos::View<int* [3]> const count("count", reactors);
  auto const host_course = Kokkos::create_mirror_view(course);
  // At the start only the first species exists, with more of it in the cells to the left.
  for (int r = 0; r < reactors; ++r)
    for (int c = 0; c < cells; ++c) host_course(r, 0, c * species) = 1 - 0.2 * c;
  Kokkos::deep_copy(course, host_course);

  Simulate<Solver> const simulate{solver, row_offsets, columns,
                                  course, count,       int(columns.extent(0))};
  int const team_size = solver.team_size();
  Kokkos::TeamPolicy<Exec> policy(reactors, team_size);
  policy.set_scratch_size(
      0, Kokkos::PerTeam(int(simulate.own_scratch() + solver.scratch_size(team_size))));
  Kokkos::parallel_for("newton", policy, simulate);

  auto const said = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), count);
  Findings const found = look_at(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), course));
  long updates = 0, iterations = 0, failures = 0;
  int most = 0;
  for (int r = 0; r < reactors; ++r) {
    updates += said(r, 0);
    iterations += said(r, 1);
    failures += said(r, 2);
    most = std::max(most, said(r, 0));
  }
  double time = 0;
  for (int step = 0; step < steps; ++step) time += step_size(step);
  std::printf(
      "%s: %d reactors of %d unknowns, %d implicit steps to %.0f s in one kernel on %s, %d threads "
      "per team\n",
      name, reactors, unknowns, steps, time, Exec::name(), team_size);
  std::printf("updates per step: %.1f; solver iterations per update: %.1f\n",
              double(updates) / (double(reactors) * steps), double(iterations) / double(updates));
  std::printf("linear systems that did not converge: %ld of %ld\n", failures, updates);
  std::printf("first species left: %.3f on average\n", found.left);
  std::printf("largest residual of a step: %.2g\n", found.residual);
  std::printf("largest change of the mass: %.2g\n", found.mass);
  std::printf("lowest concentration: %.2g\n", found.lowest);
  bool const right = found.residual < 1e-11 && found.mass < 1e-10 && found.lowest > -1e-12 &&
                     most < most_updates * steps && found.left > 0.1 && found.left < 0.69;
  std::printf(right ? "right\n" : "WRONG\n");
  return right;
}

int run() {
  using namespace Batchwork;
  Pattern const pattern;
  auto const row_offsets = on_device("row offsets", pattern.row_offsets);
  auto const columns = on_device("columns", pattern.columns);
  auto const solver = team_solve<Exec>(bicgstab(relative(1e-10, 100)), jacobi(),
                                       csr_pattern<double>(row_offsets, columns));
  auto const direct =
      team_solve<Exec>(direct_lu(relative(1e-10)), csr_pattern<double>(row_offsets, columns));
  bool const right = run("BiCGSTAB", solver, row_offsets, columns);
  return run("direct_lu", direct, row_offsets, columns) && right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  return run();
}
