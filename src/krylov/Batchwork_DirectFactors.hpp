// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// factorize: keeps the factors of direct_lu for later solves with the same matrices or similar
/// ones.
#ifndef BATCHWORK_DIRECTFACTORS_HPP
#define BATCHWORK_DIRECTFACTORS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "krylov/Batchwork_DirectLu.hpp"
#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "krylov/direct/detail/Batchwork_DirectLaunch.hpp"
#include "krylov/direct/detail/Batchwork_DirectProblem.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork {

/// The result of factorize: factors of the matrices of a batch, for solve. Copies share the
/// numbers.
/// \tparam Exec    the execution space that made the factors
/// \tparam Factor  as in DirectLu
/// \tparam A       type of the matrices
/// \tparam View    type of the View with the numbers of the factors
template <class Exec, class Factor, class A, class View>
struct DirectFactors {
  StoppingCriteria stop{};  ///< criteria of later solves, as in DirectLu; may be changed
  /// Refinement steps at most: 30, or those of the solver if more; stop.most_iterations limits
  /// them, too. They bring a solution to the tolerance where the factors belong to other matrices,
  /// as long as each halves the residual.
  int refinements = 30;

  // ---- the rest is not for users ----
  A a;
  View numbers;
  std::int64_t items = 0;
  std::size_t bytes = 0;  // that are kept of an item or a pack
};

namespace Impl {

template <class X>
inline constexpr bool is_direct_factors = false;
template <class Exec, class Factor, class A, class View>
inline constexpr bool is_direct_factors<DirectFactors<Exec, Factor, A, View>> = true;
template <class Exec, class Factor, class A, class View>
inline constexpr bool has_own_solve<DirectFactors<Exec, Factor, A, View>> = true;

/// The kept factors as slots. Refuses Views that are too small.
template <class T, class View>
WorkspaceSlots<T> direct_slots_of(SystemCall const& call, View const& view, DirectKept const& kept,
                                  std::int64_t rows) {
  std::int64_t const wanted = WorkspaceSlots<T>::numbers(kept.count, kept.bytes);
  if (std::int64_t(view.extent(0)) < wanted)
    call.fail(call.parts.back().name() + " has " + std::to_string(view.extent(0)) +
              " numbers, too few for the factors of systems of " + std::to_string(rows) +
              " rows; give a View of factors_numbers(...) numbers, " + std::to_string(wanted));
  return WorkspaceSlots<T>::of(view.data(), wanted, kept.bytes, kept.count);
}

template <class Exec, class Factor, class A, class View, class Log>
auto factorize_batch(Exec const& exec, std::string const& label, DirectLu<Factor> const& solver,
                     A const& a, View const& numbers, Log const& log) {
  using T = typename View::value_type;
  using F = typename FactorOf<T, DirectLu<Factor>>::type;
  static_assert(!std::is_void_v<typename A::value_type>,
                "Batchwork::factorize: direct_lu needs the entries of the matrices, which "
                "matrix_free does not have");
  require_kernels<KernelSet::solvers, Exec>();
  static_assert(!std::is_const_v<T>, "Batchwork: a const View cannot be written");
  require_reachable<(A::template reachable<Exec>)>();
  require_direct_log<Log, typename A::value_type, Exec>();
  SystemCall call("factorize", label);
  call.add_matrices(2, a);
  if (a.views().empty())
    call.fail("operand 2, a: one matrix for any number of items; give matrices of a batch");
  std::int64_t const items = call.check();
  add_direct_log(call, 4, log);
  add_direct_memory<typename A::value_type, Exec>(call, 3, "factors", numbers, true);
  call.check();
  DirectFactors<Exec, Factor, A, View> factors{solver.stop, std::max(30, solver.refinements), a,
                                               numbers, items};
  if (items == 0) return factors;
  DirectProblem<T> p = direct_problem<T>(solver, a, log, items);
  if (a.rows() > 0) {
    auto const kept = DirectSizes<T, F, Exec>::kept(exec, a.rows(), items);
    factors.bytes = kept.bytes;
    p.kept = direct_slots_of<T>(call, numbers, kept, a.rows());
  }
  DirectLaunch<T, DirectTask::factorise, F, Exec>::run(exec, call, p, {});
  return factors;
}

/// A SolveLog, or if none is given one without Views.
template <class Exec, class View>
using NoLog = SolveLog<typename View::value_type, typename Exec::memory_space>;
template <class X>
concept HasReasons = requires(X const& log) { log.reason; };

struct FactorizeCall {
  template <class Exec, class Factor, SystemMatrices A, class View, class Log = NoLog<Exec, View>>
    requires(Kokkos::is_view_v<View> && HasReasons<Log>)
  auto operator()(Exec const& exec, Launch<> const& how, DirectLu<Factor> const& solver, A const& a,
                  View const& numbers, Log const& log = {}) const {
    return factorize_batch(exec, label_alone(how), solver, a, numbers, log);
  }
};

template <class Exec, class Factor, class OfA, class View, class A, class B, class X, class Log>
void solve_with_factors(Exec const& exec, std::string const& label,
                        DirectFactors<Exec, Factor, OfA, View> const& f, A const& a, B const& b,
                        X const& x, Log const& log, int first) {
  using T = typename View::value_type;
  using F = typename FactorOf<T, DirectLu<Factor>>::type;
  static_assert(std::is_same_v<typename A::value_type, T>,
                "Batchwork::solve: the factors and the matrices hold different types of numbers");
  DirectLu<Factor> solver;
  solver.stop = f.stop;
  solver.refinements = f.refinements;
  WorkspaceSlots<T> slots;
  direct_batch<Exec>(
      label, solver, a, b, x, log, first,
      [&](SystemCall& call) {
        std::int64_t const items = call.check();
        add_direct_memory<T, Exec>(call, 1, "factors", f.numbers, false);
        if (a.rows() != f.a.rows() || items != f.items)
          call.fail("operand 1, factors: made for " + std::to_string(f.items) + " systems of " +
                    std::to_string(f.a.rows()) + " rows, but A has " + std::to_string(items) +
                    " of " + std::to_string(a.rows()) + " rows; call factorize for A");
        if (items == 0 || a.rows() == 0) return;
        auto const kept = DirectSizes<T, F, Exec>::kept(exec, a.rows(), items);
        if (kept.bytes != f.bytes)
          call.fail(
              "operand 1, factors: made on another device; call factorize on the one that solves");
        slots = direct_slots_of<T>(call, f.numbers, kept, a.rows());
      },
      [&](SystemCall const& call, DirectProblem<T> p) {
        p.kept = slots;
        // Growth and condition belong to the eliminated matrices.
        p.growth = p.condition = nullptr;
        DirectLaunch<T, DirectTask::substitute, F, Exec>::run(exec, call, p, {});
      });
}

struct SolveFactorsCall {
  template <class Exec, class Of, class Factor, class OfA, class View, SystemMatrices A, Viewish B,
            Viewish X, HasReasons Log = NoLog<Exec, View>>
  void operator()(Exec const& exec, Launch<> const& how,
                  DirectFactors<Of, Factor, OfA, View> const& f, A const& a, B const& b, X const& x,
                  Log const& log = {}) const {
    run(exec, how, f, a, b, x, log, 3);
  }
  template <class Exec, class Of, class Factor, class OfA, class View, Viewish B, Viewish X,
            HasReasons Log = NoLog<Exec, View>>
  void operator()(Exec const& exec, Launch<> const& how,
                  DirectFactors<Of, Factor, OfA, View> const& f, B const& b, X const& x,
                  Log const& log = {}) const {
    run(exec, how, f, f.a, b, x, log, 2);
  }

 private:
  template <class Exec, class Of, class Factor, class OfA, class View, class... Rest>
  static void run(Exec const& exec, Launch<> const& how,
                  DirectFactors<Of, Factor, OfA, View> const& f, Rest const&... rest) {
    static_assert(std::is_same_v<Exec, Of>,
                  "Batchwork::solve: factors work only on the execution space on which factorize "
                  "was called");
    if constexpr (std::is_same_v<Exec, Of>) solve_with_factors(exec, label_alone(how), f, rest...);
  }
};

}  // namespace Impl

/// Eliminates the matrices of a batch as solve(direct_lu(...), A, b, x) does, in one kernel, and
/// keeps the factors for later solves.
///
/// ```text
/// auto f = factorize([exec,] [launch("label"),] direct_lu(stop), A, factors [, log])
/// solve([exec,] [launch("label"),] f, [A,] b, x [, log])
/// ```
///
/// ```cpp
/// auto const solver = direct_lu(relative(1e-10));
/// Kokkos::View<double*> kept("factors", factors_numbers(exec, solver, A, items));
/// auto f = factorize(exec, solver, A, kept);
/// solve(exec, f, b, x);       // as often as wanted
/// solve(exec, f, A, b, x, log);  // the numbers of A have changed: |b - A x| with the new ones
/// ```
///
/// \param direct_lu  direct_lu(stop): the tolerance of the later solves
/// \param A          csr, ell, dia, dense or AnyMatrices of a batch
/// \param factors    contiguous View<T*> with factors_numbers(...) elements of the type of the
///                   matrices. f keeps it; nothing else may write to it while f is used
/// \param log        a SolveLog: reason, reciprocal_growth and reciprocal_condition of the factors.
///                   Matrices without factors are singular, not_finite or invalid_pattern
/// \returns          a DirectFactors for solve, with any number of right-hand sides each time
/// \throws std::invalid_argument  before the launch: what solve refuses, one matrix for all items,
///                   a View with too few elements; the message gives the number
///
/// One kernel on `exec`, labelled Batchwork::factorize or Batchwork::factorize(label);
/// asynchronous, allocates nothing, never fences. 2 N^3 / 3 operations an item. The factors work
/// only on the execution space and the kind of device that made them.
template <class... X>
auto factorize(X const&... arguments) {
  static_assert(Impl::Takes<Impl::FactorizeCall, X...>,
                "Batchwork::factorize: the arguments are [exec,] [launch(\"label\"),] "
                "direct_lu(...), A, factors [, log] in this order, factors being a View<T*> of "
                "factors_numbers(...) numbers");
  return Impl::call_verb(Impl::FactorizeCall(), arguments...);
}

/// Solves with factors that factorize has kept:
///
/// ```text
/// solve([exec,] [launch("label"),] f, [A,] b, x [, log])
/// ```
///
/// \param f    a DirectFactors
/// \param A    matrices for the residual b - A x, of as many items and rows, in any format: the
///             eliminated ones or others that have changed since (a modified Newton iteration). If
///             left out, the Views given to factorize with their present numbers
/// \param b    View b(item, row) or b(item, row, column)
/// \param x    View as b, written
/// \param log  a SolveLog; iterations are refinement steps
/// \throws std::invalid_argument  before the launch: what solve refuses; factors of other numbers
///             of rows or items, or made on another device
///
/// Refinement brings x to the tolerance: at most `f.refinements` steps, as long as each halves the
/// residual (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, chapter 12). A
/// step takes 2 N^2 operations and one product. If that is not enough the item ends as stagnated
/// with the best x: call factorize again. Items without factors keep the reason that factorize
/// found, and x = NaN. The pattern of A is not checked: see check.
template <class... X>
  requires(Impl::is_direct_factors<X> || ...)
void solve(X const&... arguments) {
  static_assert(Impl::Takes<Impl::SolveFactorsCall, X...>,
                "Batchwork::solve: with factors of factorize the arguments are [exec,] "
                "[launch(\"label\"),] factors, [A,] b, x [, log] in this order; b and x are Views, "
                "without in(...) and out(...)");
  Impl::call_verb(Impl::SolveFactorsCall(), arguments...);
}

/// Elements that the factors of a batch need: somewhat more than full matrices with rows rounded up
/// to eight.
/// \param exec   execution space instance of factorize and the solves
/// \param a      matrices, as in factorize
/// \param items  number of items of the batch
template <class Exec, class Factor, Impl::SystemMatrices A>
  requires Kokkos::is_execution_space_v<Exec>
std::int64_t factors_numbers(Exec const& exec, DirectLu<Factor> const&, A const& a,
                             std::int64_t items) {
  using T = typename A::value_type;
  static_assert(!std::is_void_v<T>,
                "Batchwork::factors_numbers: direct_lu needs the entries of the matrices, which "
                "matrix_free does not have");
  Impl::require_kernels<Impl::KernelSet::solvers, Exec>();
  using F = typename Impl::FactorOf<T, DirectLu<Factor>>::type;
  if (items <= 0 || a.rows() == 0) return 0;
  auto const kept = Impl::DirectSizes<T, F, Exec>::kept(exec, a.rows(), items);
  return Impl::WorkspaceSlots<T>::numbers(kept.count, kept.bytes);
}
template <class Factor, Impl::SystemMatrices A>
std::int64_t factors_numbers(DirectLu<Factor> const& solver, A const& a, std::int64_t items) {
  return factors_numbers(Kokkos::DefaultExecutionSpace(), solver, a, items);
}

}  // namespace Batchwork

#endif
