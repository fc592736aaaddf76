// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peer on hosts: Eigen's iterative solvers in a loop over the items, on one thread. They read the
// numbers in place.

#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_EIGEN)
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>

namespace BatchworkPerf {

namespace {

using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;
using NoPreconditioner = Eigen::IdentityPreconditioner;
using Jacobi = Eigen::DiagonalPreconditioner<double>;
template <class Preconditioner>
using ConjugateGradients =
    Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, Preconditioner>;
template <class Preconditioner>
using Bicgstab = Eigen::BiCGSTAB<Matrix, Preconditioner>;

template <class Solver>
void eigen_solve(benchmark::State& state, Family const& family, std::int64_t items) {
  SolveProblem const p(family, items);
  Said said;
  said.iterations.resize(static_cast<std::size_t>(items));
  said.met.resize(static_cast<std::size_t>(items));
  // It says what the recurrence does.
  said.of_true_residual = false;
  auto const launch = [&](SolveProblem::Vectors const& x) {
    Solver solver;
    solver.setTolerance(p.distinct.tolerance);
    solver.setMaxIterations(most_iterations);
    for (std::int64_t n = 0; n < items; ++n) {
      using Vector = Eigen::VectorXd;
      Eigen::Map<Matrix const> const a(p.rows, p.rows, p.nonzeros, p.row_offsets.data(),
                                       p.columns.data(), p.values.data() + n * p.nonzeros);
      Eigen::Map<Vector const> const b(p.b.data() + n * p.rows, p.rows);
      Eigen::Map<Vector> to(x.data() + n * p.rows, p.rows);
      solver.compute(a);
      to = solver.solve(b);
      said.iterations[static_cast<std::size_t>(n)] = static_cast<int>(solver.iterations());
      said.met[static_cast<std::size_t>(n)] = solver.info() == Eigen::Success;
    }
  };
  p.run(state, launch, [&] { return said; });
}

}  // namespace

void register_eigen_solvers() {
  for (Family const& f : stencils()) {
    register_solve("solve", "eigen", f, "csr", "cg", batch_items,
                   eigen_solve<ConjugateGradients<NoPreconditioner>>);
    register_solve("solve", "eigen", f, "csr", "bicgstab", batch_items,
                   eigen_solve<Bicgstab<NoPreconditioner>>);
  }
  for (Family const& f : chemistry())
    register_solve("solve", "eigen", f, "csr", "bicgstab-jacobi", batch_items,
                   eigen_solve<Bicgstab<Jacobi>>);
}

}  // namespace BatchworkPerf
#endif
