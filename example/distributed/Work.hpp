// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The loop of a rank: take a chunk, compute it, note it.
#ifndef DISTRIBUTED_WORK_HPP
#define DISTRIBUTED_WORK_HPP

#include <vector>

#include "Checkpoint.hpp"
#include "Options.hpp"
#include "Workload.hpp"

namespace Distributed {

/// What one rank did.
struct Share {
  Outcome outcome;
  std::int64_t chunks = 0;
  double busy = 0;                 ///< seconds of computing
  double writing = 0;              ///< seconds of copying and writing results
  double elapsed = 0;              ///< seconds until no chunk was left
  std::vector<double> seconds;     ///< by index of a chunk, 0 for chunks of other ranks
  std::vector<std::int64_t> work;  ///< the same for iterations
};

/// Computes chunks of `todo` as long as there are any. On all ranks together. An error ends the
/// program on all ranks, with a line that says what this rank had.
Share work(Ranks const& ranks, Options const& options, Workload& workload, Chunks const& chunks,
           std::vector<std::int64_t> const& todo, Checkpoint const& checkpoint);

}  // namespace Distributed

#endif
