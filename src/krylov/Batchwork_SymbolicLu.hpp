// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// symbolic_lu: analyses a sparse pattern once on the host; direct_lu(symbolic): solves a batch
/// along it.
#ifndef BATCHWORK_SYMBOLICLU_HPP
#define BATCHWORK_SYMBOLICLU_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "krylov/Batchwork_DirectLu.hpp"
#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "krylov/direct/detail/Batchwork_DirectProblem.hpp"
#include "krylov/direct/detail/Batchwork_SymbolicLaunch.hpp"
#include "krylov/direct/detail/Batchwork_SymbolicLists.hpp"
#include "krylov/direct/detail/Batchwork_SymbolicProblem.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork {

/// The elimination of a sparse pattern, for direct_lu(symbolic, stop). Made by symbolic_lu. Copies
/// share their memory.
/// \tparam Memory  memory space of the lists that kernels read
template <class Memory>
class SymbolicLu {
 public:
  using memory_space = Memory;  ///< the memory space of the lists

  /// Rows of the matrices.
  std::int64_t rows() const { return lists_.places.n; }
  /// Entries of the matrices, as the format counts them.
  std::int64_t nonzeros() const { return nonzeros_; }
  /// Entries of L and U, with one diagonal: entries of the pattern and fill-in.
  std::int64_t factor_entries() const { return lists_.places.entries; }
  /// Multiply-adds of an elimination; a full matrix takes n^3 / 3.
  std::int64_t products() const { return products_; }
  /// Number of steps; pivots of a step are taken at the same time.
  int levels() const { return levels_; }
  /// The rows of the pivots, in their order.
  std::vector<int> const& order() const { return order_; }

  // ---- the rest is not for users ----

  template <class Exec>
  SymbolicLu(Exec const& exec, Impl::SymbolicAnalysis const& of, std::int64_t nonzeros)
      : nonzeros_(nonzeros),
        products_(of.products),
        levels_(of.levels),
        lanes_(of.lanes),
        order_(of.order) {
    Impl::SymbolicListsOnHost const& on_host = of.lists;
    lists_.places = on_host.places;
    lists_.of_upper = on_host.of_upper;
    lists_.has_repeated = on_host.has_repeated;
    lists_.given_begin = keep(exec, integers_, on_host.given_begin, 0);
    lists_.row_begin = keep(exec, integers_, on_host.row_begin, 1);
    lists_.column_begin = keep(exec, integers_, on_host.column_begin, 2);
    lists_.first_slice = keep(exec, integers_, on_host.first_slice, 3);
    lists_.given = keep(exec, places_, on_host.given, 0);
    lists_.of_row = keep(exec, places_, on_host.of_row, 1);
    lists_.of_column = keep(exec, places_, on_host.of_column, 2);
    lists_.slices = keep(exec, &slices_, on_host.slices, 0);
    lists_.targets = keep(exec, words_, on_host.targets, 0);
    lists_.pairs = keep(exec, words_, on_host.pairs, 1);
    lists_.eliminate = on_host.eliminate;
    lists_.forward = on_host.forward;
    lists_.backward = on_host.backward;
    lists_.forward_transposed = on_host.forward_transposed;
    lists_.backward_transposed = on_host.backward_transposed;
    exec.fence("Batchwork::symbolic_lu");  // the lists on the host end here
  }
  Impl::SymbolicLists const& lists() const { return lists_; }
  int lanes() const { return lanes_; }

 private:
  template <class T>
  using Kept = Kokkos::View<T*, Memory>;

  std::int64_t nonzeros_ = 0, products_ = 0;
  int levels_ = 0, lanes_ = 1;
  std::vector<int> order_;
  Impl::SymbolicLists lists_;
  Kept<int> integers_[4];
  Kept<std::uint16_t> places_[3];
  Kept<Impl::ListSlice> slices_;
  Kept<std::uint32_t> words_[2];

  /// In the memory of the instance's device.
  template <class Exec, class T>
  static T const* keep(Exec const& exec, Kept<T>* kept, std::vector<T> const& from, int which) {
    Kept<T> view(Kokkos::view_alloc("Batchwork::symbolic_lu", Kokkos::WithoutInitializing, exec),
                 from.size());
    Kokkos::deep_copy(
        exec, view,
        Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
            from.data(), from.size()));
    kept[which] = view;
    return view.data();
  }
};

/// The result of direct_lu(symbolic, stop): a solver that takes no preconditioner.
/// \tparam Memory  as in SymbolicLu
template <class Memory>
struct SparseDirectLu {
  SymbolicLu<Memory> symbolic;  ///< the elimination of the pattern, from symbolic_lu(A)
  /// Tolerance of the true residual; most_iterations limits refinement steps. By default
  /// relative(1e-8).
  StoppingCriteria stop{};
  int refinements =
      1;  ///< refinement steps at most, default 1; also limited by stop.most_iterations
  bool equilibrate = true;  ///< rows, then columns, are scaled by powers of two (LAPACK's geequb)
  /// A pivot is accepted if it is at least this times the largest number below it; from 0 to 1. 0
  /// means eps of the type of the systems: below that no digit of the pivot's row is left. The
  /// solution then shows whether a small pivot did harm. (KLU uses 1e-3 and UMFPACK 0.1, and no
  /// test of the solution.)
  double pivot_threshold = 0;
  /// true: items with smaller pivots or inaccurate solutions are eliminated as full matrices by a
  /// second kernel. false: such pivots end as small_pivot.
  bool falls_back = true;
};

namespace Impl {
template <class X>
inline constexpr bool is_symbolic = false;
template <class Memory>
inline constexpr bool is_symbolic<SymbolicLu<Memory>> = true;
}  // namespace Impl

/// Elimination along a sparse pattern as the solver of solve.
///
/// ```cpp
/// auto const symbolic = symbolic_lu(exec, A);  // once for a pattern
/// solve(exec, direct_lu(symbolic, relative(1e-10)), A, b, x, log);
/// ```
///
/// \param symbolic  from symbolic_lu(A), for matrices with the same pattern
/// \param stop      as in direct_lu(stop)
template <class Symbolic>
  requires Impl::is_symbolic<Symbolic>
auto direct_lu(Symbolic const& symbolic, StoppingCriteria const& stop = {}) {
  return SparseDirectLu<typename Symbolic::memory_space>{symbolic, stop};
}

namespace Impl {

template <class X>
inline constexpr bool is_sparse_direct = false;
template <class Memory>
inline constexpr bool is_sparse_direct<SparseDirectLu<Memory>> = true;
template <class Memory>
inline constexpr bool has_own_solve<SparseDirectLu<Memory>> = true;

/// The columns of each row, on the host. Throws for columns out of range, and for offsets of dia
/// that kernels do not find.
template <class A>
std::vector<std::vector<int>> columns_of_pattern(SystemCall const& call, A const& a) {
  int const n = int(a.rows());
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(n));
  if constexpr (requires { a.offsets; }) {
    auto const offsets = pattern_on_host(a.offsets);
    for (std::size_t d = 1; d < offsets.extent(0); ++d)
      if (offsets(d) < offsets(d - 1))
        call.fail("the offset of diagonal " + std::to_string(d) + " is " +
                  std::to_string(offsets(d)) + " after " + std::to_string(offsets(d - 1)) +
                  "; see check(A)");
  }
  if constexpr (requires { a.columns_by_rows(); }) {
    auto const given = a.columns_by_rows();
    for (int i = 0; i < n; ++i)
      for (std::int64_t const j : given[std::size_t(i)]) {
        if (j < 0 || j >= n)
          call.fail("row " + std::to_string(i) + " has an entry in column " + std::to_string(j) +
                    " of " + std::to_string(n) + "; see check(A)");
        rows[std::size_t(i)].push_back(int(j));
      }
  } else {
    static_assert(
        requires { a.columns_by_rows(); },
        "Batchwork::symbolic_lu: matrices without a pattern; use direct_lu() for dense "
        "matrices, and give csr, ell or dia instead of AnyMatrices");
  }
  return rows;
}

template <class Exec, class A>
auto make_symbolic(Exec const& exec, A const& a, std::vector<int> const& order, int lanes = 0) {
  require_kernels<KernelSet::solvers, Exec>();
  using Memory = typename Exec::memory_space;
  SystemCall const call("symbolic_lu");
  call.check_matrices(1, a);
  constexpr std::int64_t most = PlacesOfItem::most;
  std::int64_t const n = a.rows();
  if (3 * n + 1 > most)
    call.fail("systems of " + std::to_string(n) + " rows, more than the limit of " +
              std::to_string((most - 1) / 3) + remedy_of_symbolic());
  if (!order.empty()) {
    std::vector<char> seen(static_cast<std::size_t>(n), 0);
    bool fits = std::int64_t(order.size()) == n;
    for (int const k : order)
      fits = fits && k >= 0 && k < n &&
             ++seen[std::size_t(std::clamp<std::int64_t>(k, 0, n - 1))] == 1;
    if (!fits)
      call.fail("operand 2, the order, does not have each of the rows 0 to " +
                std::to_string(n - 1) + " once");
  }
  auto const columns = columns_of_pattern(call, a);
  return SymbolicLu<Memory>(
      exec, SymbolicLaunch<typename A::value_type, Exec>::analyse(call, columns, order, lanes),
      a.nonzeros());
}

/// Relative to its pivot.
template <class T, class Memory>
T largest_of_column(SparseDirectLu<Memory> const& solver) {
  double const eps = std::numeric_limits<T>::epsilon();
  return T(1 / (solver.pivot_threshold > 0 ? solver.pivot_threshold : eps));
}
template <class Exec, class Memory, class A, class B, class X, class Log, class Given>
void sparse_batch(Exec const& exec, std::string const& label, SparseDirectLu<Memory> const& solver,
                  A const& a, B const& b, X const& x, Log const& log, Given const& given) {
  using T = typename Log::value_type;
  static_assert(reaches<Exec, Memory>,
                "Batchwork::solve: the SymbolicLu is in memory that the execution space cannot "
                "reach; call symbolic_lu with the same execution space");
  SymbolicLu<Memory> const& s = solver.symbolic;
  direct_batch<Exec>(
      label, solver, a, b, x, log, 3,
      [&](SystemCall& call) {
        if (a.rows() != s.rows() || a.nonzeros() != s.nonzeros())
          call.fail("operand 1, direct_lu(symbolic): made for a pattern of " +
                    std::to_string(s.rows()) + " rows and " + std::to_string(s.nonzeros()) +
                    " entries, but the matrices have " + std::to_string(a.rows()) + " and " +
                    std::to_string(a.nonzeros()) + "; call symbolic_lu for these matrices");
        if (!(solver.pivot_threshold >= 0 && solver.pivot_threshold <= 1))
          call.fail("a pivot threshold of " + std::to_string(solver.pivot_threshold) +
                    "; give a number from 0 to 1");
        if (log.dense_form.data() != nullptr) call.add_log(5, log.dense_form, "dense_form");
        if constexpr (!std::is_same_v<Given, NoWorkspace>)
          add_direct_memory<T, Exec>(call, 6, "workspace", given.view, true);
      },
      [&](SystemCall const& call, DirectProblem<T> const& p) {
        SymbolicProblem<T> const q{p, s.lists(), largest_of_column<T>(solver), solver.falls_back,
                                   log.dense_form.data()};
        SymbolicLaunch<T, Exec>::run(exec, call, q, s.lanes(), given_workspace<T>(given));
      });
}

struct SolveByPatternCall {
  static constexpr int operands_before = 2;
  template <class Exec, class Memory, SystemMatrices A, RightHandSides B, Viewish X,
            LogOrWorkspace... Rest>
  void operator()(Exec const& exec, Launch<> const& how, SparseDirectLu<Memory> const& solver,
                  A const& a, B const& b, X const& x, Rest const&... rest) const {
    using T = std::remove_const_t<typename std::remove_cvref_t<decltype(stored(x))>::value_type>;
    with_log_and_workspace<T, Exec>(
        [&](auto const& log, auto const& memory) {
          sparse_batch(exec, label_alone(how), solver, a, b, x, log, memory);
        },
        rest...);
  }
};

}  // namespace Impl

/// Analyses a sparse pattern for direct_lu(symbolic): finds an order of the pivots with little
/// fill-in, the entries of L and U, and which pivots are independent. Call it once for a pattern.
///
/// ```text
/// auto const symbolic = symbolic_lu([exec,] A [, order])
/// solve([exec,] [launch("label"),] direct_lu(symbolic, stop), A, b, x [, log]
///       [, workspace(view)])
/// ```
///
/// ```cpp
/// auto const symbolic = symbolic_lu(exec, A);
/// std::printf("%d entries of L and U\n", int(symbolic.factor_entries()));
/// ```
///
/// \param exec   execution space instance of the solves, or another one of the same device
/// \param a      csr, ell or dia; its numbers are not read. Each row has its diagonal entry, stored
///               or filled in
/// \param order  the rows in the order in which they become pivots, for example from AMD or METIS.
///               Without it they are chosen by Markowitz' counts, several independent ones at a
///               time (Duff, Erisman and Reid, Direct Methods for Sparse Matrices, 2nd edition,
///               section 7.3; Liu, ACM Transactions on Mathematical Software 11, 1985)
/// \returns      a SymbolicLu
/// \throws std::invalid_argument  columns out of range, a pivot without an entry, an order that
///               does not hold each row once, or more than 65,534 entries of L and U, less two for
///               each row
///
/// Runs on the host: copies the pattern there, waits for that, and allocates on the execution
/// space.
template <class Exec, Impl::SystemMatrices A>
  requires Kokkos::is_execution_space_v<Exec>
auto symbolic_lu(Exec const& exec, A const& a, std::vector<int> const& order = {}) {
  return Impl::make_symbolic(exec, a, order);
}
template <Impl::SystemMatrices A>
auto symbolic_lu(A const& a, std::vector<int> const& order = {}) {
  return Impl::make_symbolic(Kokkos::DefaultExecutionSpace(), a, order);
}

/// Solves A_n x_n = b_n for every item n by elimination along a sparse pattern:
///
/// ```text
/// solve([exec,] [launch("label"),] direct_lu(symbolic, stop), A, b, x [, log]
///       [, workspace(view)])
/// ```
///
/// \param direct_lu  direct_lu(symbolic, stop), a SparseDirectLu
/// \param A          csr, ell or dia with the pattern of the SymbolicLu; only its numbers of rows
///                   and entries are checked
/// \param b          as in solve with direct_lu(stop)
/// \param x          as in solve with direct_lu(stop)
/// \param log        a SolveLog. dense_form, if allocated, is 1 for items that the second kernel
///                   eliminated; dense_share(outcomes(log)) is their share
/// \param workspace  for the second kernel, where full matrices do not fit on the chip
/// \throws std::invalid_argument  what solve with direct_lu(stop) refuses; matrices with other
///                   numbers of rows or entries; a pivot_threshold outside 0 to 1
///
/// Scaling, residual, refinement, log and reasons are the same as with direct_lu(stop). Pivots stay
/// on the diagonal, so numbers may grow. The solution shows whether they did harm, as with static
/// pivots (Li and Demmel, ACM Transactions on Mathematical Software 29, 2003): an item is accepted
/// if every row of |b - A x| is at most (k + 64) eps (|A| |x| + |b|), whatever the tolerance, k
/// being the number of entries of the row. Up to `refinements` steps help.
///
/// Other items are left to a second kernel, which eliminates the full matrix with row exchanges. So
/// are items with a pivot that is zero, not finite, or smaller than `pivot_threshold` times a
/// number below it. With `falls_back` false there is no second kernel: an item with such a pivot
/// ends as small_pivot with its 1-based row in the info, and x is NaN; others end by the tolerance
/// alone.
///
/// Cost: symbolic.products() multiply-adds an item, each with four bytes of a list that all items
/// share. symbolic.factor_entries() and eight vectors of numbers are in the scratch of a team, or
/// in memory of a host's thread, which has as many items as a SIMD register has numbers.
template <class... X>
  requires(Impl::is_sparse_direct<X> || ...)
void solve(X const&... arguments) {
  static_assert(Impl::Takes<Impl::SolveByPatternCall, X...>,
                "Batchwork::solve: with direct_lu(symbolic), which takes no preconditioner, the "
                "arguments are [exec,] [launch(\"label\"),] direct_lu(symbolic, ...), A, b, x [, "
                "log] [, workspace(view)] in this order; b and x are Views, without in(...) and "
                "out(...)");
  Impl::call_verb(Impl::SolveByPatternCall(), arguments...);
}

/// Workspace elements that a solve with direct_lu(symbolic) needs: 0 if full matrices fit on the
/// chip or falls_back is false. A smaller workspace, down to one item, is accepted; items that are
/// left then take longer.
/// \param exec    execution space instance of the solve
/// \param solver  direct_lu(symbolic, stop)
/// \param a       matrices, as in solve
/// \param items   number of items of the batch
template <class Exec, class Solver, Impl::SystemMatrices A>
  requires(Kokkos::is_execution_space_v<Exec> && Impl::is_sparse_direct<Solver>)
std::int64_t workspace_numbers(Exec const& exec, Solver const& solver, A const& a,
                               std::int64_t items) {
  return solver.falls_back ? workspace_numbers(exec, DirectLu<>(), a, items) : 0;
}
template <class Solver, Impl::SystemMatrices A>
  requires Impl::is_sparse_direct<Solver>
std::int64_t workspace_numbers(Solver const& solver, A const& a, std::int64_t items) {
  return workspace_numbers(Kokkos::DefaultExecutionSpace(), solver, a, items);
}

}  // namespace Batchwork

#endif
