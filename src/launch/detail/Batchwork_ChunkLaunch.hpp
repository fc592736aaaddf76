// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// launch_chunks: kernels on hosts, whose threads have chunks of items.
#ifndef BATCHWORK_CHUNKLAUNCH_HPP
#define BATCHWORK_CHUNKLAUNCH_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string>

#include "launch/detail/Batchwork_RangeLaunch.hpp"

namespace Batchwork::Impl {

/// Chunks of `units`, items or packs of them: of up to 16 times `some`, which are large enough to
/// be worth starting, but small enough to keep all threads busy. make(per_chunk) gives the kernel.
template <class Exec, class Make>
void launch_chunks(Exec const& exec, std::string const& label, std::int64_t units,
                   std::int64_t some, Make const& make) {
  std::int64_t const threads = exec.concurrency(),
                     per_chunk = std::clamp(units / (16 * threads), std::int64_t(1),
                                            16 * std::max(std::int64_t(1), some));
  launch_range(exec, label, (units + per_chunk - 1) / per_chunk, make(per_chunk));
}

}  // namespace Batchwork::Impl

#endif
