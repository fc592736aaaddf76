// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// map: one sequence over all items of a batch, one kernel.
#ifndef BATCHWORK_MAP_HPP
#define BATCHWORK_MAP_HPP

#include "fused/Batchwork_TeamMap.hpp"
#include "launch/Batchwork_Launch.hpp"

namespace Batchwork {

/// Runs `sequence` once for every item: one parameter per operand, in the operands' order (status excepted), tiles
/// in and tiles out. One kernel on the instance `exec`; asynchronous, allocates nothing, never fences. Zero items are
/// no launch. Misuse throws std::invalid_argument before anything is launched and leaves outputs untouched.
///
/// \param exec      execution space instance
/// \param how       label, team size, pack width, lanes per item: see launch(...)
/// \param sequence  the user's functor over tiles; copied into the launch
/// \param operands  in, out, inout, common, status
template <class Exec, int W, int Teams, int L, class D, class Sequence, class... O>
  requires Kokkos::is_execution_space_v<Exec>
void map(Exec const& exec, Launch<W, Teams, L, D> const& how, Sequence const& sequence,
         O const&... operands) {
  std::int64_t const items = Impl::check("map", 0, Impl::resolve(operands)...).items;
  Impl::launch_group(
      exec, how, "map",
      Impl::make_map_group<Exec, Launch<W, Teams, L, D>>(sequence, Impl::resolve(operands)...),
      items);
}
template <class Exec, class Sequence, class... O>
  requires(Kokkos::is_execution_space_v<Exec> && !Impl::is_launch<Sequence>)
void map(Exec const& exec, Sequence const& sequence, O const&... operands) {
  map(exec, launch(), sequence, operands...);
}
template <int W, int Teams, int L, class D, class Sequence, class... O>
void map(Launch<W, Teams, L, D> const& how, Sequence const& sequence, O const&... operands) {
  map(Kokkos::DefaultExecutionSpace(), how, sequence, operands...);
}
template <class Sequence, class... O>
  requires(!Kokkos::is_execution_space_v<Sequence> && !Impl::is_launch<Sequence>)
void map(Sequence const& sequence, O const&... operands) {
  map(Kokkos::DefaultExecutionSpace(), launch(), sequence, operands...);
}

}  // namespace Batchwork

#endif
