// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// workspace_numbers, least_workspace_numbers: how large a workspace a call on matrices is to have.
#ifndef BATCHWORK_WORKSPACENUMBERS_HPP
#define BATCHWORK_WORKSPACENUMBERS_HPP

#include <cstdint>

#include "launch/detail/Batchwork_VerbCall.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork {

/// The verbs on matrices that take workspace(view), for items that do not fit on the chip.
enum class Verb {
  lu,
  solve_lu,
  inverse,
  determinant,
  log_abs_determinant,
  qr,
  least_squares,
  eigh,
  svd
};

namespace Impl {

/// The call of a verb. Specialised where the verb is.
template <Verb V>
struct CallOfVerb;

template <Verb V, class... X>
WorkspaceWanted workspace_wanted(X const&... arguments) {
  WorkspaceWanted wanted;
  call_verb(CallOfVerb<V>(), arguments..., WorkspaceQuestion{&wanted});
  return wanted;
}

}  // namespace Impl

/// How many numbers the workspace of a call has use for, one of these verbs getting these operands:
///
///   workspace_numbers<Verb::svd>([exec,] in(A), out(U), out(values), out(V) [, status(codes)])
///
/// 0 where the items fit on the chip. Else there is room for the items that are worked on at the
/// same time, not for all: on devices for teams of a quarter of the lanes that the device can hold,
/// on hosts for an item a thread. With less, down to least_workspace_numbers, results are the same
/// and calls take longer. Of a qr of 400 x 400 in double on an H200, 264 teams of 1.3 MB: 43
/// million numbers. Nothing is launched. Throws std::invalid_argument where the verb does, but for
/// a workspace.
template <Verb V, Impl::BeginsCall First, class... Rest>
std::int64_t workspace_numbers(First const& first, Rest const&... rest) {
  return Impl::workspace_wanted<V>(first, rest...).full;
}

/// How many numbers the workspace of such a call has at least: those of one team or thread, which
/// then takes item by item.
template <Verb V, Impl::BeginsCall First, class... Rest>
std::int64_t least_workspace_numbers(First const& first, Rest const&... rest) {
  return Impl::workspace_wanted<V>(first, rest...).least;
}

}  // namespace Batchwork

#endif
