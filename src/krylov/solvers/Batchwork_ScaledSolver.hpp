// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// scaled and weighted: a solver that iterates for scaled systems, and in which norm it stops.
#ifndef BATCHWORK_SCALEDSOLVER_HPP
#define BATCHWORK_SCALEDSOLVER_HPP

#include "krylov/Batchwork_Stopping.hpp"
#include "krylov/verbs/detail/Batchwork_VectorOrCommon.hpp"

namespace Batchwork {

/// What a scaled solve scales: rows, columns, or both.
enum class Scaling { rows, columns, both };
/// The norm that a scaled solve meets its tolerance in: that of b - A x and b, or that of diag(l)
/// (b - A x) and diag(l) b.
enum class TestNorm { unscaled, scaled };

namespace Impl {

struct NoWeights {};

/// What scaled and weighted give; Weights is a View v(item, row), common(v), or NoWeights.
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

/// The solver for systems that are badly scaled: every item is scaled to diag(l) A diag(r) y =
/// diag(l) b by powers of two, solved, and x = diag(r) y. Rows are scaled by their largest
/// magnitudes, then columns by the largest that they have left (LAPACK's geequ); for
/// conjugate_gradients rows and columns by the roots of the diagonal (poequ; van der Sluis,
/// Condition numbers and equilibration of matrices, Numer. Math. 14 (1969)). All of it is done in
/// the one kernel of solve; A and b are not changed, nothing is stored.
/// \param solver   conjugate_gradients, with Scaling::both only, so that the matrix stays
/// symmetric; bicgstab, gmres, richardson;
///                 or a SolveConfiguration
/// \param scaling  of rows, columns, or both
/// \param norm     the norm of the test: unscaled, the user's, or scaled. In the user's a tolerance
/// may be out of reach of
///                 rounding, which ends as stagnated, and on larger systems more are lost than
///                 without scaling (docs/reference/krylov). Both norms are logged, as residual and
///                 scaled_residual
///
/// The preconditioner M is that of A as it is given, taken as diag(1/r) M diag(1/l); none at all
/// stays none. recurrence, the history and the limit of divergence are in the scaled norm. Every
/// item's residual is confirmed in twice the precision. To find the factors takes two sweeps over
/// the matrix; zeros, infinities and NaN count as if they were not there.
template <class Solver>
auto scaled(Solver const& solver, Scaling scaling = Scaling::both,
            TestNorm norm = TestNorm::unscaled) {
  static_assert(!Impl::is_scaled_solver<Solver>,
                "Batchwork::scaled: the solver is scaled already, and weighted(...) is put around "
                "scaled(...)");
  return Impl::ScaledSolver<Solver, Impl::NoWeights>{solver, solver.stop, true, scaling, norm, {}};
}

/// The solver with a weighted norm for its test: |diag(w) (b - A x)| is to be at most tolerance
/// times |diag(w) b|, times that of the start, or at most the tolerance, by RelativeTo; 2-norms.
/// With the weights 1 / (rtol |y_i| + atol_i) of an integrator and absolute(tolerance) that is the
/// test of SUNDIALS' linear solvers, where the root mean square is sqrt(rows) times less.
/// \param solver   conjugate_gradients, bicgstab, gmres, richardson or a SolveConfiguration, which
/// then iterates for the system
///                 scaled by the weights, rounded up to powers of two: rows by w, columns by 1 / w,
///                 with conjugate_gradients both by w; or scaled(...), which stays scaled as it
///                 says
/// \param weights  a View w(item, row) in any layout or strided, or compact(w, n), or common(w) of
/// w(row), the same for all items;
///                 of the type of the numbers. Magnitudes count; a row with weight zero is not
///                 tested. An item with a weight that is not finite ends as not_finite
///
/// With matrix_free, too. The weighted norm is logged as scaled_residual, |b - A x| as residual.
/// See scaled.
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
  bool is_symmetric = false;   ///< the factors of rows are to be those of columns
  Scaling scaling = Scaling::both;
  ItemVector<T> weights{};

  /// Whether the scaled norm says nothing of the tested one.
  BATCHWORK_INLINE bool test_is_apart() const {
    return tests_unscaled || (has_weights && equilibrates);
  }
};

/// That of a call, to which the weights' View is added.
template <class Exec, class T, class Solver, class A>
auto scaling_of(SystemCall& call, Solver const& given, A const& a) {
  if constexpr (!is_scaled_solver<Solver>) {
    return NotScaled{};
  } else {
    using Plain = decltype(given.solver);
    constexpr bool symmetric = requires { Plain::is_symmetric; };
    constexpr bool has_weights = !std::is_same_v<decltype(given.weights), NoWeights>;
    if (given.scaling != Scaling::rows && given.scaling != Scaling::columns &&
        given.scaling != Scaling::both)
      call.fail("a scaling by number " + std::to_string(int(given.scaling)) +
                " of Scaling, which there is not; give rows, columns or both");
    if (given.norm != TestNorm::unscaled && given.norm != TestNorm::scaled)
      call.fail("a test in number " + std::to_string(int(given.norm)) +
                " of TestNorm, which there is not; give unscaled or scaled");
    if (given.equilibrates) {
      if (symmetric && given.scaling != Scaling::both)
        call.fail(
            "conjugate_gradients scaled by rows or columns alone, which leaves no symmetric "
            "matrix; "
            "give Scaling::both");
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
