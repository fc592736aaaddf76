// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// equilibrate: powers of two that bring the rows and columns of a matrix near to one.
#ifndef BATCHWORK_EQUILIBRATE_HPP
#define BATCHWORK_EQUILIBRATE_HPP

#include <cstdint>
#include <type_traits>

#include "krylov/verbs/detail/Batchwork_SystemVerb.hpp"
#include "krylov/verbs/detail/Batchwork_SystemVerbLaunch.hpp"

namespace Batchwork {
namespace Impl {

struct EquilibrateCall {
  template <class Exec, SystemMatrices A, Viewish L, Viewish R>
  void operator()(Exec const& exec, Launch<> const& how, A const& a, L const& left_arg,
                  R const& right_arg) const {
    using T = typename NumbersStored<Exec, A>::type;
    auto const left = operand_of<Exec, T, 1>(left_arg);
    auto const right = operand_of<Exec, T, 1>(right_arg);
    require_written<std::remove_const_t<decltype(left)>>();
    require_written<std::remove_const_t<decltype(right)>>();

    SystemCall call("equilibrate", label_alone(how));
    call.add_matrices(1, a);
    call.add_vector(2, "left", left, a, true);
    call.add_vector(3, "right", right, a, true);
    std::int64_t const items = call.check();
    if (a.rows() == 0) return;
    SystemVerbLaunch<T, Exec>::equilibrate(exec, call, systems_of_call<T>(a, items), left.storage,
                                           right.storage);
  }
};

}  // namespace Impl

/// Finds powers of two l_i and r_j for every item such that in diag(l) A diag(r) the largest
/// magnitude of every row and column is from 3/8 to 3. A is not changed.
///
/// ```text
/// equilibrate([exec,] [launch("label"),] A, left, right)
/// ```
///
/// ```cpp
/// equilibrate(exec, A, left, right);
/// scale(exec, left, A, right);  // then solve with diag(l) b, and multiply the result by diag(r)
/// ```
///
/// \param A      csr, ell, dia or dense
/// \param left   View l(item, row) in any layout or strided, or compact(l, n), written; the type of
///               A's numbers
/// \param right  View r(item, row) as left, written
/// \throws std::invalid_argument  before the launch: extents that differ, Views that are not
///               allocated or overlap
///
/// A symmetric matrix gets equal l and r. Zeros, infinities and NaN are not counted; a row or
/// column with nothing else gets the factor 1. Factors are finite and positive and have normal
/// inverses. If that, or 12 sweeps, is not enough, the result is farther from 1.
///
/// One kernel on `exec`, labelled Batchwork::equilibrate or Batchwork::equilibrate(label);
/// asynchronous, allocates nothing, never fences. Zero items or rows are no launch. It sweeps over
/// A until nothing changes: five or six times for numbers that span ten powers of ten, once more
/// for twenty. Every machine gives the same factors. (D. Ruiz, A scaling algorithm to equilibrate
/// both rows and columns norms in matrices, RAL-TR-2001-034, 2001: with largest magnitudes, all
/// roots rounded to powers of two.)
template <class... X>
void equilibrate(X const&... arguments) {
  static_assert(Impl::Takes<Impl::EquilibrateCall, X...>,
                "Batchwork::equilibrate: the arguments are [exec,] [launch(\"label\"),] A, left, "
                "right in this order");
  Impl::call_verb(Impl::EquilibrateCall(), arguments...);
}

}  // namespace Batchwork

#endif
