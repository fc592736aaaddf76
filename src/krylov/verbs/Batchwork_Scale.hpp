// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// scale: diag(l) A diag(r), written to the numbers of A.
#ifndef BATCHWORK_SCALE_HPP
#define BATCHWORK_SCALE_HPP

#include <cstdint>

#include "krylov/verbs/detail/Batchwork_SystemVerb.hpp"
#include "krylov/verbs/detail/Batchwork_SystemVerbLaunch.hpp"
#include "krylov/verbs/detail/Batchwork_VectorOrCommon.hpp"
#include "view/Batchwork_Operand.hpp"

namespace Batchwork {
namespace Impl {

struct ScaleCall {
  template <class Exec, VectorOrCommon L, SystemMatrices A, VectorOrCommon R>
  void operator()(Exec const& exec, Launch<> const& how, L const& left, A const& a,
                  R const& right) const {
    using T = typename NumbersStored<Exec, A>::type;
    SystemCall call("scale", label_alone(how));
    call.add_matrices(2, a, true);
    auto const l = factors_of<Exec, T>(call, 1, "left", a, left);
    auto const r = factors_of<Exec, T>(call, 3, "right", a, right);
    std::int64_t const items = call.check();
    if (a.rows() == 0) return;
    SystemVerbLaunch<T, Exec>::scale(exec, call, systems_of_call<T>(a, items), numbers_of(a), l, r);
  }
};

}  // namespace Impl

/// Scales rows and columns: A_n = diag(l_n) A_n diag(r_n) for every item n.
///
/// ```text
/// scale([exec,] [launch("label"),] left, A, right)
/// ```
///
/// ```cpp
/// equilibrate(exec, A, left, right);
/// scale(exec, left, A, right);  // without rounding
/// ```
///
/// \param left   View l(item, row) in any layout or strided, compact(l, n), or common(l) of l(row);
///               the type of A's numbers
/// \param A      csr, ell, dia or dense of Views that are not const; its numbers are overwritten
/// \param right  as left; may be the same View
/// \throws std::invalid_argument  before the launch: extents that differ, Views that are not
///               allocated or overlap
///
/// An entry becomes (l_i a_ij) r_j: two roundings, none where the factors are powers of two and
/// nothing leaves the range. A NaN stays in its entry, or in its row or column. One kernel on
/// `exec`, labelled Batchwork::scale or Batchwork::scale(label); asynchronous, allocates nothing,
/// never fences. Zero items or rows are no launch.
template <class... X>
void scale(X const&... arguments) {
  static_assert(Impl::Takes<Impl::ScaleCall, X...>,
                "Batchwork::scale: the arguments are [exec,] [launch(\"label\"),] left, A, right "
                "in this order");
  Impl::call_verb(Impl::ScaleCall(), arguments...);
}

}  // namespace Batchwork

#endif
