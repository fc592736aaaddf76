// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Operands of the scans of filters and smoothers.
#ifndef BATCHWORK_FILTER_OPERANDS_HPP
#define BATCHWORK_FILTER_OPERANDS_HPP

#include "fused/Batchwork_Scan.hpp"

namespace Batchwork::Impl {

template <class O>
inline constexpr bool is_without = std::remove_cvref_t<O>::kind == Kind::nothing;

/// Whether a matrix has a time index.
template <class O>
inline constexpr bool varies_with_time = O::kind == Kind::each || O::kind == Kind::common_each;

template <class StartO, class EndO>
auto carry_operand(StartO const& start, EndO const& end) {
  return Operand<Kind::carry, StartO, EndO, std::false_type>{start, end, 1};
}
/// The log-likelihood, a carry that starts at zero.
template <class T, class End>
auto likelihood_operand(End const& end) {
  if constexpr (is_without<End>) {
    return end;
  } else {
    auto zero = common(fixed(T(0)));
    return Operand<Kind::carry, decltype(zero), End, std::true_type>{zero, end, -0.5};
  }
}

/// A scan with a name of its own. The status operand is passed only if a status is requested.
template <class Exec, int W, int Teams, int L, class Sequence, class Status, class... O>
void scan_as(char const* name, Exec const& exec, Launch<W, Teams, L> const& how, Steps const& steps,
             Sequence const& sequence, Status const& status, O const&... operands) {
  if constexpr (is_without<Status>) launch_scan(name, exec, how, steps, sequence, operands...);
  else launch_scan(name, exec, how, steps, sequence, operands..., status);
}

}  // namespace Batchwork::Impl

#endif
