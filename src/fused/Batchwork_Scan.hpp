// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// scan: runs a sequence step after step for every item of a batch, with the time loop in one
/// kernel.
#ifndef BATCHWORK_SCAN_HPP
#define BATCHWORK_SCAN_HPP

#include <concepts>
#include <cstdint>
#include <string>

#include "fused/Batchwork_TeamScan.hpp"
#include "fused/detail/Batchwork_GroupLaunch.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Check.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"
#include "view/Batchwork_Operand.hpp"
#include "view/Batchwork_Steps.hpp"

namespace Batchwork {
namespace Impl {

/// Checks the operands of a scan and launches it. Kalman::filter calls it as well: the kernel has
/// the name of the verb.
template <bool Backward = false, class Exec, class How, class Sequence, class... O>
void launch_scan(std::string const& verb, Exec const& exec, How const& how, Steps const& steps,
                 Sequence const& sequence, O const&... operands) {
  std::int64_t const items = check(verb, steps, operands...);
  launch_group(
      exec, how, verb,
      make_scan_group<Exec, How, Backward>(steps.count(), sequence, placed(operands, steps)...),
      items);
}

struct ScanCall {
  template <class Exec, class How, StepsOfScan Steps, class Sequence, class... O>
    requires(!Misplaced<Sequence> && (!Misplaced<O> && ...))
  void operator()(Exec const& exec, How const& how, Steps const& steps, Sequence const& sequence,
                  O const&... operands) const {
    launch_scan<is_backward<Steps>>("scan", exec, how, as_steps(steps), sequence,
                                    resolve(operands)...);
  }
};

}  // namespace Impl

/// Runs `sequence` for the steps t = 0 .. steps - 1 of every item, with the time loop inside one
/// kernel. The steps of an item run one after the other, and all items run in parallel. Carries
/// stay in registers; `each` operands are read step by step. The kernel runs asynchronously on the
/// instance `exec`; nothing is allocated and nothing is fenced. With zero items nothing is
/// launched. With zero steps the start of every carry is stored in its end, and zeros in every
/// `out`.
/// ```cpp
/// struct Step {
///   template <class X, class U>
///   KOKKOS_FUNCTION void operator()(X& x, U const& u) const { x = 0.9 * x + u; }
/// };
/// scan(steps, Step{}, carry(x, x), each(u));
/// ```
/// \param exec      execution space instance; optional, the first argument
/// \param how       launch(...): label, lanes per item, team size, pack width; optional, before the
///   steps
/// \param steps     a number of steps, range(first, last), or backward(...) of either
/// \param sequence  one step over tiles, a functor that is copied into the launch
/// \param operands  carry, each, common(each), inout(each), emit, step_index, and the operands of
///   map
/// \throws std::invalid_argument before anything is launched if an operand does not fit: null or
///   overlapping Views, different numbers of items, too few steps, wrong extents. Outputs are then
///   unchanged.
template <class... X>
void scan(X const&... arguments) {
  static_assert(Impl::Takes<Impl::ScanCall, X...>,
                "Batchwork::scan: the arguments are [exec,] [launch(...),] steps, sequence, "
                "operands... in this order; a label is launch(\"label\")");
  Impl::call_verb(Impl::ScanCall(), arguments...);
}

}  // namespace Batchwork

#endif
