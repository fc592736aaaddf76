// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// map: runs a sequence once for every item of a batch, in one kernel.
#ifndef BATCHWORK_MAP_HPP
#define BATCHWORK_MAP_HPP

#include <cstdint>

#include "fused/Batchwork_TeamMap.hpp"
#include "fused/detail/Batchwork_GroupLaunch.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Check.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"
#include "view/Batchwork_Operand.hpp"

namespace Batchwork {
namespace Impl {

struct MapCall {
  static constexpr bool needs_constants = true;
  template <class Exec, class How, class Sequence, class... O>
    requires(!Misplaced<Sequence> && (!Misplaced<O> && ...))
  void operator()(Exec const& exec, How const& how, Sequence const& sequence,
                  O const&... operands) const {
    std::int64_t const items = check("map", 0, resolve(operands)...);
    launch_group(exec, how, "map", make_map_group<Exec, How>(sequence, resolve(operands)...),
                 items);
  }
};

}  // namespace Impl

/// Runs `sequence` once for every item of a batch, in one kernel. The sequence gets a tile for each
/// operand, in the order of the operands; status is no parameter. The kernel runs asynchronously on
/// the instance `exec`; nothing is allocated and nothing is fenced. With zero items nothing is
/// launched.
/// ```cpp
/// struct Predict {
///   template <class X, class F>
///   KOKKOS_FUNCTION void operator()(X& x, F const& f) const { x = f * x; }
/// };
/// map(Predict{}, inout(x), in(f));  // or map(exec, launch("predict"), Predict{}, ...)
/// ```
/// \param exec      execution space instance; optional, the first argument
/// \param how       launch(...): label, lanes per item, team size, pack width; optional, before the
///   sequence
/// \param sequence  the user's functor over tiles, which is copied into the launch
/// \param operands  in, out, inout, add, common, table, item_index, item_mask, random, local,
///   nothing, status
/// \throws std::invalid_argument before anything is launched if an operand does not fit: null or
///   overlapping Views, different numbers of items, wrong extents. Outputs are then unchanged.
template <class... X>
void map(X const&... arguments) {
  static_assert(Impl::Takes<Impl::MapCall, X...>,
                "Batchwork::map: the arguments are [exec,] [launch(...),] sequence, operands... "
                "in this order; a label is launch(\"label\")");
  Impl::call_verb(Impl::MapCall(), arguments...);
}

}  // namespace Batchwork

#endif
