// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// scan: one step after another over all items of a batch, the time loop inside one kernel.
#ifndef BATCHWORK_SCAN_HPP
#define BATCHWORK_SCAN_HPP

#include "fused/Batchwork_TeamScan.hpp"
#include "launch/Batchwork_Launch.hpp"

namespace Batchwork {

/// Runs `sequence` for t = 0 .. steps - 1 for every item, one after the other for an item and all items at once: the time
/// loop is inside the kernel, carries stay in registers, `each` operands are streamed. One kernel on the instance
/// `exec`; asynchronous, allocates nothing, never fences. Zero items are no launch; zero steps store the start of every
/// carry in its end, and zeros in every `out`. Misuse throws std::invalid_argument before anything is launched and leaves
/// outputs untouched.
///
/// \param exec      execution space instance
/// \param how       label, team size, pack width, lanes per item: see launch(...)
/// \param steps     length of the series
/// \param sequence  one step over tiles; copied into the launch
/// \param operands  carry, each, common(each), emit, and in, out, inout, common, status as for map
template <class Exec, int W, int Teams, int L, class D, class Sequence, class... O>
  requires Kokkos::is_execution_space_v<Exec>
void scan(Exec const& exec, Launch<W, Teams, L, D> const& how, std::int64_t steps,
          Sequence const& sequence, O const&... operands) {
  std::int64_t const items = Impl::check("scan", steps, Impl::resolve(operands)...).items;
  Impl::launch_group(exec, how, "scan",
                     Impl::make_scan_group<Exec, Launch<W, Teams, L, D>>(
                         steps, sequence, Impl::resolve(operands)...),
                     items);
}
template <class Exec, class Sequence, class... O>
  requires Kokkos::is_execution_space_v<Exec>
void scan(Exec const& exec, std::int64_t steps, Sequence const& sequence, O const&... operands) {
  scan(exec, launch(), steps, sequence, operands...);
}
template <int W, int Teams, int L, class D, class Sequence, class... O>
void scan(Launch<W, Teams, L, D> const& how, std::int64_t steps, Sequence const& sequence,
          O const&... operands) {
  scan(Kokkos::DefaultExecutionSpace(), how, steps, sequence, operands...);
}
template <class Sequence, class... O>
void scan(std::int64_t steps, Sequence const& sequence, O const&... operands) {
  scan(Kokkos::DefaultExecutionSpace(), launch(), steps, sequence, operands...);
}

}  // namespace Batchwork

#endif
