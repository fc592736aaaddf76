// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// solve_triangular: substitution with a triangle of every matrix of a batch.
#ifndef BATCHWORK_SOLVETRIANGULAR_HPP
#define BATCHWORK_SOLVETRIANGULAR_HPP

#include <cstdint>
#include <type_traits>

#include "krylov/verbs/detail/Batchwork_SystemVerb.hpp"
#include "krylov/verbs/detail/Batchwork_SystemVerbLaunch.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_EmptyItems.hpp"

namespace Batchwork {

/// A triangle of a matrix with its diagonal. In a unit triangle the diagonal is 1, whatever is
/// stored.
enum class Triangle {
  lower,       ///< the lower triangle, with its diagonal
  unit_lower,  ///< the lower triangle, with ones on the diagonal
  upper,       ///< the upper triangle, with its diagonal
  unit_upper   ///< the upper triangle, with ones on the diagonal
};

namespace Impl {

struct SolveTriangularCall {
  template <class Exec, SystemMatrices A, Viewish B, Viewish X, StatusOrNone S = NoStatus>
  void operator()(Exec const& exec, Launch<> const& how, Triangle const& triangle, A const& a,
                  B const& b_arg, X const& x_arg, S const& codes = {}) const {
    using T = typename NumbersStored<Exec, A>::type;
    auto const b = operand_of<Exec, T, 1>(b_arg);
    auto const x = operand_of<Exec, T, 1>(x_arg);
    require_written<std::remove_const_t<decltype(x)>>();
    SystemCall call("solve_triangular", label_alone(how));
    call.check_matrices(2, a);
    call.add_vector(3, "b", b, a);
    call.add_vector(4, "x", x, a, true);
    call.add_matrices(2, a);
    StatusTarget const status = status_target<Exec>(call, codes, 5);
    std::int64_t const items =
        call.check({same_numbers(x, b) && x.storage.row == b.storage.row, 0, 1,
                    "x may be b, the same View, else give a View of its own"});
    if (a.rows() == 0) return launch_empty_items<T>(exec, call, status, items);
    SystemVerbLaunch<T, Exec>::solve_triangular(
        exec, call, systems_of_call<T>(a, items), b.storage.as_const(), x.storage, status,
        triangle == Triangle::upper || triangle == Triangle::unit_upper,
        triangle == Triangle::unit_lower || triangle == Triangle::unit_upper);
  }
};

}  // namespace Impl

/// Solves L_n x_n = b_n or U_n x_n = b_n for every item n, L and U being triangles of A.
///
/// ```text
/// solve_triangular([exec,] [launch("label"),] triangle, A, b, x [, status(codes)])
/// ```
///
/// ```cpp
/// solve_triangular(exec, Triangle::unit_lower, A, b, x, status(codes));
/// solve_triangular(exec, Triangle::upper, A, x, x);  // in place
/// ```
///
/// \param triangle  Triangle::lower, unit_lower, upper or unit_upper
/// \param A         csr, ell, dia or dense; entries on the other side of the diagonal are not used.
///                  Entries of a row may have any order; entries of one column are added up
/// \param b         View b(item, row) in any layout or strided, or compact(b, n); float or double
/// \param x         View as b, written; may be the View b itself
/// \param codes     status(codes) with a View codes(item); may be left out. 0, or a reason with the
///                  smallest 1-based row: Reason::breakdown for a diagonal number that is zero or
///                  missing, Reason::not_finite for one that is NaN or infinite (LAPACK's trtrs).
///                  not_finite with info 0 if only a number of x is not finite
/// \throws std::invalid_argument  before the launch: extents that differ, Views that are not
///                  allocated or overlap other than in place. Patterns are not read: see check
///
/// A zero or missing diagonal makes its number of x NaN, and numbers computed from it, in every
/// format. Other items get the same bits as without it.
///
/// One kernel on `exec`, labelled Batchwork::solve_triangular or
/// Batchwork::solve_triangular(label); asynchronous, allocates nothing, never fences. Zero items
/// are no launch. Without rows the status is 0. Two operations an entry and a division a row, row
/// by row (Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd edition, section 11.6). On
/// devices up to 32 lanes share the entries of a row, one lane where rows are short or items are
/// side by side in memory; on hosts a thread has an item, or a pack of them. For dense triangles
/// with several right-hand sides see solve_lower.
template <class... X>
void solve_triangular(X const&... arguments) {
  static_assert(Impl::Takes<Impl::SolveTriangularCall, X...>,
                "Batchwork::solve_triangular: the arguments are [exec,] [launch(\"label\"),] "
                "triangle, A, b, x [, status(codes)] in this order");
  Impl::call_verb(Impl::SolveTriangularCall(), arguments...);
}

}  // namespace Batchwork

#endif
