// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// scaled and weighted: solvers that iterate for scaled systems, and the norm in which they stop.
#ifndef BATCHWORK_SCALEDSOLVER_HPP
#define BATCHWORK_SCALEDSOLVER_HPP

#include "krylov/base/Batchwork_Stopping.hpp"
#include "krylov/verbs/detail/Batchwork_VectorOrCommon.hpp"

namespace Batchwork {

/// What a scaled solve scales: rows, columns, or both.
enum class Scaling {
  rows,     ///< diag(l) A y = diag(l) b, and x = y
  columns,  ///< A diag(r) y = b
  both      ///< diag(l) A diag(r) y = diag(l) b
};
/// The norm in which a scaled solve meets its tolerance: of b - A x and b (unscaled), or of
/// diag(l) (b - A x) and diag(l) b (scaled).
enum class TestNorm {
  unscaled,  ///< |b - A x| and |b|
  scaled     ///< |diag(l) (b - A x)| and |diag(l) b|
};

namespace Impl {

struct NoWeights {};

/// The result of scaled and weighted. Weights is a View v(item, row), common(v), or NoWeights.
template <class Solver, class Weights>
struct ScaledSolver {
  using is_scaled = void;
  Solver solver;
  StoppingCriteria stop;  ///< the solver's
  bool equilibrates;      ///< or scales by the weights
  Scaling scaling;
  TestNorm norm;
  Weights weights;
};
template <class Solver>
inline constexpr bool is_scaled_solver = requires { typename Solver::is_scaled; };

}  // namespace Impl

/// A solver for badly scaled systems. Every item is scaled to diag(l) A diag(r) y = diag(l) b by
/// powers of two, solved, and x = diag(r) y, all in the one kernel of solve. A and b are not
/// changed.
///
/// ```cpp
/// auto const solver = scaled(bicgstab(relative(1e-8)), Scaling::both, TestNorm::scaled);
/// solve(exec, solver, jacobi(), A, b, x);
/// ```
///
/// \param solver   conjugate_gradients (with Scaling::both only), bicgstab, gmres, richardson, or a
///                 SolveConfiguration
/// \param scaling  rows, columns or both
/// \param norm     the norm of the test. In the unscaled norm a tolerance may be unreachable by
///                 rounding (stagnated), and on larger systems more items fail than without
///                 scaling. Both norms are logged, as residual and scaled_residual
/// \returns        a solver for solve
/// \throws std::invalid_argument  (by solve) matrix_free; conjugate_gradients scaled by rows or
///                 columns alone
///
/// Rows are scaled by their largest magnitudes, then columns by the largest that is left (LAPACK's
/// geequ). With conjugate_gradients rows and columns are scaled by the roots of the diagonal
/// (poequ; van der Sluis, Condition numbers and equilibration of matrices, Numer. Math. 14, 1969).
/// The preconditioner M is computed from A as given and used as diag(1/r) M diag(1/l); no
/// preconditioner stays none. recurrence, history and the divergence limit are in the scaled norm.
/// Every item's residual is confirmed in twice the precision. Finding the factors takes two sweeps
/// over the matrix; zeros, infinities and NaN are not counted.
template <class Solver>
auto scaled(Solver const& solver, Scaling scaling = Scaling::both,
            TestNorm norm = TestNorm::unscaled) {
  static_assert(!Impl::is_scaled_solver<Solver>,
                "Batchwork::scaled: the solver is scaled already, and weighted(...) is put around "
                "scaled(...)");
  return Impl::ScaledSolver<Solver, Impl::NoWeights>{solver, solver.stop, true, scaling, norm, {}};
}

/// A solver that tests a weighted norm: |diag(w) (b - A x)| is at most tolerance times |diag(w) b|,
/// times the same norm of the start, or at most the tolerance, as RelativeTo says (2-norms).
///
/// ```cpp
/// // weights of an integrator: 1 / (rtol |y_i| + atol_i)
/// solve(exec, weighted(bicgstab(absolute(0.05)), weights), jacobi(), A, b, x);
/// ```
///
/// \param solver   conjugate_gradients, bicgstab, gmres, richardson or a SolveConfiguration, which
///                 iterates for the system scaled by the weights, rounded up to powers of two: rows
///                 by w, columns by 1 / w, with conjugate_gradients both by w. Or scaled(...), with
///                 its own scaling
/// \param weights  View w(item, row) in any layout or strided, compact(w, n), or common(w) of
///                 w(row); the type of the numbers. Magnitudes count; a row with weight zero is not
///                 tested; an item with a weight that is not finite ends as not_finite
/// \returns        a solver for solve, also with matrix_free
///
/// With absolute(tolerance) this is the test of SUNDIALS' linear solvers. Their root mean square is
/// sqrt(rows) times smaller. The weighted norm is logged as scaled_residual, |b - A x| as
/// residual.
template <class Solver, Impl::VectorOrCommon W>
auto weighted(Solver const& solver, W const& weights) {
  if constexpr (Impl::is_scaled_solver<Solver>) {
    static_assert(std::is_same_v<decltype(solver.weights), Impl::NoWeights>,
                  "Batchwork::weighted: the solver has weights already");
    return Impl::ScaledSolver<decltype(solver.solver), W>{
        solver.solver, solver.stop, true, solver.scaling, TestNorm::scaled, weights};
  } else {
    return Impl::ScaledSolver<Solver, W>{solver,        solver.stop,      false,
                                         Scaling::both, TestNorm::scaled, weights};
  }
}

namespace Impl {

/// The same scaling of another solver.
template <class Given, class Weights, class Solver>
auto rescaled(ScaledSolver<Given, Weights> const& s, Solver const& solver) {
  return ScaledSolver<Solver, Weights>{solver,    solver.stop, s.equilibrates,
                                       s.scaling, s.norm,      s.weights};
}

/// The solver itself, without a scaling.
template <class Solver>
auto const& unscaled_solver(Solver const& solver) {
  if constexpr (is_scaled_solver<Solver>) return solver.solver;
  else return solver;
}

/// How the systems of a kernel are scaled.
struct NotScaled {};
template <class T>
struct SystemScaling {
  bool equilibrates = true;  ///< or scales by the weights
  bool has_weights = false;
  bool tests_unscaled = true;  ///< or by the weights, if there are any, or as scaled
  bool is_symmetric = false;   ///< rows and columns have the same factors
  Scaling scaling = Scaling::both;
  ItemVector<T> weights{};

  /// Whether the tested norm must be computed apart from the scaled norm.
  BATCHWORK_INLINE bool test_is_apart() const {
    return tests_unscaled || (has_weights && equilibrates);
  }
};

/// The scaling of a call, of a solver for symmetric matrices or not. Adds the View of the weights
/// to the call.
template <class Exec, class T, class Solver, class A>
auto scaling_of(SystemCall& call, Solver const& given, A const& a,
                [[maybe_unused]] bool symmetric) {
  if constexpr (!is_scaled_solver<Solver>) {
    return NotScaled{};
  } else {
    constexpr bool has_weights = !std::is_same_v<decltype(given.weights), NoWeights>;
    if (given.scaling != Scaling::rows && given.scaling != Scaling::columns &&
        given.scaling != Scaling::both)
      call.fail("a scaling by number " + std::to_string(int(given.scaling)) +
                " of Scaling, which does not exist; give rows, columns or both");
    if (given.norm != TestNorm::unscaled && given.norm != TestNorm::scaled)
      call.fail("a test in number " + std::to_string(int(given.norm)) +
                " of TestNorm, which does not exist; give unscaled or scaled");
    if (given.equilibrates) {
      if (symmetric && given.scaling != Scaling::both)
        call.fail(
            "conjugate_gradients scaled by rows or columns alone, which makes the matrix "
            "unsymmetric; give Scaling::both");
      if (std::is_void_v<typename A::value_type>)
        call.fail(
            "a scaled solver with matrix_free, which has no entries to scale by; give "
            "weighted(solver, weights)");
    }
    SystemScaling<T> s{given.equilibrates, has_weights, given.norm == TestNorm::unscaled, symmetric,
                       given.scaling};
    if constexpr (has_weights)
      s.weights = factors_of<Exec, T>(call, 1, "weights", a, given.weights);
    return s;
  }
}

}  // namespace Impl
}  // namespace Batchwork

#endif
