// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// workspace_numbers and least_workspace_numbers: the size of the workspace for a call on matrices.
#ifndef BATCHWORK_WORKSPACENUMBERS_HPP
#define BATCHWORK_WORKSPACENUMBERS_HPP

#include <cstdint>

#include "launch/detail/Batchwork_VerbCall.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork {

/// The verbs on matrices that take workspace(view) for items too large for on-chip memory.
enum class Verb {
  lu,                   ///< the verb lu
  solve_lu,             ///< the verb solve_lu
  inverse,              ///< the verb inverse
  determinant,          ///< the verb determinant
  log_abs_determinant,  ///< the verb log_abs_determinant
  qr,                   ///< the verb qr
  least_squares,        ///< the verb least_squares
  eigh,                 ///< the verb eigh
  svd                   ///< the verb svd
};

namespace Impl {

/// The call of a verb; specialised in the header of the verb.
template <Verb V>
struct CallOfVerb;

template <Verb V, class... X>
WorkspaceWanted workspace_wanted(X const&... arguments) {
  WorkspaceWanted wanted;
  static_assert(Takes<CallOfVerb<V>, X..., WorkspaceQuestion>,
                "Batchwork::workspace_numbers: the arguments are those of the verb in its order, "
                "without workspace(view)");
  call_verb(CallOfVerb<V>(), arguments..., WorkspaceQuestion{&wanted});
  return wanted;
}

}  // namespace Impl

/// The number of workspace elements that a call can use, for the same operands as the call itself.
/// It is 0 if the items fit into on-chip memory. Otherwise it covers the items that are worked on
/// at the same time, not all items: on devices one item for each team, with teams for a quarter of
/// the lanes that the device can hold; on hosts one item for each thread. A smaller workspace, down
/// to least_workspace_numbers, gives the same results in more time. Example: a qr of 400 x 400 in
/// double on an H200 uses 264 teams with 1.3 MB each, 43 million elements. Nothing is launched.
/// ```cpp
/// auto const n = workspace_numbers<Verb::svd>(in(A), out(U), out(values), out(V));
/// Kokkos::View<double*> memory("workspace", n);
/// svd(in(A), out(U), out(values), out(V), workspace(memory));
/// ```
/// \tparam V  the verb
/// \param first  the first argument of the call: the execution space instance or the first operand
/// \param rest   the other arguments, without workspace
/// \returns the number of elements
/// \throws std::invalid_argument where the verb throws, except for a missing workspace
template <Verb V, Impl::BeginsCall First, class... Rest>
std::int64_t workspace_numbers(First const& first, Rest const&... rest) {
  return Impl::workspace_wanted<V>(first, rest...).full;
}

/// The smallest number of workspace elements that a call accepts: enough for one team or thread,
/// which then works on one item after the other. It is 0 if the items fit into on-chip memory.
/// \tparam V  the verb
/// \param first  the first argument of the call: the execution space instance or the first operand
/// \param rest   the other arguments, without workspace
/// \returns the number of elements
/// \throws std::invalid_argument where the verb throws, except for a missing workspace
template <Verb V, Impl::BeginsCall First, class... Rest>
std::int64_t least_workspace_numbers(First const& first, Rest const&... rest) {
  return Impl::workspace_wanted<V>(first, rest...).least;
}

}  // namespace Batchwork

#endif
