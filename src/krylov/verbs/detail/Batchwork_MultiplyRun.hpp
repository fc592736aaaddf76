// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The launch of multiply for systems of a known format, or of a functor.
#ifndef BATCHWORK_MULTIPLYRUN_HPP
#define BATCHWORK_MULTIPLYRUN_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>

#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "krylov/formats/detail/Batchwork_MultiplyHost.hpp"
#include "krylov/formats/detail/Batchwork_MultiplyTeams.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_RangeLaunch.hpp"

namespace Batchwork::Impl {

template <class Exec, class T, class Systems>
void launch_multiply(Exec const& exec, SystemCall const& call, MultiplyProblem<T, Systems> const& p,
                     std::int64_t nonzeros) {
  std::string const label = kernel_label(call.verb, call.label);
  if constexpr (runs_on_device<Exec>) {
    using Kernel = MultiplyTeams<T, Systems>;
    Kernel const kernel{p, multiply_lanes(p.a, nonzeros)};
    launch_teams<Kernel::largest_team, 1>(exec, label, kernel,
                                          {kernel.teams(), Kernel::largest_team, 0},
                                          [&] { return call.launch_words(p.a.rows); });
  } else {
    std::int64_t const per_chunk =
        items_of_a_chunk(p.items, p.a.rows + nonzeros, exec.concurrency());
    launch_range(exec, label, (p.items + per_chunk - 1) / per_chunk,
                 MultiplyHost<T, Systems>(p, per_chunk));
  }
}

}  // namespace Batchwork::Impl

#endif
