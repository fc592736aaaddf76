// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// map: one sequence over all items of a batch, one kernel.
#ifndef BATCHWORK_MAP_HPP
#define BATCHWORK_MAP_HPP

#include "fused/Batchwork_TeamMap.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"

namespace Batchwork {
namespace Impl {

/// map of its arguments.
struct MapOfArguments {
  template <class Exec, class How, class Sequence, class... O>
  void operator()(Exec const& exec, How const& how, Sequence const& sequence,
                  O const&... operands) const {
    constexpr bool in_order = !Misplaced<Sequence> && (!Misplaced<O> && ...);
    static_assert(in_order,
                  "Batchwork::map: the arguments are [exec,] [launch(...),] sequence, operands... "
                  "in this order; a label is launch(\"label\")");
    if constexpr (in_order) {
      std::int64_t const items = check("map", 0, resolve(operands)...);
      launch_group(exec, how, "map", make_map_group<Exec, How>(sequence, resolve(operands)...),
                   items);
    }
  }
};

}  // namespace Impl

///   map([exec,] [launch(...),] sequence, operands...)
///
/// Runs `sequence` once for every item: one parameter per operand, in the operands' order (status
/// excepted), tiles in and tiles out. One kernel on the instance `exec`; asynchronous, allocates
/// nothing, never fences. Zero items are no launch. Misuse throws std::invalid_argument before
/// anything is launched and leaves outputs untouched.
///
/// \param exec      execution space instance
/// \param how       label, team size, pack width, lanes per item: see launch(...)
/// \param sequence  the user's functor over tiles; copied into the launch
/// \param operands  in, out, inout, common, status
template <class... X>
void map(X const&... arguments) {
  Impl::call_verb(Impl::MapOfArguments(), arguments...);
}

}  // namespace Batchwork

#endif
