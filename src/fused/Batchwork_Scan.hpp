// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// scan: one step after another over all items of a batch, the time loop inside one kernel.
#ifndef BATCHWORK_SCAN_HPP
#define BATCHWORK_SCAN_HPP

#include <concepts>
#include <cstdint>

#include "fused/Batchwork_TeamScan.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"

namespace Batchwork {
namespace Impl {

/// scan of its arguments.
struct ScanOfArguments {
  template <class Exec, class How, class Steps, class Sequence, class... O>
  void operator()(Exec const& exec, How const& how, Steps const& steps, Sequence const& sequence,
                  O const&... operands) const {
    constexpr bool in_order = StepsOfScan<Steps> && !Misplaced<Sequence> && (!Misplaced<O> && ...);
    static_assert(in_order,
                  "Batchwork::scan: the arguments are [exec,] [launch(...),] steps, sequence, "
                  "operands... in this order; a label is launch(\"label\")");
    if constexpr (in_order) {
      auto const which = as_steps(steps);
      std::int64_t const items = check("scan", which, resolve(operands)...);
      launch_group(exec, how, "scan",
                   make_scan_group<Exec, How, is_backward<Steps>>(
                       which.count(), sequence, placed(resolve(operands), which)...),
                   items);
    }
  }
};

}  // namespace Impl

///   scan([exec,] [launch(...),] steps, sequence, operands...)
///
/// Runs `sequence` for t = 0 .. steps - 1 for every item, one after the other for an item and all
/// items at once: the time loop is inside the kernel, carries stay in registers, `each` operands
/// are streamed. One kernel on the instance `exec`; asynchronous, allocates nothing, never fences.
/// Zero items are no launch; zero steps store the start of every carry in its end, and zeros in
/// every `out`. Misuse throws std::invalid_argument before anything is launched and leaves outputs
/// untouched.
///
/// \param exec      execution space instance
/// \param how       label, team size, pack width, lanes per item: see launch(...)
/// \param steps     how many, from step 0 on; or range(first, last), backward(steps),
/// backward(range(first, last))
/// \param sequence  one step over tiles; copied into the launch
/// \param operands  carry, each, common(each), emit, and in, out, inout, common, status as for map
template <class... X>
void scan(X const&... arguments) {
  Impl::call_verb(Impl::ScanOfArguments(), arguments...);
}

}  // namespace Batchwork

#endif
